"""Kalah sows and captures as everybody does: against a second set of rules, and exact values from outside."""

import random
from collections.abc import Callable
from functools import cache
from typing import Any

import pytest

from cases import conformance
from parsearch import check_game
from parsearch.core.errors import GameTextError, MoveError, StateError
from parsearch.core.text import play_moves
from parsearch.games import load_game
from parsearch.games.kalah import Kalah
from parsearch.native.engine import Options, search, solve
from parsearch.native.perft import perft
from parsearch.native.table import Table

VALUES = [row for row in conformance("kalah_values") or [] if row["verified_by"]]
POSITIONS = conformance("kalah_positions") or []

Board = tuple[tuple[int, ...], tuple[int, ...], tuple[int, int], int]
"""Holes of both players, stores, and the player to move."""


def sown(board: Board, hole: int) -> Board:
    """The board after sowing from a hole (from 0), seed by seed."""
    holes, stores, player = [list(board[0]), list(board[1])], list(board[2]), board[3]
    seeds, holes[player][hole] = holes[player][hole], 0
    side, place = player, hole
    while seeds:
        place += 1
        seeds -= 1
        if place < len(holes[0]):
            holes[side][place] += 1
        elif place == len(holes[0]) and side == player:
            stores[player] += 1
        else:  # round the corner, and past the opponent's store
            side, place = 1 - side, 0
            holes[side][0] += 1
    ended_in_store = side == player and place == len(holes[0])
    opposite = len(holes[0]) - 1 - place
    if side == player and not ended_in_store and holes[player][place] == 1 and holes[1 - player][opposite]:
        stores[player] += 1 + holes[1 - player][opposite]
        holes[player][place] = holes[1 - player][opposite] = 0
    return tuple(holes[0]), tuple(holes[1]), (stores[0], stores[1]), player if ended_in_store else 1 - player


def text_of(board: Board) -> str:
    sides = [f"{','.join(map(str, board[player]))};{board[2][player]}" for player in (0, 1)]
    return f"{'/'.join(sides)} {board[3]}"


def row_id(row: dict[str, Any]) -> str:
    return f"{row['holes']}x{row['seeds']}"


@pytest.mark.parametrize("text", ["kalah", "kalah(1,9)", "kalah(2,12)", "kalah(3,20)", "kalah(8,8)", "kalah(10,3)"])
def test_random_games_against_seed_by_seed_sowing(text: str) -> None:
    game = load_game(text)
    rng = random.Random(text)
    for _ in range(20):
        state = game.initial_state()
        holes = tuple(map(int, game.format_state(state).partition(";")[0].split(",")))
        board: Board = (holes, holes, (0, 0), 0)
        while not game.is_terminal(state):
            assert game.format_state(state) == text_of(board)
            moves = game.legal_moves(state)
            assert list(moves) == [hole + 1 for hole, seeds in enumerate(board[board[3]]) if seeds]
            move = rng.choice(moves)
            state, board = game.play(state, move), sown(board, move - 1)
        left = board[2][0] + sum(board[0]) - board[2][1] - sum(board[1])
        assert not any(board[board[3]])
        assert game.evaluate(state) == left


@pytest.mark.parametrize("text", ["kalah", "kalah(3,5)", "kalah(1,1)", "kalah(10,3)"])
def test_contract(text: str) -> None:
    report = check_game(load_game(text), games=5)
    assert report.ok, report


@pytest.mark.parametrize("row", [row for row in VALUES if row["holes"] < 4 and row["seeds"] < 3], ids=row_id)
def test_values_uncompiled(row: dict[str, Any]) -> None:
    game = Kalah(row["holes"], row["seeds"])
    assert minimax(game)(game.initial_state()) == row["value"]


def minimax(game: Kalah) -> Callable[[Any], float]:
    @cache
    def value(state: Any) -> float:
        if game.is_terminal(state):
            return game.evaluate(state)
        values = [value(game.play(state, move)) for move in game.legal_moves(state)]
        best = max(values) if game.to_move(state) == 0 else min(values)
        least, most = game.bounds(state)
        assert least <= best <= most
        return best

    return value


@pytest.mark.slow
@pytest.mark.parametrize("row", VALUES, ids=row_id)
def test_values(row: dict[str, Any]) -> None:
    game = Kalah(row["holes"], row["seeds"])
    assert solve(game, game.initial_state(), options=Options(Table(64))).value == row["value"]


