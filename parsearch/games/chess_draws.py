"""Draws that a position alone does not show, and dead positions; compiled with `chess(history=True)`.

There a state is the six words of a position and PAST_WORDS more: the moves since a position was reached that may come
back, twelve bits each (from, to). Taking them back shows how often the position was there before, exactly.
"""

from __future__ import annotations

from numpy import int64, uint64

from parsearch.games.chess_attacks import NONE, bit
from parsearch.games.chess_rules import BLACK, HALF_MOVE, HALF_MOVES, MOVE_SHIFT
from parsearch.native.bits import bswap, mix64, popcount

DRAWN = uint64(2)
"""In the clock of a state: one of these rules has ended the game. It follows from the rest; `play` keeps it up."""

MOST_HALF_MOVES = 100
MOVES_IN_WORD, MOVE_BITS = 5, uint64(12)
FULL_WORD = uint64(1 << 48)
PAST_WORDS = MOST_HALF_MOVES // MOVES_IN_WORD
NO_PAST = (NONE,) * PAST_WORDS

DARK_SQUARES = uint64(0xAA55AA55AA55AA55)


def with_past(position, past):
    """The state that is this position after these moves."""
    own, slant, cross, other, rights, clock = position
    if half_moves(position) >= MOST_HALF_MOVES or is_dead(position) or is_third_time(position, past):
        clock |= DRAWN
    return (own, slant, cross, other, rights, clock) + past  # noqa: RUF005 Numba knows + and not *


def past_after(state, move, position):
    """The moves to remember when a move in a state has led to a position.

    None where no earlier position can come back: after a capture, a pawn's move, or one that loses a right.
    """
    if half_moves(position) == 0 or bswap(position[4]) != state[4]:
        return NO_PAST
    newest = state[6]
    squares = uint64(move & 0xFFF)
    if newest >= FULL_WORD:
        return (squares,) + state[6:-1]  # noqa: RUF005 as above
    return ((newest << MOVE_BITS) | squares,) + state[7:]  # noqa: RUF005 as above


def half_moves(position):
    """Since a capture or a pawn's move."""
    return int64((position[5] & HALF_MOVES) // HALF_MOVE)


def is_third_time(position, past):
    """Whether the position was there twice before. The moves are taken back one by one, the opponent's last one first;
    no piece was taken among them, so that each only moves bits."""
    own, slant, cross, other, _, _ = position
    times = 1
    mine = False
    for word in past:
        while word != NONE:
            to, at = int64((word >> uint64(6)) & uint64(63)), int64(word & uint64(63))
            if not mine:
                to, at = to ^ 56, at ^ 56
            moved, both = bit(to), bit(to) | bit(at)
            if own & moved != NONE:
                own ^= both
            if slant & moved != NONE:
                slant ^= both
            if cross & moved != NONE:
                cross ^= both
            if other & moved != NONE:
                other ^= both
            if mine and own == position[0] and slant == position[1] and cross == position[2] and other == position[3]:
                times += 1
            mine = not mine
            word >>= MOVE_BITS
    return times >= 3


def is_dead(position):
    """Whether no moves lead to a mate as far as the pieces show: kings with one bishop or knight at most, or with
    bishops on squares of one colour."""
    _, slant, cross, other, _, _ = position
    if cross & ~other != NONE or slant & other != NONE:  # rooks, queens or pawns
        return False
    bishops, knights = slant, other & ~cross
    one_colour = bishops & DARK_SQUARES == NONE or bishops & ~DARK_SQUARES == NONE
    return popcount(bishops | knights) <= 1 or (knights == NONE and one_colour)


def key_of_past(state):
    """Which way led to a position, as far as that decides draws to come."""
    found = mix64(state[5])
    for word in state[6:]:
        if word == NONE:
            break
        found = mix64(found ^ word)
    return found


def without_past(state):
    """The position before the moves that a state remembers, and these moves as pairs of squares, the oldest first."""
    position, moves = state[:6], []
    for word in state[6:]:
        while word != NONE:
            at, to = int(word) & 63, int(word) >> 6 & 63
            position = _before(position, at, to)
            moves.insert(0, (at, to))
            word >>= MOVE_BITS
    return position, moves


def _before(position, at, to):
    """The position before a move that took nothing."""
    own, slant, cross, other, rights, clock = position
    occupied = slant | cross | other
    back, arrived = bit(at), bit(to)
    words = (bswap(word) for word in (occupied & ~own, slant, cross, other))
    own, slant, cross, other = ((word ^ back ^ arrived if word & arrived else word) for word in words)
    clock = (clock & ~DRAWN ^ BLACK) - HALF_MOVE
    return own, slant, cross, other, bswap(rights), clock - ((clock & BLACK) << MOVE_SHIFT)
