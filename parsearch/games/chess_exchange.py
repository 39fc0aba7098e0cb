"""Static exchange: what a capture comes to where both sides go on taking on its square; compiled with `chess`."""

from __future__ import annotations

from parsearch.games.chess_attacks import KING, KNIGHT, NONE, bishop_reach, bit, pawn_reach, rook_reach
from parsearch.games.chess_rules import EN_PASSANT, KIND, PAWN, PIECE, TO, piece_on
from parsearch.native.bits import bswap, lowest

WORTH = (0, 3, 5, 9, 3, 1, 100)
"""Of nothing, bishop, rook, queen, knight, pawn, king, in pawns: a king that could be taken costs more than all."""


def loses_material(position, move):
    """Whether a move gives more than it takes, where each side takes on its square with the cheapest piece for as long
    as that pays. Leaves out pins, and promotions never do. Source: the swap algorithm (Chess Programming Wiki)."""
    at, to, piece = move & 63, (move >> TO) & 63, (move >> PIECE) & 7
    victim = PAWN if (move >> KIND) == EN_PASSANT else piece_on(position, to)
    at_stake = WORTH[piece] - WORTH[victim]  # what the next to take is sure to gain on the whole
    if at_stake <= 0 or piece != piece_on(position, at):
        return False
    own, slant, cross, other, _, _ = position
    occupied = (slant | cross | other) & ~bit(at)
    slanting, crossing = slant & ~other, cross & ~other
    pawns, knights, kings = slant & other, other & ~slant & ~cross, cross & other
    takers = (
        (pawn_reach(to) & pawns & ~own)
        | (bswap(pawn_reach(to ^ 56)) & pawns & own)
        | (KNIGHT[to] & knights)
        | (KING[to] & kings)
    )
    side, loses = ~own, False
    while True:
        takers = (takers | (bishop_reach(to, occupied) & slanting) | (rook_reach(to, occupied) & crossing)) & occupied
        taker, worth = NONE, 0
        for kind, pawns_worth in (
            (pawns, 1),
            (knights | (slanting & ~crossing), 3),
            (crossing & ~slanting, 5),
            (slanting & crossing, 9),
            (kings, WORTH[6]),
        ):
            if takers & side & kind != NONE:
                taker, worth = lowest(takers & side & kind), pawns_worth
                break
        if taker == NONE:
            return loses
        loses = not loses
        at_stake = worth - at_stake
        if at_stake < (0 if loses else 1):
            return loses
        occupied &= ~taker
        side = ~side
