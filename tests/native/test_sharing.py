"""Why: processes share a table and marks through one file. What one finds the others must know, races must lose no
mark, and a process that is killed must cost no answer."""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections.abc import Callable
from multiprocessing.context import SpawnProcess
from pathlib import Path
from typing import Any

import pytest

from parsearch.core.errors import InputError
from parsearch.core.window import Window
from parsearch.games import load_game
from parsearch.native.build import Features, load_kernel
from parsearch.native.engine import Options, search, solve
from parsearch.native.search import Search
from parsearch.native.sharing import BUSY_BYTES, SharedTable

FEATURES = Features("alphabeta", table=True, ordered=True, solving=True, joint=True)
SPAWN = multiprocessing.get_context("spawn")
POSITION, VALUE = "3476214277", 5  # conformance connect4_7x6
SECONDS = 120


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "table"


def find(path: Path, results: Any) -> None:
    """A process that searches jointly, and says what it found and how many nodes that took."""
    game, shared = load_game("connect4"), SharedTable.attach(path)
    state = game.parse_state(POSITION)
    results.put("ready")
    found = search(
        game, state, game.max_plies(state), Window(VALUE - 1, VALUE + 1),
        options=Options(shared.table, busy=shared.busy), solving=True,
    )  # fmt: skip
    results.put((found.value, found.nodes))


def start(path: Path, count: int, target: Callable[..., None] = find) -> tuple[list[SpawnProcess], Any]:
    """Processes that search over one file, when all of them are ready."""
    load_kernel(load_game("connect4").rules, FEATURES)
    results = SPAWN.Queue()
    processes = [SPAWN.Process(target=target, args=(path, results), daemon=True) for _ in range(count)]
    for process in processes:
        process.start()
    for _ in processes:
        assert results.get(timeout=SECONDS) == "ready"
    return processes, results


def test_two_processes_share_the_work(path: Path) -> None:
    shared = SharedTable.create(path, 16)
    processes, results = start(path, 2)
    found = [results.get(timeout=SECONDS) for _ in processes]
    for process in processes:
        process.join(SECONDS)
        assert process.exitcode == 0
    assert [value for value, _ in found] == [VALUE] * 2
    assert shared.busy.held == 0
    game = load_game("connect4")
    state = game.parse_state(POSITION)
    again = search(
        game, state, game.max_plies(state), Window(VALUE - 1, VALUE + 1),
        options=Options(shared.table, busy=shared.busy), solving=True,
    )  # fmt: skip
    assert again.value == VALUE
    assert again.nodes < 100  # the root is in the table


def search_for_ever(path: Path, results: Any) -> None:
    """A process that is in the middle of a search when it is killed."""
    game, shared = load_game("connect4"), SharedTable.attach(path)
    state = game.initial_state()
    one = Search(game, state, game.max_plies(state), FEATURES, table=shared.table, busy=shared.busy)
    one.run(100_000)
    results.put("ready")
    while not one.run(1000):
        pass


def test_a_killed_process_costs_no_answer(path: Path) -> None:
    shared = SharedTable.create(path, 4)
    (process,), _ = start(path, 1, search_for_ever)
    assert process.pid is not None
    os.kill(process.pid, signal.SIGKILL)
    process.join(SECONDS)
    assert process.exitcode == -signal.SIGKILL
    left = shared.busy.held
    assert left > 0  # it died at work
    game = load_game("connect4(5,4)")
    state = game.initial_state()
    options = Options(shared.table, busy=shared.busy)
    expected = solve(game, state).value
    assert solve(game, state, options=options).value == expected
    assert shared.busy.held <= left  # its marks are in nobody's way


def test_a_stopped_search_takes_its_marks_back(path: Path) -> None:
    shared = SharedTable.create(path, 4)
    game = load_game("connect4")
    state = game.parse_state(POSITION)
    options = Options(shared.table, busy=shared.busy)
    found = search(game, state, game.max_plies(state), options=options, solving=True, nodes=10_000)
    assert not found.finished
    assert shared.busy.held == 0
    one = Search(game, state, game.max_plies(state), FEATURES, table=shared.table, busy=shared.busy)
    one.run(10_000)
    assert shared.busy.held > 0
    one.release()
    assert shared.busy.held == 0


def test_files_that_cannot_be(path: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="create it first"):
        SharedTable.attach(path)
    path.write_bytes(bytes(BUSY_BYTES + 100))
    with pytest.raises(InputError, match="no shared table"):
        SharedTable.attach(path)
    with pytest.raises(InputError, match="File exists"):
        SharedTable.create(path, 1)
    with pytest.raises(InputError, match="No such file"):
        SharedTable.create(tmp_path / "nowhere" / "table", 1)
    with pytest.raises(InputError, match="does not fit"):
        SharedTable.create(tmp_path / "huge", 1 << 30)
    assert not (tmp_path / "huge").exists()


def test_memory_is_given_back(path: Path) -> None:
    shared = SharedTable.create(path, 1)
    other = SharedTable.attach(path)
    other.table.words[7] = 7
    assert shared.table.words[7] == 7
    shared.close()
    other.close()
    maps = Path("/proc/self/maps")
    if maps.exists():
        assert str(path) not in maps.read_text()
    assert path.stat().st_size == (1 << 20) + BUSY_BYTES
