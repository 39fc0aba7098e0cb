"""One subtree to search, and the pure function that searches it, here or on a worker."""

from __future__ import annotations

import math
import os
import socket
import sys
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from numbers import Real
from typing import Any, TypeAlias

from parsearch.algorithms import ALGORITHMS, Effort, Stopped, moves_of
from parsearch.core.errors import GameError, ParsearchError
from parsearch.core.game import Game, Score
from parsearch.core.window import Window

DEEPEST_RECURSION = 100_000
"""Plies that the reference searches may recurse: some 50 MB of Python frames."""


@dataclass(frozen=True, slots=True)
class Options:
    """How a subtree is searched, beside the algorithm.

    table: mebibytes of the transposition table, None for what memory allows, 0 for none.
    quiescence: whether leaves follow noisy moves beyond the depth; the only option that changes values.
    solving: the depth reaches the end of the game, so that what the game knows of its end (`bounds`) holds.
    generation: 0 to 255, of the table's entries that this search may use: its own.
    """

    table: int | None = None
    quiescence: bool = False
    solving: bool = False
    generation: int = 0


@dataclass(frozen=True, slots=True)
class Task:
    """One subtree to search. Together with the game it is everything that the search depends on.

    path: from the root, as indices into the moves of each state on the way. line: the same as move texts.
    depth: plies below `state`. window: from player 0's point of view.
    nodes, seconds: limits of this task alone, None for none.
    """

    path: tuple[int, ...]
    line: str
    state: Any
    depth: int
    window: Window
    algorithm: str
    options: Options = Options()
    nodes: int | None = None
    seconds: float | None = None


@dataclass(frozen=True, slots=True)
class Outcome:
    """What the search of a task found.

    value: the score of the task's state, to be read with the task's window; None where a limit or a stop
    ended the search, and then nothing that it found counts. pv: the line below the task's state.
    nodes, seconds, worker: positions visited, wall clock, and who did it (`host:pid`).
    estimated: whether any leaf was cut off by the depth.
    """

    value: Score | None
    pv: tuple[Any, ...]
    nodes: int
    seconds: float
    worker: str
    estimated: bool


Found: TypeAlias = tuple[Score | None, tuple[Any, ...], int, bool]
"""Value, pv, nodes and estimated, as in `Outcome`."""


def run_task(game: Game[Any, Any], task: Task, stop: Callable[[], bool] | None = None) -> Outcome:
    """Search one subtree. `stop` is asked at every node; True ends the search.

    Raises GameError, naming the position, for whatever the game's own code raises.
    """
    started = time.perf_counter()
    search = _search_plainly
    if game.is_native:
        from parsearch.parallel.native_task import search_natively as search  # Numba takes 0.4 s to import
    with blaming(game, task.state):
        value, pv, nodes, estimated = search(game, task, stop)
        if value is not None:
            require_score(game, task.state, value)
    return Outcome(value, pv, nodes, time.perf_counter() - started, worker_name(), estimated)


def _search_plainly(game: Game[Any, Any], task: Task, stop: Callable[[], bool] | None) -> Found:
    effort = Effort(task.nodes, task.seconds, stop, task.options.quiescence)
    _make_room_to_recurse(task.depth)
    try:
        value, chain = ALGORITHMS[task.algorithm].search(game, task.state, task.depth, task.window, effort)
    except Stopped:
        return None, (), effort.nodes, effort.estimated
    require_moves(game, task.state, value is not None or chain is not None or game.is_terminal(task.state))
    return value, moves_of(chain), effort.nodes, effort.estimated


def require_moves(game: Game[Any, Any], state: Any, found: bool) -> None:
    """Raises GameError where a state that is not terminal had no move to offer, so that nothing was found."""
    if not found:
        raise GameError(
            f"{game.name} has no legal move in a state that is not terminal, at or below {state_text(game, state)}; "
            "mend the game (parsearch.check_game finds the position)"
        )


def require_score(game: Game[Any, Any], state: Any, score: Score) -> None:
    """Raises GameError for a score that is no number: NaN, for one, is neither more nor less than any other."""
    numbers = (score,) if game.zero_sum else score
    if not isinstance(numbers, tuple) or not all(isinstance(n, Real) and math.isfinite(n) for n in numbers):
        wanted = "a finite number" if game.zero_sum else "a tuple of finite numbers, one a player"
        raise GameError(
            f"{game.name} evaluates a position at or below {state_text(game, state)} to {score!r}, which is not "
            f"{wanted}; mend evaluate (parsearch.check_game finds the position)"
        )


def worker_name() -> str:
    """Who is searching: host and process."""
    return f"{socket.gethostname()}:{os.getpid()}"


@contextmanager
def blaming(game: Game[Any, Any], state: Any) -> Iterator[None]:
    """Turn what the game's own code raises inside into a GameError that names game, method and position.

    The position is that of the innermost search step under way, else the given one: each search keeps it
    in a local variable `state`, which costs the searches nothing while all goes well. The method is what the
    innermost of our functions called.
    """
    try:
        yield
    except ParsearchError:
        raise
    except (Exception, SystemExit) as error:  # whatever a user's game raises
        frames = [(frame.f_globals.get("__name__", ""), frame) for frame, _ in traceback.walk_tb(error.__traceback__)]
        ours = [name.startswith("parsearch.") and not name.startswith("parsearch.games.") for name, _ in frames]
        last = max(index for index, own in enumerate(ours) if own)
        method = frames[last + 1][1].f_code.co_name if last + 1 < len(frames) else None
        state = next((f.f_locals["state"] for _, f in reversed(frames[: last + 1]) if "state" in f.f_locals), state)
        what = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
        where = f" in {method}" if method else ""
        raise GameError(
            f"{game.name} raised {what}{where} at the position {state_text(game, state)}; "
            "mend the game (parsearch.check_game helps to find the fault)"
        ) from error


def state_text(game: Game[Any, Any], state: Any) -> str:
    """The text of a state for a message, quoted, whatever the game's own code does about it."""
    try:
        return repr(game.format_state(state))
    except Exception:  # the error that we are reporting matters more than how its position is written
        return repr(state)


def _make_room_to_recurse(depth: int) -> None:
    """Let Python recurse `depth` plies deep, from now on; its own limit of 1,000 guards nothing here, since
    Python-to-Python calls take no C stack from version 3.11 on."""
    needed = min(depth, DEEPEST_RECURSION) + 1_000
    if sys.getrecursionlimit() < needed:
        sys.setrecursionlimit(needed)
