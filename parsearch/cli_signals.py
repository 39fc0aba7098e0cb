"""Ctrl-C and SIGTERM for the command line: end a search in order, and leave no process behind."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

SIGNALS = (signal.SIGINT, signal.SIGTERM)


class Interrupted(KeyboardInterrupt):
    """A signal has ended the work before its time; everything on the way out has been closed."""

    def __init__(self, exit_code: int) -> None:
        super().__init__(exit_code)
        self.exit_code = exit_code


class Interrupts:
    """The signals that have arrived: the first `patience` are only noted, the next one raises KeyboardInterrupt.

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
            raise KeyboardInterrupt
        if self._patience is not None:
            self._patience -= 1


@contextmanager
def catch_signals(patience: int) -> Iterator[Interrupts]:
    """Handle Ctrl-C and SIGTERM as `Interrupts` says; the caller's handlers come back at the end.

    Raises Interrupted for the KeyboardInterrupt. It is made here and not in the handler, since Ray's own calls
    make a plain KeyboardInterrupt of whatever a handler raises.
    """
    interrupts = Interrupts(patience)
    before = {signum: signal.signal(signum, interrupts._handle) for signum in SIGNALS}
    try:
        yield interrupts
    except KeyboardInterrupt as error:
        raise Interrupted(interrupts.exit_code or 128 + signal.SIGINT) from error
    finally:
        for signum, handler in before.items():
            signal.signal(signum, handler)
