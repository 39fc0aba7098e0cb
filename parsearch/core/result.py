"""What a search answers, as frozen dataclasses."""

from __future__ import annotations

import html
from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Integral
from typing import Any

from parsearch.core.game import Game
from parsearch.core.window import Bound


@dataclass(frozen=True, slots=True)
class RootMove:
    """One move of the root and what the search found out about it.

    value: for the player to move at the root; read it with `bound` ("upper": worth at most this).
    nodes: positions visited below the move, 0 where moves were searched together; seconds: worker time spent on them,
        summed.
    worker: who searched it, as `host:pid`, joined by `, ` where several did.
    """

    move: Any
    value: float
    bound: Bound
    nodes: int
    seconds: float
    worker: str


@dataclass(frozen=True, slots=True)
class Progress:
    """What a running search reports to its callback.

    depth: the iteration under way. move, value: the best so far in this iteration, None before the first.
    root_moves: what is known of each root move in this iteration, in the game's order; None while unknown.
    nodes, seconds: since the search began. pending: tasks not yet finished in this iteration.
    """

    depth: int
    move: Any
    value: float | None
    moves: tuple[Any, ...]
    root_moves: tuple[RootMove | None, ...]
    nodes: int
    seconds: float
    pending: int


@dataclass(frozen=True, slots=True)
class TaskRun:
    """One task on one worker, as the coordinator saw it; several runs of a task are workers that joined it.

    line: the moves from the root to the task's state, as text. worker: who searched it, as `host:pid`.
    sent, started, ended, received: seconds since the search began; sent and received by the coordinator's clock,
    started and ended by the worker's. nodes: positions visited.
    """

    line: str
    worker: str
    sent: float
    started: float
    ended: float
    received: float
    nodes: int


@dataclass(frozen=True)
class SearchResult:
    """The answer of a search.

    game, state, algorithm: what was searched, and how.
    depth: the deepest completed depth in plies, never more than the game has left.
    move: the first of the best moves in the game's order; None at a terminal root or at depth 0.
    value: for the player to move at the root; None when not even depth 1 was completed.
    scores: one entry a player, player 0 first; None where unknown (paranoid knows only the root player's).
    pv: principal variation, a legal line that starts with the move.
    nodes: positions visited, the root and every worker's included. seconds: wall clock.
    workers: processes that the search could use; 0 is the calling process alone.
    complete: the requested depth or the end of the game was reached.
    best_moves: every best move for minimax, maxn, and where all moves were asked for; else just the move.
    root_moves: one entry a root move, in the game's order.
    timeline: every task that workers ran, in the order of its end; empty where the calling process did it all.
    """

    game: Game[Any, Any]
    state: Any
    algorithm: str
    depth: int
    move: Any
    value: float | None
    scores: tuple[float, ...] | None
    pv: tuple[Any, ...]
    nodes: int
    seconds: float
    workers: int
    complete: bool
    best_moves: tuple[Any, ...]
    root_moves: tuple[RootMove, ...]
    timeline: tuple[TaskRun, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON: states and moves as text, everything else as above."""
        text = self._move_text
        return {
            "game": self.game.name,
            "state": self.game.format_state(self.state),
            "algorithm": self.algorithm,
            "depth": self.depth,
            "move": None if self.move is None else text(self.move),
            "value": _plain(self.value),
            "scores": None if self.scores is None else [_plain(score) for score in self.scores],
            "pv": self.pv_text(),
            "nodes": self.nodes,
            "seconds": self.seconds,
            "workers": self.workers,
            "complete": self.complete,
            "best_moves": [text(move) for move in self.best_moves],
            "root_moves": [
                {
                    "move": text(entry.move),
                    "value": _plain(entry.value),
                    "bound": str(entry.bound),
                    "nodes": entry.nodes,
                    "seconds": entry.seconds,
                    "worker": entry.worker,
                }
                for entry in self.root_moves
            ],
        }

    def pv_text(self) -> list[str]:
        """The principal variation as move texts."""
        return format_line(self.game, self.state, self.pv)

    def summary(self) -> list[tuple[str, str]]:
        """The answer in a few (name, text) pairs, as tables and the command line show it."""
        value = (
            "unknown" if self.value is None else f"{number_text(self.value)} for player {self.game.to_move(self.state)}"
        )
        pairs = [
            ("game", self.game.name),
            ("state", self.game.format_state(self.state)),
            ("algorithm", self.algorithm),
            ("depth", f"{self.depth}{'' if self.complete else ' (stopped before the end)'}"),
            ("move", "none" if self.move is None else self._move_text(self.move)),
            ("value", value),
        ]
        if self.scores is not None and len(self.scores) > 2:
            pairs.append(("scores", " ".join(number_text(score) for score in self.scores)))
        if len(self.best_moves) > 1:
            pairs.append(("best moves", " ".join(self._move_text(move) for move in self.best_moves)))
        if self.pv:
            pairs.append(("line", " ".join(self.pv_text())))
        rate = self.nodes / self.seconds if self.seconds > 0 else 0.0
        effort = f"{self.nodes:,} nodes in {self.seconds:.3f} s ({rate:,.0f}/s), {self._searchers()}"
        pairs.append(("effort", effort))
        return pairs

    def _searchers(self) -> str:
        """How many processes had a part in the answer."""
        count = len({worker for entry in self.root_moves for worker in entry.worker.split(", ") if worker})
        return "1 process" if count < 2 else f"{count} processes"

    def root_table(self) -> list[tuple[str, ...]]:
        """The root moves as rows of text: move, value, bound, nodes, seconds, worker; the header comes first."""
        header = ("move", "value", "bound", "nodes", "seconds", "worker")
        return [header, *(self._row(entry) for entry in self.root_moves)]

    def _row(self, entry: RootMove) -> tuple[str, ...]:
        value, nodes, seconds = number_text(entry.value), f"{entry.nodes:,}", f"{entry.seconds:.3f}"
        return self._move_text(entry.move), value, str(entry.bound), nodes, seconds, entry.worker

    def __str__(self) -> str:
        width = max(len(name) for name, _ in self.summary())
        lines = [f"{name:<{width}}  {text}" for name, text in self.summary()]
        if self.root_moves:
            lines += ["", *_align(self.root_table())]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        """The rich form that notebooks show."""
        facts = "".join(
            f"<tr><th>{html.escape(name)}</th><td>{html.escape(text)}</td></tr>" for name, text in self.summary()
        )
        header, *rows = self.root_table()
        if not rows:
            return f"<table>{facts}</table>"
        head = "".join(f"<th>{html.escape(cell)}</th>" for cell in header)
        body = "".join("<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in row) + "</tr>" for row in rows)
        return f"<table>{facts}</table><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"

    def _move_text(self, move: Any) -> str:
        return self.game.format_move(self.state, move)


def number_text(number: float) -> str:
    """A score as text: integers in full."""
    return str(number) if isinstance(number, Integral) else f"{number:.10g}"


def _plain(number: Any) -> Any:
    """A number as JSON knows it: a game may score in NumPy's types, or in fractions."""
    if number is None or isinstance(number, int | float):
        return number
    return int(number) if isinstance(number, Integral) else float(number)


def format_line(game: Game[Any, Any], state: Any, line: Sequence[Any]) -> list[str]:
    """The texts of successive moves, each formatted in the state in which it is played."""
    texts = []
    for move in line:
        texts.append(game.format_move(state, move))
        state = game.play(state, move)
    return texts


def _align(rows: Sequence[Sequence[str]]) -> list[str]:
    """Rows of cells as lines of text whose columns line up; all but the first column to the right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(
            [row[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True))]
        )
        for row in rows
    ]
