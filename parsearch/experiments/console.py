"""An experiment as a person watches it in the terminal."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from rich import box
from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Column
from rich.table import Table as RichTable

from parsearch.core.errors import InputError
from parsearch.experiments.calibrate import calibrate
from parsearch.experiments.calibration import write_calibration
from parsearch.experiments.report import Report, write_report
from parsearch.experiments.run import ExperimentProgress, run
from parsearch.experiments.tables import Table, summary_table


def run_on_console(config: Path, out: Path) -> None:
    """Run, with a progress bar on stderr, and print the tables on stdout. Errors as for `run`."""
    stderr = Console(stderr=True)
    columns = (
        BarColumn(20),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("{task.fields[left]}"),
        TextColumn("{task.description}", table_column=Column(ratio=1, no_wrap=True)),  # gives way to the others
    )
    # Redrawn once a second: the bar's thread takes its time from the searches that it shows.
    with Progress(
        *columns, console=stderr, transient=True, refresh_per_second=1, disable=not stderr.is_terminal, expand=True
    ) as bar:
        task = bar.add_task("starting", total=None, left="")

        def show(progress: ExperimentProgress) -> None:
            left = "" if progress.seconds_left is None else f"{_duration(progress.seconds_left)} left"
            bar.update(
                task, completed=progress.done, total=progress.total, description=escape(progress.next), left=left
            )

        report = run(config, out, show)
    print_report(report, out, Console())


def calibrate_on_console(configs: Sequence[Path], address: str | None, out: Path) -> None:
    """Measure, with what is under way on stderr, and write the calibration. Errors as for `calibrate`; before anything
    is measured, InputError where `out` cannot be written."""
    if out.is_dir() or not os.access(out if out.exists() else out.absolute().parent, os.W_OK):
        raise InputError(f"{out} cannot be written; name a file in a folder that can")
    stderr = Console(stderr=True)
    with stderr.status("starting") as status:
        calibration = calibrate(configs, address, lambda what: status.update(escape(what)))
    write_calibration(calibration, out)
    Console().print(f"written to {out}", style="dim", markup=False, highlight=False)


def report_on_console(folder: Path) -> None:
    """Rebuild the report of the rows in a folder, and print the tables on stdout. Errors as for `write_report`."""
    print_report(write_report(folder), folder, Console())


def print_report(report: Report, folder: Path, console: Console) -> None:
    """Print the summaries, and where the rest is."""
    for series in report.series:
        table = summary_table(series)
        console.print(_rich_table(table))
        console.print(table.note, style="dim", markup=False, highlight=False)
    names = {"html": "report.html", "md": "report.md", "svg": "plots as *.svg", "png": "plots as *.png"}
    written = ", ".join([*(name for kind, name in names.items() if kind in report.outputs), "every row in rows.jsonl"])
    console.print(f"written to {folder}: {written}", style="dim", markup=False, highlight=False)


def _rich_table(table: Table) -> RichTable:
    grid = RichTable(title=escape(table.title), title_justify="left", box=box.SIMPLE_HEAD, padding=0, show_edge=False)
    for index, heading in enumerate(table.header):
        grid.add_column(heading, justify="right" if index else "left")
    for row in table.rows:
        grid.add_row(*map(escape, row))
    return grid


def _duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
