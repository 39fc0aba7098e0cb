"""Promises 1 and 2 once more, in full: the value that others worked out and the first of the best moves, in every game,
for any number of workers, over a table in which nothing stays, in slices of any length."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any, NamedTuple

import pytest

from backends import ThreadedWorkers, search_shuffled
from cases import COMPILED_SETS, PLAIN_SETS, conformance, sample
from parsearch import Coordinator, Limits, SearchResult, load_game, search
from parsearch.native import engine
from parsearch.parallel.simulated import simulate
from parsearch.parallel.virtual_cluster import VirtualCluster

Solve = Callable[..., SearchResult]


class Row(NamedTuple):
    """A position with its value for the player to move, and all best moves in the game's order where they are known."""

    game: Any
    state: Any
    algorithms: tuple[str, ...]
    limits: Limits
    value: float
    best: tuple[Any, ...]


def compiled(name: str) -> Iterator[Row]:
    """Positions of the larger games, each of which takes a kernel of its own."""
    rows, prunes = conformance(name) or [], ("alphabeta", "pvs")
    if name == "connect4_7x6":
        game = load_game("connect4")
        for row in rows:
            if row["plies"] >= 18:
                yield Row(game, game.parse_state(row["moves"]), prunes, Limits(), row["score"], ())
    elif name == "othello_endgames":
        game = load_game("othello")
        for row in rows:
            if row["empties"] <= 10:
                state = game.parse_state(f"{row['board']} {row['stm']}")
                yield Row(game, state, prunes, Limits(), row["score"], named(game, state, row["best"]))
    elif name == "chess_fixed_depth":
        game = load_game("chess(eval=material)")
        for row in rows:
            state, last = game.parse_state(row["fen"]), len(row["values"])
            best = named(game, state, row["best_at_last_depth"])
            yield Row(game, state, prunes, Limits(depth=min(last, 4)), row["values"][:4][-1], best if last <= 4 else ())
    elif name == "checkers_fixed_depth":
        game = load_game("checkers(eval=material)")
        for row in rows:
            yield Row(game, game.parse_state(row["fen"]), prunes, Limits(depth=6), row["values"][5], ())
    elif name == "kalah_positions":
        game = load_game("kalah")
        for row in rows:
            sides = [
                f"{','.join(map(str, row[f'{who}_holes']))};{row[f'{who}_store']}" for who in ("mover", "opponent")
            ]
            state = game.parse_state(f"{'/'.join(sides)} 0")
            yield Row(game, state, prunes, Limits(), row["final_margin"], ())


def named(game: Any, state: Any, texts: list[str]) -> tuple[Any, ...]:
    return tuple(move for move in game.legal_moves(state) if game.format_move(state, move) in texts)


def small(name: str, count: int) -> list[Row]:
    return [
        Row(case.game, case.state, case.algorithms, Limits(), case.value, case.best_moves or ())
        for case in sample(name, count)
    ]


@cache
def rows(name: str, count: int) -> list[Row]:
    """Some rows of a set, the same ones every time."""
    if name in (*COMPILED_SETS, *PLAIN_SETS):
        return small(name, count)
    found = list(compiled(name))
    return random.Random(name).sample(found, min(count, len(found)))


@cache
def alone(name: str, count: int) -> list[dict[str, SearchResult]]:
    """What the calling process finds in these rows, by algorithm."""
    return [
        {name: search(row.game, row.state, algorithm=name, limits=row.limits, workers=0) for name in row.algorithms}
        for row in rows(name, count)
    ]


SETS = [
    *[pytest.param(name, 3, id=name) for name in PLAIN_SETS],
    *[pytest.param(name, 1, id=name) for name in COMPILED_SETS],
    pytest.param("connect4_7x6", 2, id="connect4"),
    *[pytest.param(name, 20, id=f"{name}, more", marks=pytest.mark.slow) for name in PLAIN_SETS],
    *[
        pytest.param(name, 8, id=f"{name}, more", marks=pytest.mark.slow)
        for name in (
            "connect4_7x6", "othello_endgames", "chess_fixed_depth", "checkers_fixed_depth", "kalah_positions",
        )
    ],
]  # fmt: skip


def check(solve: Solve, name: str, count: int) -> None:
    if not rows(name, count):
        pytest.skip(f"there is no {name} here")
    for row, found in zip(rows(name, count), alone(name, count), strict=True):
        for algorithm in row.algorithms:
            result = solve(row.game, row.state, algorithm=algorithm, limits=row.limits, table=1)
            assert result.value == found[algorithm].value == row.value, row
            assert result.move == found[algorithm].move, row
            assert result.move in row.best[:1] or not row.best, row
            assert result.depth == found[algorithm].depth


@pytest.fixture(scope="module", params=[1, 2, 3, 4])
def cluster(request: pytest.FixtureRequest, ray_cluster: Any) -> Iterator[Solve]:
    """Ray with so many workers."""
    with Coordinator(workers=request.param, offload="always") as coordinator:
        coordinator.start()
        yield coordinator.search


@pytest.mark.parametrize(("name", "count"), SETS)
def test_on_a_cluster(cluster: Solve, name: str, count: int) -> None:
    check(cluster, name, count)


@pytest.mark.parametrize("virtual", [VirtualCluster(1, 8, jitter=1.0), VirtualCluster(4, 2, speeds=(1, 0.2))], ids=str)
@pytest.mark.parametrize(("name", "count"), SETS)
def test_on_a_virtual_cluster(virtual: VirtualCluster, name: str, count: int) -> None:
    check(lambda game, state, **asked: simulate(game, state, virtual, **asked), name, count)


@pytest.mark.parametrize("workers", [1, 2, 3, 8])
@pytest.mark.parametrize(("name", "count"), [case for case in SETS if case.values[0] not in PLAIN_SETS])
def test_in_slices_of_any_length(workers: int, name: str, count: int, monkeypatch: pytest.MonkeyPatch) -> None:
    rng, crew = random.Random(workers), ThreadedWorkers(workers)

    def solve(game: Any, state: Any, **asked: Any) -> SearchResult:
        monkeypatch.setattr(engine, "SLICE_NODES", rng.choice([30, 300, 3000, 30_000]))
        return search_shuffled(game, state, crew, **asked)

    check(solve, name, count)
