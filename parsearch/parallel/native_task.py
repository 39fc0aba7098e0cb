"""Tasks of compiled games: the native engine in place of the reference algorithms."""

from __future__ import annotations

import logging
from collections.abc import Callable
from functools import lru_cache
from typing import Any

from parsearch.algorithms import AgainstAll
from parsearch.core.game import Game, Score
from parsearch.native import engine
from parsearch.native.game import CompiledGame
from parsearch.native.table import Table
from parsearch.parallel.cores import usable_cores
from parsearch.parallel.task import Options, Task

logger = logging.getLogger("parsearch")


def search_natively(
    game: Game[Any, Any], task: Task, stop: Callable[[], bool] | None
) -> tuple[Score | None, tuple[int, ...], int, bool]:
    """Search a task of a compiled game; as `task.run_task` wants it."""
    compiled, player = _seen_by(game)
    found = engine.search(
        compiled,
        task.state,
        task.depth,
        task.window,
        algorithm=task.algorithm,
        player=player,
        options=_options(task.algorithm, task.options),
        solving=_solves(compiled, task.algorithm, task.options),
        nodes=task.nodes,
        seconds=task.seconds,
        stop=stop,
    )
    return found.value, found.line, found.nodes, found.estimated


def prepare(game: Game[Any, Any], algorithm: str, options: Options) -> None:
    """Compile here what tasks will need, so that workers only load it. Raises GameError where it does not compile."""
    compiled, _ = _seen_by(game)
    solving = _solves(compiled, algorithm, options)
    engine.prepare(compiled, algorithm, _options(algorithm, options), logger.info, solving)


def _seen_by(game: Game[Any, Any]) -> tuple[CompiledGame, int]:
    """The compiled game, and whose payoff is maximised: paranoid tasks see it as that player against all others."""
    game, player = (game.game, game.player) if isinstance(game, AgainstAll) else (game, 0)
    assert isinstance(game, CompiledGame)
    return game, player


def _options(algorithm: str, options: Options) -> engine.Options:
    exhaustive = algorithm in ("minimax", "maxn")
    table = None if exhaustive or options.table == 0 else _table(options.table)
    if table is not None:
        table.generation = options.generation
    return engine.Options(table, quiescence=options.quiescence)


def _solves(game: CompiledGame, algorithm: str, options: Options) -> bool:
    return options.solving and game.zero_sum and algorithm in ("alphabeta", "pvs")


@lru_cache(maxsize=1)
def _table(mebibytes: int | None) -> Table:
    """This process's table: it outlives a search, because fresh memory costs more than a small search does."""
    return Table(mebibytes, shares=usable_cores())
