"""Ray's life around our searches: use the one that runs, join a cluster, or start one; stop only what we started."""

from __future__ import annotations

import atexit
import os
import shutil
import signal
import socket
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

import psutil
import ray

from parsearch.core.errors import WorkerError
from parsearch.parallel.cores import usable_cores

OBJECT_STORE_BYTES = 100 * 2**20
"""Games and tasks are small; Ray's default of 30% of the memory would only fill /dev/shm."""

LONGEST_BASE = 14
"""Characters of the folder for temporary files that leave room for Ray's Unix sockets: Linux allows 107 for a
path, of which Ray takes 65 (/session_DATE_TIME_PID/sockets/plasma_store) and we take 27."""

FOLDER_PREFIX = "parsearch-"

CONNECT_SECONDS = 10.0
"""For a cluster's address to answer."""

START_SECONDS = 120.0
"""Starting or joining Ray takes 2.3-6 s here; a minute and more means that it never will."""

STOP_SECONDS = 30.0
"""Stopping Ray takes 1.3 s here; one that hangs is left to its own devices, on a daemon thread."""

CPU_SECONDS = 60.0
"""How long to wait for a cluster to offer its first CPU."""

WARM_SECONDS = 60.0
"""How long to wait until every worker process is up."""

LOOK_SECONDS = 0.05
"""While waiting for Ray: it aborts at a second SIGTERM unless the caller's handler is soon back in its place."""


class RaySession:
    """A connection to Ray, and Ray itself where we had to start it.

    It lives on a thread of its own, because Ray's processes end with the thread that started them, and
    because `ray.init` on the main thread would take over SIGTERM. So it can start while the caller searches.
    """

    def __init__(self, workers: int | None, address: str | None, options: dict[str, Any]) -> None:
        self._wanted = workers
        self._address = address or os.environ.get("RAY_ADDRESS")
        if self._address in ("", "local"):
            self._address = None
        self._options = options
        self._ready = threading.Event()
        self._stop = threading.Event()
        self._error: Exception | None = None
        self._thread: threading.Thread | None = None
        self.workers = 0

    @property
    def ready(self) -> bool:
        """Whether the session is up, or has failed to come up (then `join` raises)."""
        _give_sigterm_back()  # Ray may have taken it a moment ago
        return self._ready.is_set()

    def begin(self) -> None:
        """Start or join Ray in the background."""
        if self._thread is None:
            self._thread = threading.Thread(target=self._live, name="parsearch-ray", daemon=True)
            self._thread.start()
            atexit.register(self.stop)

    def join(self) -> None:
        """Wait until the session is up. Raises WorkerError where it can't be."""
        self.begin()
        deadline = time.monotonic() + START_SECONDS + CPU_SECONDS + WARM_SECONDS
        while not self.ready and time.monotonic() < deadline:
            self._ready.wait(LOOK_SECONDS)
        if not self.ready:
            raise WorkerError(f"Ray{self._where()} did not start within {START_SECONDS:g} s; see its logs in /tmp")
        if self._error is not None:
            error, self._error = self._error, None
            self.stop()
            if isinstance(error, WorkerError):
                raise error
            raise WorkerError(f"Ray{self._where()} cannot be used: {_one_line(error)}; {self._remedy()}") from error

    def stop(self) -> None:
        """Disconnect, and stop Ray where we started it. Does nothing where nothing was begun."""
        if self._thread is None:
            return
        self._stop.set()
        self._thread.join(STOP_SECONDS)
        self._thread = None
        self._ready.clear()
        self._stop.clear()
        atexit.unregister(self.stop)
        _give_sigterm_back()

    def _live(self) -> None:
        ours, folder = False, None
        try:
            if not ray.is_initialized():
                ours = True
                if self._address is None:
                    folder = _session_folder()
                self._connect(folder)
            self.workers = self._count_workers()
            self._warm()
        except Exception as error:  # handed to whoever joins
            self._error = error
        self._ready.set()
        self._stop.wait()
        if ours:
            ray.shutdown()
        if folder is not None:
            shutil.rmtree(folder, ignore_errors=True)  # Ray's agents may still write their last log line

    def _connect(self, folder: Path | None) -> None:
        options: dict[str, Any] = {"log_to_driver": False, "logging_level": "ERROR"}
        if folder is not None:
            options |= {
                "address": "local",  # plain init would join a Ray that happens to run here
                "num_cpus": self._wanted or usable_cores(),
                "include_dashboard": False,
                "object_store_memory": OBJECT_STORE_BYTES,
                "_temp_dir": str(folder),
                # Ray would run workers at niceness 15: on a busy machine they then get less than this process
                # would (measured: one worker 0.78 times as fast, against 0.96), and going out would not pay.
                "_system_config": {"worker_niceness": 0},
            }
        else:
            assert self._address is not None
            _require_listener(self._address)
            options["address"] = self._address
        ray.init(**(options | self._options))

    def _count_workers(self) -> int:
        """The workers that can run at once: the cluster's CPUs, or as many of them as were asked for."""
        for _ in range(int(CPU_SECONDS * 10)):
            cpus = int(ray.cluster_resources().get("CPU", 0))
            if cpus >= 1:
                return min(self._wanted, cpus) if self._wanted is not None else cpus
            if self._stop.wait(0.1):
                break
        raise WorkerError(f"Ray{self._where()} has no CPU to offer; start a node with CPUs (ray start --num-cpus=N)")

    def _warm(self) -> None:
        """Have every worker process up, with parsearch imported, before the first task."""
        started = [_warm_up.options(name="parsearch warm-up").remote() for _ in range(self.workers)]
        warm, _ = ray.wait(started, num_returns=len(started), timeout=WARM_SECONDS)
        ray.get(warm)  # raises where a node lacks parsearch

    def _where(self) -> str:
        return f" at {self._address}" if self._address else ""

    def _remedy(self) -> str:
        if self._address:
            return "check the address and that `ray status` works there, or leave it out to start Ray here"
        return "use workers=0 to search without Ray"


