"""One search of a compiled game by a kernel, as an object that can be run in slices."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy import int64, uint64

from parsearch.core.game import Score
from parsearch.core.window import Window
from parsearch.native import layout
from parsearch.native.build import Features, load_kernel
from parsearch.native.game import CompiledGame, Words
from parsearch.native.table import Table

QUIESCENCE_PLIES = 64
"""Plies of noisy moves after which the estimate has to do."""

INFINITY = 1 << 60
"""Stands for infinity where scores are integers."""


class Search:
    """A search of `state`, `depth` plies deep, that `run` advances node by node or by the million.

    window: what has to be told apart; value and window are from player 0's view, for paranoid from `player`'s.
    table: shared with whatever else uses it. Searches over one table may be run in turn, in any order and in slices
    of any
    size. Guarantees as in `algorithms.alphabeta`; a table, order of moves and slices change effort, never value.
    """

    def __init__(
        self,
        game: CompiledGame,
        state: Words,
        depth: int,
        features: Features,
        window: Window = Window(),  # noqa: B008 frozen
        player: int = 0,
        table: Table | None = None,
        report: Callable[[str], None] | None = None,
    ) -> None:
        self.game, self.state, self.features, self.player = game, state, features, player
        self.leaf = game.is_terminal(state) or (depth == 0 and not features.quiescence)
        if self.leaf:
            return
        self._kernel = load_kernel(game.rules, features, report)
        plies = depth + 1 + (QUIESCENCE_PLIES if features.quiescence else 0)
        self._control = np.zeros(layout.CONTROLS, int64)
        self._control[layout.NODES] = 1
        self._control[layout.DEPTH] = depth
        self._control[layout.PLAYER] = player
        self._words = np.zeros((plies, self._kernel.words + 1), uint64)
        self._words[0, :-1] = np.array(state, uint64)
        self._moves = np.zeros((plies, game.max_moves), int64)
        self._frames = np.zeros((plies, layout.FRAME), int64)
        self._lines = np.zeros((plies + 1, plies + 1), int64)
        self._lengths = np.zeros(plies + 1, int64)
        self._scores: Any
        if features.algorithm == "maxn":
            self._scores = np.zeros((plies + 1, game.players), self._score_type())
            self._arguments: tuple[Any, ...] = self._frames, self._scores, self._lines, self._lengths
            return
        self._scores = np.zeros((plies, layout.SCORES), self._score_type())
        self._frames[0, layout.MAXIMIZING] = self._maximizing = game.to_move(state) == player
        self._scores[0, [layout.ALPHA, layout.BETA]] = self._own_view(window)
        ranks = np.zeros((plies, game.max_moves) if features.ordered else (1, 1), int64)
        killers = np.full((plies, 2), -1, int64)
        history = np.zeros((2, layout.HISTORY_MASK + 1) if features.ordered else (1, 1), int64)
        entries = _NO_TABLE
        if features.table:
            assert table is not None
            entries = table.entries(2 if game.integer else 3)
            self._control[layout.GENERATION] = table.generation
        ordering = ranks, self._lines, self._lengths, killers, history
        self._arguments = self._frames, self._scores, *ordering, entries, self._salt(player)

    @property
    def finished(self) -> bool:
        return self.leaf or bool(self._control[layout.STATUS] == layout.FINISHED)

    @property
    def nodes(self) -> int:
        """Positions visited so far, the root included."""
        return 1 if self.leaf else int(self._control[layout.NODES])

    def run(self, nodes: int) -> bool:
        """Go on for so many nodes, or a few more; whether the search is finished. Other threads run meanwhile."""
        if not self.finished:
            limit = min(self.nodes + nodes, INFINITY)
            self._kernel.run(self._control, self._words, self._moves, *self._arguments, limit)
        return self.finished

    # What a finished search found.

    @property
    def value(self) -> Score:
        """The value, from player 0's view (for paranoid the player's), or the payoff tuple for maxn."""
        if self.leaf:
            score = self.game.evaluate(self.state)
            return score[self.player] if self.features.algorithm == "paranoid" else score
        if self.features.algorithm == "maxn":
            return tuple(map(self._number, self._scores[0]))
        best = self._number(self._scores[0, layout.BEST])
        return best if self._maximizing else 0 - best

    @property
    def estimated(self) -> bool:
        """Whether any leaf was cut off by the depth."""
        if self.leaf:
            return not self.game.is_terminal(self.state)
        return bool(self._frames[0, layout.ESTIMATED])

    @property
    def line(self) -> tuple[int, ...]:
        """The principal variation; it may stop where the table knew the rest."""
        return () if self.leaf else tuple(map(int, self._lines[0, : self._lengths[0]]))

    # Between slices.

    def narrow(self, window: Window) -> None:
        """Ask for less: from now on only what lies inside `window` as well has to be told apart.

        Goes down the stack as the search itself would have: the first node that its window now cuts off is left at
        once. Below a null-window test nothing changes: what was found there answers the old question only.
        """
        if self.finished or self.features.algorithm == "maxn":
            return
        low, high = self._own_view(window)
        for ply in range(int(self._control[layout.PLY]) + 1):
            frame, scores = self._frames[ply], self._scores[ply]
            scores[layout.ALPHA] = max(scores[layout.ALPHA], low)
            scores[layout.BETA] = min(scores[layout.BETA], high)
            scores[layout.START] = max(scores[layout.START], low)
            if scores[layout.ALPHA] >= scores[layout.BETA] and ply < self._control[layout.PLY]:
                self._control[layout.PLY] = ply
                frame[layout.AGAIN] = 0
                return
            if frame[layout.TESTED] or ply == self._control[layout.PLY]:
                return
            low, high = self._number(scores[layout.ALPHA]), self._number(scores[layout.BETA])
            if frame[layout.MAXIMIZING] != self._frames[ply + 1, layout.MAXIMIZING]:
                low, high = 0 - high, 0 - low

    def _own_view(self, window: Window) -> tuple[float, float]:
        """(alpha, beta) as the kernel has them at the root: in the mover's view, and whole where scores are."""
        view = window if self._maximizing else window.reversed()
        if not self.game.integer:
            return view.alpha, view.beta
        alpha = -INFINITY if view.alpha == -math.inf else math.floor(view.alpha)
        beta = INFINITY if view.beta == math.inf else math.ceil(view.beta)
        return alpha, beta

    def _number(self, score: Any) -> float:
        return int(score) if self.game.integer else float(score)

    def _score_type(self) -> type:
        return int64 if self.game.integer else np.float64

    def _salt(self, player: int) -> uint64:
        """Keeps apart in one table what different games, players or leaves would call the same position."""
        text = f"{self.game.rules.digest} {player} {self.features.quiescence}"
        return uint64(int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "little"))


_NO_TABLE = np.zeros(6, uint64)
