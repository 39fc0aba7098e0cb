"""When a search that began in the calling process is worth sending out. Decides by the clock, without I/O."""

from __future__ import annotations

import time
from collections.abc import Callable

LOOK_SECONDS = 0.01
"""Between two looks at the work left; the question is asked at every node and must cost nothing."""

SEND_AFTER = 0.02
"""Seconds that every iteration gets in the calling process: what ends sooner never pays."""

SEND_COST = 0.05
"""Seconds that sending out must save when Ray is up: some tasks of 1-2 ms each, and a worker's first look at a game."""

START_AFTER = 1.0
"""Seconds that a search gets before Ray is started for it."""

START_COST = 4.0
"""Seconds that it must save then: starting Ray and its workers takes 2.3-6 s, stopping it 1.3 s (Ray 2.60)."""


class Offload:
    """Watches one iteration in the calling process.

    workers: how many could share the work. ready: whether they are up. begin: start them in the background,
    while the search goes on here. work_left: seconds of work that are left, as far as known. divisible:
    whether several workers could be kept busy at the moment.

    `due()` turns True, for good, when the rest of the iteration should go out.
    """

    def __init__(
        self,
        workers: int,
        ready: Callable[[], bool],
        begin: Callable[[], None],
        work_left: Callable[[], float],
        divisible: Callable[[], bool],
        start_cost: float = START_COST,
    ) -> None:
        self._saved_share = 1 - 1 / workers
        self._ready = ready
        self._begin = begin
        self._work_left = work_left
        self._divisible = divisible
        self._start_cost = start_cost
        self._start_after = START_AFTER if start_cost > SEND_COST else SEND_AFTER
        self._started = time.monotonic()
        self._next_look = self._started + SEND_AFTER
        self.decided = False

    def due(self) -> bool:
        """Whether to send the rest out now."""
        if self.decided:
            return True
        now = time.monotonic()
        if now < self._next_look:
            return False
        self._next_look = now + LOOK_SECONDS
        saved = self._work_left() * self._saved_share
        if self._ready():
            self.decided = saved > SEND_COST and self._divisible()
        elif saved > self._start_cost and now - self._started > self._start_after:
            self._begin()
        return self.decided

    def missed(self) -> float:
        """Seconds that workers would have saved of this iteration so far, had they been up."""
        return (time.monotonic() - self._started) * self._saved_share
