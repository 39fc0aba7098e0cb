"""One node of a simulated cluster: its workers' searches, stepped together over the node's table."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from parsearch.core.game import Game
from parsearch.core.window import Window
from parsearch.native.crew import Crew
from parsearch.native.search import Search
from parsearch.native.sharing import Busy, News
from parsearch.native.table import Table
from parsearch.parallel.backend import LOGGING_SEARCHES
from parsearch.parallel.native_task import compiled_game, features_of
from parsearch.parallel.task import Outcome, Task


@dataclass(eq=False)
class VirtualNode:
    """Workers that search tasks of one game together.

    rate: nodes a second of each. shares: nodes of the cluster, among which memory is divided.
    now: the virtual moment up to which the searches have been stepped.
    """

    game: Game[Any, Any]
    name: str
    workers: int
    rate: float
    shares: int
    now: float = 0.0
    _crew: Crew | None = None
    _depth: int = 0
    _tasks: dict[int, tuple[Task, float]] = field(default_factory=dict)  # by worker, with the time of their start
    _windows: dict[int, Window] = field(default_factory=dict)
    _tables: dict[int | None, Table] = field(default_factory=dict)
    _news: News = field(default_factory=News)

    @cached_property
    def _busy(self) -> Busy:
        return Busy(self.workers if self.shares == 1 else LOGGING_SEARCHES)

    @property
    def running(self) -> bool:
        """Whether any worker searches."""
        return bool(self._tasks)

    def start(self, worker: int, task: Task, window: Window, when: float) -> None:
        """Have an idle worker search a task, or join those that do."""
        if not self._tasks:
            self.now = when
        crew = self._crew_for(task)
        crew.start(worker, task.state, task.depth, window, task.climbs)
        self._tasks[worker] = task, when
        self._windows[worker] = window

    def _crew_for(self, task: Task) -> Crew:
        compiled, player = compiled_game(self.game)
        features = features_of(self.game, task.algorithm, task.options, joint=self.workers > 1 or self.shares > 1)
        table = self._table(task.options.table)
        table.generation = task.options.generation
        crew = self._crew
        whole = task.depth + len(task.path)  # plies of the iteration: no task of it is deeper
        if crew is None or crew.features != features or self._depth < whole:
            assert not self._tasks
            self._depth = whole
            crew = self._crew = Crew(
                compiled, features, self.workers, whole, table, self._busy, player, logs=self.shares > 1
            )
        return crew

    def _table(self, mebibytes: int | None) -> Table:
        if mebibytes not in self._tables:
            self._tables = {mebibytes: Table(mebibytes, shares=self.shares)}
        return self._tables[mebibytes]

    def narrow(self, worker: int, window: Window) -> None:
        """Have a worker search a narrower window from now on."""
        self._windows[worker] = window
        self._search(worker).narrow(window)

    def stop(self, worker: int, when: float) -> Outcome:
        """End what a worker searches; it has found nothing."""
        return self._end(worker, when, finished=False)

    def advance(self, until: float, one: bool) -> Iterator[tuple[int, float, Outcome]]:
        """Search up to a moment, or where `one`, to the first end of a search: (worker, moment, outcome) of each."""
        while self._tasks:
            rounds = min(int((until - self.now) * self.rate + 1e-6), self._rounds_left())
            if rounds < 1:
                return
            crew = self._crew
            assert crew is not None
            before = crew.rounds
            ended = crew.run(rounds)
            self.now += (crew.rounds - before) / self.rate
            over = [worker for worker in self._tasks if self._beyond_limit(worker)]
            searches = {worker: self._search(worker) for worker in sorted({*ended, *over})}
            for worker, search in searches.items():
                if crew.searches[worker] is search:  # not ended, or another, by what the end before has brought about
                    yield worker, self.now, self._end(worker, self.now, finished=worker in ended)
            if one and (ended or over):
                return
        self.now = until

    def news(self) -> list[NDArray[np.uint64]]:
        """What its searches have logged for other nodes since the last time."""
        for worker in self._tasks:
            self._news.add(self._search(worker).logged())
        return self._news.take()

    def learn(self, logs: list[NDArray[np.uint64]]) -> None:
        """Take what another node's searches have logged."""
        for table in self._tables.values():
            table.learn(logs)

    def _rounds_left(self) -> int:
        """Until a search may have gone beyond the limit of its task."""
        limited = [(task.nodes, worker) for worker, (task, _) in self._tasks.items() if task.nodes is not None]
        return min((most + 1 - self._search(worker).nodes for most, worker in limited), default=sys.maxsize)

    def _beyond_limit(self, worker: int) -> bool:
        task, _ = self._tasks[worker]
        return task.nodes is not None and self._search(worker).nodes > task.nodes

    def _search(self, worker: int) -> Search:
        search = self._crew.searches[worker] if self._crew else None
        assert search is not None
        return search

    def _end(self, worker: int, when: float, finished: bool) -> Outcome:
        _, started = self._tasks.pop(worker)
        window, search = self._windows.pop(worker), self._search(worker)
        self._news.add(search.logged())
        outcome = Outcome(
            value=search.value if finished else None,
            window=window,
            pv=search.line if finished else (),
            nodes=search.nodes,
            started=started,
            seconds=max(0.0, when - started),  # a node's moment is the sum of its rounds, with their rounding errors
            worker=f"{self.name}:{worker}",
            estimated=finished and search.estimated,
        )
        assert self._crew is not None
        self._crew.clear(worker)
        return outcome
