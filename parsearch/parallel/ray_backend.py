"""Tasks on Ray workers, on this machine or on a cluster."""

from __future__ import annotations

import contextlib
import time
from dataclasses import dataclass
from typing import Any

import ray
import ray.exceptions

from parsearch.core.errors import GameError, ParsearchError, WorkerError
from parsearch.core.game import Game
from parsearch.core.result import TaskRun
from parsearch.core.window import Window
from parsearch.parallel.backend import Backend
from parsearch.parallel.familiar import Familiar
from parsearch.parallel.node_words import Where, WordOrders
from parsearch.parallel.ray_crash import Crash
from parsearch.parallel.ray_metrics import Gauges
from parsearch.parallel.ray_places import Place
from parsearch.parallel.ray_session import RaySession
from parsearch.parallel.ray_ship import own_modules, pickled_by_value
from parsearch.parallel.task import NoOrders, Orders, Outcome, Task, run_task, state_text

TRIES = 2
"""How often a task is sent before its worker's death is reported."""

MOST_TRIES = 10
"""The same where whole nodes were lost, which is no fault of the task's."""

SETTLE_SECONDS = 0.1
"""For tasks that are about to stop by themselves at their limit, before they are cancelled."""

PATIENCE_SECONDS = 1.0
"""For a cancelled task to stop before its worker is killed."""

SILENCE_SECONDS = 5.0
"""Without any result until the backend asks whether the cluster still has CPUs."""

NODE_SECONDS = 60.0
"""For a cluster without CPUs to get some again: a lost node takes some 16 s to notice, a new one its time to boot."""

LOST_NODES = (
    ray.exceptions.NodeDiedError,
    ray.exceptions.LocalRayletDiedError,
    ray.exceptions.TaskUnschedulableError,
)
"""Deaths that a node takes along with it."""

LOST_PLACES = (
    *LOST_NODES,
    ray.exceptions.ActorDiedError,
    ray.exceptions.ActorUnavailableError,
    ray.exceptions.ActorUnschedulableError,
)
"""Deaths after which a place cannot be used as it was."""

DEATHS = (
    *LOST_PLACES,
    ray.exceptions.WorkerCrashedError,
    ray.exceptions.OutOfMemoryError,
    ray.exceptions.ObjectLostError,
)


@dataclass(eq=False, slots=True)
class Held:
    """A task that has been sent: to which place, when, and how often before. By slot and serial number it is told
    things; slot is None where the node's crew searches it. window: what it was told last, None for to stop."""

    task: Task
    place: Place
    slot: int | None
    serial: int
    sent: float
    tries: int
    window: Window | None

    def tell(self, window: Window | None) -> None:
        """Have it search a narrower window, or stop."""
        self.window = window
        if self.slot is None:
            self.place.host.tell_crew.remote(self.serial, window)
        else:
            self.place.tell(self.slot, self.serial, window)


