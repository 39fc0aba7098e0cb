"""Words in memory that the processes of a node share, by which running tasks are told things.

They lie in a mapped file, in a folder that is locked by the process that made it, so that a later one recognises and
removes what a killed process left behind.
"""

from __future__ import annotations

import contextlib
import fcntl
import math
import mmap
import os
import shutil
import tempfile
import time
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from parsearch.core.errors import ParsearchError
from parsearch.core.window import Window

SLOTS = 1024
"""Tasks that can be told apart at once on a node."""

ENDED, SERIAL, ALPHA, BETA, SLOT_WORDS = range(5)
"""The words of a slot: the serial number up to which tasks are over; that of the task whose window follows; the
window's ends, as floats."""

PREFIX = "parsearch-words-"
LOCK, WORDS = "lock", "words"
MAKING_SECONDS = 5
"""A folder so young may not be locked yet."""


class NodeWords:
    """The words of this node, made by one process and read by all of its workers.

    folder: where they are. Raises ParsearchError where they have no room.
    """

    def __init__(self) -> None:
        base = _base()
        _remove_leftovers(base)
        with contextlib.ExitStack() as undo:
            try:
                self.folder = Path(tempfile.mkdtemp(prefix=PREFIX, dir=base))
                undo.callback(shutil.rmtree, self.folder, ignore_errors=True)
                lock = undo.enter_context((self.folder / LOCK).open("w"))
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                with (self.folder / WORDS).open("wb") as file:
                    # Not a hole: on a full disk that would kill the process that first touches it.
                    os.posix_fallocate(file.fileno(), 0, SLOTS * SLOT_WORDS * 8)
                self._words = _map(self.folder)
            except OSError as error:
                raise ParsearchError(
                    f"the workers of this node cannot share memory in {base} ({error.strerror}); make room there, or "
                    "search with workers=0"
                ) from error
            self._files = undo.pop_all()

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
        """Remove the files; workers that still use them keep what they have mapped."""
        self._files.close()


class WordOrders:
    """The orders of a task on a worker of the node, read from its words. Raises OSError where they are gone."""

    def __init__(self, folder: str, slot: int, serial: int, window: Window) -> None:
        self._words = _attached(folder)[slot]
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
def _attached(folder: str) -> NDArray[np.int64]:
    return _map(Path(folder))


def _map(folder: Path) -> NDArray[np.int64]:
    with (folder / WORDS).open("r+b") as file:
        return np.frombuffer(mmap.mmap(file.fileno(), 0), np.int64).reshape(SLOTS, SLOT_WORDS)


def _base() -> Path:
    memory = Path("/dev/shm")
    return memory if os.access(memory, os.W_OK | os.X_OK) else Path(tempfile.gettempdir())


def _remove_leftovers(base: Path) -> None:
    """Remove the folders of processes that died: nobody holds their locks."""
    for folder in base.glob(f"{PREFIX}*"):
        try:
            if time.time() - folder.stat().st_mtime < MAKING_SECONDS:
                continue
            with (folder / LOCK).open("a") as lock:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(folder, ignore_errors=True)
        except OSError:  # in use, somebody else's, or being removed at this moment
            continue
