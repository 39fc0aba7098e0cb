"""Full windows: a top of the tree whose subtrees are all searched, as minimax and max^n need it."""

from __future__ import annotations

import heapq
import math
import random
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from parsearch.algorithms import Algorithm
from parsearch.core.game import Game, Score, score_for
from parsearch.core.result import RootMove
from parsearch.core.window import Bound, Window
from parsearch.parallel.split import Answer, Split
from parsearch.parallel.task import Outcome, Task, blaming, run_task

DIVES = 3
"""Random dives by which the size of a subtree is guessed; a guess orders work and decides nothing."""

SHALLOW_NODES = 1000
"""From which a shallow search tells the size of a compiled game's subtree: 0.2 ms, where dives from Python take 12."""

MOST_SECONDS = 0.1
"""That guessing may take in all."""

MOST_PLIES = 30
"""Of the top tree: a line of forced moves has nothing to be split into, however long it is."""

LEAST_SECONDS = 0.05
"""A subtree that takes less is not split further: a task costs 1-2 ms to send (measured with Ray 2.60)."""


@dataclass(eq=False, slots=True)
class Node:
    """A position of the top tree: searched as one task, or expanded into all its children."""

    path: tuple[int, ...]
    line: str
    state: Any
    depth: int
    moves: Sequence[Any] = ()
    children: list[Node] = field(default_factory=list)
    size: float = 0.0  # guessed nodes of the subtree
    outcome: Outcome | None = None


@dataclass(frozen=True, slots=True)
class Total:
    """What the results below a node come to; None as score while one is missing."""

    score: Score | None
    pv: tuple[Any, ...]
    nodes: int
    seconds: float
    workers: tuple[str, ...]


