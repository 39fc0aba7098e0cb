"""Go on small boards: counts and values from outside, and every random game judged by rules written a second time."""

import itertools
import random
from typing import Any

import pytest

from cases import conformance
from parsearch import check_game
from parsearch.core.errors import GameTextError, InputError, MoveError, StateError
from parsearch.core.game import Game
from parsearch.core.text import play_moves
from parsearch.games import load_game

ROWS = conformance("go_small") or []
COUNTS = [row for row in ROWS if row["kind"] == "legal_positions" and row["verified_by"]]
VALUES = [row for row in ROWS if row["kind"] == "value" and row["verified_by"] and "no suicide" in row["rules"]]

Stones = dict[tuple[int, int], str]


def reached(stones: Stones, size: tuple[int, int], start: tuple[int, int]) -> tuple[set[Any], set[str]]:
    """The chain or empty region of a point, and what lies around it."""
    inside, around = set(), set()

    def visit(point: tuple[int, int]) -> None:
        inside.add(point)
        for down, right in ((1, 0), (-1, 0), (0, 1), (0, -1)):
            near = point[0] + down, point[1] + right
            if 0 <= near[0] < size[0] and 0 <= near[1] < size[1] and near not in inside:
                if stones.get(near) == stones.get(start):
                    visit(near)
                else:
                    around.add(stones.get(near, "-"))

    visit(start)
    return inside, around


def after(stones: Stones, size: tuple[int, int], point: tuple[int, int], mine: str) -> Stones | None:
    """The stones after a move, None where it leaves a chain of one's own without a liberty."""
    board = {**stones, point: mine}
    for other in list(board):
        if board.get(other, mine) != mine:
            chain, around = reached(board, size, other)
            if "-" not in around:
                board = {place: stone for place, stone in board.items() if place not in chain}
    return board if "-" in reached(board, size, point)[1] else None


def area(stones: Stones, size: tuple[int, int]) -> int:
    owners = []
    for point in itertools.product(range(size[0]), range(size[1])):
        around = {stones[point]} if point in stones else reached(stones, size, point)[1]
        owners.append((around == {"X"}) - (around == {"O"}))
    return sum(owners)


def point_name(size: tuple[int, int], point: tuple[int, int]) -> str:
    return f"{'abcdefghj'[point[1]]}{size[0] - point[0]}"


@pytest.mark.parametrize("superko", [True, False])
@pytest.mark.parametrize("size", [(1, 5), (2, 2), (2, 3), (3, 3), (4, 3)])
def test_random_games_against_plain_rules(size: tuple[int, int], superko: bool) -> None:
    game = load_game(f"go({size[0]},{size[1]},superko={superko})")
    rng = random.Random(str(size))
    for _ in range(10):
        state, stones, player, passes = game.initial_state(), {}, 0, 0
        history: list[Stones] = [{}]
        for _ in range(150):
            assert game.evaluate(state) == area(stones, size)
            assert game.to_move(state) == player
            legal = {}
            for point in itertools.product(range(size[0]), range(size[1])):
                board = None if point in stones else after(stones, size, point, "XO"[player])
                if board is not None and board not in (history if superko else history[-2:-1]):
                    legal[point_name(size, point)] = board
            if passes == 2:
                assert game.is_terminal(state)
                break
            assert [game.format_move(state, move) for move in game.legal_moves(state)] == [*legal, "pass"]
            name = rng.choice([*legal] * 5 + ["pass"])
            stones, passes = (stones, passes + 1) if name == "pass" else (legal[name], 0)
            history.append(stones)
            state, player = play_moves(game, state, name), 1 - player


@pytest.mark.parametrize("text", ["go(3,3)", "go(2,3,superko=False)", "go(1,1)", "go(4,2)"])
def test_contract(text: str) -> None:
    report = check_game(load_game(text), games=5)
    assert report.ok, report


@pytest.mark.parametrize("most", [3**9, pytest.param(3**12, marks=pytest.mark.slow)])
def test_legal_positions(most: int) -> None:
    """A board has a state exactly if every chain on it has a liberty."""
    for row in COUNTS:
        points = row["rows"] * row["cols"]
        if 3**points > most:
            continue
        game = load_game(f"go({row['rows']},{row['cols']})")
        count = 0
        for board in itertools.product("-XO", repeat=points):
            rows = ("".join(board[start : start + row["cols"]]) for start in range(0, points, row["cols"]))
            try:
                game.parse_state(f"{'/'.join(rows)} X 0")
            except StateError:
                continue
            count += 1
        assert count == row["count"], game.name


