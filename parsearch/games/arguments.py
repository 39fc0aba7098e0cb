"""What the games share about their constructor arguments: checks, and the text form that names a game."""

from __future__ import annotations

import inspect
from typing import Any

from parsearch.core.errors import GameTextError

MOST_PLAYERS = 100
"""Of a game that could have any number of them: every score has a payoff for each."""


def require_count(game: str, argument: str, value: object, least: int = 1, most: int | None = None) -> None:
    """Raises GameTextError unless `value` is a whole number from `least` to `most`."""
    if isinstance(value, bool) or not isinstance(value, int) or value < least or (most is not None and value > most):
        upper = "" if most is None else f" to {most}"
        raise GameTextError(f"{game}: {argument} must be a whole number from {least}{upper}, not {value!r}")


def require_bool(game: str, argument: str, value: object) -> None:
    """Raises GameTextError unless `value` is True or False."""
    if not isinstance(value, bool):
        raise GameTextError(f"{game}: {argument} must be True or False, not {value!r}")


def text_form(name: str, constructor: type, **values: Any) -> str:
    """The canonical text of a game: only what differs from the defaults, by position as far as that goes."""
    words: list[str] = []
    by_name = False
    for parameter in inspect.signature(constructor).parameters.values():
        value = values[parameter.name]
        if value == parameter.default:
            by_name = True
        else:
            words.append(f"{parameter.name}={value}" if by_name else f"{value}")
    return f"{name}({','.join(words)})" if words else name
