"""Speed is worth reporting only among searches that give the same answer."""

from __future__ import annotations

from collections.abc import Sequence

from parsearch.algorithms import ALGORITHMS
from parsearch.core.errors import AnswersDifferError
from parsearch.experiments.plan import Cell
from parsearch.experiments.rows import Row


def same_question(one: Cell, other: Cell) -> bool:
    """Whether two cells must have the same value and move, whoever searches: max^n and paranoid need not agree."""
    return _question(one) == _question(other)


def require_agreement(rows: Sequence[Row]) -> None:
    """Raises AnswersDifferError where two rows answer the same question differently."""
    answers: dict[tuple[str, str, int | None, str], Row] = {}
    for row in rows:
        first = answers.setdefault(_question(row.cell), row)
        if (row.move, row.value) != (first.move, first.value):
            raise AnswersDifferError(
                f"{cell_name(first.cell)} answers {first.move} ({first.value:g}), but {cell_name(row.cell)} answers "
                f"{row.move} ({row.value:g}); no speedup is reported until they agree (parsearch check GAME tests the "
                "game), and then in a new --out"
            )


def cell_name(cell: Cell) -> str:
    """A cell in a few words."""
    depth = "to the end" if cell.depth is None else f"depth {cell.depth}"
    workers = f"{cell.workers} {'worker' if cell.workers == 1 else 'workers'}"
    who = f"{cell.algorithm} on {workers} ({cell.backend})" if cell.workers else f"sequential {cell.algorithm}"
    turn = f"repeat {cell.repeat}" if cell.repeat else "trial"
    return f"{who}, {turn}, of {cell.game} at {cell.state!r} {depth}"


def _question(cell: Cell) -> tuple[str, str, int | None, str]:
    algorithm = ALGORITHMS[cell.algorithm]
    return cell.game, cell.state, cell.depth, "" if algorithm.zero_sum else algorithm.name
