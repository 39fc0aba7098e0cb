"""Every single measurement, on disk the moment it is made: `rows.jsonl`, one JSON object a line."""

from __future__ import annotations

import fcntl
import json
import math
import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from types import TracebackType
from typing import Annotated, Any, Self, get_type_hints

from pydantic import ConfigDict, Field, PlainValidator, ValidationError, create_model

from parsearch.config import Config, ExperimentConfig, first_fault
from parsearch.core.errors import InputError
from parsearch.core.result import TaskRun
from parsearch.experiments.calibration import Calibration
from parsearch.experiments.machine import Machine
from parsearch.experiments.plan import Cell, Plan

ROWS = "rows.jsonl"
EXPERIMENT = "experiment.json"


Positive = Annotated[float, Field(ge=1e-15, le=1e18)]
"""What others are divided by."""


def _number(value: object) -> object:
    if isinstance(value, bool) or not isinstance(value, int | float) or not -math.inf < value < math.inf:
        raise ValueError(f"it must be a finite number, not {value!r}")
    return value


Value = Annotated[float, PlainValidator(_number)]
"""A whole number stays one: a float would round a large one, and answers are compared."""


@dataclass(frozen=True, slots=True)
class RootWork:
    """What one root move took: nodes, and seconds of worker time."""

    move: str
    nodes: Annotated[int, Field(ge=0)]
    seconds: Annotated[float, Field(ge=0)]


@dataclass(frozen=True, slots=True)
class Row:
    """One search that was measured.

    value: for the player to move; move: as text. nodes: over all workers. seconds: wall clock, or virtual where the
    backend is simulated. took: wall clock of the measurement. speedup: against the sequential row of the same repeat;
    None in a trial. idle, communication: shares of the workers' time; critical_path: seconds; worker_rate: nodes a
    second of one busy worker (see `metrics` and `timeline`); None where no worker had a part, or none was watched.
    root_moves: in the game's order. timeline: every task, empty where there are more than a chart can show.
    config_hash: of what was asked. machine: this one; versions: of the software.
    """

    cell: Cell
    value: Value
    move: str
    nodes: Annotated[int, Field(ge=1, le=10**18)]
    seconds: Positive
    took: Annotated[float, Field(ge=0)]
    speedup: Positive | None
    idle: Annotated[float, Field(lt=1)] | None
    communication: float | None
    critical_path: Positive | None
    worker_rate: Positive | None
    root_moves: Annotated[tuple[RootWork, ...], Field(min_length=1)]
    timeline: tuple[TaskRun, ...]
    seed: int
    config_hash: str
    machine: Machine
    versions: dict[str, str]

    def to_json(self) -> str:
        """One line, the cell's fields among the others."""
        data = asdict(self)
        return json.dumps({**data.pop("cell"), **data})

    @classmethod
    def from_json(cls, line: str | bytes) -> Row:
        """What `to_json` wrote. Raises ValidationError for anything else."""
        data = dict(_Line.model_validate_json(line))
        cell = Cell(**{field.name: data.pop(field.name) for field in fields(Cell)})
        return cls(cell, **data)


def _fields(kind: type) -> dict[str, Any]:
    return {name: (hint, ...) for name, hint in get_type_hints(kind, include_extras=True).items() if hint is not Cell}


_Line = create_model(
    "_Line", __config__=ConfigDict(strict=True, extra="forbid", allow_inf_nan=False), **_fields(Cell), **_fields(Row)
)
"""A line of the file: the fields of a cell and of a row side by side."""


class Asked(Config):
    """What was asked of the rows in a folder: `Plan.asked`, and its hash."""

    hash: str
    config: ExperimentConfig
    positions: list[list[str]]
    calibrations: dict[str, Calibration]


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
            require_asked(folder, self.rows, plan.hash)
            _claim(folder, plan)
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
    rows: dict[Cell, Row] = {}
    root_moves: dict[tuple[str, str], list[str]] = {}
    for number, line in enumerate(lines, start=1):
        try:
            row = Row.from_json(line)
        except ValidationError as error:
            fault = first_fault(error).partition("; ")[0]
            raise InputError(_damaged(path, number, f"is no measurement of this version ({fault})")) from error
        if row.cell in rows:
            earlier = list(rows).index(row.cell) + 1
            raise InputError(_damaged(path, number, f"measures what line {earlier} has measured already"))
        moves = [work.move for work in row.root_moves]
        if moves != root_moves.setdefault((row.cell.game, row.cell.state), moves):
            raise InputError(_damaged(path, number, "has other root moves than the lines before"))
        rows[row.cell] = row
    return list(rows.values())


def _damaged(path: Path, number: int, fault: str) -> str:
    remedy = "remove that line, and the same speedup command measures what is missing"
    return f"line {number} of {str(path)!r} {fault}; {remedy}"


def require_asked(folder: Path, rows: Sequence[Row], asked: str) -> None:
    """Raises InputError where one of the rows in a folder answers another experiment than that with this hash."""
    for number, row in enumerate(rows, start=1):
        if row.config_hash != asked:
            raise InputError(
                f"{str(folder)!r} holds the rows of another experiment (line {number} of {ROWS} has config hash "
                f"{row.config_hash}, asked is {asked}); name another --out, undo the change, or remove such rows"
            )


def read_experiment(folder: Path) -> Asked:
    """What was asked of the rows in a folder. Raises InputError."""
    path = folder / EXPERIMENT
    try:
        return Asked.model_validate_json(path.read_bytes())
    except OSError as error:
        raise InputError(f"cannot read {str(path)!r}: {error.strerror}; name the --out of a speedup run") from error
    except ValidationError as error:
        fault = first_fault(error).partition("; ")[0]
        raise InputError(f"{str(path)!r} is damaged ({fault}); the same speedup command writes it again") from error


def _claim(folder: Path, plan: Plan) -> None:
    """Write what is asked beside the rows."""
    temporary = folder / f"{EXPERIMENT}.new"
    temporary.write_text(json.dumps({"hash": plan.hash, **plan.asked}, indent=2) + "\n", encoding="utf-8")
    temporary.replace(folder / EXPERIMENT)
