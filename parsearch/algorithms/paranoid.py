"""Paranoid: a game of many players seen as one player against all the others."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from parsearch.algorithms.alphabeta import alphabeta
from parsearch.algorithms.effort import Effort
from parsearch.algorithms.line import Line
from parsearch.core.game import Game


class AgainstAll(Game[Any, Any]):
    """The two-player zero-sum game that `player` sees who expects all others to minimise their payoff.

    Player 0 of it is `player`, player 1 is everybody else; the score is `player`'s component.
    """

    def __init__(self, game: Game[Any, Any], player: int) -> None:
        self.game = game
        self.player = player
        self.name = game.name
        self.integer = game.integer

    @property
    def is_native(self) -> bool:
        return self.game.is_native

    def initial_state(self) -> Any:
        return self.game.initial_state()

    def to_move(self, state: Any) -> int:
        return 0 if self.game.to_move(state) == self.player else 1

    def legal_moves(self, state: Any) -> Sequence[Any]:
        return self.game.legal_moves(state)

    def play(self, state: Any, move: Any) -> Any:
        return self.game.play(state, move)

    def is_terminal(self, state: Any) -> bool:
        return self.game.is_terminal(state)

    def evaluate(self, state: Any) -> float:
        score: float = self.game.evaluate(state)[self.player]
        return score

    def max_plies(self, state: Any) -> int | None:
        return self.game.max_plies(state)

    def defines(self, hook: str) -> bool:
        return hook in ("noisy_moves", "is_forced") and self.game.defines(hook)

    def noisy_moves(self, state: Any) -> Sequence[Any]:
        moves: Sequence[Any] = self.game.noisy_moves(state)  # type: ignore[attr-defined]  # a hook: see Game.defines
        return moves

    def is_forced(self, state: Any) -> bool:
        forced: bool = self.game.is_forced(state)  # type: ignore[attr-defined]  # as above
        return forced

    def format_state(self, state: Any) -> str:
        return self.game.format_state(state)

    def format_move(self, state: Any, move: Any) -> str:
        return self.game.format_move(state, move)


def paranoid(game: Game[Any, Any], state: Any, depth: int, alpha: float, beta: float, effort: Effort) -> Line:
    """What the player to move in `state` gets if all others gang up, and the line that leads there.

    The value and the window (alpha, beta) are from that player's point of view; guarantees as in `alphabeta`,
    which searches the two-player game that is left. Source: Sturtevant & Korf 2000.
    Raises Stopped when the effort runs out.
    """
    return alphabeta(AgainstAll(game, game.to_move(state)), state, depth, alpha, beta, effort)
