"""Texts name games: the canonical form comes back as the same game, and every bad text gets one helpful sentence."""

import importlib
import inspect
import sys
from pathlib import Path

import pytest

from parsearch.core.errors import GameTextError
from parsearch.games import GAMES, load_game
from parsearch.games.connect4 import Connect4
from parsearch.games.mnk import Mnk
from parsearch.games.nim import Nim


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("connect4", "connect4"),
        (" connect4 ( 6 , 5 ) ", "connect4(6,5)"),
        ("connect4(7,6,4)", "connect4"),
        ("connect4(length=3)", "connect4(length=3)"),
        ("connect4(6, height=5, length=3)", "connect4(6,5,3)"),
        ("mnk(5,5,4)", "mnk(5,5,4)"),
        ("mnk(k=4,rows=5,columns=6)", "mnk(6,5,4)"),
        ("mnk(3,3,3,3)", "mnk(3,3,3,3)"),
        ("mnk(3,3,3)", "tictactoe"),
        ("tictactoe", "tictactoe"),
        ("tictactoe()", "tictactoe"),
        ("nim", "nim"),
        ("nim(3)", "nim(3)"),
        ("nim(2,None,False)", "nim"),
        ("nim(limit=3)", "nim(limit=3)"),
        ("nim(2,misere=True)", "nim(misere=True)"),
        ("nim(3,2,True)", "nim(3,2,True)"),
        ("tree", "tree"),
        ("tree(2,True)", "tree"),
        ("tree(3,zero_sum=False)", "tree(3)"),
        ("tree(zero_sum=False)", "tree(zero_sum=False)"),
    ],
)
def test_names(text: str, name: str) -> None:
    game = load_game(text)
    again = load_game(game.name)
    assert game.name == again.name == name
    assert type(again) is type(game)
    assert again.initial_state() == game.initial_state()
    assert (again.players, again.zero_sum, again.integer) == (game.players, game.zero_sum, game.integer)


def test_arguments_arrive() -> None:
    connect4, mnk, nim = load_game("connect4(6,5,3)"), load_game("mnk(6,5,4,3)"), load_game("nim(3,2,True)")
    assert isinstance(connect4, Connect4)
    assert (connect4.width, connect4.height, connect4.length) == (6, 5, 3)
    assert isinstance(mnk, Mnk)
    assert (mnk.columns, mnk.rows, mnk.k, mnk.players) == (6, 5, 4, 3)
    assert isinstance(nim, Nim)
    assert (nim.players, nim.limit, nim.misere) == (3, 2, True)


@pytest.mark.parametrize("name", GAMES)
def test_the_table_of_games(name: str) -> None:
    entry = GAMES[name]
    game = load_game(entry.call)
    state = game.parse_state(entry.example)
    assert not game.is_terminal(state)
    assert game.parse_state(game.format_state(state)) == state
    constructor = getattr(importlib.import_module(entry.module), entry.constructor)
    if not entry.arguments:
        bare = [p.replace(annotation=p.empty) for p in inspect.signature(constructor).parameters.values()]
        assert entry.signature == f"{name}{inspect.Signature(bare)}".replace("'", "")  # words are written bare


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("shogi", ["'shogi'", ", ".join(GAMES), "package.module:ClassName"]),
        ("conect4(6,5)", ["did you mean connect4?", "tree"]),
        ("", ["''", "such as 'mnk(5,5,4)'"]),
        ("mnk(3,3", ["'mnk(3,3'", "name(argument, key=value)"]),
        ("mnk(3,3)", ["'mnk(3,3)'", "'k'", "mnk(columns, rows, k, players=2)"]),
        ("mnk(3,3,3,colour=1)", ["'colour'", "mnk(columns, rows, k, players=2)"]),
        ("mnk(3,3,3,rows=1)", ["'rows'", "mnk(columns, rows, k, players=2)"]),
        ("connect4(6,height=5,4)", ["'4'", "put it first"]),
        ("connect4(width=5,width=5)", ["'width'", "once"]),
        ("connect4(6,)", ["''", "numbers, True, False, None or bare words"]),
        ("connect4('6')", ["\"'6'\"", "bare words"]),
        ("connect4(6.5)", ["width must be a whole number from 1, not 6.5"]),
        ("connect4(True)", ["width must be a whole number from 1, not True"]),
        ("mnk(0,3,3)", ["columns must be a whole number from 1, not 0"]),
        ("mnk(3,3,-1)", ["k must be a whole number from 1, not -1"]),
        ("mnk(3,3,3,1)", ["players must be a whole number from 2 to 26, not 1"]),
        ("nim(1)", ["players must be a whole number from 2 to 100, not 1"]),
        ("nim(101)", ["players must be a whole number from 2 to 100, not 101"]),
        ("tree(101)", ["players must be a whole number from 1 to 100, not 101"]),
        ("nim(limit=0)", ["limit must be a whole number from 1, not 0"]),
        ("nim(misere=yes)", ["misere must be True or False, not 'yes'"]),
        ("tree(3,True)", ["zero_sum=True needs two players, not 3"]),
        ("tree(0)", ["players must be a whole number from 1 to 100, not 0"]),
        ("tree(2,1)", ["zero_sum must be True or False, not 1"]),
        ("tictactoe(4)", ["tictactoe takes no arguments", "mnk(columns, rows, k)"]),
        ("no_such_module:Game", ["'no_such_module'", "PYTHONPATH"]),
        ("os.nothing:Game", ["'os.nothing'", "PYTHONPATH"]),
        ("a b:Game", ["'a b:Game'", "name(argument, key=value)"]),
        (":Game", ["package.module:ClassName"]),
    ],
)
def test_bad_texts(text: str, parts: list[str]) -> None:
    with pytest.raises(GameTextError) as caught:
        load_game(text)
    message = str(caught.value)
    for part in (*parts, repr(text)):
        assert part in message
    assert "\n" not in message


