"""The disk cache of compiled kernels: modules that `build` wrote, with Numba's machine code beside them.

A module's file name holds a hash of everything that its machine code depends on, so nothing here ever goes stale: an
edit makes another file. Files appear whole or not at all, whatever other processes do and whenever one is killed.
"""

from __future__ import annotations

import contextlib
import getpass
import os
import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

PREFIX = "parsearch_kernel_"


@dataclass(frozen=True, slots=True)
class CachedKernel:
    """A kernel on disk: what it searches, its module's file, and the bytes that it takes in all."""

    title: str
    file: Path
    size: int


def folder() -> Path | None:
    """Where kernels are kept: $PARSEARCH_CACHE, else the user's cache folder, else one in the temporary folder.

    None where none of them can be written, as with a full disk; then kernels live as long as their process.
    """
    return next(filter(_can_write, _folders()), None)


def write(name: str, text: str) -> Path | None:
    """Put a module into the cache, if it is not there yet; its file, None where that is not possible."""
    where = folder()
    if where is None:
        return None
    file = where / f"{name}.py"
    with contextlib.suppress(OSError):
        if file.read_text() == text:
            return file
    try:
        handle, temporary = tempfile.mkstemp(dir=where, prefix=f".{name}")
    except OSError:
        return None
    try:
        with os.fdopen(handle, "w") as module:
            module.write(text)
        os.utime(temporary, (0, 0))  # Numba compares this time: the same text must always have the same
        os.replace(temporary, file)
    except OSError:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        return None
    return file


def forget(file: Path) -> None:
    """Take one kernel out of the cache."""
    for path in _files(file):
        with contextlib.suppress(OSError):
            path.unlink()


def show() -> tuple[CachedKernel, ...]:
    """The kernels in the cache."""
    kernels = []
    for where in _folders():
        for file in sorted(where.glob(f"{PREFIX}*.py")):
            with contextlib.suppress(OSError):  # another process may be clearing
                title = file.read_text().partition("\n")[0].strip('"')
                kernels.append(CachedKernel(title, file, sum(path.stat().st_size for path in _files(file))))
    return tuple(kernels)


def clear() -> int:
    """Empty the cache; how many kernels went. Running searches keep theirs."""
    kernels = show()
    for where in _folders():
        shutil.rmtree(where, ignore_errors=True)
    return len(kernels)


def _folders() -> Iterator[Path]:
    chosen = os.environ.get("PARSEARCH_CACHE")
    if chosen:
        yield Path(chosen) / "kernels"
        return
    with contextlib.suppress(RuntimeError):  # no home
        yield Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "parsearch" / "kernels"
    with contextlib.suppress(OSError, KeyError):  # no such user
        yield Path(tempfile.gettempdir()) / f"parsearch-{getpass.getuser()}" / "kernels"


def _can_write(where: Path) -> bool:
    try:
        where.mkdir(parents=True, exist_ok=True, mode=0o700)
        if hasattr(os, "getuid") and where.stat().st_uid != os.getuid():
            return False  # code is loaded from here: only from a folder of one's own
        with tempfile.TemporaryFile(dir=where) as file:
            file.write(b"x")
            file.flush()
    except OSError:
        return False
    return True


def _files(file: Path) -> list[Path]:
    """A kernel's module and what Python and Numba keep for it."""
    return [file, *(file.parent / "__pycache__").glob(f"{file.stem}.*")]
