"""Explicit trees: the textbook's own game, in which every position and payoff is written down."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from typing import Any, NamedTuple, NoReturn, TypeAlias

from parsearch.core.errors import GameTextError, StateError
from parsearch.core.game import Game, Score
from parsearch.games.arguments import MOST_PLAYERS, require_bool, require_count, text_form

DEEPEST = 300
"""Levels a tree may have. Python's default recursion limit of 1,000 stops pickle and JSON on deeper nesting, and they
and the searches (a frame a level) run inside frames of the caller: this leaves room for all of them."""

WIDEST_LINE = 100
"""Characters of a subtree that `render` shows."""

Node: TypeAlias = "Any"
"""A leaf (a number, or a tuple of numbers where payoffs are for each player) or a tuple of nodes."""

_EXAMPLE: Node = (((-1, 3), (5, 1)), ((-6, -4), (0, 9)))


class TreeState(NamedTuple):
    """A node with everything below it, and the player to move there."""

    node: Node
    player: int


class Tree(Game[TreeState, int]):
    """An explicit tree; the players alternate by level, moves are child numbers from 0.

    zero_sum: leaves are numbers, which player 0 maximises and player 1 minimises; else each leaf is a list with a
    payoff for every player. None means zero sum for two players only.
    State text: the tree as JSON, such as `[[3,5],[2,9]]`, optionally a space and the player at the root.
    """

    def __init__(self, players: int = 2, zero_sum: bool | None = None) -> None:
        require_count("tree", "players", players, most=MOST_PLAYERS)
        if zero_sum is not None:
            require_bool("tree", "zero_sum", zero_sum)
        if zero_sum and players != 2:
            raise GameTextError(
                f"tree: zero_sum=True needs two players, not {players}; leave it out and give payoff lists"
            )
        self.players = players
        self.zero_sum = players == 2 if zero_sum is None else zero_sum
        differs = None if self.zero_sum == (players == 2) else self.zero_sum
        self.name = text_form("tree", Tree, players=players, zero_sum=differs)

    def initial_state(self) -> TreeState:
        """A small example: for two players the tree that many tutorials work through (value 3).

        With payoff lists: each player in turn takes the pot or leaves it to the next, for whom it is larger.
        """
        if self.zero_sum:
            return TreeState(_EXAMPLE, 0)
        node: Node = (0,) * self.players
        for taker in reversed(range(min(self.players, 4))):
            taken = tuple(taker + 1 if player == taker else 0 for player in range(self.players))
            node = (taken, node)
        return TreeState(node, 0)

    def to_move(self, state: TreeState) -> int:
        return state.player

    def legal_moves(self, state: TreeState) -> Sequence[int]:
        return () if self.is_terminal(state) else range(len(state.node))

    def play(self, state: TreeState, move: int) -> TreeState:
        return TreeState(state.node[move], (state.player + 1) % self.players)

    def is_terminal(self, state: TreeState) -> bool:
        return _is_leaf(state.node, self.zero_sum)

    def evaluate(self, state: TreeState) -> Score:
        """The leaf's payoff; a position with moves left is estimated at 0."""
        if self.is_terminal(state):
            return state.node
        return 0 if self.zero_sum else (0,) * self.players

    def max_plies(self, state: TreeState) -> int:
        return _height(state.node, self.zero_sum)

    def parse_state(self, text: str) -> TreeState:
        stripped = text.strip()
        decoder = json.JSONDecoder(parse_constant=_refuse_constant)
        try:
            data, end = decoder.raw_decode(stripped)
        except RecursionError as error:
            raise self._no_state(text, f"it is nested deeper than {DEEPEST} levels") from error
        except ValueError as error:
            raise self._no_state(text, f"it is not JSON ({error})") from error
        rest = stripped[end:]
        player = 0
        if rest:
            if not (rest[0].isspace() and rest.strip().isascii() and rest.strip().isdigit()):
                raise self._no_state(text, f"{rest.strip()!r} after the tree is not a player")
            player = int(rest)
            if player >= self.players:
                raise self._no_state(text, f"there is no player {player}, only 0 to {self.players - 1}")
        return TreeState(self._node(text, data, 0), player)

    def format_state(self, state: TreeState) -> str:
        text = json.dumps(state.node, separators=(",", ":"))
        return f"{text} {state.player}" if state.player else text

    def render(self, state: TreeState) -> str:
        if self.is_terminal(state):
            return f"leaf: {json.dumps(state.node)}"
        lines = [f"player {state.player} to move"]
        for move, child in enumerate(state.node):
            text = json.dumps(child)
            lines.append(f"{move}: {text if len(text) <= WIDEST_LINE else text[: WIDEST_LINE - 4] + ' ...'}")
        return "\n".join(lines)

    def _node(self, text: str, data: Any, level: int) -> Node:
        if level > DEEPEST:
            raise self._no_state(text, f"it is nested deeper than {DEEPEST} levels")
        if not isinstance(data, list):
            if not self.zero_sum:
                raise self._no_state(text, f"the leaf {data!r} is not a list of {self.players} payoffs")
            return self._number(text, data)
        if not data:
            raise self._no_state(text, "an empty list is neither a leaf nor a choice of moves")
        if not self.zero_sum and not isinstance(data[0], list):
            if len(data) != self.players:
                raise self._no_state(text, f"the leaf {data!r} has not {self.players} payoffs, one a player")
            return tuple([self._number(text, entry) for entry in data])
        return tuple([self._node(text, child, level + 1) for child in data])

    def _number(self, text: str, data: object) -> float:
        if isinstance(data, bool) or not isinstance(data, int | float):
            raise self._no_state(text, f"{json.dumps(data)} is not a number")
        try:
            finite = math.isfinite(data)
        except OverflowError:
            finite = False
        if not finite:
            raise self._no_state(text, "it has a number beyond the range of floats")
        return data + 0  # -0.0 becomes 0.0

    def _no_state(self, text: str, reason: str) -> StateError:
        short = text if len(text) <= WIDEST_LINE else text[: WIDEST_LINE - 4] + " ..."
        example = "[[3,5],[2,9]]" if self.zero_sum else self.format_state(self.initial_state())
        return StateError(f"{self.name} has no state {short!r}: {reason}; write a tree such as {example!r}")


def _is_leaf(node: Node, zero_sum: bool) -> bool:
    return not isinstance(node if zero_sum else node[0], tuple)


def _height(node: Node, zero_sum: bool) -> int:
    """Plies to the deepest leaf."""
    height, level = 0, [node]
    while level := [child for inner in level if not _is_leaf(inner, zero_sum) for child in inner]:
        height += 1
    return height


def _refuse_constant(word: str) -> NoReturn:
    raise ValueError(f"{word} is no number")
