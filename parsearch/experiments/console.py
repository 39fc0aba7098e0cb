"""A speedup run as a person watches it in the terminal."""

from __future__ import annotations

from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from parsearch.experiments.speedup import SpeedupProgress, run


def run_on_console(config: Path, out: Path) -> None:
    """Run, with a progress bar on stderr, and print the tables on stdout. Errors as for `run`."""
    stderr = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    # Redrawn once a second: the bar's thread takes its time from the searches that it shows.
    with Progress(
        *columns, console=stderr, transient=True, refresh_per_second=1, disable=not stderr.is_terminal
    ) as bar:
        task = bar.add_task("starting", total=None)

        def show(progress: SpeedupProgress) -> None:
            bar.update(task, completed=progress.done, total=progress.total, description=progress.next)

        report = run(config, out, show)
    console = Console()
    console.print(report.tables())
    console.print(f"written to {out}: rows.csv, summary.csv, speedup.json, speedup.png", style="dim", highlight=False)
