"""Text that a person typed, turned into states and moves of any game: every failure is one InputError."""

from __future__ import annotations

from typing import Any

from parsearch.core.errors import InputError, MoveError, StateError
from parsearch.core.game import Game


def read_state(game: Game[Any, Any], text: str | None) -> Any:
    """The state that `text` describes, the initial one for None. Raises StateError naming game and text."""
    if text is None:
        return game.initial_state()
    try:
        return game.parse_state(text)
    except InputError:
        raise
    except Exception as error:  # a user's parser may fail in any way; the text is to blame
        raise StateError(f"{game.name} cannot read the state {text!r}: {_reason(error)}") from error


def read_move(game: Game[Any, Any], state: Any, text: str) -> Any:
    """The legal move that `text` names. Raises MoveError naming game, state and text."""
    try:
        move = game.parse_move(state, text)
    except InputError:
        raise
    except Exception as error:  # as above
        raise MoveError(
            f"{game.name} cannot read the move {text!r} in {game.format_state(state)!r}: {_reason(error)}"
        ) from error
    return move


def play_moves(game: Game[Any, Any], state: Any, text: str) -> Any:
    """The state after the moves in `text`, separated by spaces or commas. Raises MoveError for the first bad one."""
    for word in text.replace(",", " ").split():
        state = game.play(state, read_move(game, state, word))
    return state


def _reason(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
