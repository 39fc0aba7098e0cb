"""Connect Four on a board of any size: discs fall, four in a row wins, and the sooner the better."""

from __future__ import annotations

import numpy as np
from numpy import uint64

from parsearch.core.errors import GameTextError
from parsearch.games.arguments import require_count, text_form
from parsearch.native.bits import drop_lowest, popcount
from parsearch.native.game import CompiledGame

WIDTH = 7
HEIGHT = 6
LENGTH = 4

INTEGER = True
MAX_MOVES = WIDTH
TABLE_DEPTH = 5  # measured on 10-ply positions: nearer to the end probing costs more than it saves
ORDER_DEPTH = 8
JOINT_DEPTH = 18  # smaller subtrees are divided nearly as well by those above, for less
CELLS = WIDTH * HEIGHT
COLUMN = HEIGHT + 1
"""Bits of a column, from the bottom up; the topmost stays empty and keeps lines from running on in the next column."""

ORDER = np.array(sorted(range(1, WIDTH + 1), key=lambda move: abs(2 * move - (WIDTH + 1))))
"""The moves, columns from 1: the centre first and each pair to the left first."""

BOTTOM = uint64(sum(1 << column * COLUMN for column in range(WIDTH)))
BOARD = uint64(int(BOTTOM) * ((1 << HEIGHT) - 1))
CENTRE = uint64(
    sum(
        1 << column * COLUMN + row
        for column in range(WIDTH)
        for row in range(HEIGHT)
        if abs(2 * column + 1 - WIDTH) + abs(2 * row + 1 - HEIGHT) <= 3
    )
)
"""The cells in the middle: the most lines cross there."""


def initial_state():
    """(discs of the player to move, all discs, threats of the player to move, of the opponent), a bitboard each.

    A player's threats are the empty cells where a disc of theirs would complete a line. They follow from the discs;
    `play`
    keeps them up, because all that solving asks for is read off them. A search that does not ask never computes them.
    """
    none = uint64(0)
    first = threats(none, none)  # none, unless one disc is a line
    return none, none, first, first


def to_move(state):
    return popcount(state[1]) & 1


def legal_moves(state, buffer):
    if has_line(state[0] ^ state[1]):
        return 0
    count = 0
    for move in ORDER:  # no branch: which columns are open is hard to predict
        buffer[count] = move
        count += state[1] & (uint64(1) << uint64(move * COLUMN - 2)) == uint64(0)
    return count


def play(state, move):
    mover, taken, _, theirs = state
    after = taken | (taken + (uint64(1) << uint64((move - 1) * COLUMN)))
    return mover ^ taken, after, theirs & ~after, threats(mover ^ taken ^ after, after)


def is_terminal(state):
    return popcount(state[1]) == CELLS or has_line(state[0] ^ state[1])


def evaluate(state):
    """(cells + 1 - n) // 2 for a win, where n discs lay on the board before the winning one; else 0."""
    if not has_line(state[0] ^ state[1]):
        return 0
    discs = popcount(state[1])
    score = (CELLS + 2 - discs) // 2
    return score if discs & 1 else -score


def has_line(discs):
    """Whether LENGTH of these discs lie in a row."""
    return (lines(discs, 1) | lines(discs, COLUMN - 1) | lines(discs, COLUMN) | lines(discs, COLUMN + 1)) != uint64(0)


def lines(discs, step):
    """Where LENGTH discs in a row begin: each round doubles the length that is known to be there."""
    length = 1
    while length < LENGTH:
        more = min(length, LENGTH - length)
        discs = discs & (discs >> uint64(more * step))
        length += more
    return discs


# What exact solving uses. To look only at moves that do not lose at once, first at those that make the most threats, is
# Pascal Pons's idea (blog.gamesolver.org); that of two threats on each other is Markus Thill's (BitBully).


