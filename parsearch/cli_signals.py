"""Ctrl-C and SIGTERM for the command line: end a search in order, and leave no process behind."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

SIGNALS = (signal.SIGINT, signal.SIGTERM)


class Interrupted(KeyboardInterrupt):
    """A signal ends the program now; raised where it arrived, so that everything on the way out is closed."""

    def __init__(self, signum: int) -> None:
        super().__init__(signal.Signals(signum).name)
        self.exit_code = 128 + signum


class Interrupts:
    """The signals that have arrived: the first `patience` are only noted, the next one raises Interrupted.

    Those after that, and all after `settle`, are noted too, because the way out must not be interrupted.
    """

    def __init__(self, patience: int) -> None:
        self._patience: int | None = patience
        self._signum: int | None = None

    def arrived(self) -> bool:
        """Whether there was any; a search's `stop`."""
        return self._signum is not None

    @property
    def exit_code(self) -> int:
        """What a shell expects of a program that ended for the first signal; 0 where none arrived."""
        return 0 if self._signum is None else 128 + self._signum

    def settle(self) -> None:
        """From now on signals are only noted: what is left to do is short and has to be done."""
        self._patience = None

    def _handle(self, signum: int, _frame: FrameType | None) -> None:
        if self._signum is None:
            self._signum = signum
        if self._patience == 0:
            self.settle()
            raise Interrupted(signum)
        if self._patience is not None:
            self._patience -= 1


@contextmanager
def catch_signals(patience: int) -> Iterator[Interrupts]:
    """Handle Ctrl-C and SIGTERM as `Interrupts` says; the caller's handlers come back at the end."""
    interrupts = Interrupts(patience)
    before = {signum: signal.signal(signum, interrupts._handle) for signum in SIGNALS}
    try:
        yield interrupts
    finally:
        for signum, handler in before.items():
            signal.signal(signum, handler)
