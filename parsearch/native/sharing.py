"""What the processes of one machine share of a search: the transposition table, and marks of what is being searched."""

from __future__ import annotations

import contextlib
import mmap
import os
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from parsearch.core.errors import InputError
from parsearch.native.table import MEBIBYTE, Table, table_bytes

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


class SharedTable:
    """A table and marks in one file that processes map: what one finds, all know.

    table: used like any other; its generation is the process's own affair. busy: the marks. Whoever created the file
    unlinks it; processes that are attached keep it until they close.
    """

    def __init__(self, memory: mmap.mmap) -> None:
        view = memoryview(memory)
        self.table = Table(buffer=view[:-BUSY_BYTES])
        self.busy = Busy(view[-BUSY_BYTES:])

    @classmethod
    def create(cls, path: Path, mebibytes: int) -> SharedTable:
        """A new file, its memory taken at once, so that none is missing later.

        mebibytes: the table's size, rounded down to a power of two. Raises InputError where the file exists or cannot
        be made that large.
        """
        size = table_bytes(mebibytes) + BUSY_BYTES
        try:
            file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
        except OSError as error:
            raise InputError(
                f"no shared table can be made at {path} ({error.strerror}); name a new file in a folder that is there"
            ) from error
        try:
            os.posix_fallocate(file, 0, size)
            return cls(_map(file, size))
        except OSError as error:
            path.unlink()
            raise InputError(
                f"a shared table of {size / MEBIBYTE:.2f} MiB does not fit at {path} ({error.strerror}); make it "
                "smaller or free some space"
            ) from error
        finally:
            os.close(file)

    @classmethod
    def attach(cls, path: Path) -> SharedTable:
        """The table that another process has created at `path`. Raises InputError where there is none."""
        try:
            file = os.open(path, os.O_RDWR)
        except OSError as error:
            raise InputError(f"there is no shared table at {path} ({error.strerror}); create it first") from error
        try:
            size = os.fstat(file).st_size
            if size <= BUSY_BYTES or (size - BUSY_BYTES) % MEBIBYTE:
                raise InputError(f"{path} is no shared table: {size} bytes are no table and marks; create it anew")
            return cls(_map(file, size))
        finally:
            os.close(file)

    def close(self) -> None:
        """Give the memory back as soon as no search uses it; the object cannot be used any more."""
        del self.table, self.busy


def _map(file: int, size: int) -> mmap.mmap:
    memory = mmap.mmap(file, size)
    if hasattr(mmap, "MADV_HUGEPAGE"):
        with contextlib.suppress(OSError):  # small pages cost some speed only
            memory.madvise(mmap.MADV_HUGEPAGE)
    return memory
