"""Chess and Fischer random chess: rules, move order and texts; see `chess_evaluation` for what a position is worth."""

from __future__ import annotations

from numpy import int64, uint64

from parsearch.core.errors import GameTextError
from parsearch.games.chess_attacks import (
    ANTIDIAGONAL,
    DIAGONAL,
    FILE,
    KING,
    KNIGHT,
    LINE,
    NONE,
    ONE,
    RANK_1,
    RANK_3,
    RANK_6,
    RANK_8,
    between,
    bishop_reach,
    bit,
    east_takes,
    pawn_reach,
    rook_reach,
    west_takes,
)
from parsearch.games.chess_evaluation import MATE, estimate, material
from parsearch.native.bits import bswap, ctz, drop_lowest, lowest, mix64, popcount
from parsearch.native.game import CompiledGame

CHESS960 = False
MATERIAL_ONLY = False

INTEGER = True
MAX_MOVES = 218
HISTORY = True
CALLED = ("attackers", "checks_and_pins", "count_moves", "write_moves", "side")

WORTH = (0, 3, 5, 9, 3, 1, 10)
"""Of a piece when moves are put in order: nothing, bishop, rook, queen, knight, pawn, king."""

KEYS = tuple(mix64(uint64(number)) for number in range(1, 6))

# A state is six words, and the board is always seen by the player to move: their pawns move up, from rank 2 to rank 8.
# After a move it is turned upside down. So one set of rules serves both players.
#
#   own                  the squares of the player to move
#   slant, cross, other  the pieces, in three bits each: see below
#   rights               rooks that may still castle (ranks 1 and 8), and the square where a pawn can be taken en passant
#                        (rank 6), there only if that is legal now
#   clock                bit 0: Black is to move; from bit 8: half-moves since a capture or pawn move; from bit 32: the number
#                        of the move as in FEN
#
# A piece's bits: what moves on diagonals has `slant`, what moves on ranks and files `cross`; `other` turns them into
# pieces that do not slide.
BISHOP, ROOK, QUEEN, KNIGHT_PIECE, PAWN, KING_PIECE = 1, 2, 3, 4, 5, 6

BLACK = uint64(1)
HALF_MOVE = uint64(1 << 8)
HALF_MOVES = uint64(0xFFFFFF << 8)
MOVE_SHIFT = uint64(32)

# A move: from (bits 0-5), to (6-11), the piece that then stands there (12-14), and what is special about it (15-16).
# Castling goes to the square of the rook.
TO, PIECE, KIND = 6, 12, 15
DOUBLE_STEP, EN_PASSANT, CASTLING = 1, 2, 3


def initial_state():
    return START


def to_move(state):
    return int64(state[5] & BLACK)


def plies_played(state):
    """Plies since the first move of the game, by the number of the move."""
    return 2 * int64(state[5] >> MOVE_SHIFT) + int64(state[5] & BLACK)


# Squares and pieces.


def piece_on(state, square):
    at = uint64(square)
    return int64(
        ((state[1] >> at) & ONE) | (((state[2] >> at) & ONE) << ONE) | (((state[3] >> at) & ONE) << uint64(2))
    )


def king_square(state):
    return ctz(state[0] & state[2] & state[3])


def attackers(state, square, occupied):
    """The opponent's pieces that attack a square of a board occupied like this."""
    _, slant, cross, other, _, _ = state
    return ~state[0] & (
        (bishop_reach(square, occupied) & slant & ~other)
        | (rook_reach(square, occupied) & cross & ~other)
        | (KNIGHT[square] & other & ~slant & ~cross)
        | (KING[square] & other & cross)
        | (pawn_reach(square) & other & slant)
    )


def checks_and_pins(state, king):
    """The pieces that give check, and the player's own pieces that keep one from doing so."""
    own, slant, cross, other, _, _ = state
    enemy = (slant | cross | other) & ~own
    checkers = enemy & ((KNIGHT[king] & other & ~slant & ~cross) | (pawn_reach(king) & other & slant))
    pinned = NONE
    # Sliders that would give check if the player had no other piece on the board.
    snipers = enemy & ~other & ((bishop_reach(king, enemy) & slant) | (rook_reach(king, enemy) & cross))
    while snipers != NONE:
        shield = between(king, ctz(snipers)) & own
        if shield == NONE:
            checkers |= lowest(snipers)
        elif drop_lowest(shield) == NONE:
            pinned |= shield
        snipers = drop_lowest(snipers)
    return checkers, pinned


def answers(checkers, king):
    """Where a piece other than the king may go for the king not to be in check: anywhere, or onto or before a checker."""
    if checkers == NONE:
        return ~NONE
    if drop_lowest(checkers) == NONE:
        return checkers | between(king, ctz(checkers))
    return NONE


# Moves of each kind, as sets of squares. `legal_moves` writes them, `count_moves` counts them.


def king_steps(state, king):
    own, slant, cross, other, _, _ = state
    occupied = (slant | cross | other) ^ bit(king)
    targets = KING[king] & ~own
    safe = NONE
    while targets != NONE:
        if attackers(state, ctz(targets), occupied) == NONE:
            safe |= lowest(targets)
        targets = drop_lowest(targets)
    return safe


