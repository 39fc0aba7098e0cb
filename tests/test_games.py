"""The rules, scores, move orders and texts of our games, against counts and positions known from elsewhere."""

import json
import random
from functools import cache
from typing import Any

import pytest

from cases import conformance
from parsearch.core.errors import MoveError, StateError
from parsearch.core.game import Game
from parsearch.core.text import play_moves
from parsearch.games import load_game
from parsearch.games.mnk import Mnk
from parsearch.games.tree import DEEPEST

COUNTS = conformance("mnk_c4_counts") or []
MOST_SEQUENCES = 70_000
"""How far move sequences are counted by default; the slow rows go on to a million."""


def counted_game(row: dict[str, Any]) -> Game[Any, Any]:
    if row["game"] == "mnk":
        return load_game(f"mnk({row['width']},{row['height']},{row['k']})")
    return load_game(f"connect4({row['width']},{row['height']},{row['k']})")


def perft(game: Game[Any, Any], state: Any, depth: int) -> int:
    """Move sequences of that length, every one of them played."""
    if depth == 0:
        return 1
    return sum(perft(game, game.play(state, move), depth - 1) for move in game.legal_moves(state))


@pytest.mark.parametrize("row", [row for row in COUNTS if "perft" in row], ids=lambda row: counted_game(row).name)
@pytest.mark.parametrize("most", [MOST_SEQUENCES, pytest.param(10**6, marks=pytest.mark.slow)])
def test_move_sequences(row: dict[str, Any], most: int) -> None:
    game = counted_game(row)
    for depth, count in enumerate(row["perft"], 1):
        if count <= most:
            assert perft(game, game.initial_state(), depth) == count, depth


@pytest.mark.parametrize("row", [row for row in COUNTS if "games" in row], ids=lambda row: counted_game(row).name)
def test_whole_tree_counts(row: dict[str, Any]) -> None:
    game = counted_game(row)

    @cache
    def count(state: Any) -> tuple[int, int, int, int]:
        """Nodes, and games that the first player wins, the second wins, nobody wins."""
        seen.add(state)
        if game.is_terminal(state):
            score = game.evaluate(state)
            return 1, int(score > 0), int(score < 0), int(score == 0)
        children = [count(game.play(state, move)) for move in game.legal_moves(state)]
        nodes, *ends = (sum(column) for column in zip(*children, strict=True))
        return nodes + 1, *ends

    seen: set[Any] = set()
    nodes, first, second, draws = count(game.initial_state())
    assert nodes == row["tree_nodes_incl_root"]
    assert (first, second, draws) == (row["first_wins"], row["second_wins"], row["draws"])
    assert first + second + draws == row["games"]
    assert len(seen) == row["distinct_states"]


# Connect Four.


def test_connect4_move_order() -> None:
    for text, order in (("connect4", "4 3 5 2 6 1 7"), ("connect4(6)", "3 4 2 5 1 6"), ("connect4(2)", "1 2")):
        game = load_game(text)
        assert " ".join(map(str, game.legal_moves(game.initial_state()))) == order
    game = load_game("connect4")
    assert game.legal_moves(game.parse_state("444444")) == [3, 5, 2, 6, 1, 7]


@pytest.mark.parametrize(
    ("game", "moves", "score"),
    [
        ("connect4", "1212121", 18),  # upwards; (42 + 1 - 6) // 2
        ("connect4", "1122334", 18),  # along
        ("connect4", "12233434464", 16),  # rising; (42 + 1 - 10) // 2
        ("connect4", "76655454424", 16),  # falling
        ("connect4", "12131", 0),
        ("connect4", "12324252", -18),  # the second player; (42 + 1 - 7) // 2
        ("connect4(4,4,1)", "1", 8),
        ("connect4(4,4,2)", "11", 0),
        ("connect4(2,2,9)", "1122", 0),
        ("connect4(5,1,2)", "132", 2),  # with a single row a column is two bits, and rows do not run together
        ("connect4(5,1,2)", "135", 0),
    ],
)
def test_connect4_scores(game: str, moves: str, score: int) -> None:
    loaded = load_game(game)
    assert loaded.evaluate(loaded.parse_state(moves)) == score


@pytest.mark.parametrize("text", ["connect4(3,3,2)", "connect4(3,3,3)", "connect4(4,2,3)", "connect4(2,4,4)"])
def test_connect4_format_gives_the_first_order_of_play(text: str) -> None:
    """Against playing every order, on boards where that is possible."""
    game = load_game(text)
    first: dict[Any, str] = {}

    def visit(state: Any, moves: str) -> None:
        first.setdefault(state, moves)
        for move in sorted(game.legal_moves(state)):
            visit(game.play(state, move), moves + str(move))

    visit(game.initial_state(), "")
    assert {state: game.format_state(state) for state in first} == first


