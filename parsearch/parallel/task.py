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
from dataclasses import dataclass, replace
from numbers import Real
from typing import TYPE_CHECKING, Any, Protocol

from parsearch.algorithms import ALGORITHMS, Effort, Stopped, moves_of
from parsearch.core.errors import GameError, ParsearchError
from parsearch.core.game import Game, Score, wraps_around
from parsearch.core.window import Window

if TYPE_CHECKING:
    from parsearch.native.sharing import Busy, News
    from parsearch.native.table import Table

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
    depth: plies below `state`. window: from player 0's point of view. climbs: a compiled game's search asks by
    null-window tests, from the end of the window that is bad for the mover on.
    nodes, seconds: limits of this task alone, None for none.
    """

    path: tuple[int, ...]
    line: str
    state: Any
    depth: int
    window: Window
    algorithm: str
    options: Options = Options()
    climbs: bool = False
    nodes: int | None = None
    seconds: float | None = None


@dataclass(frozen=True, slots=True)
class Outcome:
    """What the search of a task found.

    value: the score of the task's state, to be read with `window`; None where a limit or a stop
    ended the search, and then nothing that it found counts. window: that was asked at last, the task's or a
    narrower one. pv: the line below the task's state.
    nodes, seconds, worker: positions visited, wall clock, and who did it (`host:pid`).
    started: the worker's clock then, in seconds since the epoch.
    estimated: whether any leaf was cut off by the depth.
    """

    value: Score | None
    window: Window
    pv: tuple[Any, ...]
    nodes: int
    started: float
    seconds: float
    worker: str
    estimated: bool


@dataclass(frozen=True, slots=True)
class Found:
    """What a search of either kind found; the fields are those of `Outcome`."""

    value: Score | None
    window: Window
    pv: tuple[Any, ...]
    nodes: int
    estimated: bool


@dataclass(frozen=True, slots=True)
class Shared:
    """By what searches of one task cooperate: the table, the marks of who searches what, None where there is a single
    search, and where there are other nodes, the news for their tables."""

    table: Table
    busy: Busy | None
    news: News | None = None


class Orders(Protocol):
    """What a worker is told while it searches a task."""

    def stopped(self) -> bool:
        """Whether nobody wants the result any more. Asked at every node of a plain game: must be quick."""

    def window(self) -> Window:
        """What still has to be told apart; it only ever gets narrower, and never empty."""


class NoOrders:
    """The orders of a task that is left alone, but for the caller's `stop`."""

    def __init__(self, task: Task, stop: Callable[[], bool] | None = None) -> None:
        self._window, self._stop = task.window, stop

    def stopped(self) -> bool:
        return self._stop is not None and self._stop()

    def window(self) -> Window:
        return self._window


def run_task(game: Game[Any, Any], task: Task, orders: Orders | None = None, shared: Shared | None = None) -> Outcome:
    """Search one subtree. `orders` may end the search or narrow its window meanwhile; `shared` is the memory in which
    it cooperates with others that search the same.

    Raises GameError, naming the position, for whatever the game's own code raises.
    """
    epoch, started = time.time(), time.perf_counter()
    orders = orders or NoOrders(task)
    with blaming(game, task.state):
        if game.is_native:
            from parsearch.parallel.native_task import search_natively  # Numba takes 0.4 s to import

            found = search_natively(game, task, orders, shared)
        else:
            found = _search_plainly(game, task, orders)
        if found.value is not None:
            require_score(game, task.state, found.value)
    seconds = time.perf_counter() - started
    return Outcome(found.value, found.window, found.pv, found.nodes, epoch, seconds, worker_name(), found.estimated)


def answered(stopped: Outcome, found: Outcome) -> Outcome:
    """What comes of a task that ended because somebody who had joined it found its value first."""
    return replace(stopped, value=found.value, window=found.window, pv=found.pv, estimated=found.estimated)


def can_share(game: Game[Any, Any], algorithm: str, options: Options) -> bool:
    """Whether several workers can search a task together: compiled games, and algorithms that use a table."""
    return game.is_native and ALGORITHMS[algorithm].prunes and options.table != 0


def _search_plainly(game: Game[Any, Any], task: Task, orders: Orders) -> Found:
    effort = Effort(task.nodes, task.seconds, orders.stopped, task.options.quiescence)
    _make_room_to_recurse(task.depth)
    try:
        value, chain = ALGORITHMS[task.algorithm].search(game, task.state, task.depth, task.window, effort)
    except Stopped:
        return Found(None, task.window, (), effort.nodes, effort.estimated)
    except RecursionError as error:
        if task.depth <= DEEPEST_RECURSION:
            raise  # the game's own
        raise GameError(
            f"{game.name} lasts more than the {DEEPEST_RECURSION:,} plies that a search in plain Python can look ahead "
            f"from {state_text(game, task.state)}; limit the depth"
        ) from error
    require_moves(game, task.state, value is not None or chain is not None or game.is_terminal(task.state))
    return Found(value, task.window, moves_of(chain), effort.nodes, effort.estimated)


def require_moves(game: Game[Any, Any], state: Any, found: bool) -> None:
    """Raises GameError where a state that is not terminal had no move to offer, so that nothing was found."""
    if not found:
        raise GameError(
            f"{game.name} has no legal move in a state that is not terminal, at or below {state_text(game, state)}; "
            "mend the game (parsearch.check_game finds the position)"
        )


def require_score(game: Game[Any, Any], state: Any, score: Score) -> None:
    """Raises GameError for a score that is no number, or none to reckon with: NaN is neither more nor less than any
    other, and NumPy's short integers wrap around."""
    numbers = (score,) if game.zero_sum else score
    if not isinstance(numbers, tuple) or not all(isinstance(n, Real) and math.isfinite(n) for n in numbers):
        wanted = "a finite number" if game.zero_sum else "a tuple of finite numbers, one a player"
        raise GameError(
            f"{game.name} evaluates a position at or below {state_text(game, state)} to {score!r}, which is not "
            f"{wanted}; mend evaluate (parsearch.check_game finds the position)"
        )
    if any(map(wraps_around, numbers)):
        raise GameError(
            f"{game.name} evaluates a position at or below {state_text(game, state)} to {score!r}, which wraps around "
            "when reckoned with; have evaluate return int(...)"
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
        remedy = "mend the game (parsearch.check_game helps to find the fault)"
        if isinstance(error, ModuleNotFoundError):
            remedy = "import it at the top of the game's module, then it is sent along, or install it on every node"
        raise GameError(
            f"{game.name} raised {what}{where} at the position {state_text(game, state)}; {remedy}"
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
