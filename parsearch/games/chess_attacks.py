"""Where chess pieces reach: tables and functions of squares (a1 = 0, b1 = 1, ..., h8 = 63), compiled with `chess`.

Sliding pieces are kindergarten bitboards: one multiplication gathers the six occupancies that matter of a line into
an index, and the table holds where a slider on that file or rank then stops. Source: Urs Egbert, Gerd Isenberg
(Chess Programming Wiki).
"""

from __future__ import annotations

import numpy as np
from numpy import uint64

from parsearch.native.bits import mul64

ONE = uint64(1)
NONE = uint64(0)
FILE_A = uint64(0x0101010101010101)
FILE_B = uint64(0x0202020202020202)
FILE_H = uint64(0x8080808080808080)
RANK_1 = uint64(0xFF)
RANK_3 = uint64(0xFF << 16)
RANK_6 = uint64(0xFF << 40)
RANK_8 = uint64(0xFF << 56)
RISING = uint64(0x0080402010080400)
"""The diagonal from c2 to h7: it turns the a-file into an index, from rank 7 down to rank 2."""


def _walk(square, step, occupied=0):
    """The squares from `square` on in a direction (files, ranks), up to and with the first occupied one."""
    found = 0
    file, rank = square % 8 + step[0], square // 8 + step[1]
    while 0 <= file < 8 and 0 <= rank < 8:
        bit = 1 << (rank * 8 + file)
        found |= bit
        if occupied & bit:
            break
        file, rank = file + step[0], rank + step[1]
    return found


def _line(square, step, occupied=0):
    return _walk(square, step, occupied) | _walk(square, (-step[0], -step[1]), occupied)


def _leaps(square, steps):
    file, rank = square % 8, square // 8
    cells = ((file + x, rank + y) for x, y in steps)
    return sum(1 << (y * 8 + x) for x, y in cells if 0 <= x < 8 and 0 <= y < 8)


def _table(entries):
    return np.array(list(entries), dtype=np.uint64)


def _line_through(one, other):
    """The whole line on which two squares lie, their own squares included; nothing where there is none."""
    for step in _DIRECTIONS:
        line = _line(one, step)
        if line >> other & 1:
            return line | 1 << one
    return 0


_DIRECTIONS = ((1, 0), (0, 1), (1, 1), (1, -1))
_TURNS = [(1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2)]

KNIGHT = _table(_leaps(square, _TURNS) for square in range(64))
KING = _table(_leaps(square, [(x, y) for x in (-1, 0, 1) for y in (-1, 0, 1) if x or y]) for square in range(64))

# The lines through a square, without the square itself.
RANK = _table(_line(square, (1, 0)) for square in range(64))
FILE = _table(_line(square, (0, 1)) for square in range(64))
DIAGONAL = _table(_line(square, (1, 1)) for square in range(64))
ANTIDIAGONAL = _table(_line(square, (1, -1)) for square in range(64))

LINE = _table(_line_through(one, other) for one in range(64) for other in range(64))

# By file (rank) of a slider and occupied files b to g (ranks 7 to 2): the files (squares of the a-file) it reaches.
FILES_REACHED = _table(_line(file, (1, 0), inner << 1) * int(FILE_A) for file in range(8) for inner in range(64))
RANKS_REACHED = _table(
    _line(rank * 8, (0, 1), sum((inner >> (6 - place) & 1) << (place * 8) for place in range(1, 7)))
    for rank in range(8)
    for inner in range(64)
)


def bit(square):
    return ONE << uint64(square)


def along(line, square, occupied):
    """Where a slider gets to on a rank or diagonal; its own square may be occupied."""
    inner = mul64(occupied & line, FILE_B) >> uint64(58)
    return FILES_REACHED[((uint64(square) & uint64(7)) << uint64(6)) | inner] & line


def bishop_reach(square, occupied):
    return along(DIAGONAL[square], square, occupied) | along(ANTIDIAGONAL[square], square, occupied)


def rook_reach(square, occupied):
    file = uint64(square) & uint64(7)
    inner = mul64((occupied >> file) & FILE_A, RISING) >> uint64(58)
    up_and_down = RANKS_REACHED[((uint64(square) >> uint64(3)) << uint64(6)) | inner] << file
    return along(RANK[square], square, occupied) | up_and_down


def between(one, other):
    """The squares strictly between two on a line; nothing where they are on none."""
    low, high = min(one, other), max(one, other)
    return LINE[low * 64 + high] & (bit(high) - ONE) & ~((bit(low) << ONE) - ONE)


def east_takes(pawns):
    """Where pawns that move up the board take, towards the h-file."""
    return (pawns & ~FILE_H) << uint64(9)


def west_takes(pawns):
    """Where pawns that move up the board take, towards the a-file."""
    return (pawns & ~FILE_A) << uint64(7)


def pawn_reach(square):
    """Where a pawn that moves up takes; also where a pawn that moves down must stand to take on the square."""
    return east_takes(bit(square)) | west_takes(bit(square))