class TopTree(Split):
    """Every root move with a full window; minimax and max^n are split deeper where that evens out the work.

    Values are exact, so the first best move at each node decides, whatever the order of completion.
    """

    def __init__(self, game: Game[Any, Any], state: Any, depth: int, algorithm: Algorithm) -> None:
        super().__init__(game, state, depth, algorithm)
        self._root = Node((), "", state, depth)
        self._expand(self._root)
        self._waiting: list[Node] = list(reversed(self._root.children))  # the next one stands last
        self._nodes: dict[tuple[int, ...], Node] = {node.path: node for node in self._root.children}
        self._random = random.Random(0)
        self._measuring = 0.0  # seconds so far
        self._most_seconds = MOST_SECONDS
        self._estimated = False

    @property
    def waiting(self) -> int:
        return len(self._waiting)

    @property
    def divisible(self) -> bool:
        return not self.algorithm.prunes or len(self._waiting) + self.under_way > 1

    def next_task(self) -> Task | None:
        if not self._waiting:
            return None
        node = self._waiting.pop()
        self.under_way += 1
        return Task(node.path, node.line, node.state, node.depth, Window(), self.algorithm.name)

    def add(self, task: Task, outcome: Outcome) -> None:
        self.under_way -= 1
        self.finished += 1
        self._nodes[task.path].outcome = outcome
        self._estimated |= outcome.estimated

    def give_back(self, task: Task) -> None:
        self.under_way -= 1
        self._waiting.append(self._nodes[task.path])

    def refine(self, tasks: int, rate: float | None = None) -> None:
        """Expand the largest waiting subtree until none holds more than its share of the work, largest first.

        Sizes are Knuth's estimate (Knuth 1975, "Estimating the efficiency of backtrack programs"), of compiled games
        what a shallow search suggests. Only algorithms that visit every position are split below the root: pruning
        would be lost. Without a known `rate` the first guesses tell it, and their time is limited.
        """
        if self.algorithm.prunes:
            return
        self._most_seconds = MOST_SECONDS if rate is None else math.inf
        measured = self._measure(self._waiting)
        pace = measured if rate is None else 1 / rate
        heap = [(-node.size, node.path, node) for node in self._waiting]
        heapq.heapify(heap)
        whole = sum(node.size for node in self._waiting)
        finished: list[Node] = []
        while heap:
            node = heapq.heappop(heap)[2]
            over = node.size == 1 or node.depth < 2 or len(node.path) == MOST_PLIES
            worth_it = node.size * tasks > whole and node.size * pace > LEAST_SECONDS
            if over or not worth_it:
                finished.append(node)
                continue
            self._expand(node)
            self.visited += 1
            self._measure(node.children, share=node.size / max(len(node.children), 1))
            whole += sum(child.size for child in node.children) - node.size
            for child in node.children:
                self._nodes[child.path] = child
                heapq.heappush(heap, (-child.size, child.path, child))
        self._waiting = sorted(finished, key=lambda node: (node.size, [-step for step in node.path]))

    def _expand(self, node: Node) -> None:
        with blaming(self.game, node.state):
            node.moves = tuple(self.game.legal_moves(node.state))
            for index, move in enumerate(node.moves):
                line = f"{node.line} {self.game.format_move(node.state, move)}".lstrip()
                child = self.game.play(node.state, move)
                node.children.append(Node((*node.path, index), line, child, node.depth - 1))

    def _measure(self, nodes: Sequence[Node], share: float = 1.0) -> float:
        """Guess the size of each subtree; returns the seconds that a node took. Once that has taken its time, each
        has its `share`: workers wait meanwhile, and evenness is not worth more than it saves."""
        started, visited = time.perf_counter(), 0
        for node in nodes:
            if self._measuring > self._most_seconds:
                node.size = share
                continue
            before = time.perf_counter()
            node.size, seen = self._shallow(node) if self.game.is_native else self._dives(node)
            visited += seen
            self._measuring += time.perf_counter() - before
        return (time.perf_counter() - started) / max(visited, 1)

    def _shallow(self, node: Node) -> tuple[float, int]:
        """The subtree's size as it has grown after some plies, and the positions seen for that."""
        last = nodes = 1
        seen, left = 0, node.depth
        while left > 0 and nodes < SHALLOW_NODES:
            left -= 1
            task = Task(node.path, node.line, node.state, node.depth - left, Window(), self.algorithm.name)
            outcome = run_task(self.game, task)
            last, nodes, seen = nodes, outcome.nodes, seen + outcome.nodes
            if not outcome.estimated:  # the whole subtree
                left = 0
        return nodes * (nodes / last) ** left, seen

    def _dives(self, node: Node) -> tuple[float, int]:
        """The mean of some dives, and the positions seen for that."""
        with blaming(self.game, node.state):
            guesses = [self._dive(node.state, node.depth) for _ in range(DIVES)]
        return sum(size for size, _ in guesses) / DIVES, sum(seen for _, seen in guesses)

    def _dive(self, state: Any, depth: int) -> tuple[float, int]:
        """The subtree's size as one random line of play suggests it, and the positions seen for that."""
        size, width, seen = 1.0, 1.0, 1
        while depth > 0:
            moves = self.game.legal_moves(state)
            if not moves:
                break
            width *= len(moves)
            size += width
            seen += 1
            state, depth = self.game.play(state, self._random.choice(moves)), depth - 1
        return size, seen

    def root_moves(self) -> tuple[RootMove | None, ...]:
        entries = []
        for move, child in zip(self.moves, self._root.children, strict=True):
            total = self._total(child)
            known = total.score is not None
            entries.append(
                RootMove(
                    move,
                    score_for(self.game, total.score, self.mover),
                    Bound.EXACT,
                    total.nodes,
                    total.seconds,
                    ", ".join(sorted(set(total.workers))),
                )
                if known
                else None
            )
        return tuple(entries)

    def best(self) -> int | None:
        known = [(index, entry) for index, entry in enumerate(self.root_moves()) if entry is not None]
        return max(known, key=lambda pair: (pair[1].value, -pair[0]))[0] if known else None

    def answer(self) -> Answer:
        assert self.done
        total, best = self._total(self._root), self.best()
        assert best is not None
        entries = tuple(entry for entry in self.root_moves() if entry is not None)
        return Answer(self.depth, total.score, best, total.pv, entries, self._estimated)

    def _total(self, node: Node) -> Total:
        """Back the results up: the mover takes the first of its best children."""
        if not node.children:
            outcome = node.outcome
            if outcome is None:
                return Total(None, (), 0, 0.0, ())
            return Total(outcome.value, outcome.pv, outcome.nodes, outcome.seconds, (outcome.worker,))
        below = [self._total(child) for child in node.children]
        nodes = 1 + sum(total.nodes for total in below)
        seconds = sum(total.seconds for total in below)
        workers = tuple(worker for total in below for worker in total.workers)
        if any(total.score is None for total in below):
            return Total(None, (), nodes, seconds, workers)
        mover = self.game.to_move(node.state)
        best = max(range(len(below)), key=lambda i: (score_for(self.game, below[i].score, mover), -i))
        return Total(below[best].score, (node.moves[best], *below[best].pv), nodes, seconds, workers)
