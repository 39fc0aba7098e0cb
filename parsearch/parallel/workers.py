"""The processes that a search may be sent to, before anybody knows whether it will be."""

from __future__ import annotations

import os
import sys
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any

from parsearch.core.errors import InputError
from parsearch.core.game import Game
from parsearch.parallel.backend import Backend
from parsearch.parallel.cores import usable_cores
from parsearch.parallel.offload import SEND_COST, START_COST

if TYPE_CHECKING:
    from parsearch.parallel.ray_session import RaySession


class Workers(ABC):
    """Worker processes that can be started, used and stopped.

    missed: seconds that they would have saved so far, had they been up; whoever searches without them adds to it.
    """

    missed = 0.0

    @property
    @abstractmethod
    def count(self) -> int:
        """How many there are; how many there will be, as far as known, while they are not up."""

    @property
    @abstractmethod
    def start_cost(self) -> float:
        """Seconds that a search must save before they are worth starting."""

    @property
    @abstractmethod
    def ready(self) -> bool:
        """Whether they are up, or have failed to come up (then `backend` raises)."""

    @abstractmethod
    def begin(self) -> None:
        """Have them started in the background."""

    @abstractmethod
    def backend(self, game: Game[Any, Any]) -> Backend:
        """A backend for searches of one game; waits until they are up. Raises WorkerError where they can't be."""

    @abstractmethod
    def close(self) -> None:
        """Stop what was started."""


class RayWorkers(Workers):
    """Ray's workers. Ray itself, which takes 0.4 s to import, is imported when they are started."""

    def __init__(self, wanted: int | None, address: str | None, options: dict[str, Any]) -> None:
        self._wanted = wanted
        address = os.environ.get("RAY_ADDRESS") if address is None else address
        self._address = None if address in (None, "", "local") else address
        self._options = options
        self._session: RaySession | None = None

    @property
    def count(self) -> int:
        if self._session is not None and self._session.workers:
            return self._session.workers
        if self._wanted is not None:
            return self._wanted
        return usable_cores() if self._address is None else 2  # a cluster has two at least, or nobody would ask

    @property
    def start_cost(self) -> float:
        if "ray" in sys.modules and sys.modules["ray"].is_initialized():
            return SEND_COST
        return max(SEND_COST, START_COST - self.missed)  # many searches together may be worth what none is alone

    @property
    def ready(self) -> bool:
        return self._session is not None and self._session.ready

    def begin(self) -> None:
        if self._address is not None and self._address.startswith("ray://"):
            raise InputError(
                f"{self._address} leads to Ray's client server, from where no node can be told anything; "
                "give host:port as `ray start` prints it, or have the search run there by `ray job submit`"
            )
        from parsearch.parallel.ray_session import RaySession

        if self._session is None:
            self._session = RaySession(self._wanted, self._address, self._options)
        self._session.begin()

    def join(self) -> None:
        """Wait until they are up. Raises WorkerError where they can't be."""
        self.begin()
        assert self._session is not None
        self._session.join()

    def backend(self, game: Game[Any, Any]) -> Backend:
        from parsearch.parallel.ray_backend import RayBackend

        self.join()
        assert self._session is not None
        return RayBackend(self._session, game)

    def close(self) -> None:
        if self._session is not None:
            self._session.stop()
            self._session = None
