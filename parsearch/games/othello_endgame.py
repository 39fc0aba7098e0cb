"""The last empty cells of an Othello game, played out without the kernel's stack; compiled with `othello`.

Values are the final scores for the owner of `mine`, who is to move, as exactly as the window (low, high) asks.
"""

from __future__ import annotations

from numpy import int64, uint64

from parsearch.games.othello_board import count_last_flips, flips
from parsearch.native.bits import ctz, drop_lowest, lowest, popcount

QUARTERS = tuple(uint64(0x0F0F0F0F << shift) for shift in (0, 4, 32, 36))


def odd_quarters(empty):
    """The quarters of the board that hold an odd number of these cells."""
    odd = uint64(0)
    for quarter in QUARTERS:
        if popcount(empty & quarter) & 1:
            odd |= quarter
    return odd


def difference(mine, theirs, left):
    """What a game that ends with so many cells left empty is worth: they go to the winner."""
    lead = popcount(mine) - popcount(theirs)
    if lead > 0:
        return lead + left
    return lead - left if lead < 0 else 0


def last_one(mine, theirs, cell):
    lead = popcount(mine) - popcount(theirs)
    flipped = int64(count_last_flips(mine, cell))
    if flipped > 0:
        return lead + 2 * flipped + 1
    flipped = int64(count_last_flips(theirs, cell))
    if flipped > 0:
        return lead - 2 * flipped - 1
    return lead + 1 if lead > 0 else lead - 1  # an odd number of discs is never shared evenly


def last_two(mine, theirs, empty, low, high):
    for sign in (1, -1):  # the player to move, and after a pass the other
        best = -65
        cells = empty
        while cells != uint64(0) and best < high:
            disc = lowest(cells)
            cells = drop_lowest(cells)
            flipped = flips(mine, theirs, ctz(disc))
            if flipped != uint64(0):
                best = max(best, -last_one(theirs & ~flipped, mine | flipped | disc, ctz(empty ^ disc)))
        if best >= -64:
            return sign * best
        mine, theirs, low, high = theirs, mine, -high, -low
    return difference(mine, theirs, 2)


# The two that follow differ in the one they call: a function that is given the other would not be kept on disk.


def last_three(mine, theirs, empty, low, high):
    """Odd quarters first, as in `sufficient_moves`."""
    odd = odd_quarters(empty)
    for sign in (1, -1):
        best = -65
        cells = empty
        while cells != uint64(0) and best < high:
            disc = lowest(cells & odd if cells & odd != uint64(0) else cells)
            cells ^= disc
            flipped = flips(mine, theirs, ctz(disc))
            if flipped != uint64(0):
                value = last_two(theirs & ~flipped, mine | flipped | disc, empty ^ disc, -high, -max(low, best))
                best = max(best, -value)
        if best >= -64:
            return sign * best
        mine, theirs, low, high = theirs, mine, -high, -low
    return difference(mine, theirs, 3)


def last_four(mine, theirs, empty, low, high):
    odd = odd_quarters(empty)
    for sign in (1, -1):
        best = -65
        cells = empty
        while cells != uint64(0) and best < high:
            disc = lowest(cells & odd if cells & odd != uint64(0) else cells)
            cells ^= disc
            flipped = flips(mine, theirs, ctz(disc))
            if flipped != uint64(0):
                value = last_three(theirs & ~flipped, mine | flipped | disc, empty ^ disc, -high, -max(low, best))
                best = max(best, -value)
        if best >= -64:
            return sign * best
        mine, theirs, low, high = theirs, mine, -high, -low
    return difference(mine, theirs, 4)
