"""m,n,k games: k in a row on a board of any size; tic-tac-toe is mnk(3,3,3)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from parsearch.core.errors import StateError
from parsearch.core.game import Game, Score
from parsearch.games.arguments import require_count, text_form

LETTERS = "XOYZABCDEFGHIJKLMNPQRSTUVW"
"""The players' letters, player 0 first."""

NOBODY = -1


class MnkState(NamedTuple):
    """One bitboard a player (bit = cell in reading order), the player to move, and who has a line.

    `winner` follows from the boards; it is kept so that nobody has to look for lines twice.
    """

    boards: tuple[int, ...]
    player: int
    winner: int = NOBODY


class Mnk(Game[MnkState, int]):
    """Players in turn fill a cell; who first has k or more in a row, column or diagonal wins.

    Two players: 1, 0 or -1 for player 0; more: 1 for the winner, 0 for everybody else. Estimate 0.
    Moves: cells in reading order; text `a1`, column letter and row number from the top.
    State text: the cells row by row, `X`, `O` (then `Y`, `Z`, `A`, `B`, ...) or `-`, optionally a space and the
    side to move; without one it follows from the counts.
    """

    integer = True

    def __init__(self, columns: int, rows: int, k: int, players: int = 2) -> None:
        for argument, value in (("columns", columns), ("rows", rows), ("k", k)):
            require_count("mnk", argument, value)
        require_count("mnk", "players", players, least=2, most=len(LETTERS))
        self.columns, self.rows, self.k, self.players = columns, rows, k, players
        self.name = text_form("mnk", Mnk, columns=columns, rows=rows, k=k, players=players)
        if self.name == "mnk(3,3,3)":
            self.name = "tictactoe"
        self._cells = columns * rows
        self._bits = [(cell, 1 << cell) for cell in range(self._cells)]
        self._lines = _lines(columns, rows, k)
        self._through = [[line for line in self._lines if line & bit] for _, bit in self._bits]
        self._names = [f"{_column(cell % columns)}{cell // columns + 1}" for cell in range(self._cells)]
        self._cell_of = {name: cell for cell, name in enumerate(self._names)}

    def initial_state(self) -> MnkState:
        return MnkState((0,) * self.players, 0)

    def to_move(self, state: MnkState) -> int:
        return state.player

    def legal_moves(self, state: MnkState) -> Sequence[int]:
        if state.winner != NOBODY:
            return ()
        taken = sum(state.boards)
        return [cell for cell, bit in self._bits if not taken & bit]

    def play(self, state: MnkState, move: int) -> MnkState:
        boards, player, _ = state
        board = boards[player] | 1 << move
        winner = NOBODY
        for line in self._through[move]:
            if board & line == line:
                winner = player
                break
        if self.players == 2:
            return MnkState((boards[0], board) if player else (board, boards[1]), 1 - player, winner)
        return MnkState((*boards[:player], board, *boards[player + 1 :]), (player + 1) % self.players, winner)

    def is_terminal(self, state: MnkState) -> bool:
        return state.winner != NOBODY or sum(state.boards).bit_count() == self._cells

    def evaluate(self, state: MnkState) -> Score:
        if self.players == 2:
            return 0 if state.winner == NOBODY else 1 - 2 * state.winner
        return tuple(int(player == state.winner) for player in range(self.players))

    def max_plies(self, state: MnkState) -> int:
        return 0 if state.winner != NOBODY else self._cells - sum(state.boards).bit_count()

    def parse_state(self, text: str) -> MnkState:
        words = text.upper().split()
        if not 1 <= len(words) <= 2:
            raise self._no_state(text, "it is not the cells and perhaps the side to move")
        cells = words[0]
        letters = LETTERS[: self.players]
        if len(cells) != self._cells:
            raise self._no_state(text, f"it has {len(cells)} cells, not {self.columns} x {self.rows} = {self._cells}")
        for place, cell in enumerate(cells, 1):
            if cell not in letters and cell != "-":
                raise self._no_state(text, f"{cell!r} (cell {place}) is none of {' '.join(letters)} -")
        boards = tuple(sum(1 << cell for cell, held in enumerate(cells) if held == letter) for letter in letters)
        if len(words) == 2:
            if words[1] not in letters or len(words[1]) != 1:
                raise self._no_state(text, f"the side to move {words[1]!r} is none of {' '.join(letters)}")
            player = letters.index(words[1])
        else:
            player = self._player_by_counts(text, boards)
        winners = [owner for owner, board in enumerate(boards) if any(board & line == line for line in self._lines)]
        if len(winners) > 1:
            who = " and ".join(letters[winner] for winner in winners)
            raise self._no_state(text, f"both {who} have {self.k} in a row")
        return MnkState(boards, player, winners[0] if winners else NOBODY)

    def format_state(self, state: MnkState) -> str:
        return f"{self._board_text(state)} {LETTERS[state.player]}"

    def parse_move(self, state: MnkState, text: str) -> int:
        cell = self._cell_of.get(text.strip().lower())
        if cell is None or cell not in self.legal_moves(state):
            return super().parse_move(state, text)  # which says what is legal
        return cell

    def format_move(self, state: MnkState, move: int) -> str:
        return self._names[move]

    def render(self, state: MnkState) -> str:
        board = self._board_text(state)
        names = [_column(column) for column in range(self.columns)]
        width, margin = len(names[-1]), len(str(self.rows))
        lines = [" ".join([" " * margin, *(name.rjust(width) for name in names)])]
        for row in range(self.rows):
            cells = board[row * self.columns : (row + 1) * self.columns]
            lines.append(" ".join([str(row + 1).rjust(margin), *(cell.rjust(width) for cell in cells)]))
        if state.winner != NOBODY:
            lines.append(f"{LETTERS[state.winner]} has won")
        elif self.is_terminal(state):
            lines.append("a draw")
        else:
            lines.append(f"{LETTERS[state.player]} to move")
        return "\n".join(lines)

    def _board_text(self, state: MnkState) -> str:
        cells = ["-"] * self._cells
        for letter, board in zip(LETTERS, state.boards, strict=False):
            for cell, bit in self._bits:
                if board & bit:
                    cells[cell] = letter
        return "".join(cells)

    def _player_by_counts(self, text: str, boards: tuple[int, ...]) -> int:
        counts = [board.bit_count() for board in boards]
        player = sum(counts) % self.players
        if counts != [sum(counts) // self.players + (owner < player) for owner in range(self.players)]:
            tally = ", ".join(f"{count} {letter}" for letter, count in zip(LETTERS, counts, strict=False))
            raise self._no_state(text, f"whose turn it is does not follow from {tally}, so the side must be given")
        return player

    def _no_state(self, text: str, reason: str) -> StateError:
        example = self.format_state(self.initial_state())
        return StateError(
            f"{self.name} has no state {text!r}: {reason}; write the cells row by row and the side, such as {example!r}"
        )


def _lines(columns: int, rows: int, k: int) -> list[int]:
    """Every k cells in a row, column or diagonal, as a bitboard."""
    lines = set()
    for row in range(rows):
        for column in range(columns):
            for down, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
                last_row, last_column = row + down * (k - 1), column + right * (k - 1)
                if last_row < rows and 0 <= last_column < columns:
                    lines.add(sum(1 << (row + down * i) * columns + column + right * i for i in range(k)))
    return sorted(lines)


def _column(number: int) -> str:
    """a, b, ..., z, aa, ab, ... for 0, 1, ..., 25, 26, 27, ..."""
    text = ""
    number += 1
    while number:
        number, letter = divmod(number - 1, 26)
        text = chr(ord("a") + letter) + text
    return text
