"""What `check_game` asks of the optional hooks: against the true values of positions near the end of a game."""

from __future__ import annotations

from collections.abc import Iterator
from numbers import Real
from typing import Any

from parsearch.core.game import Game, score_for

VALUED = ("key", "bounds", "bounds_within", "sufficient_moves")
"""Hooks that say something about the value to the end of a game."""

MOST_NODES = 50
"""Positions visited to find the values below one position; larger subtrees are not looked at."""


class _TooLarge(Exception):
    """The subtree has more positions than allowed."""


def defines(game: Game[Any, Any], hook: str) -> bool:
    """Whether a game has an optional hook: a method, or for compiled games a function among the rules."""
    if hasattr(game, "defines"):
        return bool(game.defines(hook))
    return callable(getattr(game, hook, None))


class HookCheck:
    """Checks the hooks of one game and remembers the keys that it has met."""

    def __init__(self, game: Game[Any, Any]) -> None:
        self.game: Any = game  # hooks are methods that Game does not declare
        self.folds = defines(game, "key")
        self._keys: dict[Any, tuple[Any, float]] = {}
        self._checked: set[Any] = set()

    def faults(self, path: list[Any]) -> Iterator[tuple[str, Any, str]]:
        """(clause, position, what was seen): for all positions of a game, and those of values also for its last ones,
        as far back as subtrees are small."""
        for state in path:
            for hooks, check in (
                ("noisy_moves, is_forced", self._wrong_moves),
                ("count_moves, plies_left", self._wrong_numbers),
                ("order", self._wrong_order),
            ):
                try:
                    yield from check(state)
                except Exception as error:  # any fault of the game's own code is what we are looking for
                    yield hooks, state, f"raised {type(error).__name__}: {error}"
        if self.game.zero_sum and any(defines(self.game, hook) for hook in VALUED):
            for state in reversed(path):
                values: dict[Any, float] = {}
                try:
                    self._solve(state, values)
                except _TooLarge:
                    break
                for below in values.keys() - self._checked:
                    self._checked.add(below)
                    value = values[below]
                    yield from self._wrong_key(below, value)
                    yield from self._wrong_bounds(below, value, values)
                    yield from self._wrong_bounds_within(below, value)

    def _wrong_moves(self, state: Any) -> Iterator[tuple[str, Any, str]]:
        if not defines(self.game, "noisy_moves"):
            return
        noisy: Any = self.game.noisy_moves(state)
        legal = self.game.legal_moves(state)
        if not set(noisy) <= set(legal):
            yield "noisy_moves", state, f"{list(noisy)!r} are not all legal"
        elif list(noisy) != [move for move in legal if move in set(noisy)]:
            yield "noisy_moves", state, f"{list(noisy)!r} are not in the game's order"
        if defines(self.game, "is_forced") and self.game.is_forced(state) and list(noisy) != list(legal):
            yield "is_forced", state, f"{list(noisy)!r} are not all the legal moves"

    def _wrong_order(self, state: Any) -> Iterator[tuple[str, Any, str]]:
        if not defines(self.game, "order"):
            return
        for move in self.game.legal_moves(state):
            score = self.game.order(state, move)
            if not isinstance(score, Real):
                yield "order", state, f"{score!r} is not a number"

    def _wrong_numbers(self, state: Any) -> Iterator[tuple[str, Any, str]]:
        if defines(self.game, "count_moves"):
            counted: int = self.game.count_moves(state)
            if counted != (legal := len(self.game.legal_moves(state))):
                yield "count_moves", state, f"{counted}, but there are {legal} legal moves"
        if defines(self.game, "plies_left") and (left := self.game.plies_left(state)) < 0:
            yield "plies_left", state, f"{left} is not a number from 0"

    def _solve(self, state: Any, values: dict[Any, float]) -> float:
        """The value for player 0 at the end of the game; those of all positions on the way go into `values`."""
        if state in values:
            return values[state]
        if len(values) >= MOST_NODES:
            raise _TooLarge
        moves = self.game.legal_moves(state)
        values[state] = value = self.game.evaluate(state)
        if moves:
            best = max if self.game.to_move(state) == 0 else min
            value = best(self._solve(self.game.play(state, move), values) for move in moves)
            values[state] = value
        return float(value)

    def _wrong_key(self, state: Any, value: float) -> Iterator[tuple[str, Any, str]]:
        if not self.folds:
            return
        key = self.game.key(state)
        worth = score_for(self.game, value, self.game.to_move(state))
        other, known = self._keys.setdefault(key, (state, worth))
        if known != worth:
            detail = f"the same {key!r} as {self.game.format_state(other)!r}, which is worth {known:g}, not {worth:g}"
            yield "key merges only equal values", state, detail

    def _wrong_bounds_within(self, state: Any, value: float) -> Iterator[tuple[str, Any, str]]:
        if not defines(self.game, "bounds_within"):
            return
        for low, high in ((value - 1, value), (value, value + 1), (value - 2, value + 2)):
            least, most = self.game.bounds_within(state, low, high)
            if not least <= value <= most:
                detail = f"({least:g}, {most:g}) between {low:g} and {high:g}, but the value is {value:g}"
                yield "bounds_within hold the value", state, detail

    def _wrong_bounds(self, state: Any, value: float, values: dict[Any, float]) -> Iterator[tuple[str, Any, str]]:
        least, most = -float("inf"), float("inf")
        if defines(self.game, "bounds"):
            least, most = self.game.bounds(state)
            if not least <= value <= most:
                yield "bounds hold the value", state, f"({least:g}, {most:g}), but the value is {value:g}"
        if defines(self.game, "sufficient_moves") and least < most and not self.game.is_terminal(state):
            moves: Any = self.game.sufficient_moves(state)
            found = {values[self.game.play(state, move)] for move in moves}
            if not found or (max(found) if self.game.to_move(state) == 0 else min(found)) != value:
                yield "sufficient_moves", state, f"{list(moves)!r} do not reach the value, {value:g}"
