"""The parts of FEN in which chess and Fischer random chess agree; used by `chess`."""

from __future__ import annotations

from parsearch.games.chess_attacks import NONE, RANK_6, bit
from parsearch.games.chess_rules import piece_on, to_move
from parsearch.native.bits import ctz

LETTERS = " BRQNPK"
"""By piece; capitals are White's."""

NAMES = [f"{file}{rank}" for rank in "12345678" for file in "abcdefgh"]
START_FEN = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
LARGEST_NUMBER = 9999


def fault(what):
    return ValueError(f"{what}; write it in FEN, such as {START_FEN!r}")


def parse_board(text):
    """The letters of the pieces by square."""
    ranks = text.split("/")
    if len(ranks) != 8:
        raise fault(f"the board {text!r} has {len(ranks)} ranks, not 8")
    pieces = {}
    for number, rank in zip(range(8, 0, -1), ranks, strict=True):
        file = 0
        for letter in rank:
            if letter in "12345678":
                file += int(letter)
            elif letter.upper() in LETTERS[1:]:
                pieces[(number - 1) * 8 + file] = letter
                file += 1
            else:
                raise fault(f"{letter!r} in {rank!r} is no piece")
        if file != 8:
            raise fault(f"rank {number}, {rank!r}, has {file} squares, not 8")
    for side, letters in (("White", LETTERS[1:]), ("Black", LETTERS[1:].lower())):
        bishops, rooks, queens, knights, pawns, kings = (list(pieces.values()).count(letter) for letter in letters)
        if kings != 1:
            raise fault(f"{side} has {kings} kings, not 1")
        if pawns + max(0, queens - 1) + sum(max(0, count - 2) for count in (bishops, rooks, knights)) > 8:
            raise fault(f"{side} has more pieces than eight pawns and promotions allow")
    if any(letter in "Pp" and square // 8 in (0, 7) for square, letter in pieces.items()):
        raise fault("a pawn stands on the first or the last rank")
    return pieces


def with_en_passant(state, text, side):
    """The state with a square on which a pawn has just been passed over, whether or not it can be taken."""
    rank = "6" if side == "w" else "3"
    if text not in NAMES or text[1] != rank:
        raise fault(f"the en passant square {text!r} is none of a{rank} to h{rank}")
    square = NAMES.index(text[0] + "6")
    occupied = state[1] | state[2] | state[3]
    pawns = occupied & ~state[0] & state[1] & state[3]
    if bit(square - 8) & pawns == NONE or (bit(square) | bit(square + 8)) & occupied != NONE:
        raise fault(f"no pawn can just have passed over the en passant square {text!r}")
    return (*state[:4], state[4] | bit(square), state[5])


def pieces_on(state):
    """The letters of the pieces by square, as White sees the board."""
    pieces = {}
    for square in range(64):
        piece = piece_on(state, square)
        if piece:
            white = bool(state[0] & bit(square)) != bool(to_move(state))
            letter = LETTERS[piece]
            pieces[square ^ (56 if to_move(state) else 0)] = letter if white else letter.lower()
    return pieces


def en_passant_text(state):
    square = state[4] & RANK_6
    return NAMES[ctz(square) ^ (56 if to_move(state) else 0)] if square else "-"
