"""What a chess position is worth: bare material, or an estimate in centipawns, both for the player to move.

The estimate weighs material with the squares the pieces stand on, their mobility, pawns, and the attack on the kings,
once for the middle game and once for the end game; what is left of the pieces blends the two. The weights are our own
round numbers, nothing is tuned.
"""

from __future__ import annotations

import numpy as np
from numpy import uint64

from parsearch.games.chess_attacks import (
    FILE_A,
    FILE_H,
    KING,
    KNIGHT,
    NONE,
    bishop_reach,
    bit,
    east_takes,
    rook_reach,
    west_takes,
)
from parsearch.native.bits import bswap, ctz, drop_lowest, popcount

MATE = 100_000
"""What a mate scores, less the plies played until then. Estimates stay below half of it."""

END_BITS = 16
"""A pair of weights is one number, middle game << END_BITS + end game, so that one addition adds both."""


def pair(middle, end):
    return middle * (1 << END_BITS) + end


def _worth(piece, square):
    """A piece with its square: pieces like the centre, pawns and rooks go forward, the king hides until the end."""
    file, rank = square % 8, square // 8
    central = 4 - (abs(2 * file - 7) + abs(2 * rank - 7)) // 2  # from -3 in a corner to 3
    beside = min(file, 7 - file)
    return {
        0: (0, 0),
        1: (335 + 4 * central, 305 + 3 * central),
        2: (490 + 3 * beside + 20 * (rank == 6), 530 + 8 * (rank == 6)),
        3: (980 + central, 960 + 5 * central),
        4: (325 + 8 * central, 295 + 6 * central),
        5: (85 + 3 * (rank - 1) + 4 * beside * (2 <= rank <= 4), 100 + 6 * (rank - 1)),
        6: ((25, 35, 10, 0)[beside] - 18 * rank, 10 * central),
    }[piece]


# Pieces are numbered as in `chess`: bishop, rook, queen, knight, pawn, king from 1.
WORTH_ON = np.array([pair(*_worth(piece, square)) for piece in range(7) for square in range(64)])
MOBILITY = (0, pair(5, 5), pair(2, 4), pair(1, 3), pair(5, 4))  # for each square that is attacked and no pawn defends
KING_ATTACK = (0, 7, 9, 11, 7)  # for each square around the enemy king that a piece attacks; middle game only
BISHOP_PAIR = pair(30, 50)
OPEN_FILE, HALF_OPEN_FILE = pair(25, 10), pair(12, 8)
DOUBLED, ISOLATED = pair(-10, -20), pair(-12, -14)
PASSED = np.array(
    [pair(*weights) for weights in ((0, 0), (5, 10), (8, 15), (15, 30), (30, 55), (55, 90), (90, 140), (0, 0))]
)
SHELTER = pair(12, 0)  # for each pawn on the squares around the king
MOVE = 10  # for having the move
FULL = 24  # of the pieces at the start: 1 for a bishop or knight, 2 for a rook, 4 for a queen


def material(state):
    """In pawns: own pieces less the opponent's, 1 3 3 5 9."""
    own, slant, cross, other, _, _ = state
    sliders, pawns, knights = ~other, slant & other, other & ~slant & ~cross
    return (
        3 * balance(own, sliders & slant)
        + 5 * balance(own, sliders & cross)
        + balance(own, sliders & slant & cross)  # a queen was counted as a bishop and a rook
        + 3 * balance(own, knights)
        + balance(own, pawns)
    )


def balance(own, pieces):
    return popcount(pieces & own) - popcount(pieces & ~own)


def estimate(state):
    own, slant, cross, other, _, _ = state
    enemy = (slant | cross | other) & ~own
    score = side(own, enemy, slant, cross, other)
    score -= side(bswap(enemy), bswap(own), bswap(slant), bswap(cross), bswap(other))
    middle = (score + (1 << (END_BITS - 1))) >> END_BITS
    end = score - (middle << END_BITS)
    sliders, knights = ~other, other & ~slant & ~cross
    queens = sliders & slant & cross
    left = popcount(sliders & slant) + popcount(knights) + 2 * popcount(sliders & cross) + popcount(queens)
    left = min(left, FULL)
    return (middle * left + end * (FULL - left)) // FULL + MOVE


def side(own, enemy, slant, cross, other):
    """All terms of one side, whose pawns move up; a pair."""
    occupied = own | enemy
    pawns, enemy_pawns = own & slant & other, enemy & slant & other
    king, enemy_king = ctz(own & cross & other), ctz(enemy & cross & other)
    around = KING[enemy_king] | bit(enemy_king)
    guarded = bswap(east_takes(bswap(enemy_pawns)) | west_takes(bswap(enemy_pawns)))
    free = ~own & ~guarded
    score = WORTH_ON[6 * 64 + king] + SHELTER * popcount(pawns & KING[king])
    attack = 0
    pieces = own & ~(slant & other) & ~(cross & other)
    while pieces != NONE:
        square = ctz(pieces)
        place = bit(square)
        if other & place != NONE:
            piece, reach = 4, KNIGHT[square]
        else:
            piece, reach = 0, NONE
            if slant & place != NONE:
                piece, reach = 1, bishop_reach(square, occupied)
            if cross & place != NONE:
                piece, reach = piece + 2, reach | rook_reach(square, occupied)
        score += WORTH_ON[piece * 64 + square] + MOBILITY[piece] * popcount(reach & free)
        attack += KING_ATTACK[piece] * popcount(reach & around)
        pieces = drop_lowest(pieces)
    if popcount(own & slant & ~other & ~cross) >= 2:
        score += BISHOP_PAIR
    own_files = files(pawns)
    half_open = own & cross & ~slant & ~other & ~own_files
    score += HALF_OPEN_FILE * popcount(half_open)
    score += (OPEN_FILE - HALF_OPEN_FILE) * popcount(half_open & ~files(enemy_pawns))
    score += pair(attack, 0)
    score += DOUBLED * popcount(pawns & above(pawns))
    score += ISOLATED * popcount(pawns & ~beside(own_files))
    stoppers = below(enemy_pawns)
    passed = pawns & ~(stoppers | beside(stoppers))
    while pawns != NONE:
        square = ctz(pawns)
        score += WORTH_ON[5 * 64 + square]
        if passed & bit(square) != NONE:
            score += PASSED[square >> 3]
        pawns = drop_lowest(pawns)
    return score


def above(squares):
    """All squares further up on the files of these."""
    squares = squares << uint64(8)
    squares |= squares << uint64(8)
    squares |= squares << uint64(16)
    return squares | (squares << uint64(32))


def below(squares):
    """All squares further down on the files of these."""
    squares = squares >> uint64(8)
    squares |= squares >> uint64(8)
    squares |= squares >> uint64(16)
    return squares | (squares >> uint64(32))


def files(squares):
    return squares | above(squares) | below(squares)


def beside(squares):
    """These squares moved to the files on both sides."""
    return ((squares & ~FILE_H) << uint64(1)) | ((squares & ~FILE_A) >> uint64(1))
