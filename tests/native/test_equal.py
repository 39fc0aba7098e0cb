"""Why: native speed must not buy another answer. Whatever the kernel does, its value is that of the reference;
without a table and in the game's order it visits the same nodes and finds the same line."""

from __future__ import annotations

import math
import random
from typing import Any

import pytest

from cases import keeps_contract
from hashed_game import Hashed
from parsearch.algorithms import AgainstAll, Effort, alphabeta, maxn, minimax, moves_of, pvs
from parsearch.core.check import check_game
from parsearch.core.window import Window
from parsearch.games import load_game
from parsearch.native import layout
from parsearch.native.build import Features, load_kernel
from parsearch.native.engine import Options, search, solve
from parsearch.native.search import Search
from parsearch.native.table import Table
from parsearch.native.workspace import Workspace

WINDOWED = {"alphabeta": alphabeta, "pvs": pvs}
NEVER = 1 << 40

GAMES = [
    pytest.param(lambda seed: Hashed(), id="integer"),
    pytest.param(lambda seed: Hashed(integer=False), id="float"),
    pytest.param(lambda seed: load_game("connect4(5,4)"), id="connect4"),
]
"""Each for one build of the kernels: other positions, not other games, make the cases."""


def some_state(game: Any, rng: random.Random, plies: int) -> Any:
    state = game.initial_state()
    for _ in range(rng.randrange(plies)):
        moves = game.legal_moves(state)
        if not moves:
            break
        state = game.play(state, rng.choice(moves))
    return state


def windows(value: float, rng: random.Random, step: float) -> list[Window]:
    """The full window, null windows around the value, and one at random."""
    low = rng.randrange(-3, 3) * step
    return [Window(), Window(value - step, value), Window(value, value + step), Window(low, low + 2 * step)]


@pytest.mark.parametrize("make", GAMES)
def test_the_kernel_is_the_reference(make: Any) -> None:
    rng = random.Random(1)
    game = make(0)
    for _ in range(25):
        state, depth = some_state(game, rng, 8), rng.randrange(6)
        effort = Effort()
        value, line = minimax(game, state, depth, effort)
        found = search(game, state, depth, algorithm="minimax")
        assert (found.value, found.nodes, found.line, found.estimated) == (
            value, effort.nodes, moves_of(line), effort.estimated,
        )  # fmt: skip
        for window in windows(value, rng, 1 if game.integer else 0.25):
            for name, reference in WINDOWED.items():
                effort = Effort()
                expected, line = reference(game, state, depth, window.alpha, window.beta, effort)
                found = search(game, state, depth, window, algorithm=name)
                assert (found.value, found.nodes, found.line, found.estimated) == (
                    expected, effort.nodes, moves_of(line), effort.estimated,
                ), (name, window)  # fmt: skip


@pytest.mark.parametrize(
    ("make", "algorithm"),
    [(game.values[0], name) for game, name in zip(GAMES, ("pvs", "alphabeta", "alphabeta"), strict=True)],
)
def test_table_and_ordering_change_effort_but_never_value_or_move(make: Any, algorithm: str) -> None:
    rng = random.Random(2)
    game, table = make(0), Table(1)
    deepest = 5 if game.name.startswith("connect4") else 7  # where plain minimax takes long
    for _ in range(60):
        state, depth = some_state(game, rng, 5), rng.randrange(deepest + 1)
        value, line = minimax(game, state, depth, Effort())
        for window in windows(value, rng, 1 if game.integer else 0.25):
            found = search(game, state, depth, window, algorithm=algorithm, options=Options(table))
            assert keeps_contract(window, found.value, value), (depth, window, found, value)
            if window.alpha < value < window.beta:
                assert found.line[:1] == moves_of(line)[:1]
            position = state
            for move in found.line:  # a legal line
                assert move in game.legal_moves(position)
                position = game.play(position, move)


@pytest.mark.parametrize("make", GAMES)
def test_solving_gives_the_value_and_the_first_best_move(make: Any) -> None:
    rng = random.Random(3)
    game, options = make(0), Options(Table(1))
    for _ in range(40):
        state = some_state(game, rng, 16)
        depth = game.max_plies(state)
        if depth > 9:
            continue
        value, line = minimax(game, state, depth, Effort())
        found = solve(game, state, options=options, guess=rng.randrange(-3, 4))
        assert found.value == value
        assert found.line[:1] == moves_of(line)[:1]
        assert not found.estimated


def test_many_players() -> None:
    rng = random.Random(4)
    for game in (Hashed(players=3, integer=False),):
        for _ in range(30):
            state, depth = some_state(game, rng, 5), rng.randrange(5)
            effort = Effort()
            scores, line = maxn(game, state, depth, effort)
            found = search(game, state, depth, algorithm="maxn")
            assert (found.value, found.nodes, found.line, found.estimated) == (
                scores, effort.nodes, moves_of(line), effort.estimated,
            )  # fmt: skip
            for player in range(3):  # in a subtree the mover need not be the root's
                effort = Effort()
                value, line = alphabeta(AgainstAll(game, player), state, depth, -math.inf, math.inf, effort)
                found = search(game, state, depth, algorithm="paranoid", player=player)
                assert (found.value, found.nodes, found.line) == (value, effort.nodes, moves_of(line))


