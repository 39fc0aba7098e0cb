"""Checkers and Othello move for move against OpenSpiel's own rules, where it is installed (pip install open_spiel)."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import pytest

from parsearch.games import load_game

pyspiel = pytest.importorskip("pyspiel", reason="needs OpenSpiel: pip install open_spiel")

GAMES = [20, pytest.param(10_000, marks=[pytest.mark.slow, pytest.mark.timeout(36_000)])]


@pytest.mark.parametrize("games", GAMES)
def test_othello(games: int) -> None:
    game, theirs = load_game("othello"), pyspiel.load_game("othello")
    rng = random.Random(6)
    for _ in range(games):
        state, other = game.initial_state(), theirs.new_initial_state()
        while not other.is_terminal():
            player = other.current_player()
            moves = {game.format_move(state, move): move for move in game.legal_moves(state)}
            actions = {other.action_to_string(player, action): action for action in other.legal_actions()}
            assert list(moves) == list(actions), game.format_state(state)
            assert game.to_move(state) == player
            assert not game.is_terminal(state)
            name = rng.choice(list(moves))
            state = game.play(state, moves[name])
            other.apply_action(actions[name])
            rows = [line.split()[1:-1] for line in str(other).splitlines()[-9:-1]]
            board = "".join(cell.upper() for row in rows for cell in row)
            assert game.format_state(state).split()[0] == board
        assert game.is_terminal(state)
        score = game.evaluate(state)
        assert (score > 0) - (score < 0) == other.returns()[0]


@pytest.mark.parametrize("games", GAMES)
def test_checkers(games: int) -> None:
    """OpenSpiel plays a jump at a time; black, who moves first, is its player at the bottom."""
    game, theirs = load_game("checkers"), pyspiel.load_game("checkers")
    rng = random.Random(7)
    for _ in range(games):
        state, other = game.initial_state(), theirs.new_initial_state()
        while not other.is_terminal():
            names = {route_of(game.format_move(state, move)): move for move in game.legal_moves(state)}
            routes = dict(whole_moves(other, ()))
            assert sorted(names) == sorted(routes), game.format_state(state)
            assert game.to_move(state) == other.current_player()
            route = rng.choice(sorted(routes))
            state, other = game.play(state, names[route]), routes[route]
            assert pieces_of(game.format_state(state)) == pieces_on(other)
        if other.returns()[0]:  # else OpenSpiel ends a game in which nothing is captured for long
            assert game.is_terminal(state)
            assert (game.evaluate(state) > 0) == (other.returns()[0] > 0)


def whole_moves(state: Any, route: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], Any]]:
    """The squares that a piece visits and the state after, for every move of a player and what it has to go on with."""
    player = state.current_player()
    for action in state.legal_actions():
        name = state.action_to_string(player, action)
        after = state.child(action)
        visited = (*(route or (name[:2],)), name[2:4])
        if not after.is_terminal() and after.current_player() == player:
            yield from whole_moves(after, visited)
        else:
            yield visited, after


def cell(square: int) -> str:
    """OpenSpiel's name of a square of PDN."""
    row, place = divmod(square - 1, 4)
    return f"{'geca'[place] if row % 2 == 0 else 'hfdb'[place]}{row + 1}"


def route_of(name: str) -> tuple[str, ...]:
    return tuple(cell(int(square)) for square in name.replace("x", "-").split("-"))


def pieces_of(fen: str) -> dict[str, str]:
    """The pieces of a PDN FEN by OpenSpiel's squares and letters."""
    letters = {"B": "o", "W": "+", "BK": "8", "WK": "*"}
    found = {}
    for part in fen.split(":")[1:]:
        for word in filter(None, part[1:].split(",")):
            found[cell(int(word.removeprefix("K")))] = letters[part[0] + "K" * word.startswith("K")]
    return found


def pieces_on(state: Any) -> dict[str, str]:
    ranks = str(state).splitlines()[:8]
    return {
        f"{file}{rank[0]}": piece
        for rank in ranks
        for file, piece in zip("abcdefgh", rank[1:9], strict=True)
        if piece != "."
    }
