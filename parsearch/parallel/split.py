"""Which subtrees may be searched now, and what their results make of the root: decided here, without I/O.

A split hands out tasks and takes outcomes, in any order of completion; whoever drives it may search them
anywhere. Its answer depends on the outcomes alone, never on their order.
"""

from __future__ import annotations

import math
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from parsearch.algorithms import Algorithm
from parsearch.core.game import Game, Score
from parsearch.core.result import RootMove
from parsearch.core.window import Bound, Window
from parsearch.parallel.branch import Branch, Grain, Leaf, Place
from parsearch.parallel.task import Outcome, Task, blaming

LIKELY = 0.5
"""Chance to be needed from which a task is not searched in vain."""

DIVIDE_SECONDS = 0.05
"""That a task has taken before it is divided: stopping it and sending its parts out costs some milliseconds."""

AHEAD = 2
"""Tasks a place, where there are several: while one of them ends and the next is on its way, it has another."""


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


class Split(ABC):
    """The top of the tree in one iteration: open tasks, tasks under way, and results.

    After each task given by `next_task` comes one `add` or one `give_back`. `places` says at how many places tasks
    are searched independently of each other: a place with idle workers has them join what it searches. `grain` says how
    deep the subtrees are that are worth a task of their own; `clock` is that by which tasks take time. `resumes` says
    whether a task that was stopped, or a part of it, is searched on with what was found before, from a table.
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
        self.grain = Grain()
        self.under_way = 0
        self.finished = 0
        self.visited = 1
        self.started = time.monotonic()
        self.clock: Callable[[], float] = time.monotonic
        self.resumes = False

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

    def refine(self, tasks: int, rate: float | None = None) -> None:  # noqa: B027 - some splits cannot go deeper
        """Split what is still waiting deeper, so that it makes at least some `tasks` of even size, where it can.

        rate: nodes a second of a worker, where that is known; then the same is split every time.
        """

    @abstractmethod
    def root_moves(self) -> tuple[RootMove | None, ...]:
        """What is known of each root move so far, in the game's order; None while unknown."""

    @abstractmethod
    def best(self) -> int | None:
        """The index of the best root move so far, None while there is none."""

    @abstractmethod
    def answer(self) -> Answer:
        """What the iteration found; only once it is done."""


