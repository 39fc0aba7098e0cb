"""Pictures of an experiment, for readers of paper and screen, with and without colour."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from itertools import cycle
from statistics import median
from typing import Any

from parsearch.core.errors import InputError
from parsearch.experiments import metrics
from parsearch.experiments.analysis import Cells, Series
from parsearch.experiments.rows import Row

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
"""Okabe & Ito 2008, told apart by every kind of colour vision; markers do where there is no colour."""

MARKERS = ("o", "s", "^", "D", "v", "P")
GREY = "0.45"

WIDE = 16
"""From more workers than this on the axes are logarithmic: doubling is what people compare."""

LANES = 32
"""Workers that a chart of them shows at most; more would be thinner than a line."""

BARS = 24
"""Root moves that a chart of their work shows at most, the largest ones."""


def require_matplotlib() -> None:
    """Raise InputError, with the remedy, where matplotlib is missing: better before a long run than after it."""
    if find_spec("matplotlib") is None:
        raise InputError(
            "plots need matplotlib, which is not installed; pip install 'parsearch[plots]', or set outputs: [md]"
        )


def draw_all(rows: Sequence[Row], series: Sequence[Series]) -> dict[str, Any]:
    """The figures by the names of their files; those that the rows say nothing about are left out."""
    require_matplotlib()
    figures = {
        "speedup": _by_question(series, _draw_speedup, _finish_speedup),
        "efficiency": _by_question(series, _draw_efficiency, _finish_efficiency),
        "overhead": _by_question(series, _draw_overhead, _finish_overhead),
        "workers": _draw_workers(rows),
        "root_moves": _draw_root_moves(series),
    }
    return {name: figure for name, figure in figures.items() if figure is not None}


def to_svg(figure: Any) -> str:
    """The figure as an SVG element that a page can hold: names inside are the figure's own."""
    text = io.StringIO()
    figure.savefig(text, format="svg")
    svg = text.getvalue()
    return svg[svg.index("<svg") :]


