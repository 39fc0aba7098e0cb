"""Which subtrees may be searched now, and what their results make of the root: decided here, without I/O.

A split hands out tasks and takes outcomes, in any order of completion; whoever drives it may search them
anywhere. Its answer depends on the outcomes alone, never on their order.
"""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from parsearch.algorithms import Algorithm
from parsearch.core.game import Game, Score, score_for
from parsearch.core.result import RootMove
from parsearch.core.window import Bound, Window, just_above, just_below
from parsearch.parallel.task import Outcome, Task, blaming


@dataclass(frozen=True, slots=True)
class Answer:
    """What one completed iteration says of the root.

    score: as `Game.evaluate` gives it. best: the index of the move, the first among the best.
    root_moves: one a move, values for the player to move at the root.
    estimated: whether any leaf was cut off by the depth.
    """

    depth: int
    score: Score
    best: int
    pv: tuple[Any, ...]
    root_moves: tuple[RootMove, ...]
    estimated: bool


def most_promising_first(last: Answer) -> list[int]:
    """The root moves' indices for the next iteration: the best, then by value, and of equal ones the one first that
    took most to refute."""
    moves = last.root_moves
    return sorted(range(len(moves)), key=lambda i: (i != last.best, -moves[i].value, -moves[i].nodes, i))


class Split(ABC):
    """The top of the tree in one iteration: open tasks, tasks under way, and results.

    After each task given by `next_task` comes one `add` or one `give_back`. `places` says at how many places tasks
    are searched independently of each other: a place with idle workers has them join what it searches.
    `visited` counts the positions that the split itself expands, the root and what `refine` adds;
    `finished` the tasks whose results are in.
    """

    def __init__(self, game: Game[Any, Any], state: Any, depth: int, algorithm: Algorithm) -> None:
        self.game = game
        self.state = state
        self.depth = depth
        self.algorithm = algorithm
        with blaming(game, state):
            self.moves: Sequence[Any] = tuple(game.legal_moves(state))
            self.mover = game.to_move(state)
        self.places = 1
        self.under_way = 0
        self.finished = 0
        self.visited = 1
        self.started = time.monotonic()

    @property
    @abstractmethod
    def waiting(self) -> int:
        """Tasks not yet handed out, whether or not they could be now."""

    @property
    @abstractmethod
    def divisible(self) -> bool:
        """Whether several workers could be kept busy now."""

    @property
    def done(self) -> bool:
        """Whether every result is in."""
        return self.waiting == 0 and self.under_way == 0

    @abstractmethod
    def next_task(self) -> Task | None:
        """A task to search now, or None while there is nothing that may be searched yet."""

    @abstractmethod
    def add(self, task: Task, outcome: Outcome) -> None:
        """Take the result of a task; its value must not be None."""

    @abstractmethod
    def give_back(self, task: Task) -> None:
        """Put a task back that was handed out but not searched to its end."""

    def wanted(self, task: Task) -> Window | None:
        """What still has to be told apart by a task that is under way: its window or a narrower one; None for nothing
        that a part of the window would say. A task that is then stopped is given back."""
        return task.window

    def refine(self, tasks: int) -> None:  # noqa: B027 - a split that cannot go deeper has nothing to do here
        """Split what is still waiting deeper, so that it makes at least some `tasks` of even size, where it can."""

    @abstractmethod
    def root_moves(self) -> tuple[RootMove | None, ...]:
        """What is known of each root move so far, in the game's order; None while unknown."""

    @abstractmethod
    def best(self) -> int | None:
        """The index of the best root move so far, None while there is none."""

    @abstractmethod
    def answer(self) -> Answer:
        """What the iteration found; only once it is done."""


class EldestFirst(Split):
    """Alpha-beta at the root: one move first, then its brothers with the bound that it set.

    `last` is what the iteration before found: its best move is the eldest, and the others follow in the order of the
    values and the effort that they had there. Ties: a move that stands before the current best is searched with alpha
    just below the best value, a later one with alpha at the best value, and what comes back is compared with the best
    of that moment. So the answer is the first of the best moves whatever the order of completion.
    """

    def __init__(
        self, game: Game[Any, Any], state: Any, depth: int, algorithm: Algorithm, last: Answer | None = None
    ) -> None:
        super().__init__(game, state, depth, algorithm)
        self._queue = deque(range(len(self.moves)) if last is None else most_promising_first(last))
        self._proven_better: set[int] = set()  # passed their null window: their value is wanted
        self._entries: list[RootMove | None] = [None] * len(self.moves)
        self._lines: dict[int, tuple[Any, ...]] = {}
        self._best: int | None = None
        self._score: Score = None
        self._estimated = False

    @property
    def waiting(self) -> int:
        return len(self._queue)

    @property
    def divisible(self) -> bool:
        return self._best is not None and len(self._queue) + self.under_way > 1

    def next_task(self) -> Task | None:
        if not self._queue or (self._best is None and self.under_way):
            return None
        index = self._queue.popleft()
        self.under_way += 1
        move, window = self.moves[index], self._window(index)
        with blaming(self.game, self.state):
            return Task(
                path=(index,),
                line=self.game.format_move(self.state, move),
                state=self.game.play(self.state, move),
                depth=self.depth - 1,
                window=window if self.mover == 0 else window.reversed(),
                algorithm=self.algorithm.name,
            )

    def _window(self, index: int) -> Window:
        """What to ask about a move, from the mover's point of view."""
        if self._best is None:
            return Window()
        value = self._best_value()
        alpha = just_below(value, self.game.integer) if index < self._best else value
        if self.algorithm.null_windows and index not in self._proven_better:
            return Window(alpha, just_above(alpha, self.game.integer))
        return Window(alpha)

    def _best_value(self) -> float:
        return score_for(self.game, self._score, self.mover)

    def add(self, task: Task, outcome: Outcome) -> None:
        self.under_way -= 1
        self.finished += 1
        (index,) = task.path
        value = score_for(self.game, outcome.value, self.mover)
        bound = (outcome.window if self.mover == 0 else outcome.window.reversed()).bound(value)
        self._estimated |= outcome.estimated
        before = self._entries[index]
        self._entries[index] = RootMove(
            self.moves[index],
            value,
            bound,
            outcome.nodes + (before.nodes if before else 0),
            outcome.seconds + (before.seconds if before else 0.0),
            outcome.worker,
        )
        if bound is Bound.LOWER:
            self.finished -= 1
            self._proven_better.add(index)
            self._queue.appendleft(index)
        elif bound is Bound.EXACT and self._beats_best(index, value):
            self._best, self._score = index, outcome.value
            self._lines = {index: outcome.pv}

    def _beats_best(self, index: int, value: float) -> bool:
        if self._best is None:
            return True
        return value > self._best_value() or (value == self._best_value() and index < self._best)

    def give_back(self, task: Task) -> None:
        self.under_way -= 1
        self._queue.appendleft(task.path[0])

    def wanted(self, task: Task) -> Window | None:
        (index,) = task.path
        window = self._window(index) if self.mover == 0 else self._window(index).reversed()
        alpha, beta = max(task.window.alpha, window.alpha), min(task.window.beta, window.beta)
        return Window(alpha, beta) if alpha < beta else None

    def root_moves(self) -> tuple[RootMove | None, ...]:
        return tuple(self._entries)

    def best(self) -> int | None:
        return self._best

    def answer(self) -> Answer:
        assert self._best is not None
        entries = tuple(entry for entry in self._entries if entry is not None)
        pv = (self.moves[self._best], *self._lines[self._best])
        return Answer(self.depth, self._score, self._best, pv, entries, self._estimated)
