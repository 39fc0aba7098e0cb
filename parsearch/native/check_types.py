"""Whether a game's functions compile and return what the kernel expects; what is wrong is said at the author's line."""

from __future__ import annotations

from collections.abc import Callable, Collection
from types import ModuleType
from typing import Any

import numba
from numba.core.errors import NumbaError

from parsearch.core.errors import GameError
from parsearch.native.rules import Rules

types: Any = numba.types  # made of attributes that no type checker knows


def check_types(module: ModuleType, rules: Rules, words: int, unused: Collection[str]) -> None:
    """Compile the functions that a kernel uses one by one, helpers first, so that an error names the author's line.

    words: of a state. unused: functions that the kernel leaves out. Raises GameError.
    """
    state, move = types.UniTuple(types.uint64, words), types.int64
    moves = types.int64[::1]
    window = types.int64 if rules.namespace.get("INTEGER", False) else types.float64
    players = rules.namespace.get("PLAYERS", 2)
    integer = rules.namespace.get("INTEGER", False)
    zero_sum = rules.namespace.get("ZERO_SUM", players == 2)
    score = types.Integer if integer else (types.Integer, types.Float)
    payoffs = _is(score) if zero_sum else _tuple_of(score, players)
    count = _is(types.Integer)
    wanted: dict[str, tuple[tuple[Any, ...], Callable[[Any], bool], str]] = {
        "to_move": ((state,), count, "a signed integer"),
        "legal_moves": ((state, moves), count, "a signed integer, the number of moves"),
        "play": ((state, move), lambda kind: kind == state, f"a tuple of {words} uint64"),
        "is_terminal": ((state,), _is(types.Boolean), "True or False"),
        "evaluate": ((state,), payoffs, _score_text(integer, None if zero_sum else players)),
        "key": ((state,), lambda kind: kind == types.uint64, "a uint64"),
        "order": ((state, move), count, "a signed integer"),
        "bounds": ((state,), _tuple_of(score, 2), _score_text(integer, 2)),
        "bounds_within": ((state, window, window), _tuple_of(score, 2), _score_text(integer, 2)),
        "plies_left": ((state,), count, "a signed integer"),
        "noisy_moves": ((state, moves), count, "a signed integer, the number of moves"),
        "is_forced": ((state,), _is(types.Boolean), "True or False"),
        "sufficient_moves": ((state, moves), count, "a signed integer, the number of moves"),
        "count_moves": ((state,), count, "a signed integer"),
    }
    for name in rules.compiled:
        if name not in wanted or name in unused:
            continue
        arguments, fits, description = wanted[name]
        function: Any = getattr(module, name)
        try:
            function.compile(arguments)
        except NumbaError as error:
            raise GameError(
                f"{_place(error, module, rules, name)}: {name} does not compile: {first_line(error)}"
            ) from error
        returned = types.unliteral(function.overloads[arguments].signature.return_type)
        if not fits(returned):
            raise GameError(
                f"{_place(None, module, rules, name)}: {name} returns {returned}, not {description}; wrap what it "
                f"returns and the literals in it, as in {_wrapped(description)}"
            )


def _is(kind: Any) -> Callable[[Any], bool]:
    return lambda found: isinstance(found, kind) and not (isinstance(found, types.Integer) and not found.signed)


def _tuple_of(kind: Any, size: int) -> Callable[[Any], bool]:
    return lambda found: isinstance(found, types.UniTuple) and len(found) == size and _is(kind)(found.dtype)


def _wrapped(description: str) -> str:
    """How a number of the wanted type is written."""
    wrappers = {"uint64": "uint64(1)", "True": "bool(1)", "integer": "int64(1)"}
    return next((wrapped for word, wrapped in wrappers.items() if word in description), "float64(1)")


def _score_text(integer: bool, size: int | None) -> str:
    kind = "signed integer" if integer else "signed number"
    return f"a {kind}" if size is None else f"a tuple of {size} {kind}s of one type"


def _place(error: NumbaError | None, module: ModuleType, rules: Rules, name: str) -> str:
    """File and line in the author's text: of the error if it has one, else of the function."""
    starts = {origin.name: origin for origin in rules.origins}
    place = getattr(error, "loc", None)
    line = getattr(place, "line", None)
    if line is not None:
        for origin in rules.origins:  # the function whose lines hold the error's
            function = getattr(module, origin.name)
            code = getattr(function, "py_func", function).__code__
            if code.co_firstlineno <= line <= max(number or 0 for _, _, number in code.co_lines()):
                return f"{origin.file}, line {origin.line + line - code.co_firstlineno}"
    origin = starts[name]
    return f"{origin.file}, line {origin.line}"


def first_line(error: NumbaError) -> str:
    """Numba's reason without its traces and advice."""
    skip = ("Failed in", "During:", "File ", "- ", "There are", "<", "\x1b")
    lines = [line.strip() for line in str(error).splitlines()]
    reasons = [line.removeprefix(">>> ").strip() for line in lines if line and not line.startswith(skip)]
    if not reasons:
        return str(error)
    return " ".join(reasons[:2]) if reasons[0].endswith(":") else reasons[0]
