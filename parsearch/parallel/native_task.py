"""Tasks of compiled games: the native engine in place of the reference algorithms."""

from __future__ import annotations

import logging
from functools import lru_cache
from typing import Any

from parsearch.algorithms import AgainstAll
from parsearch.core.game import Game
from parsearch.native import engine
from parsearch.native.build import Features, load_kernel
from parsearch.native.game import CompiledGame
from parsearch.native.search import Search
from parsearch.native.table import Table
from parsearch.parallel.cores import usable_cores
from parsearch.parallel.task import Found, Options, Orders, Shared, Task

logger = logging.getLogger("parsearch")


def search_natively(game: Game[Any, Any], task: Task, orders: Orders, shared: Shared | None) -> Found:
    """Search a task of a compiled game; as `task.run_task` wants it."""
    compiled, player = compiled_game(game)
    busy, news = (None, None) if shared is None else (shared.busy, shared.news)
    features = features_of(game, task.algorithm, task.options, joint=busy is not None)
    table = None
    if features.table:
        table = _table(task.options.table) if shared is None else shared.table
        table.generation = task.options.generation
    logs = news is not None
    search = Search(
        compiled, task.state, task.depth, features, task.window, player, table,
        busy=busy, logs=logs, climbs=task.climbs,
    )  # fmt: skip
    budget = engine.Budget(task.nodes, task.seconds, orders.stopped, orders.window, news)
    try:
        if not budget.run(search):
            return Found(None, task.window, (), budget.nodes, False)
    finally:
        search.release()
    return Found(search.value, budget.asked or task.window, search.line, budget.nodes, search.estimated)


def prepare(game: Game[Any, Any], algorithm: str, options: Options, joint: bool) -> None:
    """Compile here what tasks will need, so that workers only load it. Raises GameError where it does not compile.

    joint: for workers that share a table.
    """
    compiled, _ = compiled_game(game)
    load_kernel(compiled.rules, features_of(game, algorithm, options, joint), logger.info)


def compiled_game(game: Game[Any, Any]) -> tuple[CompiledGame, int]:
    """The compiled game, and whose payoff is maximised: paranoid tasks see it as that player against all others."""
    game, player = (game.game, game.player) if isinstance(game, AgainstAll) else (game, 0)
    assert isinstance(game, CompiledGame)
    return game, player


def features_of(game: Game[Any, Any], algorithm: str, options: Options, joint: bool) -> Features:
    """The kernel that a task needs; joint where it shares a table, which minimax and maxn never do."""
    solving = options.solving and game.zero_sum and algorithm in ("alphabeta", "pvs")
    return engine.kernel_features(algorithm, options.table != 0, None, options.quiescence, solving, joint)


@lru_cache(maxsize=1)
def _table(mebibytes: int | None) -> Table:
    """This process's table: it outlives a search, because fresh memory costs more than a small search does."""
    return Table(mebibytes, shares=usable_cores())
