"""Every sequential algorithm answers what others computed: value, set of best moves, and the published effort."""

import math
from typing import Any

import pytest

from cases import COMPILED_SETS, PLAIN_SETS, Case, conformance, knuth_moore_tree, params, random_tree, tree_nodes
from parsearch.algorithms import ALGORITHMS, Effort, alphabeta, find_algorithm, moves_of
from parsearch.core.game import Game, score_for
from parsearch.core.window import Window
from parsearch.games import load_game

FOREVER = 10**6
EXHAUSTIVE_NODES = 50_000
"""Positions that a search of everything may visit here; the slow rows get twenty times as many."""


class LeafRecorder(Game[Any, Any]):
    """The tree game, noting every leaf that is evaluated."""

    def __init__(self) -> None:
        self.inner = load_game("tree")
        self.leaves: list[Any] = []
        for name in ("initial_state", "to_move", "legal_moves", "play", "is_terminal"):
            setattr(self, name, getattr(self.inner, name))

    def evaluate(self, state: Any) -> Any:
        self.leaves.append(state.node)
        return self.inner.evaluate(state)

    initial_state = to_move = legal_moves = play = is_terminal = None  # type: ignore[assignment]


def search(case: Case, name: str, state: Any, effort: Effort) -> tuple[Any, tuple[Any, ...]]:
    """Score and line of `state`, for paranoid seen from the root of the case."""
    algorithm = find_algorithm(case.game, name)
    view = algorithm.view(case.game, case.state)
    score, line = algorithm.search(view, state, FOREVER, Window(), effort)
    return score, moves_of(line)


def worth(case: Case, name: str, score: Any) -> float:
    """A score of that search for the player to move at the root."""
    return score if name == "paranoid" else score_for(case.game, score, case.game.to_move(case.state))


@pytest.mark.parametrize("case", [*params(*COMPILED_SETS, count=3, slow=0), *params(*PLAIN_SETS)])
def test_value_and_best_moves(case: Case, request: pytest.FixtureRequest) -> None:
    slow = request.node.get_closest_marker("slow") is not None
    nodes = tree_nodes(case.game, case.state, EXHAUSTIVE_NODES * (20 if slow else 1))
    for name in case.algorithms:
        exhaustive = not ALGORITHMS[name].prunes
        if exhaustive and nodes is None:
            assert len(case.algorithms) > 1, f"{case.id} is too large for {name}, its only algorithm"
            continue
        effort = Effort()
        score, line = search(case, name, case.state, effort)
        assert worth(case, name, score) == case.value, name
        assert not effort.estimated
        if case.scores is not None:
            assert score == case.scores
        if exhaustive:
            assert effort.nodes == nodes, f"{name} visits every position once"
        end = case.state
        for move in line:
            assert move in case.game.legal_moves(end)
            end = case.game.play(end, move)
        assert case.game.is_terminal(end)
        assert (
            worth(case, name, find_algorithm(case.game, name).view(case.game, case.state).evaluate(end)) == case.value
        )
        if case.best_moves is not None:
            assert line[:1] == case.best_moves[:1], f"{name} answers the first of the best moves"
            children = {move: case.game.play(case.state, move) for move in case.game.legal_moves(case.state)}
            values = {
                move: worth(case, name, search(case, name, child, Effort())[0]) for move, child in children.items()
            }
            assert tuple(move for move in children if values[move] == case.value) == case.best_moves, name


@pytest.mark.parametrize("row", conformance("explicit_trees") or (), ids=lambda row: row["name"])
def test_alphabeta_visits_leaves_in_the_published_order(row: dict[str, Any]) -> None:
    game = LeafRecorder()
    alphabeta(game, load_game("tree").parse_state(str(row["tree"])), FOREVER, -math.inf, math.inf, Effort())
    assert game.leaves == row["alphabeta_leaf_sequence"]


def count(state: Any) -> tuple[int, int]:
    """Leaves and interior nodes that alpha-beta visits in an explicit tree."""
    game, effort = LeafRecorder(), Effort()
    alphabeta(game, state, FOREVER, -math.inf, math.inf, effort)
    return len(game.leaves), effort.nodes - len(game.leaves)


def test_alphabeta_effort_on_random_trees() -> None:
    for row in conformance("random_trees") or pytest.skip("set PARSEARCH_CONFORMANCE"):
        if row["leaves"] <= 5000:
            assert count(random_tree(row)) == (row["alphabeta_leaves"], row["alphabeta_interior"]), row


def test_alphabeta_visits_the_minimal_tree_of_knuth_and_moore() -> None:
    for row in conformance("knuth_moore") or pytest.skip("set PARSEARCH_CONFORMANCE"):
        assert row["visited_best_first"] == row["minimal_leaves"]
        for best_first in (True, False):
            visited = row["visited_best_first" if best_first else "visited_worst_first"]
            assert count(knuth_moore_tree(row, best_first))[0] == visited, row
