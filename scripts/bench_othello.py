"""Othello on one core, in CPU time: perft, exact endgames with 14 empty cells, FFO 40 to 44.

python scripts/bench_othello.py CONFORMANCE_FOLDER
"""

# ruff: noqa: T201 a bench prints

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from parsearch.games import load_game
from parsearch.native import engine
from parsearch.native.perft import perft
from parsearch.native.table import Table

REPEATS = 5
GAME: Any = load_game("othello")


def seconds(run: Callable[[], Any]) -> tuple[float, Any]:
    """CPU time, and what came out."""
    start = time.process_time()
    found = run()
    return time.process_time() - start, found


def rows(name: str) -> list[dict[str, Any]]:
    lines = (Path(sys.argv[1]) / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines[1:]]


def solve(row: dict[str, Any], table: Table) -> tuple[float, int]:
    """CPU time and nodes of a row, whose value is compared."""
    state = GAME.parse_state(f"{row['board']} {row['stm']}")
    spent, found = seconds(lambda: engine.solve(GAME, state, options=engine.Options(table)))
    assert found.value == (row["score"] if row["stm"] == "X" else -row["score"]), row
    return spent, found.nodes


def main() -> None:
    start = GAME.initial_state()
    perft(GAME, start, 1)
    spent, count = min((seconds(lambda: perft(GAME, start, 10)) for _ in range(REPEATS)), key=lambda run: run[0])
    print(f"perft 10, last ply counted: {count.nodes / spent / 1e6:.0f} million a second")
    engine.prepare(GAME, "minimax")
    spent, found = min(
        (seconds(lambda: engine.search(GAME, start, 9, algorithm="minimax")) for _ in range(REPEATS)),
        key=lambda run: run[0],
    )
    print(f"minimax 9, every leaf played and evaluated: {found.nodes / spent / 1e6:.0f} million nodes a second")
    table = Table(256)
    engine.prepare(GAME, "alphabeta", engine.Options(table), solving=True)
    endgames = [row for row in rows("othello_endgames") if row["empties"] == 14]
    best = [(float("inf"), 0)] * len(endgames)
    for _ in range(REPEATS):  # the quickest of each: other programs only ever add
        table.clear()
        best = [min(old, solve(row, table)) for old, row in zip(best, endgames, strict=True)]
    print(f"{len(best)} endgames with 14 empty cells: {1000 * sum(s for s, _ in best) / len(best):.2f} ms each")
    for row in rows("othello_ffo"):
        if "FFO40" <= row["id"] <= "FFO44":
            table.clear()
            spent, nodes = solve(row, table)
            print(f"{row['id']} ({row['empties']} empty): {spent:.2f} s, {nodes:,} nodes", flush=True)


main()
