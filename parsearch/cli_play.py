"""`parsearch play`: a person against the program, in the terminal."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rich.console import Console

from parsearch.algorithms import find_algorithm
from parsearch.cli_output import shown_messages, writing
from parsearch.cli_signals import catch_signals
from parsearch.core.errors import InputError, LimitsError, MoveError
from parsearch.core.game import Game, score_for
from parsearch.core.limits import Limits
from parsearch.core.result import SearchResult
from parsearch.core.text import read_move
from parsearch.parallel.coordinator import Coordinator
from parsearch.parallel.request import Request
from parsearch.parallel.task import Options, blaming

DEFAULT_LIMITS = Limits(seconds=5)
"""A move, where no limit is given."""

COMMANDS = "type a move, or help, undo, quit"

Read = Callable[[str], str]
Write = Callable[[str], object]


def run_play(
    game: Game[Any, Any],
    state: Any,
    person: int,
    algorithm: str | None,
    limits: Limits,
    options: Options,
    workers: int | None,
) -> None:
    """Play one game from a state on stdin and stdout. A signal ends it at once, wherever it is."""
    if limits.depth == 0:
        raise LimitsError("depth 0 looks at no move, so there is nothing to play; use 1 or more")
    if limits == Limits():
        limits = DEFAULT_LIMITS
    # What does not fit is better told now than when the program's turn comes.
    Request(game, state, find_algorithm(game, algorithm), limits, options=options)
    console = PlayConsole(markup=False, emoji=False, highlight=False, soft_wrap=True)
    with catch_signals(patience=0) as interrupts, Coordinator(workers) as coordinator:

        def think(state: Any) -> SearchResult:
            with console.status("thinking"):  # shown on a terminal only
                return coordinator.search(
                    game,
                    state,
                    algorithm=algorithm,
                    limits=limits,
                    table=options.table,
                    quiescence=options.quiescence,
                )

        def write(text: str) -> None:
            with writing():
                console.print(text)

        with blaming(game, state), shown_messages(console):
            Match(game, state, person, think, console.input, write).play()
        interrupts.settle()


class PlayConsole(Console):
    """A console that leaves it to its caller what to make of a closed pipe."""

    def on_broken_pipe(self) -> None:
        """Raises the BrokenPipeError that is being handled again."""
        raise


class Match:
    """One game between a person in one seat and the program in all others.

    think: searches a state for the program. read: asks the person, EOFError where there is nobody; write: tells them.
    """

    def __init__(
        self,
        game: Game[Any, Any],
        state: Any,
        person: int,
        think: Callable[[Any], SearchResult],
        read: Read,
        write: Write,
    ) -> None:
        if not 0 <= person < game.players:
            raise InputError(f"there is no player {person} in {game.name}; use a number from 0 to {game.players - 1}")
        self._game, self._person = game, person
        self._think, self._read, self._write = think, read, write
        self._states = [state]

    def play(self) -> None:
        """Play to the end of the game, or until the person leaves."""
        game = self._game
        self._write(f"{game.name}: you are player {self._person}; {COMMANDS}")
        while not game.is_terminal(state := self._states[-1]):
            if game.to_move(state) != self._person:
                self._answer(state)
            elif not self._ask(state):
                return
        self._show(state)
        self._write(self._outcome(state))

    def _answer(self, state: Any) -> None:
        """The program's move, searched from the position as it now is."""
        result, game = self._think(state), self._game
        value = "unknown" if result.value is None else f"{result.value:g}"
        move = game.format_move(state, result.move)
        self._write(
            f"\nplayer {game.to_move(state)} (parsearch) plays {move}: "
            f"value {value} for it at depth {result.depth}, {result.nodes:,} nodes in {result.seconds:.1f} s"
        )
        self._states.append(game.play(state, result.move))

    def _ask(self, state: Any) -> bool:
        """One turn of the person; False where they leave."""
        self._show(state)
        while True:
            try:
                text = self._read("your move> ").strip()
            except EOFError:
                self._write("")
                return False
            if text == "quit":
                return False
            if text == "undo":
                if self._undo():
                    return True
                self._write("there is nothing to undo yet; play a move first")
            elif text == "help":
                moves = " ".join(self._game.format_move(state, move) for move in self._game.legal_moves(state))
                self._write(f"the legal moves are {moves}; {COMMANDS}")
            elif text:
                try:
                    move = read_move(self._game, state, text)
                except MoveError as error:
                    self._write(str(error))
                    continue
                self._states.append(self._game.play(state, move))
                return True

    def _undo(self) -> bool:
        """Go back to the person's last decision; False where there was none."""
        for ply in reversed(range(len(self._states) - 1)):
            if self._game.to_move(self._states[ply]) == self._person:
                del self._states[ply + 1 :]
                return True
        return False

    def _show(self, state: Any) -> None:
        self._write(f"\n{self._game.render(state)}\n")

    def _outcome(self, state: Any) -> str:
        game = self._game
        score = game.evaluate(state)
        scores = [score_for(game, score, player) for player in range(game.players)]
        winners = [player for player, own in enumerate(scores) if own == max(scores)]
        if len(winners) == game.players:
            verdict = "nobody wins"
        elif winners == [self._person]:
            verdict = "you win"
        else:
            verdict = " and ".join("you" if player == self._person else f"player {player}" for player in winners)
            verdict += " win" if len(winners) > 1 else " (parsearch) wins"
        each = ", ".join(f"player {player}: {own:g}" for player, own in enumerate(scores))
        return f"The game is over: {verdict} ({each})."
