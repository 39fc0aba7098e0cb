"""A chess program is wrong in a rare rule first: counts, games and mates from outside hold moves, texts and values."""

from __future__ import annotations

import math
import random
from typing import Any

import chess
import pytest

from cases import conformance
from parsearch.algorithms import Effort
from parsearch.algorithms.alphabeta import alphabeta
from parsearch.core.check import check_game
from parsearch.core.errors import GameTextError, MoveError, StateError
from parsearch.core.window import Window
from parsearch.games import load_game
from parsearch.games.chess_evaluation import MATE
from parsearch.native.engine import Options, search
from parsearch.native.perft import divide, perft
from parsearch.native.table import Table

KIWIPETE = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"
MOST_NODES = 300_000
"""How far perft counts by default; the slow rows go on to a hundred million."""


def rows(name: str) -> list[dict[str, Any]]:
    found = conformance(name)
    if found is None:
        pytest.skip(f"set PARSEARCH_CONFORMANCE: no {name}")
    return found


def sample(found: list[dict[str, Any]], count: int) -> list[dict[str, Any]]:
    return random.Random(5).sample(found, min(count, len(found)))


# Rules.


@pytest.mark.parametrize("most", [MOST_NODES, pytest.param(10**8, marks=[pytest.mark.slow, pytest.mark.timeout(1800)])])
@pytest.mark.parametrize(("game", "name"), [("chess", "chess_perft"), ("chess960", "chess960_perft")])
def test_perft(game: str, name: str, most: int) -> None:
    loaded = load_game(game)
    for row in rows(name):
        state = loaded.parse_state(row["fen"])
        for depth, count in enumerate(row["counts"], 1):
            if count <= most:
                counted = perft(loaded, state, depth)
                parts = divide(loaded, state, depth) if counted.nodes != count else {}
                moves = {loaded.format_move(state, move): part.nodes for move, part in parts.items()}
                assert counted.nodes == count, (row["fen"], depth, moves)


PAWNS = {chess.PAWN: 1, chess.KNIGHT: 3, chess.BISHOP: 3, chess.ROOK: 5, chess.QUEEN: 9, chess.KING: 100}


def taken_net(board: chess.Board, move: chess.Move) -> int:
    """What a capture wins or loses, in pawns, if both sides go on taking on its square while that pays."""
    board = board.copy(stack=False)
    taken = board.piece_type_at(move.to_square) or chess.PAWN
    board.set_piece_at(move.to_square, board.remove_piece_at(move.from_square))
    return PAWNS[taken] - best_of_taking(board, move.to_square, not board.turn)


def best_of_taking(board: chess.Board, square: int, side: chess.Color) -> int:
    """The most that a side gains by taking on a square with its cheapest piece, or not; of two that are worth the same,
    which may stand in front of different ones, with the one on the lower square as the player to move sees them."""
    mirror = 0 if board.turn else 56
    takers = board.attackers(side, square)
    if not takers:
        return 0
    taker = min(takers, key=lambda at: (PAWNS[board.piece_type_at(at) or 0], at ^ mirror))
    gain = PAWNS[board.piece_type_at(square) or 0]
    board.set_piece_at(square, board.remove_piece_at(taker))
    return max(0, gain - best_of_taking(board, square, not side))


def compare_with_python_chess(name: str, games: int, seed: int) -> None:
    """Random games: the same moves, check, end and FEN in every position."""
    game = load_game(name)
    rng = random.Random(seed)
    for _ in range(games):
        board = chess.Board.from_chess960_pos(rng.randrange(960) if name == "chess960" else 518)
        board.chess960 = name == "chess960"
        state = game.parse_state(board.fen())
        while True:
            fen = board.shredder_fen(en_passant="legal") if board.chess960 else board.fen()
            assert game.format_state(state) == fen
            assert game.parse_state(fen) == state
            moves = {game.format_move(state, move): move for move in game.legal_moves(state)}
            theirs = {board.uci(move): move for move in board.legal_moves}
            assert moves.keys() == theirs.keys(), fen
            assert game.is_terminal(state) == (not moves)
            check, noisy = board.is_check(), set(game.noisy_moves(state))
            for text, played in theirs.items():
                takes = board.is_capture(played) and taken_net(board, played) >= 0
                assert (moves[text] in noisy) == (check or played.promotion is not None or takes), (fen, text)
            assert game.is_forced(state) == check
            if not moves:
                plies = 2 * board.fullmove_number + (board.turn == chess.BLACK)
                mate = MATE - plies if board.turn == chess.BLACK else plies - MATE
                assert game.evaluate(state) == (mate if board.is_checkmate() else 0)
                break
            if board.is_insufficient_material() or board.ply() > 300:
                break
            text = rng.choice(sorted(moves))
            state = game.play(state, moves[text])
            board.push(theirs[text])