def castling_rooks(state, king):
    """The rooks with which a king that is not in check may castle."""
    rooks = state[4] & RANK_1
    able = NONE
    while rooks != NONE:
        rook = ctz(rooks)
        king_to, rook_to = (6, 5) if rook > king else (2, 3)
        others = (state[1] | state[2] | state[3]) & ~(bit(king) | bit(rook))
        way = stretch(king, king_to)
        if others & (way | stretch(rook, rook_to)) == NONE and not is_attacked(state, way, others):
            able |= bit(rook)
        rooks = drop_lowest(rooks)
    return able


def stretch(one, other):
    """The squares of the first rank from one to another."""
    return (bit(max(one, other)) << ONE) - bit(min(one, other))


def is_attacked(state, squares, occupied):
    while squares != NONE:
        if attackers(state, ctz(squares), occupied) != NONE:
            return True
        squares = drop_lowest(squares)
    return False


def en_passant_takers(state, king):
    """The pawns that may take en passant."""
    square = state[4] & RANK_6
    able = NONE
    if square != NONE:
        target = ctz(square)
        taken = bit(target - 8)
        # The pawns that a pawn on the target would take if it moved down.
        pawns = bswap(pawn_reach(target ^ 56)) & state[0] & state[1] & state[3]
        while pawns != NONE:
            occupied = ((state[1] | state[2] | state[3]) ^ lowest(pawns) ^ taken) | square
            if attackers(state, king, occupied) & ~taken == NONE:
                able |= lowest(pawns)
            pawns = drop_lowest(pawns)
    return able


def pawn_targets(state, king, pinned, allowed):
    """Where pawns go by one step, by two, by taking to the west and to the east.

    A pinned pawn stays on its line through the king, which is the only line of the king's that it stands on.
    """
    own, slant, cross, other, _, _ = state
    occupied = slant | cross | other
    pawns = own & slant & other
    steps = ((pawns & (~pinned | FILE[king])) << uint64(8)) & ~occupied
    double_steps = ((steps & RANK_3) << uint64(8)) & ~occupied & allowed
    enemy = occupied & ~own & allowed
    west = west_takes(pawns & (~pinned | ANTIDIAGONAL[king])) & enemy
    east = east_takes(pawns & (~pinned | DIAGONAL[king])) & enemy
    return steps & allowed, double_steps, west, east


def unpinned(pinned, king, square):
    """Where a piece may go for all the pins there are."""
    return LINE[king * 64 + square] if pinned & bit(square) != NONE else ~NONE


# The rules.


def legal_moves(state, buffer):
    """Captures and promotions first, then quiet moves; pawns before pieces, the king last."""
    return write_moves(state, buffer, True)


def noisy_moves(state, buffer):
    """Captures and promotions; in check every move."""
    return write_moves(state, buffer, False)


def write_moves(state, buffer, quiet):
    own, slant, cross, other, rights, _ = state
    occupied = slant | cross | other
    king = king_square(state)
    checkers, pinned = checks_and_pins(state, king)
    allowed = answers(checkers, king)
    steps, double_steps, west, east = pawn_targets(state, king, pinned, allowed)
    king_to = king_steps(state, king)
    count = 0
    for targets, distance in ((west, 7), (east, 9), (steps & RANK_8, 8)):
        count = write_pawns(buffer, count, targets, distance)
    takers = en_passant_takers(state, king)
    while takers != NONE:
        buffer[count] = ctz(takers) | ctz(rights & RANK_6) << TO | PAWN << PIECE | EN_PASSANT << KIND
        count += 1
        takers = drop_lowest(takers)
    for wanted in (occupied & ~own, ~occupied):
        if wanted & occupied == NONE:  # captures are done
            if not quiet and checkers == NONE:
                break
            for targets, distance in ((steps & ~RANK_8, 8), (double_steps, 16)):
                count = write_pawns(buffer, count, targets, distance)
        knights = own & other & ~slant & ~cross & ~pinned
        while knights != NONE:
            square = ctz(knights)
            count = write(buffer, count, square | KNIGHT_PIECE << PIECE, KNIGHT[square] & wanted & allowed)
            knights = drop_lowest(knights)
        sliders = own & ~other
        while sliders != NONE:
            square = ctz(sliders)
            targets = slides(state, square, occupied) & wanted & allowed & unpinned(pinned, king, square)
            count = write(buffer, count, square | piece_on(state, square) << PIECE, targets)
            sliders = drop_lowest(sliders)
        count = write(buffer, count, king | KING_PIECE << PIECE, king_to & wanted)
    if quiet and checkers == NONE:
        count = write(buffer, count, king | KING_PIECE << PIECE | CASTLING << KIND, castling_rooks(state, king))
    return count


def slides(state, square, occupied):
    """Where a bishop, rook or queen gets to."""
    reached = NONE
    if state[1] & bit(square) != NONE:
        reached |= bishop_reach(square, occupied)
    if state[2] & bit(square) != NONE:
        reached |= rook_reach(square, occupied)
    return reached


