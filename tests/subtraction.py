"""One heap; take one to three; who takes the last object wins. A small compiled game that tests may bend."""

from numpy import int64, uint64

from parsearch.native.bits import mix64
from parsearch.native.game import CompiledGame

HEAP = 10
MAX_MOVES = 3
INTEGER = True
STUCK = False  # whether the evaluation never ends once four objects are gone


def initial_state():
    return uint64(HEAP), uint64(0)


def to_move(state):
    return int64(state[1])


def legal_moves(state, buffer):
    count = min(int64(state[0]), MAX_MOVES)
    for place in range(count):
        buffer[place] = place + 1
    return count


def play(state, move):
    return state[0] - uint64(move), uint64(1) - state[1]


def is_terminal(state):
    return state[0] == uint64(0)


def evaluate(state):
    if state[0] == uint64(0):
        return -1 if state[1] == uint64(0) else 1
    number = state[0]
    while STUCK and state[0] <= uint64(HEAP - 4) and number != uint64(0):
        number = mix64(number) | uint64(1)
    return 0 if number != uint64(0) else 1


def max_plies(state):
    return int(state[0])


class Subtraction(CompiledGame):
    def __init__(self, heap: int = 10) -> None:
        super().__init__(f"subtraction({heap})", **({"HEAP": heap} if heap != 10 else {}))


class Stuck(CompiledGame):
    """Its evaluation ends one move from the beginning, and no further."""

    def __init__(self) -> None:
        super().__init__("stuck", HEAP=20, STUCK=True)
