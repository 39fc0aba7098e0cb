"""Alpha-beta at the root: one move first, then its brothers with the bound that it set."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from parsearch.algorithms import Algorithm
from parsearch.core.game import Game
from parsearch.core.window import Window, just_above, just_below
from parsearch.parallel.branch import Place
from parsearch.parallel.split import Answer, RootBranches, most_promising_first
from parsearch.parallel.task import Outcome, Task


class EldestFirst(RootBranches):
    """The first best move and its value, at a fixed depth.

    `last` is what the iteration before found: its best move is the eldest, and the others follow in the order of the
    values and the effort that they had there. Ties: a move that stands before the current best is searched with alpha
    just below the best value, a later one with alpha at the best value, and what comes back is compared with the best
    of that moment. So the answer is the first of the best moves whatever the order of completion.
    """

    def __init__(
        self, game: Game[Any, Any], state: Any, depth: int, algorithm: Algorithm, last: Answer | None = None
    ) -> None:
        super().__init__(game, state, depth, algorithm)
        self._order = list(range(len(self.moves))) if last is None else most_promising_first(last)
        self._best: int | None = None

    def _open(self) -> list[int]:
        return [i for i in self._order if i != self._best and not self.branches[i].settles(self._view(self._window(i)))]

    def _window(self, index: int) -> Window:
        if self._best is None:
            return Window()
        value = self._least(self._best)
        alpha = just_below(value, self.game.integer) if index < self._best else value
        if self.algorithm.null_windows and self._least(index) <= alpha:
            return Window(alpha, just_above(alpha, self.game.integer))
        return Window(alpha)

    def _asked(self) -> Iterator[tuple[int, Place]]:
        for index in self._open():
            yield index, Place(self._view(self._window(index)), need=1.0, cuts=True)
            if self._best is None:
                return

    def add(self, task: Task, outcome: Outcome) -> None:
        super().add(task, outcome)
        index = task.path[0]
        if self._least(index) == self._most(index) and self._beats_best(index):
            self._best = index

    def _beats_best(self, index: int) -> bool:
        if self._best is None:
            return True
        value, best = self._least(index), self._least(self._best)
        return value > best or (value == best and index < self._best)

    def best(self) -> int | None:
        return self._best
