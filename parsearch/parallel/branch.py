"""A subtree that alpha-beta searches as one task or, where it is large, as several: young brothers wait.

At every node the eldest child is searched first, and its brothers only then, at the same time and with the bound that
it set: what the minimal tree needs comes before what may be in vain (Feldmann 1993, "Game tree search on massively
parallel systems"). What is known of a node are two bounds, which hold whatever window they were found with.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from parsearch.core.game import Game
from parsearch.core.window import Bound, Window, just_above
from parsearch.parallel.task import Outcome, blaming

LEAST_SECONDS, MOST_SECONDS = 0.1, 1.0
"""Between these a task is worth sending and does not keep others waiting: sending one costs 1-2 ms."""

PLAIN_RATE, COMPILED_RATE = 1e5, 5e6
"""Nodes a second, as a first guess."""

LINES = 3
"""Of play, from which the width of a tree is guessed."""

MOST_PLIES = 2
"""Of the top tree to begin with: where tasks turn out to take long they are divided further, where nodes are idle."""

SAMPLE = 4
"""Tasks of one depth whose mean says whether that depth makes them too small or too large."""


CUT_CHANCE, FAIL_CHANCE = 0.85, 0.05
"""That the first move decides a test where one is expected to, and where none is. They order work only."""


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


class Place(NamedTuple):
    """What is asked of a node: window; need, the chance that the answer is needed; cuts, whether one of its first moves
    is likely to decide it."""

    window: Window
    need: float
    cuts: bool


class Leaf(NamedTuple):
    """A subtree to search, the chance that its result is needed, and its window."""

    need: float
    branch: Branch
    window: Window


def chance_to_cut(cuts: bool, failed: int) -> float:
    """That the next move decides a test at a node where so many have failed to."""
    return CUT_CHANCE * 0.5**failed if cuts else FAIL_CHANCE


def most_promising(game: Game[Any, Any], state: Any, moves: Sequence[Any]) -> list[int]:
    """The moves' indices, the greatest `order` first; as they are in a game that has no such hook."""
    if not game.defines("order"):
        return list(range(len(moves)))
    order = game.order  # type: ignore[attr-defined]  # a hook
    return sorted(range(len(moves)), key=lambda index: -order(state, moves[index]))


@dataclass(eq=False, slots=True)
class Branch:
    """A position of the top tree: a task, or expanded into children of which the first is the eldest.

    least, most: what its value cannot be less and not be more than, from player 0's view, as tasks here and below have
    shown. line: what the last of its own found. text: the moves from the root. under_way: a task searches it now.
    divided: it has taken long enough to be searched as several. children: by the index of the move.
    """

    game: Game[Any, Any]
    path: tuple[int, ...]
    text: str
    state: Any
    depth: int
    least: float = -math.inf
    most: float = math.inf
    line: tuple[Any, ...] = ()
    under_way: bool = False
    divided: bool = False
    maximizing: bool = True
    moves: tuple[Any, ...] = ()
    children: dict[int, Branch] = field(default_factory=dict)

    def settles(self, window: Window) -> bool:
        """Whether enough is known to answer what the window asks."""
        return self.least == self.most or self.most <= window.alpha or self.least >= window.beta

    def likeliest(self, place: Place, grain: Grain, best: Leaf | None) -> Leaf | None:
        """The subtree that is most likely to be needed, of those here that may be searched now and `best`; the first of
        several."""
        window, need, _ = place
        if self.settles(window) or self.under_way or (best is not None and need <= best.need):
            return best
        if not self.children and not (self._too_large(grain) and self._expand()):
            return Leaf(need, self, window)
        for child, asked in self._open(place):
            best = child.likeliest(asked, grain, best)
        return best

    def running(self, place: Place) -> Iterator[Leaf]:
        """The subtrees that are under way here and needed."""
        window, need, _ = place
        if self.settles(window):
            return
        if self.under_way:
            yield Leaf(need, self, window)
        for child, asked in self._open(place):
            yield from child.running(asked)

    def _open(self, place: Place) -> Iterator[tuple[Branch, Place]]:
        """The children that may be asked now, and what. For an exact value young brothers wait for the bound that the
        eldest sets. In a test they need none: there each is needed as far as those before it are likely to fail."""
        window, need, cuts = place
        window = self._narrowed(window)
        test = window.beta <= just_above(window.alpha, self.game.integer)
        for failed, child in enumerate(self.children.values()):
            if child.settles(window):
                continue
            yield child, Place(window, need, failed > 0 or not cuts)
            if test:
                need *= 1 - chance_to_cut(cuts, failed)
            elif failed == 0:
                return

    def find(self, path: tuple[int, ...]) -> Branch:
        """The node at `path` below."""
        return self.children[path[0]].find(path[1:]) if path else self

    def add(self, path: tuple[int, ...], outcome: Outcome) -> None:
        """Take the result of the task that searched the node at `path` below."""
        if path:
            self.children[path[0]].add(path[1:], outcome)
            pick = max if self.maximizing else min
            self.least = max(self.least, pick(child.least for child in self.children.values()))
            self.most = min(self.most, pick(child.most for child in self.children.values()))
            return
        value: Any = outcome.value
        self.under_way = False
        bound = outcome.window.bound(value)
        if bound is not Bound.UPPER and value >= self.least:
            self.least, self.line = value, outcome.pv
        if bound is not Bound.LOWER and value <= self.most:
            self.most, self.line = value, outcome.pv

    def pv(self) -> tuple[Any, ...]:
        """The line of best play as far as it is known."""
        known = self.least if self.maximizing else self.most
        for index, child in self.children.items():
            if (child.least if self.maximizing else child.most) == known and abs(known) < math.inf:
                return (self.moves[index], *child.pv())
        return self.line

    def _narrowed(self, window: Window) -> Window:
        """The window of the next child: what the children so far have shown is nothing new."""
        if not self.children:
            return window
        if self.maximizing:
            return Window(max(window.alpha, *(child.least for child in self.children.values())), window.beta)
        return Window(window.alpha, min(window.beta, *(child.most for child in self.children.values())))

    def _too_large(self, grain: Grain) -> bool:
        return self.divided or (grain.depth is not None and self.depth > grain.depth)

    def _expand(self) -> bool:
        """Have the children as subtrees of their own, the most promising first; whether there are any."""
        with blaming(self.game, self.state):
            self.moves = tuple(self.game.legal_moves(self.state))
            self.maximizing = self.game.to_move(self.state) == 0
            for index in most_promising(self.game, self.state, self.moves):
                move = self.moves[index]
                text = f"{self.text} {self.game.format_move(self.state, move)}"
                child = self.game.play(self.state, move)
                self.children[index] = Branch(self.game, (*self.path, index), text, child, self.depth - 1)
        return bool(self.moves)