@pytest.mark.parametrize("games", [4, pytest.param(60, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", ["chess", "chess960"])
def test_random_games_as_in_python_chess(name: str, games: int) -> None:
    compare_with_python_chess(name, games, seed=games)


SHUFFLED = (
    "r3k2r/p6p/8/8/8/8/P6P/R3K2R w KQkq - 0 1",  # rights that get lost
    "4k3/3p4/8/4P3/8/8/8/R3K3 b - - 0 1",  # a position that comes back without its en passant
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "8/8/3qk3/8/8/Q7/4K3/8 w - - 80 100",
    "7k/8/6K1/8/8/8/8/1QRR4 w - - 99 100",  # a mate by the last of fifty moves counts
    "1b1k4/8/8/8/8/8/3p4/B2K4 w - - 0 1",  # dead with bishops of one colour
    "7K/5k2/8/8/8/8/q7/8 b - - 0 1",  # often stalemate
)


def compare_draws_with_python_chess(name: str, games: int, seed: int) -> None:
    """Games in which pieces like to go back: the same draws, and texts that keep what led to a position."""
    game = load_game(f"{name}(history=True)")
    rng = random.Random(seed)
    ends = dict.fromkeys(("mate", "stalemate", "dead", "fifty moves", "repetition"), 0)
    for number in range(games):
        board = chess.Board(SHUFFLED[number % len(SHUFFLED)], chess960=name == "chess960")
        state = game.parse_state(board.fen())
        while True:
            end = end_in_python_chess(board)
            text = game.format_state(state)
            assert game.parse_state(text) == state
            assert game.is_terminal(state) == (end is not None), (text, board.move_stack)
            moves = {game.format_move(state, move): move for move in game.legal_moves(state)}
            assert sorted(moves) == ([] if end else sorted(board.uci(move) for move in board.legal_moves))
            if end:
                ends[end] += 1
                assert (game.evaluate(state) == 0) == (end != "mate")
                break
            last = board.move_stack[-2] if len(board.move_stack) > 1 else chess.Move.null()
            back = board.uci(chess.Move(last.to_square, last.from_square))
            text = back if back in moves and rng.random() < 0.6 else rng.choice(sorted(moves))
            state = game.play(state, moves[text])
            board.push_uci(text)
    assert all(ends.values()), ends


def end_in_python_chess(board: chess.Board) -> str | None:
    """Why a game is over where every draw that a player could claim is one; None where it goes on."""
    ends = (
        ("mate", board.is_checkmate),
        ("stalemate", board.is_stalemate),
        ("dead", board.is_insufficient_material),
        ("fifty moves", board.is_fifty_moves),
        ("repetition", lambda: board.is_repetition(3)),
    )
    return next((name for name, holds in ends if holds()), None)


@pytest.mark.parametrize("games", [40, pytest.param(1000, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", ["chess", "chess960"])
def test_draws_as_in_python_chess(name: str, games: int) -> None:
    compare_draws_with_python_chess(name, games, seed=3)


@pytest.mark.slow
def test_draws_compiled() -> None:
    """What the kernel counts and searches where repetition and the fiftieth move are near, against plain minimax."""
    game = load_game("chess(history=True)")
    shuffle = "moves e1e2 e8e7 e2e1 e7e8 e1e2 e8e7 e2e1"
    for text in (f"4k3/7p/8/8/8/8/8/4K2R w - - 0 1 {shuffle}", "4k3/8/8/7p/8/8/8/4K2R b - - 97 80"):
        state = game.parse_state(text)

        def count(inner: Any, depth: int) -> int:
            moves = game.legal_moves(inner)
            return len(moves) if depth == 1 else sum(count(game.play(inner, move), depth - 1) for move in moves)

        def value(inner: Any, depth: int) -> float:
            if depth == 0 or game.is_terminal(inner):
                return game.evaluate(inner)
            best = min if game.to_move(inner) else max
            return best(value(game.play(inner, move), depth - 1) for move in game.legal_moves(inner))

        assert perft(game, state, 3).nodes == count(state, 3)
        assert search(game, state, 3, options=Options(Table(16))).value == value(state, 3)


# Each is compiled function by function: two that have everything between them, the others where time does not matter.
@pytest.mark.parametrize(
    "name",
    [
        "chess960",
        "chess(history=True)",
        pytest.param("chess", marks=pytest.mark.slow),
        pytest.param("chess(eval=material)", marks=pytest.mark.slow),
    ],
)
def test_contract(name: str) -> None:
    report = check_game(load_game(name), games=1, seed=6)  # a short game, of 127 positions
    assert report.ok, str(report)


def test_en_passant_counts_only_where_it_is_legal() -> None:
    game = load_game("chess")
    for fen, kept in (
        ("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1", False),  # nobody there to take
        ("4k3/8/8/8/3pP3/8/8/4K3 b - e3 0 1", True),
        ("8/8/8/8/k2pP2R/8/8/4K3 b - e3 0 1", False),  # both pawns leave the king's rank
        ("3r4/3k4/8/8/3pP3/8/8/3RK3 b - e3 0 1", False),  # pinned on the file
        ("8/8/2k5/8/3pP3/8/8/4K2B b - e3 0 1", False),  # the taken pawn shields the king from the bishop
    ):
        state = game.parse_state(fen)
        board = chess.Board(fen)
        assert board.has_legal_en_passant() == kept, fen
        assert (" e3 " in game.format_state(state)) == kept
        assert (game.key(state) == game.key(game.parse_state(fen.replace(" e3 ", " - ")))) == (not kept)


def test_the_key_forgets_clocks_and_keeps_the_rest() -> None:
    material, full = load_game("chess(eval=material)"), load_game("chess")
    start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR"

    def same(game: Any, one: str, other: str) -> bool:
        return bool(game.key(game.parse_state(one)) == game.key(game.parse_state(other)))

    assert same(material, f"{start} w KQkq - 0 1", f"{start} w KQkq - 30 70")
    assert same(full, f"{start} w KQkq - 0 1", f"{start} w KQkq - 30 1")
    assert not same(full, f"{start} w KQkq - 0 1", f"{start} w KQkq - 0 2")  # where a mate is worth less by two plies
    for game in (material, full):
        for other in (f"{start} b KQkq - 0 1", f"{start} w KQk - 0 1", f"{start} w Qkq - 0 1", f"{start} w - - 0 1"):
            assert not same(game, f"{start} w KQkq - 0 1", other)


# Values.


def own_view(game: Any, state: Any, value: float) -> float:
    return 0 - value if game.to_move(state) else value


@pytest.mark.parametrize(
    ("count", "depth", "algorithm"),
    [(12, 3, "minimax"), (60, 3, "alphabeta"), pytest.param(200, 9, "alphabeta", marks=pytest.mark.slow)],
)
def test_fixed_depth(count: int, depth: int, algorithm: str) -> None:
    game = load_game("chess(eval=material)")
    table = Options() if algorithm == "minimax" else Options(Table(16))
    for row in sample(rows("chess_fixed_depth"), count):
        state = game.parse_state(row["fen"])
        for plies, value in enumerate(row["values"][:depth], 1):
            found = search(game, state, plies, algorithm=algorithm, options=table)
            assert own_view(game, state, found.value) == value, (row["fen"], plies)
            if plies == len(row["values"]):
                assert game.format_move(state, found.line[0]) in row["best_at_last_depth"], row["fen"]


@pytest.mark.parametrize(("count", "longest"), [(40, 2), pytest.param(100, 3, marks=pytest.mark.slow)])
def test_mates(count: int, longest: int) -> None:
    """A mate in n scores exactly its distance at depth 2n - 1, nothing is found before, and all its keys are found."""
    game = load_game("chess")
    table = Table(64)
    for row in sample([row for row in rows("chess_mates") if row["mate_in"] <= longest], count):
        state, plies = game.parse_state(row["fen"]), 2 * row["mate_in"] - 1
        white = game.to_move(state) == 0

        def mated(position: Any, depth: int, score: int = MATE - ply(row["fen"]) - plies, white: bool = white) -> bool:
            """Whether the mate is reached; a null window asks for nothing else."""
            window = Window(score - 1, score) if white else Window(-score, 1 - score)
            value = search(game, position, depth, window, options=Options(table)).value
            return bool(value >= score if white else value <= -score)

        assert plies == 1 or not mated(state, plies - 2), row["fen"]
        keys = [move for move in game.legal_moves(state) if mated(game.play(state, move), plies - 1)]
        assert {game.format_move(state, move) for move in keys} == set(row["best"]), row["fen"]


def ply(fen: str) -> int:
    board = chess.Board(fen)
    return 2 * board.fullmove_number + (board.turn == chess.BLACK)


def test_a_nearer_mate_is_better() -> None:
    game = load_game("chess")
    state = game.parse_state("7k/8/4K3/8/8/8/8/6Q1 w - - 0 1")
    for depth in (3, 5):
        found = search(game, state, depth, options=Options(Table(16)))
        assert found.value == MATE - 2 - 3
        assert len(found.line) == 3


def test_estimates_are_the_same_for_both_sides() -> None:
    game = load_game("chess")
    rng = random.Random(9)
    board = chess.Board()
    while board.legal_moves and board.ply() < 80:
        state, mirrored = game.parse_state(board.fen()), game.parse_state(board.mirror().fen())
        assert game.evaluate(state) == -game.evaluate(mirrored)
        assert abs(game.evaluate(state)) < MATE / 2
        board.push(rng.choice(list(board.legal_moves)))


@pytest.mark.parametrize("name", ["chess", pytest.param("chess(eval=material)", marks=pytest.mark.slow)])
def test_compiled_as_uncompiled(name: str) -> None:
    """What the kernel makes of leaves and order, against the plain functions."""
    game = load_game(name)
    state = game.parse_state(KIWIPETE)
    value = max(game.evaluate(game.play(state, move)) for move in game.legal_moves(state))
    for options in (Options(), Options(ordered=True), Options(Table(16))):
        assert search(game, state, 1, options=options).value == value


@pytest.mark.parametrize("name", ["chess", "checkers"])
def test_quiescence_as_the_reference_has_it(name: str) -> None:
    game = load_game(name)
    rng = random.Random(4)
    state = game.initial_state()
    for ply in range(12):
        value, _ = alphabeta(game, state, 1, -math.inf, math.inf, Effort(quiescence=True))
        assert search(game, state, 1, options=Options(Table(1), quiescence=True)).value == value, ply
        state = game.play(state, rng.choice(game.legal_moves(state)))
        if game.is_terminal(state):
            state = game.initial_state()


# Texts.


@pytest.mark.parametrize(
    ("game", "text", "part"),
    [
        ("chess", "", "not one to six fields"),
        ("chess", "8/8", "has 2 ranks, not 8"),
        ("chess", "4k3/8/8/8/8/8/8/4K4", "rank 1, '4K4', has 9 squares"),
        ("chess", "4k3/8/8/8/8/8/8/4X3", "'X' in '4X3' is no piece"),
        ("chess", "4k3/8/8/8/8/8/8/8", "White has 0 kings"),
        ("chess", "4k3/8/8/8/8/8/8/4KP2", "a pawn stands on the first or the last rank"),
        ("chess", "4k3/8/8/8/8/8/QQQQQQQQ/QQ2K3", "more pieces than eight pawns"),
        ("chess", "4k3/8/8/8/8/8/8/4K3 x", "'x' is neither w nor b"),
        ("chess", "4k3/8/8/8/8/8/8/4K3 w K", "'K' in 'K' has no king and rook of its own"),
        ("chess", "4k3/8/8/8/8/8/8/4K2R w KK", "'K' in 'KK' has no king and rook of its own"),
        ("chess", "4k3/8/8/8/8/8/8/3K3R w K", "is for chess960"),
        ("chess960", "4k3/8/8/8/8/8/8/3K3R w G", "'G' in 'G' has no king and rook of its own"),
        ("chess", "4k3/8/8/8/8/8/8/4K3 w - e5", "'e5' is none of a6 to h6"),
        ("chess", "4k3/8/8/8/8/8/8/4K3 w - e6", "no pawn can just have passed over"),
        ("chess", "4k3/8/8/8/8/8/8/4K3 w - - x 1", "the half-move clock 'x' is no number"),
        ("chess", "4k3/8/8/8/8/8/8/4K3 w - - 0 99999", "the move number '99999' is no number up to 9999"),
        ("chess", "4k3/8/8/8/8/8/8/4RK2 w - - 0 1", "White could take the king"),
    ],
)
def test_bad_states(game: str, text: str, part: str) -> None:
    with pytest.raises(StateError) as caught:
        load_game(game).parse_state(text)
    assert part in str(caught.value)
    assert "; write it in FEN, such as" in str(caught.value)


def test_texts() -> None:
    game, variant = load_game("chess"), load_game("chess960")
    state = game.parse_state("r3k2r/8/8/8/8/8/8/R3K2R b KQkq - 3 9")
    assert game.format_state(state) == "r3k2r/8/8/8/8/8/8/R3K2R b KQkq - 3 9"
    assert "e8g8" in [game.format_move(state, move) for move in game.legal_moves(state)]
    assert game.format_state(game.parse_state("4k3/8/8/8/8/8/8/4K3")) == "4k3/8/8/8/8/8/8/4K3 w - - 0 1"
    fen = "r3k2r/8/8/8/8/8/8/R3K2R b HAha - 3 9"
    assert variant.format_state(variant.parse_state(fen)) == fen
    assert variant.parse_state(fen.replace("HAha", "KQkq")) == variant.parse_state(fen) == state
    assert "e8h8" in [variant.format_move(state, move) for move in variant.legal_moves(state)]
    played = load_game("chess(history=True)")
    fen = "4k3/8/8/4p3/8/8/8/R3K3"
    state = played.parse_state(f"{fen} w Q - 7 9 moves a1a2 e8e7 e1e2 e7e6 a2a1 e6e7")  # a1a2 loses the right
    assert played.format_state(state) == "4k3/8/8/4p3/8/8/R7/4K3 b - - 8 9 moves e8e7 e1e2 e7e6 a2a1 e6e7"
    assert played.parse_state(f"{fen} w - - 2 3") != game.parse_state(f"{fen} w - - 2 3")
    with pytest.raises(StateError, match="'e1e3' is no legal move after"):
        played.parse_state(f"{fen} w - - 0 1 moves e1e3")
    for other in (game, variant):
        with pytest.raises(StateError, match=rf"moves after a FEN are for {other.name}\(history=True\)"):
            other.parse_state(f"{fen} w - - 0 1 moves e1e2")
    with pytest.raises(GameTextError, match="history must be True or False, not 1"):
        load_game("chess(history=1)")
    with pytest.raises(MoveError, match="'e1e2' is no legal move"):
        game.parse_move(state, "e1e2")
    with pytest.raises(GameTextError, match="eval must be full or material, not 'best'"):
        load_game("chess(eval=best)")
    assert load_game("chess(eval=material)").name == "chess(eval=material)"
    assert load_game("chess(eval=full)").name == "chess"
    assert game.render(game.parse_state("7k/6Q1/6K1/8/8/8/8/8 b - - 0 1")).splitlines()[-1] == "White has won"
    assert game.render(game.parse_state("7k/8/6QK/8/8/8/8/8 b")).splitlines()[-1] == "a draw by stalemate"
