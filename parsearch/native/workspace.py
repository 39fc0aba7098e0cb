"""The arrays that a search by a kernel lives in."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy import int64, uint64

from parsearch.native import layout
from parsearch.native.build import Features
from parsearch.native.game import CompiledGame

QUIESCENCE_PLIES = 64
"""Plies of noisy moves after which the estimate has to do."""


class Workspace:
    """Room for one search of up to `depth` plies, or for `slots` of them side by side: then every array has one axis
    more in front, and `slot` gives the room of one.

    Memory that no search has touched yet costs nothing.
    """

    def __init__(
        self, game: CompiledGame, features: Features, words: int, depth: int, slots: int | None = None
    ) -> None:
        plies = depth + 1 + (QUIESCENCE_PLIES if features.quiescence else 0)
        score = int64 if game.integer else np.float64
        front = () if slots is None else (slots,)

        def zeros(kind: Any, *shape: int, used: bool = True) -> Any:
            return np.zeros((*front, *(shape if used else [1] * len(shape))), kind)

        ordered, joint = features.ordered, features.joint
        self.control = zeros(int64, layout.CONTROLS)
        self.words = zeros(uint64, plies, words + 1)
        self.moves = zeros(int64, plies, game.max_moves)
        self.frames = zeros(int64, plies, layout.FRAME)
        self.lines = zeros(int64, plies + 1, plies + 1)
        self.lengths = zeros(int64, plies + 1)
        if features.algorithm == "maxn":
            self.scores = zeros(score, plies + 1, game.players)
        else:
            self.scores = zeros(score, plies, layout.SCORES)
        self.ranks = zeros(int64, plies, game.max_moves, used=ordered)
        self.killers = zeros(int64, plies, 2)
        self.history = zeros(int64, 2, layout.HISTORY_MASK + 1, used=ordered)
        self.keys = zeros(uint64, plies, game.max_moves, used=joint)
        self.log = zeros(uint64, layout.LOG_ROWS, 2 if game.integer else 3, used=joint)

    @property
    def arrays(self) -> tuple[Any, ...]:
        """As the kernel takes them."""
        ordering = self.ranks, self.lines, self.lengths, self.killers, self.history, self.keys, self.log
        return self.control, self.words, self.moves, self.frames, self.scores, *ordering

    def slot(self, slot: int) -> Workspace:
        """The room of one of several searches."""
        one = Workspace.__new__(Workspace)
        for name, array in vars(self).items():
            setattr(one, name, array[slot])
        return one

    def reset(self) -> None:
        """Make ready for another search."""
        for array in (self.control, self.frames, self.lengths, self.history):
            array.fill(0)
        self.killers.fill(-1)
