"""Chess and Fischer random chess: what positions count, and texts; see `chess_rules` and `chess_evaluation`."""

from __future__ import annotations

from numpy import int64, uint64

from parsearch.core.errors import GameTextError
from parsearch.games.arguments import require_bool
from parsearch.games.chess_attacks import NONE, RANK_6, bit
from parsearch.games.chess_draws import (
    DRAWN,
    MOST_HALF_MOVES,
    NO_PAST,
    half_moves,
    is_dead,
    key_of_past,
    past_after,
    with_past,
    without_past,
)
from parsearch.games.chess_evaluation import MATE, estimate, material
from parsearch.games.chess_exchange import WORTH, loses_material
from parsearch.games.chess_rules import (
    BLACK,
    CASTLING,
    EN_PASSANT,
    KIND,
    PAWN,
    PIECE,
    TO,
    attackers,
    en_passant_takers,
    is_attacked,
    is_stuck,
    king_square,
    move_pieces,
    number_of_moves,
    piece_on,
    plies_played,
    to_move,
    write_moves,
)
from parsearch.games.chess_text import (
    LARGEST_NUMBER,
    LETTERS,
    NAMES,
    START_FEN,
    en_passant_text,
    fault,
    parse_board,
    pieces_on,
    with_en_passant,
)
from parsearch.native.bits import bswap, mix64
from parsearch.native.game import CompiledGame

CHESS960 = False
MATERIAL_ONLY = False
DRAW_RULES = False

INTEGER = True
MAX_MOVES = 218
HISTORY = True
CALLED = (
    "attackers",
    "castling_rooks",
    "checks_and_pins",
    "en_passant_takers",
    "evaluate",
    "is_stuck",
    "is_third_time",
    "king_steps",
    "loses_material",
    "number_of_moves",
    "order",
    "side",
    "write_moves",
)

LAST = 1000
"""Less than any other move in `order`."""

KEYS = tuple(mix64(uint64(number)) for number in range(1, 6))


def initial_state():
    return START


def position(state):
    """A state without its past."""
    return state[:6]


def is_drawn(state):
    return DRAW_RULES and state[5] & DRAWN != NONE


def legal_moves(state, buffer):
    return 0 if is_drawn(state) else write_moves(position(state), buffer, True)


def noisy_moves(state, buffer):
    """Promotions, and captures that lose no material where they are made; in check every move."""
    if is_drawn(state):
        return 0
    board = position(state)
    written = write_moves(board, buffer, False)
    if is_in_check(board):
        return written
    count = 0
    for index in range(written):
        if not loses_material(board, buffer[index]):
            buffer[count] = buffer[index]
            count += 1
    return count


def is_forced(state):
    return is_in_check(position(state))


def is_in_check(board):
    return attackers(board, king_square(board), board[1] | board[2] | board[3]) != NONE


def count_moves(state):
    return 0 if is_drawn(state) else number_of_moves(position(state))


def play(state, move):
    after = move_pieces(position(state), move)
    if DRAW_RULES:
        return with_past(after, past_after(state, move, after))
    return after


def is_terminal(state):
    return is_drawn(state) or is_stuck(position(state))


def evaluate(state):
    """From White's point of view: material or the whole estimate; a mate counts more the nearer it is."""
    board = position(state)
    if is_stuck(board):
        if not is_in_check(board):
            return 0
        score = -1000 if MATERIAL_ONLY else plies_played(board) - MATE
    elif is_drawn(state):
        return 0
    else:
        score = material(board) if MATERIAL_ONLY else estimate(board)
    return -score if board[5] & BLACK != NONE else score


def key(state):
    """The position; where mates count by their distance, the plies played too; where the past counts, all of it."""
    own, slant, cross, other, rights, clock = position(state)
    played = uint64(int64(clock & BLACK) if MATERIAL_ONLY else plies_played(state))
    found = (
        mix64(own ^ KEYS[0])
        ^ mix64(slant ^ KEYS[1])
        ^ mix64(cross ^ KEYS[2])
        ^ mix64(other ^ KEYS[3])
        ^ mix64(rights ^ (played << uint64(8)) ^ KEYS[4])  # ranks 2 to 5 of the rights are empty
    )
    return found ^ key_of_past(state) if DRAW_RULES else found


