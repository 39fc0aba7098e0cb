"""One search: what was asked, what has been spent on it, and the result that its answer makes."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from itertools import count
from typing import Any

from parsearch.algorithms import Algorithm
from parsearch.core.errors import AlgorithmError, GameError, LimitsError
from parsearch.core.game import Game, score_for
from parsearch.core.limits import Limits
from parsearch.core.result import Progress, SearchResult, TaskRun
from parsearch.parallel.split import Answer, Split
from parsearch.parallel.task import Options, Task, blaming, require_moves, state_text

GENERATIONS = 256
"""Searches that a table can tell apart; after so many more it may meet entries of an old one, which do no harm."""

FOR_A_GUESS = 4
"""Plies from the first depth to the last of a search by tests: the depth before the last costs some 5% of it."""


@dataclass(eq=False)
class Request:
    """A search under way. `nodes` counts what all iterations have visited so far, wherever it was done; `timeline`
    holds what workers did for it, by `clock`.

    Raises LimitsError where nothing would ever end the search, AlgorithmError for quiescence without noisy moves.
    """

    game: Game[Any, Any]
    state: Any
    algorithm: Algorithm
    limits: Limits
    all_moves: bool = False
    options: Options = field(default_factory=Options)
    progress: Callable[[Progress], None] | None = None
    stop: Callable[[], bool] | None = None
    nodes: int = 0
    clock: Callable[[], float] = time.monotonic
    timeline: list[TaskRun] = field(default_factory=list)
    number: int = field(default_factory=count().__next__)

    def __post_init__(self) -> None:
        self.started = self.clock()
        self._require_quiescence()
        with blaming(self.game, self.state):
            self.plies = self._max_plies()
            self.final_depth = self._final_depth()
            self.seen = self.algorithm.view(self.game, self.state)  # the game as the algorithm sees it

    @property
    def solves(self) -> bool:
        """Whether the final depth is the end of the game."""
        return self.final_depth is not None and self.final_depth == self.plies

    def _require_quiescence(self) -> None:
        if not self.options.quiescence:
            return
        if self.algorithm.name == "maxn":
            raise AlgorithmError(f"maxn has no quiescence for {self.game.name}; use paranoid, or leave quiescence out")
        if self.algorithm.name == "minimax" and self.game.is_native:
            raise AlgorithmError(
                f"minimax visits every position of {self.game.name} and has no quiescence; use alphabeta or pvs, which "
                "find the same value"
            )
        if not self.game.defines("noisy_moves"):
            raise AlgorithmError(f"{self.game.name} defines no noisy_moves to follow; leave quiescence out")

    def _max_plies(self) -> int | None:
        if self.game.is_terminal(self.state):
            return 0
        plies = self.game.max_plies(self.state)
        if plies is not None and (not isinstance(plies, int) or plies < 1):
            raise GameError(
                f"{self.game.name} has max_plies {plies!r} at {state_text(self.game, self.state)}, where the game is "
                "not over; mend max_plies, or leave it out"
            )
        return plies

    def _final_depth(self) -> int | None:
        """The depth at which nothing is left to ask; None where only seconds, nodes or the game's end will tell."""
        if self.plies == 0:
            return 0
        moves = tuple(self.game.legal_moves(self.state))
        require_moves(self.game, self.state, len(moves) > 0)
        if None in moves:
            raise GameError(
                f"{self.game.name} has None among its moves, which means no move in results; mend legal_moves"
            )
        plies, depth = self.plies, self.limits.depth
        if plies is not None and depth is not None:
            return min(plies, depth)
        if plies is None and depth is None and not self.limits.deepens:
            raise LimitsError(
                f"{self.game.name} may go on without end from {self.game.format_state(self.state)!r} "
                "(max_plies is None), so give the search a limit: depth, seconds or nodes"
            )
        return depth if plies is None else plies

    def depths(self) -> Iterable[int]:
        """The depths to search one after the other, as long as the limits last.

        A search that only the caller may stop deepens too, so that there is an answer when that happens; its
        last step is two plies, which leaves the depth before it a small share of the work. Tests get a good first guess
        of the value that way, from depths of the same parity.
        """
        final = self.final_depth
        if final is None:
            return count(1)
        if self.limits.deepens:
            return range(1, final + 1)
        if self.stop is not None:
            return *range(1, final - 1), final
        if self.proves(final) and not self.solves:
            return range(max(final - FOR_A_GUESS, 2 - final % 2), final + 1, 2)
        return (final,)

    def proves(self, depth: int) -> bool:
        """Whether a value is found by null-window tests: of compiled games with integer scores, to the end of the game,
        or with a table, which knows the most of what each test has in common with the last."""
        tested = self.seen.is_native and self.seen.integer and self.algorithm.zero_sum and self.algorithm.prunes
        return tested and not self.all_moves and (self.options.table != 0 or self.options_at(depth).solving)

    def start_clock(self) -> None:
        """Begin to count the seconds of the search: what came before, such as compiling, is no part of it."""
        self.started = self.clock()

    @property
    def seconds(self) -> float:
        """Since the search began, on the clock of whoever performs it."""
        return self.clock() - self.started

    @property
    def seconds_left(self) -> float | None:
        return None if self.limits.seconds is None else max(self.limits.seconds - self.seconds, 0.0)

    @property
    def nodes_left(self) -> int | None:
        return None if self.limits.nodes is None else max(self.limits.nodes - self.nodes, 0)

    def options_at(self, depth: int | None) -> Options:
        """The options of an iteration."""
        solving = self.solves and depth == self.final_depth
        return replace(self.options, solving=solving, generation=self.number % GENERATIONS)

    def limited(self, task: Task, depth: int) -> Task:
        """A task as it is sent out: with the options of the search and what is left of its limits."""
        return replace(task, options=self.options_at(depth), nodes=self.nodes_left, seconds=self.seconds_left)

    def stopped(self) -> bool:
        """Whether the caller wants the search to end."""
        return self.stop is not None and self.stop()

    def over(self) -> bool:
        """Whether the search must end with what is complete."""
        return self.over_nodes() or self.seconds_left == 0 or self.stopped()

    def over_nodes(self) -> bool:
        """Whether more nodes were visited than allowed: several tasks together may pass a limit that each keeps."""
        return self.limits.nodes is not None and self.nodes > self.limits.nodes

    def work_left(self, split: Split) -> float:
        """Seconds of work left for one process, as the tasks finished so far suggest; infinite where unknown."""
        if split.depth == self.final_depth:
            share_left = (split.waiting + split.under_way) / (split.finished + 1)
            work = (time.monotonic() - split.started) * share_left
        else:
            work = float("inf")  # a deeper iteration follows
        if self.limits.nodes is not None and self.nodes:
            work = min(work, (self.limits.nodes - self.nodes) * self.seconds / self.nodes)
        if self.limits.seconds is not None:
            work = min(work, self.limits.seconds - self.seconds)
        return work

    def report(self, split: Split) -> None:
        """Tell the caller how far the iteration is."""
        if self.progress is None:
            return
        best, root_moves = split.best(), split.root_moves()
        known = None if best is None else root_moves[best]
        self.progress(
            Progress(
                depth=split.depth,
                move=None if known is None else known.move,
                value=None if known is None else known.value,
                moves=tuple(split.moves),
                root_moves=root_moves,
                nodes=self.nodes,
                seconds=self.seconds,
                pending=split.waiting + split.under_way,
            )
        )

    def result(self, answer: Answer | None, workers: int) -> SearchResult:
        """The result of the deepest completed answer; None where there is none, or nothing to search."""
        with blaming(self.game, self.state):
            if self.final_depth == 0:
                return self._unsearched(workers)
            if answer is None:
                move = self.game.legal_moves(self.state)[0]
                return self._build(workers, move=move, pv=(move,), best_moves=(move,))
            if answer.estimated and answer.depth == self.plies:
                raise GameError(
                    f"{self.game.name} goes on after the {self.plies} plies that max_plies promises from "
                    f"{state_text(self.game, self.state)}; mend max_plies, or leave it out"
                )
            best = answer.root_moves[answer.best]
            exact = self.all_moves or not self.algorithm.prunes
            best_moves = tuple(e.move for e in answer.root_moves if e.value == best.value) if exact else (best.move,)
            return self._build(
                workers,
                depth=answer.depth if answer.estimated or self.limits.deepens else self.final_depth,
                move=best.move,
                value=best.value,
                scores=self._scores(answer.score),
                pv=answer.pv,
                complete=answer.depth == self.final_depth or not answer.estimated,
                best_moves=best_moves,
                root_moves=answer.root_moves,
            )

    def _unsearched(self, workers: int) -> SearchResult:
        """A terminal root, or depth 0: the evaluation is the answer."""
        self.nodes = 1
        score = self.game.evaluate(self.state)
        value = score_for(self.game, score, self.game.to_move(self.state))
        return self._build(
            workers,
            value=value,
            scores=self._scores(score if self.algorithm.name != "paranoid" else value),
            complete=True,
        )

    def _scores(self, score: Any) -> tuple[float, ...] | None:
        if self.algorithm.zero_sum:
            return score, score_for(self.game, score, 1)
        return tuple(score) if self.algorithm.name == "maxn" else None

    def _since_start(self, run: TaskRun) -> TaskRun:
        times = {name: getattr(run, name) - self.started for name in ("sent", "started", "ended", "received")}
        return replace(run, **times)

    def _build(self, workers: int, **answer: Any) -> SearchResult:
        nothing: dict[str, Any] = {
            "depth": 0,
            "move": None,
            "value": None,
            "scores": None,
            "pv": (),
            "complete": False,
            "best_moves": (),
            "root_moves": (),
        }
        return SearchResult(
            game=self.game,
            state=self.state,
            algorithm=self.algorithm.name,
            nodes=self.nodes,
            seconds=self.seconds,
            workers=workers,
            timeline=tuple(self._since_start(run) for run in self.timeline),
            **(nothing | answer),
        )
