"""m,n,k games: k in a row on a board of any size; tic-tac-toe is mnk(3,3,3)."""

from __future__ import annotations

from numpy import int64, uint64

from parsearch.core.errors import GameTextError
from parsearch.games.arguments import require_count, text_form
from parsearch.native.bits import replaced
from parsearch.native.game import CompiledGame

COLUMNS = 3
ROWS = 3
K = 3
PLAYERS = 2

INTEGER = True
ZERO_SUM = PLAYERS == 2
CELLS = COLUMNS * ROWS
MAX_MOVES = CELLS

WORDS = (CELLS + 63) // 64
"""Words of a player's bitboard (bit = cell in reading order)."""

# The first word of a state: player to move, 1 + the winner (0 nobody), stones on the board. The boards follow.
MOVER = uint64(0xFF)
WINNER_SHIFT, WINNER = uint64(8), uint64(0xFF)
STONES_SHIFT = uint64(16)

EMPTY = (uint64(0),) * (1 + PLAYERS * WORDS)
NO_PAYOFF = (0,) * PLAYERS


def initial_state():
    return EMPTY


def to_move(state):
    return int64(state[0] & MOVER)


def winner(state):
    """Who has a line, -1 for nobody."""
    return int64((state[0] >> WINNER_SHIFT) & WINNER) - 1


def stones(state):
    return int64(state[0] >> STONES_SHIFT)


def holds(state, player, cell):
    """Whether a player's stone is on a cell."""
    word = state[1 + player * WORDS + (cell >> 6)]
    return (word >> uint64(cell & 63)) & uint64(1) != uint64(0)


def is_empty(state, cell):
    for player in range(PLAYERS):  # noqa: SIM110 compiled code has no generators
        if holds(state, player, cell):
            return False
    return True


def legal_moves(state, buffer):
    if winner(state) >= 0:
        return 0
    count = 0
    for cell in range(CELLS):
        if is_empty(state, cell):
            buffer[count] = cell
            count += 1
    return count


def play(state, move):
    player = to_move(state)
    place = 1 + player * WORDS + (move >> 6)
    after = replaced(state, place, state[place] | (uint64(1) << uint64(move & 63)))
    return marked(after, (player + 1) % PLAYERS, player if makes_line(after, player, move) else -1, stones(state) + 1)


def marked(state, player, won_by, count):
    """The boards with this first word."""
    return replaced(state, 0, uint64(player) | (uint64(won_by + 1) << WINNER_SHIFT) | (uint64(count) << STONES_SHIFT))


def makes_line(state, player, cell):
    """Whether a player's stone on a cell is part of K in a row."""
    for down, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
        if 1 + reach(state, player, cell, down, right) + reach(state, player, cell, -down, -right) >= K:
            return True
    return False


def reach(state, player, cell, down, right):
    """A player's stones next to a cell in one direction."""
    row, column = cell // COLUMNS + down, cell % COLUMNS + right
    count = 0
    while count < K and 0 <= row < ROWS and 0 <= column < COLUMNS and holds(state, player, row * COLUMNS + column):
        count += 1
        row += down
        column += right
    return count


def is_terminal(state):
    return winner(state) >= 0 or stones(state) == CELLS


def evaluate(state):
    won_by = winner(state)
    if ZERO_SUM:
        return 1 - 2 * won_by if won_by >= 0 else 0
    return replaced(NO_PAYOFF, won_by, 1) if won_by >= 0 else NO_PAYOFF


def max_plies(state):
    return 0 if winner(state) >= 0 else CELLS - stones(state)


# Text.

LETTERS = "XOYZABCDEFGHIJKLMNPQRSTUVW"
"""The players' letters, player 0 first."""


