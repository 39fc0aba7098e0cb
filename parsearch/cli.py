"""The command line: `parsearch search`, `play`, `games`, `check`, `speedup` and the rest.

Exit codes: 0; 1 where a check failed, answers differ, or a game or worker broke; 2 for bad input; 130 and 143
for Ctrl-C and SIGTERM. Ray, pydantic and matplotlib are imported only by the commands that need them.
"""

from __future__ import annotations

import os
import sys
import traceback
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text
from typer.core import TyperGroup

import parsearch
from parsearch.cli_game import find_game, find_position, look_here
from parsearch.cli_output import writing
from parsearch.cli_signals import Interrupted, catch_signals
from parsearch.core.check import check_game
from parsearch.core.errors import InputError, ParsearchError
from parsearch.core.limits import Limits
from parsearch.games.registry import GAMES

TRACEBACK = "PARSEARCH_TRACEBACK"
"""Environment variable: set, an error shows its traceback, for the authors of games."""


class Commands(TyperGroup):
    """The commands, with our errors turned into one sentence on stderr and an exit code."""

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except ParsearchError as error:
            if os.environ.get(TRACEBACK):
                traceback.print_exc()
            typer.echo(f"parsearch: {error}", err=True)
            raise typer.Exit(2 if isinstance(error, InputError) else 1) from error
        except KeyboardInterrupt as error:
            typer.echo(err=True)  # the terminal has written ^C
            raise typer.Exit(error.exit_code if isinstance(error, Interrupted) else 130) from error


app = typer.Typer(cls=Commands, no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False)

Game = Annotated[str, typer.Argument(metavar="GAME", help="As connect4, mnk(5,5,4) or mymodule:MyGame.")]
State = Annotated[str | None, typer.Option(metavar="TEXT", help="The position; the game's start if left out.")]
Algorithm = Annotated[
    str | None,
    typer.Option(metavar="A", help="minimax, alphabeta or pvs for zero-sum games; maxn or paranoid else."),
]
Depth = Annotated[int | None, typer.Option(metavar="N", help="Look this many plies ahead.")]
Seconds = Annotated[float | None, typer.Option("--time", metavar="S", help="Stop after this many seconds.")]
Nodes = Annotated[int | None, typer.Option(metavar="N", help="Stop at so many positions, or a handful more.")]
Workers = Annotated[
    int | None, typer.Option(metavar="N", help="Processes that search; 0 for this one alone. All cores if left out.")
]

Moves = Annotated[str | None, typer.Option(metavar="TEXT", help="Moves to play from there first.")]
Memory = Annotated[
    int | None, typer.Option(metavar="MIB", help="Mebibytes of transposition table, for compiled games; 0 for none.")
]
Quiescence = Annotated[
    bool | None,
    typer.Option("--quiescence/--no-quiescence", help="Follow noisy moves beyond the depth. Changes values."),
]


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"parsearch {parsearch.__version__}")
        raise typer.Exit