def test_connect4_state_that_nobody_can_reach() -> None:
    for state in ((0b10000000, 0b10000101, 0, 0), (0b11, 0b11, 0, 0), (0, 1 << 60, 0, 0)):
        with pytest.raises(StateError, match="no order of play leads to"):
            load_game("connect4").format_state(state)


# mnk.


def test_mnk_lines_in_every_direction() -> None:
    """Against a test of every k cells in a row written with coordinates."""
    rng = random.Random(5)
    for columns, rows, k in ((3, 3, 3), (5, 4, 3), (4, 6, 4), (2, 5, 2), (5, 5, 1)):
        game = Mnk(columns, rows, k)
        for _ in range(60):
            state = game.initial_state()
            held: dict[tuple[int, int], int] = {}
            while not game.is_terminal(state):
                move = rng.choice(game.legal_moves(state))
                player, row, column = game.to_move(state), *divmod(move, columns)
                state = game.play(state, move)
                held[row, column] = player
                line = any(
                    all(held.get((row + i * down, column + i * right)) == player for i in range(start, start + k))
                    for down, right in ((0, 1), (1, 0), (1, 1), (1, -1))
                    for start in range(1 - k, 1)
                )
                assert (game.evaluate(state) == 1 - 2 * player) == line, game.format_state(state)


def test_mnk_sides_and_moves() -> None:
    game = load_game("mnk(3,2,3,3)")
    assert game.format_state(game.parse_state("XO-Y--")) == "XO-Y-- X"
    assert game.format_state(game.parse_state("xo----")) == "XO---- Y"
    assert game.format_state(game.parse_state("XX---- O")) == "XX---- O"
    state = game.initial_state()
    assert [game.format_move(state, move) for move in game.legal_moves(state)] == ["a1", "b1", "c1", "a2", "b2", "c2"]
    assert game.evaluate(game.parse_state("OOO-X- Y")) == (0, 1, 0)
    wide = load_game("mnk(28,1,3)")
    names = [wide.format_move(wide.initial_state(), move) for move in wide.legal_moves(wide.initial_state())]
    assert names[-3:] == ["z1", "aa1", "ab1"]


# nim.


@pytest.mark.parametrize(
    ("game", "moves", "score"),
    [
        ("nim", "0:1", 1),
        ("nim(misere=True)", "0:1", -1),
        ("nim(3)", "0:1", (1, 0, 0)),
        ("nim(3,misere=True)", "0:1", (0, 1, 1)),
    ],
)
def test_nim_winner(game: str, moves: str, score: Any) -> None:
    nim = load_game(game)
    assert nim.evaluate(play_moves(nim, nim.parse_state("1"), moves)) == score


def test_nim_moves_and_texts() -> None:
    game = load_game("nim(3,limit=2)")
    state = game.parse_state("3,0,1 2")
    assert [game.format_move(state, move) for move in game.legal_moves(state)] == ["0:1", "0:2", "2:1"]
    assert game.format_state(game.play(state, (0, 2))) == "1,0,1"
    assert game.parse_state("") == game.parse_state("-") == game.parse_state(" - 0")
    assert game.format_state(game.parse_state("- 1")) == "- 1"
    assert game.format_state(game.parse_state("3, 4 ,5 1")) == "3,4,5 1"


# tree.


def test_tree_texts() -> None:
    game = load_game("tree")
    for text in ("3", "3 1", "-2.5", "[1,2]", "[[1,2.5],-3] 1", "[[[[7]]]]"):
        assert game.format_state(game.parse_state(text)) == text
    assert game.parse_state(" [1, [2]]  1 ") == game.parse_state("[1,[2]] 1")
    assert str(game.evaluate(game.parse_state("-0.0"))) == "0.0"
    three = load_game("tree(3)")
    assert three.evaluate(three.parse_state("[1,2,3]")) == (1, 2, 3)
    assert three.max_plies(three.parse_state("[[[1,2,3],[[4,5,6]]]]")) == 3
    deepest = game.parse_state("[" * DEEPEST + "1" + "]" * DEEPEST)
    assert game.max_plies(deepest) == DEEPEST
    assert game.parse_state(game.format_state(deepest)) == deepest


