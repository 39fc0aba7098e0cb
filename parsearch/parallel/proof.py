"""Null-window tests at the root, until a value, and the first move that has it, are proven."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from parsearch.algorithms import Algorithm
from parsearch.core.errors import GameError
from parsearch.core.game import Game, score_for
from parsearch.core.window import Bound, Window
from parsearch.parallel.branch import Place, chance_to_cut, most_promising
from parsearch.parallel.split import Answer, RootBranches, most_promising_first
from parsearch.parallel.task import Outcome, Task, blaming, state_text

NEXT_CHANCE = 0.5
"""That a test is passed, for want of knowing: nodes that have nothing better to do ask what follows either way."""


class Proof(RootBranches):
    """The value of a zero-sum game with integer scores, as a sequence of yes-or-no questions.

    Each task asks whether a root move is worth at least a threshold; what comes back bounds its value. The threshold
    follows the values that return (MTD(f): Plaat, Schaeffer, Pijls & de Bruin 1996), by growing steps, and by halves
    once the value lies between two thresholds; places that idle ask what may follow. Once least and greatest possible
    value meet, the moves before the one that has it are asked the same, and the first that answers yes is the move.

    Where there is a single place, whose workers share what they do, a task asks all moves. A test that fails takes them
    all, one that is passed a single one: down go growing steps, and up small ones, which the task itself takes.

    guess: of the value, in the mover's view: what a shallower iteration found, best one of the same parity. last: the
    iteration before, for the order of the moves. to_end: the depth reaches the end of the game, so that `bounds` hold.
    """

    def __init__(
        self,
        game: Game[Any, Any],
        state: Any,
        depth: int,
        algorithm: Algorithm,
        guess: float = 0,
        last: Answer | None = None,
        to_end: bool = True,
    ) -> None:
        super().__init__(game, state, depth, algorithm)
        with blaming(game, state):
            for branch in self.branches if to_end and game.defines("bounds") else ():
                branch.least, branch.most = game.bounds(branch.state)  # type: ignore[attr-defined]  # a hook
            promising = most_promising(game, state, self.moves)
        self._order = promising if last is None else most_promising_first(last)
        self._threshold = guess
        self._step = 1
        self._passed: bool | None = None  # the last test was
        self._turned = False  # tests have been passed and have failed
        self._next_test()

    def _bounds(self) -> tuple[list[float], list[float]]:
        moves = range(len(self.moves))
        return [self._least(index) for index in moves], [self._most(index) for index in moves]

    def _next_test(self) -> None:
        """Where the test is decided, have another threshold: in the end the value itself."""
        least, most = map(max, self._bounds())
        if least < self._threshold <= most and least < most:
            return
        if self.finished == 0:  # `bounds` exclude the guess
            self._threshold = min(max(self._threshold, least + 1), most)
            return
        passed = self._threshold <= least
        self._threshold = self._threshold_after(passed, least, most)
        self._turned |= self._turns(passed)
        self._step = 2 * self._step_after(passed)
        self._passed = passed

    def _threshold_after(self, passed: bool, least: float, most: float) -> float:
        """The threshold that follows a test, where the value is from least to most then."""
        step = self._step_after(passed)
        threshold = least + step if passed else most - step + 1
        if self.places > 1 and (self._turned or self._turns(passed)):
            threshold = (least + most + 1) // 2
        return min(max(threshold, least + 1), most)

    def _step_after(self, passed: bool) -> int:
        """How far the threshold goes: further with every test that is decided like the one before."""
        return self._step if self._passed is passed else 1

    def _turns(self, passed: bool) -> bool:
        """Whether the test before was decided the other way, so that the value is between the two."""
        return self._passed is not None and self._passed is not passed

    def _open(self) -> list[int]:
        return self._open_at(self._threshold)

    def _open_at(self, threshold: float) -> list[int]:
        """The moves that a test of a threshold has to ask; of one that is passed, those before the first that does."""
        least, most = self._bounds()
        unknown = [index for index in self._order if least[index] < threshold <= most[index]]
        if max(least) < threshold:
            return sorted(unknown, key=lambda index: (-least[index], -most[index]))
        first = next(index for index, value in enumerate(least) if value >= threshold)
        return sorted(index for index in unknown if index < first)

    @property
    def waiting(self) -> int:
        if self.places > 1:
            return super().waiting
        return 0 if self.done or self.under_way else 1

    def next_task(self) -> Task | None:
        if self.places == 1:
            return self._all_moves()
        return super().next_task()

    def _asked(self) -> Iterator[tuple[int, Place]]:
        yield from self._asked_at(self._threshold, 1.0)
        least, most = map(max, self._bounds())
        if least < self._threshold:
            for passed, low, high in ((True, self._threshold, most), (False, least, self._threshold - 1)):
                yield from self._asked_at(self._threshold_after(passed, low, high), NEXT_CHANCE)

    def _asked_at(self, threshold: float, need: float) -> Iterator[tuple[int, Place]]:
        """What a test of a threshold asks, and how much each is needed if the whole is needed so much."""
        least, most = self._bounds()
        # Near what the last test found one of the first is likely to pass; once the value is known, none before it is.
        cuts = not self._passed and max(least) < threshold
        failed = sum(top < threshold and nodes > 0 for top, (nodes, *_) in zip(most, self._effort, strict=True))
        window = self._view(Window(threshold - 1, threshold))
        for tested, index in enumerate(self._open_at(threshold), start=failed):
            yield index, Place(window, need, cuts=tested > 0 or not cuts)
            need *= 1 - chance_to_cut(cuts, tested)

    def _all_moves(self) -> Task | None:
        """The root itself as a task, which finds the value, and the first move that has it, unless its test fails."""
        if self.under_way or self.done:
            return None
        self.under_way += 1
        window = self._view(self._whole_window())
        return Task((), "all moves", self.state, self.depth, window, self.algorithm.name, climbs=True)

    def _whole_window(self) -> Window:
        """From the threshold on up: where a test is passed, the next one often takes less time than a message."""
        return Window(self._threshold - 1, max(self._bounds()[1]) + 1)

    def wanted(self, task: Task) -> Window | None:
        window = super().wanted(task) if task.path else self._view(self._whole_window())
        return window if window == task.window else None  # another threshold is another question

    def add(self, task: Task, outcome: Outcome) -> None:
        if task.path:
            super().add(task, outcome)
        else:
            self._add_to_all(task, outcome)
        for index, branch in enumerate(self.branches):
            least, most = self._least(index), self._most(index)
            if least > most:
                raise GameError(
                    f"{self.game.name} is worth at least {least:g} and at most {most:g} to the mover at "
                    f"{state_text(self.game, branch.state)}: its bounds exclude the value, or its scores depend on "
                    "more than the position; mend the game (parsearch.check_game finds the position)"
                )
        self._next_test()

    def _add_to_all(self, task: Task, outcome: Outcome) -> None:
        """What a search of the root says of its moves: none is worth more, and the one that it found that much."""
        self.give_back(task)
        self.finished += 1
        self._needed = None
        self._estimated |= outcome.estimated
        score: Any = outcome.value
        value = score_for(self.game, score, self.mover)
        bound = self._view(outcome.window).bound(value)
        if bound is not Bound.LOWER:
            for index in range(len(self.moves)):
                self._is_at_most(index, value)
        if bound is not Bound.UPPER:
            best = self.moves.index(outcome.pv[0])
            self._is_at_least(best, value)
            self.branches[best].line = outcome.pv[1:]
        if bound is Bound.EXACT:
            for index in range(best):  # else it would not be the first
                self._is_at_most(index, value - 1)

    def give_back(self, task: Task) -> None:
        if task.path:
            super().give_back(task)
        else:
            self.under_way -= 1

    def best(self) -> int | None:
        least, _ = self._bounds()
        return None if max(least) == -float("inf") else least.index(max(least))
