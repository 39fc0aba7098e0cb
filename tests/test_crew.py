"""Why: the threads of a crew search tasks together, come and go, and are told things at any moment. What they answer
must be plain minimax all the same, and nobody may be left searching."""

from __future__ import annotations

import random
import threading
import time
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from cases import keeps_contract, some_state
from hashed_game import Hashed
from parsearch.algorithms import Effort, minimax
from parsearch.core.errors import GameError
from parsearch.core.window import Window
from parsearch.games import load_game
from parsearch.native import engine, layout
from parsearch.native.build import joint_depth
from parsearch.native.sharing import News
from parsearch.native.table import Table
from parsearch.parallel import crew as crew_module
from parsearch.parallel.crew import AssistantOrders, Crew
from parsearch.parallel.task import NoOrders, Options, Outcome, Shared, Task, run_task

SECONDS = 60
HASHED = Hashed()
CONNECT4 = load_game("connect4")
LONG = "3476214277"
"""Takes alpha-beta some hundred thousand positions to solve."""


def task(game: Any, state: Any, depth: int, window: Window = Window(), solving: bool = False) -> Task:  # noqa: B008
    return Task((0,), "a", state, depth, window, "alphabeta", Options(table=1, solving=solving))


def long_task() -> Task:
    state = CONNECT4.parse_state(LONG)
    return task(CONNECT4, state, CONNECT4.max_plies(state), solving=True)


@pytest.fixture(autouse=True)
def short_slices(monkeypatch: pytest.MonkeyPatch) -> None:
    """Orders are looked at often."""
    monkeypatch.setattr(engine, "SLICE_NODES", 100)


@pytest.mark.parametrize("workers", [1, 2])
def test_what_others_are_to_learn_does_not_depend_on_how_many_log_it(workers: int) -> None:
    crew = Crew(workers)
    crew.news = News()
    crew.search(CONNECT4, long_task(), 1)
    rows = np.concatenate(crew.news.take())
    depths = rows[:, 1] >> layout.DEPTH_SHIFT & np.uint64(layout.DEPTH_MASK)
    assert depths.min() < joint_depth(CONNECT4.rules, workers)  # finer than they divide it among themselves


