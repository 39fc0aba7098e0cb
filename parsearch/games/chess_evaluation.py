"""What a chess position is worth to the player to move."""

from __future__ import annotations

from parsearch.native.bits import popcount

MATE = 100_000
"""What a mate scores, less the plies played until then. Estimates stay below half of it."""


def material(state):
    """In pawns: own pieces less the opponent's."""
    own, slant, cross, other, _, _ = state
    enemy = (slant | cross | other) & ~own
    return count(own, slant, cross, other) - count(enemy, slant, cross, other)


def count(side, slant, cross, other):
    sliders = side & ~other
    return (
        3 * popcount(sliders & slant)
        + 5 * popcount(sliders & cross)
        + popcount(sliders & slant & cross)  # the queen was counted as bishop and rook
        + popcount(side & other & slant)
        + 3 * popcount(side & other & ~slant & ~cross)
    )


def estimate(state):
    return 100 * material(state)