def order(state, move):
    """Captures and promotions first: the most valuable victim, then the least valuable attacker. What loses material
    comes after the quiet moves."""
    board = position(state)
    victim = piece_on(board, (move >> TO) & 63)
    if (move >> KIND) == CASTLING:
        return 0
    if (move >> KIND) == EN_PASSANT:
        victim = PAWN
    piece = (move >> PIECE) & 7
    gain = 16 * WORTH[victim]
    if victim != 0:
        gain += 15 - min(WORTH[piece], 10)
        if loses_material(board, move):
            gain -= LAST
    if piece != PAWN and piece_on(board, move & 63) == PAWN:
        gain += 16 * (WORTH[piece] - WORTH[PAWN])
    return gain


# Text.


def parse_state(text):
    fen, _, moves = text.partition(" moves ")
    if not DRAW_RULES:
        if moves:
            game = "chess960" if CHESS960 else "chess"
            raise ValueError(f"moves after a FEN are for {game}(history=True); name that, or the position after them")
        return parse_position(text)
    state = with_past(parse_position(fen), NO_PAST)
    for word in moves.split():
        state = play(state, _parse_move(state, word))
    return state


def _parse_move(state, text):
    buffer = [0] * MAX_MOVES
    for move in buffer[: legal_moves(state, buffer)]:
        if format_move(state, move) == text:
            return move
    raise fault(f"{text!r} is no legal move after {format_state(state)!r}")


def parse_position(text):
    """The six words that FEN describes."""
    fields = text.split()
    if not 1 <= len(fields) <= 6:
        raise fault("it is not one to six fields")
    board, side, castling, en_passant, half_moves, number = fields + ["w", "-", "-", "0", "1"][len(fields) - 1 :]
    if side not in ("w", "b"):
        raise fault(f"the side to move {side!r} is neither w nor b")
    for field, value in (("half-move clock", half_moves), ("move number", number)):
        if not (value.isascii() and value.isdigit() and len(value) < 10 and int(value) <= LARGEST_NUMBER):
            raise fault(f"the {field} {value!r} is no number up to {LARGEST_NUMBER}")
    pieces = parse_board(board)
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
        state = with_en_passant(state, en_passant, side)
    state = (*state[:5], uint64(clock))
    flipped = (bswap((state[1] | state[2] | state[3]) & ~state[0]), *(bswap(word) for word in state[1:5]), state[5])
    if is_attacked(flipped, bit(king_square(flipped)), flipped[1] | flipped[2] | flipped[3]):
        raise fault(f"{'White' if side == 'w' else 'Black'} could take the king")
    if en_passant_takers(state, king_square(state)) == NONE:
        state = (*state[:4], state[4] & ~RANK_6, state[5])
    return state


def format_state(state):
    if not DRAW_RULES:
        return format_position(state)
    start, moves = without_past(state)
    fen = format_position(start)
    words = []
    for number, squares in enumerate(moves):
        mirror = 56 if to_move(start) ^ (number & 1) else 0
        words.append("".join(NAMES[square ^ mirror] for square in squares))
    return f"{fen} moves {' '.join(words)}" if words else fen


def format_position(state):
    """FEN."""
    pieces = pieces_on(state)
    ranks = []
    for rank in reversed(range(8)):
        cells = "".join(pieces.get(rank * 8 + file, "1") for file in range(8))
        for empty in range(8, 1, -1):
            cells = cells.replace("1" * empty, str(empty))
        ranks.append(cells)
    side = "b" if to_move(state) else "w"
    clock = int(state[5])
    counters = f"{clock >> 8 & 0xFFFFFF} {clock >> 32}"
    return f"{'/'.join(ranks)} {side} {_castling_text(state)} {en_passant_text(state)} {counters}"


def format_move(state, move):
    at, to, piece = move & 63, (move >> TO) & 63, (move >> PIECE) & 7
    if move >> KIND == CASTLING and not CHESS960:
        to = 6 if to > at else 2
    promotion = LETTERS[piece].lower() if piece_on(state, at) != piece else ""
    mirror = 56 if to_move(state) else 0
    return f"{NAMES[at ^ mirror]}{NAMES[to ^ mirror]}{promotion}"


