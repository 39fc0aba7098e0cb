"""Quiescence: beyond the depth, follow the noisy moves until the position is quiet."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from parsearch.algorithms.line import Chain, Line
from parsearch.core.game import Game

if TYPE_CHECKING:
    from parsearch.algorithms.effort import Effort

QUIESCENCE_PLIES = 64
"""Plies of noisy moves after which the estimate has to do."""


def quiesce(
    game: Game[Any, Any], state: Any, alpha: float, beta: float, effort: Effort, plies: int = QUIESCENCE_PLIES
) -> Line:
    """The value of `state` if each player may either accept its evaluation or play a noisy move, and the line.

    Where the game says `is_forced` a move has to be played. Scores, window and guarantees as in `alphabeta`.
    Selective: the value is not that of plain minimax, yet it is the same for every window that contains it. Counts the
    positions below `state`. Source: Shannon 1950, section 3; stand pat: Slate & Atkin 1977. Raises Stopped when the
    effort runs out.
    """
    line: Chain = None
    if plies == 0 or game.is_terminal(state):
        return game.evaluate(state), line
    maximizing = game.to_move(state) == 0
    best = None
    forced = game.defines("is_forced") and game.is_forced(state)  # type: ignore[attr-defined]  # a hook: see Game.defines
    if not forced:
        best = game.evaluate(state)
        if maximizing:
            alpha = max(alpha, best)
        else:
            beta = min(beta, best)
    for move in game.noisy_moves(state):  # type: ignore[attr-defined]  # as above
        if alpha >= beta:
            break
        effort.visit()
        value, reply = quiesce(game, game.play(state, move), alpha, beta, effort, plies - 1)
        if best is None or (value > best if maximizing else value < best):
            best, line = value, (move, reply)
        if maximizing:
            alpha = max(alpha, best)
        else:
            beta = min(beta, best)
    return best, line
