"""What a measurement was made on."""

from __future__ import annotations

import os
import platform
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

import psutil

from parsearch.parallel.cores import usable_cores

PACKAGES = ("parsearch", "ray", "numpy", "numba")
"""The installed packages whose versions matter to the speed."""


@dataclass(frozen=True, slots=True)
class Machine:
    """The machine, and how busy it was when the facts were taken.

    when: UTC, ISO 8601. usable_cores: what this process may use. memory, available: bytes.
    load: runnable processes on average over the last 1, 5 and 15 minutes, other programs' included.
    """

    when: str
    platform: str
    cpu: str
    logical_cores: int | None
    physical_cores: int | None
    usable_cores: int
    memory: int
    available: int
    load: tuple[float, float, float]
    python: str


def machine_facts() -> Machine:
    """The facts of this machine, now."""
    memory = psutil.virtual_memory()
    return Machine(
        when=datetime.now(UTC).isoformat(timespec="seconds"),
        platform=platform.platform(),
        cpu=_cpu_model(),
        logical_cores=os.cpu_count(),
        physical_cores=psutil.cpu_count(logical=False),
        usable_cores=usable_cores(),
        memory=memory.total,
        available=memory.available,
        load=psutil.getloadavg(),
        python=platform.python_version(),
    )


def versions() -> dict[str, str]:
    """Of the packages that matter."""
    return {package: version(package) for package in PACKAGES}


def machine_text(machine: Machine, versions: dict[str, str]) -> str:
    """The facts that a reader of a speedup needs, in one line."""
    software = ", ".join(f"{package} {version}" for package, version in versions.items())
    return (
        f"{machine.cpu}, {machine.usable_cores} usable cores, {machine.memory / 2**30:.0f} GiB, "
        f"Python {machine.python}, {software}; load {machine.load[0]:.2f} at the start, {machine.when}"
    )


def _cpu_model() -> str:
    cpuinfo = Path("/proc/cpuinfo")
    lines = cpuinfo.read_text().splitlines() if cpuinfo.is_file() else []
    models = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return models[0] if models else platform.processor() or platform.machine()
