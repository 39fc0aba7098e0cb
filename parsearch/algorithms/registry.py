"""The algorithms by name, and which of them fit a game."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from parsearch.algorithms.alphabeta import alphabeta
from parsearch.algorithms.effort import Effort
from parsearch.algorithms.line import Line
from parsearch.algorithms.maxn import maxn
from parsearch.algorithms.minimax import minimax
from parsearch.algorithms.paranoid import AgainstAll
from parsearch.algorithms.pvs import pvs
from parsearch.core.errors import AlgorithmError, GameError
from parsearch.core.game import Game
from parsearch.core.window import Window


@dataclass(frozen=True, slots=True)
class Algorithm:
    """How the parallel search uses an algorithm.

    zero_sum: whether it is for zero-sum games, else for payoff tuples.
    prunes: whether it takes a window and skips what lies outside; if not it visits every position.
    null_windows: whether moves after the first are tested with a null window before they are searched.
    """

    name: str
    zero_sum: bool
    prunes: bool
    null_windows: bool = False

    def search(self, game: Game[Any, Any], state: Any, depth: int, window: Window, effort: Effort) -> Line:
        """Search one subtree; `game` is what `view` returned."""
        if self.prunes:
            return _WINDOWED[self.name](game, state, depth, window.alpha, window.beta, effort)
        return _EXHAUSTIVE[self.name](game, state, depth, effort)

    def view(self, game: Game[Any, Any], state: Any) -> Game[Any, Any]:
        """The game as the algorithm sees it from a root: itself, or for paranoid the mover against all others."""
        return AgainstAll(game, game.to_move(state)) if self.name == "paranoid" else game


# paranoid is alpha-beta on the game that `view` makes of the root.
_WINDOWED: dict[str, Callable[..., Line]] = {"alphabeta": alphabeta, "pvs": pvs, "paranoid": alphabeta}
_EXHAUSTIVE: dict[str, Callable[..., Line]] = {"minimax": minimax, "maxn": maxn}

ALGORITHMS: dict[str, Algorithm] = {
    algorithm.name: algorithm
    for algorithm in (
        Algorithm("minimax", zero_sum=True, prunes=False),
        Algorithm("alphabeta", zero_sum=True, prunes=True),
        Algorithm("pvs", zero_sum=True, prunes=True, null_windows=True),
        Algorithm("maxn", zero_sum=False, prunes=False),
        Algorithm("paranoid", zero_sum=False, prunes=True),
    )
}


def find_algorithm(game: Game[Any, Any], name: str | None = None) -> Algorithm:
    """The algorithm of that name, the game's default for None: alphabeta for zero-sum games, else maxn.

    Raises AlgorithmError where it is unknown or does not fit the game, naming those that do, and GameError
    for a zero-sum game that is not for two players.
    """
    if game.zero_sum and game.players != 2:
        raise GameError(f"{game.name} is zero sum for {game.players} players; set zero_sum=False and score by tuples")
    if name is None:
        return ALGORITHMS["alphabeta" if game.zero_sum else "maxn"]
    fitting = ", ".join(algorithm.name for algorithm in ALGORITHMS.values() if algorithm.zero_sum == game.zero_sum)
    if name not in ALGORITHMS:
        raise AlgorithmError(f"there is no algorithm {name!r}; for {game.name} use one of {fitting}")
    algorithm = ALGORITHMS[name]
    if algorithm.zero_sum != game.zero_sum:
        scores = "one number (it is zero sum)" if game.zero_sum else "a payoff for each player (it is not zero sum)"
        wants = "zero-sum games" if algorithm.zero_sum else "payoff tuples"
        raise AlgorithmError(f"{name} is for {wants}, but {game.name} scores {scores}; use one of {fitting}")
    return algorithm
