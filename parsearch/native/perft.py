"""Perft: counting move sequences, the classic test of a move generator."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from parsearch.core.game import Game
from parsearch.native import layout
from parsearch.native.build import Features, load_kernel
from parsearch.native.engine import SLICE_NODES
from parsearch.native.game import CompiledGame


@dataclass(frozen=True, slots=True)
class Perft:
    """nodes: sequences of legal moves of full length. finished: games that ended before."""

    nodes: int
    finished: int

    def __add__(self, other: Perft) -> Perft:
        return Perft(self.nodes + other.nodes, self.finished + other.finished)


def perft(game: Game[Any, Any], state: Any, depth: int) -> Perft:
    """Count the sequences of `depth` legal moves from a state, natively where the game is compiled."""
    if depth == 0:
        return Perft(1, 0)
    if game.is_terminal(state):
        return Perft(0, 1)
    if isinstance(game, CompiledGame) and game.is_native:
        return _native(game, state, depth)
    return _plain(game, state, depth)


def divide(game: Game[Any, Any], state: Any, depth: int) -> dict[Any, Perft]:
    """Perft of each move of a state, in the game's order: finds a wrong move by comparison with another program."""
    if depth == 0:
        return {}
    return {move: perft(game, game.play(state, move), depth - 1) for move in game.legal_moves(state)}


def _plain(game: Game[Any, Any], state: Any, depth: int) -> Perft:
    moves = game.legal_moves(state)
    if not moves:
        return Perft(0, 1)
    if depth == 1:
        return Perft(len(moves), 0)
    return sum((_plain(game, game.play(state, move), depth - 1) for move in moves), Perft(0, 0))


def _native(game: CompiledGame, state: tuple[int, ...], depth: int) -> Perft:
    kernel = load_kernel(game.rules, Features("perft"))
    control = np.zeros(layout.CONTROLS, np.int64)
    control[layout.DEPTH] = depth
    words = np.zeros((depth, kernel.words), np.uint64)
    words[0] = state
    moves = np.zeros((depth, game.max_moves), np.int64)
    frames = np.zeros((depth, layout.FRAME), np.int64)
    while control[layout.STATUS] != layout.FINISHED:
        kernel.run(control, words, moves, frames, int(control[layout.NODES]) + SLICE_NODES)
    return Perft(int(control[layout.NODES]), int(control[layout.PLAYER]))
