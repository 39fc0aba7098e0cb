"""What several test files share: the Ray cluster of the test session, watched for what it leaves behind, and doing
without Ray."""

from __future__ import annotations

import shutil
import signal
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

signal.signal(signal.SIGINT, signal.default_int_handler)  # which a shell's background jobs ignore, and tests send


def pytest_itemcollected(item: pytest.Item) -> None:
    """What stays together where several processes run the tests: a file, so that its kernels are compiled once, and
    whatever uses Ray, so that there is one Ray at a time."""
    if item.config.pluginmanager.hasplugin("xdist"):
        item.add_marker(pytest.mark.xdist_group("ray" if _uses_ray(item) else item.path.stem))


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """In one of several processes, what uses Ray comes first, because it takes longest."""
    if hasattr(config, "workerinput"):
        items.sort(key=lambda item: not _uses_ray(item))


def _uses_ray(item: pytest.Item) -> bool:
    return item.get_closest_marker("ray") is not None or "ray_cluster" in getattr(item, "fixturenames", ())


@pytest.fixture(scope="session")
def ray_cluster() -> Iterator[Any]:
    """The one Ray of the session: two nodes on this machine, two CPUs each. Coordinators find it initialised."""
    import psutil
    import ray
    from ray.cluster_utils import Cluster

    folder = Path(tempfile.mkdtemp(prefix="parsearch-test-", dir="/tmp"))  # sockets want a short path
    patch = pytest.MonkeyPatch()
    patch.setenv("RAY_TMPDIR", str(folder))
    (folder / "ray").mkdir()  # a Cluster writes its address there before any node does
    before = {child.pid for child in psutil.Process().children(recursive=True)}
    node = {"num_cpus": 2, "object_store_memory": 100 * 2**20, "include_dashboard": False}
    cluster = Cluster(initialize_head=True, head_node_args=node)
    cluster.add_node(num_cpus=2, object_store_memory=100 * 2**20)
    ray.init(address=cluster.address, logging_level="ERROR", log_to_driver=False)
    yield cluster
    ray.shutdown()
    cluster.shutdown()
    patch.undo()
    ours = [child for child in psutil.Process().children(recursive=True) if child.pid not in before]
    _, alive = psutil.wait_procs(ours, timeout=10)
    shutil.rmtree(folder, ignore_errors=True)
    assert not alive, f"the session leaves processes behind: {alive}"


@pytest.fixture
def without_ray(monkeypatch: pytest.MonkeyPatch) -> None:
    """Experiments search in this process."""
    from experiments import StandIn
    from parsearch.experiments import runners

    monkeypatch.setattr(runners, "Coordinator", StandIn)