@pytest.mark.parametrize("workers", [1, 2, 3, 4])
@pytest.mark.parametrize("roomy", [True, False])
def test_tasks_at_once_give_the_values_of_minimax(workers: int, roomy: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if not roomy:  # eight buckets, where nothing stays for long
        monkeypatch.setattr(crew_module, "Table", lambda mebibytes: Table(buffer=bytearray(512)))
    rng, crew = random.Random(workers), Crew(workers)
    tasks = [
        task(HASHED, some_state(HASHED, rng, rng.randrange(3)), depth, Window(low, low + rng.choice([1, 2, 9])))
        for depth in (5, 6, 7, 8)
        for low in rng.choices(range(-4, 3), k=2)
    ]
    with ThreadPoolExecutor(workers) as threads:
        outcomes = list(threads.map(lambda number: crew.search(HASHED, tasks[number], number), range(len(tasks))))
    for searched, outcome in zip(tasks, outcomes, strict=True):
        value, _ = minimax(HASHED, searched.state, searched.depth, Effort())
        assert keeps_contract(outcome.window, outcome.value, value)
        assert outcome.window == searched.window
        assert_nobody_searches(crew)


def assert_nobody_searches(crew: Crew) -> None:
    """The first seat is free again."""
    crew.assisted()
    outcome = crew.search(HASHED, task(HASHED, HASHED.initial_state(), 1), 10**6)
    assert outcome.worker.endswith("/0")


@pytest.mark.parametrize("workers", [1, 2, 4])
def test_narrowed_and_ended_at_any_moment(workers: int) -> None:
    rng, crew = random.Random(workers), Crew(workers)
    stopped = 0
    with ThreadPoolExecutor(workers) as threads:
        for number in range(0, 60, workers):
            tasks = [task(HASHED, some_state(HASHED, rng, rng.randrange(3)), 8) for _ in range(workers)]
            searches = [threads.submit(crew.search, HASHED, one, number + i) for i, one in enumerate(tasks)]
            told: list[Window | None] = [Window()] * workers
            while not all(search.done() for search in searches):
                which = rng.randrange(workers)
                window = told[which]
                if window is None:
                    continue
                low = rng.randrange(-4, 3)
                narrower = max(window.alpha, low), min(window.beta, low + 2)
                told[which] = None if rng.random() < 0.1 else Window(*narrower) if narrower[0] < narrower[1] else window
                crew.tell(number + which, told[which])
            for searched, search, last in zip(tasks, searches, told, strict=True):
                outcome = search.result(SECONDS)
                if outcome.value is None:
                    assert last is None
                    stopped += 1
                else:
                    value, _ = minimax(HASHED, searched.state, searched.depth, Effort())
                    assert keeps_contract(outcome.window, outcome.value, value)
    assert stopped
    assert_nobody_searches(crew)


class Watched:
    """Calls of `run_task` by a crew: who joined, and an event at the first who did."""

    def __init__(self) -> None:
        self.joined = threading.Event()
        self.assistants: list[int] = []

    def __call__(self, game: Any, one: Task, orders: Any, shared: Shared) -> Outcome:
        if isinstance(orders, AssistantOrders):
            self.assistants.append(orders.number)
            self.joined.set()
        return run_task(game, one, orders, shared)


@pytest.fixture
def watched(monkeypatch: pytest.MonkeyPatch) -> Watched:
    calls = Watched()
    monkeypatch.setattr(crew_module, "run_task", calls)
    return calls


def start(crew: Crew, threads: ThreadPoolExecutor, number: int) -> Future[Outcome]:
    return threads.submit(crew.search, CONNECT4, long_task(), number)


def test_assistants_join_a_task_leave_with_it_and_are_counted(watched: Watched) -> None:
    crew = Crew(3)
    with ThreadPoolExecutor(1) as threads:
        search = start(crew, threads, 0)
        assert watched.joined.wait(SECONDS)
        outcome = search.result(SECONDS)
    assert outcome.value == run_task(CONNECT4, long_task(), NoOrders(long_task())).value
    assisted = crew.assisted()
    assert len(assisted) == len(watched.assistants) > 0
    assert {line for line, _ in assisted} == {"a"}
    assert sum(assistant.nodes for _, assistant in assisted) > 0
    assert outcome.worker not in {assistant.worker for _, assistant in assisted}
    assert crew.assisted() == []
    assert_nobody_searches(crew)


def test_an_assistant_leaves_when_its_worker_is_given_a_task(watched: Watched) -> None:
    crew = Crew(2)
    with ThreadPoolExecutor(2) as threads:
        first = start(crew, threads, 0)
        assert watched.joined.wait(SECONDS)
        second = start(crew, threads, 1)
        assert second.result(SECONDS).value == first.result(SECONDS).value
    assert crew.assisted()[0][1].value is None  # it left unfinished
    assert_nobody_searches(crew)


def test_a_task_that_was_ended_takes_its_assistants_along(watched: Watched) -> None:
    crew = Crew(2)
    with ThreadPoolExecutor(1) as threads:
        search = start(crew, threads, 7)
        assert watched.joined.wait(SECONDS)
        crew.tell(7, None)
        assert search.result(SECONDS).value is None
    assert [assistant.value for _, assistant in crew.assisted()] == [None]
    assert_nobody_searches(crew)


def test_the_word_to_end_may_come_before_the_task() -> None:
    crew = Crew(1)
    crew.tell(5, None)
    crew.tell(6, Window(-1, 1))  # a narrower window may come too early too, and is not needed
    assert crew.search(CONNECT4, long_task(), 5).value is None
    small = task(HASHED, HASHED.initial_state(), 3)
    assert crew.search(HASHED, small, 6).value == minimax(HASHED, small.state, 3, Effort())[0]


def test_whoever_is_first_answers_for_all(monkeypatch: pytest.MonkeyPatch) -> None:
    wanted = task(HASHED, HASHED.initial_state(), 3)
    alone = run_task(HASHED, wanted)

    def run(game: Any, one: Task, orders: Any, shared: Shared) -> Outcome:
        if isinstance(orders, AssistantOrders):
            return alone
        deadline = time.monotonic() + SECONDS
        while not orders.stopped() and time.monotonic() < deadline:
            time.sleep(0.001)
        return replace(alone, value=None, pv=(), nodes=7)  # ended before it found anything

    monkeypatch.setattr(crew_module, "run_task", run)
    crew = Crew(2)
    outcome = crew.search(HASHED, wanted, 0)
    assert (outcome.value, outcome.pv, outcome.nodes) == (alone.value, alone.pv, 7)
    assert [assistant.nodes for _, assistant in crew.assisted()] == [alone.nodes]


def test_an_error_is_reported_once_by_whoever_has_the_task(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[bool] = []
    met = threading.Event()

    def raising(game: Any, one: Task, orders: Any, shared: Shared) -> Outcome:
        asked.append(isinstance(orders, AssistantOrders))
        if asked[-1]:
            met.set()
        else:
            assert met.wait(SECONDS)  # the task is under way while assistants meet the error
        raise GameError("no such position")

    monkeypatch.setattr(crew_module, "run_task", raising)
    crew = Crew(2)
    with pytest.raises(GameError, match="no such position"):
        crew.search(HASHED, task(HASHED, HASHED.initial_state(), 3), 0)
    assert sorted(asked) == [False, True]  # the assistant has not joined again
    monkeypatch.setattr(crew_module, "run_task", run_task)
    assert_nobody_searches(crew)
