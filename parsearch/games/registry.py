"""From text to game: `connect4`, `mnk(5,5,4)`, `nim(3,misere=True)`, or a user's `package.module:ClassName`."""

from __future__ import annotations

import difflib
import importlib
import inspect
import re
from dataclasses import dataclass
from typing import Any

from parsearch.core.errors import GameTextError
from parsearch.core.game import Game


@dataclass(frozen=True, slots=True)
class GameEntry:
    """A game that has a name of its own: what it is, how it is called, an example call and an example state of that.

    module, constructor, arguments: where it is and what the name fixes; imported when the game is asked for.
    """

    description: str
    signature: str
    call: str
    example: str
    module: str
    constructor: str
    arguments: tuple[Any, ...] = ()


GAMES: dict[str, GameEntry] = {
    "checkers": GameEntry(
        "English checkers (American draughts) on 8x8",
        "checkers(eval=full)",
        "checkers",
        "B:W18,24,K31:B1,5,K9",
        "parsearch.games.checkers",
        "Checkers",
    ),
    "chess": GameEntry(
        "chess, to mate or stalemate; with history draws by repetition and 50 moves too",
        "chess(eval=full, history=False)",
        "chess(eval=material)",
        "r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/5Q2/PPPP1PPP/RNB1K1NR w KQkq - 4 4",
        "parsearch.games.chess",
        "Chess",
    ),
    "chess960": GameEntry(
        "Fischer random chess",
        "chess960(eval=full, history=False)",
        "chess960",
        "bqnbrnkr/pppppppp/8/8/8/8/PPPPPPPP/BQNBRNKR w HEhe - 0 1",
        "parsearch.games.chess",
        "Chess960",
    ),
    "connect4": GameEntry(
        "Connect Four; a win is worth more the sooner it comes",
        "connect4(width=7, height=6, length=4)",
        "connect4",
        "44453",
        "parsearch.games.connect4",
        "Connect4",
    ),
    "go": GameEntry(
        "Go on a small board: area scoring, superko, no suicide",
        "go(rows, columns, superko=True)",
        "go(3,3)",
        "---/-X-/--- O 0",
        "parsearch.games.go",
        "Go",
    ),
    "kalah": GameEntry(
        "Kalah, with extra turns and captures; the score is the difference of the stores",
        "kalah(holes=6, seeds=4)",
        "kalah",
        "4,4,4,4,4,0;1/5,5,5,4,4,4;0 1",
        "parsearch.games.kalah",
        "Kalah",
    ),
    "mnk": GameEntry(
        "k in a row on a board of columns x rows",
        "mnk(columns, rows, k, players=2)",
        "mnk(4,3,3)",
        "X----O------ X",
        "parsearch.games.mnk",
        "Mnk",
    ),
    "nim": GameEntry(
        "take from one heap; the last object wins, misère it loses",
        "nim(players=2, limit=None, misere=False)",
        "nim",
        "3,4,5 1",
        "parsearch.games.nim",
        "Nim",
    ),
    "othello": GameEntry(
        "Othello; a finished game scores the difference in discs",
        "othello(size=8)",
        "othello",
        "---------------------------OX------XO--------------------------- X",
        "parsearch.games.othello",
        "Othello",
    ),
    "tictactoe": GameEntry(
        "tic-tac-toe, which is mnk(3,3,3)",
        "tictactoe",
        "tictactoe",
        "XX-OO---- X",
        "parsearch.games.mnk",
        "Mnk",
        (3, 3, 3),
    ),
    "tree": GameEntry(
        "an explicit tree of nested lists",
        "tree(players=2, zero_sum=None)",
        "tree",
        "[[3,12,8],[2,4,6],[14,5,2]]",
        "parsearch.games.tree",
        "Tree",
    ),
}
"""The games that `load_game` knows by name."""

_FORM = re.compile(r"\s*(?P<name>[^\s(),=]+)\s*(?:\((?P<arguments>[^()]*)\))?\s*", re.DOTALL)
_WORD = re.compile(r"[^\W\d][\w.:/-]*")
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
_CONSTANTS = {"True": True, "False": False, "None": None}


