"""Limits decide how deep a search gets, never what it answers there; what can't end is refused."""

from __future__ import annotations

import math
import time
from typing import Any

import numpy as np
import pytest

from backends import ShuffledWorkers, search_shuffled
from parsearch import AlgorithmError, GameError, Limits, LimitsError, Progress, load_game, search
from plain import PlainConnect4

CONNECT4 = PlainConnect4()
TICTACTOE = load_game("tictactoe")


class Endless(type(load_game("nim"))):  # type: ignore[misc]
    """Nim that does not know how long it lasts."""

    def max_plies(self, state: Any) -> None:
        return None


@pytest.mark.parametrize(
    "asked",
    [
        {"depth": -1},
        {"depth": 1.5},
        {"depth": True},
        {"nodes": 0},
        {"seconds": 0},
        {"seconds": -1.0},
        {"seconds": math.nan},
        {"seconds": math.inf},
        {"seconds": "3"},
    ],
)
def test_senseless_limits_are_refused_with_the_value(asked: dict[str, Any]) -> None:
    (value,) = asked.values()
    with pytest.raises(LimitsError, match=str(value)):
        Limits(**asked)


def test_no_limit_searches_to_the_end_of_the_game() -> None:
    result = search(TICTACTOE, workers=0)
    assert (result.value, result.depth, result.complete) == (0, 9, True)


def test_no_limit_is_refused_where_the_game_may_not_end() -> None:
    with pytest.raises(LimitsError, match=r"nim.*max_plies.*depth, seconds or nodes"):
        search(Endless(), workers=0)


def test_a_game_of_unknown_length_is_still_proven_when_no_line_is_cut_off() -> None:
    game = Endless()
    result = search(game, game.parse_state("1,2,3"), limits=Limits(seconds=60), workers=0)
    assert (result.value, result.depth, result.complete) == (-1, 6, True)


def test_depth_beyond_the_end_is_the_end() -> None:
    result = search(TICTACTOE, TICTACTOE.parse_state("XOXOXO---"), limits=Limits(depth=50), workers=0)
    assert (result.depth, result.complete) == (3, True)


def test_terminal_root_has_no_move_and_its_utility() -> None:
    result = search(TICTACTOE, TICTACTOE.parse_state("XXXOO----"), limits=Limits(depth=3), workers=0)
    assert (result.move, result.value, result.scores, result.pv, result.depth, result.complete) == (
        None,
        -1,  # O is to move, and has lost
        (1, -1),
        (),
        0,
        True,
    )
    assert result.root_moves == result.best_moves == ()


def test_depth_0_is_the_evaluation() -> None:
    game = load_game("tree")
    result = search(game, limits=Limits(depth=0), workers=0)
    assert (result.move, result.value, result.pv, result.complete) == (
        None,
        game.evaluate(game.initial_state()),
        (),
        True,
    )


@pytest.mark.parametrize("algorithm", ["minimax", "alphabeta", "pvs"])
def test_node_limit_stops_at_the_deepest_depth_that_fits(algorithm: str) -> None:
    # What an iteration costs is known from searching it alone; one node less than the sum must not do.
    state = CONNECT4.parse_state("4")
    answers = {}
    for depth in (1, 2, 3, 4):
        limits = Limits(depth=depth, nodes=10**9)
        answers[depth] = search(CONNECT4, state, algorithm=algorithm, limits=limits, workers=0)
    for depth in (2, 3, 4):
        enough = Limits(nodes=answers[depth].nodes)
        result = search(CONNECT4, state, algorithm=algorithm, limits=enough, workers=0)
        assert (result.depth, result.value, result.move) == (depth, answers[depth].value, answers[depth].move)
        assert not result.complete
        assert result.nodes <= answers[depth].nodes + 1  # the root of the next iteration was looked at
        short = Limits(nodes=answers[depth].nodes - 1)
        assert search(CONNECT4, state, algorithm=algorithm, limits=short, workers=0).depth == depth - 1


def test_node_limit_is_kept_by_all_workers_together() -> None:
    state = CONNECT4.parse_state("4")
    whole = search(CONNECT4, state, algorithm="minimax", limits=Limits(depth=4, nodes=10**9), workers=0)
    for nodes, depth in ((whole.nodes, 4), (whole.nodes - 1, 3)):
        result = search_shuffled(CONNECT4, state, ShuffledWorkers(5), "minimax", Limits(nodes=nodes))
        assert result.depth == depth


def test_a_limit_before_depth_1_gives_the_first_legal_move_and_no_value() -> None:
    result = search(CONNECT4, limits=Limits(nodes=1), workers=0)
    assert (result.move, result.value, result.depth, result.complete) == (4, None, 0, False)
    assert result.root_moves == ()
    assert "unknown" in str(result)


def test_seconds_end_the_search_with_a_completed_answer() -> None:
    started = time.monotonic()
    result = search(CONNECT4, limits=Limits(seconds=0.3), workers=0)
    assert time.monotonic() - started < 5  # generous: other work may share the machine
    assert not result.complete
    assert result.depth >= 1
    exact = search(CONNECT4, limits=Limits(depth=result.depth), workers=0)
    assert (result.value, result.move) == (exact.value, exact.move)


def test_a_proven_position_stops_before_its_time() -> None:
    started = time.monotonic()
    result = search(TICTACTOE, TICTACTOE.parse_state("XX-OO----"), limits=Limits(seconds=100), workers=0)
    assert time.monotonic() - started < 50
    assert (result.value, result.complete) == (1, True)


