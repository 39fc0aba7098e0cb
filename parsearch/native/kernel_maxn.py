"""max^n for any compiled game, without recursion: a template like `kernel`, for payoff tuples.

The order of moves is the game's at every node, because ties decide the value.
"""

from __future__ import annotations

from typing import Any

from numpy import int64

from parsearch.native.layout import (
    COUNT,
    DEPTH,
    ESTIMATED,
    FINISHED,
    INDEX,
    MAXIMIZING,
    NODES,
    OPENING,
    PLY,
    RUNNING,
    STATUS,
)

# What the generated module defines instead.
PLAYERS = 2
compiled: Any = None
load: Any = None
store: Any = None
to_move: Any = None
legal_moves: Any = None
play: Any = None
is_terminal: Any = None
evaluate: Any = None

# ---- the generated module goes on from here ----


@compiled
def run(control, words, moves, frames, payoffs, lines, lengths, limit):
    """Go on with a search until it is finished or has counted `limit` nodes, or one more. A frame's COUNT is its number
    of moves, MAXIMIZING the player to move; `payoffs` holds the best tuple so far of each ply."""
    depth = control[DEPTH]
    nodes = control[NODES]
    ply = control[PLY]
    state = load(words, ply)
    mover = frames[ply, MAXIMIZING]
    index = frames[ply, INDEX]
    count = frames[ply, COUNT]
    estimated = frames[ply, ESTIMATED] != 0
    opening = control[STATUS] == OPENING
    finished = False
    while True:
        if opening:
            opening = False
            index = 0
            lengths[ply] = 0
            mover = int64(to_move(state))
            count = int64(legal_moves(state, moves[ply]))
        if nodes >= limit:
            break
        if index < count:
            move = moves[ply, index]
            index += 1
            child = play(state, move)
            nodes += 1
            terminal = is_terminal(child)
            if not terminal and ply + 1 < depth:
                store(words, ply, state)
                frames[ply, MAXIMIZING] = mover
                frames[ply, INDEX] = index
                frames[ply, COUNT] = count
                ply += 1
                state = child
                opening = True
                continue
            estimated = estimated or not terminal
            utilities = evaluate(child)
            for player in range(PLAYERS):
                payoffs[ply + 1, player] = utilities[player]
            lengths[ply + 1] = 0
        else:
            if ply == 0:
                finished = True
                break
            ply -= 1
            state = load(words, ply)
            mover = frames[ply, MAXIMIZING]
            index = frames[ply, INDEX]
            count = frames[ply, COUNT]
        # The payoffs of the child are in the row below.
        if index == 1 or payoffs[ply + 1, mover] > payoffs[ply, mover]:
            for player in range(PLAYERS):
                payoffs[ply, player] = payoffs[ply + 1, player]
            lines[ply, 0] = moves[ply, index - 1]
            for step in range(lengths[ply + 1]):
                lines[ply, step + 1] = lines[ply + 1, step]
            lengths[ply] = lengths[ply + 1] + 1
    frames[ply, MAXIMIZING] = mover
    frames[ply, INDEX] = index
    frames[ply, COUNT] = count
    frames[ply, ESTIMATED] = estimated
    store(words, ply, state)
    control[STATUS] = FINISHED if finished else RUNNING
    control[PLY] = ply
    control[NODES] = nodes
