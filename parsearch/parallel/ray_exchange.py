"""What the hosts of a cluster tell each other: table entries that took long to find."""

from __future__ import annotations

import threading
import time
from collections import deque
from typing import Any

import numpy as np
import ray
from numpy.typing import NDArray

from parsearch.native.sharing import News
from parsearch.parallel.backend import EXCHANGE_SECONDS
from parsearch.parallel.crew import Crew

MOST_LOGS = 64
"""Kept for a host that takes nothing, the latest: what two workers log in a third of a second."""


class Exchange:
    """Sends what a crew's searches log to the hosts of other nodes, from a thread of its own.

    A host that has not taken the last message yet waits for the next: what it misses costs effort, never an answer.
    """

    def __init__(self, crew: Crew) -> None:
        self._crew = crew
        self._news = News()
        self._peers: list[Any] = []
        self._sent: dict[Any, ray.ObjectRef] = {}
        self._waiting: dict[Any, deque[NDArray[np.uint64]]] = {}
        self._thread: threading.Thread | None = None

    def meet(self, peers: list[Any]) -> None:
        """These are the others from now on."""
        self._peers = peers
        self._crew.news = self._news if peers else None
        if peers and self._thread is None:
            self._thread = threading.Thread(target=self._live, name="parsearch-exchange", daemon=True)
            self._thread.start()

    def _live(self) -> None:
        while True:
            logs = self._news.take(wait=True)
            for peer in self._peers:
                waiting = self._waiting.setdefault(peer, deque(maxlen=MOST_LOGS))
                waiting.extend(logs)
                last = self._sent.get(peer)
                if last is None or ray.wait([last], timeout=0)[0]:
                    self._sent[peer] = peer.learn.remote(list(waiting))
                    waiting.clear()
            time.sleep(EXCHANGE_SECONDS)
