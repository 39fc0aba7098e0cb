"""Othello's rules, scores and endgames against counts and values from outside: nothing else proves a bitboard right."""

from __future__ import annotations

import random
from typing import Any

import pytest

import parsearch
from cases import conformance
from parsearch import check_game
from parsearch.core.errors import GameTextError, StateError
from parsearch.games import load_game
from parsearch.native import engine
from parsearch.native.perft import perft
from parsearch.native.table import Table

BOARDS = ("othello", "othello(4)", "othello(6)")
START = "---------------------------OX------XO--------------------------- X"
PUBLISHED = {  # from the start, a finished game counted as one sequence
    "othello(4)": [4, 12, 44, 128, 424, 1256, 3624, 9116],
    "othello(6)": [4, 12, 56, 244, 1364, 7604, 47740, 308716, 2114912],
}
FFO_EMPTIES = 22


@pytest.mark.parametrize("name", BOARDS)
def test_contract(name: str) -> None:
    report = check_game(load_game(name), games=5)
    assert report.ok, report


# Counts.


def test_perft_of_the_conformance_rows() -> None:
    game = load_game("othello")
    for row in _rows("othello_perft"):
        state = game.parse_state(f"{row['board']} {row['stm']}")
        for depth, count in enumerate(row["counts"], 1):
            found = perft(game, state, depth)
            assert found.nodes + found.finished == count, (row["name"], depth)


@pytest.mark.parametrize("name", PUBLISHED)
def test_perft_of_small_boards(name: str) -> None:
    game = load_game(name)
    for depth, count in enumerate(PUBLISHED[name], 1):
        found = perft(game, game.initial_state(), depth)
        assert found.nodes + found.finished == count, depth


# A second set of rules, cell by cell.


def plain_flips(cells: dict[tuple[int, int], str], at: tuple[int, int], mover: str) -> list[tuple[int, int]]:
    """What a disc of the mover on an empty cell flanks; cells off the board are not in the dict."""
    flanked = []
    for right, up in ((1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1), (0, -1), (1, -1)):
        run = []
        file, rank = at[0] + right, at[1] + up
        while cells.get((file, rank), "-") not in ("-", mover):
            run.append((file, rank))
            file, rank = file + right, rank + up
        if cells.get((file, rank)) == mover:
            flanked += run
    return flanked


def plain_moves(cells: dict[tuple[int, int], str], mover: str) -> dict[str, list[tuple[int, int]]]:
    """Move to flanked discs, in reading order."""
    found = {}
    for rank, file in sorted((rank, file) for file, rank in cells):
        if cells[file, rank] == "-" and (flanked := plain_flips(cells, (file, rank), mover)):
            found["abcdefgh"[file] + str(rank + 1)] = [(file, rank), *flanked]
    return found


