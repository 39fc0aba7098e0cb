"""Connect Four once more, in plain Python: a game that any test may bend, and a second opinion on the compiled one."""

from __future__ import annotations

from typing import NamedTuple

from parsearch import Game


class Discs(NamedTuple):
    """A bitboard for each player. A column is height + 1 bits from the bottom up; the topmost stays empty."""

    first: int
    second: int


class PlainConnect4(Game[Discs, int]):
    """As `parsearch.games.connect4`; a state prints as its bitboards and is read from the columns played."""

    integer = True

    def __init__(self, width: int = 7, height: int = 6) -> None:
        self.name = "plain connect4"
        self.width, self.height = width, height

    def initial_state(self) -> Discs:
        return Discs(0, 0)

    def to_move(self, state: Discs) -> int:
        return discs(state) & 1

    def legal_moves(self, state: Discs) -> list[int]:
        if self.has_line(state[1 - self.to_move(state)]):
            return []
        taken = state.first | state.second
        order = sorted(range(1, self.width + 1), key=lambda move: abs(2 * move - (self.width + 1)))
        return [move for move in order if not taken >> (move * (self.height + 1) - 2) & 1]

    def play(self, state: Discs, move: int) -> Discs:
        taken = state.first | state.second
        bottom = 1 << (move - 1) * (self.height + 1)
        disc = (taken + bottom) & ~taken & (((1 << self.height) - 1) * bottom)
        return Discs(state.first, state.second | disc) if discs(state) & 1 else Discs(state.first | disc, state.second)

    def is_terminal(self, state: Discs) -> bool:
        return not self.legal_moves(state)

    def evaluate(self, state: Discs) -> int:
        mover = self.to_move(state)
        if not self.has_line(state[1 - mover]):
            return 0
        score = (self.width * self.height + 2 - discs(state)) // 2
        return score if mover else -score

    def max_plies(self, state: Discs) -> int:
        return self.width * self.height - discs(state)

    def parse_state(self, text: str) -> Discs:
        if text.startswith("Discs"):
            return Discs(*(int(word.partition("=")[2]) for word in text[6:-1].split(", ")))
        state = self.initial_state()
        for move in map(int, text):
            state = self.play(state, move)
        return state

    def has_line(self, board: int) -> bool:
        for step in (1, self.height, self.height + 1, self.height + 2):
            pairs = board & board >> step
            if pairs & pairs >> 2 * step:
                return True
        return False


def discs(state: Discs) -> int:
    return (state.first | state.second).bit_count()
