"""The one Ray of this process: started or joined by whoever needs it first, stopped when nobody needs it any more."""

from __future__ import annotations

import ctypes
import os
import re
import shutil
import signal
import socket
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

import psutil
import ray

from parsearch.parallel.cores import usable_cores

OBJECT_STORE_BYTES = 100 * 2**20
"""Games and tasks are small; Ray's default of 30% of the memory would only fill /dev/shm."""

LONGEST_BASE = 14
"""Characters of the folder for temporary files that leave room for Ray's Unix sockets: Linux allows 107 for a
path, of which Ray takes 65 (/session_DATE_TIME_PID/sockets/plasma_store) and we take 27."""

FOLDER_PREFIX = "parsearch-"

CONNECT_SECONDS = 10.0
"""For a cluster's address to answer."""

STOP_SECONDS = 30.0
"""Stopping Ray takes 1.3 s here, a start that has to end first 2.3-6 s; what takes longer is killed."""

LOOK_SECONDS = 0.2
"""Between looks at how far a start has come that nobody wants any more."""

KILL_SECONDS = 3.0
"""For Ray's own agents to end after Ray has."""


class Abandoned(BaseException):
    """Raised in the thread that starts Ray, where nobody wants it any more; no Exception, which Ray might catch."""


class RayHost:
    """Ray as this process started or joined it.

    It lives on a thread of its own, because Ray's processes end with the thread that started them, and because
    `ray.init` on the main thread would take over SIGTERM. So it can start while the caller searches.

    address: of a cluster to join, None to start Ray here with `workers` CPUs (None: the usable cores).
    """

    def __init__(self, workers: int | None, address: str | None, options: dict[str, Any]) -> None:
        self._address = address
        self._folder = _session_folder() if address is None else None
        self._options = self._default_options(workers) | options
        self._stop = threading.Event()
        self.ready = threading.Event()
        self.error: Exception | None = None
        self._thread = threading.Thread(target=self._live, name="parsearch-ray", daemon=True)
        self._thread.start()

    def _default_options(self, workers: int | None) -> dict[str, Any]:
        options: dict[str, Any] = {"log_to_driver": False, "logging_level": "ERROR"}
        if self._folder is None:
            return options | {"address": self._address}
        return options | {
            "address": "local",  # plain init would join a Ray that happens to run here
            "num_cpus": workers or usable_cores(),
            "include_dashboard": False,
            "object_store_memory": OBJECT_STORE_BYTES,
            "_temp_dir": str(self._folder),
            # Ray would run workers at niceness 15: on a busy machine they then get less than this process
            # would (measured: one worker 0.78 times as fast, against 0.96), and going out would not pay.
            "_system_config": {"worker_niceness": 0},
        }

    def _live(self) -> None:
        try:
            if self._address is not None:
                _require_listener(self._address)
            ray.init(**self._options)
        except Exception as error:  # handed to whoever waits
            self.error = error
        except Abandoned:
            pass
        self.ready.set()
        self._stop.wait()
        ray.shutdown()

    def stop(self) -> None:
        """Stop what was started; returns when none of its processes is left."""
        self._stop.set()
        deadline = time.monotonic() + STOP_SECONDS
        while self._thread.is_alive() and time.monotonic() < deadline:
            give_sigterm_back()
            if self._folder is not None and not self.ready.is_set():
                if not self._has_sockets():  # later on this process is part of Ray and must not break off
                    _raise_in(self._thread, Abandoned)
                elif not self._processes():
                    break  # a signal to the whole process group ended Ray while it started; `ray.init` waits for ever
            self._thread.join(LOOK_SECONDS)
        if self._folder is not None:
            _end(self._processes())
            shutil.rmtree(self._folder, ignore_errors=True)
        give_sigterm_back()

    def _has_sockets(self) -> bool:
        """Whether Ray has come as far as to listen on this machine."""
        return self._folder is not None and any(self._folder.glob("session_*/sockets/*"))

    def _processes(self) -> list[psutil.Process]:
        """Ray's processes, known by the folder that their command lines name."""
        found = []
        for child in psutil.Process().children(recursive=True):
            try:
                if str(self._folder) in " ".join(child.cmdline()):
                    found.append(child)
            except psutil.Error:  # it has just ended
                continue
        return found