@pytest.mark.parametrize("games", [20, pytest.param(300, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", BOARDS)
def test_random_games_move_for_move(name: str, games: int) -> None:
    game = load_game(name)
    size = int(len(game.format_state(game.initial_state())) ** 0.5)
    rng = random.Random(name)
    for _ in range(games):
        state = game.initial_state()
        text, mover = game.format_state(state).split()
        cells = {(place % size, place // size): cell for place, cell in enumerate(text)}
        while True:
            other = "O" if mover == "X" else "X"
            moves = plain_moves(cells, mover)
            over = not moves and not plain_moves(cells, other)
            expected = list(moves) or ([] if over else ["pass"])
            assert [game.format_move(state, move) for move in game.legal_moves(state)] == expected
            assert game.is_terminal(state) == over
            if over:
                break
            chosen = rng.choice(expected)
            for place in moves.get(chosen, []):
                cells[place] = mover
            state = game.play(state, game.parse_move(state, chosen))
            mover = other
            board = "".join(cells[file, rank] for rank in range(size) for file in range(size))
            assert game.format_state(state) == f"{board} {mover}"
        black, white = board.count("X"), board.count("O")
        lead = black - white
        assert game.evaluate(state) == lead + (lead > 0) * board.count("-") - (lead < 0) * board.count("-")


# Exact values.


@pytest.mark.parametrize(
    ("name", "most"),
    [
        ("othello_small", 9),
        pytest.param("othello_small", 64, marks=pytest.mark.slow),
        ("othello_endgames", 12),
        pytest.param("othello_endgames", 64, marks=pytest.mark.slow),
    ],
)
def test_exact_values(name: str, most: int) -> None:
    table = Table(64)
    for row in _rows(name):
        if row["empties"] <= most:
            _solves(row, table)


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_ffo() -> None:
    """The French federation's endgames, which programs are compared by; their text may not be copied here."""
    table = Table(256)
    for row in _rows("othello_ffo"):
        if row["empties"] <= FFO_EMPTIES:
            _solves(row, table)


def test_ties() -> None:
    """The first of the best moves in the game's order, which is reading order."""
    game = load_game("othello")
    for row in _rows("othello_endgames"):
        if row["empties"] <= 10 and len(row["best"]) > 1:
            found = parsearch.search(game, game.parse_state(f"{row['board']} {row['stm']}"), workers=0)
            assert game.format_move(found.state, found.move) == min(row["best"], key=lambda move: move[::-1]), row


def test_bounds_contain_the_value() -> None:
    """Also where a window asks for less, and for the moves that the search leaves it with."""
    game: Any = load_game("othello")
    within = game.rules.namespace["bounds_within"]
    words = game.rules.namespace["uint64"]
    table = Table(64)
    for row in _rows("othello_endgames")[::10]:
        if row["empties"] > 14:
            continue
        state = game.parse_state(f"{row['board']} {row['stm']}")
        while True:
            value = engine.solve(game, state, options=engine.Options(table)).value
            least, most = game.bounds(state)
            assert least <= value <= most, game.format_state(state)
            assert sorted(game.sufficient_moves(state)) == list(game.legal_moves(state))
            for low in (value - 9, value - 1, value, value + 9):
                least, most = within(tuple(map(words, state)), low, low + 1)
                assert least <= value <= most, (game.format_state(state), low)
            if game.is_terminal(state):
                break
            state = game.play(state, game.legal_moves(state)[0])


@pytest.mark.parametrize("name", BOARDS)
def test_compiled_is_uncompiled(name: str) -> None:
    """Estimates and scores at a depth, by the kernel and by the functions as Python runs them."""
    game: Any = load_game(name)
    rng = random.Random(name)
    for _ in range(4):
        state = game.initial_state()
        for _ in range(rng.randrange(4, 12)):
            if game.is_terminal(state):
                break
            state = game.play(state, rng.choice(game.legal_moves(state)))

        def value(inner: Any, depth: int) -> int:
            if depth == 0 or game.is_terminal(inner):
                return int(game.evaluate(inner))
            best = max if game.to_move(inner) == 0 else min
            return best(value(game.play(inner, move), depth - 1) for move in game.legal_moves(inner))

        assert engine.search(game, state, 2).value == value(state, 2)


@pytest.mark.parametrize("name", BOARDS)
def test_estimates(name: str) -> None:
    """Within the scale of scores, and the same for both colours."""
    game = load_game(name)
    rng = random.Random(name)
    cells = len(game.format_state(game.initial_state())) - 2
    for _ in range(20):
        state = game.initial_state()
        while not game.is_terminal(state):
            text = game.format_state(state)
            swapped = game.parse_state(text.translate(str.maketrans("XO", "OX")))
            assert game.evaluate(state) == -game.evaluate(swapped)
            assert abs(game.evaluate(state)) < cells
            state = game.play(state, rng.choice(game.legal_moves(state)))


# Text.


def test_texts() -> None:
    game = load_game("othello")
    assert game.format_state(game.initial_state()) == START
    assert game.parse_state(f"  {START.lower()} ") == game.initial_state()
    small = load_game("othello(4)")
    passing = small.parse_state("XXXXXXXXXXXXXO-- O")
    assert [small.format_move(passing, move) for move in small.legal_moves(passing)] == ["pass"]
    board = small.render(passing)
    assert board == ("  a b c d\n1 X X X X\n2 X X X X\n3 X X X X\n4 X O - -\nX 13, O 1; O to move, who has to pass")
    over = small.parse_state("XXXXXXXXXXXXXX-- O")
    assert small.render(over).endswith("X 14, O 0; X has won by 16")


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("", "it is not the cells and the side to move"),
        (START[:-2], "it is not the cells and the side to move"),
        ("XO X", "it has 2 cells, not 8 x 8 = 64"),
        (START.replace("-", "z", 1), "'Z' (a1) is none of X O -"),
        (START[:-1] + "XO", "the side to move 'XO' is none of X O"),
    ],
)
def test_bad_states(text: str, part: str) -> None:
    with pytest.raises(StateError) as caught:
        load_game("othello").parse_state(text)
    assert part in str(caught.value)
    assert "; write" in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("size", ["5", "2", "10", "True", "8.0"])
def test_bad_sizes(size: str) -> None:
    with pytest.raises(GameTextError, match="size must be 4, 6 or 8"):
        load_game(f"othello({size})")


def _rows(name: str) -> list[dict[str, Any]]:
    rows = conformance(name)
    if rows is None:
        pytest.skip(f"set PARSEARCH_CONFORMANCE: no {name}")
    return rows


def _solves(row: dict[str, Any], table: Table) -> None:
    """The value for the side to move, and one of the best moves."""
    game = load_game(f"othello({row['n']})" if "n" in row else "othello")
    state = game.parse_state(f"{row['board']} {row['stm']}")
    found = engine.solve(game, state, options=engine.Options(table))
    assert found.value == (row["score"] if row["stm"] == "X" else -row["score"]), row
    if row["best"]:
        assert game.format_move(state, found.line[0]) in row["best"], row