def load_game(text: str) -> Game[Any, Any]:
    """The game that a text names: `name`, `name(argument, key=value)` or `package.module:ClassName(...)`.

    Arguments are numbers, True, False, None or bare words. Raises GameTextError for any other text, with the
    remedy; what a user's own class raised is the cause.
    """
    form = _FORM.fullmatch(text)
    if form is None:
        raise GameTextError(f"{text!r} is no game; write a name or name(argument, key=value), such as 'mnk(5,5,4)'")
    name = form["name"]
    arguments, named = _arguments(text, form["arguments"] or "")
    if ":" in name:
        constructor = _user_class(text, name)
        return _construct(text, constructor, f"{constructor.__name__}{_signature(constructor)}", arguments, named)
    if name not in GAMES:
        near = difflib.get_close_matches(name.lower(), GAMES, n=1)
        hint = f"did you mean {near[0]}? There are " if near else "use one of "
        raise GameTextError(
            f"there is no game {text!r}; {hint}{', '.join(GAMES)}, or your own as package.module:ClassName"
        )
    entry = GAMES[name]
    if entry.arguments and (arguments or named):
        raise GameTextError(f"{text!r}: {name} takes no arguments; for another board use mnk(columns, rows, k)")
    constructor = getattr(importlib.import_module(entry.module), entry.constructor)
    return _construct(text, constructor, entry.signature, [*entry.arguments, *arguments], named)


def _arguments(text: str, inside: str) -> tuple[list[Any], dict[str, Any]]:
    arguments: list[Any] = []
    named: dict[str, Any] = {}
    for part in inside.split(",") if inside.strip() else []:
        key, equals, value = (word.strip() for word in part.partition("="))
        if not equals:
            if named:
                raise GameTextError(f"{text!r}: {key!r} has no name but stands after one that has; put it first")
            arguments.append(_value(text, key))
        elif not key.isidentifier() or key in named:
            raise GameTextError(f"{text!r}: {key!r} is no argument name or stands twice; write each key=value once")
        else:
            named[key] = _value(text, value)
    return arguments, named


def _value(text: str, word: str) -> Any:
    if word in _CONSTANTS:
        return _CONSTANTS[word]
    if _NUMBER.fullmatch(word):
        try:
            return int(word)
        except ValueError:
            return float(word)
    if _WORD.fullmatch(word):
        return word
    raise GameTextError(f"{text!r}: {word!r} is no argument; use numbers, True, False, None or bare words")


def _user_class(text: str, name: str) -> type[Game[Any, Any]]:
    module_name, _, class_name = name.partition(":")
    if not all(part.isidentifier() for part in (*module_name.split("."), *class_name.split("."))):
        raise GameTextError(f"{text!r} is no game; write your own as package.module:ClassName")
    try:
        found: Any = importlib.import_module(module_name)
    except (Exception, SystemExit) as error:  # the module's own code runs here
        if isinstance(error, ModuleNotFoundError) and f"{module_name}.".startswith(f"{error.name}."):
            raise GameTextError(
                f"{text!r}: there is no module {error.name!r}; put its folder on PYTHONPATH or correct the name"
            ) from error
        raise GameTextError(
            f"{text!r}: importing {module_name} raised {_reason(error)}; mend the module first"
        ) from error
    games = [key for key, value in vars(found).items() if _is_game(value) and not inspect.isabstract(value)]
    remedy = f"its games are {', '.join(games)}" if games else "it defines no subclass of parsearch.Game"
    for part in class_name.split("."):
        if not hasattr(found, part):
            raise GameTextError(f"{text!r}: {module_name} has no {class_name!r}; {remedy}")
        found = getattr(found, part)
    if not _is_game(found):
        raise GameTextError(f"{text!r}: {class_name} is no subclass of parsearch.Game; {remedy}")
    missing = sorted(found.__abstractmethods__)
    if missing:
        raise GameTextError(f"{text!r}: {class_name} does not define {', '.join(missing)}; add what is missing")
    constructor: type[Game[Any, Any]] = found
    return constructor


def _is_game(value: object) -> bool:
    return isinstance(value, type) and issubclass(value, Game) and value is not Game


def _signature(constructor: type) -> str:
    try:
        signature = inspect.signature(constructor)
    except (TypeError, ValueError):  # built in C, say
        return "(...)"
    bare = [parameter.replace(annotation=parameter.empty) for parameter in signature.parameters.values()]
    return str(signature.replace(parameters=bare, return_annotation=signature.empty))


def _construct(
    text: str, constructor: type[Game[Any, Any]], signature: str, arguments: list[Any], named: dict[str, Any]
) -> Game[Any, Any]:
    try:
        inspect.signature(constructor).bind(*arguments, **named)
    except TypeError as error:
        raise GameTextError(f"{text!r}: {error}; write it as {signature}") from error
    except ValueError:  # no signature to compare with
        pass
    try:
        return constructor(*arguments, **named)
    except GameTextError as error:
        raise GameTextError(f"{text!r}: {error}") from error
    except Exception as error:  # a user's constructor may raise anything
        raise GameTextError(f"{text!r}: {constructor.__name__} raised {_reason(error)}; see {signature}") from error


def _reason(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
