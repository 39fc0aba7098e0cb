"""Why: a wrong hook gives wrong values silently; `check_game` has to find it and name the position."""

from __future__ import annotations

from typing import Any

import pytest

from parsearch.core.check import check_game
from parsearch.games import load_game
from parsearch.games.connect4 import Connect4
from parsearch.games.mnk import Mnk
from parsearch.games.othello import Othello


class Merging(Mnk):
    def defines(self, function: str) -> bool:
        return function == "key" or super().defines(function)

    def key(self, state: Any) -> int:
        return int(state[0])


class Hopeful(Connect4):
    def bounds(self, state: Any) -> tuple[float, float]:
        least, most = super().bounds(state)
        return max(least, 0), max(most, 0)


class Hasty(Connect4):
    def sufficient_moves(self, state: Any) -> list[int]:
        return super().sufficient_moves(state)[:1]


class Narrow(Othello):
    def bounds_within(self, state: Any, low: float, high: float) -> tuple[float, float]:
        least, most = super().bounds_within(state, low, high)
        return max(least, high), most


class Backwards(Othello):
    def plies_left(self, state: Any) -> int:
        return -super().plies_left(state)


class Passing(Connect4):
    def defines(self, function: str) -> bool:
        return function == "count_moves" or super().defines(function)

    def count_moves(self, state: Any) -> int:
        return max(1, len(self.legal_moves(state)))


@pytest.mark.parametrize(
    ("game", "clause"),
    [
        (Merging(3, 3, 3), "key merges only equal values"),
        (Hopeful(4, 4), "bounds hold the value"),
        (Hasty(4, 4), "sufficient_moves"),
        (Narrow(4), "bounds_within hold the value"),
        (Backwards(4), "plies_left"),
        (Passing(4, 4), "count_moves"),
    ],
)
def test_a_wrong_hook_is_found(game: Any, clause: str) -> None:
    report = check_game(game, games=25)
    assert clause in {failure.clause for failure in report.failures}, report
    assert all(failure.position for failure in report.failures)


@pytest.mark.parametrize("name", ["connect4(5,4)", "othello(4)"])
def test_right_hooks_pass(name: str) -> None:
    assert check_game(load_game(name), games=2).ok
