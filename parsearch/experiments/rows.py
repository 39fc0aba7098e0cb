"""Every single measurement, on disk the moment it is made: `rows.jsonl`, one JSON object a line."""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from parsearch.core.errors import InputError
from parsearch.core.result import TaskRun
from parsearch.experiments.plan import Cell, Plan

ROWS = "rows.jsonl"
EXPERIMENT = "experiment.json"


@dataclass(frozen=True, slots=True)
class RootWork:
    """What one root move took: nodes, and seconds of worker time."""

    move: str
    nodes: int
    seconds: float


@dataclass(frozen=True, slots=True)
class Row:
    """One search that was measured.

    value: for the player to move; move: as text. nodes: over all workers. seconds: wall clock, or virtual where the
    backend is simulated. took: wall clock of the measurement. speedup: against the sequential row of the same repeat;
    None in a trial. idle, communication: shares of the workers' time; critical_path: seconds; worker_rate: nodes a
    second of one busy worker (see `metrics` and `timeline`); None where no worker had a part, or none was watched.
    root_moves: in the game's order. timeline: every task, empty where there are more than a chart can show.
    config_hash: of what was asked. machine: the facts about this one; versions: of the software.
    """

    cell: Cell
    value: float
    move: str
    nodes: int
    seconds: float
    took: float
    speedup: float | None
    idle: float | None
    communication: float | None
    critical_path: float | None
    worker_rate: float | None
    root_moves: tuple[RootWork, ...]
    timeline: tuple[TaskRun, ...]
    seed: int
    config_hash: str
    machine: dict[str, Any]
    versions: dict[str, str]

    def to_json(self) -> str:
        """One line, the cell's fields among the others."""
        data = asdict(self)
        return json.dumps({**data.pop("cell"), **data})

    @classmethod
    def from_json(cls, line: str) -> Row:
        """What `to_json` wrote. Raises ValueError, KeyError or TypeError for anything else."""
        data = json.loads(line)
        cell = Cell(**{field.name: data.pop(field.name) for field in fields(Cell)})
        data["root_moves"] = tuple(RootWork(**entry) for entry in data["root_moves"])
        data["timeline"] = tuple(TaskRun(**entry) for entry in data["timeline"])
        return cls(cell, **data)


class RowStore:
    """The rows in a folder: those that are there already, and those that are added.

    Opening it drops a last line that a crash has torn. Raises InputError where the folder cannot be used, holds the
    rows of another experiment, or another run is writing to it.
    """

    def __init__(self, folder: Path, plan: Plan) -> None:
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._file = (folder / ROWS).open("a+b")
        except OSError as error:
            raise InputError(
                f"cannot write to {str(folder)!r}: {error.strerror}; name a folder that can be made"
            ) from error
        try:
            self._lock(folder)
            self._drop_torn_line()
            self.rows = list(read_rows(folder)) if self._size() else []
            _claim(folder, plan, self.rows)
        except BaseException:
            self._file.close()
            raise
        self._known = {row.cell: row for row in self.rows}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()

    def find(self, cell: Cell) -> Row | None:
        """The row of a cell; None where it is still to be measured."""
        return self._known.get(cell)

    def append(self, row: Row) -> None:
        """Add a row; it is on disk when this returns."""
        self._file.write(row.to_json().encode() + b"\n")
        self._file.flush()
        os.fsync(self._file.fileno())
        self.rows.append(row)
        self._known[row.cell] = row

    def _lock(self, folder: Path) -> None:
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise InputError(f"another run is writing to {str(folder)!r}; wait for it or name another --out") from error

    def _size(self) -> int:
        return self._file.seek(0, os.SEEK_END)

    def _drop_torn_line(self) -> None:
        self._file.seek(0)
        content = self._file.read()
        self._file.truncate(content.rfind(b"\n") + 1)


def read_rows(folder: Path) -> Sequence[Row]:
    """The rows in a folder, without a torn last line. Raises InputError where there are none or one is damaged."""
    path = folder / ROWS
    try:
        lines = path.read_bytes().split(b"\n")[:-1]
    except OSError as error:
        raise InputError(f"cannot read {str(path)!r}: {error.strerror}; name the --out of a speedup run") from error
    rows = []
    for number, line in enumerate(lines, start=1):
        try:
            rows.append(Row.from_json(line.decode()))
        except (ValueError, KeyError, TypeError) as error:
            raise InputError(
                f"line {number} of {str(path)!r} is no measurement of this version; remove that line, and the same "
                "speedup command measures it again"
            ) from error
    return rows


def read_experiment(folder: Path) -> dict[str, Any]:
    """What was asked of the rows in a folder: `Plan.asked`, and its hash. Raises InputError."""
    path = folder / EXPERIMENT
    try:
        asked: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise InputError(f"cannot read {str(path)!r}: {error}; name the --out of a speedup run") from error
    return asked


def _claim(folder: Path, plan: Plan, rows: Sequence[Row]) -> None:
    """Write what is asked beside the rows, unless they answer something else."""
    if any(row.config_hash != plan.hash for row in rows):
        raise InputError(
            f"{str(folder)!r} holds the rows of another experiment (config hash {rows[0].config_hash}, now "
            f"{plan.hash}); name another --out, undo the change, or remove {ROWS} there"
        )
    temporary = folder / f"{EXPERIMENT}.new"
    temporary.write_text(json.dumps({"hash": plan.hash, **plan.asked}, indent=2) + "\n", encoding="utf-8")
    temporary.replace(folder / EXPERIMENT)
