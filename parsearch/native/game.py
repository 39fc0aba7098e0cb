"""`CompiledGame`: rules in the subset of Python that Numba compiles, as a Game like any other."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from numpy import uint64

from parsearch.core.errors import GameError, MoveError, StateError
from parsearch.core.game import Game, Score
from parsearch.native.rules import Rules, gather, namespace_of

Words: TypeAlias = tuple[int, ...]
"""A state as every other part of parsearch sees it: the 64-bit words as plain integers."""


class CompiledGame(Game[Words, int]):
    """A game whose rules are the functions of the module in which its subclass stands.

    The module has constants on top and functions below; the subclass gives the game its name and arguments:

        from numpy import int64, uint64
        from parsearch.native.game import CompiledGame

        MAX_MOVES = 3          # the most moves of any position; required
        INTEGER = True         # every score is an int; also PLAYERS = 2 and ZERO_SUM, see Game
        HEAP = 21

        def initial_state(): return (uint64(HEAP), uint64(0))      # a tuple of numpy.uint64, always equally long
        def to_move(state): ...                                    # a player from 0
        def legal_moves(state, buffer): ...                        # writes moves (integers) to buffer, returns how many
        def play(state, move): ...                                 # the next tuple
        def is_terminal(state): ...
        def evaluate(state): ...                                   # from player 0's view, or a tuple, see Game

        class Subtraction(CompiledGame):
            def __init__(self, heap: int = 21) -> None:
                super().__init__(f"subtraction({heap})", HEAP=heap)

    Optional, compiled as well: `key(state)`, 64 bits by which the transposition table knows the position;
    `order(state, move)`, an integer, greater for moves to try earlier; `bounds(state)`, a pair between which the value
    to the end of the game must lie; `bounds_within(state, low, high)`, like `bounds` but told the window (player 0's
    view too), so that it need be no tighter than the window asks and may play out the last moves itself;
    `sufficient_moves(state, buffer)`, like `legal_moves` but only moves enough to find that value where `bounds` leave
    it open; `noisy_moves(state, buffer)` for quiescence, `is_forced(state)` where all moves are such and one has to be
    played; `count_moves(state)`, how many legal moves there are, for perft. In plain Python:
    `max_plies` and the text functions of Game.

    From TABLE_DEPTH plies before the end of a search on, the table is used, from ORDER_DEPTH on moves are ordered
    (both 2 unless set), from JOINT_DEPTH on searches that cooperate divide a node's moves among them (two more unless
    set; where they are few, from some plies more on). Where passes make `max_plies` a loose bound, `plies_left(state)`
    says what these compare with instead in a search to the end of the game. Functions are compiled into their callers;
    large ones that CALLED names are not, which saves time to compile.

    Called from Python the functions run uncompiled, one source for both. The game travels as source (`Rules`), so a
    process that receives it needs no file of it. Raises GameError for rules that cannot be gathered.
    """

    def __init__(self, name: str | None = None, **constants: Any) -> None:
        """The game in this class's module, its constants replaced by those given here."""
        name = name or type(self).__name__
        author = next(kind for kind in type(self).__mro__ if CompiledGame in kind.__bases__)
        self._set_rules(gather(name, namespace_of(author.__module__, constants)))

    @classmethod
    def from_rules(cls, rules: Rules) -> CompiledGame:
        """The game that these rules describe, wherever they came from."""
        game = CompiledGame.__new__(CompiledGame)
        game._set_rules(rules)
        return game

    def _set_rules(self, rules: Rules) -> None:
        defined = rules.namespace
        self.rules = rules
        self.name = rules.name
        self.players = defined.get("PLAYERS", 2)
        self.zero_sum = defined.get("ZERO_SUM", self.players == 2)
        self.integer = defined.get("INTEGER", False)
        self.max_moves = defined["MAX_MOVES"]
        self._rule: dict[str, Callable[..., Any]] = {key: value for key, value in defined.items() if callable(value)}

    def compile_rules(self) -> None:
        """Compile every function of the rules, which takes some seconds. Raises GameError, with file, line and reason,
        where a function does not compile or returns another type than a search needs."""
        from parsearch.native.build import compile_rules  # Numba takes 0.4 s to import

        compile_rules(self.rules)

    @property
    def is_native(self) -> bool:
        """Whether the rules are all there is: who overrides one of Game's methods has to be played in Python."""
        own = {name for name in vars(CompiledGame) if not name.startswith("_")}
        between = type(self).__mro__[: type(self).__mro__.index(CompiledGame)]
        return not any(own & vars(place).keys() for place in (self, *between))

    def __reduce_ex__(self, protocol: Any) -> Any:
        return (CompiledGame.from_rules, (self.rules,)) if self.is_native else super().__reduce_ex__(protocol)

    def __getstate__(self) -> dict[str, Any]:
        return {key: value for key, value in vars(self).items() if key != "_rule"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self._set_rules(state["rules"])
        vars(self).update(state)

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, CompiledGame)
            and self.rules == other.rules
            and (self is other or (self.is_native and other.is_native))
        )

    def __hash__(self) -> int:
        return hash(self.rules)

    def __repr__(self) -> str:
        return f"<{self.name}>"

    def defines(self, function: str) -> bool:
        """Whether the rules have this optional function."""
        return function in self._rule

    # The rules, uncompiled.

    def initial_state(self) -> Words:
        return _numbers(self._rule["initial_state"]())

    def to_move(self, state: Words) -> int:
        return int(self._rule["to_move"](_words(state)))

    def legal_moves(self, state: Words) -> list[int]:
        return self._moves("legal_moves", state)

    def play(self, state: Words, move: int) -> Words:
        return _numbers(self._rule["play"](_words(state), move))

    def is_terminal(self, state: Words) -> bool:
        return bool(self._rule["is_terminal"](_words(state)))

    def evaluate(self, state: Words) -> Score:
        score = self._rule["evaluate"](_words(state))
        return self._number(score) if self.zero_sum else tuple(self._number(part) for part in score)

    def max_plies(self, state: Words) -> int | None:
        bound = self._rule["max_plies"](_words(state)) if self.defines("max_plies") else None
        return None if bound is None else int(bound)

    # The hooks, uncompiled; only for games that define them.

    def key(self, state: Words) -> int:
        """64 bits by which the transposition table knows the position; by default all words count."""
        return int(self._rule["key"](_words(state)))

    def order(self, state: Words, move: int) -> int:
        """How early to try a move: greater is earlier."""
        return int(self._rule["order"](_words(state), move))

    def bounds(self, state: Words) -> tuple[float, float]:
        """What the value to the end of the game cannot be less and not be more than, from player 0's view."""
        least, most = self._rule["bounds"](_words(state))
        return self._number(least), self._number(most)

    def bounds_within(self, state: Words, low: float, high: float) -> tuple[float, float]:
        """Like `bounds`, and no tighter than it takes to tell what lies between `low` and `high` (player 0's view)."""
        least, most = self._rule["bounds_within"](_words(state), low, high)
        return self._number(least), self._number(most)

    def plies_left(self, state: Words) -> int:
        """How many plies the game will likely last: what a search to its end compares TABLE_DEPTH and its like with."""
        return int(self._rule["plies_left"](_words(state)))

    def count_moves(self, state: Words) -> int:
        """How many legal moves there are."""
        return int(self._rule["count_moves"](_words(state)))

    def noisy_moves(self, state: Words) -> list[int]:
        """The moves that quiescence looks at."""
        return self._moves("noisy_moves", state)

    def is_forced(self, state: Words) -> bool:
        """Whether quiescence may not accept the evaluation here: all legal moves are noisy."""
        return bool(self._rule["is_forced"](_words(state)))

    def sufficient_moves(self, state: Words) -> list[int]:
        """Moves enough to find the value to the end of the game, where `bounds` leave it open."""
        return self._moves("sufficient_moves", state)

    # Text.

    def parse_state(self, text: str) -> Words:
        if not self.defines("parse_state"):
            return super().parse_state(text)
        try:
            return _numbers(self._rule["parse_state"](text))
        except (ValueError, TypeError) as error:
            raise StateError(f"{self.name} has no state {text!r}: {error}") from error

    def format_state(self, state: Words) -> str:
        if not self.defines("format_state"):
            return super().format_state(state)
        try:
            return str(self._rule["format_state"](_words(state)))
        except ValueError as error:
            raise StateError(f"{self.name}: {error}") from error

    def parse_move(self, state: Words, text: str) -> int:
        if not self.defines("parse_move"):
            return super().parse_move(state, text)
        try:
            move = int(self._rule["parse_move"](_words(state), text))
        except ValueError as error:
            raise MoveError(f"{self.name}: {text!r} is no move: {error}") from error
        return move if move in self.legal_moves(state) else super().parse_move(state, text)  # says what is legal

    def format_move(self, state: Words, move: int) -> str:
        if not self.defines("format_move"):
            return super().format_move(state, move)
        return str(self._rule["format_move"](_words(state), move))

    def render(self, state: Words) -> str:
        return str(self._rule["render"](_words(state))) if self.defines("render") else super().render(state)

    def _moves(self, function: str, state: Words) -> list[int]:
        buffer = [0] * self.max_moves
        try:
            count = int(self._rule[function](_words(state), buffer))
        except IndexError as error:
            raise GameError(f"{self.name}: {function} writes more than MAX_MOVES = {self.max_moves} moves") from error
        return [int(move) for move in buffer[:count]]

    def _number(self, score: Any) -> float:
        return int(score) if self.integer else float(score)


def _words(state: Words) -> tuple[uint64, ...]:
    return tuple(map(uint64, state))


def _numbers(state: tuple[uint64, ...]) -> Words:
    return tuple(map(int, state))
