"""Who performs the searches that a split hands out. The coordinator decides what; a backend does it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

from parsearch.core.game import Game
from parsearch.parallel.task import Outcome, Task, run_task


class Backend(ABC):
    """Searches tasks of one game, several at a time, and returns them in whatever order they end.

    workers: the processes it searches with, 0 for the calling process alone.
    capacity: the tasks it wants to hold at once.
    """

    workers: int
    capacity: int

    @abstractmethod
    def submit(self, task: Task) -> None:
        """Take a task; at most `capacity` are held at once."""

    @abstractmethod
    def wait(self, seconds: float) -> list[tuple[Task, Outcome]]:
        """The tasks that have ended, as soon as there is one, or none after some `seconds`.

        Raises GameError for what the game's own code raised, WorkerError for what cannot be mended.
        """

    @abstractmethod
    def cancel(self) -> None:
        """Give up every task that is held, and return once nobody works on them any more."""


class SerialBackend(Backend):
    """The calling process. `stop` is asked at every node and ends the task under way, as stopped."""

    workers = 0
    capacity = 1

    def __init__(self, game: Game[Any, Any], stop: Callable[[], bool] | None = None) -> None:
        self._game = game
        self._stop = stop
        self._task: Task | None = None

    def submit(self, task: Task) -> None:
        assert self._task is None
        self._task = task

    def wait(self, seconds: float) -> list[tuple[Task, Outcome]]:  # noqa: ARG002 - the task's limits end it
        if self._task is None:
            return []
        task, self._task = self._task, None
        return [(task, run_task(self._game, task, self._stop))]

    def cancel(self) -> None:
        self._task = None
