"""Splitting below the root orders work and decides nothing: value and first best move are minimax's, whatever the
grain, the order of completion, and the tasks that are stopped or told a narrower window on the way."""

from __future__ import annotations

import math
import random
from dataclasses import replace
from typing import Any

import pytest

from cases import AnyTurns, random_node
from parsearch.algorithms import Effort, find_algorithm, minimax
from parsearch.core.game import score_for
from parsearch.core.window import Window
from parsearch.games import load_game
from parsearch.parallel.branch import LEAST_SECONDS, MOST_SECONDS, SAMPLE, Branch, Grain, Place
from parsearch.parallel.eldest_first import EldestFirst
from parsearch.parallel.proof import Proof
from parsearch.parallel.split import DIVIDE_SECONDS, RootBranches
from parsearch.parallel.task import Task, run_task


def drive(split: RootBranches, workers: int, rng: random.Random) -> int:
    """Perform the tasks of a split in random order and time, some of them given back or narrowed; how many were
    searched."""
    held: list[Task] = []
    searched = 0
    split.clock, split.resumes = lambda: now, True
    now = 0.0
    while not split.done:
        now += rng.random() * DIVIDE_SECONDS
        while len(held) < workers and (task := split.next_task()) is not None:
            assert task.path not in [other.path for other in held]
            held.append(task)
        task = held.pop(rng.randrange(len(held)))
        wanted = split.wanted(task)
        if rng.random() < 0.1 or wanted is None:
            split.give_back(task)
            continue
        window = wanted if rng.random() < 0.5 else task.window
        split.add(task, run_task(split.game, replace(task, window=window)))
        searched += 1
    return searched


@pytest.mark.parametrize("algorithm", ["alphabeta", "pvs", "solving"])
@pytest.mark.parametrize("grain", [None, 1, 3])
@pytest.mark.parametrize("workers", [1, 4])
def test_value_and_first_best_move(algorithm: str, grain: int | None, workers: int) -> None:
    game: Any = AnyTurns()
    for seed in range(100):
        rng = random.Random(seed)
        state, depth = random_node(rng, 6), rng.randint(2, 6)
        if algorithm == "solving":
            depth = 7
        if game.is_terminal(state):
            continue
        mover, moves = game.to_move(state), game.legal_moves(state)
        values = [
            score_for(game, minimax(game, game.play(state, move), depth - 1, Effort())[0], mover) for move in moves
        ]
        split: RootBranches
        if algorithm == "solving":
            split = Proof(game, state, depth, find_algorithm(game, "alphabeta"), guess=rng.randint(-3, 3))
        else:
            split = EldestFirst(game, state, depth, find_algorithm(game, algorithm))
        split.places, split.grain = workers, Grain(grain)
        drive(split, workers, rng)
        answer = split.answer()
        assert score_for(game, answer.score, mover) == max(values)
        assert answer.best == values.index(max(values))
        for move in answer.pv:
            assert move in game.legal_moves(state)
            state = game.play(state, move)
        for entry, value in zip(split.root_moves(), values, strict=True):
            assert entry is not None or algorithm == "solving"
            if entry is not None:
                assert {"exact": entry.value == value, "upper": entry.value >= value, "lower": entry.value <= value}[
                    entry.bound
                ]


def asked(game: Any, workers: int) -> Proof:
    """A split that solves the game from its beginning, for so many places."""
    split = Proof(game, game.initial_state(), game.max_plies(game.initial_state()), find_algorithm(game, "alphabeta"))
    split.places, split.resumes = workers, True
    return split


def test_a_task_that_takes_long_is_divided_where_places_have_nothing_to_do() -> None:
    game: Any = load_game("connect4")
    split = asked(game, 2)
    now = 0.0
    split.clock = lambda: now
    first = split.next_task()
    assert first is not None
    assert split.wanted(first) == first.window
    held = [first]
    while (task := split.next_task()) is not None:  # what may be in vain, as long as there are places
        held.append(task)
    assert split.wanted(first) == first.window  # it has only begun
    now += DIVIDE_SECONDS
    assert split.next_task() is None
    assert split.wanted(first) is None  # it is to stop
    for task in held:
        split.give_back(task)
    parts = [split.next_task(), split.next_task()]
    assert all(part is not None and part.path[:-1] == first.path for part in parts)

    split = asked(game, 2)
    split.clock, split.resumes = lambda: now, False  # without a table it would begin anew
    first = split.next_task()
    assert first is not None
    now += DIVIDE_SECONDS
    while split.next_task() is not None:
        pass
    assert split.wanted(first) == first.window


def test_young_brothers_wait_for_the_eldest() -> None:
    game: Any = AnyTurns()
    seed = next(s for s in range(100) if len(game.legal_moves(random_node(random.Random(s), 5))) > 2)
    state = random_node(random.Random(seed), 5)
    split = EldestFirst(game, state, 5, find_algorithm(game, "alphabeta"))
    split.places, split.grain = 8, Grain(3)
    first = split.next_task()
    assert first is not None
    assert first.path[0] == 0
    assert split.next_task() is None  # everything else waits for the first line of play
    split.add(first, run_task(game, first))
    second = split.next_task()
    assert second is not None
    assert second.path != first.path


def test_bounds_of_an_expanded_node() -> None:
    game: Any = AnyTurns()
    for seed in range(50):
        state = random_node(random.Random(seed), 3)
        if game.is_terminal(state):
            continue
        value, _ = minimax(game, state, 3, Effort())
        branch = Branch(game, (0,), "x", state, 3)
        while not branch.settles(Window()):
            found = branch.likeliest(Place(Window(), 1.0, True), Grain(1), None)
            assert found is not None
            leaf = found.branch
            assert branch.least <= value <= branch.most
            task = Task(leaf.path, leaf.text, leaf.state, leaf.depth, found.window, "alphabeta")
            branch.add(leaf.path[1:], run_task(game, task))
        assert branch.least == branch.most == value


def test_the_grain_follows_what_tasks_take() -> None:
    grain = Grain(5)
    for _ in range(SAMPLE):
        grain.learn(5, LEAST_SECONDS / 2)
        grain.learn(4, MOST_SECONDS * 2)  # smaller than it asks for
    assert grain.depth == 6
    for _ in range(SAMPLE):
        grain.learn(6, MOST_SECONDS * 2)
    assert grain.depth == 5


def test_the_first_guess_of_the_grain() -> None:
    game: Any = AnyTurns()
    state = random_node(random.Random(1), 3)
    grain = Grain()
    grain.guess(game, state, 3)
    assert grain.depth is not None
    assert grain.depth >= 3  # so small a tree is one task
    assert math.isfinite(grain.depth)
