"""The speeds of a machine, as `parsearch calibrate` writes them and simulated experiments read them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import yaml
from pydantic import Field

from parsearch.config import Config, load_config
from parsearch.core.errors import InputError
from parsearch.parallel.virtual_cluster import DELAYS, RATES

NodesPerSecond = Annotated[float, Field(ge=RATES[0], le=RATES[1], allow_inf_nan=False)]
Seconds = Annotated[float, Field(ge=DELAYS[0], le=DELAYS[1], allow_inf_nan=False)]
"""What a `VirtualCluster` may have."""


class Rate(Config):
    """Nodes a second of one sequential search, in CPU time; solving: whether it went to the end of the game.

    crowded: what is left of it, as a share, where every core of the machine searches: cores share caches and memory.
    """

    game: str
    algorithm: str
    solving: bool
    nodes_per_second: NodesPerSecond
    crowded: Annotated[float, Field(gt=0, le=1)] = 1.0


class Calibration(Config):
    """What one machine costs a search.

    machine: the processor and software that were measured, for the reader. send_seconds: of the coordinator, for each
    task. latency_seconds: one way, coordinator to worker. table_probe_seconds: one random access to a table larger
    than the processor's caches, for the reader too: the rates were measured with a table, and have its cost in them.
    """

    machine: str
    rates: list[Rate]
    send_seconds: Seconds
    latency_seconds: Seconds
    table_probe_seconds: Seconds

    def rate(self, game: str, algorithm: str, solving: bool, crowded: bool = False) -> float:
        """Nodes a second, alone or in a crowd. Raises InputError where it was not measured."""
        for rate in self.rates:
            if (rate.game, rate.algorithm, rate.solving) == (game, algorithm, solving):
                return rate.nodes_per_second * (rate.crowded if crowded else 1)
        what = f"{algorithm} {'solving' if solving else 'to a fixed depth'} on {game}"
        raise InputError(f"the calibration has no rate for {what}; run `parsearch calibrate --config FILE` with it")


def read_calibration(path: Path) -> Calibration:
    """Read what `write_calibration` wrote. Raises ConfigError, naming the file."""
    return load_config(path, Calibration)


def write_calibration(calibration: Calibration, path: Path) -> None:
    """Write a calibration as YAML. Raises InputError where the file cannot be written."""
    try:
        path.write_text(yaml.safe_dump(calibration.model_dump(), sort_keys=False), encoding="utf-8")
    except OSError as error:
        raise InputError(f"cannot write {str(path)!r}: {error.strerror}; name a file that can be made") from error
