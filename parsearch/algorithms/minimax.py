"""Plain minimax: the textbook rule that every other search here has to agree with."""

from __future__ import annotations

from typing import Any

from parsearch.algorithms.effort import Effort
from parsearch.algorithms.line import Chain, Line
from parsearch.core.game import Game


def minimax(game: Game[Any, Any], state: Any, depth: int, effort: Effort) -> Line:
    """The value of `state` looking `depth` plies ahead, from player 0's point of view, and the line that has it.

    Player 0 (MAX) picks the greatest value, player 1 (MIN) the least; among equals the first in the game's
    order. Visits every position within the depth. Source: Shannon 1950; Russell & Norvig, AIMA, section 5.2.

    Raises Stopped when the effort runs out.
    """
    effort.visit()
    if depth == 0 or game.is_terminal(state):
        return effort.leaf(game, state)
    maximizing = game.to_move(state) == 0
    best = None
    line: Chain = None
    for move in game.legal_moves(state):
        value, reply = minimax(game, game.play(state, move), depth - 1, effort)
        if best is None or (value > best if maximizing else value < best):
            best, line = value, (move, reply)
    return best, line
