"""Nim: take objects from one heap; who takes the last one wins, or in misère play loses."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple, TypeAlias

from parsearch.core.errors import StateError
from parsearch.core.game import Game, Score
from parsearch.games.arguments import MOST_PLAYERS, require_bool, require_count, text_form

WIDEST_HEAP = 60
"""Objects of a heap that `render` draws one by one."""

Taking: TypeAlias = tuple[int, int]
"""A move: from which heap (numbered from 0), and how many."""


class NimState(NamedTuple):
    """The sizes of the heaps, empty ones included, and the player to move."""

    heaps: tuple[int, ...]
    player: int


class Nim(Game[NimState, Taking]):
    """Nim for two or more players in turn.

    limit: how many objects one move may take, None for any number.
    misere: who takes the last object loses (with more than two players: everybody else wins).
    Two players: 1 for the winner, -1 for the loser; more: 1 for each winner, 0 for the others. Estimate 0.
    State text: heaps `3,4,5`, `-` for none, optionally a space and the player. Moves: `heap:count`, heaps from 0.
    """

    integer = True

    def __init__(self, players: int = 2, limit: int | None = None, misere: bool = False) -> None:
        require_count("nim", "players", players, least=2, most=MOST_PLAYERS)
        if limit is not None:
            require_count("nim", "limit", limit)
        require_bool("nim", "misere", misere)
        self.players = players
        self.limit = limit
        self.misere = misere
        self.name = text_form("nim", Nim, players=players, limit=limit, misere=misere)

    def initial_state(self) -> NimState:
        return NimState((3, 4, 5), 0)

    def to_move(self, state: NimState) -> int:
        return state.player

    def legal_moves(self, state: NimState) -> Sequence[Taking]:
        limit = self.limit
        return [
            (heap, count)
            for heap, size in enumerate(state.heaps)
            for count in range(1, (size if limit is None or size < limit else limit) + 1)
        ]

    def play(self, state: NimState, move: Taking) -> NimState:
        (heaps, player), (heap, count) = state, move
        left = (*heaps[:heap], heaps[heap] - count, *heaps[heap + 1 :])
        return NimState(left, (player + 1) % self.players)

    def is_terminal(self, state: NimState) -> bool:
        return not any(state.heaps)

    def evaluate(self, state: NimState) -> Score:
        if any(state.heaps):
            return 0 if self.zero_sum else (0,) * self.players
        last = (state.player - 1) % self.players
        if self.zero_sum:
            return 1 if (last == 0) != self.misere else -1
        return tuple(int((player == last) != self.misere) for player in range(self.players))

    def max_plies(self, state: NimState) -> int:
        return sum(state.heaps)

    def parse_state(self, text: str) -> NimState:
        words = re.sub(r"\s*,\s*", ",", text).split()
        if len(words) > 2:
            raise self._no_state(text, f"after the heaps and the player, {words[2]!r} is too much")
        heaps = words[0] if words else "-"
        sizes = [] if heaps == "-" else heaps.split(",")
        for size in sizes:
            if not _is_count(size):
                raise self._no_state(text, f"{size!r} is not the size of a heap")
        player = words[1] if len(words) == 2 else "0"
        if not _is_count(player) or int(player) >= self.players:
            raise self._no_state(text, f"{player!r} is not a player from 0 to {self.players - 1}")
        return NimState(tuple(map(int, sizes)), int(player))

    def format_state(self, state: NimState) -> str:
        heaps = ",".join(map(str, state.heaps)) or "-"
        return f"{heaps} {state.player}" if state.player else heaps

    def format_move(self, state: NimState, move: Taking) -> str:
        return f"{move[0]}:{move[1]}"

    def render(self, state: NimState) -> str:
        lines = [
            f"heap {heap}: {size:3} {'|' * min(size, WIDEST_HEAP)}{' ...' if size > WIDEST_HEAP else ''}".rstrip()
            for heap, size in enumerate(state.heaps)
        ]
        if self.is_terminal(state):
            last = (state.player - 1) % self.players
            lines.append(f"nothing is left: player {last} took last and {'loses' if self.misere else 'wins'}")
        else:
            lines.append(f"player {state.player} to move")
        return "\n".join(lines)

    def _no_state(self, text: str, reason: str) -> StateError:
        return StateError(
            f"{self.name} has no state {text!r}: {reason}; write the heaps and, if not 0, the player, such as '3,4,5 1'"
        )


def _is_count(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) < 10
