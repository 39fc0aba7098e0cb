"""Stand-ins for workers: whole backends that run in the test's own process, in the worst order."""

from __future__ import annotations

import random
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import replace
from itertools import count
from typing import Any

from parsearch.algorithms import find_algorithm
from parsearch.core.game import Game
from parsearch.core.limits import Limits
from parsearch.core.result import SearchResult
from parsearch.core.window import Window
from parsearch.parallel.backend import Backend
from parsearch.parallel.crew import Crew
from parsearch.parallel.driver import Driver
from parsearch.parallel.request import Request
from parsearch.parallel.task import Options, Outcome, Task, run_task
from parsearch.parallel.workers import Workers


class ShuffledBackend(Backend):
    """Holds several tasks and ends them in random order."""

    places = 1

    def __init__(self, game: Game[Any, Any], workers: int, rng: random.Random) -> None:
        super().__init__()
        self.workers = workers
        self._game, self._rng = game, rng
        self._held: list[Task] = []
        self._told: dict[tuple[int, ...], Window | None] = {}

    @property
    def idle(self) -> int:
        return self.workers - len(self._held)

    def submit(self, task: Task) -> None:
        assert self.idle
        assert task.path not in [other.path for other in self._held]
        self._held.append(task)

    def tell(self, task: Task, window: Window | None) -> None:
        assert task in self._held
        self._told[task.path] = window

    def wait(self, seconds: float) -> list[tuple[Task, Outcome]]:
        assert seconds > 0
        count = self._rng.randint(1, len(self._held)) if self._held else 0
        ended = [self._held.pop(self._rng.randrange(len(self._held))) for _ in range(count)]
        return [(task, self._run(task)) for task in ended]

    def _run(self, task: Task) -> Outcome:
        """Searched with the window that it was told, or stopped, or it ended before it heard of that."""
        told, deaf = self._told.pop(task.path, task.window), self._rng.random() < 0.5
        outcome = run_task(self._game, task if deaf or told is None else replace(task, window=told))
        self.nodes += outcome.nodes
        return replace(outcome, value=None) if told is None and not deaf else outcome

    def cancel(self) -> None:
        self._held.clear()


class ShuffledWorkers(Workers):
    """Workers that are up once they have been asked for `delay` times whether they are."""

    start_cost = 0.0

    def __init__(self, count: int, seed: int = 0, delay: int = 0) -> None:
        self._count, self._delay = count, delay
        self._rng = random.Random(seed)
        self.begun = 0
        self.backends = 0

    @property
    def count(self) -> int:
        return self._count

    @property
    def ready(self) -> bool:
        self._delay -= 1
        return self._delay < 0

    def begin(self) -> None:
        self.begun += 1

    def backend(self, game: Game[Any, Any]) -> Backend:
        self.backends += 1
        return ShuffledBackend(game, self._count, self._rng)

    def close(self) -> None:
        pass


def search_shuffled(
    game: Game[Any, Any],
    state: Any,
    workers: Workers,
    algorithm: str | None = None,
    limits: Limits | None = None,
    all_moves: bool = False,
    always: bool = True,
    table: int | None = None,
) -> SearchResult:
    """`search`, with these workers."""
    request = Request(game, state, find_algorithm(game, algorithm), limits or Limits(), all_moves, Options(table))
    return Driver(request, workers, always).run()


class ThreadedBackend(Backend):
    """A crew of this process for tasks of a compiled game: they end whenever they end."""

    places = 1

    def __init__(self, game: Game[Any, Any], crew: Crew) -> None:
        super().__init__()
        self.workers = crew.workers
        self._game, self._crew = game, crew
        self._threads = ThreadPoolExecutor(crew.workers)
        self._held: dict[Future[Outcome], tuple[Task, int]] = {}

    @property
    def idle(self) -> int:
        return self.workers - len(self._held)

    def submit(self, task: Task) -> None:
        number = next(_numbers)
        self._held[self._threads.submit(self._crew.search, self._game, task, number)] = task, number

    def tell(self, task: Task, window: Window | None) -> None:
        (number,) = [number for held, number in self._held.values() if held == task]
        self._crew.tell(number, window)

    def wait(self, seconds: float) -> list[tuple[Task, Outcome]]:
        ended, _ = wait(self._held, seconds, FIRST_COMPLETED)
        outcomes = [(self._held.pop(search)[0], search.result()) for search in ended]
        self.nodes += sum(outcome.nodes for _, outcome in outcomes)
        return outcomes

    def cancel(self) -> None:
        for _, number in self._held.values():
            self._crew.tell(number, None)
        wait(self._held)
        self._held.clear()
        self._crew.assisted()


_numbers = count()


class ThreadedWorkers(Workers):
    """A crew's workers, always up."""

    start_cost = 0.0
    ready = True

    def __init__(self, count: int) -> None:
        self._crew = Crew(count)

    @property
    def count(self) -> int:
        return self._crew.workers

    def begin(self) -> None:
        pass

    def backend(self, game: Game[Any, Any]) -> Backend:
        return ThreadedBackend(game, self._crew)

    def close(self) -> None:
        pass
