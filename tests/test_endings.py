"""However a driver ends, nothing of its search goes on without it, and little shared memory is no reason to fail."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psutil
import pytest

from watch import files, hosts, searching, wait_until

pytestmark = pytest.mark.ray

SEARCH = """
    from parsearch import Coordinator, Limits, load_game
    if __name__ == "__main__":
        game = load_game("connect4")
        with Coordinator(offload="always", **OPTIONS) as coordinator:
            coordinator.start()
            result = coordinator.search(game, game.parse_state("STATE"))
            print(result.value, result.move)
"""
LONG = ""
"""Connect Four from its beginning: takes hours."""


@contextmanager
def driver(folder: Path, state: str = LONG, prefix: tuple[str, ...] = (), **options: Any) -> Iterator[Any]:
    """A process that solves a position of Connect Four."""
    script = folder / "driver.py"
    script.write_text(textwrap.dedent(SEARCH).replace("OPTIONS", repr(options)).replace("STATE", state))
    command = [*prefix, sys.executable, str(script)]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True, env=os.environ | {"TMPDIR": "/tmp"}) as process:
        try:
            yield process
        finally:
            process.kill()


@pytest.mark.parametrize("signum", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_a_cluster_is_free_again_when_a_driver_is_gone(
    signum: signal.Signals, ray_cluster: Any, tmp_path: Path
) -> None:
    actors, before = hosts(), files()
    with driver(tmp_path, address=ray_cluster.address) as process:
        wait_until(lambda: len(searching("connect4")) == 2)  # a crew on each node
        assert hosts() == actors + 2
        process.send_signal(signum)
        process.wait(60)
    wait_until(lambda: not searching("connect4"))
    wait_until(lambda: hosts() == actors)
    assert files() <= before


@pytest.mark.slow
@pytest.mark.parametrize("signum", [signal.SIGTERM, signal.SIGKILL])
def test_what_a_killed_driver_leaves_of_its_own_ray_is_cleaned_by_the_next(
    signum: signal.Signals, tmp_path: Path
) -> None:
    with driver(tmp_path, workers=2) as process:
        wait_until(lambda: searching("connect4"))
        ray = psutil.Process(process.pid).children(recursive=True)
        process.send_signal(signum)
        process.wait(60)
    _, alive = psutil.wait_procs(ray, timeout=120)
    assert not alive
    with driver(tmp_path, "44444326", workers=2) as another:
        assert another.communicate(timeout=120)[0] == "0 3\n"
    assert not files(process.pid) | files(another.pid)


def may_mount() -> bool:
    if not shutil.which("unshare"):
        return False
    return subprocess.run(["unshare", "-m", "mount", "-t", "tmpfs", "tmpfs", "/mnt"], check=False).returncode == 0


@pytest.mark.parametrize("fill", ["size=64k", pytest.param("size=200m", marks=pytest.mark.slow)])
def test_a_tiny_or_full_shared_memory(fill: str, tmp_path: Path) -> None:
    if not may_mount():
        pytest.skip("no file system can be mounted here")
    shell = f'mount -t tmpfs -o {fill} tmpfs /dev/shm && head -c 199m /dev/zero > /dev/shm/filler; exec "$@"'
    with driver(tmp_path, "44444326", ("unshare", "-m", "sh", "-c", shell, "sh"), workers=2) as process:
        out, errors = process.communicate(timeout=120)
    assert out == "0 3\n", errors


@pytest.mark.slow
def test_a_game_that_takes_all_memory_is_named_with_the_position(tmp_path: Path) -> None:
    """Ray kills a worker when its machine runs out of memory; here that is when two more gibibytes are taken."""
    used = 1 - psutil.virtual_memory().available / psutil.virtual_memory().total
    threshold = used + 2 * 2**30 / psutil.virtual_memory().total
    if threshold > 0.9:
        pytest.skip("this machine has no memory to waste")
    script = tmp_path / "script.py"
    script.write_text(
        textwrap.dedent(
            """
            import os, time
            from parsearch import Coordinator, WorkerError, load_game

            class Hoarding(type(load_game("nim"))):
                driver = os.getpid()
                def evaluate(self, state):
                    hoard = []
                    while os.getpid() != self.driver and len(hoard) < 80:
                        hoard.append(os.urandom(2**20) * 64)
                        time.sleep(0.05)
                    return super().evaluate(state)

            if __name__ == "__main__":
                with Coordinator(workers=1, offload="always") as coordinator:
                    coordinator.start()
                    try:
                        coordinator.search(Hoarding())
                    except WorkerError as error:
                        print(type(error.__cause__).__name__, error)
            """
        )
    )
    environment = os.environ | {
        "RAY_memory_usage_threshold": str(threshold),
        "RAY_memory_monitor_refresh_ms": "50",
        "TMPDIR": "/tmp",
    }
    done = subprocess.run(
        [sys.executable, str(script)], capture_output=True, text=True, timeout=200, env=environment, check=True
    )
    assert re.search(r"OutOfMemoryError nim.*died 2 times, position '", done.stdout), (done.stdout, done.stderr)