@pytest.mark.parametrize(
    ("game", "text", "part"),
    [
        ("tree", "[1,", "it is not JSON"),
        ("tree", "", "it is not JSON"),
        ("tree", "[true]", "true is not a number"),
        ("tree", '["a"]', '"a" is not a number'),
        ("tree", "[null]", "null is not a number"),
        ("tree", "[NaN]", "NaN is no number"),
        ("tree", "[-Infinity]", "-Infinity is no number"),
        ("tree", "[1e999]", "beyond the range of floats"),
        ("tree", f"[1{'0' * 400}]", "beyond the range of floats"),
        ("tree", "[[]]", "empty list"),
        ("tree", "[1] 2", "no player 2, only 0 to 1"),
        ("tree", "[1] x", "'x' after the tree is not a player"),
        ("tree", "[1]0", "'0' after the tree is not a player"),
        ("tree", "[" * (DEEPEST + 1) + "1" + "]" * (DEEPEST + 1), f"deeper than {DEEPEST} levels"),
        ("tree", "[" * 100_000, f"deeper than {DEEPEST} levels"),
        ("tree(3)", "[1,2]", "has not 3 payoffs"),
        ("tree(3)", "[[1,2,3],4]", "4 is not a list of 3 payoffs"),
        ("tree(3)", "[1,2,[3]]", "[3] is not a number"),
        ("tree(3)", "7", "7 is not a list of 3 payoffs"),
        ("tictactoe", "", "not the cells"),
        ("tictactoe", "XO", "it has 2 cells, not 3 x 3 = 9"),
        ("tictactoe", "XOZ------", "'Z' (cell 3) is none of X O -"),
        ("tictactoe", "XX-------", "does not follow from 2 X, 0 O, so the side must be given"),
        ("tictactoe", "--------- Y", "the side to move 'Y' is none of X O"),
        ("tictactoe", "--------- XO", "the side to move 'XO' is none of X O"),
        ("tictactoe", "XXXOOO--- X", "both X and O have 3 in a row"),
        ("mnk(2,2,2,3)", "XO-O", "does not follow from 1 X, 2 O, 0 Y"),
        ("connect4", "48", "'8' (character 2) is not a column from 1 to 7"),
        ("connect4", "40", "'0' (character 2)"),
        ("connect4", "4,4", "',' (character 2)"),
        ("connect4", "4444444", "'4' (character 7) is a column that is already full"),
        ("connect4", "12121213", "'3' (character 8) comes after the end of the game"),
        ("connect4(10,5)", "1,11", "'11' (entry 2) is not a column from 1 to 10"),
        ("connect4(10,5)", "1,,2", "'' (entry 2)"),
        ("nim", "3,x", "'x' is not the size of a heap"),
        ("nim", "3,-1", "'-1' is not the size of a heap"),
        ("nim", "3,4 2", "'2' is not a player from 0 to 1"),
        ("nim", "3,,4 1", "'' is not the size of a heap"),
        ("nim", "3 1 1", "'1' is too much"),
    ],
)
def test_bad_states(game: str, text: str, part: str) -> None:
    with pytest.raises(StateError) as caught:
        load_game(game).parse_state(text)
    message = str(caught.value)
    assert part in message
    assert message.startswith(f"{load_game(game).name} has no state {text[:20]!r}"[:-1])
    assert "; write" in message
    assert len(message) < 400
    assert "\n" not in message


@pytest.mark.parametrize(
    ("game", "state", "move", "part"),
    [
        ("tictactoe", "XX-OO----", "a1", "use one of c1, c2, a3, b3, c3"),
        ("tictactoe", "XXXOO----", "c3", "the game is over there"),
        ("connect4", "444444", "4", "use one of 3, 5, 2, 6, 1, 7"),
        ("nim", "1,1", "0:2", "use one of 0:1, 1:1"),
        ("tree", "[1,2]", "2", "use one of 0, 1"),
    ],
)
def test_bad_moves(game: str, state: str, move: str, part: str) -> None:
    loaded = load_game(game)
    with pytest.raises(MoveError) as caught:
        loaded.parse_move(loaded.parse_state(state), move)
    assert part in str(caught.value)
    assert repr(move) in str(caught.value)


def test_boards_read_at_once() -> None:
    for game, state, board in (
        ("tictactoe", "XO-XO---- X", "  a b c\n1 X O -\n2 X O -\n3 - - -\nX to move"),
        ("tictactoe", "XO-XO-X-- O", "  a b c\n1 X O -\n2 X O -\n3 X - -\nX has won"),
        ("connect4(4,3,3)", "1213", "- - - -\nX - - -\nX O O -\n1 2 3 4\nX to move"),
        ("connect4(4,3,3)", "12121", "X - - -\nX O - -\nX O - -\n1 2 3 4\nX has won"),
        ("nim", "3,0 1", "heap 0:   3 |||\nheap 1:   0\nplayer 1 to move"),
        ("nim", "0 1", "heap 0:   0\nnothing is left: player 0 took last and wins"),
        ("tree", "[[1,2],3]", "player 0 to move\n0: [1, 2]\n1: 3"),
        ("tree", json.dumps(5), "leaf: 5"),
    ):
        loaded = load_game(game)
        assert loaded.render(loaded.parse_state(state)) == board
