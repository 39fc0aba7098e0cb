"""Othello on one core, in CPU time: perft, exact endgames with 14 empty cells, FFO 40 to 44.

python scripts/bench_othello.py [--conformance FOLDER]
"""

# ruff: noqa: T201 a bench prints; what it times runs at once

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from bench import cpu, run
from parsearch.games import load_game
from parsearch.native import engine
from parsearch.native.perft import perft
from parsearch.native.table import Table

REPEATS = 5
GAME: Any = load_game("othello")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--conformance", type=Path, default=Path("/work/shared/conformance"))
    folder = parser.parse_args().conformance
    rates()
    if folder.exists():
        endgames(folder)
    else:
        print(f"endgames: skipped, there is no {folder}")
    return 0


def rates() -> None:
    start = GAME.initial_state()
    perft(GAME, start, 1)
    spent, count = min((cpu(lambda: perft(GAME, start, 10)) for _ in range(REPEATS)), key=lambda timed: timed[0])
    print(f"perft 10, last ply counted: {count.nodes / spent / 1e6:.0f} million a second")
    engine.prepare(GAME, "minimax")
    runs = (cpu(lambda: engine.search(GAME, start, 9, algorithm="minimax")) for _ in range(REPEATS))
    spent, found = min(runs, key=lambda timed: timed[0])
    print(f"minimax 9, every leaf played and evaluated: {found.nodes / spent / 1e6:.0f} million nodes a second")


def endgames(folder: Path) -> None:
    table = Table(256)
    engine.prepare(GAME, "alphabeta", engine.Options(table), solving=True)
    rows = [row for row in read(folder / "othello_endgames.jsonl") if row["empties"] == 14]
    best = [(float("inf"), 0)] * len(rows)
    for _ in range(REPEATS):  # the quickest of each: other programs only ever add
        table.clear()
        best = [min(old, solve(row, table)) for old, row in zip(best, rows, strict=True)]
    print(f"{len(best)} endgames with 14 empty cells: {1000 * sum(s for s, _ in best) / len(best):.2f} ms each")
    for row in read(folder / "othello_ffo.jsonl"):
        if "FFO40" <= row["id"] <= "FFO44":
            table.clear()
            spent, nodes = solve(row, table)
            print(f"{row['id']} ({row['empties']} empty): {spent:.2f} s, {nodes:,} nodes", flush=True)


def read(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()[1:]]


def solve(row: dict[str, Any], table: Table) -> tuple[float, int]:
    """CPU time and nodes of a row, whose value is compared."""
    state = GAME.parse_state(f"{row['board']} {row['stm']}")
    spent, found = cpu(lambda: engine.solve(GAME, state, options=engine.Options(table)))
    assert found.value == (row["score"] if row["stm"] == "X" else -row["score"]), row
    return spent, found.nodes


if __name__ == "__main__":
    run(main)
