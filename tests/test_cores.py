"""The default number of workers is what this process may use, not what the machine has."""

from __future__ import annotations

import math
import os
from pathlib import Path

import pytest

from parsearch.parallel import cores
from parsearch.parallel.cores import cpu_quota, usable_cores


@pytest.fixture(autouse=True)
def no_own_group(monkeypatch: pytest.MonkeyPatch) -> None:
    """The control groups of the machine that runs the tests are nobody's business here."""
    monkeypatch.setattr(cores, "_own_groups", lambda cgroup: [])


@pytest.mark.parametrize(
    ("files", "quota"),
    [
        ({"cpu.max": "150000 100000\n"}, 1.5),
        ({"cpu.max": "max 100000\n"}, math.inf),
        ({"cpu.cfs_quota_us": "400000\n", "cpu.cfs_period_us": "100000\n"}, 4.0),
        ({"cpu.cfs_quota_us": "-1\n", "cpu.cfs_period_us": "100000\n"}, math.inf),
        ({}, math.inf),
    ],
)
def test_quota_of_both_versions_of_cgroups(files: dict[str, str], quota: float, tmp_path: Path) -> None:
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    assert cpu_quota(tmp_path) == quota


def test_the_least_of_affinity_quota_and_physical_cores_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: set(range(8)))
    monkeypatch.setattr("psutil.cpu_count", lambda logical: 6)
    assert usable_cores(tmp_path) == 6
    (tmp_path / "cpu.max").write_text("250000 100000")
    assert usable_cores(tmp_path) == 2
    (tmp_path / "cpu.max").write_text("50000 100000")
    assert usable_cores(tmp_path) == 1
    (tmp_path / "cpu.max").write_text("max 100000")
    monkeypatch.setattr("psutil.cpu_count", lambda logical: None)
    assert usable_cores(tmp_path) == 8
