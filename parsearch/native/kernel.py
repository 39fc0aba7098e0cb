"""The kernel: minimax, alpha-beta, principal variation search and paranoid for any compiled game, without recursion.

This file is a template. `build` writes a module for one game and one choice of features: the game's functions, the
features as constants, `load` and `store` for its number of words, and the text of this file (before it that of
`kernel_table`) below the line. Numba drops
the branches of a feature that is switched off, so that what a search does not use costs nothing.

The tree is walked negamax fashion: the scores of a node are in the view of its mover. `alpha`, `beta` and `best` keep
the guarantees of `algorithms.alphabeta`. A search lives in arrays and can be left after any node and resumed.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy import int64, uint64

from parsearch.native.layout import (
    AGAIN,
    ALPHA,
    BEGUN,
    BEST,
    BEST_SLOT,
    BETA,
    BUCKET,
    COUNT,
    CUT,
    DEEPEST,
    DEPTH,
    ESTIMATED,
    FINISHED,
    GENERATION,
    INDEX,
    JOINT_DEPTH,
    MARK,
    MAXIMIZING,
    NODES,
    OPENING,
    PLAYER,
    PLY,
    POLL,
    POLLED,
    RANKED,
    RUNNING,
    SENT,
    SHARED,
    SLOT,
    START,
    STATUS,
    TARGET,
    TESTED,
    WORTH,
)

# What the generated module defines instead.
INTEGER = PRUNES = TESTS = TABLE = ORDERED = QUIESCENCE = SOLVING = JOINT = VECTOR = True
HAS_KEY = HAS_ORDER = HAS_BOUNDS = HAS_BOUNDS_WITHIN = HAS_SUFFICIENT_MOVES = HAS_PLIES_LEFT = HISTORY = True
HAS_IS_FORCED = True
WORDS = MAX_MOVES = TABLE_DEPTH = ORDER_DEPTH = ENTRY = INFINITY = 1
inlined: Any = None
compiled: Any = None
load: Any = None
store: Any = None
to_move: Any = None
legal_moves: Any = None
play: Any = None
is_terminal: Any = None
evaluate: Any = None
hashed: Any = None
probe: Any = None
record: Any = None
logged: Any = None
number: Any = None
weight: Any = None
rank: Any = None
pick: Any = None
remember: Any = None
mark_key: Any = None
acquire: Any = None
divides: Any = None
release: Any = None
leave: Any = None
least_busy: Any = None
decided: Any = None
bounds: Any = None
bounds_within: Any = None
noisy_moves: Any = None
is_forced: Any = None
prefetch: Any = None
sufficient_moves: Any = None

# ---- the generated module goes on from here ----


@inlined
def just_above(value):
    return value + 1 if INTEGER else np.nextafter(value, np.inf)


@inlined
def just_below(value):
    return value - 1 if INTEGER else np.nextafter(value, -np.inf)


@inlined
def utility(state, maximizing, player):
    """The score of a leaf in the view of the node above, which maximises `player`'s payoff or minimises it."""
    score = number(evaluate(state)[player]) if VECTOR else number(evaluate(state))
    return score if maximizing else 0 - score


@inlined
def limits(state, low, high, maximizing):
    """What the value to the end of the game cannot be less and not be more than, all in the view of the mover."""
    if not maximizing:
        low, high = 0 - high, 0 - low
    least, most = bounds_within(state, low, high) if HAS_BOUNDS_WITHIN else bounds(state)
    least, most = number(least), number(most)
    return (least, most) if maximizing else (0 - most, 0 - least)


@inlined
def frontier(state, moves, lines, ply, low, high, maximizing, player, estimated):
    """A node whose children are leaves: its value, nodes below it, whether any was estimated. Its best move goes to
    `lines`.

    The same as opening the node, without a stack frame. It makes up most of any tree.
    """
    best = number(-INFINITY)
    nodes = 0
    count = legal_moves(state, moves[ply])
    for index in range(count):
        move = moves[ply, index]
        leaf = play(state, move)
        nodes += 1
        if not SOLVING and not estimated:
            estimated = not is_terminal(leaf)
        value = utility(leaf, maximizing, player)
        if TESTS and index > 0 and low < value < high:
            nodes += 1  # tested, then searched again
        if value > best:
            best = value
            lines[ply, 0] = move
            if PRUNES:
                if value > low:
                    low = value
                if low >= high:
                    break
    return best, nodes, estimated


