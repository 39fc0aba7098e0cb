"""Chess test suites: how many positions are answered with a published move, a given time for each.

    python scripts/bench_suites.py [--seconds 10] [--workers 2] [--every 1] [--conformance FOLDER]

Principal variation search with quiescence. The published moves are opinions, some of them doubtful.
Exit code 1 where the whole suite falls below the bar.
"""

# ruff: noqa: T201 a script prints
from __future__ import annotations

import argparse
import json
from pathlib import Path

from bench import run
from parsearch import Coordinator, Limits
from parsearch.games import load_game

BAR = 120
"""Of the 127 positions of the Win At Chess part and Bratko-Kopec, at ten seconds each on two workers."""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--every", type=int, default=1, help="take each n-th position only")
    parser.add_argument("--conformance", type=Path, default=Path("/work/shared/conformance"))
    arguments = parser.parse_args()
    lines = (arguments.conformance / "chess_suites.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines[1:]][:: arguments.every]
    game = load_game("chess")
    solved, depths = 0, 0
    with Coordinator(workers=arguments.workers) as coordinator:
        coordinator.start()
        for row in rows:
            state = game.parse_state(row["fen"])
            limits = Limits(seconds=arguments.seconds)
            result = coordinator.search(game, state, algorithm="pvs", limits=limits, quiescence=True)
            move = game.format_move(state, result.move)
            good = (not row["bm"] or move in row["bm"]) and move not in row["am"]
            solved += good
            depths += result.depth
            wanted = "" if good else f", published {' '.join(row['bm']) or 'not ' + ' '.join(row['am'])}"
            print(f"{row['id']:<8} {move:<6} depth {result.depth:>2} value {result.value:>7}{wanted}", flush=True)
    print(f"solved {solved} of {len(rows)}, {depths / len(rows):.1f} plies deep on average")
    return 0 if arguments.every > 1 or solved >= BAR else 1


if __name__ == "__main__":
    run(main)
