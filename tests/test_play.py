"""Playing is where people type anything at all: each wrong text is one sentence and another question."""

from typing import Any

import pytest
from typer.testing import CliRunner

from parsearch import load_game, search
from parsearch.cli import app
from parsearch.cli_play import Match
from parsearch.core.limits import Limits
from parsearch.core.result import SearchResult


def play(*options: str, typed: str = "") -> Any:
    return CliRunner().invoke(app, ["play", *options, "--workers", "0"], input=typed)


def test_a_whole_game_by_a_person_who_knows_how() -> None:
    result = play("tictactoe", "--state", "XX-OO---- X", typed="c1\n")
    assert result.exit_code == 0
    assert result.stdout.endswith("The game is over: you win (player 0: 1, player 1: -1).\n")


def test_the_program_wins_where_it_can() -> None:
    result = play("tictactoe", "--state", "XX-OO---- X", "--player", "1", typed="")
    assert "player 0 (parsearch) plays c1: value 1" in result.stdout
    assert result.stdout.endswith("The game is over: player 0 (parsearch) wins (player 0: 1, player 1: -1).\n")


def test_a_draw() -> None:
    result = play("tictactoe", "--state", "XOXXOOO-X X", typed="b3\n")
    assert result.stdout.endswith("The game is over: nobody wins (player 0: 0, player 1: 0).\n")


@pytest.mark.parametrize("typed", ["zz", "a1", "99", "a1 b1", "é"])
def test_a_wrong_move_is_told_and_asked_again(typed: str) -> None:
    result = play("tictactoe", "--state", "XX-OO---- X", typed=f"{typed}\n\nc1\n")
    assert result.exit_code == 0
    assert f"tictactoe: '{typed}' is no legal move" in result.stdout
    assert "you win" in result.stdout


def test_help_lists_the_legal_moves() -> None:
    assert "the legal moves are 0:1 1:1 1:2; " in play("nim", "--state", "1,2", typed="help\nquit\n").stdout


def test_undo_goes_back_to_the_persons_last_decision() -> None:
    result = play("nim", "--state", "1,2,4", typed="undo\n0:1\nundo\nquit\n")
    assert "there is nothing to undo yet" in result.stdout
    assert result.stdout.count("heap 0:   1 |\nheap 1:   2 ||\nheap 2:   4 ||||\nplayer 0 to move") == 2


def test_a_second_seat_cannot_undo_the_programs_first_move() -> None:
    assert "there is nothing to undo yet" in play("nim", "--player", "1", typed="undo\n").stdout


@pytest.mark.parametrize("typed", ["", "quit\n", "\n\n"])
def test_leaving_is_no_error(typed: str) -> None:
    assert play("tictactoe", typed=typed).exit_code == 0


def test_a_start_at_the_end_of_the_game() -> None:
    result = play("tictactoe", "--state", "XXXOO---- O")
    assert result.exit_code == 0
    assert "The game is over: you win" in result.stdout


def test_one_seat_of_three() -> None:
    result = play("nim(3)", "--state", "1,1,1", "--player", "1", typed="1:1\n")
    assert "player 0 (parsearch) plays 0:1" in result.stdout
    assert result.stdout.endswith(
        "The game is over: player 2 (parsearch) wins (player 0: 0, player 1: 0, player 2: 1).\n"
    )


def test_quiescence_sees_that_a_taken_piece_is_taken_back() -> None:
    """White's queen can take a pawn that the king guards: at depth 1 only quiescence sees the answer."""
    guarded = ["chess(eval=material)", "--state", "8/8/2k5/3p4/8/8/8/3QK3 w - - 0 1", "--player", "1", "--depth", "1"]
    assert "plays d1d5: value 9 for it" in play(*guarded).stdout
    quiet = play(*guarded, "--quiescence", "--table", "1").stdout
    assert "value 8 for it" in quiet
    assert "plays d1d5" not in quiet


def test_moves_are_played_first() -> None:
    result = play("tictactoe", "--moves", "a1 b1 a2 b2", typed="a3\n")
    assert result.stdout.endswith("The game is over: you win (player 0: 1, player 1: -1).\n")


def test_several_winners() -> None:
    result = play("nim(3,misere=True)", "--state", "1,1", "--player", "0", typed="0:1\n")
    assert result.stdout.endswith("The game is over: you and player 2 win (player 0: 1, player 1: 0, player 2: 1).\n")


def test_the_search_starts_from_the_position_after_each_reply() -> None:
    game = load_game("tictactoe")
    searched, said = [], []
    replies = iter(["b2", "c1", "b1", "a2", "c3"])

    def think(state: Any) -> SearchResult:
        searched.append(game.format_state(state))
        return search(game, state, limits=Limits(depth=2), workers=0)

    Match(game, game.initial_state(), 0, think, lambda _: next(replies), said.append).play()
    assert searched[0] == "----X---- O"
    assert all(text.endswith(" O") for text in searched)
    assert len(set(searched)) == len(searched)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["tictactoe", "--player", "2"], "there is no player 2 in tictactoe; use a number from 0 to 1"),
        (["tictactoe", "--player", "-1"], "there is no player -1"),
        (["tictactoe", "--algorithm", "maxn"], "maxn is for payoff tuples"),
        (["tictactoe", "--quiescence"], "tictactoe defines no noisy_moves to follow; leave quiescence out"),
        (["tictactoe", "--moves", "d4"], "'d4' is no legal move"),
        (["tictactoe", "--depth", "0"], "depth 0 looks at no move"),
        (["tictactoe", "--time", "0"], "seconds must be finite and more than 0"),
        (["tictactoe", "--state", "X"], "it has 1 cells"),
        (["shogi"], "there is no game 'shogi'"),
    ],
)
def test_bad_input_is_one_sentence(options: list[str], message: str) -> None:
    result = play(*options)
    assert result.exit_code == 2
    assert message in result.stderr
    assert result.stderr.count("\n") == 1
