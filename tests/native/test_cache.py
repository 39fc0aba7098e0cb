"""Why: compiling takes seconds; a second process must not, and nothing that happens to the disk may cost the answer."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from parsearch.native import cache

SEARCH = """
import sys, time
started = time.monotonic()
from parsearch.games import load_game
from parsearch.native.build import Features, load_kernel
from parsearch.native.engine import search

game = load_game(sys.argv[1])
found = search(game, game.initial_state(), 3)
kernel = load_kernel(game.rules, Features("alphabeta"))
misses = sum(kernel.run.stats.cache_misses.values())
print(found.value, found.nodes, kernel.loaded, misses, time.monotonic() - started < 1.5)
"""


ON_WORKERS = """
import json
import ray
from parsearch import Coordinator, Limits, load_game

def statistics(host):
    from parsearch.native.build import _kernels

    stats = [kernel.run.stats for kernel in _kernels.values()]
    return sum(sum(s.cache_hits.values()) for s in stats), sum(sum(s.cache_misses.values()) for s in stats)

if __name__ == "__main__":
    ray.init(address="local", num_cpus=2, log_to_driver=False)
    game, found = load_game("connect4(4,4)"), []
    for workers, table in ((2, 1), (1, 0)):  # together, and alone
        with Coordinator(workers=workers, offload="always") as coordinator:
            coordinator.search(game, limits=Limits(depth=8), table=table)
            (place,) = coordinator._workers._session.places.all
            found.append(ray.get(place.host.__ray_call__.remote(statistics), timeout=60))
    print(json.dumps(found))
"""


def searched(folder: Path, game: str = "connect4(4,4)", before: str = "", **environment: str) -> list[str]:
    variables = {**os.environ, "PARSEARCH_CACHE": str(folder), **environment}
    done = subprocess.run(
        [sys.executable, "-c", before + SEARCH, game], env=variables, capture_output=True, text=True, timeout=200
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


@pytest.fixture(scope="module")
def warm(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("cache")
    assert searched(folder)[:4] == ["0", "31", "False", "1"]
    return folder


def test_the_second_process_compiles_nothing(warm: Path) -> None:
    assert searched(warm)[:4] == ["0", "31", "True", "0"]


@pytest.mark.ray
@pytest.mark.timeout(600)
def test_no_worker_of_a_second_run_compiles(tmp_path: Path) -> None:
    """Neither by Numba's statistics nor by what they would have written."""
    kernels = tmp_path / "cache" / "kernels"
    (tmp_path / "script.py").write_text(ON_WORKERS)
    variables = {**os.environ, "PARSEARCH_CACHE": str(tmp_path / "cache")}
    before: dict[Path, int] = {}
    for run in ("first", "second"):
        done = subprocess.run(
            [sys.executable, str(tmp_path / "script.py")], env=variables, capture_output=True, text=True, timeout=280
        )
        assert done.returncode == 0, done.stderr
        statistics = json.loads(done.stdout)
        assert len(statistics) == 2
        assert all(hits > 0 and misses == 0 for hits, misses in statistics), statistics
        files = {path: path.stat().st_mtime_ns for path in kernels.rglob("*.nb?")}
        assert files
        assert run == "first" or files == before
        before = files


def test_another_parameter_is_another_kernel(warm: Path) -> None:
    assert searched(warm, "connect4(5,4)")[2] == "False"
    assert searched(warm)[2] == "True"


def test_bounds_checks_are_another_kernel(warm: Path) -> None:
    """Numba itself would load the old code."""
    assert searched(warm, NUMBA_BOUNDSCHECK="1")[2] == "False"


def test_damaged_machine_code_is_compiled_anew(warm: Path) -> None:
    for file in (warm / "kernels" / "__pycache__").glob("*.nbc"):
        file.write_bytes(file.read_bytes()[:100])
    assert searched(warm)[:2] == ["0", "31"]
    assert searched(warm)[:2] == ["0", "31"]


def test_without_a_folder_to_write(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    assert searched(tmp_path / "file")[:3] == ["0", "31", "False"]


def test_a_home_that_cannot_be_written(tmp_path: Path) -> None:
    """The temporary folder does as well."""
    (tmp_path / "home").write_text("")
    home = {"PARSEARCH_CACHE": "", "XDG_CACHE_HOME": "", "HOME": str(tmp_path / "home"), "TMPDIR": str(tmp_path)}
    assert searched(tmp_path, **home)[:3] == ["0", "31", "False"]
    assert searched(tmp_path, **home)[:3] == ["0", "31", "True"]


@pytest.mark.parametrize("largest", [4_000, 40_000], ids=["the module does not fit", "the machine code does not fit"])
def test_a_disk_that_is_full(tmp_path: Path, largest: int) -> None:
    """A limit on the size of files stands for it: writing fails in the midst of a file. Nothing broken stays."""
    limit = f"import resource; resource.setrlimit(resource.RLIMIT_FSIZE, ({largest}, {largest}))\n"
    assert searched(tmp_path, before=limit)[:3] == ["0", "31", "False"]
    assert searched(tmp_path)[:3] == ["0", "31", "False"]
    assert not [path for path in (tmp_path / "kernels").iterdir() if path.name.startswith(".")]


def test_a_process_that_is_killed_while_it_writes(tmp_path: Path) -> None:
    """As soon as there is one file more; each time the next process goes on from there."""
    for count in range(1, 6):
        variables = {**os.environ, "PARSEARCH_CACHE": str(tmp_path)}
        with subprocess.Popen(
            [sys.executable, "-c", SEARCH, "connect4(4,4)"], env=variables, stdout=subprocess.DEVNULL
        ) as process:
            while process.poll() is None and len([*tmp_path.rglob("*.*")]) < count:
                time.sleep(0.001)
            process.kill()
    assert searched(tmp_path)[:2] == ["0", "31"]
    assert searched(tmp_path)[:3] == ["0", "31", "True"]


def test_processes_that_start_together(tmp_path: Path) -> None:
    variables = {**os.environ, "PARSEARCH_CACHE": str(tmp_path)}
    command = [sys.executable, "-c", SEARCH, "connect4(4,4)"]
    together = [
        subprocess.Popen(command, env=variables, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for _ in range(3)
    ]
    answers = [process.communicate(timeout=250) for process in together]
    assert all(out.split()[:2] == ["0", "31"] for out, _ in answers), answers
    assert searched(tmp_path)[2] == "True"


def test_show_and_clear(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PARSEARCH_CACHE", str(tmp_path))
    assert cache.show() == ()
    file = cache.write(f"{cache.PREFIX}abc", '"""connect4: alphabeta"""\n')
    assert file is not None
    shown = cache.show()
    assert [(kernel.title, kernel.file) for kernel in shown] == [("connect4: alphabeta", file)]
    assert shown[0].size > 0
    assert cache.clear() == 1
    assert cache.show() == ()
