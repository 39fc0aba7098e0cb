"""From rows to the figures of a report: one series for each game, depth, algorithm and backend."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean, geometric_mean, median

from parsearch.algorithms import ALGORITHMS
from parsearch.experiments import metrics
from parsearch.experiments.bootstrap import Estimate, bootstrap
from parsearch.experiments.plan import Cell, rivals_of
from parsearch.experiments.rows import Row

Times = Mapping[int, float]
"""Seconds of one repeat by number of workers; 0 is the sequential search."""


@dataclass(frozen=True, slots=True)
class Subject:
    """What a series measures, but for positions, workers and repeats; see `Cell`."""

    backend: str
    address: str | None
    nodes_per_machine: int | None
    game: str
    depth: int | None
    table: int | None
    algorithm: str

    @property
    def question(self) -> str:
        """What is searched."""
        return f"{self.game} {'solved to the end' if self.depth is None else f'to depth {self.depth}'}"

    @property
    def searcher(self) -> str:
        """Who searches it: algorithm and backend, and what sets it apart; simulated figures say so."""
        where = f"simulated, {self.nodes_per_machine} a machine" if self.simulated else f"Ray at {self.address}"
        notes = [where] if self.simulated or self.address else ["Ray"]
        if self.table is not None:
            notes.append(f"table {self.table} MiB")
        return f"{self.algorithm} ({', '.join(notes)})"

    @property
    def simulated(self) -> bool:
        """Whether its seconds are virtual."""
        return self.backend == "simulated"


@dataclass(frozen=True, slots=True)
class Cells:
    """The finished repeats of one position: rows by number of workers, in the order of their repeats, 0 sequential."""

    state: str
    rows: Mapping[int, tuple[Row, ...]]

    def times(self) -> list[Times]:
        """The seconds of each repeat that has all numbers of workers."""
        return [{row.cell.workers: row.seconds for row in repeat} for repeat in zip(*self.rows.values(), strict=False)]

    def middle(self, workers: int, of: Callable[[Row], float | None]) -> float | None:
        """The median over the repeats; None where it was not measured."""
        values = [value for row in self.rows[workers] if (value := of(row)) is not None]
        return median(values) if values else None

    def seconds(self, workers: int) -> float:
        """Time to depth: the median over the repeats."""
        return median(row.seconds for row in self.rows[workers])

    def speedup(self, workers: int) -> float:
        """Of the median times."""
        return metrics.speedup(self.seconds(0), self.seconds(workers))

    def nodes(self, workers: int) -> float:
        """The median over the repeats."""
        return median(row.nodes for row in self.rows[workers])


@dataclass(frozen=True, slots=True)
class Point:
    """One number of workers in a series.

    seconds: time to depth, the mean over positions of the medians over repeats. speedup: geometric mean over positions
    of the median times' ratio. Overhead, scaling, rate and path bound: geometric means too; idle and communication:
    means. rate: nodes a second of all workers; scaling: against the sequential one. graham: the interval of speedups
    with the root moves as tasks; None where pruning ties them to each other. None: not measured.
    """

    workers: int
    seconds: float
    speedup: Estimate
    efficiency: Estimate
    rate: float
    scaling: float
    overhead: float
    idle: float | None
    communication: float | None
    worker_rate: float | None
    path_bound: float | None
    karp_flatt: float | None
    graham: tuple[float, float] | None


@dataclass(frozen=True, slots=True)
class Weak:
    """Weak scaling: P workers at the depth whose sequential time is nearest to P times that of the least depth."""

    workers: int
    depth: int
    work: float
    seconds: float
    scaled_speedup: float


@dataclass(frozen=True)
class Series:
    """The rows of one subject. amdahl: the serial fraction of the fit; None below two workers."""

    subject: Subject
    baseline: str
    positions: tuple[Cells, ...]
    sequential_seconds: float
    points: tuple[Point, ...]
    amdahl: Estimate | None


def make_series(rows: Sequence[Row], seed: int) -> tuple[Series, ...]:
    """The series of finished repeats, in the order of the rows; positions without one are left out."""
    subjects = dict.fromkeys(_subject(row.cell) for row in rows if row.cell.workers and row.cell.repeat)
    found = (_one_series(subject, rows, seed) for subject in subjects)
    return tuple(series for series in found if series is not None)


def weak_scaling(series: Sequence[Series]) -> dict[str, tuple[list[Weak], Estimate | None]]:
    """By searcher, where several depths of a game were measured: scaled speedups, and Gustafson's serial fraction."""
    depths: dict[str, dict[int, Series]] = {}
    for one in series:
        if one.subject.depth is not None:
            depths.setdefault(f"{one.subject.game}, {one.subject.searcher}", {})[one.subject.depth] = one
    return {name: _weak(by_depth) for name, by_depth in depths.items() if len(by_depth) > 1}


def minimal_ratios(rows: Sequence[Row], one: Series) -> dict[int, float] | None:
    """By number of workers, nodes against those of the minimal tree; None where minimax did not count the full tree."""
    depth = one.subject.depth
    if depth is None or one.subject.algorithm == "minimax":
        return None
    full = {
        row.cell.state: row.nodes
        for row in rows
        if row.cell.algorithm == "minimax" and (row.cell.game, row.cell.depth) == (one.subject.game, depth)
    }
    if any(cells.state not in full for cells in one.positions):
        return None
    return {
        workers: geometric_mean(
            [metrics.minimal_tree_ratio(cells.nodes(workers), full[cells.state], depth) for cells in one.positions]
        )
        for workers in [0, *(point.workers for point in one.points)]
    }


def _subject(cell: Cell) -> Subject:
    return Subject(
        cell.backend, cell.address, cell.nodes_per_machine, cell.game, cell.depth, cell.table, cell.algorithm
    )


