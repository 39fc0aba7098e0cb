"""Why: a word that is missed costs time, but one that is misread costs the answer, and one that is left behind costs
the machine its memory."""

from __future__ import annotations

import errno
import math
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from parsearch.core.errors import ParsearchError
from parsearch.core.window import Window
from parsearch.parallel import node_words
from parsearch.parallel.node_words import NodeWords, WordOrders

SERIAL = 7


@pytest.fixture
def base(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where words are made, with nobody else's among them."""
    monkeypatch.setattr(node_words, "_base", lambda: tmp_path)
    return tmp_path


@pytest.fixture
def words(base: Path) -> Iterator[NodeWords]:
    made = NodeWords()
    yield made
    made.close()


def orders(words: NodeWords, slot: int = 3, serial: int = SERIAL, window: Window = Window()) -> WordOrders:  # noqa: B008
    return WordOrders(str(words.folder), slot, serial, window)


def test_a_task_is_told_to_end(words: NodeWords) -> None:
    told = orders(words)
    assert not told.stopped()
    words.tell(3, SERIAL, None)
    assert told.stopped()
    assert not orders(words, slot=4).stopped()
    assert not orders(words, serial=SERIAL + 1).stopped()  # the next one in the slot
    assert orders(words, serial=SERIAL - 1).stopped()  # one that was given up before


def test_windows_only_get_narrower(words: NodeWords) -> None:
    told = orders(words, window=Window(-10, 10))
    assert told.window() == Window(-10, 10)
    words.tell(3, SERIAL, Window(-2, 50))
    assert told.window() == Window(-2, 10)
    words.tell(3, SERIAL, Window(-5, 4))
    assert told.window() == Window(-2, 4)
    words.tell(3, SERIAL + 1, Window(0, 1))  # meant for the next one in the slot
    assert told.window() == Window(-2, 4)


@pytest.mark.parametrize("window", [Window(-math.inf, 3), Window(0.1, math.inf), Window(0.1, math.nextafter(0.1, 1))])
def test_ends_arrive_as_they_were(words: NodeWords, window: Window) -> None:
    told = orders(words)
    words.tell(3, SERIAL, window)
    assert told.window() == window
    assert [type(end) for end in (told.window().alpha, told.window().beta)] == [type(window.alpha), type(window.beta)]


def test_integers_that_would_be_rounded_are_not_told(words: NodeWords) -> None:
    told = orders(words)
    words.tell(3, SERIAL, Window(2**53, 2**53 + 1))
    assert told.window() == Window()
    words.tell(3, SERIAL, Window(2**53 - 1, 2**53))
    assert told.window() == Window(2**53 - 1, 2**53)


def test_closed_words_leave_nothing_and_can_be_read_to_the_end(base: Path) -> None:
    words = NodeWords()
    told = orders(words)
    words.close()
    assert list(base.iterdir()) == []
    assert not told.stopped()
    with pytest.raises(OSError, match="words"):
        WordOrders("/nowhere", 5, 1, Window())


def test_what_a_killed_process_left_is_removed_and_what_others_use_is_not(words: NodeWords, base: Path) -> None:
    code = f"""
import os, signal
from pathlib import Path
from parsearch.parallel import node_words
node_words._base = lambda: Path({str(base)!r})
words = node_words.NodeWords()
os.kill(os.getpid(), signal.SIGKILL)
"""
    subprocess.run([sys.executable, "-c", code], check=False, timeout=60)
    (left,) = set(base.iterdir()) - {words.folder}
    young = NodeWords()  # what is so young may only not be locked yet
    assert left.exists()
    for folder in base.iterdir():
        os.utime(folder, (0, 0))
    old = NodeWords()
    assert set(base.iterdir()) == {words.folder, young.folder, old.folder}
    old.close()
    young.close()


def test_a_full_disk_is_told_and_left_clean(base: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(file: int, offset: int, length: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "posix_fallocate", full)
    with pytest.raises(ParsearchError, match=r"cannot share memory in .*No space left.*make room"):
        NodeWords()
    assert list(base.iterdir()) == []


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can mount a tiny /dev/shm")
def test_a_tiny_file_system_is_told_and_left_clean(base: Path) -> None:
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=8k", "tmpfs", str(base)], check=False).returncode:
        pytest.skip("no file system can be mounted here")
    try:
        with pytest.raises(ParsearchError, match="No space left"):
            NodeWords()
        assert list(base.iterdir()) == []
    finally:
        subprocess.run(["umount", str(base)], check=True)


def test_without_memory_to_share_they_lie_on_the_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "access", lambda *_: False)
    assert node_words._base() == Path(tempfile.gettempdir())