USERS_GAMES = """
from parsearch.core.game import Game

class Base(Game):
    def initial_state(self): return 0
    def to_move(self, state): return 0
    def legal_moves(self, state): return []
    def play(self, state, move): return state
    def is_terminal(self, state): return True

class Mine(Base):
    def __init__(self, size: int = 3, mood=None):
        if size > 9: raise RuntimeError("too big")
        self.size, self.mood = size, mood
    def evaluate(self, state): return self.size

class Outer:
    Inner = Mine

number = 3
"""


@pytest.fixture
def users_module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    (tmp_path / "users_games.py").write_text(USERS_GAMES)
    (tmp_path / "users_fault.py").write_text("import users_games\n1 / 0\n")
    (tmp_path / "users_import.py").write_text("import surely_not_installed\n")
    monkeypatch.syspath_prepend(tmp_path)
    for name in ("users_games", "users_fault", "users_import"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    return "users_games"


def test_a_users_game(users_module: str) -> None:
    game = load_game(f"{users_module}:Mine(4, mood=happy)")
    assert (game.evaluate(0), vars(game)["mood"]) == (4, "happy")
    assert load_game(f"{users_module}:Mine").evaluate(0) == 3
    assert load_game(f"{users_module}:Outer.Inner(-1.5)").evaluate(0) == -1.5


@pytest.mark.parametrize(
    ("text", "part", "cause"),
    [
        ("users_games:Thine", "users_games has no 'Thine'; its games are Mine", None),
        ("users_games:number", "number is no subclass of parsearch.Game; its games are Mine", None),
        ("users_games:Base", "Base does not define evaluate; add what is missing", None),
        ("users_games:Mine(1,2,3)", "too many positional arguments; write it as Mine(size=3, mood=None)", TypeError),
        ("users_games:Mine(10)", "Mine raised RuntimeError: too big; see Mine(size=3, mood=None)", RuntimeError),
        ("users_fault:Mine", "importing users_fault raised ZeroDivisionError: division by zero", ZeroDivisionError),
        (
            "users_import:Mine",
            "importing users_import raised ModuleNotFoundError: No module named 'surely",
            ImportError,
        ),
    ],
)
@pytest.mark.usefixtures("users_module")
def test_faults_of_a_users_game(text: str, part: str, cause: type[Exception] | None) -> None:
    with pytest.raises(GameTextError) as caught:
        load_game(text)
    assert part in str(caught.value)
    assert repr(text) in str(caught.value)
    assert caught.value.__cause__ is None if cause is None else isinstance(caught.value.__cause__, cause)
