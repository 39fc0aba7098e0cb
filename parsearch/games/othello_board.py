"""Lines on an 8 x 8 board of 64 bits, along which Othello's discs flank each other; compiled with `othello`.

A cell is a bit: a1 is 0, h1 7, a2 8, h8 63. Smaller boards lie inside: cells around them are never occupied.
"""

from __future__ import annotations

import numpy as np
from numpy import uint64

from parsearch.native.bits import clz, lowest, mul64, sub64

FILE_A = uint64(0x0101010101010101)
FILES_B_TO_G = uint64(0x7E7E7E7E7E7E7E7E)
"""Discs elsewhere are never flanked along a rank or a diagonal."""

FILE_TO_BYTE = uint64(0x0102040810204080)
"""What multiplies a-file cells so that the topmost byte holds them, rank 1 lowest; for a diagonal FILE_A does."""

HIGHEST = uint64(1 << 63)
BYTE = uint64(255)


def _ray(cell, right, up):
    """The cells from a cell on in a direction."""
    file, rank = cell % 8 + right, cell // 8 + up
    found = 0
    while 0 <= file < 8 and 0 <= rank < 8:
        found |= 1 << 8 * rank + file
        file, rank = file + right, rank + up
    return found


RAYS = np.array(
    [
        [_ray(cell, sign * right, sign * up) for sign in (1, -1) for right, up in ((1, 0), (-1, 1), (0, 1), (1, 1))]
        for cell in range(64)
    ],
    np.uint64,
)
"""The cells in each direction from a cell: four rays of higher bits, then their opposites of lower ones."""

RISING = RAYS[:, 3] | RAYS[:, 7]
FALLING = RAYS[:, 1] | RAYS[:, 5]


def _flanked(place, line):
    """How many cells of a line of eight lie between a place and the nearest of `line` on both sides."""
    below, above = line & ((1 << place) - 1), line >> place + 1
    count = place - below.bit_length() if below else 0
    return count + ((above & -above).bit_length() - 1 if above else 0)


FLANKED = np.array([[_flanked(place, line) for line in range(256)] for place in range(8)], np.int8)


def beyond_runs(mine, theirs, step):
    """Cells next to a run of `theirs` that begins next to one of `mine`, both ways along one kind of line."""
    one, two = uint64(step), uint64(2 * step)
    up = theirs & (mine << one)
    down = theirs & (mine >> one)
    up |= theirs & (up << one)
    down |= theirs & (down >> one)
    pairs = theirs & (theirs << one)
    up |= pairs & (up << two)
    down |= (pairs >> one) & (down >> two)
    up |= pairs & (up << two)
    down |= (pairs >> one) & (down >> two)
    return (up << one) | (down >> one)


def flips(mine, theirs, cell):
    """The discs of `theirs` that a disc of `mine` on a cell flanks."""
    flipped = uint64(0)
    for direction in range(4):
        ray = RAYS[cell, direction]
        end = lowest(ray & ~theirs) & mine
        flipped |= ray & (end - uint64(end != uint64(0)))  # the cells before the end
    for direction in range(4, 8):
        ray = RAYS[cell, direction]
        end = (HIGHEST >> uint64(clz((ray & ~theirs) | uint64(1)))) & mine & ray
        flipped |= ray & sub64(uint64(0), end << uint64(1))
    return flipped


def count_last_flips(mine, cell):
    """How many discs a disc of `mine` on the last empty cell flanks: every other cell that is not `mine` is theirs."""
    file, rank = cell & 7, cell >> 3
    return (
        FLANKED[file, (mine >> uint64(cell & 56)) & BYTE]
        + FLANKED[rank, mul64((mine >> uint64(file)) & FILE_A, FILE_TO_BYTE) >> uint64(56)]
        + FLANKED[file, mul64(mine & RISING[cell], FILE_A) >> uint64(56)]
        + FLANKED[file, mul64(mine & FALLING[cell], FILE_A) >> uint64(56)]
    )


def beside(cells, step):
    return (cells << uint64(step)) | (cells >> uint64(step))