def render(state):
    board = position(state)
    pieces = pieces_on(board)
    rows = [[str(rank + 1), *(pieces.get(rank * 8 + file, "-") for file in range(8))] for rank in reversed(range(8))]
    lines = [" ".join(row) for row in rows]
    lines.append("  a b c d e f g h")
    side, opponent = ("Black", "White") if to_move(board) else ("White", "Black")
    check = is_attacked(board, bit(king_square(board)), board[1] | board[2] | board[3])
    if is_stuck(board):
        lines.append(f"{opponent} has won" if check else "a draw by stalemate")
    elif not is_drawn(state):
        lines.append(f"{side} to move{', in check' if check else ''}")
    elif is_dead(board):
        lines.append("a draw: nobody can mate")
    elif half_moves(board) >= MOST_HALF_MOVES:
        lines.append("a draw: fifty moves without a capture or a pawn's move")
    else:
        lines.append("a draw: the position is there for the third time")
    return "\n".join(lines)


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
            raise fault(f"the castling right {letter!r} in {text!r} has no king and rook of its own")
        if not CHESS960 and (king % 8 != 4 or rook % 8 not in (0, 7)):
            raise fault(f"the castling right {letter!r} in {text!r} is for chess960")
        squares.append(rook)
    return squares


def _castling_text(state):
    """In chess KQkq, in chess960 the files of the rooks, White's in capitals and from the king's side."""
    rights = int(bswap(state[4]) if to_move(state) else state[4])
    text = ""
    for rank, case in ((0, str.upper), (56, str.lower)):
        for file in reversed(range(8)):
            if rights >> (rank + file) & 1:
                text += case("abcdefgh"[file] if CHESS960 else "k" if file == 7 else "q")
    return text or "-"


START = parse_state(START_FEN)


class Chess(CompiledGame):
    """Chess until mate or stalemate; the value depends on the position alone: no draw by repetition or by 50 moves.

    history=True is for play: the game ends in a draw as soon as a player could claim one, when a position is there for
    the third time or after 50 moves each without a capture or pawn move (a mate by the last of them counts), and when
    neither side has the pieces to mate. (The arbiter's draws, five times and 75 moves, would let a search think that
    an opponent who is behind plays on.) A value then depends on the way to the position, so the transposition table
    knows a position only with its way.

    A mate scores MATE less the plies played until then, by the move number of the FEN, so that the nearer one is the
    better one. Estimates are centipawns. eval="material" counts pawns, 1 3 3 5 9, and a mate 1000 wherever it is.
    Moves: captures and promotions first; text as in UCI: e2e4, e7e8q, e1g1.
    State text: FEN. An en passant square counts, and is printed, only where a pawn can legally take there. Fields left
    out at the end are `w - - 0 1`. With history moves may follow as in UCI, `... w - - 0 1 moves g1f3 g8f6`; printed
    are those since a position that may come back.
    """

    def __init__(self, eval: str = "full", history: bool = False) -> None:  # noqa: A002 the field's name for it
        _make(self, "chess", eval, history)


class Chess960(CompiledGame):
    """Fischer random chess: `Chess` in which king and castling rooks may start anywhere on the first rank.

    Castling is written as the king taking its own rook, e1h1. FEN castling rights are the files of the rooks, HAha
    (Shredder-FEN), or KQkq for the outermost rooks (X-FEN).
    """

    def __init__(self, eval: str = "full", history: bool = False) -> None:  # noqa: A002 as above
        _make(self, "chess960", eval, history, CHESS960=True)


def _make(game, name, evaluation, history, **constants):
    if evaluation not in ("full", "material"):
        raise GameTextError(f"{name}: eval must be full or material, not {evaluation!r}")
    require_bool(name, "history", history)
    words = []
    if evaluation == "material":
        constants["MATERIAL_ONLY"] = True
        words.append("eval=material")
    if history:
        constants["DRAW_RULES"] = True
        words.append("history=True")
    CompiledGame.__init__(game, f"{name}({','.join(words)})" if words else name, **constants)
