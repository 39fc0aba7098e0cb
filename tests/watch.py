"""Eyes on the processes of a test: what workers search at this moment, and what is left when all should be over."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psutil

SECONDS = 60
"""For something to happen that will."""


def searching(game: str) -> list[psutil.Process]:
    """The processes below this one that search a task of that game now: Ray shows its name as their titles. Another
    call to a host, which ends while it searches, gives it back its own name; but only searches, each in a thread of its
    own, use a host's time outside its main thread.
    """
    titled, hosts = [], []
    for process in psutil.Process().children(recursive=True):
        try:
            title = " ".join(process.cmdline())
            if title.startswith(f"ray::{game} "):
                titled.append(process)
            elif title.startswith("ray::Host"):
                hosts.append((process, threads_seconds(process)))
        except psutil.Error:  # it has just ended
            continue
    if hosts:
        time.sleep(0.1)
    return titled + [host for host, before in hosts if host.is_running() and threads_seconds(host) > before + 0.02]


def threads_seconds(process: psutil.Process) -> float:
    """Of CPU that the threads of a process have used, but for the main one; 0 where it has ended."""
    try:
        return sum(each.user_time + each.system_time for each in process.threads() if each.id != process.pid)
    except psutil.Error:
        return 0


def wait_until(happens: Callable[[], Any]) -> Any:
    """What it gives as soon as that is true. Raises AssertionError where it takes too long."""
    deadline = time.monotonic() + SECONDS
    while not (result := happens()):
        assert time.monotonic() < deadline, "nothing happened"
        time.sleep(0.02)
    return result


@contextmanager
def struck(game: str, strike: Callable[[psutil.Process], object]) -> Iterator[list[int]]:
    """Strike the first process that searches a task of the game, as soon as it does; gives the ids of those struck."""
    hit: list[int] = []

    def wait_and_strike() -> None:
        process = wait_until(lambda: searching(game))[0]
        hit.append(process.pid)
        strike(process)

    thread = threading.Thread(target=wait_and_strike)
    thread.start()
    try:
        yield hit
    finally:
        thread.join()


def hosts() -> int:
    """Our actors that live in the Ray that this process uses."""
    from ray._private.state import actors

    return sum(actor["ActorClassName"] == "Host" and actor["State"] != "DEAD" for actor in actors().values())


def files(driver: int | None = None) -> set[str]:
    """What lies in shared memory under our name, and the folders of a driver's own Ray."""
    own = Path("/tmp").glob(f"parsearch-{driver}-*")
    return {str(path) for path in (*Path("/dev/shm").glob("parsearch-*"), *own)}


def open_files() -> int:
    """Those that this process has open."""
    return len(os.listdir("/proc/self/fd"))
