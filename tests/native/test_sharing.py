"""Why: processes share a table and marks through one file. What one finds the others must know, races must lose no
mark, and a process that is killed must cost no answer."""

from __future__ import annotations

import mmap
import multiprocessing
import os
import signal
from collections.abc import Callable
from multiprocessing.context import SpawnProcess
from pathlib import Path
from typing import Any

import pytest

from parsearch.core.window import Window
from parsearch.games import load_game
from parsearch.native.build import Features, load_kernel
from parsearch.native.engine import Options, search, solve
from parsearch.native.search import Search
from parsearch.native.sharing import BUSY_BYTES, Busy
from parsearch.native.table import MEBIBYTE, Table

FEATURES = Features("alphabeta", table=True, ordered=True, solving=True, joint=True)
SPAWN = multiprocessing.get_context("spawn")
POSITION, VALUE = "3476214277", 5  # conformance connect4_7x6
SECONDS = 120


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A file with room for 16 MiB of table and the marks."""
    path = tmp_path / "table"
    path.write_bytes(bytes(16 * MEBIBYTE + BUSY_BYTES))
    return path


def shared(path: Path) -> tuple[Table, Busy]:
    """The table and the marks in the file."""
    with path.open("r+b") as file:
        view = memoryview(mmap.mmap(file.fileno(), 0))
    return Table(buffer=view[:-BUSY_BYTES]), Busy(2, view[-BUSY_BYTES:])


def find(path: Path, ready: Any, results: Any) -> None:
    """A process that searches jointly, and says what it found and how many nodes that took."""
    game, (table, busy) = load_game("connect4"), shared(path)
    state = game.parse_state(POSITION)
    ready.wait(SECONDS)
    found = search(
        game, state, game.max_plies(state), Window(VALUE - 1, VALUE + 1),
        options=Options(table, busy=busy), solving=True,
    )  # fmt: skip
    results.put((found.value, found.nodes))


def start(path: Path, count: int, target: Callable[..., None] = find) -> tuple[list[SpawnProcess], Any]:
    """Processes that search over one file, begun when all of them are ready, and the queue of what they find."""
    load_kernel(load_game("connect4").rules, FEATURES)
    ready, results = SPAWN.Barrier(count + 1), SPAWN.Queue()
    processes = [SPAWN.Process(target=target, args=(path, ready, results), daemon=True) for _ in range(count)]
    for process in processes:
        process.start()
    ready.wait(SECONDS)
    return processes, results


def test_two_processes_share_the_work(path: Path) -> None:
    table, busy = shared(path)
    processes, results = start(path, 2)
    found = [results.get(timeout=SECONDS) for _ in processes]
    for process in processes:
        process.join(SECONDS)
        assert process.exitcode == 0
    assert [value for value, _ in found] == [VALUE] * 2
    assert busy.held == 0
    game = load_game("connect4")
    state = game.parse_state(POSITION)
    again = search(
        game, state, game.max_plies(state), Window(VALUE - 1, VALUE + 1),
        options=Options(table, busy=busy), solving=True,
    )  # fmt: skip
    assert again.value == VALUE
    assert again.nodes < 100  # the root is in the table


def search_for_ever(path: Path, ready: Any, results: Any) -> None:
    """A process that is in the middle of a search when it is killed."""
    game, (table, busy) = load_game("connect4"), shared(path)
    state = game.initial_state()
    one = Search(game, state, game.max_plies(state), FEATURES, table=table, busy=busy)
    one.run(100_000)
    ready.wait(SECONDS)
    while not one.run(1000):
        pass


def test_a_killed_process_costs_no_answer(path: Path) -> None:
    table, busy = shared(path)
    (process,), _ = start(path, 1, search_for_ever)
    assert process.pid is not None
    os.kill(process.pid, signal.SIGKILL)
    process.join(SECONDS)
    assert process.exitcode == -signal.SIGKILL
    left = busy.held
    assert left > 0  # it died at work
    game = load_game("connect4(5,4)")
    state = game.initial_state()
    options = Options(table, busy=busy)
    expected = solve(game, state).value
    assert solve(game, state, options=options).value == expected
    assert busy.held <= left  # its marks are in nobody's way


def test_a_stopped_search_takes_its_marks_back(path: Path) -> None:
    table, busy = shared(path)
    game = load_game("connect4")
    state = game.parse_state(POSITION)
    options = Options(table, busy=busy)
    found = search(game, state, game.max_plies(state), options=options, solving=True, nodes=10_000)
    assert not found.finished
    assert busy.held == 0
    one = Search(game, state, game.max_plies(state), FEATURES, table=table, busy=busy)
    one.run(10_000)
    assert busy.held > 0
    one.release()
    assert busy.held == 0