def _by_question(
    series: Sequence[Series],
    draw: Callable[[Any, Series, str, str], None],
    finish: Callable[[Any, Sequence[int]], None],
) -> Any:
    """One panel for each game and depth, one line for each algorithm and backend; then what all are compared with."""
    questions: dict[str, list[Series]] = {}
    for one in series:
        questions.setdefault(one.subject.question, []).append(one)
    across = min(len(questions), 2)
    down = -(-len(questions) // across)
    figure = _figure(6.5 * across if across > 1 else 7.5, 4.6 * down)
    panels = figure.subplots(down, across, squeeze=False).flat
    for axes, (question, lines) in zip(panels, questions.items(), strict=False):
        counts = sorted({1, *(point.workers for one in lines for point in one.points)})
        _scale_workers(axes, counts)
        for one, colour, marker in zip(lines, cycle(COLOURS), cycle(MARKERS), strict=False):
            draw(axes, one, colour, marker)
        axes.set_title(question, loc="left")
        finish(axes, counts)
    for axes in figure.axes[len(questions) :]:
        axes.remove()
    return _without_frame(figure)


def _draw_speedup(axes: Any, one: Series, colour: str, marker: str) -> None:
    _draw_line(axes, one, colour, marker, lambda point: point.speedup)
    bounds = [(point.workers, *point.graham) for point in one.points if point.graham]
    label = f"root moves alone as tasks (Graham's interval), {one.subject.algorithm}"
    if bounds and label not in axes.get_legend_handles_labels()[1]:  # the same on every machine
        workers, low, high = zip(*bounds, strict=True)
        axes.vlines(workers, low, high, color=colour, alpha=0.25, linewidth=8, label=label, zorder=1)
    if one.amdahl is not None and len(one.points) > 2:
        counts = [point.workers for point in one.points]
        fit = [metrics.amdahl_speedup(one.amdahl.value, count) for count in counts]
        source = "simulated" if one.subject.simulated else "measured"
        label = f"Amdahl's law fitted to {source}, serial fraction {one.amdahl.value:.1%}"
        axes.plot(counts, fit, color=colour, linewidth=1, linestyle=":", label=label, zorder=1)


def _finish_speedup(axes: Any, counts: Sequence[int]) -> None:
    axes.plot(counts, counts, color=GREY, linewidth=1, label="ideal: speedup = workers", zorder=1)
    if counts[-1] > WIDE:
        axes.set_yscale("log", base=2)
        axes.yaxis.set_major_formatter(lambda value, _: f"{value:,g}")
    else:
        axes.set_ylim(0)
    axes.set_ylabel("speedup (sequential time / parallel time)")
    entries = zip(*axes.get_legend_handles_labels(), strict=True)
    compared = ("ideal", "Amdahl", "root")  # after what was found
    ordered = sorted(entries, key=lambda entry: entry[1].startswith(compared))
    handles, labels = zip(*ordered, strict=True)
    _legend(axes, handles, labels)


def _draw_efficiency(axes: Any, one: Series, colour: str, marker: str) -> None:
    _draw_line(axes, one, colour, marker, lambda point: point.efficiency)


def _finish_efficiency(axes: Any, _counts: Sequence[int]) -> None:
    axes.axhline(1, color=GREY, linewidth=1, zorder=1)
    axes.set_ylim(0, max(1.1, axes.get_ylim()[1]))
    axes.set_ylabel("efficiency (speedup / workers)")
    _legend(axes, *axes.get_legend_handles_labels())


def _draw_overhead(axes: Any, one: Series, colour: str, marker: str) -> None:
    axes.plot(
        [point.workers for point in one.points],
        [100 * point.overhead for point in one.points],
        label=one.subject.searcher,
        **_style(one, colour, marker),
    )


def _finish_overhead(axes: Any, _counts: Sequence[int]) -> None:
    axes.axhline(0, color=GREY, linewidth=1, zorder=1)
    low, high = axes.get_ylim()
    axes.set_ylim(min(low, -5), max(high, 5))  # what is nothing should look like it
    axes.set_ylabel("search overhead (additional nodes, %)")
    _legend(axes, *axes.get_legend_handles_labels())


def _legend(axes: Any, handles: Sequence[Any], labels: Sequence[str]) -> None:
    """Below the axes, where it hides nothing."""
    axes.legend(handles, labels, frameon=False, fontsize="small", loc="upper left", bbox_to_anchor=(0, -0.14))


def _draw_line(axes: Any, one: Series, colour: str, marker: str, of: Callable[[Any], Any]) -> None:
    """A line with its 95% intervals."""
    estimates = [of(point) for point in one.points]
    axes.errorbar(
        [point.workers for point in one.points],
        [estimate.value for estimate in estimates],
        yerr=[
            [max(0.0, estimate.value - estimate.low) for estimate in estimates],
            [max(0.0, estimate.high - estimate.value) for estimate in estimates],
        ],
        capsize=4,
        label=one.subject.searcher,
        **_style(one, colour, marker),
    )


def _style(one: Series, colour: str, marker: str) -> dict[str, Any]:
    """Measured lines are solid with full markers, simulated ones dashed, with larger hollow markers, and below them."""
    style: dict[str, Any] = {"linestyle": "-", "markersize": 4.5, "zorder": 4}
    if one.subject.simulated:
        style = {"linestyle": "--", "markersize": 6.5, "zorder": 3, "markerfacecolor": "white"}
    return {"color": colour, "marker": marker, **style}


def _scale_workers(axes: Any, counts: Sequence[int]) -> None:
    if counts[-1] > WIDE:
        axes.set_xscale("log", base=2)
    axes.set_xticks(counts, [f"{count:,}" for count in counts])
    axes.minorticks_off()
    axes.set_xlabel("workers")
    axes.grid(color="0.9")
    axes.set_axisbelow(True)


def _draw_workers(rows: Sequence[Row]) -> Any:
    """What each worker did and when, in the run with the most workers that still has its tasks: a Gantt chart."""
    shown = [row for row in rows if row.timeline and row.cell.repeat and row.cell.workers <= LANES]
    if not shown:
        return None
    row = max(shown, key=lambda row: (row.cell.workers, row.seconds))
    workers = sorted({run.worker for run in row.timeline})
    lanes = {worker: lane for lane, worker in enumerate(workers, start=1)}
    count = max(row.cell.workers, len(workers))  # a worker that died has a successor
    figure = _figure(9, 1.8 + 0.2 * max(count, 4))
    axes = figure.subplots()
    axes.set_title(_row_title(row), loc="left")
    for run in row.timeline:
        axes.barh(
            lanes[run.worker],
            run.ended - run.started,
            left=run.started,
            height=0.7,
            color=COLOURS[5],
            edgecolor="black",
            linewidth=0.3,
        )
    axes.set_xlim(0, row.seconds)
    axes.set_ylim(count + 0.6, 0.4)
    axes.set_yticks(range(1, count + 1))
    axes.set_ylabel("worker")
    axes.set_xlabel(
        f"{'virtual seconds' if row.cell.backend == 'simulated' else 'seconds'} since the search began "
        f"(bars: tasks; gaps: idle{'' if row.idle is None else f', {row.idle:.0%} in all'})"
    )
    return _without_frame(figure)


def _draw_root_moves(series: Sequence[Series]) -> Any:
    """The nodes below each root move, sequential and with the most workers, where the search takes longest."""
    with_moves = [one for one in series if one.positions[0].rows[0][0].root_moves]
    if not with_moves:
        return None
    one = max(with_moves, key=lambda one: one.sequential_seconds)
    cells = max(one.positions, key=lambda cells: cells.seconds(0))
    most = max(cells.rows)
    work = {workers: _root_work(cells, workers) for workers in (0, most)}
    moves = sorted(work[0].keys() | work[most].keys(), key=lambda move: -max(w.get(move, 0) for w in work.values()))
    order = [move.move for move in cells.rows[0][0].root_moves]
    shown = [move for move in order if move in moves[:BARS]]
    figure = _figure(max(7, 0.4 * len(shown) + 3), 4.2)
    axes = figure.subplots()
    bars = ((0, "sequential", -0.2, COLOURS[0], ""), (most, _counted(most), 0.2, COLOURS[4], "////"))
    for workers, label, shift, colour, hatch in bars:
        axes.bar(
            [index + shift for index in range(len(shown))],
            [work[workers].get(move, 0) for move in shown],
            width=0.4,
            color=colour,
            edgecolor="black",
            linewidth=0.5,
            hatch=hatch,
            label=label,
        )
    axes.set_xticks(range(len(shown)), shown, rotation=90 if max(map(len, shown)) > 3 else 0)
    axes.set_xlabel("root move" if len(shown) == len(order) else f"root move (the {BARS} largest of {len(order)})")
    axes.set_ylabel("nodes below the move")
    axes.yaxis.set_major_formatter(lambda nodes, _: f"{nodes:,.0f}")
    axes.set_title(f"{one.subject.question}, {cells.state or repr(cells.state)}\n{one.subject.searcher}", loc="left")
    axes.legend(frameon=False, ncols=2, loc="lower right", bbox_to_anchor=(1, 1))  # beside the title, above all bars
    return _without_frame(figure)


def _root_work(cells: Cells, workers: int) -> dict[str, float]:
    rows = cells.rows[workers]
    counts: dict[str, list[int]] = {}
    for row in rows:
        for work in row.root_moves:
            counts.setdefault(work.move, []).append(work.nodes)
    return {move: median(nodes) for move, nodes in counts.items()}


def _row_title(row: Row) -> str:
    cell = row.cell
    depth = "solved to the end" if cell.depth is None else f"to depth {cell.depth}"
    where = "simulated" if cell.backend == "simulated" else "Ray"
    return (
        f"{cell.game} {depth}, {cell.state or repr(cell.state)}\n{cell.algorithm} on {_counted(cell.workers)} ({where})"
    )


def _counted(workers: int) -> str:
    return f"{workers} {'worker' if workers == 1 else 'workers'}"


def _figure(width: float, height: float) -> Any:
    from matplotlib.figure import Figure  # imported here: an extra, and slow to import

    return Figure(figsize=(width, height), dpi=150, layout="constrained")


def _without_frame(figure: Any) -> Any:
    for axes in figure.axes:
        axes.spines[["top", "right"]].set_visible(False)
    return figure
