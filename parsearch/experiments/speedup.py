"""Measures speedup: worker counts x depths x positions, against the best sequential search, in one run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from parsearch.algorithms import ALGORITHMS, Algorithm, find_algorithm
from parsearch.config import SpeedupConfig, load_config
from parsearch.core.errors import AnswersDifferError, InputError, StateError, WorkerError
from parsearch.core.game import Game
from parsearch.core.limits import Limits
from parsearch.core.text import read_state
from parsearch.experiments import metrics, plots
from parsearch.experiments.machine import machine_facts
from parsearch.experiments.measurements import Measurement
from parsearch.experiments.report import SpeedupReport
from parsearch.games.registry import load_game
from parsearch.parallel.coordinator import Coordinator


@dataclass(frozen=True, slots=True)
class SpeedupProgress:
    """How far a run is: searches done and to be done, and what comes next ("" at the end)."""

    done: int
    total: int
    next: str


def run(
    config_path: Path | str, out: Path | str, progress: Callable[[SpeedupProgress], None] | None = None
) -> SpeedupReport:
    """Measure what a config file asks for and write tables, data and plot to the folder `out`.

    Raises ConfigError and other InputErrors for what cannot be used, before anything is measured, and
    AnswersDifferError, with nothing written, where two searches disagree.
    """
    config = load_config(Path(config_path), SpeedupConfig)
    plots.require_matplotlib()
    folder = _folder(Path(out))
    report = measure(config, progress)
    report.write(folder)
    plots.draw_speedup(report, folder / "speedup.png")
    return report


def measure(config: SpeedupConfig, progress: Callable[[SpeedupProgress], None] | None = None) -> SpeedupReport:
    """Measure without writing anything. Errors as for `run`."""
    game = load_game(config.game)
    algorithm = find_algorithm(game, config.algorithm)
    states = [read_state(game, text) for text in config.positions] or [game.initial_state()]
    for state in states:
        if game.is_terminal(state):
            raise StateError(f"{game.name} is over in {game.format_state(state)!r}; measure a position with moves left")
    machine = machine_facts()
    counts = sorted(set(config.workers))
    with ExitStack() as stack:
        coordinators = {0: stack.enter_context(Coordinator(workers=0))}
        for count in reversed(counts):  # the largest starts Ray, the others find it running and use a part of it
            coordinators[count] = stack.enter_context(Coordinator(workers=count, offload="always"))
            coordinators[count].start()
        bench = _Bench(game, algorithm, coordinators, config.repeats, progress)
        rows = bench.measure([(state, depth) for state in states for depth in config.depths])
    return SpeedupReport(config.model_dump(), machine, tuple(rows))


class _Bench:
    """Times searches of one game with coordinators that are ready, by number of workers."""

    def __init__(
        self,
        game: Game[Any, Any],
        algorithm: Algorithm,
        coordinators: dict[int, Coordinator],
        repeats: int,
        progress: Callable[[SpeedupProgress], None] | None,
    ) -> None:
        self._game = game
        self._algorithm = algorithm.name
        self._baselines = _baselines(algorithm)
        self._coordinators = coordinators
        self._counts = sorted(count for count in coordinators if count)
        self._repeats = repeats
        self._progress = progress
        self._done = 0
        self._total = 0

    def measure(self, cells: Sequence[tuple[Any, int]]) -> list[Measurement]:
        """Every measurement of the cells (state, depth). Raises AnswersDifferError."""
        trials = len(self._baselines) if len(self._baselines) > 1 else 0
        self._total = len(cells) * (trials + self._repeats * (1 + len(self._counts)))
        self._warm_up(*cells[0])
        rows = [row for state, depth in cells for row in self._cell(state, depth)]
        self._report("")
        return rows

    def _warm_up(self, state: Any, depth: int) -> None:
        """One search each that does not count: imports, compilation and caches are no part of a search."""
        for workers in self._coordinators:
            self._report("warm-up")
            self._search(state, max(1, depth - 2), self._algorithm, workers)

    def _cell(self, state: Any, depth: int) -> list[Measurement]:
        """The repeats of one cell. Baseline and parallel searches take turns, so that a disturbance hits both."""
        rows: list[Measurement] = []
        baseline = self._baselines[0]
        if len(self._baselines) > 1:
            rows = [self._timed(state, depth, name, 0, repeat=0) for name in self._baselines]
            baseline = min(rows, key=lambda row: row.seconds).algorithm
        for repeat in range(1, self._repeats + 1):
            sequential = self._timed(state, depth, baseline, 0, repeat)
            turns = [self._timed(state, depth, self._algorithm, count, repeat) for count in self._counts]
            rows += [
                replace(row, speedup=metrics.speedup(sequential.seconds, row.seconds)) for row in (sequential, *turns)
            ]
            _require_agreement(rows)
        return rows

    def _timed(self, state: Any, depth: int, algorithm: str, workers: int, repeat: int) -> Measurement:
        name = f"{self._game.format_state(state)} depth {depth}".lstrip()
        self._report(f"{name}: {_run_name(algorithm, workers)}, {f'repeat {repeat}' if repeat else 'trial'}")
        row = replace(self._search(state, depth, algorithm, workers), repeat=repeat)
        self._done += 1
        return row

    def _search(self, state: Any, depth: int, algorithm: str, workers: int) -> Measurement:
        result = self._coordinators[workers].search(self._game, state, algorithm=algorithm, limits=Limits(depth=depth))
        if result.workers != workers:
            raise WorkerError(
                f"Ray has only {result.workers} CPUs for {workers} workers; list fewer workers or use a larger Ray"
            )
        assert result.value is not None
        root_seconds = tuple(entry.seconds for entry in result.root_moves)
        return Measurement(
            backend="ray" if workers else "serial",
            game=self._game.name,
            state=self._game.format_state(state),
            depth=depth,
            algorithm=algorithm,
            workers=workers,
            repeat=0,
            move=self._game.format_move(state, result.move),
            value=result.value,
            nodes=result.nodes,
            seconds=result.seconds,
            speedup=None,
            idle=metrics.idle_share(sum(root_seconds), workers, result.seconds) if workers else None,
            root_seconds=root_seconds,
        )

    def _report(self, what: str) -> None:
        if self._progress is not None:
            self._progress(SpeedupProgress(self._done, self._total, what))


def _baselines(algorithm: Algorithm) -> list[str]:
    """The sequential algorithms that answer the same question with the same means: those that prune against each
    other, and a search that visits everything only against itself, or pruning would pass for parallel speedup."""
    return [
        other.name
        for other in ALGORITHMS.values()
        if (other.zero_sum, other.prunes) == (algorithm.zero_sum, algorithm.prunes)
    ]


def _require_agreement(rows: Sequence[Measurement]) -> None:
    first = rows[0]
    for row in rows:
        if (row.move, row.value) != (first.move, first.value):
            raise AnswersDifferError(
                f"{first.game} at {first.state!r}, depth {first.depth}: {_who(first)} answers {first.move} "
                f"({first.value:g}), but {_who(row)} answers {row.move} ({row.value:g}); no speedup is reported "
                "until they agree (parsearch check GAME tests the game)"
            )


def _who(row: Measurement) -> str:
    return _run_name(row.algorithm, row.workers)


def _run_name(algorithm: str, workers: int) -> str:
    if not workers:
        return f"sequential {algorithm}"
    return f"{algorithm} on {workers} {'worker' if workers == 1 else 'workers'}"


def _folder(path: Path) -> Path:
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"cannot write to {str(path)!r}: {error.strerror}; name a folder that can be made") from error
    return path
