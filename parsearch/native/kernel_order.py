"""The order in which the kernel tries moves: a template like `kernel`, in front of which it stands."""

from __future__ import annotations

from typing import Any

from numpy import int64

from parsearch.native.layout import (
    BUCKET,
    HISTORY_LIMIT,
    HISTORY_MASK,
    KILLER,
    ORDER_SHIFT,
    RANK_MASK,
    RANK_SHIFT,
    TABLE_MOVE,
)

# What the generated module defines instead.
TABLE = SOLVING = HAS_ORDER = HAS_PLIES_LEFT = HISTORY = True
ENTRY = 1
inlined: Any = None
play: Any = None
order: Any = None
hashed: Any = None
prefetch: Any = None
plies_left: Any = None

# ---- the generated module goes on from here ----


@inlined
def weight(state, remaining):
    """How many plies a node is likely to have below it: what decides about the table and ordering."""
    return int64(plies_left(state)) if SOLVING and HAS_PLIES_LEFT else remaining


@inlined
def rank(state, moves, ranks, ply, count, place, maximizing, killers, history, table, mask, salt, probes):
    """A number for each move, the most promising highest: table move, static order, killers, history, game's order."""
    for index in range(count):
        move = moves[ply, index]
        if TABLE and probes:  # the child's entry is on its way while the others are ranked
            prefetch(table, int64(hashed(play(state, move), salt) & mask) * (BUCKET * ENTRY))
        score = int64(0)
        if HAS_ORDER:
            score = int64(order(state, move)) << ORDER_SHIFT
        if HISTORY:
            if move == killers[ply, 0]:
                score += KILLER
            elif move == killers[ply, 1]:
                score += KILLER >> 1
            score += history[int64(maximizing), move & HISTORY_MASK]
        if index == place - 1:
            score += TABLE_MOVE
        ranks[ply, index] = (score << RANK_SHIFT) | (RANK_MASK - index)


@inlined
def pick(ranks, ply, index, count):
    """Bring the highest rank of those from `index` on to `index`; the place of its move in the game's order."""
    top = index
    for other in range(index + 1, count):
        if ranks[ply, other] > ranks[ply, top]:
            top = other
    taken = ranks[ply, top]
    ranks[ply, top] = ranks[ply, index]
    ranks[ply, index] = taken
    return RANK_MASK - (taken & RANK_MASK)


@inlined
def remember(killers, history, ply, move, maximizing, remaining):
    """A move that cut off is tried early in the nodes beside this one, and wherever it is legal."""
    if move != killers[ply, 0]:
        killers[ply, 1] = killers[ply, 0]
        killers[ply, 0] = move
    side, place = int64(maximizing), move & HISTORY_MASK
    history[side, place] = min(history[side, place] + remaining * remaining, HISTORY_LIMIT)
