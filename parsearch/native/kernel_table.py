"""The kernel's dealings with the transposition table: a template like `kernel`, in front of which it stands."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy import float64, int64, uint64

from parsearch.native.bits import mix64
from parsearch.native.layout import (
    BOUND_MASK,
    BUCKET,
    DEPTH_MASK,
    DEPTH_SHIFT,
    EXACT,
    GENERATION_SHIFT,
    LOWER,
    PLACE_MASK,
    PLACE_SHIFT,
    PROVEN,
    UPPER,
    VALUE_LIMIT,
    VALUE_MASK,
)

# What the generated module defines instead.
INTEGER = SOLVING = HAS_KEY = True
ENTRY = 1
inlined: Any = None
key: Any = None

# ---- the generated module goes on from here ----


@inlined
def number(value):
    """A score as the kernel holds it."""
    return int64(value) if INTEGER else float64(value)


@inlined
def hashed(state, salt):
    """64 bits that stand for the position in the table."""
    if HAS_KEY:
        return mix64(uint64(key(state)) ^ salt)
    mixed = salt
    for word in state:
        mixed = mix64(word ^ mixed)
    return mixed


@inlined
def probe(table, mask, hashed_state, remaining, low, high, generation):
    """What the table knows of a node: whether that settles its window, the value, whether it is proven, the best move's
    place plus 1 (0 unknown), and where to store what the search will find.

    That is over its own entry, else the first of the pair unless it is deeper and of this search, else the second. It
    is chosen now, with the entries at hand, so that storing needs no further wait for memory. What earlier searches
    left is not used: the same search shall visit the same nodes again.
    """
    base = int64(hashed_state & mask) * (BUCKET * ENTRY)
    place = 0
    target = base
    for entry in range(BUCKET):
        data = table[base + 1]
        check = table[base] ^ data
        if not INTEGER:
            check ^= table[base + 2]
        depth = int64(data >> DEPTH_SHIFT) & DEPTH_MASK
        current = int64(data >> GENERATION_SHIFT) == generation
        if current and check == hashed_state and data != uint64(0):
            place = int64(data >> PLACE_SHIFT) & PLACE_MASK
            proven = (data & PROVEN) != uint64(0)
            # At a fixed depth only what plain minimax would find there: the same depth, or a tree that ended within it.
            if (SOLVING and proven) or depth == min(remaining, DEPTH_MASK) or (proven and depth < remaining):
                if INTEGER:  # noqa: SIM108 the branches have different types, of which one is left
                    value = int64(np.int32(data & VALUE_MASK))
                else:
                    value = table[base + 2 : base + 3].view(np.float64)[0]
                bound = data & BOUND_MASK
                if bound == EXACT or (bound == LOWER and value >= high) or (bound == UPPER and value <= low):
                    return True, value, proven, place, base
            return False, number(0), False, place, base
        if entry == 0 and depth > remaining and current:
            target = base + ENTRY
        base += ENTRY
    return False, number(0), False, place, target


@inlined
def record(table, base, hashed_state, remaining, value, low, high, place, proven, generation):
    """Store a finished node where `probe` said; the data of its entry, 0 where it has none."""
    if INTEGER and not -VALUE_LIMIT <= value < VALUE_LIMIT:
        return uint64(0)
    bound = EXACT
    if value <= low:
        bound = UPPER
    elif value >= high:
        bound = LOWER
    if place > PLACE_MASK:
        place = 0
    data = (
        bound
        | (uint64(place) << PLACE_SHIFT)
        | (uint64(min(remaining, DEPTH_MASK)) << DEPTH_SHIFT)
        | (uint64(generation) << GENERATION_SHIFT)
    )
    if proven:
        data |= PROVEN
    if INTEGER:
        data |= uint64(value) & VALUE_MASK
        table[base] = hashed_state ^ data
    else:
        table[base + 2 : base + 3].view(np.float64)[0] = value
        table[base] = hashed_state ^ data ^ table[base + 2]
    table[base + 1] = data
    return data
