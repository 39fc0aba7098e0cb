"""The threads of one process that search a node's tasks together, over one transposition table.

Compiled searches run outside Python's lock, so threads serve as well as processes would. They share plain memory, which
the system backs with large pages: measured on Connect Four, a search over a mapped file, which it does not, takes
1.45 times as long.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from parsearch.core.errors import ParsearchError
from parsearch.core.game import Game
from parsearch.core.window import Window
from parsearch.native.sharing import Busy, News
from parsearch.native.table import Table
from parsearch.parallel.backend import LOGGING_SEARCHES
from parsearch.parallel.task import Outcome, Shared, Task, answered, can_share, run_task, worker_name

REMEMBERED = 1000
"""Tasks that may be told to end before they have begun: messages overtake each other, but not by so many."""

LEAVE_SECONDS = 1.0
"""For assistants to leave tasks that are over: a slice of their searches takes some hundredths of a second."""


@dataclass(eq=False)
class Running:
    """A task under way, or one that waits. window: what it still has to tell apart, None once it is over. found: what
    the first assistant found who came to its end. failed: the assistants that the game's own code raised something in.
    """

    game: Game[Any, Any]
    task: Task
    window: Window | None
    found: Outcome | None = None
    failed: set[int] = field(default_factory=set)

    @property
    def shared(self) -> bool:
        """Whether others can join it."""
        return can_share(self.game, self.task.algorithm, self.task.options)


class Crew:
    """Searches up to `workers` tasks at once, each in the thread that calls `search`. While there are fewer, assistants
    join those that use the table, in threads of the crew's own, and whoever is first answers for all. Tasks without
    table may be more: they wait. news: for the tables of other nodes, None where there are none."""

    def __init__(self, workers: int) -> None:
        self.workers = workers
        self.news: News | None = None
        self._changed = threading.Condition()
        self._running: dict[int, Running] = {}
        self._over: set[int] = set()  # numbers of tasks that ended before they had begun
        self._seats: set[int] = set()  # taken by somebody who searches
        self._joined: list[tuple[str, Outcome]] = []
        self._wanted: int | None = None
        self._table: Table | None = None
        self._busy = Busy(workers)
        for number in range(workers - 1):
            threading.Thread(target=self._assist, args=(number,), name=f"assistant {number}", daemon=True).start()

    def search(self, game: Game[Any, Any], task: Task, number: int) -> Outcome:
        """Search a task with whoever has time; by `number`, which only grows, it can be told things meanwhile."""
        running = Running(game, task, task.window)
        with self._changed:
            if number in self._over:
                running.window = None
            self._over = {other for other in self._over if number - REMEMBERED < other != number}
            self._running[number] = running
            self._changed.notify_all()
        try:
            with self._seat(wait=not running.shared) as seat:
                outcome = self._run(running, RunningOrders(running), seat)
            found = running.found
            return answered(outcome, found) if outcome.value is None and found is not None else outcome
        finally:
            with self._changed:
                running.window = None
                del self._running[number]
                self._changed.notify_all()

    def tell(self, number: int, window: Window | None) -> None:
        """Give a task a narrower window, or end it where that is None."""
        with self._changed:
            running = self._running.get(number)
            if running is not None and running.window is not None:
                running.window = window
            elif running is None and window is None:
                self._over.add(number)

    def assisted(self) -> list[tuple[str, Outcome]]:
        """What assistants have done since the last time, (line, outcome) each, once they have left what is over."""
        with self._changed:
            self._changed.wait_for(lambda: self._running or not self._seats, timeout=LEAVE_SECONDS)
            joined, self._joined = self._joined, []
            return joined

    def _run(self, running: Running, orders: RunningOrders, seat: int) -> Outcome:
        memory = self._memory(running.task.options.table) if running.shared else None
        outcome = run_task(running.game, running.task, orders, memory)
        return replace(outcome, worker=f"{worker_name()}/{seat}")

    @contextmanager
    def _seat(self, wait: bool = False) -> Iterator[int]:
        """A number for who searches, by which a timeline can tell them apart; the least that nobody has."""
        with self._changed:
            if wait:
                self._changed.wait_for(lambda: len(self._seats) < self.workers)
            seat = next(seat for seat in range(len(self._seats) + 1) if seat not in self._seats)
            self._seats.add(seat)
        try:
            yield seat
        finally:
            with self._changed:
                self._seats.remove(seat)
                self._changed.notify_all()

    def _memory(self, mebibytes: int | None) -> Shared:
        with self._changed:
            if self._table is None or self._wanted != mebibytes:
                self._wanted, self._table = mebibytes, Table(mebibytes)
            self._busy.searches = self.workers if self.news is None else LOGGING_SEARCHES
            alone = self.workers == 1 and self.news is None
            return Shared(self._table, None if alone else self._busy, self.news)

    def learn(self, logs: list[NDArray[np.uint64]]) -> None:
        """Take what another node's searches have logged."""
        with self._changed:
            table = self._table
        if table is not None:
            table.learn(logs)

    def _assist(self, number: int) -> None:
        """The life of an assistant: works while more workers than its number have no task."""
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._joinable(number))
                tasks = self._joinable(number)
            running = tasks[number % len(tasks)]
            with self._seat() as seat:
                try:
                    outcome = self._run(running, AssistantOrders(running, self, number), seat)
                except ParsearchError:  # whoever has the task meets the same, and reports it
                    running.failed.add(number)
                    continue
                with self._changed:  # before the seat is free: then all is said
                    self._joined.append((running.task.line, outcome))
                    if outcome.value is not None and running.window is not None:
                        running.found, running.window = outcome, None

    def _joinable(self, number: int) -> list[Running]:
        if not self.needs(number):
            return []
        running = [run for run in self._running.values() if run.window is not None and number not in run.failed]
        return [run for run in running if run.shared]

    def needs(self, number: int) -> bool:
        """Whether more workers than this number have no task."""
        return number < self.workers - len(self._running)


@dataclass(eq=False)
class RunningOrders:
    """The orders of whoever has a task."""

    running: Running

    def stopped(self) -> bool:
        """Whether the task is over."""
        return self.running.window is None

    def window(self) -> Window:
        """What it still has to tell apart."""
        return self.running.window or self.running.task.window


@dataclass(eq=False)
class AssistantOrders(RunningOrders):
    """The orders of an assistant, who also leaves when a worker is given another task."""

    crew: Crew
    number: int

    def stopped(self) -> bool:
        return self.running.window is None or not self.crew.needs(self.number)
