"""Native speed on Connect Four beside peers from the registries: nodes, CPU seconds, nodes a second, ratios.

    python scripts/bench_native.py [--positions N] [--conformance FOLDER]

Peers are measured where they are installed: pip install bitbully open_spiel easyAI. CPU time of this process, medians
of repeats; tables are emptied between positions, outside the timing. Exit code 1 where a bar is missed.
"""

# ruff: noqa: T201, B023 a script prints; what it times runs at once
from __future__ import annotations

import argparse
import importlib.util
import json
import statistics
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bench import cpu, run
from parsearch.games import load_game
from parsearch.native.engine import Options, prepare, search, solve
from parsearch.native.table import Table

MINIMAX_BAR, ALPHABETA_BAR = 120e6, 110e6
"""Nodes a second on one core, empty board, no table."""

REPEATS = 7


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--positions", type=int, default=None, help="solve only so many positions of each length")
    parser.add_argument("--conformance", type=Path, default=Path("/work/shared/conformance"))
    arguments = parser.parse_args()
    held = [*rates()]
    path = arguments.conformance / "connect4_7x6.jsonl"
    if path.exists():
        rows = [json.loads(line) for line in path.read_text().splitlines()[1:]]
        held += [
            solving(plies, [row for row in rows if row["plies"] == plies][: arguments.positions]) for plies in (12, 10)
        ]
    else:
        print(f"solving: skipped, there is no {path}")
    return 0 if all(held) else 1


def rates() -> Iterator[bool]:
    """Nodes a second without a table, and how many times the peers' that is."""
    game = load_game("connect4")
    root = game.initial_state()
    for algorithm, depth, bar in (("minimax", 9, MINIMAX_BAR), ("alphabeta", 14, ALPHABETA_BAR)):
        prepare(game, algorithm)
        runs = [cpu(lambda: search(game, root, depth, algorithm=algorithm)) for _ in range(REPEATS)]
        nodes, seconds = runs[0][1].nodes, [seconds for seconds, _ in runs]
        rate = nodes / statistics.median(seconds)
        best = nodes / min(seconds)
        line(
            f"{algorithm}, depth {depth}",
            nodes,
            statistics.median(seconds),
            f"best {best / 1e6:.0f}; bar {bar / 1e6:.0f}",
        )
        for name, module, peer in (("OpenSpiel", "pyspiel", openspiel), ("easyAI", "easyAI", easyai)):
            if algorithm == "alphabeta" and importlib.util.find_spec(module):
                peer_nodes, peer_seconds = peer(5)
                ratio = rate / (peer_nodes / peer_seconds)
                line(f"  {name} alpha-beta, depth 5", peer_nodes, peer_seconds, f"parsearch {ratio:,.0f} x")
        yield rate >= bar


def solving(plies: int, rows: list[dict[str, Any]]) -> bool:
    """Mean CPU time of exact solving, against BitBully without its book."""
    game, table = load_game("connect4"), Table(64)
    options = Options(table)
    prepare(game, "alphabeta", options, solving=True)
    ours, theirs, nodes, their_nodes = [], [], 0, 0
    bitbully = importlib.util.find_spec("bitbully") is not None
    if bitbully:
        from bitbully.bitbully_core import BitBullyCore, BoardCore

        solver = BitBullyCore()
        assert not solver.isBookLoaded()
    for row in rows:  # one after the other on each position: both meet the same noise
        state = game.parse_state(row["moves"])
        table.clear()
        seconds, found = cpu(lambda: solve(game, state, options=options))
        ours.append(seconds)
        nodes += found.nodes
        assert found.value * (1 if game.to_move(state) == 0 else -1) == row["score"], row
        if bitbully:
            board = BoardCore()
            board.setBoard([int(column) - 1 for column in row["moves"]])
            solver.resetTranspositionTable()
            solver.resetNodeCounter()
            theirs.append(cpu(lambda: solver.mtdf(board, 0))[0])
            their_nodes += solver.getNodeCounter()
    line(f"solve {len(rows)} of {plies} plies", nodes, sum(ours), f"mean {statistics.mean(ours) * 1e3:.1f} ms")
    if not bitbully:
        print("  BitBully is not installed: the bar was not measured")
        return True
    ratio = statistics.mean(ours) / statistics.mean(theirs)
    line(
        "  BitBully, no book",
        their_nodes,
        sum(theirs),
        f"mean {statistics.mean(theirs) * 1e3:.1f} ms; parsearch takes {ratio:.2f} of that, bar 1",
    )
    return ratio <= 1


def openspiel(depth: int) -> tuple[int, float]:
    """OpenSpiel's rules in C++ under its own alpha-beta in Python."""
    import pyspiel
    from open_spiel.python.algorithms import minimax

    nodes = 0

    def estimate(_state: Any) -> float:
        nonlocal nodes
        nodes += 1
        return 0.0

    game = pyspiel.load_game("connect_four")
    root = game.new_initial_state()
    seconds, _ = cpu(
        lambda: minimax.alpha_beta_search(
            game, root, value_function=estimate, maximum_depth=depth, maximizing_player_id=0
        )
    )
    return nodes, seconds


def easyai(depth: int) -> tuple[int, float]:
    """easyAI's Negamax on a board of lists, as its own Connect Four has it."""
    from easyAI import AI_Player, Negamax, TwoPlayerGame

    class ConnectFour(TwoPlayerGame):
        nodes = 0

        def __init__(self) -> None:
            self.players = [AI_Player(None), AI_Player(None)]
            self.current_player = 1
            self.columns: list[list[int]] = [[] for _ in range(7)]

        def possible_moves(self) -> list[int]:
            return [column for column in range(7) if len(self.columns[column]) < 6]

        def make_move(self, column: int) -> None:
            ConnectFour.nodes += 1
            self.columns[column].append(self.current_player)

        def unmake_move(self, column: int) -> None:
            self.columns[column].pop()

        def is_over(self) -> bool:
            return not self.possible_moves() or self.lost()

        def lost(self) -> bool:
            other = 3 - self.current_player
            held = {(x, y) for x, column in enumerate(self.columns) for y, disc in enumerate(column) if disc == other}
            steps = ((0, 1), (1, 0), (1, 1), (1, -1))
            return any(all((x + i * a, y + i * b) in held for i in range(4)) for x, y in held for a, b in steps)

        def scoring(self) -> int:
            return -100 if self.lost() else 0

    game = ConnectFour()
    seconds, _ = cpu(lambda: Negamax(depth)(game))
    return ConnectFour.nodes, seconds


def line(what: str, nodes: int, seconds: float, note: str) -> None:
    print(f"{what:<32} {nodes:>13,} nodes {seconds:>9.3f} s {nodes / seconds / 1e6:>8.2f} M/s  {note}", flush=True)


if __name__ == "__main__":
    run(main)
