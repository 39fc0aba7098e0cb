"""One search of a compiled game by a kernel, as an object that can be run in slices."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy import uint64
from numpy.typing import NDArray

from parsearch.core.game import Score
from parsearch.core.window import Window
from parsearch.native import layout
from parsearch.native.build import Features, joint_depth, load_kernel
from parsearch.native.game import CompiledGame, Words
from parsearch.native.sharing import Busy
from parsearch.native.table import Table
from parsearch.native.workspace import Workspace

INFINITY = 1 << 60
"""Stands for infinity where scores are integers."""


class Search:
    """A search of `state`, `depth` plies deep, that `run` advances node by node or by the million.

    window: what has to be told apart; value and window are from player 0's view, for paranoid from `player`'s.
    table: shared with whatever else uses it. Searches over one table may be run in turn, in any order and in slices
    of any size. Guarantees as in `algorithms.alphabeta`; a table, order of moves and slices change effort, never value.
    busy: for joint searches, the marks that belong to the table; give back those of a search that is not finished with
    `release`. The line of a joint search may be short.
    climbs: ask by null-window tests, from alpha in the mover's view on, each a step beyond what the last has shown
    (MTD(f) from below: Plaat, Schaeffer, Pijls & de Bruin 1996); then for the first move that has the value.
    workspace: memory to run in; its own by default. logs: a joint search logs, for other tables, what took it long.
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
        busy: Busy | None = None,
        workspace: Workspace | None = None,
        logs: bool = False,
        climbs: bool = False,
    ) -> None:
        self.game, self.state, self.features, self.player = game, state, features, player
        self._climbs = climbs and game.integer
        self.leaf = game.is_terminal(state) or (depth == 0 and not features.quiescence)
        if self.leaf:
            return
        self._kernel = load_kernel(game.rules, features, report)
        room = workspace or Workspace(game, features, self._kernel.words, depth)
        room.reset()
        self._control, self._words, self._frames, self._scores = room.control, room.words, room.frames, room.scores
        self._lines, self._lengths, self._log = room.lines, room.lengths, room.log
        self._control[layout.NODES] = 1
        self._control[layout.DEPTH] = depth
        self._control[layout.PLAYER] = player
        self._control[layout.WORTH] = layout.LOG_NODES if logs else INFINITY
        self._words[0, :-1] = np.array(state, uint64)
        self._arguments: tuple[Any, ...]
        if features.algorithm == "maxn":
            self._arguments = room.control, room.words, room.moves, room.frames, room.scores, room.lines, room.lengths
            return
        self._frames[0, layout.MAXIMIZING] = self._maximizing = game.to_move(state) == player
        self._low, self._high = self._own_view(window)
        self._ask(self._low, self._low + 1 if self._climbs else self._high)
        entries = _NO_TABLE
        if features.table:
            assert table is not None
            entries = table.entries(2 if game.integer else 3)
            self._control[layout.GENERATION] = table.generation
        marks = _NO_TABLE
        if features.joint:
            assert busy is not None
            marks = busy.words
            self._control[layout.JOINT_DEPTH] = joint_depth(game.rules, busy.searches)
        self._arguments = *room.arrays, entries, marks, salt(game, features, player)

    @property
    def finished(self) -> bool:
        return self.leaf or bool(self._control[layout.STATUS] == layout.FINISHED)

    @property
    def nodes(self) -> int:
        """Positions visited so far, the root included."""
        return 1 if self.leaf else int(self._control[layout.NODES])

    def run(self, nodes: int) -> bool:
        """Go on for so many nodes, or a few more; whether the search is finished. Other threads run meanwhile."""
        limit = min(self.nodes + nodes, INFINITY)
        while not self.finished:
            self._kernel.run(*self._arguments, limit)
            if not self.climb():
                break
        return self.finished

    def climb(self) -> bool:
        """Where a test is finished whose answer leaves something to ask, begin with that; `run` does so itself."""
        if not (self.finished and self._climbs):
            return False
        best = int(self._scores[0, layout.BEST])
        alpha, beta = self._asked
        if beta - alpha > 1 or not self._low < best < self._high:
            return False
        if best >= beta and best + 1 < self._high:
            self._ask(best, best + 1)
        else:  # no move is worth more: which is the first that is worth as much?
            self._ask(best - 1, best + 1)
        self._control[layout.STATUS], self._control[layout.NODES] = layout.OPENING, self.nodes + 1
        return True

    def _ask(self, alpha: float, beta: float) -> None:
        self._asked = alpha, beta
        self._scores[0, [layout.ALPHA, layout.BETA]] = alpha, beta

    def release(self) -> None:
        """End a joint search before it is finished, and take back its marks. It cannot be run any more."""
        if not self.finished and self.features.joint:
            self._control[layout.PLY] = 0
            self.run(0)
            self._control[layout.STATUS] = layout.FINISHED

    def logged(self) -> NDArray[np.uint64]:
        """What it has logged since the last time, as `Table.learn` takes it."""
        if self.leaf:
            return _NO_LOG
        rows: NDArray[np.uint64] = self._log[: self._control[layout.LOGGED]].copy()
        self._control[layout.LOGGED] = 0
        return rows

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
        once, and its value is where the two windows meet. Below a null-window test nothing changes: what was found
        there answers the old question only. A search that climbs goes on as it was.
        """
        if self.finished or self._climbs or self.features.algorithm in ("minimax", "maxn"):
            return
        low, high = self._own_view(window)
        for ply in range(int(self._control[layout.PLY]) + 1):
            frame, scores = self._frames[ply], self._scores[ply]
            if max(scores[layout.ALPHA], low) >= min(scores[layout.BETA], high):
                # `bounds` may have narrowed its window before; what they said is then all that is known.
                known = scores[layout.BETA] if low >= scores[layout.BETA] else scores[layout.ALPHA]
                scores[layout.BEST] = max(scores[layout.BEST], known)
                scores[layout.ALPHA] = scores[layout.BETA]
                frame[layout.AGAIN], frame[layout.TARGET] = 0, -1
                self._control[layout.PLY] = ply
                return
            scores[layout.ALPHA] = max(scores[layout.ALPHA], low)
            scores[layout.BETA] = min(scores[layout.BETA], high)
            scores[layout.START] = max(scores[layout.START], low)
            if frame[layout.TESTED] or ply == self._control[layout.PLY]:
                return
            if low <= scores[layout.BEST]:  # the child knows, and may have to find more than a tie with the best
                low = -INFINITY if self.game.integer else -math.inf
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


def salt(game: CompiledGame, features: Features, player: int) -> uint64:
    """Keeps apart in one table what different games, players or leaves would call the same position."""
    text = f"{game.rules.digest} {player} {features.quiescence}"
    return uint64(int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "little"))


_NO_TABLE = np.zeros(8, uint64)
_NO_LOG = np.zeros((0, 2), uint64)
