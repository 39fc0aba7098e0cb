"""The transposition table's memory: a plain array of 64-bit words, which may lie in a file that processes share.

What an entry holds is in `layout`; the kernel reads and writes them. Each carries the XOR of its words with the
position's hash, so one that two processes wrote at once is a miss, never a lie (Hyatt & Mann 2002).
"""

from __future__ import annotations

import contextlib
import mmap
from collections.abc import Iterable
from typing import Any

import numpy as np
import psutil
from numpy import uint64
from numpy.typing import NDArray

from parsearch.core.errors import InputError
from parsearch.native import layout

MEBIBYTE = 1 << 20
BUCKET_BYTES = 64
"""Enough for a bucket of two entries, of scores of either kind: 32 bytes with integers, 48 with floats."""

LARGEST_SHARE, LARGEST_DEFAULT = 8, 256
"""Unless told otherwise a table takes an eighth of the free memory, at most 256 MiB: a fresh process fills those with
zeros in a fraction of a second."""


class Table:
    """A transposition table for compiled games; one may serve many searches, of different games too.

    mebibytes: its size, rounded down to a power of two; None takes it from the memory that is free now, of which
    as many processes as `shares` says will have one.
    buffer: memory to lie in instead, such as a mapped file; its content is used, so that processes that map the same
    file share what they find. Raises InputError for a size that is no use.
    """

    def __init__(self, mebibytes: int | None = None, buffer: Any = None, shares: int = 1) -> None:
        if buffer is None:
            buffer = _memory(table_bytes(mebibytes, shares))
        words = np.frombuffer(buffer, dtype=np.uint64)
        if words.size < BUCKET_BYTES // 8 or not words.flags.writeable:
            raise InputError(f"a table needs writable memory of {BUCKET_BYTES} bytes or more, not {words.nbytes}")
        self.words: NDArray[np.uint64] = words[: 1 << (int(words.size).bit_length() - 1)]
        self.generation = 0

    @property
    def nbytes(self) -> int:
        """Its size."""
        return int(self.words.nbytes)

    def entries(self, entry_words: int) -> NDArray[np.uint64]:
        """The words as a power of two of buckets of two entries, each of so many words."""
        buckets = self.words.size // (2 * entry_words)
        return self.words[: (1 << (buckets.bit_length() - 1)) * 2 * entry_words]

    def age(self) -> None:
        """Begin another search: what earlier ones stored is not used any more, and replaced whatever its depth."""
        self.generation = (self.generation + 1) & 0xFF

    def learn(self, logs: Iterable[NDArray[np.uint64]]) -> None:
        """Store what searches over another table have logged, each row where a search here would have: over its own
        entry, else over the first of its pair unless that is deeper and of the same search, else over the second."""
        for log in logs:
            self._learn(log)

    def _learn(self, log: NDArray[np.uint64]) -> None:
        words = log.shape[1]
        pairs = self.entries(words).reshape(-1, layout.BUCKET, words)
        hashes, data = log[:, 0], log[:, 1]
        index = hashes & uint64(len(pairs) - 1)
        found = pairs[index]
        own = np.bitwise_xor.reduce(found, axis=2) == hashes[:, None]
        first = found[:, 0, 1]
        deeper = _depth(first) > _depth(data)
        current = (first ^ data) >> layout.GENERATION_SHIFT == 0
        second = ~own[:, 0] & (own[:, 1] | (deeper & current))
        pairs[index, second.astype(int), 0] = np.bitwise_xor.reduce(log, axis=1)
        pairs[index, second.astype(int), 1:] = log[:, 1:]

    def clear(self) -> None:
        """Forget everything."""
        self.words.fill(0)


def _depth(data: NDArray[np.uint64]) -> NDArray[np.uint64]:
    return data >> layout.DEPTH_SHIFT & uint64(layout.DEPTH_MASK)


def table_bytes(mebibytes: int | None, shares: int = 1) -> int:
    """The bytes of a table of that size, a power of two; None takes it from free memory. Raises InputError below 1."""
    if mebibytes is None:
        free = psutil.virtual_memory().available // (LARGEST_SHARE * MEBIBYTE * shares)
        mebibytes = max(1, min(LARGEST_DEFAULT, free))
    if isinstance(mebibytes, bool) or not isinstance(mebibytes, int) or mebibytes < 1:
        raise InputError(
            f"the size of a table is a whole number of mebibytes, not {mebibytes!r}; 0 in a search is for none"
        )
    return 1 << (mebibytes * MEBIBYTE).bit_length() - 1


def _memory(size: int) -> mmap.mmap:
    """Zeroed memory, in huge pages where the system has them: a probe is a jump into nowhere, and the page tables of
    small pages would double its cost. Raises InputError where there is not so much."""
    try:
        if not hasattr(mmap, "MADV_HUGEPAGE"):
            return mmap.mmap(-1, size)
        memory = mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    except (OSError, OverflowError) as error:
        raise InputError(f"a table of {size // MEBIBYTE} MiB does not fit in memory; give fewer mebibytes") from error
    with contextlib.suppress(OSError):
        memory.madvise(mmap.MADV_HUGEPAGE)
    return memory
