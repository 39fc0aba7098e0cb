"""Pictures of a speedup run, for readers of paper and screen, with and without colour."""

from __future__ import annotations

from importlib.util import find_spec
from itertools import cycle
from pathlib import Path
from textwrap import fill
from typing import Any

from parsearch.core.errors import InputError
from parsearch.experiments.report import SpeedupReport, curve_name

STYLES = (
    ("#0072B2", "o", "-"),
    ("#D55E00", "s", "--"),
    ("#009E73", "^", "-."),
    ("#CC79A7", "D", ":"),
    ("#E69F00", "v", (0, (5, 1, 1, 1, 1, 1))),
    ("#56B4E9", "P", (0, (8, 2))),
)
"""Colour, marker and line of each curve. Colours: Okabe & Ito 2008, told apart by every kind of colour vision;
markers and lines tell the curves apart where there is no colour."""

DODGE = 0.03
"""Curves are drawn this many workers apart, so that error bars stay readable where the workers are few."""


def require_matplotlib() -> None:
    """Raise InputError, with the remedy, where matplotlib is missing: better before a long run than after it."""
    if find_spec("matplotlib") is None:
        raise InputError("the speedup plot needs matplotlib, which is not installed; pip install 'parsearch[plots]'")


def draw_speedup(report: SpeedupReport, path: Path) -> None:
    """Write a PNG of speedup against workers: medians, the repeats' spread as error bars, and the ideal line."""
    from matplotlib.figure import Figure  # imported here: an extra, and slow to import

    figure = Figure(figsize=(7, 5), dpi=150, layout="constrained")
    axes = figure.subplots()
    counts = sorted({cell.workers for cell in report.summaries if cell.workers})
    axes.plot([0, counts[-1]], [0, counts[-1]], color="0.5", linewidth=1, label="ideal: speedup = workers")
    curves = report.curves
    for index, (curve, style) in enumerate(zip(curves, cycle(STYLES), strict=False)):
        _draw_curve(axes, curve, style, shift=(index - (len(curves) - 1) / 2) * DODGE)
    axes.set_xlabel("workers (processes)")
    axes.set_ylabel("speedup (sequential time / parallel time)")
    axes.set_xticks([0, *counts])
    axes.set_xlim(0, counts[-1] * 1.1)
    axes.set_ylim(0, max(counts[-1], axes.get_ylim()[1]) * (1 + 0.06 * (len(curves) + 1)))  # room for the legend
    axes.grid(color="0.9")
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(loc="upper left", frameon=False)
    baseline, parallel = curves[0][0], curves[0][-1]
    axes.set_title(f"{baseline.game}: time to depth, {parallel.algorithm} on Ray workers", loc="left")
    note = f"Medians of {baseline.repeats} repeats; bars: from the least to the greatest. {report.machine.summary()}"
    figure.supxlabel(fill(note, 105), fontsize="small", color="0.3")
    figure.savefig(path)


def _draw_curve(axes: Any, curve: list[Any], style: tuple[Any, ...], shift: float) -> None:
    colour, marker, line = style
    baseline, parallel = curve[0], curve[1:]
    axes.errorbar(
        [cell.workers + shift for cell in parallel],
        [cell.speedup for cell in parallel],
        yerr=[
            [cell.speedup - cell.speedup_min for cell in parallel],
            [cell.speedup_max - cell.speedup for cell in parallel],
        ],
        color=colour,
        marker=marker,
        linestyle=line,
        capsize=4,
        label=f"position {curve_name(baseline)} (sequential {baseline.algorithm}: {baseline.seconds:.1f} s)",
    )
