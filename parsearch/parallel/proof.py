"""Exact solving at the root: null-window tests until a value, and the first move that has it, are proven."""

from __future__ import annotations

import math
from typing import Any

from parsearch.algorithms import Algorithm
from parsearch.core.errors import GameError
from parsearch.core.game import Game, score_for
from parsearch.core.result import RootMove
from parsearch.core.window import Bound, Window
from parsearch.parallel.split import Answer, Split
from parsearch.parallel.task import Outcome, Task, blaming, state_text


class Proof(Split):
    """The value to the end of a zero-sum game with integer scores, as a sequence of yes-or-no questions.

    Each task asks of one root move whether it is worth at least a threshold; what comes back bounds its value. The
    threshold follows the values that return (MTD(f): Plaat, Schaeffer, Pijls & de Bruin 1996), starting at `guess`.
    Once least and greatest possible value meet, the moves before the one that has it are asked the same, and the
    first that answers yes is the move. Everything is in the mover's point of view.
    """

    def __init__(
        self, game: Game[Any, Any], state: Any, depth: int, algorithm: Algorithm, guess: float = 0, first: int = 0
    ) -> None:
        super().__init__(game, state, depth, algorithm)
        with blaming(game, state):
            self._children = [game.play(state, move) for move in self.moves]
            bounds = [self._bounds(child) for child in self._children]
        self._least = [least for least, _ in bounds]
        self._most = [most for _, most in bounds]
        self._guess = guess
        self._order = sorted(range(len(self.moves)), key=lambda index: (index != first, -self._promise(index), index))
        self._asked: set[int] = set()  # moves whose task is under way
        self._lines: dict[int, tuple[Any, ...]] = {}
        self._effort = [(0, 0.0, "")] * len(self.moves)  # nodes, seconds, last worker

    def _bounds(self, child: Any) -> tuple[float, float]:
        if not self.game.defines("bounds"):
            return -math.inf, math.inf
        least, most = self.game.bounds(child)  # type: ignore[attr-defined]  # a hook: see Game.defines
        return (least, most) if self.mover == 0 else (0 - most, 0 - least)

    def _promise(self, index: int) -> int:
        if not self.game.defines("order"):
            return 0
        promise: int = self.game.order(self.state, self.moves[index])  # type: ignore[attr-defined]  # a hook
        return promise

    @property
    def _threshold(self) -> float:
        """What the next tests ask for: the value itself once it is known."""
        least, most = max(self._least), max(self._most)
        if least == most:
            return least
        guess = min(max(self._guess, least), most)
        return guess + 1 if guess == least else guess

    def _open(self) -> list[int]:
        """The moves whose answer is still needed, the most promising first; those under way included."""
        threshold = self._threshold
        unknown = [i for i in self._order if self._least[i] < threshold <= self._most[i]]
        if max(self._least) < threshold:
            return sorted(unknown, key=lambda index: -self._least[index])
        first = self._least.index(threshold)
        return sorted(index for index in unknown if index < first)

    def _expects_success(self) -> bool:
        """Whether one of the first moves is likely to pass its test, so that testing others meanwhile would be vain."""
        threshold = self._threshold
        if threshold > max(self._guess, max(self._least)) or max(self._least) == threshold:
            return False
        return (
            sum(most < threshold and effort[0] > 0 for most, effort in zip(self._most, self._effort, strict=True)) < 2
        )

    @property
    def waiting(self) -> int:
        return len([index for index in self._open() if index not in self._asked])

    @property
    def divisible(self) -> bool:
        return True  # several workers may join one test

    @property
    def done(self) -> bool:
        return not self._open()  # what is under way then asks for less than is known

    def next_task(self) -> Task | None:
        index = next((index for index in self._open() if index not in self._asked), None)
        if index is None or (self._expects_success() and self.under_way >= self.places):
            return None
        self._asked.add(index)
        self.under_way += 1
        return Task(
            path=(index,),
            line=self.game.format_move(self.state, self.moves[index]),
            state=self._children[index],
            depth=self.depth - 1,
            window=self._asked_window(),
            algorithm=self.algorithm.name,
        )

    def _asked_window(self) -> Window:
        """The null window of the tests under way."""
        window = Window(self._threshold - 1, self._threshold)
        return window if self.mover == 0 else window.reversed()

    def add(self, task: Task, outcome: Outcome) -> None:
        (index,) = task.path
        self._asked.discard(index)
        self.under_way -= 1
        self.finished += 1
        nodes, seconds, _ = self._effort[index]
        self._effort[index] = nodes + outcome.nodes, seconds + outcome.seconds, outcome.worker
        value = score_for(self.game, outcome.value, self.mover)
        asked = task.window if self.mover == 0 else task.window.reversed()
        if value < asked.beta:
            self._most[index] = min(self._most[index], value)
        elif value > self._least[index]:
            self._least[index] = self._guess = value
            self._lines[index] = outcome.pv
        if self._least[index] > self._most[index]:
            raise GameError(
                f"{self.game.name} is worth at least {self._least[index]:g} and at most {self._most[index]:g} to the "
                f"mover at {state_text(self.game, task.state)}: its bounds exclude the value; mend bounds "
                "(parsearch.check_game finds the position)"
            )

    def wanted(self, task: Task) -> Window | None:
        (index,) = task.path
        return task.window if index in self._open() and task.window == self._asked_window() else None

    def give_back(self, task: Task) -> None:
        self._asked.discard(task.path[0])
        self.under_way -= 1

    def root_moves(self) -> tuple[RootMove | None, ...]:
        return tuple(self._root_move(index) for index in range(len(self.moves)))

    def _root_move(self, index: int) -> RootMove | None:
        least, most = self._least[index], self._most[index]
        if least == most:
            value, bound = least, Bound.EXACT
        elif most < math.inf:
            value, bound = most, Bound.UPPER
        elif least > -math.inf:
            value, bound = least, Bound.LOWER
        else:
            return None
        return RootMove(self.moves[index], value, bound, *self._effort[index])

    def best(self) -> int | None:
        least = max(self._least)
        return None if least == -math.inf else self._least.index(least)

    def answer(self) -> Answer:
        best = self.best()
        assert best is not None
        value = self._least[best]
        entries = tuple(entry for entry in self.root_moves() if entry is not None)
        pv = (self.moves[best], *self._lines.get(best, ()))
        return Answer(self.depth, value if self.mover == 0 else 0 - value, best, pv, entries, estimated=False)
