"""One machine's answer from any cluster: nodes of any size, that join while a search runs or never saw the game."""

from __future__ import annotations

import itertools
import os
import shutil
import subprocess
import sys
import tempfile
import textwrap
import threading
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import ray
from ray.util.metrics import Gauge

from hashed_game import Hashed
from parsearch import Coordinator, Limits, load_game, search
from parsearch.core.window import Window
from parsearch.parallel.backend import EXCHANGE_SECONDS
from parsearch.parallel.crew import Crew
from parsearch.parallel.ray_exchange import Exchange
from parsearch.parallel.task import Options, Task
from plain import PlainConnect4
from watch import searching, wait_until

pytestmark = pytest.mark.ray

COMPILED = load_game("connect4")
STATE = COMPILED.parse_state("44444326")


@contextmanager
def another_node(cluster: Any, cpus: int) -> Iterator[Any]:
    """A further node of the session's cluster, gone again at the end."""
    node = cluster.add_node(num_cpus=cpus, object_store_memory=100 * 2**20)
    wait_until(lambda: ray.cluster_resources()["CPU"] == 4 + cpus)
    try:
        yield node
    finally:
        cluster.remove_node(node)
        wait_until(lambda: ray.cluster_resources()["CPU"] == 4)


def test_nodes_of_different_sizes_are_all_used_as_far_as_they_go(ray_cluster: Any) -> None:
    alone = search(COMPILED, STATE, workers=0)
    with another_node(ray_cluster, 1), Coordinator(offload="always") as coordinator:
        coordinator.start()
        result = coordinator.search(COMPILED, STATE)
        assert (result.value, result.move, result.workers) == (alone.value, alone.move, 5)
        assert len({run.worker.rpartition("/")[0] for run in result.timeline}) == 3  # a crew on each node
        plain = coordinator.search(PlainConnect4(), limits=Limits(depth=6), algorithm="minimax")
        assert len({run.worker for run in plain.timeline}) == 5
        assert plain.value == search(PlainConnect4(), limits=Limits(depth=6), workers=0).value


@ray.remote(num_cpus=0)
class Listener:
    """Takes what a host would."""

    def __init__(self) -> None:
        self._logs: list[Any] = []

    def learn(self, logs: list[Any]) -> None:
        self._logs += logs

    def heard(self) -> list[Any]:
        return self._logs


def test_a_single_worker_searches_compiled_tasks_in_one_process_as_well(ray_cluster: Any) -> None:
    state = COMPILED.parse_state("21435")
    alone = search(COMPILED, state, limits=Limits(depth=12), workers=0)
    with Coordinator(workers=1, offload="always") as coordinator:
        coordinator.start()
        results = [coordinator.search(COMPILED, state, limits=Limits(depth=12)) for _ in range(3)]
    assert len({run.worker for result in results for run in result.timeline}) == 1
    assert {(result.value, result.move, result.nodes) for result in results} == {(alone.value, alone.move, alone.nodes)}


def test_hosts_tell_each_other_what_took_long_to_find(ray_cluster: Any) -> None:
    task = Task((0,), "a", STATE, COMPILED.max_plies(STATE), Window(0, 1), "alphabeta", Options(1, solving=True))
    speaker, listener = Crew(1), Listener.remote()  # type: ignore[attr-defined]
    assert ray.get(listener.heard.remote()) == []  # it is up
    nodes = speaker.search(COMPILED, task, 1).nodes
    exchange = Exchange(speaker)
    assert speaker.news is None  # nobody is there
    exchange.meet([listener])
    generations = itertools.count(1)

    def nodes_where_heard() -> int:
        again = replace(task, options=replace(task.options, generation=next(generations)))
        speaker.search(COMPILED, again, again.options.generation + 1)
        time.sleep(10 * EXCHANGE_SECONDS)  # the last message is on its way
        taught = Crew(1)
        taught.search(COMPILED, replace(again, state=COMPILED.initial_state(), depth=1), 1)  # it has a table now
        taught.learn(ray.get(listener.heard.remote()))
        return taught.search(COMPILED, again, 2).nodes

    wait_until(lambda: nodes_where_heard() < nodes / 2)  # a listener that is busy is left out
    exchange.meet([])
    assert speaker.news is None


