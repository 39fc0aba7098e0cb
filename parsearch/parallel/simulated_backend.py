"""Performs tasks on a virtual cluster: real searches, whose time is counted and not taken."""

from __future__ import annotations

import heapq
import random
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from itertools import count
from typing import Any

from parsearch.core.errors import WorkerError
from parsearch.core.game import Game
from parsearch.core.result import TaskRun
from parsearch.core.window import Window
from parsearch.parallel.backend import EXCHANGE_SECONDS, Backend
from parsearch.parallel.familiar import Familiar
from parsearch.parallel.task import Outcome, Task, answered, can_share, run_task
from parsearch.parallel.virtual_cluster import Failure, VirtualCluster
from parsearch.parallel.virtual_node import VirtualNode


class VirtualClock:
    """Seconds since the beginning, which pass when somebody spends them."""

    def __init__(self) -> None:
        self._now = 0.0

    def __call__(self) -> float:
        return self._now

    def spend(self, until: float) -> None:
        """Let time pass up to a moment that may have passed already."""
        self._now = max(self._now, until)


@dataclass(eq=False, slots=True)
class Held:
    """A task that was sent to a node: when, the window that it searches by now, None once it is over there, and the
    worker that has it, None before one is free."""

    task: Task
    node: VirtualNode
    sent: float
    window: Window | None
    worker: int | None = None


@dataclass(eq=False, slots=True)
class Run:
    """One worker's search of a task, its own or one that it joined. outcome: what will have come of a search that is
    done in one go."""

    held: Held
    worker: int
    started: float
    outcome: Outcome | None = None

    @property
    def assists(self) -> bool:
        return self.worker != self.held.worker


