"""What searches that cooperate have in common besides a table: marks of what is being searched, and news for others."""

from __future__ import annotations

from contextlib import suppress
from queue import Empty, SimpleQueue
from typing import Any

import numpy as np
from numpy.typing import NDArray

BUSY_BYTES = 1 << 18
"""Room for 32,768 marks: a thousand searches of thirty shared plies each."""


class Busy:
    """Marks of the positions that joint searches are in; what they mean is in `kernel_joint`.

    searches: how many there are at once, as far as known; the fewer, the larger the subtrees that they divide.
    buffer: memory of BUSY_BYTES to lie in, such as a part of a mapped file; else it is this process's own.
    """

    def __init__(self, searches: int, buffer: Any = None) -> None:
        self.searches = searches
        words = np.zeros(BUSY_BYTES // 8, np.uint64) if buffer is None else np.frombuffer(buffer, np.uint64)
        self.words: NDArray[np.uint64] = words

    @property
    def held(self) -> int:
        """How many marks are held, also by searches that died: none when all searches are finished or released."""
        return int(np.count_nonzero(self.words))


class News:
    """Entries that the searches of a node have logged, until they are sent to other nodes. Threads may share it."""

    def __init__(self) -> None:
        self._logs: SimpleQueue[NDArray[np.uint64]] = SimpleQueue()

    def add(self, log: NDArray[np.uint64]) -> None:
        """Take what a search has logged."""
        if len(log):
            self._logs.put(log)

    def take(self, wait: bool = False) -> list[NDArray[np.uint64]]:
        """All that came since the last time; where that is nothing, wait until something does."""
        logs = [self._logs.get()] if wait else []
        with suppress(Empty):
            while True:
                logs.append(self._logs.get_nowait())
        return logs
