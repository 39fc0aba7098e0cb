"""Principal variation search: alpha-beta that expects the first move to be best and tests the others for it."""

from __future__ import annotations

from typing import Any

from parsearch.algorithms.effort import Effort
from parsearch.algorithms.line import Chain, Line
from parsearch.core.game import Game
from parsearch.core.window import just_above, just_below


def pvs(game: Game[Any, Any], state: Any, depth: int, alpha: float, beta: float, effort: Effort) -> Line:
    """The minimax value of `state`, as far as the window (alpha, beta) asks for it, and the line that has it.

    Scores, window and guarantees as in `alphabeta`. Later moves are searched with a null window, which only
    asks whether they are better than the best so far; one that is better is searched again for its value.
    Source: Marsland & Campbell 1982; with fail-soft values: Reinefeld 1983 (NegaScout).
    Raises Stopped when the effort runs out.
    """
    effort.visit()
    if depth == 0 or game.is_terminal(state):
        return effort.leaf(game, state, alpha, beta)
    maximizing = game.to_move(state) == 0
    best = None
    line: Chain = None
    for move in game.legal_moves(state):
        child = game.play(state, move)
        if best is None:
            value, reply = pvs(game, child, depth - 1, alpha, beta, effort)
        elif maximizing:
            value, reply = pvs(game, child, depth - 1, alpha, just_above(alpha, game.integer), effort)
            if alpha < value < beta:
                value, reply = pvs(game, child, depth - 1, alpha, beta, effort)
        else:
            value, reply = pvs(game, child, depth - 1, just_below(beta, game.integer), beta, effort)
            if alpha < value < beta:
                value, reply = pvs(game, child, depth - 1, alpha, beta, effort)
        if best is None or (value > best if maximizing else value < best):
            best, line = value, (move, reply)
        if maximizing:
            alpha = max(alpha, best)
        else:
            beta = min(beta, best)
        if alpha >= beta:
            break
    return best, line
