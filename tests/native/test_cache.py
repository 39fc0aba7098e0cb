"""Why: compiling takes seconds; a second process must not, and nothing that happens to the disk may cost the answer."""

from __future__ import annotations

import os
import subprocess
import sys
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


def searched(folder: Path, game: str = "connect4(4,4)", **environment: str) -> list[str]:
    variables = {**os.environ, "PARSEARCH_CACHE": str(folder), **environment}
    done = subprocess.run(
        [sys.executable, "-c", SEARCH, game], env=variables, capture_output=True, text=True, timeout=200
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
