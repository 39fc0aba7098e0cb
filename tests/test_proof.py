"""Exact solving asks yes-or-no questions; in whatever order they are answered, value and move are minimax's."""

from __future__ import annotations

import random
from typing import Any

import pytest

from cases import AnyTurns, Node, random_node
from parsearch.algorithms import Effort, find_algorithm, minimax
from parsearch.core.game import score_for
from parsearch.parallel.proof import Proof
from parsearch.parallel.task import Task, run_task


class Bounded(AnyTurns):
    """With a hook that knows more or less of a position's value, and one that promises nonsense."""

    def bounds(self, state: Node) -> tuple[int, int]:
        value, _ = minimax(self, state, 99, Effort())
        rng = random.Random(repr(state))
        return value - rng.randint(0, 2), value + rng.randint(0, 2)

    def order(self, state: Node, move: int) -> int:
        return random.Random(repr(state) + str(move)).randint(0, 3)


@pytest.mark.parametrize("kind", [AnyTurns, Bounded])
@pytest.mark.parametrize(("places", "workers"), [(1, 1), (1, 3), (2, 2), (3, 5)])
def test_value_and_first_best_move(kind: type[AnyTurns], places: int, workers: int) -> None:
    game: Any = kind()
    algorithm = find_algorithm(game, "alphabeta")
    for seed in range(200):
        rng = random.Random(seed)
        state = random_node(rng, 5)
        if game.is_terminal(state):
            continue
        mover, moves = game.to_move(state), game.legal_moves(state)
        values = [score_for(game, minimax(game, game.play(state, move), 99, Effort())[0], mover) for move in moves]
        split = Proof(game, state, 5, algorithm, guess=rng.randint(-3, 3))
        split.places = places
        held: list[Task] = []
        while not split.done:
            while len(held) < workers and (task := split.next_task()) is not None:
                held.append(task)
            task = held.pop(rng.randrange(len(held)))
            if rng.random() < 0.1:
                split.give_back(task)
            else:
                split.add(task, run_task(game, task))
        answer = split.answer()
        assert score_for(game, answer.score, mover) == max(values)
        assert answer.best == values.index(max(values))
        assert answer.pv[0] == moves[answer.best]
        for entry, value in zip(answer.root_moves, values, strict=True):
            assert value == entry.value if entry.bound == "exact" else value <= entry.value
        assert not answer.estimated


def test_many_places_ask_few_thresholds() -> None:
    game: Any = AnyTurns()
    state = Node(0, 0, tuple(Node(0, value) for value in range(64)))  # each move a little better than the one before
    split = Proof(game, state, 2, find_algorithm(game, "alphabeta"))
    split.places = 8
    held: list[Task] = []
    windows = set()
    while not split.done:
        while len(held) < split.places and (task := split.next_task()) is not None:
            held.append(task)
            windows.add(task.window)
        task = held.pop(0)
        if split.wanted(task) is None:
            split.give_back(task)
        else:
            split.add(task, run_task(game, task))
    assert split.answer().score == 63
    assert len(windows) < 16
