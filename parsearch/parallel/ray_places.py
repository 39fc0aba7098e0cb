"""The nodes of a Ray cluster as places to search, and what we have there besides Ray's workers."""

from __future__ import annotations

import contextlib
import pickle
import time
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
import ray
import ray.exceptions
from numpy.typing import NDArray
from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

from parsearch.core.errors import ParsearchError
from parsearch.core.window import Window
from parsearch.parallel.node_words import SLOTS, NodeWords, Where
from parsearch.parallel.ray_crash import Crash
from parsearch.parallel.task import Outcome, Task

if TYPE_CHECKING:
    from parsearch.parallel.crew import Crew
    from parsearch.parallel.ray_exchange import Exchange

LOOK_SECONDS = 1.0
"""Between two looks at which nodes the cluster has."""

OTHER_CALLS = 8
"""That a host answers besides searching."""


@dataclass(eq=False)
class Place:
    """One node: how many of its CPUs we use, and by what its tasks are told things.

    words: on the driver's own node, else `host` has them. host: the actor on the node that searches its compiled tasks
    together. Slots are given to tasks in turn; serial numbers only grow.
    """

    node: str
    workers: int
    where: Where | None
    words: NodeWords | None
    host: Any
    busy: int = 0
    serial: int = 0
    slots: list[int] = field(default_factory=lambda: list(range(SLOTS)))

    @property
    def strategy(self) -> NodeAffinitySchedulingStrategy:
        """Where its tasks run."""
        return NodeAffinitySchedulingStrategy(self.node, soft=False)

    def tell(self, slot: int, serial: int, window: Window | None) -> None:
        """As `NodeWords.tell`."""
        if self.words is not None:
            self.words.tell(slot, serial, window)
        else:
            self.host.tell.remote(slot, serial, window)


@ray.remote(num_cpus=0, max_restarts=0)
class Host:
    """What we have on a node: the crew that searches its compiled tasks, and its words where the driver is elsewhere.

    It takes no CPU of Ray's, because it lasts as long as the coordinator while searches come and go.
    """

    def __init__(self, workers: int, words: bool) -> None:
        from parsearch.parallel.crew import Crew  # Numba takes 0.4 s to import
        from parsearch.parallel.ray_exchange import Exchange

        self._crew: Crew = Crew(workers)
        self._exchange: Exchange = Exchange(self._crew)
        self._words = NodeWords() if words else None

    def up(self) -> Where | None:
        """Where its words are."""
        return self._words.where if self._words else None

    def search(self, game: bytes, task: Task, serial: int) -> Outcome | Crash:
        try:
            return self._crew.search(_game(game), task, serial)
        except ParsearchError as error:
            return Crash.of(error)

    def tell_crew(self, serial: int, window: Window | None) -> None:
        self._crew.tell(serial, window)

    def assisted(self) -> list[tuple[str, Outcome]]:
        return self._crew.assisted()

    def meet(self, hosts: list[Any]) -> None:
        """The hosts of the other nodes, whose tables learn what is found here."""
        self._exchange.meet(hosts)

    def learn(self, logs: list[NDArray[np.uint64]]) -> None:
        self._crew.learn(logs)

    def tell(self, slot: int, serial: int, window: Window | None) -> None:
        if self._words is not None:
            self._words.tell(slot, serial, window)


@lru_cache(maxsize=4)
def _game(pickled: bytes) -> Any:
    return pickle.loads(pickled)


class Places:
    """The nodes that one coordinator uses; those that join the cluster are used as soon as their host is up.

    wanted: workers in all, None for every CPU of the cluster.
    """

    def __init__(self, wanted: int | None) -> None:
        self._wanted = wanted
        self._own = ray.get_runtime_context().get_node_id()
        self._words: NodeWords | None = None
        self._places: dict[str, Place] = {}
        self._starting: dict[str, tuple[int, Any, ray.ObjectRef]] = {}
        self._next_look = 0.0

    @property
    def all(self) -> list[Place]:
        """The places that can be used now."""
        return list(self._places.values())

    @property
    def workers(self) -> int:
        """Those of all places."""
        return sum(place.workers for place in self._places.values())

    @property
    def starting(self) -> bool:
        """Whether a node's host is not up yet."""
        return bool(self._starting)

    def refresh(self, wait: float = 0.0) -> None:
        """Look which nodes there are, once a second; `wait` at most so long for the hosts of new ones."""
        now = time.monotonic()
        if now < self._next_look and not wait:
            return
        self._next_look = now + LOOK_SECONDS
        nodes = {node["NodeID"]: int(node["Resources"].get("CPU", 0)) for node in ray.nodes() if node["Alive"]}
        for node in self._places.keys() - nodes.keys():
            self.lose(self._places[node])
        taken = self.workers + sum(cpus for cpus, _, _ in self._starting.values())
        left = sum(nodes.values()) if self._wanted is None else self._wanted - taken
        # The driver's own node first, then the largest: the fewer places, the more workers share a table.
        for node in sorted(nodes, key=lambda node: (node != self._own, -nodes[node], node)):
            if node in self._places or node in self._starting:
                continue
            cpus = min(nodes[node], left)
            if cpus > 0:
                self._begin(node, cpus)
                left -= cpus
        self._finish(wait)

    def _begin(self, node: str, cpus: int) -> None:
        if node == self._own and self._words is None:
            self._words = NodeWords()
        options = {
            "scheduling_strategy": NodeAffinitySchedulingStrategy(node, soft=False),
            "max_concurrency": cpus + OTHER_CALLS,
        }
        host = Host.options(**options).remote(cpus, words=node != self._own)  # type: ignore[attr-defined]
        self._starting[node] = cpus, host, host.up.remote()

    def _finish(self, wait: float) -> None:
        references = [reference for _, _, reference in self._starting.values()]
        if not references:
            return
        ready, _ = ray.wait(references, num_returns=len(references), timeout=wait)
        for node, (cpus, host, reference) in list(self._starting.items()):
            if reference not in ready:
                continue
            del self._starting[node]
            words = self._words if node == self._own else None
            with contextlib.suppress(ray.exceptions.RayError):  # lost again before it was of use
                where = ray.get(reference)
                self._places[node] = Place(node, cpus, words.where if words else where, words, host)
                self._introduce()

    def lose(self, place: Place) -> None:
        """Its host has died, or all of the node: use it no more. A node that turns out to be alive is a new place."""
        if self._places.get(place.node) is place:
            del self._places[place.node]
            self._introduce()

    def _introduce(self) -> None:
        """Have each host know the others."""
        hosts = [place.host for place in self.all]
        for host in hosts:
            host.meet.remote([other for other in hosts if other is not host])

    def close(self) -> None:
        """Leave every node as it was."""
        hosts = [place.host for place in self._places.values()]
        hosts += [host for _, host, _ in self._starting.values()]
        for host in hosts:
            with contextlib.suppress(ray.exceptions.RayError):  # a node that is lost took its own along
                ray.kill(host)
        if self._words is not None:
            self._words.close()
        self._places, self._starting, self._words = {}, {}, None
