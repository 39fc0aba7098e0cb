"""Go on small boards: area scoring, positional superko, no suicide; two passes end the game."""

from __future__ import annotations

from functools import cached_property
from typing import NamedTuple, NoReturn

from parsearch.core.errors import StateError
from parsearch.core.game import Game
from parsearch.games.arguments import require_bool, require_count, text_form

COLUMNS = "abcdefghjklmnopqrstuvwxyz"
"""Names of the columns; i is left out, as on every board."""

STONES = "XO"
EMPTY = "-"
NAMES = ("black", "white")

PASS = -1
"""The move that puts no stone. The others are points, in rows from the top left."""


class GoState(NamedTuple):
    """board: a character a point, in rows from the top. passes: how many have just been made.

    seen: the boards of this game that no move may bring back.
    """

    board: str
    player: int
    passes: int
    seen: frozenset[str]


class Go(Game[GoState, int]):
    """Go on `rows` x `columns` points; black is player 0, and the score is black's area less white's.

    A player's area is the own stones and the empty regions that only they touch; it is the estimate too. A stone must
    leave its chain a liberty, and may not bring back any board that was there before in the game (a pass may).
    superko=False forbids only the board of two plies ago; then a game may go on for ever.
    Moves: `c3`, column letter (without i) and row number from the bottom; the last is `pass`.
    State text: rows from the top, `X` black, `O` white, `-` empty, the side, how many passes have just been made, and
    the earlier boards that may not come back: `X--/--- O 0`, `X--/-O- X 0 X--/---`.
    """

    integer = True

    def __init__(self, rows: int, columns: int, superko: bool = True) -> None:
        for argument, value in (("rows", rows), ("columns", columns)):
            require_count("go", argument, value, most=len(COLUMNS))
        require_bool("go", "superko", superko)
        self.rows, self.columns, self.superko = rows, columns, superko
        self.name = text_form("go", Go, rows=rows, columns=columns, superko=superko)

    def initial_state(self) -> GoState:
        return GoState(EMPTY * (self.rows * self.columns), 0, 0, frozenset())

    def to_move(self, state: GoState) -> int:
        return state.player

    def legal_moves(self, state: GoState) -> list[int]:
        if self.is_terminal(state):
            return []
        points = [point for point, stone in enumerate(state.board) if stone == EMPTY]
        return [point for point in points if self._is_legal(state, point)] + [PASS]

    def play(self, state: GoState, move: int) -> GoState:
        board, player, passes, seen = state
        if move == PASS:
            return GoState(board, 1 - player, passes + 1, seen if self.superko else frozenset())
        after = self._with_stone(board, move, STONES[player])
        if self.superko:
            # The empty board cannot come back: the stone just put stays.
            seen = seen | {board} if board.strip(EMPTY) else seen
        else:
            # Only after a capture can the next stone bring back the board before it.
            captured = after.count(EMPTY) >= board.count(EMPTY)
            seen = frozenset({board}) if captured else frozenset()
        return GoState(after, 1 - player, 0, seen)

    def is_terminal(self, state: GoState) -> bool:
        return state.passes == 2

    def evaluate(self, state: GoState) -> int:
        board = state.board
        score = board.count(STONES[0]) - board.count(STONES[1])
        counted: set[int] = set()
        for point, stone in enumerate(board):
            if stone == EMPTY and point not in counted:
                region, border = self._region(board, point)
                counted |= region
                if border == {STONES[0]}:
                    score += len(region)
                elif border == {STONES[1]}:
                    score -= len(region)
        return score

    def max_plies(self, state: GoState) -> int | None:
        """Every stone makes a board that was not there before, after one pass at most; two passes end the game."""
        if self.is_terminal(state):
            return 0
        new_boards = 3 ** len(state.board) - 1 - len(state.seen)
        return 2 * new_boards + 2 - state.passes if self.superko else None

    # Chains and regions.

    @cached_property
    def _neighbours(self) -> tuple[tuple[int, ...], ...]:
        """The points next to each point."""
        found = []
        for point in range(self.rows * self.columns):
            row, column = divmod(point, self.columns)
            around = (row - 1, column), (row, column - 1), (row, column + 1), (row + 1, column)
            inside = ((r, c) for r, c in around if 0 <= r < self.rows and 0 <= c < self.columns)
            found.append(tuple(r * self.columns + c for r, c in inside))
        return tuple(found)

    def _region(self, board: str, point: int) -> tuple[set[int], set[str]]:
        """The connected points that hold the same as this one, and what is on the points around them."""
        inside, border, left = {point}, set(), [point]
        while left:
            for near in self._neighbours[left.pop()]:
                if board[near] != board[point]:
                    border.add(board[near])
                elif near not in inside:
                    inside.add(near)
                    left.append(near)
        return inside, border

    def _with_stone(self, board: str, point: int, stone: str) -> str:
        """The board after a stone was put and chains of the opponent without a liberty are taken away."""
        board = board[:point] + stone + board[point + 1 :]
        for near in self._neighbours[point]:
            if board[near] not in (stone, EMPTY):
                chain, border = self._region(board, near)
                if EMPTY not in border:
                    board = "".join(EMPTY if other in chain else was for other, was in enumerate(board))
        return board

    def _is_legal(self, state: GoState, point: int) -> bool:
        after = self._with_stone(state.board, point, STONES[state.player])
        return EMPTY in self._region(after, point)[1] and after not in state.seen

    # Text.

    def parse_state(self, text: str) -> GoState:
        words = text.upper().split()
        board, side, passes = (*words[:3], "", "", "")[:3]
        earlier = words[3:]
        if side not in tuple(STONES):
            self._refuse(text, f"the side to move {side!r} is none of X O")
        if passes not in ("0", "1", "2"):
            self._refuse(text, f"{passes!r} is no number of passes from 0 to 2")
        if not self.superko and len(earlier) > 1:
            self._refuse(text, "without superko only one board may not come back")
        boards = [self._parse_board(text, rows) for rows in (board, *earlier)]
        return GoState(boards[0], STONES.index(side), int(passes), frozenset(boards[1:]))

    def _parse_board(self, text: str, board: str) -> str:
        rows = board.split("/")
        if len(rows) != self.rows or any(len(row) != self.columns for row in rows):
            self._refuse(text, f"{board!r} is not {self.rows} rows of {self.columns} points with / between")
        points = "".join(rows)
        for point, stone in enumerate(points):
            if stone not in (*STONES, EMPTY):
                self._refuse(text, f"{stone!r} on {self._point_name(point)} is none of X O -")
            if stone != EMPTY and EMPTY not in self._region(points, point)[1]:
                self._refuse(text, f"the stone on {self._point_name(point)} has no liberty")
        return points

    def _refuse(self, text: str, reason: str) -> NoReturn:
        example = self.format_state(self.initial_state())
        raise StateError(
            f"{self.name} has no state {text!r}: {reason}; write the rows from the top, the side, the passes just made "
            f"and the boards that may not come back, such as {example!r}"
        )

    def format_state(self, state: GoState) -> str:
        earlier = sorted(map(self._board_text, state.seen))
        return " ".join([self._board_text(state.board), STONES[state.player], str(state.passes), *earlier])

    def _board_text(self, board: str) -> str:
        return "/".join(self._rows_of(board))

    def _rows_of(self, board: str) -> list[str]:
        return [board[start : start + self.columns] for start in range(0, len(board), self.columns)]

    def format_move(self, state: GoState, move: int) -> str:
        return "pass" if move == PASS else self._point_name(move)

    def parse_move(self, state: GoState, text: str) -> int:
        return super().parse_move(state, text.lower())

    def _point_name(self, point: int) -> str:
        row, column = divmod(point, self.columns)
        return f"{COLUMNS[column]}{self.rows - row}"

    def render(self, state: GoState) -> str:
        letters = f"   {' '.join(COLUMNS[: self.columns])}"
        lines = [letters]
        for row, stones in enumerate(self._rows_of(state.board)):
            number = self.rows - row
            lines.append(f"{number:2} {' '.join(stones)} {number}")
        lines.append(letters)
        if self.is_terminal(state):
            score = self.evaluate(state)
            lines.append(f"{NAMES[score < 0]} has won by {abs(score)}" if score else "a draw")
        else:
            passed = f"{NAMES[1 - state.player]} has passed, " if state.passes else ""
            lines.append(f"{passed}{NAMES[state.player]} ({STONES[state.player]}) to move")
        return "\n".join(lines)
