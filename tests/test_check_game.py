"""check_game finds each clause of the contract that a game breaks, and says which, where and in which game."""

import pickle
from typing import Any, NamedTuple

import numpy as np
import pytest

from parsearch.core.check import check_game
from parsearch.core.game import Game
from parsearch.games import load_game

GAMES = (
    *("tree", "tree(1)", "tree(3)", "tree(7)", "tree(zero_sum=False)"),
    *("nim", "nim(3)", "nim(4,2)", "nim(misere=True)", "nim(3,limit=2,misere=True)"),
    *("tictactoe", "mnk(3,3,3,3)", "mnk(28,2,3)", "connect4", "connect4(4,4,3)", "connect4(1,1,1)"),
)
MORE_BOARDS = (  # each is compiled for some seconds
    *("mnk(5,4,3)", "mnk(4,3,3,4)", "mnk(1,1,1)", "mnk(2,2,9)"),
    *("connect4(6,5)", "connect4(12,3)", "connect4(3,1,2)"),
)


@pytest.mark.parametrize("text", [*GAMES, *(pytest.param(text, marks=pytest.mark.slow) for text in MORE_BOARDS)])
def test_our_games_keep_the_contract(text: str) -> None:
    report = check_game(load_game(text))
    assert report.ok, str(report)
    assert report.games == 20
    assert report.positions > 20
    assert report.game in str(report)


class State(NamedTuple):
    left: int
    player: int


class Countdown(Game[Any, Any]):
    """Take one or two of five; who takes the last wins. Keeps the contract."""

    integer = True

    def initial_state(self) -> Any:
        return State(5, 0)

    def to_move(self, state: Any) -> Any:
        return state.player

    def legal_moves(self, state: Any) -> Any:
        return [take for take in (1, 2) if take <= state.left]

    def play(self, state: Any, move: Any) -> Any:
        return State(state.left - move, 1 - state.player)

    def is_terminal(self, state: Any) -> Any:
        return state.left == 0

    def evaluate(self, state: Any) -> Any:
        return 0 if state.left else 2 * state.player - 1

    def max_plies(self, state: Any) -> Any:
        return state.left

    def parse_state(self, text: str) -> Any:
        return State(*map(int, text.split()))

    def format_state(self, state: Any) -> str:
        return f"{state.left} {state.player}"


class Mutable:
    """A state that is changed in place."""

    def __init__(self, left: int, player: int) -> None:
        self.left, self.player = left, player

    def __eq__(self, other: object) -> bool:
        return vars(self) == vars(other)

    def __hash__(self) -> int:
        return 1


def play_in_place(_: Any, state: Any, move: Any) -> Any:
    state.left, state.player = state.left - move, 1 - state.player
    return state


class Unsendable(State):
    def __reduce__(self) -> Any:
        raise pickle.PicklingError("not me")


class Unhashable(State):
    __hash__ = None  # type: ignore[assignment]


class Identity(State):
    """Equal only to itself: playing twice gives different states."""

    def __eq__(self, other: object) -> bool:
        return self is other

    def __hash__(self) -> int:
        return id(self)


def raises(*_: Any) -> Any:
    raise RuntimeError("boom")


class Flips:
    """A method that answers something else at every second call."""

    def __init__(self, *answers: Any) -> None:
        self.answers, self.calls = answers, 0

    def __call__(self, *_: Any) -> Any:
        self.calls += 1
        return self.answers[self.calls % len(self.answers)]