def _raise_in(thread: threading.Thread, kind: type[BaseException]) -> None:
    """Have a thread raise an exception at its next step in Python."""
    if thread.ident is not None:
        ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread.ident), ctypes.py_object(kind))


def _end(processes: list[psutil.Process]) -> None:
    """Wait for processes to end, and kill those that do not."""
    _, alive = psutil.wait_procs(processes, timeout=KILL_SECONDS)
    for process in alive:
        try:
            process.kill()
        except psutil.NoSuchProcess:
            continue
    psutil.wait_procs(alive, timeout=KILL_SECONDS)


_lock = threading.Lock()
_host: RayHost | None = None
_users: set[object] = set()


def acquire(user: object, workers: int | None, address: str | None, options: dict[str, Any]) -> RayHost | None:
    """Ray for `user` until it is released: what other users have, or a new one; None where the caller's program has
    initialised Ray itself, which is used as it is."""
    global _host
    with _lock:
        if _host is None:
            if ray.is_initialized():
                return None
            _host = RayHost(workers, address, options)
        _users.add(user)
        return _host


def release(user: object) -> None:
    """Give Ray up; it is stopped with its last user."""
    global _host
    with _lock:
        _users.discard(user)
        if _host is not None and not _users:
            _host.stop()
            _host = None


def give_sigterm_back() -> None:
    """Install the caller's handler for SIGTERM again.

    Ray's C++ core takes the signal over while it starts, to print its stack, and resets it when it stops. Where it
    arrives meanwhile, the core also sets an alarm that aborts the process three seconds later.
    """
    if threading.current_thread() is threading.main_thread():  # Python allows it nowhere else
        _give_back(signal.SIGTERM)
        if _give_back(signal.SIGALRM):
            signal.alarm(0)


def _give_back(signum: int) -> bool:
    """Have a signal do what Python says that it does; whether something else did."""
    handler = signal.getsignal(signum)
    if handler is None:  # not installed from Python
        return False
    before = _installed(signum)
    signal.signal(signum, handler)
    return _installed(signum) != before


def _installed(signum: int) -> int:
    """The address of the function that the system calls for a signal: Python does not notice when others change it."""
    action = ctypes.create_string_buffer(256)  # a struct sigaction, which begins with it, has some 150 bytes
    ctypes.CDLL(None).sigaction(signum, None, action)
    return int.from_bytes(action.raw[: ctypes.sizeof(ctypes.c_void_p)], sys.byteorder)


def _require_listener(address: str) -> None:
    """Raises OSError at once where nobody listens at host:port; `ray.init` would try for five minutes."""
    host, _, port = address.rpartition(":")
    if host and port.isdigit() and "/" not in host:
        socket.create_connection((host.strip("[]"), int(port)), timeout=CONNECT_SECONDS).close()


def _session_folder() -> Path:
    """A new folder for one local Ray, named after this process; those of processes that died are removed."""
    base = Path(tempfile.gettempdir())
    if len(str(base)) > LONGEST_BASE:
        base = Path("/tmp")
    for old in base.glob(f"{FOLDER_PREFIX}*"):
        owner = re.fullmatch(rf"{FOLDER_PREFIX}(\d+)-\w+", old.name)
        if owner and not psutil.pid_exists(int(owner[1])) and old.stat().st_uid == os.getuid():
            shutil.rmtree(old, ignore_errors=True)  # somebody else may be removing it too
    return Path(tempfile.mkdtemp(prefix=f"{FOLDER_PREFIX}{os.getpid()}-", dir=base))
