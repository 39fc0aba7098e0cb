"""Domineering in plain Python: a game of one's own, as `configs/speedup_plain_game.yaml` measures it."""

from parsearch import Game


class Domineering(Game):
    """Place dominoes on a board of rows x columns: player 0 upright, player 1 lying; who cannot is the loser.

    A state is (occupied squares as bits, player to move). A move is the domino's first square, as a bit.
    """

    integer = True

    def __init__(self, rows=5, columns=5):
        self.name = f"domineering({rows},{columns})"
        squares = range(rows * columns)
        upright = {1 << at: (1 << at) | (1 << at + columns) for at in squares if at + columns < rows * columns}
        lying = {1 << at: (1 << at) | (1 << at + 1) for at in squares if at % columns + 1 < columns}
        self.dominoes = upright, lying

    def initial_state(self):
        return (0, 0)

    def to_move(self, state):
        return state[1]

    def legal_moves(self, state):
        occupied, player = state
        return [square for square, domino in self.dominoes[player].items() if not occupied & domino]

    def play(self, state, move):
        occupied, player = state
        return (occupied | self.dominoes[player][move], 1 - player)

    def is_terminal(self, state):
        occupied, player = state
        return all(occupied & domino for domino in self.dominoes[player].values())

    def evaluate(self, state):
        """Who cannot move has lost; before that, how many more dominoes player 0 could place."""
        if self.is_terminal(state):
            return -100 if state[1] == 0 else 100
        free = [sum(not state[0] & domino for domino in dominoes.values()) for dominoes in self.dominoes]
        return free[0] - free[1]

    def max_plies(self, state):
        return sum(not state[0] & domino for dominoes in self.dominoes for domino in dominoes.values())