BROKEN: list[tuple[str, str, dict[str, Any]]] = [
    ("game attributes", "name is 3", {"name": 3}),
    ("game attributes", "players is 'two'", {"players": "two"}),
    ("game attributes", "integer is 1", {"integer": 1}),
    ("game attributes", "zero_sum is None", {"zero_sum": None}),
    ("game attributes", "for two players, not 3", {"players": 3, "zero_sum": True}),
    ("rules", "RuntimeError: boom", {"initial_state": raises}),
    ("states are values", "RuntimeError: boom", {"play": raises}),
    ("states are values", "unhashable", {"initial_state": lambda _: Unhashable(5, 0)}),
    ("states are values", "changed the state", {"initial_state": lambda _: Mutable(5, 0), "play": play_in_place}),
    ("states are values", "unequal", {"play": lambda _, s, m: Identity(s.left - m, 1 - s.player)}),
    ("states can be sent", "not me", {"initial_state": lambda _: Unsendable(5, 0)}),
    ("legal_moves", "not a sequence", {"legal_moves": lambda _, s: {t for t in (1, 2) if t <= s.left}}),
    ("legal_moves", "None is among", {"legal_moves": lambda _, s: [None, 1] if s.left else []}),
    ("legal_moves", "twice in [1, 1]", {"legal_moves": lambda _, s: [1, 1] if s.left else []}),
    ("legal_moves", "another order", {"legal_moves": Flips([1, 2], [2, 1])}),
    ("terminal exactly without moves", "True with 1 legal", {"is_terminal": lambda _, s: s.left <= 1}),
    ("terminal exactly without moves", "False with 0 legal", {"is_terminal": lambda *_: False}),
    ("to_move", "2 is not a player", {"to_move": lambda _, s: s.player + 1}),
    ("to_move", "None is not a player", {"to_move": lambda _, s: s.player if s.left else None}),
    ("evaluate", "0.5 is not an int", {"evaluate": lambda *_: 0.5}),
    ("evaluate", "True is not an int", {"evaluate": lambda *_: True}),
    ("evaluate", "not finite", {"integer": False, "evaluate": lambda *_: float("inf")}),
    ("evaluate", "np.int8(0) wraps around", {"evaluate": lambda *_: np.int8(0)}),
    ("evaluate", "not a tuple of 2", {"zero_sum": False}),
    ("evaluate", "different scores", {"evaluate": Flips(0, 1)}),
    ("max_plies", "-1 is neither", {"max_plies": lambda *_: -1}),
    ("max_plies bounds the plies left", "more plies were played", {"max_plies": lambda *_: 1}),
    ("state text", "not a text", {"format_state": lambda _, s: s.left}),
    ("state text", "parse_state('5 0')", {"parse_state": lambda *_: State(9, 0)}),
    ("state text", "render gives no text", {"render": lambda *_: ""}),
    ("move text", "not a text", {"format_move": lambda _, __, m: m}),
    ("move text", "gives 1, not 2", {"parse_move": lambda *_: 1}),
    ("order", "RuntimeError: boom", {"order": raises}),
    ("order", "'high' is not a number", {"order": lambda *_: "high"}),
    ("noisy_moves", "not all legal", {"noisy_moves": lambda *_: [3]}),
    ("noisy_moves", "not in the game's order", {"noisy_moves": lambda _, s: [2, 1] if s.left > 1 else []}),
]


def bend(changes: dict[str, Any]) -> Game[Any, Any]:
    """The countdown game with some attributes replaced."""
    broken = {key: value if not isinstance(value, Flips) else lambda *_, v=value: v() for key, value in changes.items()}
    game: Game[Any, Any] = type("Broken", (Countdown,), broken)()
    return game


def test_countdown_keeps_the_contract() -> None:
    assert check_game(bend({})).ok, "otherwise the cases below show nothing"


@pytest.mark.parametrize(("clause", "detail", "changes"), BROKEN, ids=[f"{clause}: {why}" for clause, why, _ in BROKEN])
def test_each_broken_clause_is_reported(clause: str, detail: str, changes: dict[str, Any]) -> None:
    report = check_game(bend(changes))
    assert not report.ok
    found = [failure for failure in report.failures if failure.clause == clause]
    assert found, str(report)
    assert any(detail in failure.detail for failure in found), str(report)
    text = str(report)
    assert clause in text
    assert str(report.game) in text
    assert found[0].position in text


def test_the_report_names_the_position() -> None:
    report = check_game(bend({"is_terminal": lambda _, s: s.left <= 1}))
    assert {failure.position for failure in report.failures} <= {"'1 0'", "'1 1'"}
    assert str(report).splitlines()[1].startswith("Broken: terminal exactly without moves: is_terminal is True")
    assert str(report).splitlines()[1].endswith("(position '1 0')") or "(position '1 1')" in str(report)


def test_the_same_seed_plays_the_same_games() -> None:
    game = load_game("nim(3)")
    assert check_game(game, seed=1) == check_game(game, seed=1)
    assert len({check_game(game, seed=seed).positions for seed in range(5)}) > 1
