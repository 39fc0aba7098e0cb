"""Chess and Fischer random chess: what positions count, and texts; see `chess_rules` and `chess_evaluation`."""

from __future__ import annotations

from numpy import int64, uint64

from parsearch.core.errors import GameTextError
from parsearch.games.chess_attacks import NONE, RANK_6, bit
from parsearch.games.chess_evaluation import MATE, estimate, material
from parsearch.games.chess_rules import (  # noqa: F401 a game's functions are found in its module
    BLACK,
    CASTLING,
    EN_PASSANT,
    KIND,
    PAWN,
    PIECE,
    TO,
    attackers,
    count_moves,
    en_passant_takers,
    is_attacked,
    is_terminal,
    king_square,
    legal_moves,
    noisy_moves,
    piece_on,
    play,
    plies_played,
    to_move,
)
from parsearch.native.bits import bswap, ctz, mix64
from parsearch.native.game import CompiledGame

CHESS960 = False
MATERIAL_ONLY = False

INTEGER = True
MAX_MOVES = 218
HISTORY = True
CALLED = (
    "attackers",
    "castling_rooks",
    "checks_and_pins",
    "count_moves",
    "en_passant_takers",
    "evaluate",
    "is_terminal",
    "king_steps",
    "order",
    "side",
    "write_moves",
)

WORTH = (0, 3, 5, 9, 3, 1, 10)
"""Of a piece when moves are put in order: nothing, bishop, rook, queen, knight, pawn, king."""

KEYS = tuple(mix64(uint64(number)) for number in range(1, 6))


def initial_state():
    return START


def evaluate(state):
    """From White's point of view: material or the whole estimate; a mate counts more the nearer it is."""
    if is_terminal(state):
        king = king_square(state)
        if attackers(state, king, state[1] | state[2] | state[3]) == NONE:
            return 0
        score = -1000 if MATERIAL_ONLY else plies_played(state) - MATE
    else:
        score = material(state) if MATERIAL_ONLY else estimate(state)
    return -score if state[5] & BLACK != NONE else score


def key(state):
    """The position; where mates count by their distance, the plies played too."""
    own, slant, cross, other, rights, clock = state
    played = uint64(int64(clock & BLACK) if MATERIAL_ONLY else plies_played(state))
    return (
        mix64(own ^ KEYS[0])
        ^ mix64(slant ^ KEYS[1])
        ^ mix64(cross ^ KEYS[2])
        ^ mix64(other ^ KEYS[3])
        ^ mix64(rights ^ (played << uint64(8)) ^ KEYS[4])  # ranks 2 to 5 of the rights are empty
    )


def order(state, move):
    """Captures and promotions first: the most valuable victim, then the least valuable attacker."""
    victim = piece_on(state, (move >> TO) & 63)
    if (move >> KIND) == CASTLING:
        return 0
    if (move >> KIND) == EN_PASSANT:
        victim = PAWN
    piece = (move >> PIECE) & 7
    gain = 16 * WORTH[victim]
    if victim != 0:
        gain += 15 - WORTH[piece]
    if piece != PAWN and piece_on(state, move & 63) == PAWN:
        gain += 16 * (WORTH[piece] - WORTH[PAWN])
    return gain


# Text.

LETTERS = " BRQNPK"
"""By piece; capitals are White's."""

NAMES = [f"{file}{rank}" for rank in "12345678" for file in "abcdefgh"]
START_FEN = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
LARGEST_NUMBER = 9999


