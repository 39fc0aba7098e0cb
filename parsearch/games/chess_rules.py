"""The rules of chess: states, moves and play; compiled with `chess`, which adds values and texts.

Castling is that of Fischer random chess, of which chess is one starting position.
"""

from __future__ import annotations

from numpy import int64, uint64

from parsearch.games.chess_attacks import (
    ANTIDIAGONAL,
    DIAGONAL,
    FILE,
    KING,
    KNIGHT,
    LINE,
    NONE,
    ONE,
    RANK,
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
from parsearch.native.bits import bswap, ctz, drop_lowest, lowest, popcount

# A position is six words, and the board is always seen by the player to move: their pawns move up, from rank 2 to rank
# 8. After a move it is turned upside down. So one set of rules serves both players.
#
#   own                  the squares of the player to move
#   slant, cross, other  the pieces, in three bits each: see below
#   rights               rooks that may still castle (ranks 1 and 8), and the square where a pawn can be taken en
#                        passant (rank 6), there only if that is legal now
#   clock                bit 0: Black is to move; from bit 8: half-moves since a capture or pawn move; from bit 32: the
#                        number of the move as in FEN
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


def to_move(state):
    return int64(state[5] & BLACK)


def plies_played(state):
    """Plies since the first move of the game, by the number of the move."""
    return 2 * int64(state[5] >> MOVE_SHIFT) + int64(state[5] & BLACK)


# Squares and pieces.


def piece_on(state, square):
    at = uint64(square)
    return int64(((state[1] >> at) & ONE) | (((state[2] >> at) & ONE) << ONE) | (((state[3] >> at) & ONE) << uint64(2)))


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
    """Where a piece other than the king may go so that the king is not in check: in front of a checker or onto it."""
    if checkers == NONE:
        return ~NONE
    if drop_lowest(checkers) == NONE:
        return checkers | between(king, ctz(checkers))
    return NONE


# Moves of each kind, as sets of squares. `write_moves` writes them, `number_of_moves` counts them.


def king_steps(state, king, targets):
    """Those of the targets to which the king can step."""
    occupied = (state[1] | state[2] | state[3]) ^ bit(king)
    targets &= KING[king]
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


def write_moves(state, buffer, quiet):
    """Captures, the most valuable first, and promotions, then quiet moves; pawns before pieces, the king last. Without
    `quiet` only the former, but in check all."""
    own, slant, cross, other, rights, _ = state
    occupied = slant | cross | other
    enemy = occupied & ~own
    king = king_square(state)
    checkers, pinned = checks_and_pins(state, king)
    allowed = answers(checkers, king)
    steps, double_steps, west, east = pawn_targets(state, king, pinned, allowed)
    king_to = king_steps(state, king, ~own if quiet or checkers != NONE else enemy)
    count = write_pawns(buffer, 0, steps & RANK_8, 8)
    queens, rooks, pawns = enemy & slant & cross, enemy & cross & ~slant & ~other, enemy & slant & other
    for wanted in (queens, rooks, enemy & ~queens & ~rooks & ~pawns, pawns, ~occupied):
        if wanted == ~occupied:
            takers = en_passant_takers(state, king)
            while takers != NONE:
                buffer[count] = ctz(takers) | ctz(rights & RANK_6) << TO | PAWN << PIECE | EN_PASSANT << KIND
                count += 1
                takers = drop_lowest(takers)
            if not quiet and checkers == NONE:
                break
            for targets, distance in ((steps & ~RANK_8, 8), (double_steps, 16)):
                count = write_pawns(buffer, count, targets, distance)
        elif wanted == NONE:
            continue
        count = write_pawns(buffer, count, west & wanted, 7)
        count = write_pawns(buffer, count, east & wanted, 9)
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


def number_of_moves(state):
    """How many legal moves there are, without writing them."""
    own, slant, cross, other, _, _ = state
    occupied = slant | cross | other
    king = king_square(state)
    checkers, pinned = checks_and_pins(state, king)
    allowed = answers(checkers, king)
    steps, double_steps, west, east = pawn_targets(state, king, pinned, allowed)
    count = popcount(king_steps(state, king, ~own)) + popcount(en_passant_takers(state, king))
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


def move_pieces(state, move):
    """The position after a move."""
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


def is_stuck(state):
    """Whether there is no legal move. Nearly always a pawn that no pin can hold answers that."""
    own, slant, cross, other, _, _ = state
    occupied = slant | cross | other
    king = king_square(state)
    pawns = own & slant & other & ~(RANK[king] | FILE[king] | DIAGONAL[king] | ANTIDIAGONAL[king])
    if (pawns << uint64(8)) & ~occupied != NONE and attackers(state, king, occupied) == NONE:
        return False
    return number_of_moves(state) == 0
