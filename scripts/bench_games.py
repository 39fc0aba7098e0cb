"""Chess, checkers and Othello on one core beside their peers: nodes, CPU seconds, nodes a second, and bars.

    python scripts/bench_games.py

Peers are measured where they are installed: pip install chess open_spiel, apt-get install stockfish. CPU time, medians
of repeats. Exit code 1 where a bar is missed.
"""

# ruff: noqa: T201 a script prints
from __future__ import annotations

import importlib.util
import resource
import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

from parsearch.games import load_game
from parsearch.native.engine import Options, prepare, search
from parsearch.native.perft import perft

REPEATS = 5
LEAF_BAR = 4 * 14.7e6
"""Chess positions a second, every leaf played: four times what Fairy-Stockfish did here."""

CHECKERS_BAR = 50e6
PYTHON_CHESS_RATIO = 150
STOCKFISH_RATIO = 1

STOCKFISH = shutil.which("stockfish") or shutil.which("/usr/games/stockfish")


def main() -> int:
    return 0 if all([*chess(), *checkers(), *othello()]) else 1


def chess() -> Iterator[bool]:
    rate = count("chess", 6)
    if STOCKFISH:
        nodes, seconds = 119_060_324, stockfish("go perft 6") - stockfish("")
        yield line("  Stockfish, the same", nodes, seconds, rate / (nodes / seconds), STOCKFISH_RATIO)
    rate = visit("chess(eval=material)", "minimax", 5)
    print(f"{'':<44} bar {LEAF_BAR / 1e6:.0f} M/s: {'held' if rate >= LEAF_BAR else 'missed'}")
    yield rate >= LEAF_BAR
    rate = visit("chess(eval=material)", "alphabeta", 6)
    if importlib.util.find_spec("chess"):
        nodes, seconds = python_chess(4)
        ratio = rate / (nodes / seconds)
        yield line("  python-chess, alpha-beta 4", nodes, seconds, ratio, PYTHON_CHESS_RATIO)


def checkers() -> Iterator[bool]:
    rate = count("checkers", 10)
    print(f"{'':<44} bar {CHECKERS_BAR / 1e6:.0f} M/s: {'held' if rate >= CHECKERS_BAR else 'missed'}")
    yield rate >= CHECKERS_BAR
    openspiel("checkers", 5, rate)


def othello() -> Iterator[bool]:
    rate = count("othello", 10)
    openspiel("othello", 5, rate)
    visit("othello", "minimax", 9)
    yield True


def count(name: str, depth: int) -> float:
    """Perft, whose last ply is counted without being played; sequences a second."""
    game = load_game(name)
    root = game.initial_state()
    perft(game, root, 1)
    seconds = [cpu(lambda: perft(game, root, depth)) for _ in range(REPEATS)]
    nodes = perft(game, root, depth).nodes
    line(f"{name}, perft {depth}", nodes, statistics.median(seconds))
    return nodes / statistics.median(seconds)


def visit(name: str, algorithm: str, depth: int) -> float:
    """A search without a table, which plays and evaluates every leaf; nodes a second."""
    game: Any = load_game(name)
    root = game.initial_state()
    options = Options()
    prepare(game, algorithm, options)
    seconds = [cpu(lambda: search(game, root, depth, algorithm=algorithm)) for _ in range(REPEATS)]
    nodes = search(game, root, depth, algorithm=algorithm).nodes
    line(f"{name}, {algorithm} {depth}", nodes, statistics.median(seconds))
    return nodes / statistics.median(seconds)


def stockfish(command: str) -> float:
    """CPU seconds of a Stockfish that is given one command at the start position."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([str(STOCKFISH)], input=f"{command}\nquit\n", text=True, capture_output=True, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def python_chess(depth: int) -> tuple[int, float]:
    """The same search over python-chess: alpha-beta without a table, material at the leaves."""
    import chess

    worth = {chess.PAWN: 1, chess.KNIGHT: 3, chess.BISHOP: 3, chess.ROOK: 5, chess.QUEEN: 9}
    board = chess.Board()
    nodes = 0

    def value(depth: int, alpha: int, beta: int) -> int:
        nonlocal nodes
        nodes += 1
        if depth == 0:
            if not any(board.generate_legal_moves()):
                return -1000 if board.is_check() else 0
            mine, theirs = board.occupied_co[board.turn], board.occupied_co[not board.turn]
            masks = ((board.pieces_mask(kind, True) | board.pieces_mask(kind, False), worth[kind]) for kind in worth)
            return sum(((mask & mine).bit_count() - (mask & theirs).bit_count()) * pawns for mask, pawns in masks)
        best = None
        for move in board.generate_legal_moves():
            board.push(move)
            found = -value(depth - 1, -beta, -alpha)
            board.pop()
            best = found if best is None else max(best, found)
            alpha = max(alpha, best)
            if alpha >= beta:
                break
        if best is None:
            return -1000 if board.is_check() else 0
        return best

    seconds = cpu(lambda: value(depth, -2000, 2000))
    return nodes, seconds


def openspiel(name: str, depth: int, rate: float) -> None:
    """OpenSpiel's rules in C++, walked from Python as its own searches do; the last ply is counted, not played."""
    if not importlib.util.find_spec("pyspiel"):
        print("  OpenSpiel is not installed")
        return
    import pyspiel

    def walk(state: Any, depth: int) -> int:
        if depth == 1 or state.is_terminal():
            return len(state.legal_actions())
        return sum(walk(state.child(action), depth - 1) for action in state.legal_actions())

    found: list[int] = []
    seconds = cpu(lambda: found.append(walk(pyspiel.load_game(name).new_initial_state(), depth)))
    line(f"  OpenSpiel, depth {depth}", found[0], seconds, rate / (found[0] / seconds))


def cpu(work: Callable[[], Any]) -> float:
    started = time.process_time()
    work()
    return time.process_time() - started


def line(what: str, nodes: int, seconds: float, ratio: float | None = None, bar: float | None = None) -> bool:
    """Print a figure; ratio: how many times as fast parsearch is. Whether that reaches the bar."""
    held = ratio is None or bar is None or ratio >= bar
    note = "" if ratio is None else f"  parsearch {ratio:,.1f} x"
    if bar is not None:
        note += f", bar {bar:g}: {'held' if held else 'missed'}"
    print(f"{what:<32} {nodes:>13,} nodes {seconds:>8.3f} s {nodes / seconds / 1e6:>8.2f} M/s{note}", flush=True)
    return held


if __name__ == "__main__":
    sys.exit(main())
