"""Words in memory that the processes of a node share, by which running tasks are told things.

They lie in a file without a place in any folder, which is gone with the last process that has it open, however that
ends; nothing is ever left behind. Other processes open it through its maker.
"""

from __future__ import annotations

import math
import mmap
import os
import uuid
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from parsearch.core.errors import ParsearchError
from parsearch.core.window import Window

SLOTS = 1024
"""Tasks that can be told apart at once on a node."""

ENDED, SERIAL, ALPHA, BETA, SLOT_WORDS = range(5)
"""The words of a slot: the serial number up to which tasks are over; that of the task whose window follows; the
window's ends, as floats."""


class Where(NamedTuple):
    """How to find a node's words there: a path while their maker lives, and the name that no others have."""

    path: str
    name: str


class NodeWords:
    """The words of this node, made by one process and read by all of its workers.

    where: for these workers. Raises ParsearchError where no memory can be shared.
    """

    def __init__(self) -> None:
        name = f"parsearch-words-{uuid.uuid4().hex}"
        try:
            self._file = os.memfd_create(name)
            os.truncate(self._file, SLOTS * SLOT_WORDS * 8)
            self._words = _map(self._file)
        except OSError as error:
            raise ParsearchError(
                f"the workers of this node cannot share memory ({error.strerror}); free some, or search with workers=0"
            ) from error
        self.where = Where(f"/proc/{os.getpid()}/fd/{self._file}", name)

    def tell(self, slot: int, serial: int, window: Window | None) -> None:
        """Give the task of that slot and serial number a narrower window, or end it where that is None.

        Integers beyond 2^53, which the words would round, are not told: the task goes on with what it has.
        """
        if window is None:
            self._words[slot, ENDED] = serial
        elif (float(window.alpha), float(window.beta)) == (window.alpha, window.beta):
            ends = self._words[slot].view(np.float64)
            ends[ALPHA], ends[BETA] = window.alpha, window.beta
            self._words[slot, SERIAL] = serial  # last: who reads its number finds the window complete

    def close(self) -> None:
        """Give them up; workers that still use them keep what they have mapped."""
        os.close(self._file)


class WordOrders:
    """The orders of a task on a worker of the node, read from its words. Raises OSError where they are gone."""

    def __init__(self, where: Where, slot: int, serial: int, window: Window) -> None:
        self._words = _attached(where)[slot]
        self._ends = self._words.view(np.float64)
        self._serial = serial
        self._window = window

    def stopped(self) -> bool:
        """Whether the task is over."""
        return bool(self._words[ENDED] >= self._serial)

    def window(self) -> Window:
        """The window as narrow as it was told to be by now."""
        if self._words[SERIAL] == self._serial:
            alpha = max(self._window.alpha, _number(self._ends[ALPHA]))
            beta = min(self._window.beta, _number(self._ends[BETA]))
            if (alpha, beta) != (self._window.alpha, self._window.beta):
                self._window = Window(alpha, beta)
        return self._window


def _number(end: float) -> float:
    return int(end) if math.isfinite(end) and end == int(end) else float(end)


@lru_cache(maxsize=4)
def _attached(where: Where) -> NDArray[np.int64]:
    file = os.open(where.path, os.O_RDWR)
    try:
        if where.name not in os.readlink(f"/proc/self/fd/{file}"):
            raise FileNotFoundError(f"{where.path} is not {where.name} any more")
        return _map(file)
    finally:
        os.close(file)


def _map(file: int) -> NDArray[np.int64]:
    return np.frombuffer(mmap.mmap(file, 0), np.int64).reshape(SLOTS, SLOT_WORDS)
