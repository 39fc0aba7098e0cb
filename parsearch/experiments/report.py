"""What a speedup run reports: tables for the terminal, CSV and JSON for everything else."""

from __future__ import annotations

import csv
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from itertools import groupby
from pathlib import Path
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.console import Group
from rich.table import Table
from rich.text import Text

from parsearch.experiments.machine import Machine
from parsearch.experiments.measurements import Measurement, Summary, summarise

COLUMNS = ("workers", "seconds", "spread", "speedup", "spread", "effic.", "overhead", "idle", "rate", "serial")
"""Of the tables on the terminal, which fit into 80 characters."""


@dataclass(frozen=True)
class SpeedupReport:
    """A finished run: what was asked (the config as plain data), on what, and every measurement."""

    config: dict[str, Any]
    machine: Machine
    rows: tuple[Measurement, ...]

    @property
    def summaries(self) -> tuple[Summary, ...]:
        """One summary a cell."""
        return summarise(self.rows)

    @property
    def curves(self) -> list[list[Summary]]:
        """The summaries of each position and depth, the sequential baseline first."""
        cells = groupby(self.summaries, key=lambda cell: (cell.game, cell.state, cell.depth))
        return [list(curve) for _, curve in cells]

    def tables(self) -> Group:
        """The report as `rich` prints it: one table for each position and depth."""
        return Group(*(_table(curve) for curve in self.curves), Text(self.machine.summary(), style="dim"))

    def write(self, folder: Path) -> None:
        """Write `rows.csv` (every measurement), `summary.csv` (every cell) and `speedup.json` (all of it)."""
        _write_csv(folder / "rows.csv", Measurement, self.rows)
        _write_csv(folder / "summary.csv", Summary, self.summaries)
        everything = {
            "config": self.config,
            "machine": asdict(self.machine),
            "rows": [asdict(row) for row in self.rows],
            "summaries": [asdict(cell) for cell in self.summaries],
        }
        (folder / "speedup.json").write_text(json.dumps(everything, indent=2) + "\n", encoding="utf-8")


def curve_name(cell: Summary) -> str:
    """What is searched: position and depth. The empty text, connect4's initial state, shows as quotes."""
    return f"{cell.state or repr(cell.state)}, depth {cell.depth}"


def _table(curve: Sequence[Summary]) -> Table:
    baseline, parallel = curve[0], curve[-1]
    table = Table(
        title=f"{baseline.game}, {curve_name(baseline)}: {parallel.algorithm} on workers\n"
        f"against sequential {baseline.algorithm} (workers 0), {baseline.repeats} repeats",
        title_justify="left",
        caption=_caption(curve),
        caption_justify="left",
        box=SIMPLE_HEAD,
        padding=0,  # the box keeps columns one space apart
        show_edge=False,
    )
    for heading in COLUMNS:
        table.add_column(heading, justify="right", no_wrap=True)
    for cell in curve:
        table.add_row(*_cells(cell))
    return table


def _cells(cell: Summary) -> tuple[str, ...]:
    versus = (
        f"{cell.speedup:.2f}",
        f"{cell.speedup_min:.2f}-{cell.speedup_max:.2f}",
        _percent(cell.efficiency),
        _percent(cell.search_overhead),
        _percent(cell.idle),
    )
    return (
        str(cell.workers),
        _seconds(cell.seconds),
        f"{_seconds(cell.seconds_min)}-{_seconds(cell.seconds_max)}",
        *(versus if cell.workers else [""] * len(versus)),
        f"{cell.rate / 1000:,.0f}",
        _percent(cell.karp_flatt),
    )


def _caption(curve: Sequence[Summary]) -> str:
    lines = [
        "Medians and spread of the repeats. effic.: efficiency; overhead: additional",
        "nodes; idle: share of the workers' time; rate: thousand nodes a second and",
        "worker; serial: serial fraction by Karp and Flatt.",
    ]
    lines += [
        f"With the root moves as tasks: {cell.root_split_min:.2f}-{cell.root_split_max:.2f} "
        f"times as fast on {cell.workers} workers (Graham)."
        for cell in curve
        if cell.root_split_min is not None
    ]
    return "\n".join(lines)


def _seconds(seconds: float) -> str:
    return f"{seconds:.2f}" if seconds < 10 else f"{seconds:.1f}"


def _percent(share: float | None) -> str:
    return "" if share is None else f"{share:.1%}"


def _write_csv(path: Path, kind: type[Measurement] | type[Summary], records: Sequence[Measurement | Summary]) -> None:
    names = [field.name for field in fields(kind)]
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(names)
        for record in records:
            writer.writerow([_csv_value(getattr(record, name)) for name in names])


def _csv_value(value: Any) -> Any:
    return " ".join(map(str, value)) if isinstance(value, tuple) else value
