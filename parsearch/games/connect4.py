"""Connect Four on a board of any size: discs fall, four in a row wins, and the sooner the better."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from parsearch.core.errors import StateError
from parsearch.core.game import Game
from parsearch.games.arguments import require_count, text_form

LETTERS = "XO"


class Connect4State(NamedTuple):
    """A bitboard for each player. A column is height + 1 bits from the bottom up; the topmost stays empty."""

    first: int
    second: int


class Connect4(Game[Connect4State, int]):
    """Two players in turn drop a disc into a column; who first has `length` or more in a row wins.

    A win scores (width * height + 1 - n) // 2, where n discs lay on the board before the winning one: more the
    sooner it comes. A draw, and every estimate, is 0.
    Moves: columns from 1, the centre first and each pair to the left first: 4 3 5 2 6 1 7, or 3 4 2 5 1 6.
    State text: the columns played so far as digits, `44453`; separated by commas if there are more than 9 columns.
    """

    integer = True

    def __init__(self, width: int = 7, height: int = 6, length: int = 4) -> None:
        for argument, value in (("width", width), ("height", height), ("length", length)):
            require_count("connect4", argument, value)
        self.width, self.height, self.length = width, height, length
        self.name = text_form("connect4", Connect4, width=width, height=height, length=length)
        self._size = width * height
        bottoms = [1 << column * (height + 1) for column in range(width)]
        self._bottoms = [0, *bottoms]  # by move, which counts from 1
        self._columns = [0, *(((1 << height) - 1) * bottom for bottom in bottoms)]
        order = sorted(range(1, width + 1), key=lambda move: abs(2 * move - (width + 1)))
        self._tops = [(move, self._bottoms[move] << (height - 1)) for move in order]
        self._shifts = [_doubling(step, length) for step in (1, height + 1, height, height + 2)]

    def initial_state(self) -> Connect4State:
        return Connect4State(0, 0)

    def to_move(self, state: Connect4State) -> int:
        return (state.first | state.second).bit_count() & 1

    def legal_moves(self, state: Connect4State) -> Sequence[int]:
        first, second = state
        taken = first | second
        if self._has_line(first if taken.bit_count() & 1 else second):
            return ()
        return [move for move, top in self._tops if not taken & top]

    def play(self, state: Connect4State, move: int) -> Connect4State:
        first, second = state
        taken = first | second
        disc = (taken + self._bottoms[move]) & self._columns[move]
        if taken.bit_count() & 1:
            return Connect4State(first, second | disc)
        return Connect4State(first | disc, second)

    def is_terminal(self, state: Connect4State) -> bool:
        first, second = state
        discs = (first | second).bit_count()
        return discs == self._size or self._has_line(first if discs & 1 else second)

    def evaluate(self, state: Connect4State) -> int:
        first, second = state
        discs = (first | second).bit_count()
        if discs & 1:
            return (self._size + 2 - discs) // 2 if self._has_line(first) else 0
        return -((self._size + 2 - discs) // 2) if self._has_line(second) else 0

    def max_plies(self, state: Connect4State) -> int:
        return 0 if self.is_terminal(state) else self._size - (state.first | state.second).bit_count()

    def parse_state(self, text: str) -> Connect4State:
        stripped = text.strip()
        words = list(stripped) if self.width <= 9 else [word.strip() for word in stripped.split(",") if stripped]
        kind = "character" if self.width <= 9 else "entry"
        state = self.initial_state()
        for place, word in enumerate(words, 1):
            where = f"{word!r} ({kind} {place})"
            if not (word.isascii() and word.isdigit() and len(word) < 10 and 1 <= int(word) <= self.width):
                raise self._no_state(text, f"{where} is not a column from 1 to {self.width}")
            if self.is_terminal(state):
                raise self._no_state(text, f"{where} comes after the end of the game")
            move = int(word)
            if (state.first | state.second) & self._columns[move] == self._columns[move]:
                raise self._no_state(text, f"{where} is a column that is already full")
            state = self.play(state, move)
        return state

    def format_state(self, state: Connect4State) -> str:
        """The columns in an order of play that leads to the state: of all such orders the first in column order."""
        order = self._order_of_play(state)
        played = self.initial_state()
        for move in order or ():
            played = self.play(played, move)
        if played != state:
            raise StateError(f"{self.name}: no order of play leads to {state!r}; build states with play or parse_state")
        return ("" if self.width <= 9 else ",").join(map(str, order or ()))

    def render(self, state: Connect4State) -> str:
        span = len(str(self.width))
        lines = []
        for row in reversed(range(self.height)):
            bits = [bottom << row for bottom in self._bottoms[1:]]
            cells = [LETTERS[0] if state.first & bit else LETTERS[1] if state.second & bit else "-" for bit in bits]
            lines.append(" ".join(cell.rjust(span) for cell in cells))
        lines.append(" ".join(str(move).rjust(span) for move in range(1, self.width + 1)))
        player = self.to_move(state)
        if not self.is_terminal(state):
            lines.append(f"{LETTERS[player]} to move")
        else:
            lines.append(f"{LETTERS[1 - player]} has won" if self.evaluate(state) else "a draw")
        return "\n".join(lines)

    def _has_line(self, board: int) -> bool:
        for shifts in self._shifts:
            run = board
            for shift in shifts:
                run &= run >> shift
            if run:
                return True
        return False

    def _order_of_play(self, state: Connect4State) -> list[int] | None:
        """Depth first in column order. A dead end depends only on how high the columns are, so each is met once."""
        owners = [self._owners(state, move) for move in range(1, self.width + 1)]
        discs = sum(map(len, owners))
        last = self._last_columns(state, owners)
        heights = [0] * self.width
        dead: set[tuple[int, ...]] = set()
        path: list[int] = []  # columns from 0
        column = 0
        while len(path) < discs:
            while column < self.width:
                height, mine = heights[column], owners[column]
                if height < len(mine) and mine[height] == len(path) & 1 and (len(path) < discs - 1 or column in last):
                    heights[column] += 1
                    if tuple(heights) not in dead:
                        break
                    heights[column] -= 1
                column += 1
            if column < self.width:
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

    def _owners(self, state: Connect4State, move: int) -> list[int]:
        """Whose discs lie in a column, from the bottom up."""
        bits = [self._bottoms[move] << row for row in range(self.height)]
        return [int(bool(state.second & bit)) for bit in bits if (state.first | state.second) & bit]

    def _last_columns(self, state: Connect4State, owners: list[list[int]]) -> set[int]:
        """Columns (from 0) whose top disc may have come last: without it nobody has a line."""
        columns = set()
        for column, mine in enumerate(owners):
            if mine:
                disc = self._bottoms[column + 1] << (len(mine) - 1)
                if not self._has_line(state.first & ~disc) and not self._has_line(state.second & ~disc):
                    columns.add(column)
        return columns

    def _no_state(self, text: str, reason: str) -> StateError:
        example = "4453" if self.width <= 9 else "4,4,5,3"
        return StateError(
            f"{self.name} has no state {text!r}: {reason}; write the columns in the order they were played, "
            f"such as {example!r}"
        )


def _doubling(step: int, length: int) -> tuple[int, ...]:
    """Shifts that leave of a board, each time `run &= run >> shift`, the starts of `length` discs in a row."""
    shifts = []
    done = 1
    while done < length:
        more = min(done, length - done)
        shifts.append(more * step)
        done += more
    return tuple(shifts)
