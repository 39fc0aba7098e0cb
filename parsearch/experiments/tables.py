"""The tables of a report, as plain text cells; terminal, Markdown and HTML print the same ones."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from parsearch.experiments.analysis import Cells, Point, Series, minimal_ratios, weak_scaling
from parsearch.experiments.bootstrap import Estimate
from parsearch.experiments.rows import Row


@dataclass(frozen=True, slots=True)
class Table:
    """A title, a header, and rows as wide as the header; note: what a reader must know to read it."""

    title: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    note: str = ""


def summary_table(series: Series) -> Table:
    """One row for the sequential search and one a number of workers."""
    first = ("seq.", seconds_text(series.sequential_seconds), *[""] * 7)
    count, repeats = len(series.positions), len(series.positions[0].rows[0])
    note = (
        f"Against sequential {series.baseline}; {_counted(count, 'position')}, {_counted(repeats, 'repeat')} each. "
        "In brackets: 95% interval."
    )
    grahams = [
        f"{point.graham[0]:.2f}-{point.graham[1]:.2f} on {point.workers}" for point in series.points if point.graham
    ]
    if grahams:
        note += f" With the root moves as tasks, Graham's interval of the speedup is {', '.join(grahams)}."
    return Table(
        f"{series.subject.question}: {series.subject.searcher}",
        ("workers", "seconds", "speedup", "effic.", "overhead", "idle", "commun.", "Mnodes/s", "serial"),
        (first, *(_point_cells(point) for point in series.points)),
        note,
    )


def worker_table(series: Sequence[Series]) -> Table:
    """What limits: nodes a second together and of a busy worker, and the speedup that the critical path permits."""
    rows = [
        (
            f"{one.subject.question}, {one.subject.searcher}",
            str(point.workers),
            _ratio(point.scaling),
            "" if point.worker_rate is None else f"{point.worker_rate / 1e6:.3g}",
            "" if point.path_bound is None else _ratio(point.path_bound),
        )
        for one in series
        for point in one.points
    ]
    note = (
        "Scaling: nodes a second of all workers against the sequential search. Path bound: busy time against the "
        "longest chain of tasks that waited for each other."
    )
    header = ("series", "workers", "scaling", "Mnodes/s of a busy worker", "path bound")
    return Table("Workers and critical path", header, tuple(rows), note)


def fit_table(series: Sequence[Series]) -> Table | None:
    """Amdahl's law fitted to each series, and Gustafson's to those of several depths."""
    rows = [
        (
            f"{one.subject.question}, {one.subject.searcher}",
            "Amdahl",
            _interval(one.amdahl, _percent),
            f"{1 / one.amdahl.value:.1f}" if 0 < one.amdahl.value < 1 else "none",
        )
        for one in series
        if one.amdahl is not None
    ]
    rows += [
        (name, "Gustafson", _interval(fraction, _percent), "none")
        for name, (_, fraction) in weak_scaling(series).items()
        if fraction is not None
    ]
    if not rows:
        return None
    note = "Serial fraction of the least-squares fit with its 95% interval; negative where speedup exceeds the workers."
    return Table("Fits", ("series", "law", "serial fraction", "greatest speedup"), tuple(rows), note)


def weak_table(series: Sequence[Series]) -> Table | None:
    """Deeper search with more workers."""
    rows = [
        (
            name,
            str(weak.workers),
            str(weak.depth),
            f"{weak.work:.2f}",
            seconds_text(weak.seconds),
            _ratio(weak.scaled_speedup),
            f"{weak.scaled_speedup / weak.workers:.0%}",
        )
        for name, (weaks, _) in weak_scaling(series).items()
        for weak in weaks
    ]
    if not rows:
        return None
    note = "For each number of workers the depth whose sequential time is nearest to as many times that of the least."
    header = ("series", "workers", "depth", "work", "seconds", "scaled speedup", "efficiency")
    return Table("Weak scaling: deeper with more workers", header, tuple(rows), note)


def prediction_table(series: Sequence[Series]) -> Table | None:
    """Simulated speedup against measured, where both are known."""
    measured = {
        (one.subject.question, one.subject.algorithm, point.workers): point.speedup.value
        for one in series
        if not one.subject.simulated
        for point in one.points
    }
    rows = []
    for one in series:
        for point in one.points if one.subject.simulated else ():
            found = measured.get((one.subject.question, one.subject.algorithm, point.workers))
            if found is not None:
                simulated = point.speedup.value
                name = f"{one.subject.question}, {one.subject.searcher}"
                figures = (_ratio(found), _ratio(simulated), f"{simulated / found - 1:+.1%}")
                rows.append((name, str(point.workers), *figures))
    if not rows:
        return None
    header = ("series", "workers", "measured speedup", "simulated speedup", "difference")
    return Table("Simulated against measured", header, tuple(rows))


def minimal_table(rows: Sequence[Row], series: Sequence[Series]) -> Table | None:
    """Nodes against the minimal tree, where minimax was measured too."""
    cells = []
    for one in series:
        for workers, ratio in (minimal_ratios(rows, one) or {}).items():
            name = (one.subject.question, one.subject.searcher)
            cells.append((*name, str(workers) if workers else "sequential", f"{ratio:.2f}"))
    if not cells:
        return None
    note = (
        "Nodes against the minimal tree of Knuth and Moore, of the uniform tree that has as many nodes as minimax "
        "visited; below 1 where a table or the game's own shape saves more."
    )
    header = ("search", "searcher", "workers", "nodes / minimal tree")
    return Table("Minimal tree", header, tuple(cells), note)


def position_table(series: Series) -> Table:
    """Every position of a series."""
    rows = [
        _position_cells(cells, workers)
        for cells in series.positions
        for workers in [0, *(point.workers for point in series.points)]
    ]
    header = ("position", "workers", "seconds", "spread", "speedup", "nodes", "overhead", "idle", "move", "value")
    note = "Seconds and nodes are medians of the repeats; spread is from the least to the greatest."
    return Table(f"Positions, {series.subject.question}: {series.subject.searcher}", header, tuple(rows), note)


def tables(rows: Sequence[Row], series: Sequence[Series]) -> list[Table]:
    """All that have something to say, but for the positions."""
    more = (
        prediction_table(series),
        worker_table(series),
        fit_table(series),
        weak_table(series),
        minimal_table(rows, series),
    )
    return [*map(summary_table, series), *(table for table in more if table is not None)]


def seconds_text(seconds: float) -> str:
    """Seconds with three digits."""
    return f"{seconds:.3g}" if seconds < 100 else f"{seconds:,.0f}"


def _ratio(ratio: float) -> str:
    """A speedup with three digits, two of which may stand behind the point."""
    return f"{ratio:.{2 if ratio < 10 else 1 if ratio < 100 else 0}f}"


def _point_cells(point: Point) -> tuple[str, ...]:
    return (
        str(point.workers),
        seconds_text(point.seconds),
        _interval(point.speedup, _ratio),
        f"{point.efficiency.value:.0%}",
        f"{point.overhead:.1%}",
        _percent(point.idle),
        _percent(point.communication),
        f"{point.rate / 1e6:.3g}",
        _percent(point.karp_flatt),
    )


def _position_cells(cells: Cells, workers: int) -> tuple[str, ...]:
    rows = cells.rows[workers]
    times = [row.seconds for row in rows]
    versus = ["", "", ""]
    if workers:
        overhead = cells.nodes(workers) / cells.nodes(0) - 1
        idle = _percent(cells.middle(workers, lambda row: row.idle))
        versus = [_ratio(cells.speedup(workers)), f"{overhead:.1%}", idle]
    return (
        cells.state or repr(cells.state),
        str(workers) if workers else f"sequential {rows[0].cell.algorithm}",
        seconds_text(cells.seconds(workers)),
        f"{seconds_text(min(times))}-{seconds_text(max(times))}",
        versus[0],
        f"{cells.nodes(workers):,.0f}",
        *versus[1:],
        rows[0].move,
        f"{rows[0].value:g}",
    )


def _percent(share: float | None) -> str:
    return "" if share is None else f"{share:.1%}"


def _interval(estimate: Estimate, text: Callable[[float], str]) -> str:
    """A figure with its interval; alone where a single sample has none."""
    if estimate.low == estimate.high:
        return text(estimate.value)
    return f"{text(estimate.value)} [{text(estimate.low)}, {text(estimate.high)}]"


def _counted(count: int, what: str) -> str:
    return f"{count} {what}{'' if count == 1 else 's'}"
