"""A simulated cluster: the real split and real searches under a virtual clock, in the calling process."""

from __future__ import annotations

from typing import Any

from parsearch.algorithms import find_algorithm
from parsearch.core.game import Game
from parsearch.core.limits import Limits
from parsearch.core.result import SearchResult
from parsearch.parallel.backend import Backend
from parsearch.parallel.driver import Driver
from parsearch.parallel.request import Request
from parsearch.parallel.simulated_backend import SimulatedBackend, VirtualClock
from parsearch.parallel.task import Options
from parsearch.parallel.virtual_cluster import VirtualCluster
from parsearch.parallel.workers import Workers


def simulate(
    game: Game[Any, Any],
    state: Any,
    cluster: VirtualCluster,
    *,
    algorithm: str | None = None,
    limits: Limits | None = None,
    all_moves: bool = False,
    table: int | None = None,
    quiescence: bool = False,
) -> SearchResult:
    """The search that a coordinator would do on that cluster: the same answer, nodes counted, seconds and timeline
    virtual. Arguments and errors as for `Coordinator.search`; `table` is the size of each node's."""
    workers = SimulatedWorkers(cluster)
    options = Options(table, quiescence)
    chosen = find_algorithm(game, algorithm)
    request = Request(game, state, chosen, limits or Limits(), all_moves, options, clock=workers.clock)
    return Driver(request, workers, always=True).run()


class SimulatedWorkers(Workers):
    """The workers of a virtual cluster."""

    start_cost = 0.0
    ready = True

    def __init__(self, cluster: VirtualCluster) -> None:
        self._cluster = cluster
        self.clock = VirtualClock()

    @property
    def count(self) -> int:
        return self._cluster.nodes * self._cluster.workers

    def begin(self) -> None:
        """They are always up."""

    def backend(self, game: Game[Any, Any]) -> Backend:
        return SimulatedBackend(self._cluster, game, self.clock)

    def close(self) -> None:
        """Nothing was started."""
