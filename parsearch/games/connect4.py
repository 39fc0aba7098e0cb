"""Connect Four on a board of any size: discs fall, four in a row wins, and the sooner the better."""

from __future__ import annotations

import numpy as np
from numpy import uint64

from parsearch.core.errors import GameTextError
from parsearch.games.arguments import require_count, text_form
from parsearch.native.bits import drop_lowest, popcount
from parsearch.native.game import CompiledGame

WIDTH = 7
HEIGHT = 6
LENGTH = 4

INTEGER = True
MAX_MOVES = WIDTH
TABLE_DEPTH = 5
CELLS = WIDTH * HEIGHT
COLUMN = HEIGHT + 1
"""Bits of a column, from the bottom up; the topmost stays empty and keeps lines from running on in the next column."""

ORDER = np.array(sorted(range(1, WIDTH + 1), key=lambda move: abs(2 * move - (WIDTH + 1))))
"""The moves, columns from 1: the centre first and each pair to the left first."""

BOTTOM = uint64(sum(1 << column * COLUMN for column in range(WIDTH)))
BOARD = uint64(int(BOTTOM) * ((1 << HEIGHT) - 1))


def initial_state():
    """(discs of the player to move, all discs, threats of the player to move, of the opponent), a bitboard each.

    A player's threats are the empty cells where a disc of theirs would complete a line. They follow from the discs; `play`
    keeps them up, because all that solving asks for is read off them. A search that does not ask never computes them.
    """
    return uint64(0), uint64(0), uint64(0), uint64(0)


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
    mover, taken, mine, theirs = state
    after = taken | (taken + (uint64(1) << uint64((move - 1) * COLUMN)))
    return mover ^ taken, after, theirs & ~after, threats(mover ^ taken ^ after, after)


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


# What exact solving uses. The ideas are Pascal Pons's (blog.gamesolver.org): the moves that do not lose at once, and among
# them those first that make the most threats.


def completing(discs, step):
    """Cells, empty or not, that with LENGTH - 1 of these discs make a line in one direction."""
    found = uint64(0)
    for before in range(LENGTH):
        line = BOARD
        for place in range(LENGTH):
            if place < before:
                line &= discs << uint64((before - place) * step)
            elif place > before:
                line &= discs >> uint64((place - before) * step)
        found |= line
    return found


def threats(discs, taken):
    """Empty cells where these discs would get a line."""
    cells = completing(discs, 1) | completing(discs, COLUMN - 1) | completing(discs, COLUMN) | completing(discs, COLUMN + 1)
    return cells & ~taken


def playable(taken):
    """The lowest empty cell of each column."""
    return (taken + BOTTOM) & BOARD


def safe_cells(state):
    """The playable cells that do not let the opponent win at once; one of the opponent's lines can still be stopped."""
    cells = playable(state[1])
    danger = state[3]
    forced = cells & danger
    if forced != uint64(0):
        if drop_lowest(forced) != uint64(0):
            return uint64(0)
        cells = forced
    return cells & ~(danger >> uint64(1))


def bounds(state):
    discs = popcount(state[1])
    first = discs & 1 == 0
    if is_terminal(state):
        score = evaluate(state)
        return score, score
    if playable(state[1]) & state[2] != uint64(0):  # wins now
        least = most = (CELLS + 1 - discs) // 2
    elif safe_cells(state) == uint64(0):  # the opponent wins next
        least = most = -((CELLS - discs) // 2)
    else:
        least, most = -max(0, (CELLS - 2 - discs) // 2), max(0, (CELLS - 1 - discs) // 2)
    return (least, most) if first else (-most, -least)


def sufficient_moves(state, buffer):
    cells = safe_cells(state)
    count = 0
    for move in ORDER:
        if cells & (uint64((1 << HEIGHT) - 1) << uint64((move - 1) * COLUMN)) != uint64(0):
            buffer[count] = move
            count += 1
    return count


def order(state, move):
    """How many threats the disc leaves its player with."""
    return popcount(play(state, move)[3])


def key(state):
    """The discs say it all: those of the player to move, and on top of each column a bit."""
    return state[0] + state[1] + BOTTOM


def max_plies(state):
    return 0 if is_terminal(state) else CELLS - popcount(state[1])