def parse_state(text):
    remedy = f"write the cells row by row and the side, such as {format_state(EMPTY)!r}"
    words = text.upper().split()
    if not 1 <= len(words) <= 2:
        raise ValueError(f"it is not the cells and perhaps the side to move; {remedy}")
    cells = words[0]
    letters = LETTERS[:PLAYERS]
    if len(cells) != CELLS:
        raise ValueError(f"it has {len(cells)} cells, not {COLUMNS} x {ROWS} = {CELLS}; {remedy}")
    for place, cell in enumerate(cells, 1):
        if cell not in letters and cell != "-":
            raise ValueError(f"{cell!r} (cell {place}) is none of {' '.join(letters)} -; {remedy}")
    if len(words) == 2:
        if words[1] not in letters or len(words[1]) != 1:
            raise ValueError(f"the side to move {words[1]!r} is none of {' '.join(letters)}; {remedy}")
        player = letters.index(words[1])
    else:
        player = _player_by_counts([cells.count(letter) for letter in letters], remedy)
    state = EMPTY
    for cell, letter in enumerate(cells):
        if letter != "-":
            place = 1 + letters.index(letter) * WORDS + (cell >> 6)
            state = replaced(state, place, state[place] | (uint64(1) << uint64(cell & 63)))
    winners = sorted({
        letters.index(letter)
        for cell, letter in enumerate(cells)
        if letter != "-" and makes_line(state, letters.index(letter), cell)
    })  # fmt: skip
    if len(winners) > 1:
        who = " and ".join(letters[owner] for owner in winners)
        raise ValueError(f"both {who} have {K} in a row; {remedy}")
    return marked(state, player, winners[0] if winners else -1, CELLS - cells.count("-"))


def format_state(state):
    return f"{_board_text(state)} {LETTERS[to_move(state)]}"


def parse_move(state, text):
    names = {_name(cell): cell for cell in range(CELLS)}
    return names.get(text.strip().lower(), -1)


def format_move(state, move):
    return _name(move)


def render(state):
    board = _board_text(state)
    names = [_column(column) for column in range(COLUMNS)]
    width, margin = len(names[-1]), len(str(ROWS))
    lines = [" ".join([" " * margin, *(name.rjust(width) for name in names)])]
    for row in range(ROWS):
        cells = board[row * COLUMNS : (row + 1) * COLUMNS]
        lines.append(" ".join([str(row + 1).rjust(margin), *(cell.rjust(width) for cell in cells)]))
    if winner(state) >= 0:
        lines.append(f"{LETTERS[winner(state)]} has won")
    elif is_terminal(state):
        lines.append("a draw")
    else:
        lines.append(f"{LETTERS[to_move(state)]} to move")
    return "\n".join(lines)


def _board_text(state):
    owners = ([LETTERS[player] for player in range(PLAYERS) if holds(state, player, cell)] for cell in range(CELLS))
    return "".join(owner[0] if owner else "-" for owner in owners)


def _player_by_counts(counts, remedy):
    player = sum(counts) % PLAYERS
    if counts != [sum(counts) // PLAYERS + (owner < player) for owner in range(PLAYERS)]:
        tally = ", ".join(f"{count} {letter}" for letter, count in zip(LETTERS, counts, strict=False))
        raise ValueError(f"whose turn it is does not follow from {tally}, so the side must be given; {remedy}")
    return player


def _name(cell):
    return f"{_column(cell % COLUMNS)}{cell // COLUMNS + 1}"


def _column(number):
    """a, b, ..., z, aa, ab, ... for 0, 1, ..., 25, 26, 27, ..."""
    text = ""
    number += 1
    while number:
        number, letter = divmod(number - 1, 26)
        text = chr(ord("a") + letter) + text
    return text


class Mnk(CompiledGame):
    """Players in turn fill a cell; who first has k or more in a row, column or diagonal wins.

    Two players: 1, 0 or -1 for player 0; more: 1 for the winner, 0 for everybody else. Estimate 0.
    Moves: cells in reading order; text `a1`, column letter and row number from the top.
    State text: the cells row by row, `X`, `O` (then `Y`, `Z`, `A`, `B`, ...) or `-`, optionally a space and the
    side to move; without one it follows from the counts.
    """

    def __init__(self, columns: int, rows: int, k: int, players: int = 2) -> None:
        for argument, value in (("columns", columns), ("rows", rows), ("k", k)):
            require_count("mnk", argument, value)
        require_count("mnk", "players", players, least=2, most=len(LETTERS))
        if columns * rows * players > 1024:
            raise GameTextError(
                f"mnk: {columns} x {rows} cells are too many for {players} players; 1024 / players at most"
            )
        self.columns, self.rows, self.k = columns, rows, k
        name = text_form("mnk", Mnk, columns=columns, rows=rows, k=k, players=players)
        changed = {"COLUMNS": columns, "ROWS": rows, "K": k, "PLAYERS": players}
        super().__init__(
            "tictactoe" if name == "mnk(3,3,3)" else name,
            **{key: value for key, value in changed.items() if value != globals()[key]},
        )