def write(buffer, count, move, targets):
    """The moves of a piece to each of the targets; `move` is all but the target."""
    while targets != NONE:
        buffer[count] = move | ctz(targets) << TO
        count += 1
        targets = drop_lowest(targets)
    return count


def write_pawns(buffer, count, targets, distance):
    """The moves of pawns that come from `distance` squares before their targets."""
    while targets != NONE:
        to = ctz(targets)
        move = (to - distance) | to << TO
        if to >= 56:
            for piece in (QUEEN, KNIGHT_PIECE, ROOK, BISHOP):
                buffer[count] = move | piece << PIECE
                count += 1
        else:
            buffer[count] = move | PAWN << PIECE | (DOUBLE_STEP << KIND if distance == 16 else 0)
            count += 1
        targets = drop_lowest(targets)
    return count


def count_moves(state):
    """How many legal moves there are, without writing them."""
    own, slant, cross, other, _, _ = state
    occupied = slant | cross | other
    king = king_square(state)
    checkers, pinned = checks_and_pins(state, king)
    allowed = answers(checkers, king)
    steps, double_steps, west, east = pawn_targets(state, king, pinned, allowed)
    count = popcount(king_steps(state, king)) + popcount(en_passant_takers(state, king))
    count += popcount(steps) + popcount(double_steps) + popcount(west) + popcount(east)
    count += 3 * (popcount(steps & RANK_8) + popcount(west & RANK_8) + popcount(east & RANK_8))
    if checkers == NONE:
        count += popcount(castling_rooks(state, king))
    allowed &= ~own
    knights = own & other & ~slant & ~cross & ~pinned
    while knights != NONE:
        count += popcount(KNIGHT[ctz(knights)] & allowed)
        knights = drop_lowest(knights)
    sliders = own & ~other
    while sliders != NONE:
        square = ctz(sliders)
        count += popcount(slides(state, square, occupied) & allowed & unpinned(pinned, king, square))
        sliders = drop_lowest(sliders)
    return count


def play(state, move):
    own, slant, cross, other, rights, clock = state
    at, to, piece, kind = move & 63, (move >> TO) & 63, (move >> PIECE) & 7, move >> KIND
    enemy = (slant | cross | other) & ~own
    calm = enemy & bit(to) == NONE and slant & other & bit(at) == NONE  # neither a capture nor a pawn's move
    gone = bit(at) | bit(to)
    arrived, rook_to, en_passant = bit(to), NONE, NONE
    if kind == DOUBLE_STEP:
        en_passant = bit(to - 8)
    elif kind == EN_PASSANT:
        gone |= bit(to - 8)
    elif kind == CASTLING:
        arrived, rook_to = (bit(6), bit(5)) if to > at else (bit(2), bit(3))
    rights &= ~(RANK_6 | gone)
    if piece == KING_PIECE:
        rights &= ~RANK_1
    clock = (clock ^ BLACK) + ((clock & BLACK) << MOVE_SHIFT)
    after = (
        bswap(enemy & ~gone),
        bswap((slant & ~gone) | (arrived if piece & 1 else NONE)),
        bswap((cross & ~gone) | (arrived if piece & 2 else NONE) | rook_to),
        bswap((other & ~gone) | (arrived if piece & 4 else NONE)),
        bswap(rights | en_passant),
        clock + HALF_MOVE if calm else clock & ~HALF_MOVES,
    )
    if en_passant != NONE and en_passant_takers(after, king_square(after)) == NONE:
        return (after[0], after[1], after[2], after[3], after[4] & ~RANK_6, after[5])
    return after


def is_terminal(state):
    return not has_moves(state)


def has_moves(state):
    """Whether there is a legal move. Nearly always a piece that no pin can hold answers that."""
    own, slant, cross, other, _, _ = state
    occupied = slant | cross | other
    king = king_square(state)
    straight, diagonal = rook_reach(king, occupied), bishop_reach(king, occupied)
    enemy = occupied & ~own
    checkers = enemy & (
        (straight & cross & ~other)
        | (diagonal & slant & ~other)
        | (KNIGHT[king] & other & ~slant & ~cross)
        | (pawn_reach(king) & slant & other)
    )
    pawns = own & slant & other & ~straight & ~diagonal
    if checkers == NONE and (pawns << uint64(8)) & ~occupied != NONE:
        return True
    return count_moves(state) > 0


def evaluate(state):
    """From White's point of view: material or the whole estimate; a mate counts more the nearer it is."""
    if not has_moves(state):
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
    lines = []
    for rank in reversed(range(8)):
        lines.append(" ".join([str(rank + 1), *(pieces.get(rank * 8 + file, "-") for file in range(8))]))
    lines.append("  a b c d e f g h")
    side, opponent = ("Black", "White") if to_move(state) else ("White", "Black")
    king = king_square(state)
    check = is_attacked(state, bit(king), state[1] | state[2] | state[3])
    if has_moves(state):
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
