"""Othello (Reversi) on boards of 4, 6 or 8: discs that are flanked change colour, and most discs win."""

from __future__ import annotations

from numpy import uint64

from parsearch.core.errors import GameTextError
from parsearch.games.arguments import text_form
from parsearch.games.othello_board import FILES_B_TO_G, RAYS, beside, beyond_runs, flips
from parsearch.games.othello_endgame import difference, last_four, last_one, last_three, last_two, odd_quarters
from parsearch.native.bits import ctz, drop_lowest, mix64, popcount
from parsearch.native.game import CompiledGame

SIZE = 8

INTEGER = True
CELLS = SIZE * SIZE
MAX_MOVES = CELLS
PASS = 64
"""The move of a player who cannot place a disc; the others are cells as `othello_board` numbers them."""

PLACES = [(8 - SIZE) // 2 * 9 + 8 * rank + file for rank in range(SIZE) for file in range(SIZE)]
"""The cells in reading order: a small board lies in the middle of one of 8 x 8."""

BOARD = uint64(sum(1 << place for place in PLACES))
LEFT_SIDE = uint64(sum(1 << place for place in PLACES[::SIZE]))
SIDES = LEFT_SIDE | uint64(sum(1 << place for place in PLACES[SIZE - 1 :: SIZE]))
ENDS = uint64(sum(1 << place for place in PLACES[:SIZE] + PLACES[-SIZE:]))
CORNERS = SIDES & ENDS

TABLE_DEPTH = 8
ORDER_DEPTH = 7
PLAYED_OUT = 4
"""Empty cells at the end that are played out without the kernel."""


def initial_state():
    """(discs of the player to move, of the opponent, cells where the player to move may place one, that player).

    The third follows from the discs; `play` keeps it up, because every node asks for it more than once.
    """
    black = (uint64(1) << uint64(28)) | (uint64(1) << uint64(35))
    white = (uint64(1) << uint64(27)) | (uint64(1) << uint64(36))
    return black, white, placements(black, white), uint64(0)


def to_move(state):
    return popcount(state[3])


def legal_moves(state, buffer):
    cells = state[2]
    if cells == uint64(0):
        if is_terminal(state):
            return 0
        buffer[0] = PASS
        return 1
    count = 0
    while cells != uint64(0):
        buffer[count] = ctz(cells)
        cells = drop_lowest(cells)
        count += 1
    return count


def play(state, move):
    mine, theirs, _, player = state
    if move != PASS:
        flipped = flips(mine, theirs, move)
        mine |= flipped | (uint64(1) << uint64(move))
        theirs &= ~flipped
    return theirs, mine, placements(theirs, mine), player ^ uint64(1)


def is_terminal(state):
    return state[2] == uint64(0) and placements(state[1], state[0]) == uint64(0)


def placements(mine, theirs):
    """The empty cells from which a disc of `mine` would flank some of `theirs`."""
    inner = theirs & FILES_B_TO_G
    cells = (
        beyond_runs(mine, inner, 1)
        | beyond_runs(mine, inner, 7)
        | beyond_runs(mine, theirs, 8)
        | beyond_runs(mine, inner, 9)
    )
    return cells & BOARD & ~(mine | theirs)


def evaluate(state):
    mine, theirs = state[0], state[1]
    score = difference(mine, theirs, plies_left(state)) if is_terminal(state) else estimate(state)
    return score if state[3] == uint64(0) else -score


def estimate(state):
    """In discs, for the player to move: mobility, corners, discs along an edge that a corner protects, cells next to a
    corner that give it away, and who will have the last move."""
    mine, theirs, cells, _ = state
    empty = ~(mine | theirs) & BOARD
    risky = around_corners(CORNERS & empty)
    score = (
        popcount(cells)
        - popcount(placements(theirs, mine))
        + 6 * (popcount(mine & CORNERS) - popcount(theirs & CORNERS))
        + 2 * (popcount(anchored(mine)) - popcount(anchored(theirs)))
        - 2 * (popcount(mine & risky) - popcount(theirs & risky))
        + (2 * (popcount(empty) & 1) - 1)
    )
    return max(1 - CELLS, min(CELLS - 1, score))


def around_corners(corners):
    """The cells next to these corners, diagonals included."""
    rows = corners | ((corners & LEFT_SIDE) << uint64(1)) | ((corners & ~LEFT_SIDE) >> uint64(1))
    return (rows | beside(rows, 8)) & BOARD & ~corners


def anchored(discs):
    """A player's discs on the edge that stand in an unbroken row with one in a corner: nobody can flip them."""
    found = discs & CORNERS
    more = found
    while more != uint64(0):
        more = discs & ~found & ((ENDS & beside(found, 1)) | (SIDES & beside(found, 8)))
        found |= more
    return found


def key(state):
    """The discs and whose they are."""
    theirs = state[1] if state[3] == uint64(0) else ~state[1]
    return state[0] ^ mix64(theirs)


# What exact solving uses.


def plies_left(state):
    return CELLS - popcount(state[0] | state[1])


def order(state, move):
    """The fewer replies the better, those in corners counted twice; and corners are worth taking."""
    replies = play(state, move)[2]
    score = -2 * (popcount(replies) + popcount(replies & CORNERS))
    if move != PASS and CORNERS & (uint64(1) << uint64(move)) != uint64(0):
        score += 3
    return score


def sufficient_moves(state, buffer):
    """All moves; first those into quarters of the board with an odd number of empty cells, for the last move there."""
    if state[2] == uint64(0):
        return legal_moves(state, buffer)
    odd = odd_quarters(~(state[0] | state[1]) & BOARD)
    count = 0
    for cells in (state[2] & odd, state[2] & ~odd):
        while cells != uint64(0):
            buffer[count] = ctz(cells)
            cells = drop_lowest(cells)
            count += 1
    return count


def bounds(state):
    """Discs that can never be flipped stay to the end."""
    mine, theirs = state[0], state[1]
    least = 2 * popcount(stable(mine, theirs)) - CELLS
    most = CELLS - 2 * popcount(stable(theirs, mine))
    return (least, most) if state[3] == uint64(0) else (-most, -least)


def stable(mine, theirs):
    """Discs of `mine` that can never be flipped, or most of them.

    On each of the four lines through one a neighbour is off the board or such a disc too, or the line is full.
    """
    empty = ~(mine | theirs) & BOARD
    open_rank, open_falling, open_file, open_rising = empty, empty, empty, empty
    while empty != uint64(0):
        rays = RAYS[ctz(empty)]
        empty = drop_lowest(empty)
        open_rank |= rays[0] | rays[4]
        open_falling |= rays[1] | rays[5]
        open_file |= rays[2] | rays[6]
        open_rising |= rays[3] | rays[7]
    along_rank, along_file = SIDES | ~open_rank, ENDS | ~open_file
    falling, rising = SIDES | ENDS | ~open_falling, SIDES | ENDS | ~open_rising
    found = mine & along_rank & along_file & falling & rising
    more = found
    while more != uint64(0):
        more = (
            mine
            & ~found
            & (along_rank | beside(found, 1))
            & (falling | beside(found, 7))
            & (along_file | beside(found, 8))
            & (rising | beside(found, 9))
        )
        found |= more
    return found


def bounds_within(state, low, high):
    """The last empty cells are played out here; before, stable discs are counted where they could decide."""
    mine, theirs, _, player = state
    if player != uint64(0):
        low, high = -high, -low
    empty = ~(mine | theirs) & BOARD
    left = popcount(empty)
    least, most = -CELLS, CELLS
    if left <= PLAYED_OUT:
        if left == 4:
            value = last_four(mine, theirs, empty, low, high)
        elif left == 3:
            value = last_three(mine, theirs, empty, low, high)
        elif left == 2:
            value = last_two(mine, theirs, empty, low, high)
        elif left == 1:
            value = last_one(mine, theirs, ctz(empty))
        else:
            value = difference(mine, theirs, 0)
        if value > low:
            least = value
        if value < high:
            most = value
    else:
        if CELLS - 2 * popcount(theirs) <= low:
            most = CELLS - 2 * popcount(stable(theirs, mine))
        if 2 * popcount(mine) - CELLS >= high:
            least = 2 * popcount(stable(mine, theirs)) - CELLS
    return (least, most) if player == uint64(0) else (-most, -least)


def max_plies(state):
    """A disc for every empty cell, and a pass before each."""
    return 0 if is_terminal(state) else 2 * (CELLS - popcount(state[0] | state[1]))


# Text.

LETTERS = "XO"


def parse_state(text):
    remedy = f"write the cells rank by rank and the side to move, such as {format_state(initial_state())!r}"
    words = text.upper().split()
    if len(words) != 2:
        raise ValueError(f"it is not the cells and the side to move; {remedy}")
    cells, side = words
    if len(cells) != CELLS:
        raise ValueError(f"it has {len(cells)} cells, not {SIZE} x {SIZE} = {CELLS}; {remedy}")
    for place, cell in zip(PLACES, cells, strict=True):
        if cell not in LETTERS and cell != "-":
            raise ValueError(f"{cell!r} ({format_move(None, place)}) is none of X O -; {remedy}")
    if side not in ("X", "O"):
        raise ValueError(f"the side to move {side!r} is none of X O; {remedy}")
    player = LETTERS.index(side)
    mine, theirs = (
        uint64(sum(1 << place for place, cell in zip(PLACES, cells, strict=True) if cell == letter))
        for letter in (LETTERS[player], LETTERS[1 - player])
    )
    return mine, theirs, placements(mine, theirs), uint64(player)


def format_state(state):
    return f"{_board_text(state)} {LETTERS[to_move(state)]}"


def parse_move(state, text):
    names = {format_move(state, move): move for move in (*PLACES, PASS)}
    return names.get(text.strip().lower(), -1)


def format_move(state, move):
    if move == PASS:
        return "pass"
    rank, file = divmod(PLACES.index(move), SIZE)
    return f"{'abcdefgh'[file]}{rank + 1}"


def render(state):
    board = _board_text(state)
    files = "abcdefgh"[:SIZE]
    ranks = [f"{rank + 1}{board[rank * SIZE : (rank + 1) * SIZE]}" for rank in range(SIZE)]
    lines = [" ".join(line) for line in (f" {files}", *ranks)]
    discs = f"X {board.count('X')}, O {board.count('O')}"
    if not is_terminal(state):
        turn = f"{LETTERS[to_move(state)]} to move" + (", who has to pass" if state[2] == uint64(0) else "")
    else:
        score = evaluate(state)
        turn = f"{LETTERS[score < 0]} has won by {abs(score)}" if score else "a draw"
    return "\n".join([*lines, f"{discs}; {turn}"])


def _board_text(state):
    mine, theirs = LETTERS[to_move(state)], LETTERS[1 - to_move(state)]
    bits = [(uint64(1) << uint64(cell)) for cell in PLACES]
    return "".join(mine if state[0] & bit else theirs if state[1] & bit else "-" for bit in bits)


class Othello(CompiledGame):
    """Othello on a board of size x size cells, which is 4, 6 or 8; X is black, player 0, and moves first.

    A finished game scores the difference in discs, empty cells counted for the winner. It ends as soon as nobody can
    place a disc; who cannot while the opponent can has to pass, which is a ply of its own.
    Moves: cells in reading order; text `d3`, or `pass`.
    State text: the cells from a1 rank by rank, `X`, `O` or `-`, a space and the side to move.
    """

    def __init__(self, size: int = 8) -> None:
        if not isinstance(size, int) or size not in (4, 6, 8):
            raise GameTextError(f"othello: size must be 4, 6 or 8, not {size!r}")
        super().__init__(text_form("othello", type(self), size=size), **({} if size == 8 else {"SIZE": size}))
