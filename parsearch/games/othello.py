"""Othello (Reversi) on boards of 4, 6 or 8: discs that are flanked change colour, and most discs win."""

from __future__ import annotations

import numpy as np
from numpy import uint64

from parsearch.core.errors import GameTextError
from parsearch.games.arguments import text_form
from parsearch.native.bits import clz, ctz, drop_lowest, lowest, mix64, popcount, sub64
from parsearch.native.game import CompiledGame

SIZE = 8

INTEGER = True
CELLS = SIZE * SIZE
MAX_MOVES = CELLS
PASS = CELLS
"""The move of a player who cannot place a disc; the others are cells in reading order, which are bits of the boards."""

BOARD = uint64((1 << CELLS) - 1)
FILES = tuple(uint64(sum(1 << file + SIZE * rank for rank in range(SIZE))) for file in range(SIZE))
RANKS = tuple(uint64(((1 << SIZE) - 1) << SIZE * rank) for rank in range(SIZE))
INNER_FILES = BOARD & ~(FILES[0] | FILES[-1])
"""Discs elsewhere are never flanked along a rank or a diagonal."""

RAYS = np.array(
    [
        [
            sum(
                1 << (rank + step * up) * SIZE + file + step * right
                for step in range(1, SIZE)
                if 0 <= rank + step * up < SIZE and 0 <= file + step * right < SIZE
            )
            for sign in (1, -1)
            for up, right in ((0, sign), (sign, -1), (sign, 0), (sign, 1))
        ]
        for rank in range(SIZE)
        for file in range(SIZE)
    ],
    np.uint64,
)
"""The cells in each direction from a cell: four rays of higher bits, then four of lower ones."""

HIGHEST = uint64(1 << 63)


def initial_state():
    """(discs of the player to move, of the opponent, cells where the player to move may place one, that player).

    The third follows from the discs; `play` keeps it up, because every node asks for it more than once.
    """
    above = SIZE // 2 * (SIZE + 1)  # the cell of the centre with the greatest coordinates
    black = (uint64(1) << uint64(above - SIZE)) | (uint64(1) << uint64(above - 1))
    white = (uint64(1) << uint64(above - SIZE - 1)) | (uint64(1) << uint64(above))
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
    inner = theirs & INNER_FILES
    cells = (
        beyond_runs(mine, inner, 1)
        | beyond_runs(mine, inner, SIZE - 1)
        | beyond_runs(mine, theirs, SIZE)
        | beyond_runs(mine, inner, SIZE + 1)
    )
    return cells & BOARD & ~(mine | theirs)


def beyond_runs(mine, theirs, step):
    """Cells next to a run of `theirs` that begins next to one of `mine`, both ways along one kind of line."""
    one, two = uint64(step), uint64(2 * step)
    up = theirs & (mine << one)
    down = theirs & (mine >> one)
    up |= theirs & (up << one)
    down |= theirs & (down >> one)
    pairs = theirs & (theirs << one)
    up |= pairs & (up << two)
    down |= (pairs >> one) & (down >> two)
    up |= pairs & (up << two)
    down |= (pairs >> one) & (down >> two)
    return (up << one) | (down >> one)


def flips(mine, theirs, cell):
    """The discs of `theirs` that a disc of `mine` on a cell flanks."""
    flipped = uint64(0)
    for direction in range(4):
        ray = RAYS[cell, direction]
        end = lowest(ray & ~theirs) & mine
        flipped |= ray & (end - uint64(end != uint64(0)))  # the cells before the end
    for direction in range(4, 8):
        ray = RAYS[cell, direction]
        end = (HIGHEST >> uint64(clz((ray & ~theirs) | uint64(1)))) & mine & ray
        flipped |= ray & sub64(uint64(0), end << uint64(1))
    return flipped


def difference(mine, theirs):
    """What a finished game is worth to the owner of `mine`: empty cells go to the winner."""
    lead = popcount(mine) - popcount(theirs)
    if lead > 0:
        return CELLS - 2 * popcount(theirs)
    return 2 * popcount(mine) - CELLS if lead < 0 else 0


def evaluate(state):
    score = difference(state[0], state[1])
    return score if state[3] == uint64(0) else -score


def key(state):
    """The discs and whose they are."""
    theirs = state[1] if state[3] == uint64(0) else ~state[1]
    return state[0] ^ mix64(theirs)


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
    for place, cell in enumerate(cells):
        if cell not in LETTERS and cell != "-":
            raise ValueError(f"{cell!r} ({format_move(None, place)}) is none of X O -; {remedy}")
    if side not in ("X", "O"):
        raise ValueError(f"the side to move {side!r} is none of X O; {remedy}")
    player = LETTERS.index(side)
    mine, theirs = (
        uint64(sum(1 << place for place, cell in enumerate(cells) if cell == letter))
        for letter in (LETTERS[player], LETTERS[1 - player])
    )
    return mine, theirs, placements(mine, theirs), uint64(player)


def format_state(state):
    return f"{_board_text(state)} {LETTERS[to_move(state)]}"


def parse_move(state, text):
    names = {format_move(state, move): move for move in range(CELLS + 1)}
    return names.get(text.strip().lower(), -1)


def format_move(state, move):
    return "pass" if move == PASS else f"{chr(ord('a') + move % SIZE)}{move // SIZE + 1}"


def render(state):
    board = _board_text(state)
    lines = [" ".join([" ", *(chr(ord("a") + file) for file in range(SIZE))])]
    for rank in range(SIZE):
        lines.append(" ".join([str(rank + 1), *board[rank * SIZE : (rank + 1) * SIZE]]))
    discs = f"X {board.count('X')}, O {board.count('O')}"
    if not is_terminal(state):
        turn = f"{LETTERS[to_move(state)]} to move" + (", who has to pass" if state[2] == uint64(0) else "")
    else:
        score = evaluate(state)
        turn = f"{LETTERS[score < 0]} has won by {abs(score)}" if score else "a draw"
    return "\n".join([*lines, f"{discs}; {turn}"])


def _board_text(state):
    mine, theirs = LETTERS[to_move(state)], LETTERS[1 - to_move(state)]
    bits = [(uint64(1) << uint64(cell)) for cell in range(CELLS)]
    return "".join(mine if state[0] & bit else theirs if state[1] & bit else "-" for bit in bits)


class Othello(CompiledGame):
    """Othello on a board of size x size cells, which is 4, 6 or 8; X is black, player 0, and moves first.

    A finished game scores the difference in discs, empty cells counted for the winner. It ends as soon as nobody can place
    a disc; who cannot while the opponent can has to pass, which is a ply of its own.
    Moves: cells in reading order; text `d3`, or `pass`.
    State text: the cells from a1 rank by rank, `X`, `O` or `-`, a space and the side to move.
    """

    def __init__(self, size: int = 8) -> None:
        if isinstance(size, bool) or size not in (4, 6, 8):
            raise GameTextError(f"othello: size must be 4, 6 or 8, not {size!r}")
        super().__init__(text_form("othello", type(self), size=size), **({} if size == 8 else {"SIZE": size}))
