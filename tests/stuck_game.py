"""A compiled game whose evaluation never ends once four counters are gone."""

from __future__ import annotations

from numpy import int64, uint64

from parsearch.native.bits import mix64
from parsearch.native.game import CompiledGame

HEAP = 20
MAX_MOVES = 3


def initial_state():
    return uint64(HEAP), uint64(0)


def to_move(state):
    return int64(state[1])


def is_terminal(state):
    return state[0] == uint64(0)


def legal_moves(state, buffer):
    count = min(int64(state[0]), MAX_MOVES)
    for place in range(count):
        buffer[place] = place + 1
    return count


def play(state, move):
    return state[0] - uint64(move), uint64(1) - state[1]


def evaluate(state):
    number = state[0]
    while state[0] <= uint64(HEAP - 4) and number != uint64(0):
        number = mix64(number) | uint64(1)
    return 0 if number != uint64(0) else 1


def max_plies(state):
    return int(state[0])


class Stuck(CompiledGame):
    """Its evaluation ends one move from the beginning, and no further."""

    def __init__(self) -> None:
        super().__init__("stuck")
