"""Alpha-beta: minimax that skips what cannot matter."""

from __future__ import annotations

from typing import Any

from parsearch.algorithms.effort import Effort
from parsearch.algorithms.line import Chain, Line
from parsearch.core.game import Game


def alphabeta(game: Game[Any, Any], state: Any, depth: int, alpha: float, beta: float, effort: Effort) -> Line:
    """The minimax value of `state`, as far as the window (alpha, beta) asks for it, and the line that has it.

    Scores and window are from player 0's point of view. For the returned value v and the true value t:

    - v <= alpha:         t <= v
    - alpha < v < beta:   t == v
    - v >= beta:          t >= v

    Children in the game's order; stops as soon as alpha >= beta. Source: Knuth & Moore 1975; fail-soft
    values: Fishburn 1983. Raises Stopped when the effort runs out.
    """
    effort.visit()
    if depth == 0 or game.is_terminal(state):
        return effort.leaf(game, state), None
    maximizing = game.to_move(state) == 0
    best = None
    line: Chain = None
    for move in game.legal_moves(state):
        value, reply = alphabeta(game, game.play(state, move), depth - 1, alpha, beta, effort)
        if best is None or (value > best if maximizing else value < best):
            best, line = value, (move, reply)
        if maximizing:
            alpha = max(alpha, best)
        else:
            beta = min(beta, best)
        if alpha >= beta:
            break
    return best, line
