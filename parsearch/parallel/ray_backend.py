"""Tasks on Ray workers, on this machine or on a cluster."""

from __future__ import annotations

import pickle
import time
import traceback
from dataclasses import dataclass
from typing import Any

import ray
import ray.exceptions

from parsearch.core.errors import GameError, WorkerError
from parsearch.core.game import Game
from parsearch.parallel.backend import Backend
from parsearch.parallel.ray_session import RaySession
from parsearch.parallel.ray_ship import own_modules, pickled_by_value
from parsearch.parallel.task import Outcome, Task, run_task, state_text

TRIES = 2
"""How often a task is sent before its worker's death is reported."""

SETTLE_SECONDS = 0.1
"""For tasks that are about to stop by themselves at their limit, before they are cancelled."""

PATIENCE_SECONDS = 1.0
"""For a cancelled task to stop before its worker is killed."""

SILENCE_SECONDS = 5.0
"""Without any result until the backend asks whether the cluster still has CPUs."""

NODE_SECONDS = 60.0
"""For a cluster without CPUs to get some again: a lost node takes some 16 s to notice, a new one its time to boot."""

DEATHS = (
    ray.exceptions.WorkerCrashedError,
    ray.exceptions.NodeDiedError,
    ray.exceptions.OutOfMemoryError,
    ray.exceptions.LocalRayletDiedError,
    ray.exceptions.ObjectLostError,
)


@dataclass(frozen=True, slots=True)
class Crash:
    """A GameError on its way home: the message, the traceback as text, and what the game raised, if it pickles."""

    message: str
    traceback: str
    cause: bytes | None


class WorkerTraceback(Exception):
    """The traceback of an exception that was raised in a worker, as text."""

    def __str__(self) -> str:
        return f"\n\n{self.args[0]}"


class RayBackend(Backend):
    """Ray tasks for one game; at most as many under way as there are workers, so that each gets the latest window."""

    def __init__(self, session: RaySession, game: Game[Any, Any]) -> None:
        self.workers = self.capacity = session.workers
        self._game = game
        self._modules = own_modules(game)
        with pickled_by_value(self._modules):
            self._require_picklable(game, "be sent to workers; keep files, locks and the like out of it")
            self._sent_game = ray.put(game)
        self._alive = time.monotonic()
        self._tasks: dict[ray.ObjectRef, tuple[Task, int]] = {}

    def submit(self, task: Task) -> None:
        self._send(task, tries=1)

    def _send(self, task: Task, tries: int) -> None:
        name = f"{self._game.name} {task.line} depth {task.depth}"
        with pickled_by_value(self._modules):
            self._require_picklable(task.state, f"send the state after {task.line}; keep to plain data in states")
            reference = _search.options(name=name).remote(self._sent_game, task)
        self._tasks[reference] = (task, tries)

    def _require_picklable(self, value: Any, purpose: str) -> None:
        """Ray's own message for what does not pickle is a page long."""
        try:
            ray.cloudpickle.dumps(value)
        except Exception as error:  # anything may happen when a user's object is pickled
            raise GameError(f"{self._game.name} cannot {purpose} ({type(error).__name__}: {error})") from error

    def wait(self, seconds: float) -> list[tuple[Task, Outcome]]:
        if not self._tasks:
            return []
        ready, _ = ray.wait(list(self._tasks), timeout=seconds)
        if not ready:
            self._require_cpus()
        else:  # and whatever else has ended meanwhile
            ready, _ = ray.wait(list(self._tasks), num_returns=len(self._tasks), timeout=0)
            self._alive = time.monotonic()
        ended = []
        for reference in ready:
            task, tries = self._tasks.pop(reference)
            outcome = self._fetch(reference, task, tries)
            if outcome is not None:
                ended.append((task, outcome))
        return ended

    def _require_cpus(self) -> None:
        """Raises WorkerError where the cluster has had no CPU for too long: the tasks would wait for ever."""
        silence = time.monotonic() - self._alive
        if silence < SILENCE_SECONDS:
            return
        if ray.cluster_resources().get("CPU", 0) >= 1:
            self._alive = time.monotonic()
        elif silence > NODE_SECONDS:
            raise WorkerError(
                f"{self._game.name}: the cluster has had no CPU for {NODE_SECONDS:g} s; "
                "start a node (ray start --address=...) or search with workers=0"
            )

    def _fetch(self, reference: ray.ObjectRef, task: Task, tries: int) -> Outcome | None:
        """The outcome of a task that has ended; None where its worker died and it was sent again."""
        try:
            outcome: Outcome | Crash = ray.get(reference)
        except DEATHS as error:
            if tries < TRIES:
                self._send(task, tries + 1)
                return None
            raise WorkerError(
                f"{self._game.name}: the worker that searched {task.line} (depth {task.depth}) died {TRIES} times, "
                f"position {state_text(self._game, task.state)}; workers=0 searches it in this process"
            ) from error
        except (ray.exceptions.RayError, ValueError, RuntimeError) as error:  # Ray's own, or it was shut down
            raise WorkerError(
                f"{self._game.name}: no worker could search {task.line} (depth {task.depth}): "
                f"{_last_line(error)}; workers=0 searches it in this process"
            ) from error
        if isinstance(outcome, Crash):
            raise GameError(outcome.message) from _revive(outcome)
        return outcome

    def cancel(self) -> None:
        references, self._tasks = list(self._tasks), {}
        if not references:
            return
        for force, patience in ((None, SETTLE_SECONDS), (False, PATIENCE_SECONDS), (True, PATIENCE_SECONDS)):
            if force is not None:  # force: the game's own code did not let go
                for reference in references:
                    ray.cancel(reference, force=force)
            _, references = ray.wait(references, num_returns=len(references), timeout=patience)
            if not references:
                return


@ray.remote(num_cpus=1, max_retries=0)  # type: ignore[untyped-decorator]
def _search(game: Game[Any, Any], task: Task) -> Outcome | Crash:
    try:
        return run_task(game, task)
    except GameError as error:
        raised = error.__cause__ or error
        text = "".join(traceback.format_exception(raised))
        try:
            cause = ray.cloudpickle.dumps(raised)
        except Exception:  # what a user raises need not pickle; the text is there all the same
            cause = None
        return Crash(str(error), text, cause)


def _revive(crash: Crash) -> BaseException:
    """What the game raised, with the worker's traceback chained to it, as far as it survived the journey."""
    text = WorkerTraceback(crash.traceback)
    if crash.cause is None:
        return text
    try:
        cause = pickle.loads(crash.cause)
    except Exception:  # an exception that pickles need not unpickle
        return text
    if not isinstance(cause, BaseException):
        return text
    cause.__cause__ = text
    return cause


def _last_line(error: Exception) -> str:
    lines = str(error).strip().splitlines()
    return lines[-1].strip() if lines else type(error).__name__
