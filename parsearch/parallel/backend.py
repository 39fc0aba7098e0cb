"""Who performs the searches that a split hands out. The coordinator decides what; a backend does it."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

from parsearch.core.game import Game
from parsearch.core.result import TaskRun
from parsearch.core.window import Window
from parsearch.parallel.task import NoOrders, Outcome, Task, run_task

EXCHANGE_SECONDS = 0.01
"""Between two messages of a node to each other one, of table entries that took long to find."""

LOGGING_SEARCHES = 64
"""A node whose searches log for others divides as finely as so many would: it logs what it could divide."""


class Backend(ABC):
    """Searches tasks of one game, several at a time, and returns them in whatever order they end.

    Tasks are known by their paths: no two that are held at once have the same.

    workers: the processes or threads it searches with, 0 for the calling process alone. places: at how many places
    tasks are searched independently of each other; where they can, workers without a task join those of their place.
    ahead: tasks that each worker is given before it has ended another, so that it need not wait for them; none where
    the window of a task may still get better.
    rate: nodes a second of a worker, None where only measuring tells.
    nodes: positions visited so far, by whatever was held. timeline: the runs that have ended.
    """

    workers: int
    places: int
    rate: float | None = None

    def __init__(self) -> None:
        self.ahead = 0
        self.nodes = 0
        self.timeline: list[TaskRun] = []

    @property
    @abstractmethod
    def idle(self) -> int:
        """How many tasks would be searched at once if they were submitted now."""

    @abstractmethod
    def submit(self, task: Task) -> None:
        """Take a task; at most `idle` of them."""

    @abstractmethod
    def tell(self, task: Task, window: Window | None) -> None:
        """Have a task that is held search a narrower window from now on, or stop where it is None."""

    @abstractmethod
    def wait(self, seconds: float) -> list[tuple[Task, Outcome]]:
        """The tasks that have ended, as soon as there is one, or none after some `seconds`.

        Raises GameError for what the game's own code raised, WorkerError for what cannot be mended.
        """

    @abstractmethod
    def cancel(self) -> None:
        """Give up every task that is held, and return once nobody works on them any more."""

    def clock(self) -> float:
        """Seconds on the clock by which this backend's work takes time."""
        return time.monotonic()


class SerialBackend(Backend):
    """The calling process. `stop` is asked at every node and ends the task under way, as stopped."""

    workers = 0
    places = 1

    def __init__(self, game: Game[Any, Any], stop: Callable[[], bool] | None = None) -> None:
        super().__init__()
        self._game = game
        self._stop = stop
        self._task: Task | None = None

    @property
    def idle(self) -> int:
        return 0 if self._task else 1

    def submit(self, task: Task) -> None:
        assert self._task is None
        self._task = task

    def tell(self, task: Task, window: Window | None) -> None:
        """Nothing happens while a task is held here: it is searched within `wait`."""

    def wait(self, seconds: float) -> list[tuple[Task, Outcome]]:  # noqa: ARG002 - the task's limits end it
        if self._task is None:
            return []
        task, self._task = self._task, None
        outcome = run_task(self._game, task, NoOrders(task, self._stop))
        self.nodes += outcome.nodes
        return [(task, outcome)]

    def cancel(self) -> None:
        self._task = None
