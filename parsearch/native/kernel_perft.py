"""Counting move sequences of any compiled game: a template like `kernel`."""

from __future__ import annotations

from typing import Any

from parsearch.native.layout import COUNT, DEPTH, FINISHED, INDEX, NODES, OPENING, PLAYER, PLY, RUNNING, STATUS

# What the generated module defines instead.
compiled: Any = None
load: Any = None
store: Any = None
legal_moves: Any = None
play: Any = None
is_terminal: Any = None

# ---- the generated module goes on from here ----


@compiled
def run(control, words, moves, frames, limit):
    """Count on until finished, or NODES, whole sequences, pass `limit`. PLAYER counts games that ended before."""
    depth = control[DEPTH]
    nodes = control[NODES]
    ended = control[PLAYER]
    ply = control[PLY]
    state = load(words, ply)
    index = frames[ply, INDEX]
    count = frames[ply, COUNT]
    opening = control[STATUS] == OPENING
    finished = False
    while nodes < limit:
        if opening:
            opening = False
            index = 0
            count = legal_moves(state, moves[ply])
        if index < count and ply == depth - 1:
            nodes += count  # every legal move makes one sequence: the last ply need not be played
            index = count
        elif index < count:
            child = play(state, moves[ply, index])
            index += 1
            if is_terminal(child):
                ended += 1
            else:
                store(words, ply, state)
                frames[ply, INDEX] = index
                frames[ply, COUNT] = count
                ply += 1
                state = child
                opening = True
        elif ply == 0:
            finished = True
            break
        else:
            ply -= 1
            state = load(words, ply)
            index = frames[ply, INDEX]
            count = frames[ply, COUNT]
    frames[ply, INDEX] = index
    frames[ply, COUNT] = count
    store(words, ply, state)
    control[STATUS] = FINISHED if finished else (OPENING if opening else RUNNING)
    control[PLY] = ply
    control[NODES] = nodes
    control[PLAYER] = ended
