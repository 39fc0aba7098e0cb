"""Single measurements, and what the repeats of each come to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from statistics import median

from parsearch.algorithms import ALGORITHMS
from parsearch.experiments import metrics


@dataclass(frozen=True, slots=True)
class Measurement:
    """One search that was timed: one row of the report.

    backend: "serial" for the sequential baseline, else "ray". state, move: as texts.
    workers: 0 for the baseline. repeat: from 1; 0 is a trial that only chose the baseline's algorithm.
    value: for the player to move. nodes: over all workers. seconds: wall clock.
    speedup: against the baseline of the same repeat; None in a trial. idle: share of the workers' time; None
    without workers. root_seconds: worker time spent below each root move, in the game's order.
    """

    backend: str
    game: str
    state: str
    depth: int
    algorithm: str
    workers: int
    repeat: int
    move: str
    value: float
    nodes: int
    seconds: float
    speedup: float | None
    idle: float | None
    root_seconds: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Summary:
    """The repeats of one cell: one position, depth and number of workers (0: the sequential baseline).

    seconds, speedup, idle, nodes: medians, the speedup that of the median times; `_min` and `_max` their spread
    over the repeats, where each repeat is compared with its own baseline. rate: nodes a second and worker.
    karp_flatt: None below two workers. root_split_min, root_split_max: the speedups between which Graham's interval
    puts a search whose root moves are the tasks, from the baseline's time for each; None where that is no bound,
    because pruning ties the moves to each other.
    """

    game: str
    state: str
    depth: int
    algorithm: str
    workers: int
    repeats: int
    seconds: float
    seconds_min: float
    seconds_max: float
    speedup: float
    speedup_min: float
    speedup_max: float
    efficiency: float | None
    search_overhead: float
    idle: float | None
    nodes: float
    rate: float
    karp_flatt: float | None
    root_split_min: float | None
    root_split_max: float | None


def summarise(rows: Sequence[Measurement]) -> tuple[Summary, ...]:
    """One summary a cell, the cells of one position and depth together, its baseline first."""
    timed = [row for row in rows if row.repeat > 0]
    summaries = []
    for _, curve in groupby(timed, key=lambda row: (row.game, row.state, row.depth)):
        by_workers: dict[int, list[Measurement]] = {}
        for row in curve:
            by_workers.setdefault(row.workers, []).append(row)
        summaries += [_summary(by_workers[workers], by_workers[0]) for workers in sorted(by_workers)]
    return tuple(summaries)


def _summary(cell: Sequence[Measurement], baseline: Sequence[Measurement]) -> Summary:
    first = cell[0]
    workers = first.workers
    times = [row.seconds for row in cell]
    speedups = [row.speedup for row in cell if row.speedup is not None]
    idle = [row.idle for row in cell if row.idle is not None]
    nodes, seconds = median(row.nodes for row in cell), median(times)
    sequential = median(row.seconds for row in baseline)
    # Each pair's ratio bounds the ratio of the medians, so the spread always encloses it.
    speedup = metrics.speedup(sequential, seconds)
    root_split_min, root_split_max = _root_split(baseline, workers)
    return Summary(
        game=first.game,
        state=first.state,
        depth=first.depth,
        algorithm=first.algorithm,
        workers=workers,
        repeats=len(cell),
        seconds=seconds,
        seconds_min=min(times),
        seconds_max=max(times),
        speedup=speedup,
        speedup_min=min(speedups),
        speedup_max=max(speedups),
        efficiency=metrics.efficiency(speedup, workers) if workers else None,
        search_overhead=metrics.search_overhead(nodes, median(row.nodes for row in baseline)),
        idle=median(idle) if idle else None,
        nodes=nodes,
        rate=nodes / (seconds * max(workers, 1)),
        karp_flatt=metrics.karp_flatt(speedup, workers) if workers > 1 else None,
        root_split_min=root_split_min,
        root_split_max=root_split_max,
    )


def _root_split(baseline: Sequence[Measurement], workers: int) -> tuple[float, float] | tuple[None, None]:
    if workers < 2 or ALGORITHMS[baseline[0].algorithm].prunes:
        return None, None
    root_seconds = [median(times) for times in zip(*(row.root_seconds for row in baseline), strict=True)]
    shortest, longest = metrics.graham_interval(root_seconds, workers)
    return metrics.speedup(sum(root_seconds), longest), metrics.speedup(sum(root_seconds), shortest)
