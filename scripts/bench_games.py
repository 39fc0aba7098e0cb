"""Chess, checkers and Othello on one core beside their peers: nodes, CPU seconds, nodes a second, and bars.

    python scripts/bench_games.py

Peers are measured where they are installed: pip install chess open_spiel, apt-get install stockfish fairy-stockfish.
CPU time, medians of repeats. Exit code 1 where a bar is missed.
"""

# ruff: noqa: T201 a script prints
from __future__ import annotations

import importlib.util
import resource
import shutil
import statistics
import subprocess
from collections.abc import Callable, Iterator
from typing import Any

import numba
import numpy as np
from numpy import int64, uint64

from bench import cpu, run
from parsearch.games import load_game
from parsearch.native.build import Features, load_kernel
from parsearch.native.engine import prepare, search
from parsearch.native.perft import perft

REPEATS = 5
LEAF_BAR = 4 * 14.7e6
"""Chess leaves played a second: four times the most that Fairy-Stockfish counted here without playing them."""

CHECKERS_BAR = 50e6
FAIRY_RATIO = 4
PYTHON_CHESS_RATIO = 150
STOCKFISH_RATIO = 1


def main() -> int:
    return 0 if all([*chess(), *checkers(), *othello()]) else 1


def chess() -> Iterator[bool]:
    rate = count("chess", 6)
    yield from engine("stockfish", "Stockfish", rate, STOCKFISH_RATIO)
    rate = walk("chess", 5)
    yield bar(rate, LEAF_BAR)
    yield from engine("fairy-stockfish", "Fairy-Stockfish", rate, FAIRY_RATIO)
    visit("chess(eval=material)", "minimax", 5)
    rate = visit("chess(eval=material)", "alphabeta", 6)
    if importlib.util.find_spec("chess"):
        nodes, seconds = python_chess(4)
        ratio = rate / (nodes / seconds)
        yield line("  python-chess, alpha-beta 4", nodes, seconds, ratio, PYTHON_CHESS_RATIO)


def checkers() -> Iterator[bool]:
    rate = count("checkers", 10)
    yield bar(rate, CHECKERS_BAR)
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
    return repeated(f"{name}, perft {depth}", lambda: perft(game, root, depth).nodes)


def walk(name: str, depth: int) -> float:
    """Perft that plays the last ply too, each of its positions to the last word; sequences a second."""
    game: Any = load_game(name)
    root = tuple(map(uint64, game.initial_state()))
    rules = load_kernel(game.rules, Features("perft")).run.py_func.__globals__
    legal_moves, play = rules["legal_moves"], rules["play"]
    pair, words = numba.types.UniTuple(numba.uint64, 2), numba.types.UniTuple(numba.uint64, len(root))

    @numba.njit(pair(words, numba.int64[:, ::1], numba.int64), boundscheck=False)
    def leaves(state: Any, buffers: Any, left: int) -> Any:
        """How many there are, and a sum of all their words: what nobody uses the compiler would not compute."""
        moves = buffers[left]
        count = legal_moves(state, moves)
        nodes, total = uint64(0), uint64(0)
        for index in range(count):
            child = play(state, moves[index])
            if left == 1:
                nodes += uint64(1)
                for word in child:
                    total += word
            else:
                below = leaves(child, buffers, left - 1)
                nodes += below[0]
                total += below[1]
        return nodes, total

    buffers = np.zeros((depth + 1, game.max_moves), int64)
    return repeated(f"{name}, perft {depth}, leaves played", lambda: leaves(root, buffers, depth)[0])


def visit(name: str, algorithm: str, depth: int) -> float:
    """A search without a table, which plays and evaluates every leaf; nodes a second."""
    game: Any = load_game(name)
    root = game.initial_state()
    prepare(game, algorithm)
    return repeated(f"{name}, {algorithm} {depth}", lambda: search(game, root, depth, algorithm=algorithm).nodes)


def repeated(what: str, work: Callable[[], int]) -> float:
    """Time what visits and returns a number of nodes; nodes a second."""
    runs = [cpu(work) for _ in range(REPEATS)]
    nodes, seconds = runs[0][1], statistics.median(seconds for seconds, _ in runs)
    line(what, nodes, seconds)
    return nodes / seconds


def engine(program: str, name: str, rate: float, ratio: float) -> Iterator[bool]:
    """Perft 6 by another program in C++, which counts the last ply; nothing where it is not installed."""
    path = shutil.which(program) or shutil.which(f"/usr/games/{program}")
    if path is None:
        print(f"  {name} is not installed")
        return
    nodes, seconds = 119_060_324, engine_seconds(path, "go perft 6") - engine_seconds(path, "")
    yield line(f"  {name}, perft 6", nodes, seconds, rate / (nodes / seconds), ratio)


def engine_seconds(path: str, command: str) -> float:
    """CPU seconds of a program that is given one command at the start position."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([path], input=f"{command}\nquit\n", text=True, capture_output=True, check=True)
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

    seconds, _ = cpu(lambda: value(depth, -2000, 2000))
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

    seconds, nodes = cpu(lambda: walk(pyspiel.load_game(name).new_initial_state(), depth))
    line(f"  OpenSpiel, depth {depth}", nodes, seconds, rate / (nodes / seconds))


def line(what: str, nodes: int, seconds: float, ratio: float | None = None, bar: float | None = None) -> bool:
    """Print a figure; ratio: how many times as fast parsearch is. Whether that reaches the bar."""
    held = ratio is None or bar is None or ratio >= bar
    note = "" if ratio is None else f"  parsearch {ratio:,.1f} x"
    if bar is not None:
        note += f", bar {bar:g}: {'held' if held else 'missed'}"
    print(f"{what:<32} {nodes:>13,} nodes {seconds:>8.3f} s {nodes / seconds / 1e6:>8.2f} M/s{note}", flush=True)
    return held


def bar(rate: float, least: float) -> bool:
    """Print whether a rate reaches its bar."""
    print(f"{'':<44} bar {least / 1e6:.1f} M/s: {'held' if rate >= least else 'missed'}")
    return rate >= least


if __name__ == "__main__":
    run(main)
