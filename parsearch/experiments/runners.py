"""Who performs the searches of a backend: coordinators that are ready, by number of workers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from contextlib import ExitStack
from dataclasses import replace
from types import TracebackType
from typing import Any, Self

from parsearch.config import BackendConfig
from parsearch.core.errors import WorkerError
from parsearch.core.game import Game
from parsearch.core.limits import Limits
from parsearch.core.result import SearchResult
from parsearch.experiments.calibration import Calibration
from parsearch.experiments.plan import Plan, Question
from parsearch.parallel.coordinator import Coordinator
from parsearch.parallel.simulated import simulate
from parsearch.parallel.virtual_cluster import VirtualCluster

WARM_PLIES = 8
"""A search that only warms up is this shallow: some thousand nodes."""


class Runner(ABC):
    """Performs searches; a context manager."""

    def __init__(self) -> None:
        self._stack = ExitStack()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.close()

    @abstractmethod
    def search(self, question: Question, algorithm: str, workers: int) -> SearchResult:
        """One search; 0 workers for the sequential one. Raises as `Coordinator.search` does."""


class RayRunner(Runner):
    """Ray's workers, here or on a cluster."""

    def __init__(self, backend: BackendConfig) -> None:
        super().__init__()
        self._backend = backend
        self._coordinators: dict[int, Coordinator] = {}
        self._warm: set[tuple[str, bool, tuple[str, ...]]] = set()

    def __enter__(self) -> Self:
        with ExitStack() as stack:
            self._coordinators[0] = stack.enter_context(Coordinator(workers=0))
            for count in sorted(set(self._backend.workers), reverse=True):  # the others use a part of the largest's Ray
                coordinator = Coordinator(count, self._backend.address or "local", offload="always")
                self._coordinators[count] = stack.enter_context(coordinator)
                coordinator.start()
            self._stack = stack.pop_all()
        return self

    def search(self, question: Question, algorithm: str, workers: int) -> SearchResult:
        kind = (question.game_text, question.depth is None, question.rivals)
        if kind not in self._warm:
            self._warm_up(question)
            self._warm.add(kind)
        return self._search(question, question.state, question.limits, algorithm, workers)

    def _warm_up(self, question: Question) -> None:
        """Have done what is no part of a search: imports, compilation, fresh memory."""
        state, limits = warm_up_search(question)
        for name in sorted({*question.rivals, *question.algorithms}):
            self._search(question, state, limits, name, 0)
        for count in question.workers:
            for name in question.algorithms:
                self._search(question, state, limits, name, count)

    def _search(self, question: Question, state: Any, limits: Limits, algorithm: str, workers: int) -> SearchResult:
        result = self._coordinators[workers].search(
            question.game, state, algorithm=algorithm, limits=limits, table=question.table
        )
        if result.workers != workers:
            raise WorkerError(
                f"Ray has only {result.workers} CPUs for {workers} workers; list fewer workers or use a larger Ray"
            )
        return result


class SimulatedRunner(Runner):
    """Workers under a virtual clock, and the sequential search at the rate that was calibrated, in this process."""

    def __init__(self, backend: BackendConfig, calibration: Calibration, seed: int) -> None:
        super().__init__()
        assert backend.machine is not None
        self._machine = backend.machine
        self._calibration = calibration
        self._seed = seed
        self._alone = Coordinator(workers=0)
        self._known: dict[tuple[Question, str], SearchResult] = {}

    def search(self, question: Question, algorithm: str, workers: int) -> SearchResult:
        calibration, together = self._calibration, min(workers, self._machine)
        rate = calibration.rate(question.game_text, algorithm, question.depth is None, crowded=together > 1)
        if not workers:
            return self._sequential(question, algorithm, rate)
        cluster = VirtualCluster(
            nodes=max(1, workers // self._machine),
            workers=together,
            rate=rate,
            send_seconds=calibration.send_seconds,
            latency=calibration.latency_seconds,
            seed=self._seed,
        )
        result = simulate(
            question.game,
            question.state,
            cluster,
            algorithm=algorithm,
            limits=question.limits,
            table=question.table,
        )
        return replace(result, seconds=max(result.seconds, 1 / rate))  # the root, where that alone says the value

    def _sequential(self, question: Question, algorithm: str, rate: float) -> SearchResult:
        """Searched once: what a trial found is what a repeat would find."""
        if (question, algorithm) not in self._known:
            result = self._alone.search(
                question.game, question.state, algorithm=algorithm, limits=question.limits, table=question.table
            )
            root_moves = tuple(replace(entry, seconds=entry.nodes / rate) for entry in result.root_moves)
            self._known[question, algorithm] = replace(result, seconds=result.nodes / rate, root_moves=root_moves)
        return self._known[question, algorithm]


def make_runner(backend: BackendConfig, plan: Plan) -> Runner:
    """The runner of a backend."""
    if backend.calibration is None:
        return RayRunner(backend)
    return SimulatedRunner(backend, plan.calibrations[backend.calibration], plan.config.seed)


def warm_up_search(question: Question) -> tuple[Any, Limits]:
    """A state and limits that make an easy search with the same machine code as the question's."""
    if question.depth is None:
        return _near_the_end(question.game, question.state), Limits()
    return question.state, Limits(min(question.depth, WARM_PLIES))


def _near_the_end(game: Game[Any, Any], state: Any) -> Any:
    """The state after first moves until few plies are left, or the next would end the game."""
    while (game.max_plies(state) or 0) > WARM_PLIES:
        following = game.play(state, game.legal_moves(state)[0])
        if game.is_terminal(following):
            return state
        state = following
    return state