def parse_state(text):
    fields = text.split()
    if not 1 <= len(fields) <= 6:
        raise _fault("it is not one to six fields")
    board, side, castling, en_passant, half_moves, number = fields + ["w", "-", "-", "0", "1"][len(fields) - 1 :]
    if side not in ("w", "b"):
        raise _fault(f"the side to move {side!r} is neither w nor b")
    for field, value in (("half-move clock", half_moves), ("move number", number)):
        if not (value.isascii() and value.isdigit() and len(value) < 10 and int(value) <= LARGEST_NUMBER):
            raise _fault(f"the {field} {value!r} is no number up to {LARGEST_NUMBER}")
    pieces = _parse_board(board)
    rights = sum(1 << square for square in _parse_castling(pieces, castling))
    words = [0, 0, 0, 0, rights, 0]
    for square, letter in pieces.items():
        piece = LETTERS.index(letter.upper())
        words[0] |= (letter.isupper() == (side == "w")) << square
        for place in range(3):
            words[1 + place] |= (piece >> place & 1) << square
    state = tuple(uint64(word) for word in words)
    if side == "b":
        state = tuple(bswap(word) for word in state)
    clock = (side == "b") | int(half_moves) << 8 | max(1, int(number)) << 32
    if en_passant != "-":
        state = _with_en_passant(state, en_passant, side)
    state = (*state[:5], uint64(clock))
    flipped = (bswap((state[1] | state[2] | state[3]) & ~state[0]), *(bswap(word) for word in state[1:5]), state[5])
    if is_attacked(flipped, bit(king_square(flipped)), flipped[1] | flipped[2] | flipped[3]):
        raise _fault(f"{'White' if side == 'w' else 'Black'} could take the king")
    if en_passant_takers(state, king_square(state)) == NONE:
        state = (*state[:4], state[4] & ~RANK_6, state[5])
    return state


def format_state(state):
    pieces = _pieces(state)
    ranks = []
    for rank in reversed(range(8)):
        cells = "".join(pieces.get(rank * 8 + file, "1") for file in range(8))
        for empty in range(8, 1, -1):
            cells = cells.replace("1" * empty, str(empty))
        ranks.append(cells)
    side = "b" if to_move(state) else "w"
    clock = int(state[5])
    counters = f"{clock >> 8 & 0xFFFFFF} {clock >> 32}"
    return f"{'/'.join(ranks)} {side} {_castling_text(state)} {_en_passant_text(state)} {counters}"


def format_move(state, move):
    at, to, piece = move & 63, (move >> TO) & 63, (move >> PIECE) & 7
    if move >> KIND == CASTLING and not CHESS960:
        to = 6 if to > at else 2
    promotion = LETTERS[piece].lower() if piece_on(state, at) != piece else ""
    mirror = 56 if to_move(state) else 0
    return f"{NAMES[at ^ mirror]}{NAMES[to ^ mirror]}{promotion}"


def render(state):
    pieces = _pieces(state)
    rows = [[str(rank + 1), *(pieces.get(rank * 8 + file, "-") for file in range(8))] for rank in reversed(range(8))]
    lines = [" ".join(row) for row in rows]
    lines.append("  a b c d e f g h")
    side, opponent = ("Black", "White") if to_move(state) else ("White", "Black")
    king = king_square(state)
    check = is_attacked(state, bit(king), state[1] | state[2] | state[3])
    if not is_terminal(state):
        lines.append(f"{side} to move{', in check' if check else ''}")
    else:
        lines.append(f"{opponent} has won" if check else "a draw by stalemate")
    return "\n".join(lines)


def _fault(what):
    return ValueError(f"{what}; write it in FEN, such as {START_FEN!r}")