def completing(discs, step):
    """Cells, empty or not, that with LENGTH - 1 of these discs make a line in one direction."""
    found = uint64(0)
    for before in range(LENGTH):
        line = BOARD
        for place in range(LENGTH):
            if place < before:
                line &= discs << uint64((before - place) * step)
            elif place > before:
                line &= discs >> uint64((place - before) * step)
        found |= line
    return found


def threats(discs, taken):
    """Empty cells where these discs would get a line."""
    cells = (
        completing(discs, 1) | completing(discs, COLUMN - 1) | completing(discs, COLUMN) | completing(discs, COLUMN + 1)
    )
    return cells & ~taken


def playable(taken):
    """The lowest empty cell of each column."""
    return (taken + BOTTOM) & BOARD


def safe_cells(state):
    """The playable cells that do not let the opponent win at once; one of the opponent's lines can still be stopped."""
    cells = playable(state[1])
    danger = state[3]
    forced = cells & danger
    if forced != uint64(0):
        if drop_lowest(forced) != uint64(0):
            return uint64(0)
        cells = forced
    return cells & ~(danger >> uint64(1))


def bounds(state):
    discs = popcount(state[1])
    first = discs & 1 == 0
    if is_terminal(state):
        score = evaluate(state)
        return score, score
    cells = safe_cells(state)
    if playable(state[1]) & state[2] != uint64(0):  # wins now
        least = most = (CELLS + 1 - discs) // 2
    elif cells == uint64(0):  # the opponent wins next
        least = most = -((CELLS - discs) // 2)
    elif cells & (state[2] >> uint64(1)) & (state[2] >> uint64(2)) != uint64(0):
        # A disc below two threats, one on the other: the opponent has to stop the lower one and lets the upper win.
        least = most = (CELLS - 1 - discs) // 2
    else:
        least, most = -max(0, (CELLS - 2 - discs) // 2), max(0, (CELLS - 1 - discs) // 2)
    return (least, most) if first else (-most, -least)


def sufficient_moves(state, buffer):
    cells = safe_cells(state)
    count = 0
    for move in ORDER:
        buffer[count] = move
        count += cells & (uint64((1 << HEIGHT) - 1) << uint64((move - 1) * COLUMN)) != uint64(0)
    return count


def order(state, move):
    """The threats that the disc leaves its player with, less one that it wastes; then whether it is in the middle."""
    after = play(state, move)
    disc = after[1] ^ state[1]
    wasted = popcount(disc & (state[2] >> uint64(1)))  # the opponent has to answer on top of it, where the threat is
    return 2 * (popcount(after[3]) - wasted) + popcount(disc & CENTRE)


def key(state):
    """The discs say it all: those of the player to move, and on top of each column a bit."""
    return state[0] + state[1] + BOTTOM


def max_plies(state):
    return 0 if is_terminal(state) else CELLS - popcount(state[1])


# Text.

LETTERS = "XO"


def parse_state(text):
    stripped = text.strip()
    words = list(stripped) if WIDTH <= 9 else [word.strip() for word in stripped.split(",") if stripped]
    kind = "character" if WIDTH <= 9 else "entry"
    remedy = f"write the columns in the order they were played, such as {'4453' if WIDTH <= 9 else '4,4,5,3'!r}"
    state = initial_state()
    for place, word in enumerate(words, 1):
        where = f"{word!r} ({kind} {place})"
        if not (word.isascii() and word.isdigit() and len(word) < 10 and 1 <= int(word) <= WIDTH):
            raise ValueError(f"{where} is not a column from 1 to {WIDTH}; {remedy}")
        if is_terminal(state):
            raise ValueError(f"{where} comes after the end of the game; {remedy}")
        if int(word) not in _open_columns(state):
            raise ValueError(f"{where} is a column that is already full; {remedy}")
        state = play(state, int(word))
    return state


def format_state(state):
    """The columns in an order of play that leads to the state: of all such orders the first in column order."""
    order_of_play = _order_of_play(state)
    played = initial_state()
    for move in order_of_play or ():
        played = play(played, move)
    if played != state:
        raise ValueError(f"no order of play leads to {state!r}; build states with play or parse_state")
    return ("" if WIDTH <= 9 else ",").join(map(str, order_of_play or ()))


def render(state):
    span = len(str(WIDTH))
    lines_of_text = []
    for row in reversed(range(HEIGHT)):
        cells = [_cell(state, column, row) for column in range(WIDTH)]
        lines_of_text.append(" ".join(cell.rjust(span) for cell in cells))
    lines_of_text.append(" ".join(str(move).rjust(span) for move in range(1, WIDTH + 1)))
    player = to_move(state)
    if not is_terminal(state):
        lines_of_text.append(f"{LETTERS[player]} to move")
    else:
        lines_of_text.append(f"{LETTERS[1 - player]} has won" if evaluate(state) else "a draw")
    return "\n".join(lines_of_text)


def _open_columns(state):
    buffer = [0] * MAX_MOVES
    return buffer[: legal_moves(state, buffer)]


def _cell(state, column, row):
    bit = uint64(1) << uint64(column * COLUMN + row)
    if not state[1] & bit:
        return "-"
    return LETTERS[to_move(state) if state[0] & bit else 1 - to_move(state)]


def _order_of_play(state):
    """Depth first in column order. A dead end depends only on how high the columns are, so each is met once."""
    owners = [
        [LETTERS.index(cell) for row in range(HEIGHT) if (cell := _cell(state, column, row)) != "-"]
        for column in range(WIDTH)
    ]
    discs = sum(map(len, owners))
    last = _last_columns(state, owners)
    heights = [0] * WIDTH
    dead = set()
    path = []  # columns from 0
    column = 0
    while len(path) < discs:
        while column < WIDTH:
            height, mine = heights[column], owners[column]
            if height < len(mine) and mine[height] == len(path) & 1 and (len(path) < discs - 1 or column in last):
                heights[column] += 1
                if tuple(heights) not in dead:
                    break
                heights[column] -= 1
            column += 1
        if column < WIDTH:
            path.append(column)
            column = 0
            continue
        dead.add(tuple(heights))
        if not path:
            return None
        column = path.pop()
        heights[column] -= 1
        column += 1
    return [column + 1 for column in path]


def _last_columns(state, owners):
    """Columns (from 0) whose top disc may have come last: without it nobody has a line."""
    columns = set()
    for column, mine in enumerate(owners):
        if mine:
            others = ~(uint64(1) << uint64(column * COLUMN + len(mine) - 1))
            if not has_line(state[0] & others) and not has_line((state[0] ^ state[1]) & others):
                columns.add(column)
    return columns


class Connect4(CompiledGame):
    """Two players in turn drop a disc into a column; who first has `length` or more in a row wins.

    A win scores (width * height + 1 - n) // 2, where n discs lay on the board before the winning one: more the
    sooner it comes. A draw, and every estimate, is 0.
    Moves: columns from 1, the centre first and each pair to the left first: 4 3 5 2 6 1 7, or 3 4 2 5 1 6.
    State text: the columns played so far as digits, `44453`; separated by commas if there are more than 9 columns.
    """

    def __init__(self, width: int = 7, height: int = 6, length: int = 4) -> None:
        for argument, value in (("width", width), ("height", height), ("length", length)):
            require_count("connect4", argument, value)
        if width * (height + 1) > 63:
            raise GameTextError(f"connect4: {width} x {height} is too large; width * (height + 1) may be 63 at most")
        self.width, self.height, self.length = width, height, length
        name = text_form("connect4", Connect4, width=width, height=height, length=length)
        changed = {"WIDTH": (width, 7), "HEIGHT": (height, 6), "LENGTH": (length, 4)}
        super().__init__(name, **{key: value for key, (value, default) in changed.items() if value != default})