def test_a_search_shows_among_the_clusters_metrics(ray_cluster: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    shown: dict[str, list[tuple[float, dict[str, str]]]] = defaultdict(list)

    def show(self: Gauge, value: float, tags: dict[str, str] | None = None) -> None:
        shown[self.info["name"]].append((value, self.info["default_tags"] | (tags or {})))

    monkeypatch.setattr(Gauge, "set", show)
    game = PlainConnect4()
    with Coordinator(workers=2, offload="always") as coordinator:
        result = coordinator.search(game, limits=Limits(depth=4), algorithm="minimax")
    opened = [value for value, tags in shown["parsearch_open_subtrees"] if tags == {"game": game.name}]
    assert max(opened) == 4  # one a worker, and one ahead
    assert opened[-1] == 0
    rates = {tags["worker"]: value for value, tags in shown["parsearch_nodes_per_second"] if value}
    assert rates == {
        run.worker: pytest.approx(run.nodes / (run.ended - run.started), rel=0.01) for run in result.timeline
    }


def test_a_node_that_joins_during_a_search_is_used(ray_cluster: Any) -> None:
    hours = COMPILED.initial_state()
    over = threading.Event()
    with Coordinator(offload="always") as coordinator:
        coordinator.start()
        searches = threading.Thread(
            target=coordinator.search,
            args=(COMPILED, hours),
            kwargs={"stop": over.is_set, "limits": Limits(seconds=60)},
        )
        searches.start()
        try:
            wait_until(lambda: len(searching("connect4")) == 2)
            with another_node(ray_cluster, 1):
                wait_until(lambda: len(searching("connect4")) == 3)
                over.set()
                searches.join()
        finally:
            over.set()
            searches.join()


@pytest.fixture
def short_tmp() -> Iterator[Path]:
    """A folder with so short a path that Ray's sockets can lie in it."""
    folder = Path(tempfile.mkdtemp(prefix="parsearch-test-", dir="/tmp"))
    (folder / "ray").mkdir()  # a Cluster writes its address there before any node does
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


def run(code: str, folder: Path) -> str:
    """The standard output of a script that has a cluster of its own: a head without CPUs, where the script is, and a
    node with two."""
    script = folder / "script.py"
    script.write_text(
        textwrap.dedent(CLUSTER).replace("        # SEARCH", textwrap.indent(textwrap.dedent(code), " " * 8))
    )
    done = subprocess.run(
        [sys.executable, str(script)],
        cwd="/", env=os.environ | {"RAY_TMPDIR": str(folder)}, capture_output=True, text=True, timeout=150,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


CLUSTER = """
from ray.cluster_utils import Cluster
from parsearch import Coordinator, Limits, load_game

if __name__ == "__main__":
    size = {"object_store_memory": 100 * 2**20}
    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 0, "include_dashboard": False, **size})
    cluster.add_node(num_cpus=2, **size)
    with Coordinator(address=cluster.address, offload="always") as coordinator:
        # SEARCH
    cluster.shutdown()
"""


def test_a_driver_on_a_node_without_cpus_and_games_that_only_it_has(short_tmp: Path) -> None:
    hidden = short_tmp / "hidden"
    hidden.mkdir()
    shutil.copy(Path(__file__).parent / "hashed_game.py", hidden / "hidden_compiled.py")
    shutil.copy(Path(__file__).parent / "plain.py", hidden / "hidden_plain.py")
    out = run(
        f"""
        import sys
        game = load_game("connect4")
        result = coordinator.search(game, game.parse_state("44444326"))
        print(result.value, result.move, result.workers)
        sys.path.append({str(hidden)!r})  # which the workers, that are up, do not know
        from hidden_compiled import Hashed
        from hidden_plain import PlainConnect4
        print(coordinator.search(Hashed()).value, coordinator.search(PlainConnect4(), limits=Limits(depth=3)).move)
        """,
        short_tmp,
    )
    assert out == f"0 3 2\n{search(Hashed(), workers=0).value} 4\n"


def test_the_time_limit_holds_while_no_node_can_be_used(short_tmp: Path) -> None:
    out = run(
        """
        import time
        game = load_game("connect4")
        coordinator.start()
        cluster.remove_node(next(iter(cluster.worker_nodes)), allow_graceful=False)
        started = time.monotonic()
        result = coordinator.search(game, limits=Limits(seconds=3))
        print(result.complete, result.move, result.depth, time.monotonic() - started < 20)
        """,
        short_tmp,
    )
    assert "False 4 0 True" in out.splitlines()  # among what Ray has to say of the node
