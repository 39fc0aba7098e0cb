"""Several searches of one root that cooperate through a shared table: a template like `kernel`, in front of which it
stands.

Where a node is large enough to be shared, the child that a search enters is marked as busy while it is in there. All
search the first child together; of the others each takes one that the fewest are in. Every so often a search looks
whether the others have decided a node that it is in. So marks and timing order the work; they never decide a value.
Source: ABDADA (Weill 1996), and leaving nodes that are decided.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy import int64, uint64

from parsearch.native.bits import mix64
from parsearch.native.layout import (
    ALPHA,
    BETA,
    BUSY_GENERATION_SHIFT,
    BUSY_HASH,
    BUSY_WAYS,
    CUT,
    LOGGED,
    MARK,
    RANK_MASK,
    SHARED,
    SLOT,
    START,
    STRICT,
    TARGET,
)

# What the generated module defines instead.
SOLVING = True
INTEGER = True
WORDS = 1
inlined: Any = None
play: Any = None
hashed: Any = None
probe: Any = None
number: Any = None
just_above: Any = None

# ---- the generated module goes on from here ----


@inlined
def mark_key(hashed_state, remaining, generation):
    """By what a position is marked. At a fixed depth, the same position nearer to the leaves is other work."""
    mixed = hashed_state if SOLVING else mix64(hashed_state ^ uint64(remaining))
    return (mixed & BUSY_HASH) | (uint64(generation) << BUSY_GENERATION_SHIFT)


@inlined
def bucket(busy, key):
    """Where in `busy` the marks of a position begin."""
    return int64(key & uint64(busy.size // BUSY_WAYS - 1)) * BUSY_WAYS


@inlined
def acquire(busy, key):
    """Mark a position as entered; the place of the mark, or -1 where the bucket is full.

    What another generation left there, by a process that died, is free. Without an atomic operation, which would wait
    for every write to the table: of two processes that take a place at once, one stays unmarked.
    """
    base = bucket(busy, key)
    for place in range(base, base + BUSY_WAYS):
        if busy[place] == uint64(0) or (busy[place] ^ key) >> BUSY_GENERATION_SHIFT != uint64(0):
            busy[place] = key
            return place
    return -1


@inlined
def release(busy, place, key):
    """Take one's mark away, if it is there."""
    if place >= 0 and busy[place] == key:
        busy[place] = uint64(0)


@inlined
def searches_in(busy, key):
    """How many searches are in a position, as far as it was marked."""
    base = bucket(busy, key)
    inside = 0
    for place in range(base, base + BUSY_WAYS):
        inside += busy[place] == key
    return inside


@inlined
def leave(busy, keys, frames, ply, deepest):
    """Release the marks of all nodes below `ply`."""
    for lower in range(ply + 1, deepest + 1):
        if frames[lower - 1, SHARED]:
            release(busy, frames[lower, MARK], keys[lower - 1, frames[lower - 1, SLOT]])


@inlined
def divides(frames, keys, busy, ply, index):
    """Whether a node's searches take different moves from here on: not the first ones, and not where only one is in."""
    if frames[ply, SHARED] == 0 or index < (STRICT if frames[ply, CUT] else 1):
        return False
    return ply == 0 or searches_in(busy, keys[ply - 1, frames[ply - 1, SLOT]]) > 1


@inlined
def least_busy(state, moves, ranks, keys, busy, ply, index, count, remaining, salt, generation):
    """Bring to `index`, of the children from there on, the one that the fewest searches are in, of several the highest
    rank; the place of its move in the game's order.

    remaining: plies left below the children.
    """
    top = index
    fewest = BUSY_WAYS + 1
    for other in range(index, count):
        slot = RANK_MASK - (ranks[ply, other] & RANK_MASK)
        if keys[ply, slot] == uint64(0):
            keys[ply, slot] = mark_key(hashed(play(state, moves[ply, slot]), salt), remaining, generation)
        inside = searches_in(busy, keys[ply, slot])
        if inside < fewest or (inside == fewest and ranks[ply, other] > ranks[ply, top]):
            top = other
            fewest = inside
    taken = ranks[ply, top]
    ranks[ply, top] = ranks[ply, index]
    ranks[ply, index] = taken
    return RANK_MASK - (taken & RANK_MASK)


@inlined
def decided(table, mask, words, frames, scores, ply, depth, generation):
    """The first node above `ply` whose window the table settles by now (`ply` if none), and what it says.

    Not the root where the first of several best moves is wanted: the table knows one.
    """
    for above in range(0 if scores[0, BETA] <= just_above(scores[0, START]) else 1, ply):
        if frames[above, SHARED] and frames[above, TARGET] >= 0:
            settled, value, proven, place, _ = probe(
                table, mask, words[above, WORDS], depth - above, scores[above, ALPHA], scores[above, BETA], generation
            )
            if settled:
                return above, value, proven, place
    return ply, number(0), False, 0


@inlined
def logged(log, control, hashed_state, data, value):
    """Write a finished node to the log, by which other tables learn of it; not where that is full."""
    row = control[LOGGED]
    if data != uint64(0) and row < log.shape[0]:
        log[row, 0] = hashed_state
        log[row, 1] = data
        if not INTEGER:
            log[row, 2:3].view(np.float64)[0] = value
        control[LOGGED] = row + 1
