"""Promises 1 and 2: every backend gives the value and the move of plain minimax, in any order of completion."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from backends import ShuffledWorkers, search_shuffled
from cases import COMPILED_SETS, PLAIN_SETS, AnyTurns, Case, params, random_node, tree_nodes
from parsearch import Coordinator, Limits, SearchResult, search
from parsearch.algorithms import ALGORITHMS, Effort, maxn, minimax, moves_of
from parsearch.core.game import score_for
from plain import PlainConnect4

Solve = Callable[..., SearchResult]

MOST_NODES = 1_000_000
"""Positions that a plain game's search of everything may visit here: some ten seconds."""


@contextmanager
def backend(kind: str, request: pytest.FixtureRequest) -> Iterator[Solve]:
    """`search(game, state, ...)` through one backend: serial, shuffled, or Ray with so many workers."""
    name, _, count = kind.partition(" ")
    if name == "serial":
        with Coordinator(workers=0) as coordinator:
            yield coordinator.search
    elif name == "shuffled":
        yield lambda game, state, **asked: search_shuffled(game, state, ShuffledWorkers(3), **asked)
    else:
        request.getfixturevalue("ray_cluster")
        with Coordinator(workers=int(count), offload="always") as coordinator:
            coordinator.start()
            yield coordinator.search


@pytest.fixture(
    scope="module", params=["shuffled", *(pytest.param(f"ray {count}", marks=pytest.mark.ray) for count in (1, 4))]
)
def solve(request: pytest.FixtureRequest) -> Iterator[Solve]:
    with backend(request.param, request) as search:
        yield search


@pytest.fixture(scope="module", params=["serial", pytest.param("ray 2", marks=pytest.mark.ray)])
def solve_all(request: pytest.FixtureRequest) -> Iterator[Solve]:
    """The backends that search many rows where slow tests run."""
    with backend(request.param, request) as search:
        yield search


# Each board of a compiled game is compiled for some seconds: one of each set has to do.
@pytest.mark.parametrize("case", [*params(*COMPILED_SETS, count=1, slow=0), *params(*PLAIN_SETS, slow=0, count=3)])
def test_conformance(solve: Solve, case: Case) -> None:
    check(solve, case)


@pytest.mark.parametrize("case", [*params(*COMPILED_SETS, count=1, slow=12), *params(*PLAIN_SETS, count=3, slow=40)])
def test_conformance_of_many_rows(solve_all: Solve, case: Case) -> None:
    check(solve_all, case)


def check(solve: Solve, case: Case) -> None:
    small = case.game.is_native or tree_nodes(case.game, case.state, MOST_NODES) is not None
    for algorithm in case.algorithms:
        if not small and not ALGORITHMS[algorithm].prunes and len(case.algorithms) > 1:
            continue
        result = solve(case.game, case.state, algorithm=algorithm)
        assert result.value == case.value, algorithm
        assert result.complete
        if case.scores is not None:
            assert result.scores == case.scores
        if case.best_moves:
            assert result.move == case.best_moves[0], algorithm
            if algorithm == "minimax":
                assert result.best_moves == case.best_moves
        assert_legal_line(result)


def assert_legal_line(result: SearchResult) -> None:
    """The pv is a legal line that starts with the move."""
    state = result.state
    for number, move in enumerate(result.pv):
        assert number or move == result.move
        assert move in result.game.legal_moves(state)
        state = result.game.play(state, move)


@pytest.mark.parametrize("algorithm", ["minimax", "alphabeta", "pvs"])
@pytest.mark.parametrize("integer", [True, False])
def test_first_best_move_in_any_order_of_completion(algorithm: str, integer: bool) -> None:
    # 1,000 cases over the parameters, with so few different scores that ties are everywhere.
    game = AnyTurns(integer=integer)
    for seed in range(167):
        rng = random.Random(seed)
        state = random_node(rng, 4, integer=integer)
        if game.is_terminal(state):
            continue
        depth = rng.randint(1, 4)
        value, first, best = plain_minimax(game, state, depth)
        for workers in (1, 2, 5):
            result = search_shuffled(game, state, ShuffledWorkers(workers, seed), algorithm, Limits(depth=depth))
            assert (result.value, result.move) == (value, first)
        every = search_shuffled(game, state, ShuffledWorkers(3, seed), algorithm, Limits(depth=depth), all_moves=True)
        assert (every.value, every.move, every.best_moves) == (value, first, best)
        assert all(entry.bound == "exact" for entry in every.root_moves)


def plain_minimax(game: AnyTurns, state: Any, depth: int) -> tuple[float, Any, tuple[Any, ...]]:
    """Value for the mover, first best move, all best moves, by searching each move on its own."""
    mover = game.to_move(state)
    moves = game.legal_moves(state)
    values = [score_for(game, minimax(game, game.play(state, move), depth - 1, Effort())[0], mover) for move in moves]
    best = tuple(move for move, value in zip(moves, values, strict=True) if value == max(values))
    return max(values), best[0], best


@pytest.mark.parametrize("players", [3, 4])
def test_maxn_keeps_the_first_among_equals_in_any_order_of_completion(players: int) -> None:
    for seed in range(100):
        rng = random.Random(seed)
        game, state = AnyTurns(players), random_node(rng, 4, players)
        if game.is_terminal(state):
            continue
        scores, chain = maxn(game, state, 4, Effort())
        result = search_shuffled(game, state, ShuffledWorkers(3, seed), "maxn")
        assert (result.scores, result.pv) == (scores, moves_of(chain))
        assert result.value == scores[game.to_move(state)]


def test_deeper_split_gives_the_same_answer_and_the_same_nodes() -> None:
    # Connect Four with seven moves on five workers is split below the root; no position may be lost or doubled.
    game = PlainConnect4()
    state = game.parse_state("44")
    limits = Limits(depth=6)
    serial = search(game, state, algorithm="minimax", limits=limits, workers=0)
    split = search_shuffled(game, state, ShuffledWorkers(5), "minimax", limits)
    assert (split.value, split.move, split.best_moves) == (serial.value, serial.move, serial.best_moves)
    assert split.nodes == serial.nodes == 1 + sum(entry.nodes for entry in serial.root_moves)
    assert [entry.nodes for entry in split.root_moves] == [entry.nodes for entry in serial.root_moves]


def test_serial_search_visits_what_the_textbook_visits() -> None:
    # The root is driven by the split, everything below by the algorithm: together they are the algorithm.
    from parsearch.algorithms import alphabeta, pvs

    for seed in range(100):
        game, state = AnyTurns(), random_node(random.Random(seed), 5)
        for name, algorithm in (("alphabeta", alphabeta), ("pvs", pvs)):
            effort = Effort()
            algorithm(game, state, 5, float("-inf"), float("inf"), effort)
            assert search(game, state, algorithm=name, workers=0).nodes == effort.nodes