def _parse_board(text):
    """The letters of the pieces by square."""
    ranks = text.split("/")
    if len(ranks) != 8:
        raise _fault(f"the board {text!r} has {len(ranks)} ranks, not 8")
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
                raise _fault(f"{letter!r} in {rank!r} is no piece")
        if file != 8:
            raise _fault(f"rank {number}, {rank!r}, has {file} squares, not 8")
    for side, letters in (("White", LETTERS[1:]), ("Black", LETTERS[1:].lower())):
        bishops, rooks, queens, knights, pawns, kings = (list(pieces.values()).count(letter) for letter in letters)
        if kings != 1:
            raise _fault(f"{side} has {kings} kings, not 1")
        if pawns + max(0, queens - 1) + sum(max(0, count - 2) for count in (bishops, rooks, knights)) > 8:
            raise _fault(f"{side} has more pieces than eight pawns and promotions allow")
    if any(letter in "Pp" and square // 8 in (0, 7) for square, letter in pieces.items()):
        raise _fault("a pawn stands on the first or the last rank")
    return pieces


def _parse_castling(pieces, text):
    """The squares of the rooks that may castle, from KQkq (the outermost rook) or the letters of their files."""
    squares = []
    for letter in text if text != "-" else "":
        white = letter.isupper()
        rank = 0 if white else 56
        king = next(square for square, piece in pieces.items() if piece == ("K" if white else "k"))
        rooks = [rank + file for file in range(8) if pieces.get(rank + file) == ("R" if white else "r")]
        if letter in "KQkq":
            beside = [rook for rook in rooks if (rook > king) == (letter in "Kk")]
            rook = -1 if not beside else beside[-1] if letter in "Kk" else beside[0]
        else:
            file = "abcdefgh".find(letter.lower())
            rook = rank + file if file >= 0 and rank + file in rooks else -1
        side = [other for other in squares if other // 8 == rank // 8 and (other > king) == (rook > king)]
        if rook < 0 or king // 8 != rank // 8 or side:
            raise _fault(f"the castling right {letter!r} in {text!r} has no king and rook of its own")
        if not CHESS960 and (king % 8 != 4 or rook % 8 not in (0, 7)):
            raise _fault(f"the castling right {letter!r} in {text!r} is for chess960")
        squares.append(rook)
    return squares


def _with_en_passant(state, text, side):
    """The state with a square on which a pawn has just been passed over, whether or not it can be taken."""
    rank = "6" if side == "w" else "3"
    if text not in NAMES or text[1] != rank:
        raise _fault(f"the en passant square {text!r} is none of a{rank} to h{rank}")
    square = NAMES.index(text[0] + "6")
    occupied = state[1] | state[2] | state[3]
    pawns = occupied & ~state[0] & state[1] & state[3]
    if bit(square - 8) & pawns == NONE or (bit(square) | bit(square + 8)) & occupied != NONE:
        raise _fault(f"no pawn can just have passed over the en passant square {text!r}")
    return (*state[:4], state[4] | bit(square), state[5])


def _pieces(state):
    """The letters of the pieces by square, as White sees the board."""
    pieces = {}
    for square in range(64):
        piece = piece_on(state, square)
        if piece:
            white = bool(state[0] & bit(square)) != bool(to_move(state))
            letter = LETTERS[piece]
            pieces[square ^ (56 if to_move(state) else 0)] = letter if white else letter.lower()
    return pieces


def _castling_text(state):
    """In chess KQkq, in chess960 the files of the rooks, White's in capitals and from the king's side."""
    rights = int(bswap(state[4]) if to_move(state) else state[4])
    text = ""
    for rank, case in ((0, str.upper), (56, str.lower)):
        for file in reversed(range(8)):
            if rights >> (rank + file) & 1:
                text += case("abcdefgh"[file] if CHESS960 else "k" if file == 7 else "q")
    return text or "-"


def _en_passant_text(state):
    square = state[4] & RANK_6
    return NAMES[ctz(square) ^ (56 if to_move(state) else 0)] if square else "-"


START = parse_state(START_FEN)


class Chess(CompiledGame):
    """Chess until mate or stalemate; the value depends on the position alone: no draw by repetition or by 50 moves.

    A mate scores MATE less the plies played until then, by the move number of the FEN, so that the nearer one is the
    better one. Estimates are centipawns. eval="material" counts pawns, 1 3 3 5 9, and a mate 1000 wherever it is.
    Moves: captures and promotions first; text as in UCI: e2e4, e7e8q, e1g1.
    State text: FEN. An en passant square counts, and is printed, only where a pawn can legally take there. Fields left
    out at the end are `w - - 0 1`.
    """

    def __init__(self, eval: str = "full") -> None:  # noqa: A002 the field's name for it
        _make(self, "chess", eval)


class Chess960(CompiledGame):
    """Fischer random chess: `Chess` in which king and castling rooks may start anywhere on the first rank.

    Castling is written as the king taking its own rook, e1h1. FEN castling rights are the files of the rooks, HAha
    (Shredder-FEN), or KQkq for the outermost rooks (X-FEN).
    """

    def __init__(self, eval: str = "full") -> None:  # noqa: A002 as above
        _make(self, "chess960", eval, CHESS960=True)


def _make(game, name, evaluation, **constants):
    if evaluation not in ("full", "material"):
        raise GameTextError(f"{name}: eval must be full or material, not {evaluation!r}")
    if evaluation == "material":
        name, constants = f"{name}(eval=material)", {**constants, "MATERIAL_ONLY": True}
    CompiledGame.__init__(game, name, **constants)
