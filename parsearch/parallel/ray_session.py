"""A coordinator's connection to Ray: which Ray, how many workers it has, and that they are up."""

from __future__ import annotations

import atexit
import threading
import time
from typing import Any

import ray

from parsearch.core.errors import InputError, WorkerError
from parsearch.parallel import ray_host
from parsearch.parallel.ray_places import Places

START_SECONDS = 120.0
"""Starting or joining Ray takes 2.3-6 s here; a minute and more means that it never will."""

CPU_SECONDS = 60.0
"""How long to wait for a cluster to offer its first CPU."""

WARM_SECONDS = 60.0
"""How long to wait until every worker process is up; on a busy cluster tasks then wait for their turn."""

LOOK_SECONDS = 0.05
"""While waiting for Ray: it aborts after a SIGTERM unless the caller's handler is soon back in its place."""

LEAVE_SECONDS = 10.0
"""For a start that is not wanted any more to come to where it looks: calls to a Ray that has died may take longer."""


class RaySession:
    """A connection that comes up in the background; `ready` tells when, `join` waits for it."""

    def __init__(self, workers: int | None, address: str | None, options: dict[str, Any]) -> None:
        self._wanted = workers
        self._address = address
        self._options = options
        self._ready = threading.Event()
        self._stop = threading.Event()
        self._error: Exception | None = None
        self._thread: threading.Thread | None = None
        self.workers = 0
        self.places: Places

    @property
    def ready(self) -> bool:
        """Whether the session is up, or has failed to come up (then `join` raises)."""
        ray_host.give_sigterm_back()  # Ray may have taken it a moment ago
        return self._ready.is_set()

    def begin(self) -> None:
        """Start or join Ray in the background."""
        if self._thread is None:
            host = ray_host.acquire(self, self._wanted, self._address, self._options)
            self._thread = threading.Thread(target=self._open, args=(host,), name="parsearch-session", daemon=True)
            self._thread.start()
            atexit.register(self.stop)

    def join(self) -> None:
        """Wait until the session is up. Raises WorkerError where it can't be, InputError for options Ray refuses."""
        self.begin()
        while not self.ready:
            self._ready.wait(LOOK_SECONDS)
        if self._error is not None:
            error = self._error
            self.stop()
            if isinstance(error, WorkerError):
                raise error
            if self._options and _blames_arguments(error):
                raise InputError(
                    f"the ray_options {self._options} cannot be used: {_one_line(error)}; correct them"
                ) from error
            raise WorkerError(f"Ray{self._where()} cannot be used: {_one_line(error)}; {self._remedy()}") from error

    def stop(self) -> None:
        """Disconnect; Ray itself is stopped where we started it and nobody else uses it."""
        if self._thread is None:
            return
        atexit.unregister(self.stop)
        self._stop.set()
        self._thread.join(LEAVE_SECONDS)  # a call to a Ray that has been stopped would start another
        if self._ready.is_set() and self._error is None:
            self.places.close()
        ray_host.release(self)
        self._thread = None
        self._error = None
        self._ready.clear()
        self._stop.clear()
        self.workers = 0

    def _open(self, host: ray_host.RayHost | None) -> None:
        try:
            if host is not None:
                self._await(host)
            self.workers = self._count_workers()
            self.places = Places(self._wanted)
            self.places.refresh()
            self._warm()
        except Exception as error:  # handed to whoever joins
            self._error = error
        self._ready.set()

    def _await(self, host: ray_host.RayHost) -> None:
        deadline = time.monotonic() + START_SECONDS
        while not host.ready.wait(LOOK_SECONDS):
            if self._stop.is_set() or time.monotonic() > deadline:
                raise WorkerError(f"Ray{self._where()} did not start within {START_SECONDS:g} s; {self._remedy()}")
        if host.error is not None:
            raise host.error

    def _count_workers(self) -> int:
        """The workers that can run at once: the cluster's CPUs, or as many of them as were asked for."""
        deadline = time.monotonic() + CPU_SECONDS
        while time.monotonic() < deadline and not self._stop.is_set():
            cpus = int(ray.cluster_resources().get("CPU", 0))
            if cpus >= 1:
                return min(self._wanted, cpus) if self._wanted is not None else cpus
            self._stop.wait(LOOK_SECONDS)
        raise WorkerError(f"Ray{self._where()} has no CPU to offer; start a node with CPUs (ray start --num-cpus=N)")

    def _warm(self) -> None:
        """Have every worker process up, with parsearch imported, and every place, before the first task."""
        waiting = [_warm_up.options(name="parsearch warm-up").remote() for _ in range(self.workers)]
        deadline = time.monotonic() + WARM_SECONDS
        while (waiting or self.places.starting) and time.monotonic() < deadline and not self._stop.is_set():
            if waiting:
                warm, waiting = ray.wait(waiting, num_returns=len(waiting), timeout=LOOK_SECONDS)
                ray.get(warm)  # raises where a node lacks parsearch
            if self.places.starting:
                self.places.refresh(wait=LOOK_SECONDS)
        for task in waiting:
            ray.cancel(task)

    def _where(self) -> str:
        return f" at {self._address}" if self._address else ""

    def _remedy(self) -> str:
        if self._address:
            return "check the address, the cluster's token and that `ray status` works there, or start Ray here"
        return "use workers=0 to search without Ray"


@ray.remote(num_cpus=1, max_retries=1)  # type: ignore[untyped-decorator]
def _warm_up() -> None:
    """Import what tasks need, and stay long enough that the next one goes to another process."""
    import parsearch.parallel.task  # noqa: F401

    time.sleep(0.05)


def _blames_arguments(error: Exception) -> bool:
    """Whether `ray.init` raised this for what it was given; it asserts too, and unknown names are a RuntimeError."""
    kinds = (TypeError, ValueError, AttributeError, AssertionError)
    return isinstance(error, kinds) or str(error).startswith("Unknown keyword argument")


def _one_line(error: Exception) -> str:
    return " ".join(f"{type(error).__name__}: {error}".split())
