"""The contract between a game and the searches.

A game in plain Python derives from `Game` and defines six methods: `initial_state`, `to_move`,
`legal_moves`, `play`, `is_terminal` and `evaluate`. Everything else has a default that works.
`parsearch.check_game` tests a game against every clause of this page.
"""

from __future__ import annotations

import ast
from abc import ABC, abstractmethod
from collections.abc import Hashable, Sequence
from functools import cached_property
from typing import Any, Generic, TypeAlias, TypeVar

from parsearch.core.errors import MoveError, StateError

State = TypeVar("State", bound=Hashable)
Move = TypeVar("Move", bound=Hashable)

Score: TypeAlias = Any
"""A number (int or float, finite) in a zero-sum game, else a tuple of numbers, one a player, player 0 first."""


class Game(ABC, Generic[State, Move]):
    """Rules, evaluation and text forms of a game of perfect information.

    A state is a value: immutable, hashable, comparable, picklable; `play` returns a new one. Moves are
    hashable too. The order of `legal_moves` is the game's choice and part of its definition: among moves
    of equal value a search answers the first. The player to move need not alternate; passes and extra
    turns are the game's affair.
    """

    players: int = 2
    """How many play; they are numbered from 0. Where the game is zero sum, player 0 is MAX."""

    integer: bool = False
    """True promises that every score is an int, which lets searches use windows one point wide."""

    @cached_property
    def name(self) -> str:
        """The text form, such as `connect4` or `mnk(5,5,4)`."""
        return type(self).__name__

    @cached_property
    def zero_sum(self) -> bool:
        """True: a score is one number, which player 0 maximises and player 1 minimises. False: a payoff tuple."""
        return self.players == 2

    @property
    def is_native(self) -> bool:
        """Whether searches run it as machine code; see `parsearch.native.game.CompiledGame`."""
        return False

    # The rules.

    @abstractmethod
    def initial_state(self) -> State:
        """The position in which a game starts."""

    @abstractmethod
    def to_move(self, state: State) -> int:
        """The player to move, 0-based; defined on terminal states too."""

    @abstractmethod
    def legal_moves(self, state: State) -> Sequence[Move]:
        """The legal moves in the game's own order; empty exactly when the state is terminal."""

    @abstractmethod
    def play(self, state: State, move: Move) -> State:
        """The state after a legal move. The given state stays as it was."""

    @abstractmethod
    def is_terminal(self, state: State) -> bool:
        """Whether the game is over."""

    @abstractmethod
    def evaluate(self, state: State) -> Score:
        """The exact utility of a terminal state, else an estimate of the same scale.

        Zero sum: one number from player 0's point of view, whoever is to move. Else: a tuple, one number a player.
        """

    def max_plies(self, state: State) -> int | None:
        """A bound on the plies left, or None where there may be no end (searches then need a limit)."""
        return None

    def defines(self, hook: str) -> bool:
        """Whether the game has an optional method: one that makes searches quicker or sharper, and that none needs.

        key(state): equal for states of equal value, so that the transposition table can fold symmetries.
        order(state, move): an int, greater for moves to try earlier.
        bounds(state): a pair between which the value to the end of the game lies, from player 0's point of view.
        noisy_moves(state): those of the legal moves that quiescence follows beyond the depth, in the game's order.
        is_forced(state): whether these are all the legal moves, and quiescence may not accept the evaluation; a check
            in chess, say.
        """
        return hasattr(self, hook)

    # Text in and out, in the notation of the game's community. The defaults serve states that are Python literals.

    def parse_state(self, text: str) -> State:
        """The state that a text describes. Raises StateError (or any ValueError) for any other text."""
        try:
            state: State = ast.literal_eval(text)
            hash(state)
            self.legal_moves(state)
        except Exception as error:
            raise StateError(
                f"{self.name} has no state {text!r} ({error}); write it as {self.format_state(self.initial_state())!r}"
            ) from error
        return state

    def format_state(self, state: State) -> str:
        """The text of a state; `parse_state` reads it back."""
        return repr(state)

    def parse_move(self, state: State, text: str) -> Move:
        """The legal move that a text names. Raises MoveError (or any ValueError) for any other text."""
        wanted = text.strip()
        moves = self.legal_moves(state)
        for move in moves:
            if self.format_move(state, move) == wanted:
                return move
        legal = ", ".join(self.format_move(state, move) for move in moves)
        remedy = f"use one of {legal}" if moves else "the game is over there"
        raise MoveError(f"{self.name}: {text!r} is no legal move in {self.format_state(state)!r}; {remedy}")

    def format_move(self, state: State, move: Move) -> str:
        """The text of a move in a state; `parse_move` reads it back."""
        return str(move)

    def render(self, state: State) -> str:
        """A board that a player reads at once; several lines of text."""
        return self.format_state(state)


def wraps_around(number: Any) -> bool:
    """Whether a score is one of NumPy's unsigned or short integers, of which 0 - 3 may be 253."""
    kind = getattr(number, "dtype", None)
    return kind is not None and kind.kind in "iu" and kind != "int64"


def score_for(game: Game[Any, Any], score: Score, player: int) -> float:
    """What a score is worth to one player: the number that this player maximises.

    `0 - score` and not `-score`, so that a float draw never becomes -0.0.
    """
    number: float = score if game.zero_sum else score[player]
    return 0 - number if game.zero_sum and player != 0 else number
