"""English checkers: counts and values that other programs found, and a second move generator that needs no bits."""

import random
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import pytest

from cases import conformance
from parsearch import check_game
from parsearch.core.errors import GameTextError, MoveError, StateError
from parsearch.core.text import play_moves
from parsearch.core.window import Window
from parsearch.games import load_game
from parsearch.games.checkers import LOSS
from parsearch.native.engine import Options, search
from parsearch.native.perft import perft
from parsearch.native.table import Table

PERFT = conformance("checkers_perft") or []
FIXED_DEPTH = conformance("checkers_fixed_depth") or []
ENDGAMES = conformance("checkers_endgames") or []

Squares = dict[tuple[int, int], str]
"""Where the pieces stand, (row, column) from the top left: b and w men, B and W kings."""


def cell(square: int) -> tuple[int, int]:
    row, place = divmod(square - 1, 4)
    return row, 2 * place + (1 if row % 2 == 0 else 0)


def squares_of(fen: str) -> tuple[Squares, str]:
    side, *parts = fen.split(":")
    pieces = {}
    for part in parts:
        for word in filter(None, part[1:].split(",")):
            king = word.startswith("K")
            pieces[cell(int(word.removeprefix("K")))] = part[0] if king else part[0].lower()
    return pieces, side.lower()


def steps_of(piece: str) -> list[tuple[int, int]]:
    rows = {"b": (1,), "w": (-1,)}.get(piece, (1, -1))
    return [(row, column) for row in rows for column in (1, -1)]


def on_board(place: tuple[int, int]) -> bool:
    return 0 <= place[0] < 8 and 0 <= place[1] < 8


def routes(pieces: Squares, piece: str, path: list[tuple[int, int]]) -> Iterator[list[tuple[int, int]]]:
    """Ways to jump on, the piece itself being off the board."""
    row, column = path[-1]
    found = False
    for down, right in steps_of(piece):
        over, to = (row + down, column + right), (row + 2 * down, column + 2 * right)
        if on_board(to) and to not in pieces and pieces.get(over, piece).lower() != piece.lower():
            found = True
            left = {place: other for place, other in pieces.items() if place != over}
            yield from routes(left, piece, [*path, to])
    if not found and len(path) > 1:
        yield path