def test_positions() -> None:
    game = load_game("kalah")
    table = Table(16)
    for row in POSITIONS:
        board = tuple(row["mover_holes"]), tuple(row["opponent_holes"]), (row["mover_store"], row["opponent_store"])
        assert solve(game, game.parse_state(text_of((*board, 0))), options=Options(table)).value == row["final_margin"]
        turned = board[1], board[0], board[2][::-1]
        assert (
            solve(game, game.parse_state(text_of((*turned, 1))), options=Options(table)).value == -row["final_margin"]
        )


def test_compiled_is_uncompiled() -> None:
    game = load_game("kalah")

    def plain(state: Any, depth: int) -> int:
        if depth == 0:
            return 1
        return sum(plain(game.play(state, move), depth - 1) for move in game.legal_moves(state))

    def value(state: Any, depth: int) -> float:
        if depth == 0 or game.is_terminal(state):
            return game.evaluate(state)
        best = max if game.to_move(state) == 0 else min
        return best(value(game.play(state, move), depth - 1) for move in game.legal_moves(state))

    rng = random.Random(7)
    for plies in range(0, 50, 8):
        state = game.initial_state()
        for _ in range(plies):
            if not game.is_terminal(state):
                state = game.play(state, rng.choice(game.legal_moves(state)))
        assert perft(game, state, 4).nodes == plain(state, 4)
        assert search(game, state, 4).value == value(state, 4)


@pytest.mark.parametrize(
    ("state", "move", "after"),
    [
        ("4,4,4,4,4,4;0/4,4,4,4,4,4;0 0", "3", "4,4,0,5,5,5;1/4,4,4,4,4,4;0 0"),  # ends in the store: again
        ("1,0,4,4,4,4;0/4,4,4,4,7,4;0 0", "1", "0,0,4,4,4,4;8/4,4,4,4,0,4;0 1"),  # captures the seeds opposite
        ("1,0,4,4,4,4;0/4,4,4,4,0,4;0 0", "1", "0,1,4,4,4,4;0/4,4,4,4,0,4;0 1"),  # nothing opposite, nothing captured
        ("0,1,0,0,0,9;0/1,1,1,1,1,1;0 0", "6", "1,2,0,0,0,0;1/2,2,2,2,2,2;0 1"),  # past the opponent's store
        ("13,0,0,0,0,0;0/0,0,0,0,0,0;0 0", "1", "0,1,1,1,1,1;3/1,1,1,1,1,0;0 1"),  # a whole round ends where it began
    ],
)
def test_moves(state: str, move: str, after: str) -> None:
    game = load_game("kalah")
    assert game.format_state(play_moves(game, game.parse_state(state), move)) == after


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("", "it is not two sides"),
        ("1,1,1,1,1,1;0/1,1,1,1,1,1;0", "it is not two sides"),
        ("1,1,1,1,1,1;0/1,1,1,1,1,1;0 2", "it is not two sides"),
        ("1,1,1,1,1;0/1,1,1,1,1,1;0 0", "'1,1,1,1,1;0' is not 6 holes and a store"),
        ("1,1,1,1,1,1;x/1,1,1,1,1,1;0 0", "'x' is no number of seeds"),
        ("1,1,1,1,1,-1;0/1,1,1,1,1,1;0 0", "'-1' is no number of seeds"),
        ("1000,1,1,1,1,1;20/1,1,1,1,1,1;0 0", "it has 1031 seeds, and 6 holes a side take 1023 at most"),
    ],
)
def test_bad_states(text: str, part: str) -> None:
    with pytest.raises(StateError) as caught:
        load_game("kalah").parse_state(text)
    assert part in str(caught.value)
    assert "; write" in str(caught.value)


def test_bad_moves_and_arguments() -> None:
    game = load_game("kalah")
    with pytest.raises(MoveError, match="use one of 1, 2, 3, 4, 5, 6"):
        game.parse_move(game.initial_state(), "7")
    for text in ("kalah(0)", "kalah(33,1)", "kalah(10,12)", "kalah(6,0)", "kalah(seeds=four)"):
        with pytest.raises(GameTextError):
            load_game(text)


def test_board() -> None:
    game = load_game("kalah(3,2)")
    board = [
        "      3  2  1  player 1",
        "      3  4  0",
        "  1             2",
        "      2  0  0",
        "      1  2  3  player 0",
        "player 1 to move",
    ]
    assert game.render(play_moves(game, game.initial_state(), "2 3 1")).splitlines() == board
    assert game.render(game.parse_state("0,0,0;3/0,0,2;5 0")).endswith("player 1 has won by 4")
