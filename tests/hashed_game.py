"""A game made of hashes: few scores and so many ties, extra turns, early ends, positions that meet again, any
players."""

from __future__ import annotations

from numpy import int64, uint64

from parsearch.native.bits import mix64, mul64, replaced
from parsearch.native.game import CompiledGame

PLIES = 8
PLAYERS = 2
INTEGER = True
SEED = 0

ZERO_SUM = PLAYERS == 2
MAX_MOVES = 4
ONE = 1 if INTEGER else 0.25
NOTHING = (0 * ONE,) * PLAYERS
POSITIONS = uint64(60)


def scattered(state, salt):
    return mix64(mul64(state[0], uint64(0x9E3779B97F4A7C15)) ^ (state[1] << uint64(32)) ^ uint64(salt + 16 * SEED))


def initial_state():
    return uint64(1), uint64(0)


def to_move(state):
    return int64(scattered(state, 1) % uint64(PLAYERS))


def is_terminal(state):
    return state[1] == uint64(PLIES) or (state[1] > uint64(2) and scattered(state, 2) % uint64(8) == uint64(0))


def legal_moves(state, buffer):
    if is_terminal(state):
        return 0
    count = int64(uint64(1) + scattered(state, 3) % uint64(4))
    for place in range(count):
        buffer[place] = 10 * (count - place)
    return count


def noisy_moves(state, buffer):
    count = legal_moves(state, buffer)
    return count // 2


def play(state, move):
    return (mix64(scattered(state, 4) ^ uint64(move)) % POSITIONS, state[1] + uint64(1))


def score(state, salt):
    return (int64(scattered(state, salt) % uint64(5)) - 2) * ONE


def evaluate(state):
    if ZERO_SUM:
        return score(state, 5)
    scores = NOTHING
    for player in range(PLAYERS):
        scores = replaced(scores, player, score(state, 5 + player))
    return scores


def bounds(state):
    return -2 * ONE, 2 * ONE


def max_plies(state):
    return PLIES - int(state[1])


class Hashed(CompiledGame):
    def __init__(self, plies: int = 8, players: int = 2, integer: bool = True, seed: int = 0) -> None:
        constants = {"PLIES": plies, "PLAYERS": players, "INTEGER": integer, "SEED": seed}
        super().__init__(f"hashed({plies},{players},{integer},{seed})", **constants)
