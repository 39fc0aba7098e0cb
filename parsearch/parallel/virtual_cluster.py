"""The machine that a simulation assumes, refused where nobody could have it."""

from __future__ import annotations

import math
from dataclasses import dataclass

from parsearch.core.errors import InputError

MOST_WORKERS = 16_384
"""Of a virtual cluster: a worker of a compiled game takes some 0.1 MiB."""

RATES = 1e-3, 1e12
"""The least and the most nodes a second of a worker. Beyond them virtual time ceases to be a number that adds up."""

DELAYS = 0.0, 10.0
"""The shortest and the longest that sending a task or a message may take, in seconds."""


@dataclass(frozen=True, slots=True)
class Failure:
    """A worker that dies at a virtual moment, or a whole node where `worker` is None. A worker is replaced at once."""

    at: float
    node: int
    worker: int | None = None


@dataclass(frozen=True, slots=True)
class VirtualCluster:
    """The machine to simulate. Times in seconds.

    nodes: machines, each with `workers` workers that share a table. rate: nodes of the tree that a worker visits a
    second. speeds: of each machine relative to that, 1 where left out.
    send_seconds: what it costs the coordinator to send a task. latency: of a message, one way; jitter: the share by
    which it varies at random, under `seed`. failures: what dies when.

    Raises InputError for what is out of range.
    """

    nodes: int = 1
    workers: int = 2
    rate: float = 5e6
    send_seconds: float = 0.0006
    latency: float = 0.0005
    jitter: float = 0.0
    speeds: tuple[float, ...] = ()
    failures: tuple[Failure, ...] = ()
    seed: int = 0

    def __post_init__(self) -> None:
        _require_whole("nodes", self.nodes, 1, MOST_WORKERS)
        _require_whole("workers", self.workers, 1, MOST_WORKERS // self.nodes)
        _require_number("rate", self.rate, *RATES)
        for speed in self.speeds:
            _require_number("speeds", speed, RATES[0] / self.rate, RATES[1] / self.rate)
        if len(self.speeds) > self.nodes:
            raise InputError(
                f"a virtual cluster of {self.nodes} nodes has no use for {len(self.speeds)} speeds; give one a node"
            )
        _require_number("send_seconds", self.send_seconds, *DELAYS)
        _require_number("latency", self.latency, *DELAYS)
        _require_number("jitter", self.jitter, 0, 1)
        for failure in self.failures:
            _require_number("moment of failure", failure.at, 0, 1e9)
            _require_whole("failing node", failure.node, 0, self.nodes - 1)
            if failure.worker is not None:
                _require_whole("failing worker", failure.worker, 0, self.workers - 1)
        _require_whole("seed", self.seed, 0, math.inf)


def _require_whole(name: str, value: object, least: int, most: float) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise InputError(f"a virtual cluster's {name} must be a whole number from {least} to {most}, not {value!r}")


def _require_number(name: str, value: object, least: float, most: float) -> None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not least <= value <= most:
        raise InputError(f"a virtual cluster's {name} must be a number from {least:g} to {most:g}, not {value!r}")