class SimulatedBackend(Backend):
    """A virtual cluster as a backend.

    Searches that share a table are stepped node by node, so that each sees what the others had stored by that virtual
    moment. All others run in one go and take the time that their nodes take. A discrete-event simulation: whatever
    travels or ends is an event, and nodes are stepped no further than a message could have changed what they do.
    """

    def __init__(self, cluster: VirtualCluster, game: Game[Any, Any], clock: VirtualClock) -> None:
        super().__init__()
        self._cluster, self._game, self.clock = cluster, game, clock  # type: ignore[method-assign]
        self.rate = cluster.rate
        self._now = clock()  # on the nodes; the coordinator's clock is ahead while it sends
        self._random = random.Random(cluster.seed)
        speeds = (*cluster.speeds, *[1.0] * (cluster.nodes - len(cluster.speeds)))
        self._nodes = [
            VirtualNode(game, f"node{number}", cluster.workers, cluster.rate * speed, shares=cluster.nodes)
            for number, speed in enumerate(speeds)
        ]
        self._busy = dict.fromkeys(self._nodes, 0)  # tasks that the coordinator has at each node that is alive
        self._familiar: Familiar[VirtualNode] = Familiar()
        self._queues: dict[VirtualNode, deque[Held]] = {node: deque() for node in self._nodes}
        self._running: dict[VirtualNode, dict[int, Run]] = {node: {} for node in self._nodes}
        self._held: dict[tuple[int, ...], Held] = {}
        self._exchanging: set[VirtualNode] = set()
        self._again: list[Task] = []  # whose worker died
        self._arrived: list[tuple[Task, Outcome]] = []
        self._broken = False  # something was raised in the middle of a step: only to be left alone
        self._events: list[tuple[float, int, Callable[[], None]]] = []
        self._number = count()
        for failure in cluster.failures:
            self._at(failure.at, partial(self._fail, failure))

    @property
    def workers(self) -> int:  # type: ignore[override]
        return len(self._busy) * self._cluster.workers

    @property
    def places(self) -> int:  # type: ignore[override]
        return len(self._busy)

    # What the coordinator does.

    @property
    def idle(self) -> int:
        room = self._cluster.workers * (1 + self.ahead)
        return max(0, sum(room - busy for busy in self._busy.values()) - len(self._again))

    def submit(self, task: Task) -> None:
        if not self._busy:
            raise WorkerError(f"{self._game.name}: every node of the virtual cluster has failed; let one live")
        least = min(self._busy.values())
        node = self._familiar.choose(task.path, [node for node, busy in self._busy.items() if busy == least])
        self._busy[node] += 1
        held = self._held[task.path] = Held(task, node, self.clock(), task.window)
        self.clock.spend(self.clock() + self._cluster.send_seconds)  # type: ignore[attr-defined]
        self._message(self.clock(), partial(self._queue, held))

    def tell(self, task: Task, window: Window | None) -> None:
        held = self._held.get(task.path)
        if held is not None:  # else its worker has died, and the task is sent again as it was
            self._message(self.clock(), partial(self._heed, held, window))

    def wait(self, seconds: float) -> list[tuple[Task, Outcome]]:
        while self._again and (not self._busy or min(self._busy.values()) < self._cluster.workers):
            self.submit(self._again.pop())
        until = self.clock() + seconds
        while not self._arrived and self.clock() < until and self._going:
            self._step(until)
        arrived, self._arrived = self._arrived, []
        return arrived

    def _receive(self, held: Held, outcome: Outcome) -> None:
        """The coordinator hears what became of a task."""
        if held.node in self._busy:
            self._busy[held.node] -= 1
        self._record(held, held.sent, outcome)
        if self._held.get(held.task.path) is held:
            del self._held[held.task.path]
            self._arrived.append((held.task, outcome))

    def _record(self, held: Held, sent: float, outcome: Outcome) -> None:
        self.nodes += outcome.nodes
        ended = outcome.started + outcome.seconds
        self.timeline.append(
            TaskRun(
                held.task.line, outcome.worker, sent, outcome.started, ended, max(ended, self.clock()), outcome.nodes
            )
        )

    def cancel(self) -> None:
        for held in self._held.values():
            self.tell(held.task, None)
        self._held.clear()
        self._again.clear()
        while any(self._busy.values()) and self._going:
            self._step(self.clock() + 1.0)
        self._arrived.clear()

    # How virtual time passes.

    def _stepping(self) -> list[VirtualNode]:
        return [node for node in self._nodes if node.running]

    @property
    def _going(self) -> bool:
        """Whether anything is still to happen."""
        return not self._broken and bool(self._events or self._stepping())

    def _step(self, until: float) -> None:
        """Go on to the next event, or as far as no message could have changed anything."""
        self._broken = True
        stepping = self._stepping()
        horizon = min(until, self._events[0][0]) if self._events else until
        alone = len(stepping) == 1
        if len(stepping) > 1:
            soonest = self._cluster.latency * (1 - self._cluster.jitter)
            horizon = min(horizon, self._now + max(soonest, 1 / self._cluster.rate))
        for node in stepping:
            for worker, when, outcome in node.advance(horizon, one=alone):
                if alone:
                    horizon = when
                    self.clock.spend(when)  # type: ignore[attr-defined]
                self._end(self._running[node][worker], when, outcome)
        self._now = horizon
        self.clock.spend(horizon)  # type: ignore[attr-defined]
        while self._events and self._events[0][0] <= horizon:
            heapq.heappop(self._events)[2]()
        self._broken = False

    def _at(self, when: float, event: Callable[[], None]) -> None:
        heapq.heappush(self._events, (when, next(self._number), event))

    def _message(self, sent: float, event: Callable[[], None]) -> None:
        varied = 1 + self._cluster.jitter * self._random.uniform(-1, 1)
        self._at(sent + self._cluster.latency * varied, event)

    # What happens on nodes.

    def _queue(self, held: Held) -> None:
        """A task has come to its node, unless that died, which the coordinator has heard or will hear."""
        if held.node in self._busy:
            self._queues[held.node].append(held)
            self._start(held.node, self._now)

    def _start(self, node: VirtualNode, now: float) -> None:
        """Give tasks to the workers of a node that have none of their own, and have those that are left join."""
        runs, queue = self._running[node], self._queues[node]
        while queue and (free := [w for w in range(self._cluster.workers) if w not in runs or runs[w].assists]):
            held, worker = queue.popleft(), min(free, key=lambda worker: (worker in runs, worker))
            if worker in runs:  # it had joined another task
                self._end(runs[worker], now, self._stop(runs[worker], now))
            held.worker = worker
            self._begin(held, worker, now)
        self._fill(node, now)

    def _begin(self, held: Held, worker: int, now: float) -> None:
        run = self._running[held.node][worker] = Run(held, worker, now)
        if held.window is None:  # over before it began
            self._end(run, now, _nothing(run, now, 0))
        elif can_share(self._game, held.task.algorithm, held.task.options):
            held.node.start(worker, held.task, held.window, now)
            self._exchange_after(held.node, now)
        else:
            run.outcome = run_task(self._game, held.task)
            self._at(now + run.outcome.nodes / held.node.rate, partial(self._finish, run))

    def _fill(self, node: VirtualNode, when: float) -> None:
        """Have the workers that have no task join those of others, as a crew's assistants do."""
        runs = self._running[node]
        for worker in range(self._cluster.workers):
            own = {run.held: run for run in runs.values() if not run.assists and run.outcome is None}
            joinable = [held for held in own if held.window is not None]
            if worker in runs or not joinable:
                continue
            held = min(joinable, key=lambda held: sum(run.held is held for run in runs.values()))
            assert held.window is not None
            runs[worker] = Run(held, worker, when)
            node.start(worker, held.task, held.window, when)

    def _exchange(self, node: VirtualNode) -> None:
        """A node sends the others what its searches have logged, one after the other, and again after a while."""
        self._exchanging.discard(node)
        others = [other for other in self._busy if other is not node]
        logs = node.news()
        now = self._now
        if logs and node in self._busy:
            for other in others:
                now += self._cluster.send_seconds
                self._message(now, partial(other.learn, logs))
        if node.running:
            self._exchange_after(node, now)

    def _exchange_after(self, node: VirtualNode, now: float) -> None:
        if len(self._busy) > 1 and node not in self._exchanging:
            self._exchanging.add(node)
            self._at(now + EXCHANGE_SECONDS, partial(self._exchange, node))

    def _finish(self, run: Run) -> None:
        """A search that was done in one go has taken its time, unless something ended it before."""
        if self._running[run.held.node].get(run.worker) is not run:
            return
        assert run.outcome is not None
        now = self._now
        self._end(run, now, replace(run.outcome, started=run.started, seconds=now - run.started, worker=_name(run)))

    def _heed(self, held: Held, window: Window | None) -> None:
        """A node hears what the coordinator has told a task."""
        if held.window is None:
            return
        held.window = window
        runs = [run for run in self._running[held.node].values() if run.held is held]
        for run in runs:
            if window is not None and run.outcome is None:
                held.node.narrow(run.worker, window)
            elif window is None and not run.assists:  # with it end those that joined
                self._end(run, self._now, self._stop(run, self._now))

    def _stop(self, run: Run, now: float) -> Outcome:
        """End a running search; what it has visited counts."""
        node = run.held.node
        if run.outcome is None:
            return node.stop(run.worker, now)
        return _nothing(run, now, min(run.outcome.nodes, int((now - run.started) * node.rate)))

    def _end(self, run: Run, when: float, outcome: Outcome) -> None:
        held, runs = run.held, self._running[run.held.node]
        if runs.get(run.worker) is not run:
            return  # it ended when the task did
        del runs[run.worker]
        if run.assists:
            self._record(held, run.started, outcome)
            if outcome.value is not None:  # whoever is first answers for all that search the task
                own = next(other for other in runs.values() if other.held is held and not other.assists)
                self._end(own, when, answered(self._stop(own, when), outcome))
            return
        held.window = None
        self._message(when, partial(self._receive, held, outcome))
        for other in [other for other in runs.values() if other.held is held]:
            self._end(other, when, self._stop(other, when))
        self._start(held.node, when)

    def _fail(self, failure: Failure) -> None:
        """A worker or a node dies; the coordinator hears of it, and sends what was lost again."""
        node = self._nodes[failure.node]
        if node not in self._busy:
            return
        runs = self._running[node]
        dead = [run for run in runs.values() if failure.worker in (None, run.worker)]
        lost = [run.held for run in dead if not run.assists]  # to those that joined as well
        for run in [run for run in runs.values() if run in dead or run.held in lost]:
            self._stop(run, self._now)
            del runs[run.worker]
        if failure.worker is None:
            del self._busy[node]
            self._queues[node].clear()
            lost = [held for held in self._held.values() if held.node is node]
        for held in lost:
            held.window = None
            self._message(self._now, partial(self._lose, held))
        if failure.worker is not None:
            self._start(node, self._now)

    def _lose(self, held: Held) -> None:
        """The coordinator hears that a task is lost; one whose result was on its way is not."""
        if held.node in self._busy:
            self._busy[held.node] -= 1
        if self._held.get(held.task.path) is held:
            del self._held[held.task.path]
            self._again.append(held.task)


def _nothing(run: Run, now: float, nodes: int) -> Outcome:
    """What comes of a search that was stopped."""
    return Outcome(None, run.held.task.window, (), nodes, run.started, now - run.started, _name(run), False)


def _name(run: Run) -> str:
    return f"{run.held.node.name}:{run.worker}"
