"""What can go wrong, as one tree.

    ParsearchError
    ├── InputError (also a ValueError)   the caller gave something that cannot be used
    │   ├── GameTextError                no game can be made from this text or these arguments
    │   ├── StateError                   the text is no position of the game
    │   ├── MoveError                    the text is no legal move in the position
    │   ├── LimitsError                  the limits make no sense, or no end for this game
    │   ├── AlgorithmError               the algorithm is unknown or does not fit the game
    │   └── ConfigError                  a config file cannot be read or used
    ├── GameError                        the game's own code raised or broke the Game contract
    ├── WorkerError                      Ray cannot be reached, or a worker died more often than allowed
    └── AnswersDifferError               two searches that must agree do not

Every message is one sentence that names what it is about and the remedy. All of them pickle.
"""

from __future__ import annotations


class ParsearchError(Exception):
    """Anything that parsearch itself reports."""


class InputError(ParsearchError, ValueError):
    """The caller gave something that cannot be used; the message says what and how to mend it."""


class GameTextError(InputError):
    """No game can be made from this text or these arguments."""


class StateError(InputError):
    """The text is no position of the game."""


class MoveError(InputError):
    """The text is no legal move in the position."""


class LimitsError(InputError):
    """The limits make no sense, or give a search of this game no end."""


class AlgorithmError(InputError):
    """The algorithm is unknown or does not fit the game."""


class ConfigError(InputError):
    """A config file cannot be read or used."""


class GameError(ParsearchError):
    """The game's own code raised, or broke the Game contract; what it raised is the cause."""


class WorkerError(ParsearchError):
    """Ray cannot be reached, or a worker died more often than allowed."""


class AnswersDifferError(ParsearchError):
    """Two searches of the same position that must agree do not; nothing about their speed is worth reporting."""
