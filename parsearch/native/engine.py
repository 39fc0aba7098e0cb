"""Searching a compiled game natively: what the parallel room calls where another game would go to `algorithms`."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass

from parsearch.core.errors import GameError
from parsearch.core.game import Score
from parsearch.core.window import Window
from parsearch.native.build import Features, load_kernel
from parsearch.native.game import CompiledGame, Words
from parsearch.native.search import Search
from parsearch.native.sharing import Busy, News
from parsearch.native.table import Table

SLICE_NODES, LEAST_SLICE = 1 << 17, 1 << 13
"""Nodes between two looks at clock, stop and signals: at first, and the fewest, which still cost the looks some 1%."""

SLICE_SECONDS = 0.01
"""What a slice may take: those that take longer get smaller, so that a search that nobody wants any more soon ends."""


@dataclass(frozen=True, slots=True)
class Options:
    """What changes effort: table (None: none), order of moves (None: ordered where there is a table), and marks by
    which searches of one root over this table cooperate (None: each for itself).

    quiescence alone changes values: where the depth ends it plays on with the game's noisy moves. minimax and maxn
    use none of these; they visit every position, in the game's order.
    """

    table: Table | None = None
    ordered: bool | None = None
    quiescence: bool = False
    busy: Busy | None = None


@dataclass(frozen=True, slots=True)
class Found:
    """What a search found.

    value: from player 0's view (for paranoid from `player`'s), the payoff tuple for maxn; guarantees as in
    `algorithms.alphabeta`. line: principal variation. nodes: positions visited. estimated: whether any leaf was cut
    off by the depth. finished: False where a limit or `stop` ended it; then value and line are None and empty.
    """

    value: Score | None
    line: tuple[int, ...]
    nodes: int
    estimated: bool
    finished: bool


class Budget:
    """What searches may spend together: nodes, seconds from now, and a callable that ends them when it is true.

    window: tells between slices what the search under way still has to tell apart; it only ever gets narrower.
    `asked` is the last that was heeded. news: takes what they log.
    """

    def __init__(
        self,
        nodes: int | None = None,
        seconds: float | None = None,
        stop: Callable[[], bool] | None = None,
        window: Callable[[], Window] | None = None,
        news: News | None = None,
    ) -> None:
        self.nodes = 0
        self._most = nodes
        self._deadline = None if seconds is None else time.monotonic() + seconds
        self._stop = stop
        self._window = window
        self._news = news
        self.asked: Window | None = None

    def run(self, search: Search) -> bool:
        """Run a search to its end, if that is within the budget, else end it; whether it was."""
        size = SLICE_NODES
        while not search.finished:
            if self._spent(self.nodes + search.nodes):
                break
            if self._window is not None and (window := self._window()) != self.asked:
                search.narrow(window)
                self.asked = window
            left = size if self._most is None else self._most - self.nodes - search.nodes + 1
            started = time.monotonic()
            search.run(min(left, size))
            if self._news is not None:
                self._news.add(search.logged())
            if time.monotonic() - started > SLICE_SECONDS and size > LEAST_SLICE:
                size //= 2
        self.nodes += search.nodes
        finished = search.finished
        search.release()
        return finished and (self._most is None or self.nodes <= self._most)

    def _spent(self, nodes: int) -> bool:
        return (
            (self._most is not None and nodes > self._most)
            or (self._deadline is not None and time.monotonic() >= self._deadline)
            or (self._stop is not None and self._stop())
        )


def kernel_features(
    algorithm: str,
    table: bool,
    ordered: bool | None = None,
    quiescence: bool = False,
    solving: bool = False,
    joint: bool = False,
) -> Features:
    """What a search asks of its kernel. ordered: None where there is a table; the end of a game has no quiescence."""
    if algorithm in ("minimax", "maxn"):
        return Features(algorithm)
    ordered = table if ordered is None else ordered
    return Features(algorithm, table, ordered, quiescence and not solving, solving, joint and table and ordered)


def features_for(game: CompiledGame, algorithm: str, options: Options = Options(), solving: bool = False) -> Features:
    """The kernel that a search needs. Raises GameError for quiescence in a game without noisy moves."""
    if options.quiescence and algorithm not in ("minimax", "maxn") and not game.defines("noisy_moves"):
        raise GameError(f"{game.name} defines no noisy_moves; search it without quiescence")
    joint = options.busy is not None
    return kernel_features(algorithm, options.table is not None, options.ordered, options.quiescence, solving, joint)


def prepare(
    game: CompiledGame,
    algorithm: str,
    options: Options = Options(),
    report: Callable[[str], None] | None = None,
    solving: bool = False,
) -> bool:
    """Compile what a search will need, or load it; whether it came from the disk cache.

    For a driver before workers start: they only load then. report: is given a sentence before some seconds of
    compiling.
    """
    return load_kernel(game.rules, features_for(game, algorithm, options, solving), report).loaded


def search(
    game: CompiledGame,
    state: Words,
    depth: int,
    window: Window = Window(),  # noqa: B008 frozen
    *,
    algorithm: str = "alphabeta",
    player: int = 0,
    options: Options = Options(),
    solving: bool = False,
    nodes: int | None = None,
    seconds: float | None = None,
    stop: Callable[[], bool] | None = None,
) -> Found:
    """Search `state` to a depth: the same value, and without a table and ordering the same nodes, as `algorithms`.

    window: as in `algorithms.alphabeta`, not used by minimax and maxn. player: for paranoid whose payoff is maximised.
    solving: promises that the depth reaches the end of the game, so that `bounds` hold. What the table holds from
    calls before is used until it is told to `age`.
    nodes, seconds, stop: end the search early; stop is asked every few milliseconds. The first move of the line is the
    first in the game's order of those with the best value, wherever the value is inside the window.
    """
    features = features_for(game, algorithm, options, solving)
    budget = Budget(nodes, seconds, stop)
    search = Search(game, state, depth, features, window, player, options.table, busy=options.busy)
    return _found(search, budget, budget.run(search))


def solve(
    game: CompiledGame,
    state: Words,
    *,
    options: Options | None = None,
    guess: float = 0,
    nodes: int | None = None,
    seconds: float | None = None,
    stop: Callable[[], bool] | None = None,
) -> Found:
    """The exact value of a zero-sum game from `state` to its end, with a line that starts with a best move
    (`parsearch.search` finds the first of them).

    Integer scores are found by null-window tests, each at the value that the last one left possible, the first at
    `guess` (from player 0's view; a right one saves a third of the work). Others by one search with a full window.
    Source: Plaat et al. 1996, MTD(f). Raises GameError where the game may not end, is not zero sum, or has bounds that
    contradict each other.
    """
    depth = game.max_plies(state)
    if depth is None or not game.zero_sum:
        raise GameError(f"{game.name} cannot be solved: {'it may not end' if depth is None else 'it is not zero sum'}")
    options = Options(Table()) if options is None else options
    features = features_for(game, "alphabeta", options, solving=True)
    budget = Budget(nodes, seconds, stop)
    if options.table is not None:
        options.table.age()
    if not game.integer or game.is_terminal(state):
        search = Search(game, state, depth, features, table=options.table, busy=options.busy)
        return _found(search, budget, budget.run(search))
    maximizing = game.to_move(state) == 0
    least, most = -math.inf, math.inf
    while least < most:
        guess = min(max(guess, least), most)
        threshold = guess + 1 if guess == least else guess
        window = Window(threshold - 1, threshold)
        search = Search(game, state, depth, features, window, table=options.table, busy=options.busy)
        if not budget.run(search):
            return _found(search, budget, False)
        guess = search.value
        if guess >= threshold:
            least = guess
        else:
            most = guess
        if (guess >= threshold) == maximizing:
            best = search  # what the player to move can reach at least: its line starts with a best move
    if least > most:
        raise GameError(
            f"{game.name} is worth at least {least:g} and at most {most:g} at {game.format_state(state)!r}: its bounds "
            "exclude the value; mend bounds (parsearch.check_game finds the position)"
        )
    return _found(best, budget, True)


def _found(search: Search, budget: Budget, finished: bool) -> Found:
    if not finished:
        return Found(None, (), budget.nodes, False, False)
    return Found(search.value, search.line, budget.nodes, search.estimated, True)