def test_the_callers_stop_ends_the_search_with_the_deepest_answer() -> None:
    depths: list[int] = []
    result = search(
        CONNECT4,
        limits=Limits(seconds=100),
        workers=0,
        progress=lambda report: depths.append(report.depth),
        stop=lambda: bool(depths) and depths[-1] == 4,
    )
    assert (result.depth, result.complete) == (3, False)


def test_a_search_that_may_be_stopped_has_an_answer_when_it_is() -> None:
    depths: list[int] = []
    result = search(
        CONNECT4,
        limits=Limits(depth=30),
        workers=0,
        progress=lambda report: depths.append(report.depth),
        stop=lambda: bool(depths) and depths[-1] == 5,
    )
    assert (result.depth, result.complete) == (4, False)
    through = search(CONNECT4, limits=Limits(depth=5), workers=0, stop=lambda: False)
    assert (through.depth, through.complete) == (5, True)


def test_progress_reports_every_root_move_once_it_is_known() -> None:
    reports: list[Progress] = []
    result = search(CONNECT4, limits=Limits(depth=3), algorithm="minimax", workers=0, progress=reports.append)
    assert [sum(entry is not None for entry in report.root_moves) for report in reports] == list(range(8))
    assert reports[-1].root_moves == result.root_moves
    assert (reports[-1].move, reports[-1].value, reports[-1].nodes) == (result.move, result.value, result.nodes)
    assert [report.pending for report in reports] == [7, 6, 5, 4, 3, 2, 1, 0]


def test_what_a_callback_raises_is_not_blamed_on_the_game() -> None:
    def fail(report: Progress) -> None:
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        search(CONNECT4, limits=Limits(depth=2), workers=0, progress=fail)


@pytest.mark.parametrize(
    ("game", "algorithm", "fitting"),
    [
        ("connect4", "maxn", "minimax, alphabeta, pvs"),
        ("connect4", "paranoid", "minimax, alphabeta, pvs"),
        ("mnk(3,3,3,3)", "alphabeta", "maxn, paranoid"),
        ("connect4", "negamax", "minimax, alphabeta, pvs"),
    ],
)
def test_an_algorithm_that_does_not_fit_is_refused_with_those_that_do(game: str, algorithm: str, fitting: str) -> None:
    with pytest.raises(AlgorithmError, match=fitting):
        search(load_game(game), algorithm=algorithm, workers=0)


def test_the_default_algorithm_follows_the_kind_of_game() -> None:
    assert search(TICTACTOE, workers=0).algorithm == "alphabeta"
    three = load_game("nim(3)")
    assert search(three, three.parse_state("1,2"), workers=0).algorithm == "maxn"


def test_paranoid_knows_the_root_players_score_only() -> None:
    game = load_game("nim(3)")
    result = search(game, game.parse_state("2,1 2"), algorithm="paranoid", workers=0)
    assert result.scores is None
    assert result.value == 0  # whatever player 2 takes, one of the others can take the last


def test_a_very_deep_game_does_not_end_in_a_recursion_error() -> None:
    game = load_game("nim(limit=1)")
    result = search(game, game.parse_state("3001"), workers=0)
    assert (result.value, len(result.pv)) == (1, 3001)


def test_a_game_that_lasts_longer_than_python_recurses_is_named_with_position_and_remedy() -> None:
    game = load_game("nim(limit=1)")
    with pytest.raises(GameError, match=r"lasts more than the 100,000 plies .* from '199999 1'; limit the depth"):
        search(game, game.parse_state("200000"), workers=0)


class Unsigned(type(load_game("nim"))):  # type: ignore[misc]
    """Nim whose scores are NumPy's unsigned integers."""

    def evaluate(self, state: Any) -> Any:
        return np.uint8(1 + super().evaluate(state))


@pytest.mark.parametrize("algorithm", ["minimax", "alphabeta", "pvs"])
def test_scores_that_wrap_around_are_refused_with_the_remedy(algorithm: str) -> None:
    game = Unsigned()
    with pytest.raises(GameError, match=r"nim evaluates a position .* to np.uint8\(.\), which wraps .*return int"):
        search(game, game.parse_state("1,2"), algorithm=algorithm, limits=Limits(depth=2), workers=0)


class Broken(type(load_game("nim"))):  # type: ignore[misc]
    """Nim in which the heaps 1,1 are a dead end that is not terminal."""

    def legal_moves(self, state: Any) -> Any:
        return () if state.heaps == (1, 1) else super().legal_moves(state)


@pytest.mark.parametrize("text", ["1,1", "2,2"])
@pytest.mark.parametrize("algorithm", ["minimax", "alphabeta", "pvs"])
def test_a_state_without_moves_that_is_not_terminal_is_the_games_fault(text: str, algorithm: str) -> None:
    game = Broken()
    with pytest.raises(GameError, match=r"nim has no legal move|nim raised"):
        search(game, game.parse_state(text), algorithm=algorithm, workers=0)


def test_a_search_that_is_complete_sooner_reaches_the_depth_asked_for() -> None:
    game = load_game("connect4")
    state = game.parse_state("5162637")  # whoever moves wins within three plies
    for algorithm in ("minimax", "alphabeta"):
        result = search(game, state, algorithm=algorithm, limits=Limits(depth=7), workers=0)
        assert result.depth == 7
    assert result.complete
