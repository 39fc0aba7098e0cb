"""Several searches of one root that cooperate through a shared table: a template like `kernel`, in front of which it
stands.

Where a node is large enough to be shared, the child that a search enters is marked as busy while it is in there. All
search the first child together; of the others each takes one that the fewest are in. Every so often a search looks
whether the others have decided a node that it is in. So marks and timing order the work; they never decide a value.
Source: ABDADA (Weill 1996), with counts, and with leaving nodes that are decided.
"""

from __future__ import annotations

from typing import Any

from numpy import int64, uint64

from parsearch.native.bits import mix64
from parsearch.native.layout import (
    ALPHA,
    BETA,
    BUSY_COUNT,
    BUSY_GENERATION_SHIFT,
    BUSY_HASH,
    BUSY_HASH_SHIFT,
    BUSY_KEY,
    BUSY_WAYS,
    MARK,
    RANK_MASK,
    SHARED,
    SLOT,
    TARGET,
)

# What the generated module defines instead.
SOLVING = True
WORDS = 1
inlined: Any = None
compare_and_swap: Any = None
play: Any = None
hashed: Any = None
probe: Any = None
number: Any = None

# ---- the generated module goes on from here ----


@inlined
def mark_keys(keys, state, moves, ply, count, remaining, salt, generation):
    """By what the children of a node are marked. At a fixed depth, a position nearer to the leaves is other work."""
    for index in range(count):
        mixed = hashed(play(state, moves[ply, index]), salt)
        if not SOLVING:
            mixed = mix64(mixed ^ uint64(remaining))
        keys[ply, index] = (mixed & BUSY_HASH) | (uint64(generation) << BUSY_GENERATION_SHIFT)


@inlined
def bucket(busy, key):
    """Where in `busy` the marks of a position begin."""
    return int64((key >> BUSY_HASH_SHIFT) & uint64(busy.size // BUSY_WAYS - 1)) * BUSY_WAYS


@inlined
def acquire(busy, key):
    """Count one more search in a position; the place of the mark, or -1 where it stays unmarked.

    That is in a full bucket, or where another process was quicker. A mark of another generation was left by a process
    that died: its place is free.
    """
    base = bucket(busy, key)
    free = int64(-1)
    seen = uint64(0)
    for place in range(base, base + BUSY_WAYS):
        word = busy[place]
        if word & BUSY_KEY == key:
            return place if compare_and_swap(busy, place, word, word + uint64(1)) else -1
        unused = word & BUSY_COUNT == uint64(0) or (word ^ key) >> BUSY_GENERATION_SHIFT != uint64(0)
        if free < 0 and unused:
            free = place
            seen = word
    if free >= 0 and not compare_and_swap(busy, free, seen, key | uint64(1)):
        free = -1
    return free


@inlined
def release(busy, place, key):
    """Take one's count out of a mark."""
    while True:
        word = busy[place]
        if word & BUSY_KEY != key or word & BUSY_COUNT == uint64(0):
            return  # a later generation has taken the place
        if compare_and_swap(busy, place, word, word - uint64(1)):
            return


@inlined
def leave(busy, keys, frames, ply, deepest):
    """Release the marks of all nodes below `ply`."""
    for lower in range(ply + 1, deepest + 1):
        if frames[lower, MARK] >= 0:
            release(busy, frames[lower, MARK], keys[lower - 1, frames[lower - 1, SLOT]])


@inlined
def least_busy(ranks, keys, busy, ply, index, count):
    """Bring to `index`, of the children from there on, the one that the fewest searches are in, of several the highest
    rank; the place of its move in the game's order."""
    top = index
    fewest = BUSY_COUNT
    for other in range(index, count):
        key = keys[ply, RANK_MASK - (ranks[ply, other] & RANK_MASK)]
        base = bucket(busy, key)
        inside = uint64(0)
        for place in range(base, base + BUSY_WAYS):
            if busy[place] & BUSY_KEY == key:
                inside += busy[place] & BUSY_COUNT
        if inside < fewest or (inside == fewest and ranks[ply, other] > ranks[ply, top]):
            top = other
            fewest = inside
    taken = ranks[ply, top]
    ranks[ply, top] = ranks[ply, index]
    ranks[ply, index] = taken
    return RANK_MASK - (taken & RANK_MASK)


@inlined
def decided(table, mask, words, frames, scores, ply, depth, generation):
    """The first node above `ply` whose window the table settles by now (`ply` if none), and what it says."""
    for above in range(ply):
        if frames[above, SHARED] and frames[above, TARGET] >= 0:
            settled, value, proven, place, _ = probe(
                table, mask, words[above, WORDS], depth - above, scores[above, ALPHA], scores[above, BETA], generation
            )
            if settled:
                return above, value, proven, place
    return ply, number(0), False, 0
