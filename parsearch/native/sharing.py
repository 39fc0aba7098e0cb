"""Marks of what is being searched: besides a table, what searches that cooperate have in common."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

BUSY_BYTES = 1 << 18
"""Room for 32,768 marks: a thousand searches of thirty shared plies each."""


class Busy:
    """Marks of the positions that joint searches are in; what they mean is in `kernel_joint`.

    buffer: memory of BUSY_BYTES to lie in, such as a part of a mapped file; else it is this process's own.
    """

    def __init__(self, buffer: Any = None) -> None:
        words = np.zeros(BUSY_BYTES // 8, np.uint64) if buffer is None else np.frombuffer(buffer, np.uint64)
        self.words: NDArray[np.uint64] = words

    @property
    def held(self) -> int:
        """How many marks are held, also by searches that died: none when all searches are finished or released."""
        return int(np.count_nonzero(self.words))
