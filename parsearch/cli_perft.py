"""`parsearch perft`: the count that every move generator is tested with."""

from __future__ import annotations

import json
import time
from dataclasses import asdict

from parsearch.cli_game import find_position
from parsearch.cli_output import reserved_stdout
from parsearch.native.perft import Perft, divide
from parsearch.native.perft import perft as count
from parsearch.parallel.task import blaming


def run_perft(
    game_text: str, state_text: str | None, moves_text: str | None, depth: int, divided: bool, as_json: bool
) -> None:
    """Count and write the counts to stdout: one line a move where divided, then nodes, finished games and rate."""
    with reserved_stdout() as out:
        game, state = find_position(game_text, state_text, moves_text)
        started = time.perf_counter()
        with blaming(game, state):
            parts = divide(game, state, depth) if divided else {}
            moves = {game.format_move(state, move): part for move, part in parts.items()}
            total = sum(moves.values(), Perft(0, 0)) if moves else count(game, state, depth)
            position = game.format_state(state)
        seconds = time.perf_counter() - started
        if as_json:
            answer = {"game": game.name, "state": position, "depth": depth, **asdict(total), "seconds": seconds}
            if divided:
                answer["moves"] = {text: asdict(part) for text, part in moves.items()}
            print(json.dumps(answer), file=out)
            return
        for text, part in moves.items():
            print(f"{text}: {part.nodes:,}" + (f" + {part.finished:,} finished" if part.finished else ""), file=out)
        print(f"nodes {total.nodes:,}, finished {total.finished:,}, in {seconds:.3f} s", file=out)
