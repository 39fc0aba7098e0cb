"""A simulated machine: as many workers as wanted in one process, each searching a node a round over one table."""

from __future__ import annotations

import numpy as np

from parsearch.core.window import Window
from parsearch.native import layout
from parsearch.native.build import Features, load_kernel
from parsearch.native.game import CompiledGame, Words
from parsearch.native.search import Search, salt
from parsearch.native.sharing import Busy
from parsearch.native.table import Table
from parsearch.native.workspace import Workspace


class Crew:
    """Slots for searches of one game with one set of features, up to `depth` plies deep, that run in lockstep.

    A round is the time of one node: virtual time. A write to the table is seen by whoever steps after it, in the same
    round too, which is less than a node's time too early. Deterministic. rounds: run so far. player: for paranoid whose
    payoff is maximised. logs: as for `Search`. A table and marks serve whatever else uses them.
    """

    def __init__(
        self,
        game: CompiledGame,
        features: Features,
        slots: int,
        depth: int,
        table: Table,
        busy: Busy | None = None,
        player: int = 0,
        logs: bool = False,
    ) -> None:
        self.game, self.features, self.player, self.table, self.busy = game, features, player, table, busy
        self._logs = logs
        self.rounds = 0
        self.searches: list[Search | None] = [None] * slots
        self._kernel = load_kernel(game.rules, features)
        self._workspace = Workspace(game, features, self._kernel.words, depth, slots)
        self._workspace.control[:, layout.STATUS] = layout.FINISHED
        self._taken = np.zeros(slots, bool)
        marks = (Busy(slots) if busy is None else busy).words
        entries = table.entries(2 if game.integer else 3)
        self._arguments = *self._workspace.arrays, entries, marks, salt(game, features, player)

    def start(
        self,
        slot: int,
        state: Words,
        depth: int,
        window: Window = Window(),  # noqa: B008 frozen
        climbs: bool = False,
    ) -> Search:
        """Put a search into an empty slot; `searches` has it until it is cleared."""
        assert self.searches[slot] is None
        search = Search(
            self.game, state, depth, self.features, window, self.player, self.table,
            busy=self.busy, workspace=self._workspace.slot(slot), logs=self._logs, climbs=climbs,
        )  # fmt: skip
        self._workspace.control[slot, layout.SINCE] = self.rounds
        self.searches[slot] = search
        self._taken[slot] = True
        return search

    def clear(self, slot: int) -> None:
        """Empty a slot; a search that is not finished is ended."""
        search = self.searches[slot]
        if search is not None:
            search.release()
        self._workspace.control[slot, layout.STATUS] = layout.FINISHED
        self.searches[slot] = None
        self._taken[slot] = False

    def run(self, rounds: int) -> list[int]:
        """Go on for so many rounds, or up to the one in which a search finishes; the slots whose search is finished.

        With a finished search in a slot nothing runs: clear it first.
        """
        if not self.finished and self._taken.any():
            assert self._kernel.rounds is not None
            end = self.rounds + rounds
            while self.rounds < end and not self.finished:
                self.rounds = self._kernel.rounds(*self._arguments, self.rounds, end)
                for slot in self.finished:
                    search = self.searches[slot]
                    assert search is not None
                    search.climb()
        return self.finished

    @property
    def finished(self) -> list[int]:
        """The slots whose search is finished."""
        finished = self._workspace.control[:, layout.STATUS] == layout.FINISHED
        return [int(slot) for slot in np.flatnonzero(self._taken & finished)]