def plain_moves(fen: str) -> dict[str, str]:
    """The moves of a position by name, and the position after each."""
    pieces, side = squares_of(fen)
    mine = {place: piece for place, piece in pieces.items() if piece.lower() == side}
    jumps, steps = [], []
    for place, piece in mine.items():
        others = {other: name for other, name in pieces.items() if other != place}
        jumps += [(piece, path) for path in routes(others, piece, [place])]
        for down, right in steps_of(piece):
            to = place[0] + down, place[1] + right
            if on_board(to) and to not in pieces:
                steps.append((piece, [place, to]))
    found = {}
    for piece, path in jumps or steps:
        after = {place: other for place, other in pieces.items() if place != path[0]}
        for (row, column), (to_row, to_column) in pairwise(path if jumps else ()):
            del after[(row + to_row) // 2, (column + to_column) // 2]
        after[path[-1]] = piece.upper() if path[-1][0] == (7 if side == "b" else 0) else piece
        name = ("x" if jumps else "-").join(str(number(place)) for place in path)
        found[name] = fen_of(after, "W" if side == "b" else "B")
    return found


def number(place: tuple[int, int]) -> int:
    return 4 * place[0] + place[1] // 2 + 1


def fen_of(pieces: Squares, side: str) -> str:
    parts = []
    for player in "WB":
        own = sorted((number(place), piece) for place, piece in pieces.items() if piece.upper() == player)
        parts.append(player + ",".join(f"{'K' if piece.isupper() else ''}{square}" for square, piece in own))
    return ":".join([side, *parts])


def test_perft() -> None:
    game = load_game("checkers")
    for row in PERFT:
        state = game.parse_state(row["fen"])
        assert game.format_state(state) == row["fen"]
        for depth, count in enumerate(row["counts"], 1):
            assert perft(game, state, depth).nodes == count, (row["fen"], depth)


def test_fixed_depth() -> None:
    game = load_game("checkers(eval=material)")
    table = Table(16)
    for row in FIXED_DEPTH:
        state = game.parse_state(row["fen"])
        sign = 1 if game.to_move(state) == 0 else -1
        for depth, value in enumerate(row["values"], 1):
            for options in (Options(), Options(table)):
                found = search(game, state, depth, options=options)
                assert found.value == sign * value, (row["fen"], depth)
        names = [game.format_move(state, move).replace("x", "-") for move in game.legal_moves(state)]
        first = min(names.index(name) for name in row["best_depth6"])
        assert found.line[0] == game.legal_moves(state)[first], row["fen"]


MOST_NODES = 20_000_000
"""For one question about an endgame. Some need a thousand million: kings come back to where they were at another depth,
and what a search found there at one depth says nothing about another."""


def wins_within(game: Any, state: Any, player: int, plies: int, table: Table) -> bool | None:
    """Whether a player can force a win in so many plies; None where that takes too long to find out."""
    window = Window(999, 1000) if player == 0 else Window(-1000, -999)
    value = search(game, state, plies, window, options=Options(table), nodes=MOST_NODES).value
    return None if value is None else value >= 1000 if player == 0 else value <= -1000


@pytest.mark.parametrize(
    ("farthest", "least"), [(18, 154), pytest.param(26, 203, marks=[pytest.mark.slow, pytest.mark.timeout(1800)])]
)
def test_endgames(farthest: int, least: int) -> None:
    """A won position is won within its distance and not before; in a drawn one nobody wins as far as we look."""
    game, table = load_game("checkers(eval=material)"), Table(64)
    proved = 0
    for row in ENDGAMES:
        state = game.parse_state(row["fen"])
        if row["value"] == "draw":
            assert all(wins_within(game, state, player, 16, table) is False for player in (0, 1)), row
        elif row["plies"] <= farthest:
            winner = game.to_move(state) if row["value"] == "win" else 1 - game.to_move(state)
            won = wins_within(game, state, winner, row["plies"], table)
            earlier = wins_within(game, state, winner, row["plies"] - 1, table) if row["plies"] else False
            assert won in (True, None), row
            assert earlier in (False, None), row
            proved += won is True and earlier is False
    assert not ENDGAMES or proved >= least


def test_random_games_against_a_plain_generator() -> None:
    game = load_game("checkers")
    rng = random.Random(3)
    for _ in range(30):
        state = game.initial_state()
        for _ in range(120):
            fen = game.format_state(state)
            moves = {game.format_move(state, move): move for move in game.legal_moves(state)}
            plain = plain_moves(fen)
            assert moves.keys() == plain.keys(), fen
            assert game.is_terminal(state) == (not plain)
            if not plain:
                break
            jumps = [name for name in moves if "x" in name]
            assert len(game.noisy_moves(state)) == len(jumps)
            assert game.is_forced(state) == bool(jumps)
            name = rng.choice(list(moves))
            state = game.play(state, moves[name])
            assert game.format_state(state) == plain[name], (fen, name)


def test_compiled_is_uncompiled() -> None:
    game = load_game("checkers")

    def value(state: Any, depth: int) -> float:
        if depth == 0 or game.is_terminal(state):
            return game.evaluate(state)
        best = max if game.to_move(state) == 0 else min
        return best(value(game.play(state, move), depth - 1) for move in game.legal_moves(state))

    for row in PERFT[:12]:
        state = game.parse_state(row["fen"])
        assert search(game, state, 2).value == value(state, 2), row["fen"]
        assert search(game, state, 2, options=Options(Table(1))).value == value(state, 2), row["fen"]


@pytest.mark.parametrize("text", ["checkers", "checkers(eval=material)"])
def test_contract(text: str) -> None:
    report = check_game(load_game(text), games=3)
    assert report.ok, report


def test_evaluation_is_the_same_for_both_sides() -> None:
    """Turned round, with the colours exchanged, a position is worth the opposite."""
    game = load_game("checkers")
    for row in PERFT:
        pieces, side = squares_of(row["fen"])
        turned = {
            (7 - place[0], 7 - place[1]): piece.translate(str.maketrans("bwBW", "wbWB"))
            for place, piece in pieces.items()
        }
        other = game.parse_state(fen_of(turned, "W" if side == "b" else "B"))
        assert game.evaluate(other) == -game.evaluate(game.parse_state(row["fen"])), row["fen"]


def test_evaluation_of_what_a_player_knows() -> None:
    game = load_game("checkers")

    def score(fen: str) -> float:
        return game.evaluate(game.parse_state(fen))

    assert score("B:W31,32:B1,2,3") > 50  # a man more
    assert score("B:W29:BK15") > score("B:W29:B15")  # a king is more than a man
    assert score("B:W29,30:B11,15") > score("B:W29,30:B9,12")  # in the middle and further on
    assert score("B:W25,30:B21") == -LOSS  # black's only man is stopped
    assert score("W:W:B21") == LOSS


@pytest.mark.parametrize(
    ("state", "moves", "after"),
    [
        ("B:W22,23:B18", "18x25", "W:W23:B25"),
        ("B:W15,22:B11", "11x18x25", "W:W:B25"),
        ("B:W15,22:B11", "11x25", "W:W:B25"),  # one route only: its ends will do
        ("W:W22:B6,9,18", "22x15", "B:W15:B6,9"),
        ("B:W26,27:B22", "22x31", "W:W27:BK31"),  # a man stops on the king row, though a king could go on
        ("B:W26,27:BK22", "22x31x24", "W:W:BK24"),
        ("B:W15,16,23,24:BK11", "11x20x27x18x11", "W:W:BK11"),  # round and back to where it began
    ],
)
def test_moves(state: str, moves: str, after: str) -> None:
    game = load_game("checkers")
    assert game.format_state(play_moves(game, game.parse_state(state), moves)) == after


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("", "it is not the side to move"),
        ("B:W1,2", "it is not the side to move"),
        ("X:W18:B1", "it is not the side to move"),
        ("B:W18:W1", "it is not the side to move"),
        ("B:W33:B1", "'33' is no square from 1 to 32"),
        ("B:W18,,5:B9", "'' is no square"),
        ("B:W18:BQ1", "'Q1' is no square"),
        ("B:W18:B18", "two pieces are on square 18"),
        ("B:W18:B30", "the man on square 30 would be a king, K30"),
        ("B:W18:B1,2,3,4,5,6,7,8,9,10,11,12,13", "B has 13 pieces, and 12 is the most"),
    ],
)
def test_bad_states(text: str, part: str) -> None:
    with pytest.raises(StateError) as caught:
        load_game("checkers").parse_state(text)
    assert part in str(caught.value)
    assert "; write" in str(caught.value)


def test_bad_moves_and_arguments() -> None:
    game = load_game("checkers")
    with pytest.raises(MoveError, match="use one of"):
        game.parse_move(game.initial_state(), "11-14")
    circle = game.parse_state("B:W15,16,23,24:BK11")
    with pytest.raises(MoveError, match="several routes; write every square, 11x"):
        game.parse_move(circle, "11x11")
    with pytest.raises(GameTextError, match="eval must be full or material"):
        load_game("checkers(eval=deep)")


def test_board() -> None:
    game = load_game("checkers")
    board = game.render(game.parse_state("W:WK6,11:B23,K24")).splitlines()
    assert board[1] == " 5  .   W   .   .     8"
    assert board[2] == " 9    .   .   w   .  12"
    assert board[5] == "21  .   .   b   B    24"
    assert board[8] == "white to move"
    assert game.render(game.parse_state("B:W25,30:B21")).endswith("black cannot move, white has won")
