"""max^n: minimax for payoff tuples, where everybody looks after themselves."""

from __future__ import annotations

from typing import Any

from parsearch.algorithms.effort import Effort
from parsearch.algorithms.line import Chain, Line
from parsearch.core.game import Game


def maxn(game: Game[Any, Any], state: Any, depth: int, effort: Effort) -> Line:
    """The payoff tuple of `state` looking `depth` plies ahead, player 0 first, and the line that has it.

    Each player picks the child that is best in their own component, among equals the first in the game's
    order: ties decide the value here, so the order is never changed. Source: Luckhardt & Irani 1986.

    Raises Stopped when the effort runs out.
    """
    effort.visit()
    if depth == 0 or game.is_terminal(state):
        return effort.leaf(game, state)
    player = game.to_move(state)
    best = None
    line: Chain = None
    for move in game.legal_moves(state):
        scores, reply = maxn(game, game.play(state, move), depth - 1, effort)
        if best is None or scores[player] > best[player]:
            best, line = scores, (move, reply)
    return best, line
