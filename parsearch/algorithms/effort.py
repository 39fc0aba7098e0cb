"""What a search spends, and what ends it early."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import Any

from parsearch.algorithms.line import Line
from parsearch.algorithms.quiescence import quiesce
from parsearch.core.game import Game


class Stopped(Exception):
    """The search has reached a limit or was told to stop; nothing that it found so far counts."""


class Effort:
    """Counts the nodes of one search and stops it at its limits.

    nodes: positions that may be visited, None for any number. seconds: wall clock from now on, None for ever.
    stop: asked at every node; True ends the search. quiescence: follow noisy moves beyond the depth.

    After a search `nodes` is what it visited, and `estimated` whether any leaf was cut off by the depth: if
    none was, the value is that of the game itself, however much deeper one searches.
    """

    def __init__(
        self,
        nodes: int | None = None,
        seconds: float | None = None,
        stop: Callable[[], bool] | None = None,
        quiescence: bool = False,
    ) -> None:
        self.nodes = 0
        self.estimated = False
        self._most = nodes
        self._deadline = None if seconds is None else time.monotonic() + seconds
        self._stop = stop
        self._quiescence = quiescence

    def visit(self) -> None:
        """Count one node. Raises Stopped where that would pass a limit."""
        if self.nodes == self._most:
            raise Stopped
        if self._deadline is not None and time.monotonic() >= self._deadline:
            raise Stopped
        if self._stop is not None and self._stop():
            raise Stopped
        self.nodes += 1

    def leaf(self, game: Game[Any, Any], state: Any, alpha: float = -math.inf, beta: float = math.inf) -> Line:
        """The score of a leaf: a terminal state's utility, or the estimate where the depth ends."""
        if not self.estimated:
            self.estimated = not game.is_terminal(state)
        if self._quiescence:
            return quiesce(game, state, alpha, beta, self)
        return game.evaluate(state), None
