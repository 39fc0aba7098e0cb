"""A subtree that alpha-beta searches as one task or, where it is large, as several: young brothers wait.

At every node the eldest child is searched first, and its brothers only then, at the same time and with the bound that
it set: what the minimal tree needs comes before what may be in vain (Feldmann 1993, "Game tree search on massively
parallel systems"). What is known of a node are two bounds, which hold whatever window they were found with.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from parsearch.core.game import Game
from parsearch.core.window import Bound, Window
from parsearch.parallel.task import Outcome, blaming

LEAST_SECONDS, MOST_SECONDS = 0.1, 1.0
"""Between these a task is worth sending and does not keep others waiting: sending one costs 1-2 ms."""

PLAIN_RATE, COMPILED_RATE = 1e5, 5e6
"""Nodes a second, as a first guess."""

LINES = 3
"""Of play, from which the width of a tree is guessed."""

MOST_PLIES = 4
"""Of the top tree: the coordinator plays all of its moves itself."""

SAMPLE = 4
"""Tasks of one depth whose mean says whether that depth makes them too small or too large."""


@dataclass
class Grain:
    """How deep the subtrees are that are searched as one task: learned from what tasks take.

    depth: in plies, None for any. Every few tasks of that depth correct it by a ply.
    """

    depth: int | None = None
    _seconds: list[float] = field(default_factory=list)

    def guess(self, game: Game[Any, Any], state: Any, depth: int) -> None:
        """Begin with what some random lines of play suggest of the tree's width b: alpha-beta visits about b^(3d/4)
        nodes of a tree d plies deep whose moves are in no order (Pearl 1982)."""
        rng = random.Random(0)
        plies, logarithm = 0, 0.0
        with blaming(game, state):
            for _ in range(LINES):
                line, left = state, depth
                while left > 0 and (moves := game.legal_moves(line)):
                    plies, left, logarithm = plies + 1, left - 1, logarithm + math.log(len(moves))
                    line = game.play(line, rng.choice(moves))
        growth = 0.75 * logarithm / max(plies, 1)
        most = math.log(COMPILED_RATE if game.is_native else PLAIN_RATE) + math.log(MOST_SECONDS)
        self.depth = max(1, depth - MOST_PLIES, int(most / growth) if growth * depth > most else depth)

    def learn(self, depth: int, seconds: float) -> None:
        """Take notice of a task of some depth that was searched to its end."""
        if self.depth is None or depth < self.depth:
            return
        self._seconds.append(seconds)
        if len(self._seconds) < SAMPLE:
            return
        mean = sum(self._seconds) / len(self._seconds)
        self._seconds.clear()
        if mean < LEAST_SECONDS:
            self.depth += 1
        elif mean > MOST_SECONDS and self.depth > 1:
            self.depth -= 1


@dataclass(eq=False, slots=True)
class Branch:
    """A position of the top tree: a task, or expanded into children of which the first is the eldest.

    own_least, own_most: what its value cannot be less and not be more than, from player 0's view, as tasks of its own
    have shown. line: what the last of them found. text: the moves from the root. under_way: a task searches it now.
    """

    game: Game[Any, Any]
    path: tuple[int, ...]
    text: str
    state: Any
    depth: int
    own_least: float = -math.inf
    own_most: float = math.inf
    line: tuple[Any, ...] = ()
    under_way: bool = False
    maximizing: bool = True
    children: list[Branch] = field(default_factory=list)
    moves: list[Any] = field(default_factory=list)

    @property
    def least(self) -> float:
        """What its value cannot be less than."""
        if not self.children:
            return self.own_least
        below = (child.least for child in self.children)
        return max(self.own_least, max(below) if self.maximizing else min(below))

    @property
    def most(self) -> float:
        """What its value cannot be more than."""
        if not self.children:
            return self.own_most
        below = (child.most for child in self.children)
        return min(self.own_most, max(below) if self.maximizing else min(below))

    def settles(self, window: Window) -> bool:
        """Whether enough is known to answer what the window asks."""
        least, most = self.least, self.most
        return least == most or most <= window.alpha or least >= window.beta

    def next_leaf(self, window: Window, grain: Grain) -> tuple[Branch, Window] | None:
        """A subtree to search now, and its window; None while nothing more may be searched."""
        if self.settles(window) or self.under_way:
            return None
        if not self.children and (grain.depth is None or self.depth <= grain.depth or not self._expand()):
            return self, window
        window = self._narrowed(window)
        for child in self.children:
            if child.settles(window):
                continue
            found = child.next_leaf(window, grain)
            if found is not None or child is self.children[0]:
                return found
        return None

    def wanted(self, path: tuple[int, ...], window: Window) -> Window | None:
        """What a task under way at `path` below still has to tell apart; None for nothing."""
        if self.settles(window):
            return None
        if not path:
            return window
        window = self._narrowed(window)
        child = next(child for child in self.children if child.path[-1] == path[0])
        return child.wanted(path[1:], window) if window.alpha < window.beta else None

    def find(self, path: tuple[int, ...]) -> Branch:
        """The node at `path` below."""
        node = self
        for step in path:
            node = next(child for child in node.children if child.path[-1] == step)
        return node

    def add(self, outcome: Outcome) -> None:
        """Take the result of the task that searched this node."""
        value: Any = outcome.value
        self.under_way = False
        bound = outcome.window.bound(value)
        if bound is not Bound.UPPER and value >= self.own_least:
            self.own_least, self.line = value, outcome.pv
        if bound is not Bound.LOWER and value <= self.own_most:
            self.own_most, self.line = value, outcome.pv

    def pv(self) -> tuple[Any, ...]:
        """The line of best play as far as it is known."""
        if self.children:
            known = self.least if self.maximizing else self.most
            for move, child in zip(self.moves, self.children, strict=True):
                if (child.least if self.maximizing else child.most) == known and abs(known) < math.inf:
                    return (move, *child.pv())
        return self.line

    def _narrowed(self, window: Window) -> Window:
        """The window of the next child: what the children so far have shown is nothing new."""
        if self.maximizing:
            return Window(max(window.alpha, *(child.least for child in self.children)), window.beta)
        return Window(window.alpha, min(window.beta, *(child.most for child in self.children)))

    def _expand(self) -> bool:
        """Have the children as subtrees of their own, the most promising first; whether there are any."""
        with blaming(self.game, self.state):
            moves = list(self.game.legal_moves(self.state))
            self.maximizing = self.game.to_move(self.state) == 0
            for index in self._order(moves):
                text = f"{self.text} {self.game.format_move(self.state, moves[index])}"
                child = self.game.play(self.state, moves[index])
                self.moves.append(moves[index])
                self.children.append(Branch(self.game, (*self.path, index), text, child, self.depth - 1))
        return bool(moves)

    def _order(self, moves: list[Any]) -> Iterator[int]:
        indices = range(len(moves))
        if not self.game.defines("order"):
            return iter(indices)
        return iter(sorted(indices, key=lambda i: -self.game.order(self.state, moves[i])))  # type: ignore[attr-defined]