def _one_series(subject: Subject, rows: Sequence[Row], seed: int) -> Series | None:
    rivals = rivals_of(ALGORITHMS[subject.algorithm])
    by_state: dict[str, dict[int, list[Row]]] = {}
    for row in sorted(rows, key=lambda row: row.cell.repeat):
        fits = row.cell.algorithm == subject.algorithm if row.cell.workers else row.cell.algorithm in rivals
        if row.cell.repeat and fits and replace(_subject(row.cell), algorithm=subject.algorithm) == subject:
            by_state.setdefault(row.cell.state, {}).setdefault(row.cell.workers, []).append(row)
    counts = sorted({0}.union(*by_state.values()))
    positions = []
    for state, cells in by_state.items():
        finished = min(len(cells.get(count, ())) for count in counts)
        if finished:
            positions.append(Cells(state, {count: tuple(cells[count][:finished]) for count in counts}))
    if not positions:
        return None
    return Series(
        subject=subject,
        baseline=" or ".join(sorted({cells.rows[0][0].cell.algorithm for cells in positions})),
        positions=tuple(positions),
        sequential_seconds=fmean(cells.seconds(0) for cells in positions),
        points=tuple(_point(positions, count, subject, seed) for count in counts if count),
        amdahl=_amdahl(positions, [count for count in counts if count > 1], seed),
    )


def _point(positions: Sequence[Cells], workers: int, subject: Subject, seed: int) -> Point:
    speedup = bootstrap([cells.times() for cells in positions], lambda times: mean_speedup(times, workers), seed)
    rates = [cells.nodes(workers) / cells.seconds(workers) for cells in positions]
    sequential_rates = [cells.nodes(0) / cells.seconds(0) for cells in positions]
    return Point(
        workers=workers,
        seconds=fmean(cells.seconds(workers) for cells in positions),
        speedup=speedup,
        efficiency=Estimate(*(metrics.efficiency(s, workers) for s in (speedup.value, speedup.low, speedup.high))),
        rate=geometric_mean(rates),
        scaling=geometric_mean([metrics.scaling(*pair) for pair in zip(rates, sequential_rates, strict=True)]),
        overhead=geometric_mean([1 + metrics.search_overhead(c.nodes(workers), c.nodes(0)) for c in positions]) - 1,
        idle=_mean(fmean, [cells.middle(workers, lambda row: row.idle) for cells in positions]),
        communication=_mean(fmean, [cells.middle(workers, lambda row: row.communication) for cells in positions]),
        worker_rate=_mean(geometric_mean, [cells.middle(workers, lambda row: row.worker_rate) for cells in positions]),
        path_bound=_mean(geometric_mean, [cells.middle(workers, _path_bound) for cells in positions]),
        karp_flatt=metrics.karp_flatt(speedup.value, workers) if workers > 1 else None,
        graham=None if ALGORITHMS[subject.algorithm].prunes or workers < 2 else _graham(positions, workers),
    )


def mean_speedup(positions: Sequence[Sequence[Times]], workers: int) -> float:
    """The geometric mean over positions of the ratio of the median times: a ratio of ratios stays what it is."""
    return geometric_mean(
        [
            metrics.speedup(median(times[0] for times in repeats), median(times[workers] for times in repeats))
            for repeats in positions
        ]
    )


def _path_bound(row: Row) -> float | None:
    """The speedup that the critical path permits: busy time against the path."""
    if row.critical_path is None or row.idle is None:
        return None
    return (1 - row.idle) * row.cell.workers * row.seconds / row.critical_path


def _mean(mean: Callable[[list[float]], float], values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return mean(known) if known else None


def _graham(positions: Sequence[Cells], workers: int) -> tuple[float, float]:
    """From the sequential search's time for each root move."""
    bounds = []
    for cells in positions:
        moves = zip(*([work.seconds for work in row.root_moves] for row in cells.rows[0]), strict=True)
        seconds = [median(times) for times in moves]
        shortest, longest = metrics.graham_interval(seconds, workers)
        bounds.append((metrics.speedup(sum(seconds), longest), metrics.speedup(sum(seconds), shortest)))
    return geometric_mean([low for low, _ in bounds]), geometric_mean([high for _, high in bounds])


def _amdahl(positions: Sequence[Cells], counts: Sequence[int], seed: int) -> Estimate | None:
    if not counts:
        return None

    def fraction(times: Sequence[Sequence[Times]]) -> float:
        return metrics.amdahl_fraction({count: mean_speedup(times, count) for count in counts})

    return bootstrap([cells.times() for cells in positions], fraction, seed)


def _weak(by_depth: Mapping[int, Series]) -> tuple[list[Weak], Estimate | None]:
    sequential = {depth: one.sequential_seconds for depth, one in by_depth.items()}
    counts = sorted({point.workers for one in by_depth.values() for point in one.points})
    points = {(depth, point.workers): point for depth, one in by_depth.items() for point in one.points}
    chosen = metrics.scaled_depths(sequential, counts)
    least = sequential[min(sequential)]
    measured = {count: (depth, points[depth, count]) for count, depth in chosen.items() if (depth, count) in points}
    weak = [
        Weak(count, depth, sequential[depth] / least, point.seconds, point.speedup.value)
        for count, (depth, point) in measured.items()
    ]
    scaled = {count: point.speedup for count, (_, point) in measured.items() if count > 1}
    if not scaled:
        return weak, None
    # The fraction falls as speedup grows, so the ends of the speedups' intervals give those of the fraction.
    value, high, low = (
        metrics.gustafson_fraction({count: getattr(speedup, end) for count, speedup in scaled.items()})
        for end in ("value", "low", "high")
    )
    return weak, Estimate(value, low, high)
