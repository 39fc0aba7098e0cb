"""Exact solving at the root: null-window tests until a value, and the first move that has it, are proven."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from parsearch.algorithms import Algorithm
from parsearch.core.errors import GameError
from parsearch.core.game import Game
from parsearch.core.window import Window
from parsearch.parallel.branch import Place, chance_to_cut
from parsearch.parallel.split import RootBranches
from parsearch.parallel.task import Outcome, Task, blaming, state_text


class Proof(RootBranches):
    """The value to the end of a zero-sum game with integer scores, as a sequence of yes-or-no questions.

    Each task asks of one root move whether it is worth at least a threshold; what comes back bounds its value. The
    threshold follows the values that return (MTD(f): Plaat, Schaeffer, Pijls & de Bruin 1996), starting at `guess`.
    Once least and greatest possible value meet, the moves before the one that has it are asked the same, and the
    first that answers yes is the move.
    """

    def __init__(
        self, game: Game[Any, Any], state: Any, depth: int, algorithm: Algorithm, guess: float = 0, first: int = 0
    ) -> None:
        super().__init__(game, state, depth, algorithm)
        with blaming(game, state):
            for branch in self.branches if game.defines("bounds") else ():
                branch.least, branch.most = game.bounds(branch.state)  # type: ignore[attr-defined]  # a hook
            self._order = sorted(
                range(len(self.moves)), key=lambda index: (index != first, -self._promise(index), index)
            )
        self._guess = guess

    def _promise(self, index: int) -> int:
        if not self.game.defines("order"):
            return 0
        promise: int = self.game.order(self.state, self.moves[index])  # type: ignore[attr-defined]  # a hook
        return promise

    def _bounds(self) -> tuple[list[float], list[float]]:
        moves = range(len(self.moves))
        return [self._least(index) for index in moves], [self._most(index) for index in moves]

    def _threshold(self) -> float:
        """What the tests ask for now: the value itself once it is known."""
        least, most = map(max, self._bounds())
        if least == most:
            return least
        guess = min(max(self._guess, least), most)
        return guess + 1 if guess == least else guess

    def _open(self) -> list[int]:
        least, most = self._bounds()
        threshold = self._threshold()
        unknown = [index for index in self._order if least[index] < threshold <= most[index]]
        if max(least) < threshold:
            return sorted(unknown, key=lambda index: -least[index])
        first = least.index(threshold)
        return sorted(index for index in unknown if index < first)

    def _window(self, index: int) -> Window:  # noqa: ARG002 - all moves are asked the same
        threshold = self._threshold()
        return Window(threshold - 1, threshold)

    def _asked(self) -> Iterator[tuple[int, Place]]:
        (least, most), threshold = self._bounds(), self._threshold()
        cuts = max(least) < threshold <= self._guess  # once the value is known, the moves before are likely to fail
        failed = sum(top < threshold and nodes > 0 for top, (nodes, *_) in zip(most, self._effort, strict=True))
        need = 1.0
        for tested, index in enumerate(self._open(), start=failed):
            yield index, Place(self._view(self._window(index)), need, cuts=tested > 0 or not cuts)
            need *= 1 - chance_to_cut(cuts, tested)

    def wanted(self, task: Task) -> Window | None:
        window = super().wanted(task)
        return window if window == task.window else None  # another threshold is another question

    def add(self, task: Task, outcome: Outcome) -> None:
        index = task.path[0]
        before = self._least(index)
        super().add(task, outcome)
        least, most = self._least(index), self._most(index)
        if least > before:
            self._guess = max(self._guess, least)
        if least > most:
            raise GameError(
                f"{self.game.name} is worth at least {least:g} and at most {most:g} to the mover at "
                f"{state_text(self.game, self.branches[index].state)}: its bounds exclude the value; mend bounds "
                "(parsearch.check_game finds the position)"
            )

    def best(self) -> int | None:
        least, _ = self._bounds()
        return None if max(least) == -float("inf") else least.index(max(least))
