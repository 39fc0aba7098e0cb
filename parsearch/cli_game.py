"""The game that a command names."""

from __future__ import annotations

import os
import sys
from typing import Any

from parsearch.core.game import Game
from parsearch.games.registry import load_game


def find_game(text: str) -> Game[Any, Any]:
    """The game that a text names; a user's own module is also found in the current directory."""
    if ":" in text and os.getcwd() not in sys.path:
        sys.path.insert(0, os.getcwd())  # as `python -m` does
    return load_game(text)
