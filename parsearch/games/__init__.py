"""Games in plain Python, one a file, and the registry that makes a game from its text form."""

from parsearch.games.registry import GAMES, GameEntry, load_game

__all__ = ["GAMES", "GameEntry", "load_game"]
