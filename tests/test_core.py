"""The core's small promises: limits are checked, errors travel between processes, results print and become JSON."""

import json
import math
import pickle

import pytest

from parsearch.core import errors
from parsearch.core.errors import InputError, LimitsError, MoveError, StateError
from parsearch.core.game import Game, score_for
from parsearch.core.limits import Limits
from parsearch.core.result import RootMove, SearchResult
from parsearch.core.text import play_moves, read_move, read_state
from parsearch.core.window import Bound, Window, just_above, just_below
from parsearch.games import load_game


@pytest.mark.parametrize(
    ("field", "bad"),
    [
        *(("depth", bad) for bad in (-1, 1.0, True, "3")),
        *(("nodes", bad) for bad in (0, -5, 2.5, False)),
        *(("seconds", bad) for bad in (0, -1, math.inf, math.nan, True, "1")),
    ],
)
def test_limits_out_of_range(field: str, bad: object) -> None:
    with pytest.raises(LimitsError, match=field) as caught:
        Limits(**{field: bad})
    assert repr(bad) in str(caught.value)


def test_limits() -> None:
    assert not Limits().deepens
    assert not Limits(depth=0).deepens
    assert Limits(seconds=0.5).deepens
    assert Limits(depth=3, nodes=1).deepens


def test_every_error_pickles_and_is_in_the_drawn_tree() -> None:
    kinds = [kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, Exception)]
    assert len(kinds) >= 9
    for kind in kinds:
        assert kind.__name__ in (errors.__doc__ or "")
        assert issubclass(kind, errors.ParsearchError)
        copy = pickle.loads(pickle.dumps(kind("what, and the remedy")))
        assert type(copy) is kind
        assert str(copy) == "what, and the remedy"


def test_windows_say_what_a_value_means() -> None:
    window = Window(-1, 2)
    assert [window.bound(value) for value in (-2, -1, 0, 2, 3)] == [
        *(Bound.UPPER, Bound.UPPER, Bound.EXACT, Bound.LOWER, Bound.LOWER)
    ]
    assert window.reversed() == Window(-2, 1)
    assert Bound.LOWER.reversed() is Bound.UPPER
    assert all(Window().bound(value) is Bound.EXACT for value in (-math.inf, 0, math.inf))


@pytest.mark.parametrize("value", [0, -3, 0.1, -1e300, 5e-324, 2**60 + 1, 2**54 - 1, 2**54 + 3])
def test_next_scores(value: float) -> None:
    for integer in (True, False):
        if integer and isinstance(value, float):
            continue
        below, above = just_below(value, integer), just_above(value, integer)
        assert below < value < above
    assert just_below(3, True) == 2
    assert just_above(0.0, False) == 5e-324


class Bare(Game[tuple[int, int], str]):
    """The six methods and nothing else, so that the defaults are used."""

    def initial_state(self) -> tuple[int, int]:
        return (0, 3)

    def to_move(self, state: tuple[int, int]) -> int:
        return state[0]

    def legal_moves(self, state: tuple[int, int]) -> list[str]:
        return ["one", "two"][: state[1]]

    def play(self, state: tuple[int, int], move: str) -> tuple[int, int]:
        return 1 - state[0], state[1] - (1 if move == "one" else 2)

    def is_terminal(self, state: tuple[int, int]) -> bool:
        return state[1] == 0

    def evaluate(self, state: tuple[int, int]) -> float:
        return 0.0 * state[1]


class Failing(Bare):
    def parse_state(self, text: str) -> tuple[int, int]:
        raise KeyError(text)

    def parse_move(self, state: tuple[int, int], text: str) -> str:
        raise KeyError(state, text)


def test_default_texts() -> None:
    game = Bare()
    assert (game.name, game.zero_sum, game.max_plies((0, 3))) == ("Bare", True, None)
    assert read_state(game, None) == (0, 3)
    assert read_state(game, "(1, 2)") == (1, 2)
    assert play_moves(game, (0, 3), "one, two") == (0, 0)
    assert game.render((0, 3)) == "(0, 3)"
    for text in ("(1,", "[1, 2]", "5"):
        with pytest.raises(StateError) as caught:
            read_state(game, text)
        assert repr(text) in str(caught.value)
        assert "write it as '(0, 3)'" in str(caught.value)
    with pytest.raises(MoveError, match=r"Bare: 'two' is no legal move in '\(1, 1\)'; use one of one"):
        play_moves(game, (0, 3), "two two")
    with pytest.raises(MoveError, match="the game is over there"):
        read_move(game, (0, 0), "one")


def test_a_parser_that_fails_in_its_own_way_is_an_input_error() -> None:
    for read in (lambda: read_state(Failing(), "x"), lambda: read_move(Failing(), (0, 3), "x")):
        with pytest.raises(InputError, match=r"Failing cannot read the .* 'x'.*KeyError") as caught:
            read()
        assert isinstance(caught.value.__cause__, KeyError)


def test_score_for() -> None:
    assert [score_for(Bare(), 3, player) for player in (0, 1)] == [3, -3]
    assert str(score_for(Bare(), 0.0, 1)) == "0.0"
    assert score_for(load_game("nim(3)"), (4, 5, 6), 2) == 6


def result() -> SearchResult:
    game = load_game("nim")
    state = game.parse_state("1,2")
    return SearchResult(
        game=game,
        state=state,
        algorithm="alphabeta",
        depth=3,
        move=(1, 1),
        value=1,
        scores=(1, -1),
        pv=((1, 1), (0, 1), (1, 1)),
        nodes=1234,
        seconds=0.5,
        workers=2,
        complete=True,
        best_moves=((1, 1),),
        root_moves=tuple(RootMove(m, 0, Bound.UPPER, 400, 0.1, "here:1") for m in game.legal_moves(state)),
    )


def test_a_result_becomes_json_and_text() -> None:
    data = json.loads(json.dumps(result().to_dict()))
    assert (data["game"], data["state"], data["move"], data["value"]) == ("nim", "1,2", "1:1", 1)
    assert data["pv"] == ["1:1", "0:1", "1:1"]
    assert [entry["move"] for entry in data["root_moves"]] == ["0:1", "1:1", "1:2"]
    assert data["root_moves"][0]["bound"] == "upper"
    text = str(result())
    for part in ("alphabeta", "1:1 0:1 1:1", "1,234 nodes", "1 process", "here:1"):
        assert part in text
    assert "<table>" in result()._repr_html_()
    assert "1:2" in result()._repr_html_()
