"""Exact parallel game-tree search: the root's moves go out as tasks, a coordinator takes the max.

from parsearch import Coordinator, Limits, load_game, search
"""

from parsearch.core.check import CheckReport, check_game
from parsearch.core.errors import (
    AlgorithmError,
    AnswersDifferError,
    ConfigError,
    GameError,
    GameTextError,
    InputError,
    LimitsError,
    MoveError,
    ParsearchError,
    StateError,
    WorkerError,
)
from parsearch.core.game import Game
from parsearch.core.limits import Limits
from parsearch.core.result import Progress, RootMove, SearchResult
from parsearch.core.window import Bound, Window
from parsearch.games.registry import load_game
from parsearch.parallel.coordinator import Coordinator, search

__version__ = "0.1.0"

__all__ = [
    "AlgorithmError",
    "AnswersDifferError",
    "Bound",
    "CheckReport",
    "ConfigError",
    "Coordinator",
    "Game",
    "GameError",
    "GameTextError",
    "InputError",
    "Limits",
    "LimitsError",
    "MoveError",
    "ParsearchError",
    "Progress",
    "RootMove",
    "SearchResult",
    "StateError",
    "Window",
    "WorkerError",
    "check_game",
    "load_game",
    "search",
]
