"""Connect Four on a board of any size: discs fall, four in a row wins, and the sooner the better."""

from __future__ import annotations

import numpy as np
from numpy import uint64

from parsearch.core.errors import GameTextError
from parsearch.games.arguments import require_count, text_form
from parsearch.native.bits import popcount
from parsearch.native.game import CompiledGame

WIDTH = 7
HEIGHT = 6
LENGTH = 4

INTEGER = True
MAX_MOVES = WIDTH
CELLS = WIDTH * HEIGHT
COLUMN = HEIGHT + 1
"""Bits of a column, from the bottom up; the topmost stays empty and keeps lines from running on in the next column."""

ORDER = np.array(sorted(range(1, WIDTH + 1), key=lambda move: abs(2 * move - (WIDTH + 1))))
"""The moves, columns from 1: the centre first and each pair to the left first."""

BOTTOM = uint64(sum(1 << column * COLUMN for column in range(WIDTH)))
BOARD = uint64(int(BOTTOM) * ((1 << HEIGHT) - 1))


def initial_state():
    """(discs of the player to move, all discs), a bitboard each."""
    return uint64(0), uint64(0)


def to_move(state):
    return popcount(state[1]) & 1


def legal_moves(state, buffer):
    if has_line(state[0] ^ state[1]):
        return 0
    count = 0
    for move in ORDER:
        if state[1] & (uint64(1) << uint64(move * COLUMN - 2)) == uint64(0):
            buffer[count] = move
            count += 1
    return count


def play(state, move):
    mover, taken = state
    return mover ^ taken, taken | (taken + (uint64(1) << uint64((move - 1) * COLUMN)))


def is_terminal(state):
    return popcount(state[1]) == CELLS or has_line(state[0] ^ state[1])


def evaluate(state):
    """(cells + 1 - n) // 2 for a win, where n discs lay on the board before the winning one; else 0."""
    if not has_line(state[0] ^ state[1]):
        return 0
    discs = popcount(state[1])
    score = (CELLS + 2 - discs) // 2
    return score if discs & 1 else -score


def has_line(discs):
    """Whether LENGTH of these discs lie in a row."""
    return (
        lines(discs, 1) | lines(discs, COLUMN - 1) | lines(discs, COLUMN) | lines(discs, COLUMN + 1)
    ) != uint64(0)


def lines(discs, step):
    """Where LENGTH discs in a row begin: each round doubles the length that is known to be there."""
    length = 1
    while length < LENGTH:
        more = min(length, LENGTH - length)
        discs = discs & (discs >> uint64(more * step))
        length += more
    return discs
