"""`parsearch search`: what to search, the live table while it runs, and stdout for nothing but the answer."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from typing import TYPE_CHECKING, Any

from rich.box import SIMPLE_HEAD
from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.table import Table
from rich.text import Text

from parsearch.cli_game import find_position
from parsearch.cli_output import reserved_stdout, shown_messages
from parsearch.cli_signals import catch_signals
from parsearch.core.errors import InputError
from parsearch.core.game import Game
from parsearch.core.limits import Limits
from parsearch.core.result import Progress, RootMove, SearchResult
from parsearch.core.window import Bound
from parsearch.parallel.coordinator import Coordinator
from parsearch.parallel.task import blaming

if TYPE_CHECKING:
    from parsearch.config import SearchConfig

DEFAULT_LIMITS = Limits(seconds=10)
"""Where neither the command line nor a config gives a limit."""

FRAME_LINES = 7
"""Lines of the live table that are not root moves."""

_SIGNS = {Bound.EXACT: "", Bound.LOWER: "≥ ", Bound.UPPER: "≤ "}


def merge(
    config: SearchConfig,
    game: str | None,
    state: str | None,
    moves: str | None,
    limits: Limits,
    options: dict[str, Any],
) -> SearchConfig:
    """The config with what the command line says instead.

    A limit replaces that limit of the config. A game or a state of its own takes the place of the config's whole
    position, since a line of moves means nothing in another one.
    """
    changes = {key: value for key, value in options.items() if value is not None}
    if game is not None and game != config.game:
        changes |= {"game": game, "state": None, "moves": None}
    if state is not None:
        changes |= {"state": state, "moves": None}
    if moves is not None:
        changes["moves"] = moves
    given = {name: getattr(limits, name) for name in ("depth", "seconds", "nodes") if getattr(limits, name) is not None}
    return config.model_copy(update=changes | {"limits": config.limits.model_copy(update=given)})


def run_search(config: SearchConfig, as_json: bool) -> int:
    """Search and write the answer to stdout. Gives the exit code: 0, or what a signal asks for."""
    if config.game is None:
        raise InputError("no game is given; name one, as in `parsearch search connect4`, or use --config FILE")
    limits = config.limits.limits()
    if limits == Limits():
        limits = DEFAULT_LIMITS
    with reserved_stdout() as out:
        game, state = find_position(config.game, config.state, config.moves)
        with (
            catch_signals(patience=1) as interrupts,
            Coordinator(config.workers, config.address, config.offload, config.ray_options) as coordinator,
        ):
            table = LiveTable(game, state)
            # Transient where the answer says it all again.
            with table.shown(transient=config.all_moves), shown_messages(table.console):
                result = coordinator.search(
                    game,
                    state,
                    algorithm=config.algorithm,
                    limits=limits,
                    all_moves=config.all_moves,
                    table=config.table,
                    quiescence=config.quiescence,
                    progress=table.update,
                    stop=interrupts.arrived,
                )
                table.finish(result)
            interrupts.settle()
            with blaming(game, state):
                text = answer_text(result, as_json, config.all_moves)
            print(text, file=out, flush=True)
        return interrupts.exit_code


def answer_text(result: SearchResult, as_json: bool, all_moves: bool) -> str:
    """The answer as it goes to stdout: one JSON object, or the move, value and line among the facts about them."""
    if as_json:
        return json.dumps(result.to_dict())
    if all_moves:
        return str(result)
    pairs = result.summary()
    width = max(len(name) for name, _ in pairs)
    return "\n".join(f"{name:<{width}}  {text}" for name, text in pairs)


class LiveTable:
    """The root moves of a running search, as a table that rich draws again and again.

    Move texts are made on the thread that reports, for a user's game need not bear a second thread.
    """

    def __init__(self, game: Game[Any, Any], state: Any) -> None:
        self._game, self._state = game, state
        self.console = Console(stderr=True)
        self._started = time.monotonic()
        self._texts: dict[Any, str] = {}
        self._progress: Progress | None = None
        self._last: dict[Any, RootMove | None] = {}  # of the iteration before, shown until there is better
        self._result: SearchResult | None = None

    @contextmanager
    def shown(self, transient: bool) -> Iterator[None]:
        """Draw the table while this lasts, where stderr is a terminal."""
        live = Live(console=self.console, get_renderable=self._draw, transient=transient)
        with live if self.console.is_terminal else nullcontext():
            yield

    def update(self, progress: Progress) -> None:
        """Take in what the search reports; its `progress` callback."""
        if self.console.is_terminal:
            self._name_moves(progress.moves)
            before = self._progress
            if before is not None and before.depth < progress.depth:
                self._last = dict(zip(before.moves, before.root_moves, strict=True))
            self._progress = progress

    def finish(self, result: SearchResult) -> None:
        """Show the answer in place of the iteration that was under way."""
        self._name_moves([entry.move for entry in result.root_moves])
        self._result = result

    def _name_moves(self, moves: Any) -> None:
        with blaming(self._game, self._state):
            for move in moves:
                if move not in self._texts:
                    self._texts[move] = self._game.format_move(self._state, move)

    def _draw(self) -> RenderableType:
        result, progress = self._result, self._progress
        if result is not None:
            title = f"depth {result.depth}, {result.nodes:,} nodes, {result.seconds:.1f} s"
            return self._table([(entry.move, entry) for entry in result.root_moves], result.move, title)
        seconds = time.monotonic() - self._started
        if progress is None:
            return f"{self._game.name}: starting, {seconds:.1f} s"
        title = f"depth {progress.depth} under way, {progress.nodes:,} nodes, {seconds:.1f} s"
        return self._table(list(zip(progress.moves, progress.root_moves, strict=True)), progress.move, title)

    def _table(self, rows: list[tuple[Any, RootMove | None]], best: Any, title: str) -> RenderableType:
        table = Table(box=SIMPLE_HEAD, padding=(0, 1, 0, 1))
        table.add_column("move")
        for name in ("value", "nodes", "seconds"):
            table.add_column(name, justify="right", min_width=9)
        room = max(self.console.height - FRAME_LINES, 1)
        for move, entry in rows[:room]:
            shown = entry or self._last.get(move)
            cells = ("…", "", "")
            if shown is not None:
                cells = (f"{_SIGNS[shown.bound]}{shown.value:g}", f"{shown.nodes:,}", f"{shown.seconds:.3f}")
            style = "dim" if entry is None else "bold green" if move == best else None
            table.add_row(self._texts[move], *cells, style=style)
        more = f"\n … and {len(rows) - room} more moves" if len(rows) > room else ""
        return Group(Text(f"{self._game.name}: {title}{more}", style="bold"), table)
