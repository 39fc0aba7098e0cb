"""The algorithms keep their window contracts, agree with plain minimax, and stop at their limits, whatever the game."""

import math
import random
import time
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cases import AnyTurns, Node, random_node
from parsearch.algorithms import Effort, Stopped, alphabeta, find_algorithm, maxn, minimax, moves_of, paranoid, pvs
from parsearch.core.errors import AlgorithmError, GameError
from parsearch.games import load_game

FULL = (-math.inf, math.inf)

nodes = st.builds(
    lambda seed, integer: (AnyTurns(integer=integer), random_node(random.Random(seed), 5, integer=integer)),
    st.integers(0, 10**9),
    st.booleans(),
)
bounds = st.one_of(st.sampled_from((-math.inf, math.inf)), st.integers(-3, 3), st.floats(-0.3, 0.3))


@settings(max_examples=400, deadline=None)
@given(nodes, st.integers(0, 6), bounds, bounds)
def test_windows(game_and_state: tuple[AnyTurns, Node], depth: int, one: float, other: float) -> None:
    game, state = game_and_state
    alpha, beta = min(one, other), max(one, other)
    if alpha == beta:
        alpha, beta = FULL
    true = minimax(game, state, depth, Effort())[0]
    for search in (alphabeta, pvs):
        effort = Effort()
        value, line = search(game, state, depth, alpha, beta, effort)
        if value <= alpha:
            assert true <= value
        elif value >= beta:
            assert true >= value
        else:
            assert true == value
            end = state
            for move in moves_of(line):
                end = game.play(end, move)
            assert end.score == value, "the principal variation ends at the value"


@settings(max_examples=300, deadline=None)
@given(nodes, st.integers(1, 6))
def test_full_window_gives_the_move_of_minimax(game_and_state: tuple[AnyTurns, Node], depth: int) -> None:
    game, state = game_and_state
    value, line = minimax(game, state, depth, Effort())
    for search in (alphabeta, pvs):
        effort = Effort()
        assert search(game, state, depth, *FULL, effort)[0] == value
        assert moves_of(search(game, state, depth, *FULL, Effort())[1])[:1] == moves_of(line)[:1]


def brute_minimax(state: Node, depth: int) -> Any:
    """Written apart from the library: the leaves' scores, folded up."""
    if depth == 0 or not state.children:
        return state.score
    return (max, min)[state.player](brute_minimax(child, depth - 1) for child in state.children)


def brute_maxn(state: Node, depth: int) -> Any:
    if depth == 0 or not state.children:
        return state.score
    return max((brute_maxn(child, depth - 1) for child in state.children), key=lambda scores: scores[state.player])


def brute_paranoid(state: Node, depth: int, player: int) -> Any:
    if depth == 0 or not state.children:
        return state.score[player]
    pick = max if state.player == player else min
    return pick(brute_paranoid(child, depth - 1, player) for child in state.children)


@settings(max_examples=200, deadline=None)
@given(st.integers(0, 10**9), st.integers(0, 6), st.booleans())
def test_against_brute_force(seed: int, depth: int, integer: bool) -> None:
    rng = random.Random(seed)
    two = random_node(rng, 5, integer=integer)
    assert minimax(AnyTurns(integer=integer), two, depth, Effort())[0] == brute_minimax(two, depth)
    players = rng.randint(3, 5)
    game, state = AnyTurns(players, integer), random_node(rng, 5, players, integer)
    scores, line = maxn(game, state, depth, Effort())
    assert scores == brute_maxn(state, depth)
    end = state
    for move in moves_of(line):
        end = game.play(end, move)
    assert end.score == scores
    value = paranoid(game, state, depth, *FULL, Effort())[0]
    assert value == brute_paranoid(state, depth, state.player)


def test_seed_tree_has_value_3() -> None:
    game = load_game("tree")
    state = game.parse_state("[[[-1,3],[5,1]],[[-6,-4],[0,9]]]")
    assert state == game.initial_state()
    for search in (alphabeta, pvs):
        assert search(game, state, 3, *FULL, Effort())[0] == 3
    value, line = minimax(game, state, 3, Effort())
    assert (value, moves_of(line)) == (3, (0, 0, 1))


def test_seed_tictactoe_o_to_move_plays_the_centre() -> None:
    """O (MIN) is to move, the value for MAX is -1, and the centre is the move."""
    game = load_game("tictactoe")
    state = game.parse_state("--X--OXOX O")
    assert game.to_move(state) == 1
    for value, line in (
        minimax(game, state, 9, Effort()),
        alphabeta(game, state, 9, *FULL, Effort()),
        pvs(game, state, 9, *FULL, Effort()),
    ):
        assert value == -1
        assert game.format_move(state, moves_of(line)[0]) == "b2"


@pytest.mark.parametrize("name", ["minimax", "alphabeta", "pvs"])
def test_effort_nodes(name: str) -> None:
    game = load_game("tictactoe")
    state = game.parse_state("XO-------")

    def search(effort: Effort) -> Any:
        window = () if name == "minimax" else FULL
        return {"minimax": minimax, "alphabeta": alphabeta, "pvs": pvs}[name](game, state, 9, *window, effort)

    needed = Effort()
    answer = search(needed)
    enough, short = Effort(nodes=needed.nodes), Effort(nodes=needed.nodes - 1)
    assert search(enough) == answer
    with pytest.raises(Stopped):
        search(short)
    assert short.nodes == needed.nodes - 1, "no node above the limit is counted"


def test_effort_seconds_and_stop() -> None:
    game = load_game("connect4")
    start = time.monotonic()
    with pytest.raises(Stopped):
        minimax(game, game.initial_state(), 42, Effort(seconds=0.05))
    assert time.monotonic() - start < 2
    asked = iter([False] * 100 + [True])
    effort = Effort(stop=lambda: next(asked))
    with pytest.raises(Stopped):
        minimax(game, game.initial_state(), 42, effort)
    assert effort.nodes == 100


def test_effort_knows_whether_the_depth_cut_anything_off() -> None:
    game = load_game("tictactoe")
    state = game.parse_state("XOXOXO---")
    for depth, estimated in ((1, True), (2, True), (3, False), (9, False)):
        effort = Effort()
        minimax(game, state, depth, effort)
        assert effort.estimated == estimated, depth


def test_an_algorithm_that_does_not_fit_is_refused() -> None:
    assert find_algorithm(load_game("nim")).name == "alphabeta"
    assert find_algorithm(load_game("nim(3)")).name == "maxn"
    with pytest.raises(AlgorithmError, match=r"pvs is for zero-sum games, but nim\(3\) .*; use one of maxn, paranoid"):
        find_algorithm(load_game("nim(3)"), "pvs")
    with pytest.raises(AlgorithmError, match=r"maxn is for payoff tuples.*; use one of minimax, alphabeta, pvs"):
        find_algorithm(load_game("nim"), "maxn")
    with pytest.raises(AlgorithmError, match="there is no algorithm 'mcts'; for nim use one of minimax"):
        find_algorithm(load_game("nim"), "mcts")
    odd = AnyTurns(players=3)
    odd.zero_sum = True
    with pytest.raises(GameError, match="zero sum for 3 players; set zero_sum=False"):
        find_algorithm(odd)