@ray.remote(num_cpus=1, max_retries=1)  # type: ignore[untyped-decorator]
def _warm_up() -> None:
    """Import what tasks need, and stay long enough that the next one goes to another process."""
    import time

    import parsearch.parallel.task  # noqa: F401

    time.sleep(0.05)


def _require_listener(address: str) -> None:
    """Raises OSError at once where nobody listens at host:port; `ray.init` would try for five minutes."""
    host, _, port = address.rpartition(":")
    if host and port.isdigit() and "/" not in host:
        socket.create_connection((host.strip("[]"), int(port)), timeout=CONNECT_SECONDS).close()


def _give_sigterm_back() -> None:
    """Install the caller's handler for SIGTERM again.

    Ray's C++ core takes the signal over while it starts, to print its stack, and resets it when it stops. Python
    does not notice and still names the old handler.
    """
    handler = signal.getsignal(signal.SIGTERM)
    if handler is not None and threading.current_thread() is threading.main_thread():  # Python allows it nowhere else
        signal.signal(signal.SIGTERM, handler)


def _session_folder() -> Path:
    """A new folder for one local Ray, named after this process; those of processes that died are removed."""
    base = Path(tempfile.gettempdir())
    if len(str(base)) > LONGEST_BASE:
        base = Path("/tmp")
    for old in base.glob(f"{FOLDER_PREFIX}*"):
        owner = old.name.removeprefix(FOLDER_PREFIX).split("-")[0]
        if owner.isdigit() and not psutil.pid_exists(int(owner)) and old.stat().st_uid == os.getuid():
            shutil.rmtree(old, ignore_errors=True)  # somebody else may be removing it too
    return Path(tempfile.mkdtemp(prefix=f"{FOLDER_PREFIX}{os.getpid()}-", dir=base))


def _one_line(error: Exception) -> str:
    return " ".join(f"{type(error).__name__}: {error}".split())
