"""Why: searches of one root that cooperate order each other's work and take over what the others found. However they
are interleaved, stopped or killed, each must give the value of plain minimax, and leave no mark behind."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cases import conformance, keeps_contract, some_state
from hashed_game import Hashed
from parsearch.algorithms import AgainstAll, Effort, alphabeta, minimax, moves_of
from parsearch.core.window import Window
from parsearch.games import load_game
from parsearch.games.connect4 import Connect4
from parsearch.native import layout
from parsearch.native.build import Features
from parsearch.native.crew import Crew
from parsearch.native.game import CompiledGame
from parsearch.native.search import Search
from parsearch.native.sharing import Busy
from parsearch.native.table import Table

NEVER = 1 << 40


class SmallConnect4(Connect4):
    """A board that minimax can search, all of whose subtrees are shared."""

    def __init__(self) -> None:
        depths = {"TABLE_DEPTH": 2, "ORDER_DEPTH": 2, "JOINT_DEPTH": 3}
        CompiledGame.__init__(self, "connect4(5,4), all shared", WIDTH=5, HEIGHT=4, **depths)


FIXED = [
    pytest.param(Hashed, "alphabeta", 8, id="hashed, alphabeta"),
    pytest.param(Hashed, "pvs", 8, id="hashed, pvs"),
    pytest.param(lambda: Hashed(integer=False), "pvs", 8, id="floats, pvs"),
    pytest.param(SmallConnect4, "alphabeta", 7, id="connect4"),
    pytest.param(lambda: load_game("othello(6)"), "pvs", 5, id="othello", marks=pytest.mark.slow),
    pytest.param(lambda: load_game("chess"), "alphabeta", 4, id="chess", marks=pytest.mark.slow),
]
SOLVED = [
    pytest.param(SmallConnect4, 10, id="connect4"),
    pytest.param(lambda: load_game("mnk(4,3,3)"), 9, id="mnk"),
    pytest.param(lambda: load_game("othello(4)"), 9, id="othello"),
]
seeds = st.integers(0, 1 << 30)


def joint(algorithm: str, **features: bool) -> Features:
    return Features(algorithm, table=True, ordered=True, joint=True, **features)


def some_window(rng: random.Random, value: float, step: float) -> Window:
    low = value + rng.randrange(-3, 3) * step
    return rng.choice([Window(), Window(low, low + step), Window(low, low + 3 * step)])


def small_table(rng: random.Random) -> Table:
    """A table of eight buckets, where nothing stays for long, or one with room for all."""
    return rng.choice([Table(buffer=bytearray(512)), Table(1)])


def interleave(searches: list[Search], rng: random.Random) -> Iterator[Search]:
    """Run searches in turn, in slices of random length, until all are finished; gives each after its slice."""
    while running := [search for search in searches if not search.finished]:
        search = rng.choice(running)
        search.run(rng.choice([1, 2, rng.randrange(1, 40), 500]))
        yield search


@pytest.mark.parametrize(("make", "algorithm", "depth"), FIXED)
@settings(max_examples=12, deadline=None)
@given(seed=seeds)
def test_at_a_fixed_depth_every_copy_gives_the_value_of_minimax(
    make: Any, algorithm: str, depth: int, seed: int
) -> None:
    rng = random.Random(seed)
    game = make()
    state, depth = some_state(game, rng, rng.randrange(8)), rng.randrange(1, depth + 1)
    value, _ = alphabeta(game, state, depth, *(-float("inf"), float("inf")), Effort())
    window = some_window(rng, value, 1 if game.integer else 0.25)
    table, busy = small_table(rng), Busy(8)
    copies = [
        Search(game, state, depth, joint(algorithm), window, table=table, busy=busy) for _ in range(rng.randrange(2, 9))
    ]
    for _ in interleave(copies, rng):
        pass
    for copy in copies:
        assert keeps_contract(window, copy.value, value), (window, copy.value, value)
        position = state
        for move in copy.line:
            assert move in game.legal_moves(position)
            position = game.play(position, move)
    assert busy.held == 0


@pytest.mark.parametrize(("make", "plies"), SOLVED)
@settings(max_examples=12, deadline=None)
@given(seed=seeds)
def test_solving_while_windows_narrow_and_copies_are_dropped(make: Any, plies: int, seed: int) -> None:
    rng = random.Random(seed)
    game = make()
    state = game.initial_state()
    state = some_state(game, rng, game.max_plies(state) - rng.randrange(1, plies))
    value, _ = minimax(game, state, game.max_plies(state), Effort())
    table, busy = small_table(rng), Busy(8)
    windows = [some_window(rng, value, 1) for _ in range(rng.randrange(2, 9))]
    copies = [
        Search(game, state, game.max_plies(state), joint("alphabeta", solving=True), window, table=table, busy=busy)
        for window in windows
    ]
    for copy in interleave(copies, rng):
        number = copies.index(copy)
        low = rng.randrange(-3, 4)
        narrower = Window(max(windows[number].alpha, low), min(windows[number].beta, low + rng.randrange(1, 4)))
        if rng.random() < 0.1 and narrower.alpha < narrower.beta:
            copy.narrow(narrower)
            windows[number] = narrower if not copy.finished else windows[number]
        if rng.random() < 0.02 and not copy.finished:
            copy.release()
            del copies[number], windows[number]
            break
    for copy, window in zip(copies, windows, strict=True):
        copy.run(NEVER)
        assert keeps_contract(window, copy.value, value), (window, copy.value, value)
    assert busy.held == 0


@pytest.fixture
def everything_is_news(monkeypatch: pytest.MonkeyPatch) -> None:
    """Searches log every shared node."""
    monkeypatch.setattr(layout, "LOG_NODES", 1)


@pytest.mark.usefixtures("everything_is_news")
@pytest.mark.parametrize("solving", [False, True])
@pytest.mark.parametrize("make", [SmallConnect4, Hashed, lambda: Hashed(integer=False)])
@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(seed=seeds)
def test_tables_that_learn_from_each_other_give_the_value_of_minimax(make: Any, solving: bool, seed: int) -> None:
    rng = random.Random(seed)
    game = make()
    state = some_state(game, rng, game.max_plies(game.initial_state()) - rng.randrange(1, 10))
    depth = game.max_plies(state) if solving else rng.randrange(1, 8)
    value, _ = minimax(game, state, depth, Effort())
    step = 1 if game.integer else 0.25
    tables = [small_table(rng) for _ in range(3)]
    copies = []
    for table in tables * 2:
        window = some_window(rng, value, step)
        features = joint("alphabeta", solving=solving)
        copies.append(
            (Search(game, state, depth, features, window, table=table, busy=Busy(8), logs=True), table, window)
        )
    on_their_way = []
    for copy in interleave([search for search, _, _ in copies], rng):
        own = next(table for search, table, _ in copies if search is copy)
        log = copy.logged()
        on_their_way += [(log, table) for table in tables if table is not own]
        rng.shuffle(on_their_way)
        while on_their_way and rng.random() < 0.6:  # late, out of order, some never
            log, table = on_their_way.pop()
            table.learn([log])
    for search, _, window in copies:
        assert keeps_contract(window, search.value, value), (window, search.value, value)


@pytest.mark.usefixtures("everything_is_news")
@pytest.mark.parametrize("integer", [True, False])
def test_what_a_table_has_learned_is_not_searched_again(integer: bool) -> None:
    game = Hashed(integer=integer)
    table, other = Table(1), Table(1)
    logs: list[Any] = []

    def nodes(table: Table) -> int:
        search = Search(game, game.initial_state(), 8, joint("alphabeta"), table=table, busy=Busy(8), logs=True)
        search.run(NEVER)
        logs.append(search.logged())
        return search.nodes

    first = nodes(table)
    other.learn(logs[:1])
    assert nodes(other) < first / 2
    assert nodes(Table(1)) == first
    other.age()
    other.learn(logs[:1])
    assert nodes(other) == first  # of an earlier search


@settings(max_examples=15, deadline=None)
@given(seed=seeds)
def test_fixed_depth_with_narrowing_and_dropping(seed: int) -> None:
    rng = random.Random(seed)
    game = Hashed()
    state, depth = some_state(game, rng, rng.randrange(4)), rng.randrange(2, 9)
    value, _ = minimax(game, state, depth, Effort())
    algorithm = rng.choice(["alphabeta", "pvs"])
    table, busy = small_table(rng), Busy(8)
    copies = [Search(game, state, depth, joint(algorithm), table=table, busy=busy) for _ in range(4)]
    windows = {copy: Window() for copy in copies}
    for copy in interleave(copies, rng):
        if copy.finished:
            continue
        window = windows[copy]
        if rng.random() < 0.2:
            windows[copy] = Window(max(window.alpha, rng.randrange(-3, 2)), min(window.beta, rng.randrange(2, 4)))
            copy.narrow(windows[copy])
        elif rng.random() < 0.05:
            copy.release()
            del windows[copy]
    for copy, window in windows.items():
        assert keeps_contract(window, copy.value, value), (window, copy.value, value)
    assert busy.held == 0


@settings(max_examples=30, deadline=None)
@given(seed=seeds)
def test_copies_that_climb_find_the_value_and_the_first_best_move(seed: int) -> None:
    rng = random.Random(seed)
    game = Hashed()
    state, depth = some_state(game, rng, rng.randrange(4)), rng.randrange(2, 9)
    value, line = minimax(game, state, depth, Effort())
    algorithm = rng.choice(["alphabeta", "pvs"])
    low = value + rng.randrange(-4, 3)
    window = Window(low, low + rng.randrange(1, 8))
    table, busy = small_table(rng), Busy(4)
    copies = [
        Search(game, state, depth, joint(algorithm), window, table=table, busy=busy, climbs=True) for _ in range(4)
    ]
    for copy in interleave(copies, rng):
        if copy is not copies[0] and rng.random() < 0.02:
            copy.release()
            copies.remove(copy)
            break
    for copy in copies:
        copy.run(NEVER)
        assert keeps_contract(window, copy.value, value), (window, copy.value, value)
        if window.alpha < value < window.beta:
            assert copy.line[:1] == moves_of(line)[:1]
    assert busy.held == 0


def test_many_players_and_quiescence() -> None:
    rng = random.Random(1)
    three = Hashed(players=3, integer=False)
    for _ in range(10):
        state, player, busy, table = some_state(three, rng, 3), rng.randrange(3), Busy(8), Table(1)
        copies = [Search(three, state, 6, joint("paranoid"), Window(), player, table, busy=busy) for _ in range(3)]
        for _ in interleave(copies, rng):
            pass
        value, _ = alphabeta(AgainstAll(three, player), state, 6, -float("inf"), float("inf"), Effort())
        assert [copy.value for copy in copies] == [value] * 3
    game = Hashed()
    for _ in range(10):
        state, busy, table = some_state(game, rng, 3), Busy(8), Table(1)
        alone = Search(game, state, 4, Features("alphabeta", quiescence=True))
        alone.run(NEVER)
        features = joint("alphabeta", quiescence=True)
        copies = [Search(game, state, 4, features, table=table, busy=busy) for _ in range(3)]
        for _ in interleave(copies, rng):
            pass
        assert [copy.value for copy in copies] == [alone.value] * 3
        assert busy.held == 0


def test_a_crew_solves_faster_than_one_and_repeats_itself() -> None:
    game = load_game("connect4")
    rows = conformance("connect4_7x6")
    if rows is None:
        pytest.skip("there is no connect4_7x6 here")
    taken = []
    for slots in (1, 4, 4):
        taken.append(0)
        for row in [row for row in rows if row["plies"] == 10][:8]:
            state = game.parse_state(row["moves"])
            depth = game.max_plies(state)
            value = row["score"] if game.to_move(state) == 0 else -row["score"]
            busy = Busy(8)
            crew = Crew(game, joint("alphabeta", solving=True), slots, depth, Table(16), busy)
            for slot in range(slots):
                crew.start(slot, state, depth, Window(value - 1, value + 1))
            while not crew.run(1000):
                pass
            assert {crew.searches[slot].value for slot in crew.finished} == {value}
            for slot in range(slots):
                crew.clear(slot)
            assert busy.held == 0
            taken[-1] += crew.rounds
    alone, together, again = taken
    assert together * 2.5 < alone
    assert together == again


def test_a_slot_serves_one_search_after_another() -> None:
    rng = random.Random(2)
    game, busy = Hashed(), Busy(8)
    crew = Crew(game, joint("pvs"), 3, 8, Table(1), busy)
    waiting = [(some_state(game, rng, 3), depth) for depth in (0, 1, 3, 5, 6, 7, 8, 2, 4)]
    running: dict[int, tuple[Any, int]] = {}
    while waiting or running:
        for slot in {0, 1, 2} - running.keys():
            if waiting:
                running[slot] = waiting.pop()
                crew.start(slot, *running[slot])
        for slot in crew.run(7):
            search = crew.searches[slot]
            assert search.value == minimax(game, *running.pop(slot), Effort())[0]
            crew.clear(slot)
    assert busy.held == 0