@compiled
def run(
    control, words, moves, frames, scores, ranks, lines, lengths, killers, history, keys, log, table, busy, salt, limit
):  # fmt: skip
    """Go on with a search until it is finished or has counted `limit` nodes, or a few more."""
    player = control[PLAYER]
    depth = control[DEPTH]
    generation = control[GENERATION]
    nodes = control[NODES]
    mask = uint64(table.size // (BUCKET * ENTRY) - 1)
    last_ply = words.shape[0] - 1
    ply = control[PLY]
    remaining = depth - ply
    state = load(words, ply)
    maximizing = frames[ply, MAXIMIZING] != 0
    index = frames[ply, INDEX]
    count = frames[ply, COUNT]
    slot = frames[ply, SLOT]
    best_slot = frames[ply, BEST_SLOT]
    ranked = frames[ply, RANKED] != 0
    again = frames[ply, AGAIN] != 0
    estimated = frames[ply, ESTIMATED] != 0
    alpha = scores[ply, ALPHA]
    beta = scores[ply, BETA]
    best = scores[ply, BEST]
    opening = control[STATUS] == OPENING
    polled = control[POLLED]
    if TABLE and ply == 0 and opening:
        words[0, WORDS] = hashed(state, salt)
    if JOINT:
        leave(busy, keys, frames, ply, control[DEEPEST])  # where the window was narrowed meanwhile
    finished = False
    while True:
        if opening:  # a new node: state, maximizing, alpha and beta are set
            opening = False
            index = 0
            best = number(-INFINITY)
            best_slot = MAX_MOVES
            lengths[ply] = 0
            if PRUNES:
                scores[ply, START] = alpha
            if QUIESCENCE and remaining <= 0:
                estimated = True
                if not (HAS_IS_FORCED and is_forced(state)):
                    best = utility(state, maximizing, player)
                    if best > alpha:
                        alpha = best
                count = noisy_moves(state, moves[ply]) if not PRUNES or alpha < beta else 0
            elif SOLVING and HAS_SUFFICIENT_MOVES and ply > 0:
                count = sufficient_moves(state, moves[ply])
            else:
                count = legal_moves(state, moves[ply])
            place = 0
            if TABLE:
                frames[ply, TARGET] = -1
                # A forced move is not worth an entry: the node below it has one. At the root only the move is wanted.
                if weight(state, remaining) >= TABLE_DEPTH and count > 1:
                    settled, value, proven, place, target = probe(
                        table, mask, words[ply, WORDS], remaining, alpha, beta, generation
                    )
                    if settled and ply > 0:
                        best = value
                        estimated = not proven
                        count = 0
                    else:
                        frames[ply, TARGET] = target
            if ORDERED:
                ranked = weight(state, remaining) >= ORDER_DEPTH and count > 1
                if ranked:
                    probes = weight(state, remaining) > TABLE_DEPTH
                    rank(
                        state, moves, ranks, ply, count, place, maximizing, killers, history, table, mask, salt, probes
                    )
            if JOINT:
                shared = weight(state, remaining) >= control[JOINT_DEPTH]
                frames[ply, SHARED] = shared
                if shared:
                    frames[ply, BEGUN] = nodes
                    for place in range(count):
                        keys[ply, place] = 0
        if JOINT and nodes >= polled:
            polled = nodes + POLL
            above, value, proven, place = decided(table, mask, words, frames, scores, ply, depth, generation)
            if above < ply:  # others have found what this node was to find: it is finished, what lies below it is left
                leave(busy, keys, frames, above, ply)
                ply = above
                remaining = depth - ply
                state = load(words, ply)
                maximizing = frames[ply, MAXIMIZING] != 0
                alpha = scores[ply, ALPHA]
                beta = scores[ply, BETA]
                best = scores[ply, BEST]
                best_slot = frames[ply, BEST_SLOT]
                estimated = not proven
                if value > best:
                    best = value
                    best_slot = place - 1 if place > 0 else MAX_MOVES
                    lengths[ply] = min(place, 1)
                    lines[ply, 0] = moves[ply, max(place - 1, 0)]
                frames[ply, TARGET] = -1
                index = count = 0
                again = False
        if nodes >= limit:
            break
        if (index < count or (TESTS and again)) and (not PRUNES or alpha < beta):
            # The next child, or the same one again with its full window.
            if not (TESTS and again):
                if JOINT and divides(frames, keys, busy, ply, index):
                    slot = least_busy(
                        state, moves, ranks, keys, busy, ply, index, count, remaining - 1, salt, generation
                    )
                else:
                    slot = pick(ranks, ply, index, count) if ORDERED and ranked else index
                index += 1
            child = play(state, moves[ply, slot])
            nodes += 1
            low, high = alpha, beta
            if ORDERED and ply == 0 and slot < best_slot < MAX_MOVES:
                low = just_below(alpha)  # before the best so far in the game's order: it wins a tie
            tested = False
            if TESTS:
                tested = index > 1 and not again
                again = False
                if tested:
                    scores[ply, SENT] = low
                    high = just_above(low)
            length = 0
            if is_terminal(child):
                value = utility(child, maximizing, player)
            elif remaining <= 1 and (not QUIESCENCE or ply + 1 == last_ply):
                value = utility(child, maximizing, player)
                estimated = True
            else:
                below = to_move(child) == player
                if PRUNES and below != maximizing:
                    low, high = 0 - high, 0 - low
                settled = False
                value = best
                if SOLVING and (HAS_BOUNDS or HAS_BOUNDS_WITHIN):
                    least, most = limits(child, low, high, below)
                    if most <= low or least == most:
                        settled, value = True, most
                    elif least >= high:
                        settled, value = True, least
                    low, high = max(low, least), min(high, most)
                if not settled and remaining == 2 and not QUIESCENCE:
                    value, visited, estimated = frontier(
                        child, moves, lines, ply + 1, low, high, below, player, estimated
                    )
                    nodes += visited
                    length = 1
                elif not settled:
                    store(words, ply, state)
                    frames[ply, MAXIMIZING] = maximizing
                    frames[ply, INDEX] = index
                    frames[ply, COUNT] = count
                    if TABLE or ORDERED:
                        frames[ply, SLOT] = slot
                        frames[ply, BEST_SLOT] = best_slot
                        frames[ply, RANKED] = ranked
                        frames[ply, ESTIMATED] = estimated
                    if TESTS:
                        frames[ply, TESTED] = tested
                    scores[ply, ALPHA] = alpha
                    scores[ply, BETA] = beta
                    scores[ply, BEST] = best
                    ply += 1
                    remaining -= 1
                    state, maximizing, alpha, beta = child, below, low, high
                    if TABLE:
                        estimated = False
                        if weight(state, remaining) >= TABLE_DEPTH:
                            words[ply, WORDS] = hashed(state, salt)
                            prefetch(table, int64(words[ply, WORDS] & mask) * (BUCKET * ENTRY))
                    if JOINT and frames[ply - 1, SHARED]:
                        frames[ply, CUT] = index > 1 or frames[ply - 1, CUT] == 0
                        keys[ply - 1, slot] = mark_key(hashed(state, salt), remaining, generation)
                        frames[ply, MARK] = acquire(busy, keys[ply - 1, slot])
                    opening = True
                    continue
                if below != maximizing:
                    value = 0 - value
        else:
            # The node is finished: its value goes to the one above.
            if TABLE and frames[ply, TARGET] >= 0:
                data = record(
                    table, frames[ply, TARGET], words[ply, WORDS], remaining, best, scores[ply, START], beta,
                    best_slot + 1, not estimated, generation,
                )  # fmt: skip
                if JOINT and frames[ply, SHARED] and nodes - frames[ply, BEGUN] >= control[WORTH]:
                    logged(log, control, words[ply, WORDS], data, best)
            if ply == 0:
                finished = True
                break
            value = best
            below = maximizing
            length = lengths[ply]
            ply -= 1
            if JOINT and frames[ply, SHARED]:
                release(busy, frames[ply + 1, MARK], keys[ply, frames[ply, SLOT]])
            remaining += 1
            state = load(words, ply)
            maximizing = frames[ply, MAXIMIZING] != 0
            index = frames[ply, INDEX]
            count = frames[ply, COUNT]
            slot = index - 1
            if TABLE or ORDERED:
                slot = frames[ply, SLOT]
                best_slot = frames[ply, BEST_SLOT]
                ranked = frames[ply, RANKED] != 0
                estimated = estimated or frames[ply, ESTIMATED] != 0
            if TESTS:
                tested = frames[ply, TESTED] != 0
            alpha = scores[ply, ALPHA]
            beta = scores[ply, BETA]
            best = scores[ply, BEST]
            if below != maximizing:
                value = 0 - value
        # A child's value is known, in the view of this node.
        if TESTS and tested and scores[ply, SENT] < value < beta:
            again = True  # better than the test asked: how much better?
            continue
        if value > best or (ORDERED and ply == 0 and value == best and best == alpha and slot < best_slot):
            best = value
            best_slot = slot
            lines[ply, 0] = moves[ply, slot]
            for step in range(length):
                lines[ply, step + 1] = lines[ply + 1, step]
            lengths[ply] = length + 1
            if value > alpha:
                alpha = value
            if HISTORY and ORDERED and alpha >= beta and ranked:
                remember(killers, history, ply, moves[ply, slot], maximizing, remaining)
    frames[ply, MAXIMIZING] = maximizing
    frames[ply, INDEX] = index
    frames[ply, COUNT] = count
    frames[ply, SLOT] = slot
    frames[ply, BEST_SLOT] = best_slot
    frames[ply, RANKED] = ranked
    frames[ply, AGAIN] = again
    frames[ply, ESTIMATED] = estimated
    scores[ply, ALPHA] = alpha
    scores[ply, BETA] = beta
    scores[ply, BEST] = best
    store(words, ply, state)
    control[STATUS] = FINISHED if finished else RUNNING
    control[PLY] = control[DEEPEST] = ply
    control[POLLED] = polled
    control[NODES] = nodes
