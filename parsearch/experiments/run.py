"""Measures what an experiment asks for, one cell after the other, and goes on where it was interrupted."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from parsearch.core.result import SearchResult
from parsearch.experiments import metrics, timeline
from parsearch.experiments.agreement import cell_name, require_agreement, same_question
from parsearch.experiments.machine import machine_facts, versions
from parsearch.experiments.plan import Cell, Plan, Question, read_plan
from parsearch.experiments.plots import require_matplotlib
from parsearch.experiments.report import Report, write_report
from parsearch.experiments.rows import RootWork, Row, RowStore
from parsearch.experiments.runners import Runner, make_runner

LONGEST_TIMELINE = 5_000
"""Tasks; a chart of more is a grey square, and the row takes half a megabyte."""


@dataclass(frozen=True, slots=True)
class ExperimentProgress:
    """How far a run is: measurements done and to be done, seconds left (None before the first), what comes next."""

    done: int
    total: int
    seconds_left: float | None
    next: str


Show = Callable[[ExperimentProgress], None]


def run(config: Path, out: Path, show: Show | None = None) -> Report:
    """Measure what a config file asks for and the folder `out` does not have yet, then write the report there.

    Each measurement is on disk before the next begins, so a run that was interrupted, however, goes on there.
    Raises ConfigError and other InputErrors for what cannot be used, before anything is measured, and
    AnswersDifferError, with no report written, where two searches disagree.
    """
    plan = read_plan(config)
    if set(plan.config.outputs) & {"html", "svg", "png"}:
        require_matplotlib()
    with RowStore(out, plan) as store:
        _Experiment(plan, store, show).measure()
    return write_report(out)


class _Experiment:
    """The measuring of one plan into one store."""

    def __init__(self, plan: Plan, store: RowStore, show: Show | None) -> None:
        self._plan = plan
        self._store = store
        self._show = show
        self._machine, self._versions = machine_facts(), versions()

    def measure(self) -> None:
        """Measure every cell that has no row. Raises AnswersDifferError."""
        require_agreement(self._store.rows)
        for backend in self._plan.config.backends:
            questions = [question for question in self._plan.questions if question.backend is backend]
            waiting = [question for question in questions if self._missing(question)]
            if not waiting:
                continue
            self._report("starting")
            with make_runner(backend, self._plan) as runner:
                for question in waiting:
                    self._answer(question, runner)
        self._report("")

    def _answer(self, question: Question, runner: Runner) -> None:
        """Every cell of a question. Sequential and parallel searches take turns: a disturbance hits both."""
        for cell in question.trials():
            self._row(question, cell, runner, None)
        best = self._best(question)
        assert best is not None
        for number in range(1, question.repeats + 1):
            sequential, *parallel = question.repeat(number, best)
            baseline = self._row(question, sequential, runner, None)
            for cell in parallel:
                self._row(question, cell, runner, baseline)

    def _best(self, question: Question) -> str | None:
        """The quickest sequential algorithm, None while a trial is missing."""
        rows = [self._store.find(cell) for cell in question.trials()]
        known = [row for row in rows if row is not None]
        if len(known) < len(rows):
            return None
        return min(known, key=lambda row: row.seconds).cell.algorithm if known else question.rivals[0]

    def _missing(self, question: Question) -> int:
        """How many of its measurements are still to be made."""
        best = self._best(question)
        cells = question.trials()
        if best is not None:
            for number in range(1, question.repeats + 1):
                cells += question.repeat(number, best)
        return question.size - sum(self._store.find(cell) is not None for cell in cells)

    def _row(self, question: Question, cell: Cell, runner: Runner, baseline: Row | None) -> Row:
        """The row of a cell, measured where there is none yet."""
        row = self._store.find(cell)
        if row is None:
            self._report(cell_name(cell))
            started = time.monotonic()
            result = runner.search(question, cell.algorithm, cell.workers)
            row = self._make_row(cell, result, time.monotonic() - started, baseline)
            self._store.append(row)
            require_agreement([found for found in self._store.rows if same_question(found.cell, cell)])
        return row

    def _make_row(self, cell: Cell, result: SearchResult, took: float, baseline: Row | None) -> Row:
        data = result.to_dict()
        tasks, workers, seconds = result.timeline, cell.workers, result.seconds
        watched = workers > 0 and sum(timeline.busy_seconds(tasks).values()) > 0
        sequential = seconds if baseline is None else baseline.seconds
        return Row(
            cell=cell,
            value=data["value"],
            move=data["move"],
            nodes=result.nodes,
            seconds=seconds,
            took=took,
            speedup=metrics.speedup(sequential, seconds) if cell.repeat else None,
            idle=timeline.idle_share(tasks, workers, seconds) if watched else None,
            communication=timeline.communication_share(tasks, workers, seconds) if watched else None,
            critical_path=timeline.critical_path(tasks) if watched else None,
            worker_rate=timeline.worker_rate(tasks) if watched else None,
            root_moves=tuple(RootWork(entry["move"], entry["nodes"], entry["seconds"]) for entry in data["root_moves"]),
            timeline=tasks if len(tasks) <= LONGEST_TIMELINE else (),
            seed=self._plan.config.seed,
            config_hash=self._plan.hash,
            machine=self._machine,
            versions=self._versions,
        )

    def _report(self, what: str) -> None:
        if self._show is not None:
            missing = sum(self._missing(question) for question in self._plan.questions)
            total = self._plan.size
            self._show(ExperimentProgress(total - missing, total, self._seconds_left(), what))

    def _seconds_left(self) -> float | None:
        """As long as the other measurements of the same question took, else those of all."""
        rows = self._store.rows
        if not rows:
            return None
        overall = statistics.fmean(row.took for row in rows)
        left = 0.0
        for question in self._plan.questions:
            missing = self._missing(question)
            if missing:
                example = question.cell(question.rivals[0], 0, 1)
                own = [row.took for row in rows if same_question(row.cell, example)]
                left += missing * (statistics.fmean(own) if own else overall)
        return left
