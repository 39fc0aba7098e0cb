"""Many searches in turn, a node each a round: a template like `kernel`, behind which it stands."""

from __future__ import annotations

from typing import Any

from parsearch.native.layout import FINISHED, NODES, SINCE, STATUS

# What the generated module defines instead.
compiled: Any = None
run: Any = None

# ---- the generated module goes on from here ----


@compiled
def rounds(
    control, words, moves, frames, scores, ranks, lines, lengths, killers, history, keys, log, table, busy, salt,
    begin, end,
):  # fmt: skip
    """Rounds `begin` + 1 to `end`, or to the one in which the first search finishes; the last round that was run.

    A step may count more than a node: the search then waits until the others have had as many.
    """
    clock = begin
    finished = False
    while clock < end and not finished:
        clock += 1
        for slot in range(control.shape[0]):
            nodes = clock - control[slot, SINCE]
            if control[slot, STATUS] != FINISHED and control[slot, NODES] < nodes:
                run(
                    control[slot], words[slot], moves[slot], frames[slot], scores[slot], ranks[slot], lines[slot],
                    lengths[slot], killers[slot], history[slot], keys[slot], log[slot], table, busy, salt,
                    nodes,
                )  # fmt: skip
                finished = finished or control[slot, STATUS] == FINISHED
    return clock