class RootBranches(Split):
    """What the splits with windows have in common: each root move is a branch, of which bounds become known.

    A subclass says which moves are open, and what is asked of each. Values of moves are in the mover's view here.
    """

    def __init__(self, game: Game[Any, Any], state: Any, depth: int, algorithm: Algorithm) -> None:
        super().__init__(game, state, depth, algorithm)
        with blaming(game, state):
            self.branches = [
                Branch(game, (index,), game.format_move(state, move), game.play(state, move), depth - 1)
                for index, move in enumerate(self.moves)
            ]
        self._held = [0] * len(self.moves)  # tasks under way below each
        self._effort = [(0, 0.0, "")] * len(self.moves)  # nodes, seconds, last worker
        self._estimated = False
        self._since: dict[tuple[int, ...], float] = {}  # when each task was handed out
        self._needed: dict[tuple[int, ...], Leaf] | None = None

    @abstractmethod
    def _open(self) -> list[int]:
        """The moves whose answer is still needed, the most promising first; those under way included."""

    def _least(self, index: int) -> float:
        """What a move is worth at least."""
        branch = self.branches[index]
        return branch.least if self.mover == 0 else 0 - branch.most

    def _most(self, index: int) -> float:
        """What a move is worth at most."""
        branch = self.branches[index]
        return branch.most if self.mover == 0 else 0 - branch.least

    def _is_at_least(self, index: int, value: float) -> None:
        """A move is worth at least so much."""
        branch = self.branches[index]
        if self.mover == 0:
            branch.least = max(branch.least, value)
        else:
            branch.most = min(branch.most, 0 - value)

    def _is_at_most(self, index: int, value: float) -> None:
        """A move is worth at most so much."""
        branch = self.branches[index]
        if self.mover == 0:
            branch.most = min(branch.most, value)
        else:
            branch.least = max(branch.least, 0 - value)

    def _view(self, window: Window) -> Window:
        """A window in the mover's view from player 0's, and the other way round."""
        return window if self.mover == 0 else window.reversed()

    @property
    def waiting(self) -> int:
        return len([index for index in self._open() if not self._held[index]])

    @property
    def divisible(self) -> bool:
        return True  # the largest subtree may be split, or several workers join it

    @property
    def done(self) -> bool:
        return not self._open()  # what is under way then asks for less than is known

    def refine(self, tasks: int, rate: float | None = None) -> None:  # noqa: ARG002 - as many as their grain makes
        if self.places > 1 and self.grain.depth is None:
            self.grain.guess(self.game, self.state, self.depth)

    @abstractmethod
    def _asked(self) -> Iterator[tuple[int, Place]]:
        """The moves that may be searched now, those under way included, and what is asked of each."""

    def next_task(self) -> Task | None:
        grain = self.grain if self.places > 1 else Grain()
        best: Leaf | None = None
        for index, place in self._asked():
            best = self.branches[index].likeliest(place, grain, best)
        if best is None or best.need < LIKELY:
            self._divide()
        if best is None or (self.places > 1 and self.under_way >= AHEAD * self.places):
            return None
        branch = best.branch
        branch.under_way, branch.divided = True, False
        self._since[branch.path] = self.clock()
        self._needed = None
        self.under_way += 1
        self._held[branch.path[0]] += 1
        return Task(branch.path, branch.text, branch.state, branch.depth, best.window, self.algorithm.name)

    def _divide(self) -> None:
        """Where places have nothing to do that is likely to be needed, have the task divided that most likely is, of
        several the oldest: when it has stopped, `next_task` gives parts of it."""
        if self.places == 1 or not self.resumes:
            return
        needed = self._running().values()
        if sum((leaf.need >= LIKELY) + leaf.branch.divided for leaf in needed) >= self.places:
            return
        latest = self.clock() - DIVIDE_SECONDS
        old = [
            leaf
            for leaf in needed
            if leaf.need >= LIKELY and not leaf.branch.divided
            if leaf.branch.depth > 1 and self._since[leaf.branch.path] <= latest
        ]
        if old:
            max(old, key=lambda leaf: (leaf.need, -self._since[leaf.branch.path])).branch.divided = True

    def _running(self) -> dict[tuple[int, ...], Leaf]:
        """What is under way and still needed, by path."""
        if self._needed is None:
            leaves = [leaf for index, place in self._asked() for leaf in self.branches[index].running(place)]
            self._needed = {leaf.branch.path: leaf for leaf in sorted(leaves, key=lambda leaf: leaf.need)}
        return self._needed

    def add(self, task: Task, outcome: Outcome) -> None:
        index = self._let_go(task)
        self.finished += 1
        self.branches[index].add(task.path[1:], outcome)
        self.grain.learn(task.depth, outcome.seconds)
        self._estimated |= outcome.estimated
        nodes, seconds, _ = self._effort[index]
        self._effort[index] = nodes + outcome.nodes, seconds + outcome.seconds, outcome.worker

    def give_back(self, task: Task) -> None:
        self.branches[self._let_go(task)].find(task.path[1:]).under_way = False

    def _let_go(self, task: Task) -> int:
        index = task.path[0]
        self._since.pop(task.path, None)
        self._needed = None
        self.under_way -= 1
        self._held[index] -= 1
        return index

    def wanted(self, task: Task) -> Window | None:
        leaf = self._running().get(task.path)
        if leaf is None or leaf.branch.divided:
            return None
        alpha, beta = max(task.window.alpha, leaf.window.alpha), min(task.window.beta, leaf.window.beta)
        return Window(alpha, beta) if alpha < beta else None

    def root_moves(self) -> tuple[RootMove | None, ...]:
        return tuple(self._root_move(index) for index in range(len(self.moves)))

    def _root_move(self, index: int) -> RootMove | None:
        least, most = self._least(index), self._most(index)
        if least == most:
            value, bound = least, Bound.EXACT
        elif most < math.inf:
            value, bound = most, Bound.UPPER
        elif least > -math.inf:
            value, bound = least, Bound.LOWER
        else:
            return None
        return RootMove(self.moves[index], value, bound, *self._effort[index])

    def answer(self) -> Answer:
        best = self.best()
        assert best is not None
        entries = tuple(entry for entry in self.root_moves() if entry is not None)
        pv = (self.moves[best], *self.branches[best].pv())
        value = self._least(best)
        return Answer(self.depth, value if self.mover == 0 else 0 - value, best, pv, entries, self._estimated)


def most_promising_first(last: Answer) -> list[int]:
    """The root moves' indices for the next iteration: the best, then by value, and of equal ones the one first that
    took most to refute."""
    moves = last.root_moves
    return sorted(range(len(moves)), key=lambda i: (i != last.best, -moves[i].value, -moves[i].nodes, i))
