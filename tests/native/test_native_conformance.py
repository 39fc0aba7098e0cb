"""Why: positions whose values somebody else worked out, solved natively; with the move that promise 2 wants."""

from __future__ import annotations

import random
from typing import Any

import pytest

from cases import conformance
from parsearch.games import load_game
from parsearch.native.engine import Options, search, solve
from parsearch.native.perft import Perft, divide, perft
from parsearch.native.table import Table

WINNER = {"first": 1, "draw": 0, "second": -1}


@pytest.fixture(scope="module")
def options() -> Options:
    return Options(Table(64))


def rows(name: str) -> list[dict[str, Any]]:
    found = conformance(name)
    if found is None:
        pytest.skip(f"there is no {name} here")
    return found


def for_mover(game: Any, state: Any, value: float) -> float:
    return value if game.to_move(state) == 0 else 0 - value


def check_connect4(game: Any, row: dict[str, Any], options: Options) -> None:
    state = game.parse_state(row["moves"])
    found = solve(game, state, options=options)
    assert for_mover(game, state, found.value) == row["score"], row
    if found.line:
        after = solve(game, game.play(state, found.line[0]), options=options)
        assert after.value == found.value


def test_connect4_of_some_length(options: Options) -> None:
    game = load_game("connect4")
    late = [row for row in rows("connect4_7x6") if row["plies"] >= 14]
    for row in random.Random(1).sample(late, 60):
        check_connect4(game, row, options)


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_connect4_all_bands(options: Options) -> None:
    game = load_game("connect4")
    for row in rows("connect4_7x6"):
        if row["plies"] >= 8:  # shorter ones take minutes each
            check_connect4(game, row, options)


def test_connect4_small_positions(options: Options) -> None:
    small = [row for row in rows("connect4_small_positions") if (row["width"], row["height"]) == (4, 5)]
    assert small
    for row in small:
        check_connect4(load_game("connect4(4,5)"), row, options)


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_connect4_small_boards_and_positions(options: Options) -> None:
    for row in rows("connect4_small_positions"):
        check_connect4(load_game(f"connect4({row['width']},{row['height']})"), row, options)
    for row in rows("connect4_small_boards"):
        if row["score"] is not None and (row["width"], row["height"]) != (7, 6):
            check_connect4(load_game(f"connect4({row['width']},{row['height']})"), {**row, "moves": ""}, options)


@pytest.mark.parametrize("board", [(3, 3, 3), (4, 3, 3), (4, 4, 4)])
def test_mnk_values(board: tuple[int, int, int], options: Options) -> None:
    (row,) = [row for row in rows("mnk_values") if (row["m"], row["n"], row["k"]) == board]
    game = load_game("mnk({},{},{})".format(*board))
    assert solve(game, game.initial_state(), options=options).value == WINNER[row["winner"]]


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_all_verified_mnk_values(options: Options) -> None:
    for row in rows("mnk_values"):
        if row["verified_by"] and row["m"] * row["n"] <= 25:
            game = load_game(f"mnk({row['m']},{row['n']},{row['k']})")
            assert solve(game, game.initial_state(), options=options).value == WINNER[row["winner"]], row


def test_tictactoe() -> None:
    """Value, and of the optimal moves the first."""
    game = load_game("tictactoe")
    for row in random.Random(2).sample(rows("tictactoe_positions"), 150):
        state = game.parse_state(f"{row['board']} {row['stm']}")
        found = search(game, state, 9)
        assert for_mover(game, state, found.value) == row["value"]
        assert found.line[:1] == tuple(row["best"][:1])


@pytest.mark.parametrize("name", ["connect4", "mnk(4,3,3)"])
def test_perft(name: str) -> None:
    kinds = {"connect4": ("c4", 7, 6, 4), "mnk(4,3,3)": ("mnk", 4, 3, 3)}
    (row,) = [
        row
        for row in rows("mnk_c4_counts")
        if "perft" in row and (row["game"], row["width"], row["height"], row["k"]) == kinds[name]
    ]
    game = load_game(name)
    root = game.initial_state()
    for depth, count in enumerate(row["perft"][:7], 1):
        assert perft(game, root, depth).nodes == count
    divided = divide(game, root, 6)
    assert sum(divided.values(), Perft(0, 0)) == perft(game, root, 6)


def test_perft_counts_the_same_in_plain_python() -> None:
    class Plain(type(load_game("mnk(4,3,3)"))):  # type: ignore[misc]
        def is_terminal(self, state: Any) -> bool:
            return bool(super().is_terminal(state))

    game, plain = load_game("mnk(4,3,3)"), Plain(4, 3, 3)
    assert not plain.is_native
    for depth in range(4):
        assert perft(game, game.initial_state(), depth) == perft(plain, plain.initial_state(), depth)
    almost = game.parse_state("XX-OO-------")
    assert perft(game, almost, 3) == perft(plain, almost, 3)
    assert perft(game, almost, 3).finished > 0
