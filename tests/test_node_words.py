"""Why: a word that is missed costs time, but one that is misread costs the answer, and one that is left behind costs
the machine its memory."""

from __future__ import annotations

import errno
import math
import os
import subprocess
import sys
from collections.abc import Iterator

import pytest

from parsearch.core.errors import ParsearchError
from parsearch.core.window import Window
from parsearch.parallel.node_words import NodeWords, Where, WordOrders

SERIAL = 7


@pytest.fixture
def words() -> Iterator[NodeWords]:
    made = NodeWords()
    yield made
    made.close()


def orders(words: NodeWords, slot: int = 3, serial: int = SERIAL, window: Window = Window()) -> WordOrders:  # noqa: B008
    return WordOrders(words.where, slot, serial, window)


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


def test_closed_words_can_be_read_to_the_end_and_are_not_mistaken_for_new_ones() -> None:
    words = NodeWords()
    told = orders(words)
    words.tell(3, SERIAL, None)
    words.close()
    assert told.stopped()
    again = NodeWords()  # which has the same path
    assert again.where.path == words.where.path
    assert not orders(again).stopped()
    with pytest.raises(FileNotFoundError, match="not parsearch-words-"):
        WordOrders(words.where._replace(name="parsearch-words-other"), 3, SERIAL, Window())
    again.close()


CODE = """
import sys, time
from parsearch.parallel.node_words import NodeWords, Where, WordOrders
from parsearch.core.window import Window
if len(sys.argv) > 1:
    print(WordOrders(Where(*sys.argv[1:]), 3, 7, Window()).stopped())
else:
    print(*NodeWords().where, flush=True)
    time.sleep(60)
"""


def test_other_processes_read_them(words: NodeWords) -> None:
    words.tell(3, SERIAL, None)
    read = subprocess.run(
        [sys.executable, "-c", CODE, *words.where], capture_output=True, text=True, timeout=60, check=True
    )
    assert read.stdout == "True\n"


def test_a_killed_process_takes_its_words_along() -> None:
    with subprocess.Popen([sys.executable, "-c", CODE], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        where = Where(*process.stdout.readline().split())
        assert not WordOrders(where, 3, SERIAL, Window()).stopped()
        process.kill()
    assert not os.path.exists(where.path)


def test_no_memory_to_share_is_told_with_the_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(name: str) -> int:
        raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))

    monkeypatch.setattr(os, "memfd_create", full)
    with pytest.raises(ParsearchError, match=r"cannot share memory \(Too many open files\).*workers=0"):
        NodeWords()
