"""The game and the position that a command names."""

from __future__ import annotations

import os
import sys
from typing import Any

from parsearch.core.game import Game
from parsearch.core.text import play_moves, read_state
from parsearch.games.registry import load_game
from parsearch.parallel.task import blaming


def look_here() -> None:
    """Have a user's own module found in the current directory, as `python -m` does."""
    if os.getcwd() not in sys.path:
        sys.path.insert(0, os.getcwd())


def find_game(text: str) -> Game[Any, Any]:
    """The game that a text names, be it one of our own or in a module of the user's."""
    if ":" in text:
        look_here()  # for our own games no file that happens to lie here may stand in for a library
    return load_game(text)


def find_position(game_text: str, state_text: str | None, moves_text: str | None = None) -> tuple[Game[Any, Any], Any]:
    """A game and a state of it: what the text says, or the start, and then the moves. Raises as those do."""
    game = find_game(game_text)
    with blaming(game, None):
        state = read_state(game, state_text)
    with blaming(game, state):
        return game, play_moves(game, state, moves_text or "")
