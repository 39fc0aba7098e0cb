"""English checkers (American draughts) on 8x8: men step and jump forward, kings both ways, and who can jump must."""

from __future__ import annotations

import re
from collections import Counter

import numpy as np
from numpy import int64, uint64

from parsearch.core.errors import GameTextError
from parsearch.games.arguments import text_form
from parsearch.native.bits import ctz, drop_lowest, lowest, popcount
from parsearch.native.game import CompiledGame

# What a position is worth to a player, less the same for the opponent.
MAN = 100
KING = 140
ADVANCE = 3  # for each row that a man has gone
GUARD = 8  # for each man still on the home row: it keeps a king from being made
CENTRE = 4  # for each piece on the eight squares in the middle
MOBILITY = 2  # for each step that a piece could take
LOSS = 10_000  # for the opponent of who cannot move, wherever in the tree

INTEGER = True
MAX_MOVES = 192
"""Twelve pieces have 48 steps at most, and 16 routes of jumps each: those of a king among all nine pieces that it could
ever jump. With fewer pieces or less room there are fewer."""

# A square, numbered from 1 as in PDN, is a bit. After every eighth square a bit stays empty: so each diagonal step is a
# shift by 4 or 5, and one that leaves the board ends on such a bit or outside.
BITS = np.array([square + square // 8 for square in range(32)])
SQUARES = {int(bit): square + 1 for square, bit in enumerate(BITS)}
ROWS = np.array([sum(1 << int(bit) for bit in BITS[4 * row : 4 * row + 4]) for row in range(8)], dtype=np.uint64)
BOARD = np.bitwise_or.reduce(ROWS)
MIDDLE = uint64(sum(1 << int(BITS[square - 1]) for square in (10, 11, 14, 15, 18, 19, 22, 23)))
ODD_ROWS = ROWS[1] | ROWS[3] | ROWS[5] | ROWS[7]
ROWS_WITH_2 = ROWS[2] | ROWS[3] | ROWS[6] | ROWS[7]
ROWS_WITH_4 = ROWS[4] | ROWS[5] | ROWS[6] | ROWS[7]

WHITE_MOVES = uint64(1 << 63)
"""In the third word of a state, above the kings."""

# A direction: 0 and 1 lead towards white's side, 2 and 3 back, each the reverse of that with the other second bit.
# A move: from which bit (6 bits), how many jumps (4 bits, 0 for a step), and above them 2 bits for each direction.
LENGTH_SHIFT, LENGTH = 6, 15
ROUTE_SHIFT = 10


def initial_state():
    """(black pieces, white pieces, kings of both and whether white moves)."""
    return ROWS[0] | ROWS[1] | ROWS[2], ROWS[5] | ROWS[6] | ROWS[7], uint64(0)


def to_move(state):
    return int64(state[2] >> uint64(63))


def towards(pieces, direction):
    """The squares next to these in a direction."""
    distance = uint64(4 + (direction & 1))
    return pieces << distance if direction < 2 else pieces >> distance


def empty_squares(state):
    return BOARD & ~(state[0] | state[1])


def pieces_for(state, player, direction):
    """A player's pieces that may move in a direction."""
    return state[player] if direction >> 1 == player else state[player] & state[2]


def steppers(state, player, direction):
    """A player's pieces that can step in a direction."""
    return pieces_for(state, player, direction) & towards(empty_squares(state), direction ^ 2)


def jumpers(state, player, direction):
    """A player's pieces that can jump in a direction."""
    back = direction ^ 2
    over = state[1 - player] & towards(empty_squares(state), back)
    return pieces_for(state, player, direction) & towards(over, back)


def legal_moves(state, buffer):
    count = noisy_moves(state, buffer)
    if count > 0:
        return count
    player = to_move(state)
    for direction in range(4):
        pieces = steppers(state, player, direction)
        while pieces != uint64(0):
            buffer[count] = ctz(pieces) | (direction << ROUTE_SHIFT)
            count += 1
            pieces = drop_lowest(pieces)
    return count


def is_forced(state):
    return jumping_pieces(state) != uint64(0)


def jumping_pieces(state):
    """The pieces with which the player to move can jump."""
    pieces = uint64(0)
    for direction in range(4):
        pieces |= jumpers(state, to_move(state), direction)
    return pieces


def noisy_moves(state, buffer):
    """The jumps; where there are any, there is no other move."""
    player = to_move(state)
    pieces = jumping_pieces(state)
    count = 0
    while pieces != uint64(0):
        count = jumps(state, player, lowest(pieces), buffer, count)
        pieces = drop_lowest(pieces)
    return count


def jumps(state, player, start, buffer, count):
    """Append every route on which a piece jumps until it can no further: depth first, with the route as the stack.

    A man that reaches the king row can jump no further by itself: it is made a king only when the move is over.
    """
    theirs = state[1 - player]
    empty = empty_squares(state) | start
    first, end = (0, 4) if start & state[2] != uint64(0) else (2 * player, 2 * player + 2)
    here = start
    route = 0
    length = 0
    direction = first
    is_end = False
    while True:
        over = to = uint64(0)
        while direction < end:
            over = towards(here, direction) & theirs
            to = towards(over, direction) & empty
            if to != uint64(0):
                break
            direction += 1
        if direction < end:
            route |= direction << (2 * length)
            length += 1
            here = to
            theirs ^= over
            direction = first
            is_end = True
            continue
        if is_end:
            buffer[count] = ctz(start) | (length << LENGTH_SHIFT) | (route << ROUTE_SHIFT)
            count += 1
            is_end = False
        if length == 0:
            return count
        length -= 1
        direction = (route >> (2 * length)) & 3
        route ^= direction << (2 * length)
        over = towards(here, direction ^ 2)
        here = towards(over, direction ^ 2)
        theirs ^= over
        direction += 1


def play(state, move):
    player = to_move(state)
    start = uint64(1) << uint64(move & 63)
    length = (move >> LENGTH_SHIFT) & LENGTH
    route = move >> ROUTE_SHIFT
    here = start
    taken = uint64(0)
    if length == 0:
        here = towards(start, route)
    for _ in range(length):
        over = towards(here, route & 3)
        here = towards(over, route & 3)
        taken |= over
        route >>= 2
    mine = (state[player] ^ start) | here
    theirs = state[1 - player] ^ taken
    kings = state[2] & ~(start | taken)
    if state[2] & start != uint64(0) or here & king_row(player) != uint64(0):
        kings |= here
    kings ^= WHITE_MOVES
    return (mine, theirs, kings) if player == 0 else (theirs, mine, kings)


def king_row(player):
    return ROWS[7] if player == 0 else ROWS[0]


def is_terminal(state):
    player = to_move(state)
    for direction in range(4):
        if steppers(state, player, direction) | jumpers(state, player, direction) != uint64(0):
            return False
    return True


def evaluate(state):
    if is_terminal(state):
        return -LOSS if to_move(state) == 0 else LOSS
    return worth(state, 0) - worth(state, 1)


def worth(state, player):
    kings = state[player] & state[2]
    men = state[player] ^ kings
    # The row number, from the player's own side, is a sum of 1, 2 and 4; from the other side the rows are the others.
    turned = BOARD if player == 1 else uint64(0)
    rows_gone = (
        popcount(men & (ODD_ROWS ^ turned))
        + 2 * popcount(men & (ROWS_WITH_2 ^ turned))
        + 4 * popcount(men & (ROWS_WITH_4 ^ turned))
    )
    steps = 0
    for direction in range(4):
        steps += popcount(steppers(state, player, direction))
    return (
        MAN * popcount(men)
        + KING * popcount(kings)
        + ADVANCE * rows_gone
        + GUARD * popcount(men & king_row(1 - player))
        + CENTRE * popcount(state[player] & MIDDLE)
        + MOBILITY * steps
    )


def order(state, move):
    """What is captured, else whether a king is made, else how far forward the piece goes."""
    length = (move >> LENGTH_SHIFT) & LENGTH
    if length > 0:
        return 8 * length
    player = to_move(state)
    start = uint64(1) << uint64(move & 63)
    direction = move >> ROUTE_SHIFT
    if start & state[2] == uint64(0) and towards(start, direction) & king_row(player) != uint64(0):
        return 4
    return 0


# Text.

SIDES = "BW"
LETTERS = "bw"


def parse_state(text):
    remedy = f"write PDN, such as {format_state(initial_state())!r}"
    parts = text.strip().rstrip(".").split(":")
    if len(parts) != 3 or parts[0] not in SIDES or sorted(part[:1] for part in parts[1:]) != sorted(SIDES):
        raise ValueError(f"it is not the side to move, W with its squares and B with its squares; {remedy}")
    pieces = [uint64(0), uint64(0)]
    kings = uint64(0)
    for part in parts[1:]:
        player = SIDES.index(part[0])
        words = [word.strip() for word in part[1:].split(",")] if part[1:].strip() else []
        for word in words:
            digits = word.removeprefix("K")
            if not (digits.isascii() and digits.isdigit() and len(digits) < 3 and 1 <= int(digits) <= 32):
                raise ValueError(f"{word!r} is no square from 1 to 32, with K before it for a king; {remedy}")
            bit = uint64(1) << uint64(BITS[int(digits) - 1])
            if bit & (pieces[0] | pieces[1]):
                raise ValueError(f"two pieces are on square {digits}; {remedy}")
            if bit & king_row(player) and word == digits:
                raise ValueError(f"the man on square {digits} would be a king, K{digits}; {remedy}")
            pieces[player] |= bit
            if word != digits:
                kings |= bit
        if len(words) > 12:
            raise ValueError(f"{part[0]} has {len(words)} pieces, and 12 is the most; {remedy}")
    return *pieces, kings | (WHITE_MOVES if parts[0] == "W" else uint64(0))


def format_state(state):
    sides = []
    for player in (1, 0):
        squares = [
            f"{'K' if _holds(state[2], bit) else ''}{square}"
            for bit, square in SQUARES.items()
            if _holds(state[player], bit)
        ]
        sides.append(f"{SIDES[player]}{','.join(squares)}")
    return ":".join([SIDES[to_move(state)], *sides])


def format_move(state, move):
    """The squares where the piece stands, one after the other: they tell routes apart."""
    route, length = move >> ROUTE_SHIFT, (move >> LENGTH_SHIFT) & LENGTH
    place = uint64(1) << uint64(move & 63)
    squares = [SQUARES[ctz(place)]]
    for step in range(max(length, 1)):
        direction = (route >> 2 * step) & 3
        place = towards(place, direction)
        if length > 0:
            place = towards(place, direction)
        squares.append(SQUARES[ctz(place)])
    return ("x" if length else "-").join(map(str, squares))


def parse_move(state, text):
    """Every square as `format_move` writes them, or the first and the last where only one move has those."""
    buffer = [0] * MAX_MOVES
    moves = {format_move(state, move): move for move in buffer[: legal_moves(state, buffer)]}
    wanted = text.strip().lower()
    if wanted in moves:
        return moves[wanted]
    ends = {name: re.sub("x.*x", "x", name) for name in moves}
    if Counter(ends.values())[wanted] > 1:
        raise ValueError(
            f"it has several routes; write every square, {' or '.join(n for n in ends if ends[n] == wanted)}"
        )
    return next((moves[name] for name in ends if ends[name] == wanted), -1)


def render(state):
    """Black, at the top, moves down. Beside each row its first and its last square."""
    lines = []
    for row in range(8):
        cells = [_cell(state, int(BITS[4 * row + place])) for place in range(4)]
        shift = "  " if row % 2 == 0 else ""
        lines.append(f"{4 * row + 1:2}  {shift}{'   '.join(cells)}{'  ' if not shift else ''}  {4 * row + 4:2}")
    names = ("black", "white")
    if is_terminal(state):
        lines.append(f"{names[to_move(state)]} cannot move, {names[1 - to_move(state)]} has won")
    else:
        lines.append(f"{names[to_move(state)]} to move")
    return "\n".join(lines)


def _cell(state, bit):
    for player in (0, 1):
        if _holds(state[player], bit):
            return LETTERS[player].upper() if _holds(state[2], bit) else LETTERS[player]
    return "."


def _holds(pieces, bit):
    return bool(pieces >> uint64(bit) & uint64(1))


class Checkers(CompiledGame):
    """English checkers; black, on squares 1 to 12, is player 0 and begins. Who cannot move has lost.

    A jump goes on as long as it can and is one move; routes that differ are moves that differ. A man that reaches the
    king row stops there. There is no draw: a game may go on for ever, and a search needs a limit.
    eval: `full` (material, advancement, home row, centre, mobility) or `material`, in which a man counts 2, a
    king 3, and a lost game 1000.
    State text: PDN FEN, `B:W18,24,K31:B1,5,K9`. Moves: `11-15`, `22x15x6`; also `22x6` where there is one way only.
    """

    def __init__(self, eval: str = "full") -> None:  # noqa: A002 as people write it: checkers(eval=material)
        if eval not in ("full", "material"):
            raise GameTextError(f"checkers: eval must be full or material, not {eval!r}")
        material = {"MAN": 2, "KING": 3, "ADVANCE": 0, "GUARD": 0, "CENTRE": 0, "MOBILITY": 0, "LOSS": 1000}
        super().__init__(text_form("checkers", Checkers, eval=eval), **(material if eval == "material" else {}))