def exceeds(game: Game[Any, Any], state: Any, score: float) -> bool:
    """Whether the value to the end of the game is more than a score: alpha-beta with a null window.

    A pass that ends the game comes first, other passes last, and before them the stones after which the mover's area
    is largest: the value of the 2 x 3 board takes 360,000 positions then, and more than a thousand million in the
    game's own order, passes first. A table adds nothing: in these searches no position came back with the same past.
    """
    if game.is_terminal(state):
        return game.evaluate(state) > score
    maximizing = game.to_move(state) == 0
    *stones, last = game.legal_moves(state)
    children = [game.play(state, move) for move in stones]
    children.sort(key=game.evaluate, reverse=maximizing)
    passed = game.play(state, last)
    children.insert(0 if game.is_terminal(passed) else len(children), passed)
    return any(exceeds(game, child, score) == maximizing for child in children) == maximizing


@pytest.mark.parametrize(
    "row",
    [
        pytest.param(row, id=f"{row['rows']}x{row['cols']}", marks=[pytest.mark.slow] * (row["rows"] > 1))
        for row in VALUES
    ],
)
def test_values(row: dict[str, Any]) -> None:
    game = load_game(f"go({row['rows']},{row['cols']})")
    start = game.initial_state()
    openings = dict(enumerate(row["opening_values"]))
    *points, _pass = game.legal_moves(start)
    assert [point for point in openings if openings[point] is not None] == points
    everything = row["rows"] * row["cols"]  # nobody can have more
    for state, value in [(start, row["score"]), *((game.play(start, point), openings[point]) for point in points)]:
        assert value == -everything or exceeds(game, state, value - 1), game.format_state(state)
        assert value == everything or not exceeds(game, state, value), game.format_state(state)


@pytest.mark.parametrize(
    ("game", "state", "moves", "after"),
    [
        ("go(2,3)", "---/--- X 0", "a1 pass c2", "--X/X-- O 0 ---/X--"),
        ("go(2,3)", "OO-/XX- X 0", "c2", "--X/XX- O 0 OO-/XX-"),  # two stones captured at once
        ("go(1,4)", "-XO- X 0", "d1", "-X-X O 0 -XO-"),
        ("go(1,4,superko=False)", "-XO- X 0", "d1 pass", "-X-X X 1"),
        ("go(1,4,superko=False)", "-XO- X 0", "d1", "-X-X O 0 -XO-"),
    ],
)
def test_moves(game: str, state: str, moves: str, after: str) -> None:
    loaded = load_game(game)
    assert loaded.format_state(play_moves(loaded, loaded.parse_state(state), moves)) == after


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("", "the side to move '' is none of X O"),
        ("---/---/---", "the side to move '' is none of X O"),
        ("---/---/--- XO 0", "the side to move 'XO' is none of X O"),
        ("---/---/--- X", "'' is no number of passes from 0 to 2"),
        ("---/---/--- X 3", "'3' is no number of passes"),
        ("---/--- X 0", "'---/---' is not 3 rows of 3 points"),
        ("---/-Z-/--- X 0", "'Z' on b2 is none of X O -"),
        ("XO-/O--/--- X 0", "the stone on a3 has no liberty"),
        ("---/---/--- X 0 X--", "'X--' is not 3 rows of 3 points"),
    ],
)
def test_bad_states(text: str, part: str) -> None:
    with pytest.raises(StateError) as caught:
        load_game("go(3,3)").parse_state(text)
    assert part in str(caught.value)
    assert "; write" in str(caught.value)


def test_bad_moves_and_arguments() -> None:
    game = load_game("go(2,2)")
    with pytest.raises(MoveError, match="use one of a2, b2, a1, b1, pass"):
        game.parse_move(game.initial_state(), "c1")
    assert game.parse_move(game.initial_state(), "PASS") == game.legal_moves(game.initial_state())[-1]
    with pytest.raises(InputError, match="only one board"):
        load_game("go(1,4,superko=False)").parse_state("---- X 0 X--- -X--")
    for text in ("go(0,3)", "go(3,26)", "go(3)", "go(3,3,superko=1)"):
        with pytest.raises(GameTextError):
            load_game(text)


def test_board() -> None:
    game = load_game("go(2,3)")
    state = play_moves(game, game.initial_state(), "b1 a2 pass")
    assert game.render(state).splitlines() == [
        "   a b c",
        " 2 O - - 2",
        " 1 - X - 1",
        "   a b c",
        "black has passed, white (O) to move",
    ]
    assert game.render(play_moves(game, state, "pass")).endswith("a draw")
    assert game.render(game.parse_state("X--/--- O 2")).endswith("black has won by 6")