class RayBackend(Backend):
    """Tasks for one game; of those with windows at most as many as there are workers, so that each gets the latest.

    A task goes to one node, as a Ray task of its own. Compiled searches go to the node's host instead, where the next
    one begins at once, and workers that have no task join those of others that share a table.
    """

    def __init__(self, session: RaySession, game: Game[Any, Any]) -> None:
        super().__init__()
        self._session = session
        self._game = game
        self._modules = own_modules(game)
        with pickled_by_value(self._modules):
            self._require_picklable(game, "be sent to workers; keep files, locks and the like out of it")
            self._sent_game = ray.put(game)
            self._pickled_game = ray.put(ray.cloudpickle.dumps(game)) if game.is_native else None
        self._alive = self._placed = time.monotonic()
        self._gauges = Gauges(game.name)
        self._familiar: Familiar[Place] = Familiar()
        self._held: dict[ray.ObjectRef, Held] = {}
        self._lost: list[Held] = []  # with their workers; they are sent again as soon as there is a place
        self._crews: set[Place] = set()  # whose assistants have worked for us

    @property
    def workers(self) -> int:  # type: ignore[override]
        """Those of all places that are up."""
        return self._session.places.workers

    @property
    def places(self) -> int:  # type: ignore[override]
        """Nodes, where idle workers can join; else every worker is a place of its own."""
        return len(self._session.places.all)

    @property
    def idle(self) -> int:
        return sum(max(0, place.workers * (1 + self.ahead) - place.busy) for place in self._session.places.all)

    def submit(self, task: Task) -> None:
        self._send(task, tries=0)

    def _send(self, task: Task, tries: int) -> Held:
        places = self._session.places
        most = max(place.workers - place.busy for place in places.all)
        free = [place for place in places.all if place.workers - place.busy == most]
        place = self._familiar.choose(task.path, free)
        place.serial += 1
        name = f"{self._game.name} {task.line} depth {task.depth}"
        if self._game.is_native:
            slot = None
            self._crews.add(place)
            search = place.host.search.options(name=name)
            reference = search.remote(self._pickled_game, task, place.serial)
        else:
            slot = place.slots.pop()
            with pickled_by_value(self._modules):
                self._require_picklable(task.state, f"send the state after {task.line}; keep to plain data in states")
                search = _search.options(name=name, scheduling_strategy=place.strategy)
                reference = search.remote(self._sent_game, task, place.where, slot, place.serial)
        place.busy += 1
        held = self._held[reference] = Held(task, place, slot, place.serial, time.monotonic(), tries, task.window)
        self._gauges.opened(len(self._held))
        return held

    def tell(self, task: Task, window: Window | None) -> None:
        for held in self._lost:
            if held.task.path == task.path:
                held.window = window
                return
        next(held for held in self._held.values() if held.task.path == task.path).tell(window)

    def _require_picklable(self, value: Any, purpose: str) -> None:
        """Ray's own message for what does not pickle is a page long."""
        try:
            ray.cloudpickle.dumps(value)
        except Exception as error:  # anything may happen when a user's object is pickled
            raise GameError(f"{self._game.name} cannot {purpose} ({type(error).__name__}: {error})") from error

    def wait(self, seconds: float) -> list[tuple[Task, Outcome]]:
        places = self._session.places
        places.refresh()
        if places.all:
            self._placed = time.monotonic()
            self._send_lost()
        elif time.monotonic() - self._placed > NODE_SECONDS:
            raise WorkerError(
                f"{self._game.name}: no node of the cluster could be used for {NODE_SECONDS:g} s; "
                "see what `ray status` says of its nodes"
            )
        if not self._held:
            time.sleep(seconds)
            return []
        ready, _ = ray.wait(list(self._held), timeout=seconds)
        if not ready:
            self._require_cpus()
        else:  # and whatever else has ended meanwhile
            ready, _ = ray.wait(list(self._held), num_returns=len(self._held), timeout=0)
            self._alive = time.monotonic()
        ended = []
        for reference in ready:
            held = self._let_go(reference)
            outcome = self._fetch(reference, held)
            if outcome is not None:
                self._record(held.task.line, held.sent, outcome)
                ended.append((held.task, outcome))
        return ended

    def _let_go(self, reference: ray.ObjectRef) -> Held:
        """The task has ended, and its slot can be used again."""
        held = self._held.pop(reference)
        self._gauges.opened(len(self._held))
        held.place.busy -= 1
        if held.slot is not None:
            held.place.slots.insert(0, held.slot)
        return held

    def _record(self, line: str, sent: float, outcome: Outcome) -> None:
        self.nodes += outcome.nodes
        self._gauges.searched(outcome.worker, outcome.nodes, outcome.seconds)
        now = time.monotonic()
        started = outcome.started - time.time() + now  # the worker's clock is the system's
        self.timeline.append(
            TaskRun(line, outcome.worker, sent, started, started + outcome.seconds, now, outcome.nodes)
        )

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

    def _fetch(self, reference: ray.ObjectRef, held: Held) -> Outcome | None:
        """The outcome of a copy that has ended; None where its worker died."""
        task = held.task
        try:
            outcome: Outcome | Crash = ray.get(reference)
        except DEATHS as error:
            self._mourn(held, error)
            return None
        except (ray.exceptions.RayError, ValueError, RuntimeError) as error:  # Ray's own, or it was shut down
            raise WorkerError(
                f"{self._game.name}: no worker could search {task.line} (depth {task.depth}): "
                f"{_last_line(error)}; workers=0 searches it in this process"
            ) from error
        if isinstance(outcome, Crash):
            raise GameError(outcome.message) from outcome.revive()
        return outcome

    def _mourn(self, held: Held, error: Exception) -> None:
        """Who searched a task died: it will be sent again. Raises WorkerError where that happened too often."""
        task, tries = held.task, held.tries + 1
        if isinstance(error, LOST_PLACES):
            self._session.places.lose(held.place)
        if tries >= (MOST_TRIES if isinstance(error, LOST_NODES) else TRIES):
            raise WorkerError(
                f"{self._game.name}: the worker that searched {task.line} (depth {task.depth}) died {tries} times, "
                f"position {state_text(self._game, task.state)}; workers=0 searches it in this process"
            ) from error
        held.tries = tries
        self._lost.append(held)

    def _send_lost(self) -> None:
        lost, self._lost = self._lost, []
        for held in lost:
            again = self._send(held.task, held.tries)
            if held.window != held.task.window:
                again.tell(held.window)

    def cancel(self) -> None:
        self._lost.clear()
        for held in self._held.values():
            held.tell(None)
        for force, patience in ((None, SETTLE_SECONDS), (False, PATIENCE_SECONDS), (True, PATIENCE_SECONDS)):
            if force is not None:  # force: the game's own code did not let go
                self._cancel(force)
            if self._held:
                ready, _ = ray.wait(list(self._held), num_returns=len(self._held), timeout=patience)
                for reference in ready:
                    self._count(reference)
        for reference in list(self._held):
            self._let_go(reference)
        self._count_assistants()
        self._gauges.rest()

    def _cancel(self, force: bool) -> None:
        for reference, held in self._held.items():
            if held.slot is not None:
                ray.cancel(reference, force=force)
            elif force:  # compiled rules that never end: only their process can be ended
                ray.kill(held.place.host)
                self._session.places.lose(held.place)

    def _count(self, reference: ray.ObjectRef) -> None:
        """Count what was searched in vain."""
        held = self._let_go(reference)
        with contextlib.suppress(ray.exceptions.RayError, ValueError, RuntimeError):  # cancelled, or dead
            outcome = ray.get(reference, timeout=0)
            if isinstance(outcome, Outcome):
                self._record(held.task.line, held.sent, outcome)

    def _count_assistants(self) -> None:
        crews, self._crews = self._crews, set()
        references = [place.host.assisted.remote() for place in crews]
        if references:
            ready, _ = ray.wait(references, num_returns=len(references), timeout=PATIENCE_SECONDS)
            for reference in ready:
                with contextlib.suppress(ray.exceptions.RayError):  # a host that died
                    for line, outcome in ray.get(reference):
                        self._record(line, outcome.started - time.time() + time.monotonic(), outcome)


@ray.remote(num_cpus=1, max_retries=0)  # type: ignore[untyped-decorator]
def _search(game: Game[Any, Any], task: Task, where: Where, slot: int, serial: int) -> Outcome | Crash:
    try:
        orders: Orders = WordOrders(where, slot, serial, task.window)
    except OSError:  # its host died, which the coordinator knows or will know: nobody can tell it things
        orders = NoOrders(task)
    try:
        return run_task(game, task, orders)
    except ParsearchError as error:
        return Crash.of(error)


def _last_line(error: Exception) -> str:
    lines = str(error).strip().splitlines()
    return lines[-1].strip() if lines else type(error).__name__