@app.callback()
def _main(
    _version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """Pick the best move in a game by looking ahead: exactly, and on all cores."""


@app.command()
def search(
    game: Annotated[
        str | None, typer.Argument(metavar="GAME", help="As connect4, mnk(5,5,4) or mymodule:MyGame.")
    ] = None,
    state: State = None,
    moves: Moves = None,
    algorithm: Algorithm = None,
    depth: Depth = None,
    seconds: Seconds = None,
    nodes: Nodes = None,
    workers: Workers = None,
    address: Annotated[str | None, typer.Option(metavar="A", help="A running Ray cluster to join.")] = None,
    all_moves: Annotated[
        bool | None, typer.Option("--all-moves/--no-all-moves", help="The exact value of every move.")
    ] = None,
    table: Memory = None,
    quiescence: Quiescence = None,
    config: Annotated[
        Path | None, typer.Option(metavar="FILE", help="A YAML file with all this; options override it.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")] = False,
) -> None:
    """Pick a move: the value of each while it runs, then the best one with its line.

    Without any limit it takes 10 seconds, or less once the value is proven.
    """
    from parsearch.cli_search import merge, run_search
    from parsearch.config import SearchConfig, load_config

    options = {
        "algorithm": algorithm,
        "workers": workers,
        "address": address,
        "all_moves": all_moves,
        "table": table,
        "quiescence": quiescence,
    }
    settings = merge(
        load_config(config, SearchConfig) if config else SearchConfig(),
        game,
        state,
        moves,
        Limits(depth, seconds, nodes),
        options,
    )
    code = run_search(settings, as_json)
    if code:
        raise typer.Exit(code)


@app.command()
def play(
    game: Game,
    state: State = None,
    moves: Moves = None,
    player: Annotated[int, typer.Option(metavar="N", help="Who you are; player 0 moves first.")] = 0,
    algorithm: Algorithm = None,
    depth: Depth = None,
    seconds: Seconds = None,
    nodes: Nodes = None,
    workers: Workers = None,
    table: Memory = None,
    quiescence: Quiescence = None,
) -> None:
    """Play against the program.

    Without any limit it thinks for 5 seconds a move, or less once the value is proven.
    """
    from parsearch.cli_play import run_play
    from parsearch.parallel.task import Options

    options = Options(table, bool(quiescence))
    run_play(*find_position(game, state, moves), player, algorithm, Limits(depth, seconds, nodes), options, workers)


@app.command()
def games() -> None:
    """List the games that have a name."""
    table = Table(show_header=False, show_lines=True)
    for name, entry in GAMES.items():
        about = f"{entry.description}\nwrite it as {entry.signature}\na state is {entry.example}"
        table.add_row(Text(name, style="bold"), Text(about))
    Console().print(table)


@app.command()
def check(
    game: Game,
    count: Annotated[int, typer.Option("--games", metavar="N", min=1, help="How many random games to play.")] = 20,
    seed: Annotated[int, typer.Option(metavar="N", help="The same seed plays the same games.")] = 0,
) -> None:
    """Check a game against every clause of the Game contract. Exit code 1 if one is broken."""
    report = check_game(find_game(game), count, seed)
    typer.echo(report)
    if not report.ok:
        raise typer.Exit(1)


@app.command()
def speedup(
    config: Annotated[Path, typer.Option(metavar="FILE", help="A YAML file that says what to measure.")],
    out: Annotated[Path, typer.Option(metavar="DIR", help="Where the rows and the report go.")],
) -> None:
    """Measure how search scales with workers: every row, tables and plots.

    After an interruption the same command goes on with what is missing.
    """
    from parsearch.experiments.console import run_on_console

    look_here()
    with catch_signals(patience=0):
        run_on_console(config, out)


@app.command()
def calibrate(
    out: Annotated[Path, typer.Option(metavar="FILE", help="The YAML file to write.")],
    config: Annotated[
        list[Path] | None,
        typer.Option(metavar="FILE", help="The experiment whose searches are timed; once for each."),
    ] = None,
    address: Annotated[str | None, typer.Option(metavar="A", help="A running Ray cluster to measure.")] = None,
) -> None:
    """Measure what searches and tasks cost on this machine, for simulated experiments."""
    from parsearch.experiments.console import calibrate_on_console

    look_here()
    with catch_signals(patience=0):
        calibrate_on_console(config or (), address, out)


@app.command()
def report(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="The --out of a speedup run, finished or not.")],
) -> None:
    """Rebuild tables and plots from the rows of a speedup run."""
    from parsearch.experiments.console import report_on_console

    report_on_console(folder)


@app.command()
def perft(
    game: Game,
    depth: Annotated[int, typer.Option(metavar="N", min=0, help="Plies of each sequence.")],
    state: State = None,
    moves: Moves = None,
    divided: Annotated[bool, typer.Option("--divide", help="Count for each move on its own.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")] = False,
) -> None:
    """Count the sequences of legal moves: `nodes` of full length, and `finished` games that ended before."""
    from parsearch.cli_perft import run_perft

    run_perft(game, state, moves, depth, divided, as_json)


@app.command()
def cache(
    clear: Annotated[bool, typer.Option("--clear", help="Remove it all; games compile again when next used.")] = False,
) -> None:
    """Show or clear the machine code of compiled games that is kept on disk."""
    from parsearch.cli_cache import run_cache

    run_cache(clear)


def main() -> None:
    """The entry point: the commands, and a stdout that nothing is written to once they are done."""
    try:
        with writing():
            app()
    except ParsearchError as error:
        sys.exit(f"parsearch: {error}")
    finally:
        _abandon_stdout()


def _abandon_stdout() -> None:
    """Turn stdout to stderr for good: what a game's C code has buffered is written when the process exits."""
    try:
        sys.stdout.flush()
    except OSError:  # whoever read it, as `head` does, has had enough, or there is no room: the rest is lost
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        sys.stdout.flush()
    os.dup2(2, 1)