def quiet(game: Any, state: Any, depth: int, alpha: float, beta: float) -> float:
    """Fail-soft alpha-beta, in the mover's view, that plays on with noisy moves where the depth ends."""
    sign = 1 if game.to_move(state) == 0 else -1
    if game.is_terminal(state):
        return sign * game.evaluate(state)
    best, moves = (-math.inf, game.legal_moves(state)) if depth > 0 else (
        sign * game.evaluate(state), game.noisy_moves(state),
    )  # fmt: skip
    alpha = max(alpha, best)
    for move in moves:
        if alpha >= beta:
            break
        child = game.play(state, move)
        if game.to_move(child) == game.to_move(state):
            value = quiet(game, child, depth - 1, alpha, beta)
        else:
            value = -quiet(game, child, depth - 1, -beta, -alpha)
        best = max(best, value)
        alpha = max(alpha, best)
    return best


def test_quiescence() -> None:
    rng = random.Random(5)
    game, table = Hashed(), Table(1)
    changed = 0
    for _ in range(60):
        state, depth = some_state(game, rng, 4), rng.randrange(5)
        sign = 1 if game.to_move(state) == 0 else -1
        value = sign * quiet(game, state, depth, -math.inf, math.inf)
        changed += value != minimax(game, state, depth, Effort())[0]
        assert search(game, state, depth, options=Options(quiescence=True)).value == value
        assert search(game, state, depth, options=Options(table, quiescence=True)).value == value
    assert changed


@pytest.mark.parametrize("algorithm", ["alphabeta", "pvs"])
def test_slices_and_better_windows_between_them(algorithm: str) -> None:
    rng = random.Random(6)
    game, table = Hashed(), Table(1)
    for features in (Features(algorithm), Features(algorithm, table=True, ordered=True)):
        for _ in range(150):
            state, depth = some_state(game, rng, 3), rng.randrange(1, 7)
            value, _ = minimax(game, state, depth, Effort())
            whole = Search(game, state, depth, features, table=table)
            sliced = Search(game, state, depth, features, table=table)
            whole.run(NEVER)
            while not sliced.run(rng.randrange(1, 9)):
                pass
            assert sliced.value == whole.value == value
            narrowed = Search(game, state, depth, features, table=table)
            window = Window()
            for _ in range(3):
                narrowed.run(rng.randrange(1, 20))
                window = Window(max(window.alpha, rng.randrange(-3, 2)), min(window.beta, rng.randrange(2, 4)))
                narrowed.narrow(window)
            narrowed.run(NEVER)
            assert keeps_contract(window, narrowed.value, value), (window, narrowed.value, value)


def test_a_search_that_climbs_gives_the_value_and_the_first_best_move() -> None:
    rng = random.Random(9)
    game = Hashed()
    for features in (Features("alphabeta"), Features("pvs", table=True, ordered=True)):
        for _ in range(100):
            state, depth, table = some_state(game, rng, 3), rng.randrange(1, 7), Table(1)
            value, line = minimax(game, state, depth, Effort())
            low = rng.randrange(-5, 3)  # in the mover's view, as the climb is
            own = rng.choice([Window(low, low + rng.randrange(1, 9)), Window(low)])
            window = own if game.to_move(state) == 0 else own.reversed()
            climbing = Search(game, state, depth, features, window, table=table, climbs=True)
            while not climbing.run(rng.choice([1, 7, 100])):
                pass
            assert keeps_contract(window, climbing.value, value), (window, climbing.value, value)
            if window.alpha < value < window.beta:
                assert climbing.line[:1] == moves_of(line)[:1]


def test_searches_stepped_in_turn_over_one_table() -> None:
    rng = random.Random(7)
    game, table = Hashed(), Table(1)
    features = Features("alphabeta", table=True, ordered=True)
    states = [some_state(game, rng, 4) for _ in range(20)]
    searches = [Search(game, state, 6, features, table=table) for state in states]
    while any(not one.finished for one in searches):
        rng.choice(searches).run(1)
    for state, one in zip(states, searches, strict=True):
        assert one.value == minimax(game, state, 6, Effort())[0]


def test_a_test_of_the_root_begins_with_the_move_that_the_last_one_found_best() -> None:
    rng = random.Random(8)
    game = load_game("chess")
    features = Features("alphabeta", table=True, ordered=True)
    room = Workspace(game, features, load_kernel(game.rules, features).words, depth=4)
    begun = set()
    for _ in range(20):
        state, table = some_state(game, rng, 8), Table(1)
        much, little = Window(5000, 5001), Window(-5001, -5000)
        if game.to_move(state) == 1:
            much, little = much.reversed(), little.reversed()
        failed = Search(game, state, 4, features, much, table=table)
        assert failed.run(NEVER)
        again = Search(game, state, 4, features, little, table=table, workspace=room)
        again.run(1)
        move = int(room.moves[0, room.frames[0, layout.SLOT]])
        assert move == failed.line[0]
        begun.add(game.legal_moves(state).index(move))
    assert len(begun) > 3  # it is not where the move stands


@pytest.mark.parametrize("game", [Hashed(), Hashed(players=3, integer=False), load_game("mnk(4,3,3,3)")], ids=str)
def test_the_games_keep_the_contract(game: Any) -> None:
    report = check_game(game, games=5)
    assert report.ok, report
