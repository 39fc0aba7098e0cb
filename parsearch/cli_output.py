"""Stdout for nothing but the answer, and a word on stderr while a game is compiled."""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from io import TextIOWrapper
from typing import TextIO

from rich.console import Console

from parsearch.core.errors import ParsearchError


@contextmanager
def writing() -> Iterator[None]:
    """Turn what goes wrong with writing inside, on a full disk say, into a ParsearchError."""
    try:
        yield
    except OSError as error:
        raise ParsearchError(f"the output cannot be written ({error.strerror}); send it elsewhere") from error


@contextmanager
def reserved_stdout() -> Iterator[TextIO]:
    """Reserve stdout for what is written to the stream that this yields; everything else goes to stderr.

    That is also so for what C code and child processes write, since they know stdout by its file descriptor.
    """
    out = sys.stdout
    out.flush()
    kept = os.dup(1)
    os.dup2(2, 1)
    try:
        with redirect_stdout(sys.stderr):
            if isinstance(out, TextIOWrapper) and out is sys.__stdout__:
                with os.fdopen(os.dup(kept), "w", encoding=out.encoding, errors=out.errors) as answers:
                    yield answers
            else:  # somebody captures what Python writes
                yield out
    finally:
        os.dup2(kept, 1)
        os.close(kept)


class _Messages(logging.Handler):
    """Prints on a console, which knows what else is drawn there."""

    def __init__(self, console: Console) -> None:
        super().__init__()
        self._console = console

    def emit(self, record: logging.LogRecord) -> None:
        self._console.print(record.getMessage(), style="dim", markup=False, highlight=False)


@contextmanager
def shown_messages(console: Console) -> Iterator[None]:
    """Show what parsearch has to say on the way, such as that it compiles a game."""
    handler, logger = _Messages(console), logging.getLogger("parsearch")
    before = logger.level
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    try:
        yield
    finally:
        logger.removeHandler(handler)
        logger.setLevel(before)
