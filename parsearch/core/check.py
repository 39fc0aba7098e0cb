"""`check_game`: random games that test every clause of the Game contract, for our games and for a user's."""

from __future__ import annotations

import math
import pickle
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any

from parsearch.core.check_hooks import HookCheck
from parsearch.core.errors import GameError
from parsearch.core.game import Game, wraps_around

LONGEST_GAME = 1_000
"""Plies after which a random game is given up, for games that may not end."""

MOST_FAILURES = 20
"""Enough to tell that more games would show nothing else."""


@dataclass(frozen=True, slots=True)
class Failure:
    """A broken clause: which, in which position (as text), and what was seen."""

    clause: str
    position: str
    detail: str


@dataclass(frozen=True, slots=True)
class CheckReport:
    """What `check_game` found: the game's name, how much was played, and every broken clause.

    `report.ok` says whether the game keeps the contract; `print(report)` tells the rest.
    """

    game: str
    games: int
    positions: int
    failures: tuple[Failure, ...]

    @property
    def ok(self) -> bool:
        return not self.failures

    def __str__(self) -> str:
        head = f"{self.game}: {self.positions} positions of {self.games} random games"
        if self.ok:
            return f"{head}, every clause holds"
        lines = [f"{self.game}: {f.clause}: {f.detail} (position {f.position})" for f in self.failures]
        return "\n".join([f"{head}, broken clauses: {len(self.failures)}", *lines])


class _Broken(Exception):
    """A clause does not hold; the detail is the message."""


Clause = Callable[[Game[Any, Any], Any], None]
_CLAUSES: dict[str, Clause] = {}


def _clause(name: str) -> Callable[[Clause], Clause]:
    def register(check: Clause) -> Clause:
        _CLAUSES[name] = check
        return check

    return register


def check_game(game: Game[Any, Any], games: int = 20, seed: int = 0) -> CheckReport:
    """Play `games` random games and check each position on the way against every clause of the Game contract.

    The same seed plays the same games. Never raises for a fault of the game: what the game's own
    methods raise is reported as a failure of the clause that called them.
    """
    rng = random.Random(seed)
    failures: list[Failure] = []
    positions = 0
    hooks = HookCheck(game)
    _run("game attributes", _check_attributes, game, None, failures)
    playable = not failures
    if playable and game.is_native:
        _run("rules compile", _check_compiles, game, None, failures)
    for _ in range(games if playable else 0):
        if len(failures) >= MOST_FAILURES:
            break
        path = []
        for state in _random_game(game, rng, failures):
            path.append(state)
            before = len(failures)
            for name, check in _CLAUSES.items():
                _run(name, check, game, state, failures)
            if len(failures) > before:
                break
        positions += len(path)
        if not failures:
            _run("max_plies bounds the plies left", _check_max_plies, game, path, failures)
            _run("hooks", lambda g, p: _check_hooks(g, hooks, p, failures), game, path, failures)
    firsts = {failure.clause: failure for failure in reversed(failures)}  # a broken clause shows in every game
    return CheckReport(game.name, games, positions, tuple(reversed(firsts.values())))


def _random_game(game: Game[Any, Any], rng: random.Random, failures: list[Failure]) -> Iterator[Any]:
    """The states of one random game; a fault of the rules ends it as a failure."""
    state = None
    try:
        state = game.initial_state()
        for _ in range(LONGEST_GAME):
            yield state
            moves = game.legal_moves(state)
            if not moves:
                return
            state = game.play(state, rng.choice(moves))
    except Exception as error:  # any fault of the game's own code is what we are looking for
        failures.append(Failure("rules", _position(game, state), _raised(error)))


def _run(name: str, check: Clause, game: Game[Any, Any], state: Any, failures: list[Failure]) -> None:
    try:
        check(game, state)
    except _Broken as broken:
        failures.append(Failure(name, _position(game, state), str(broken)))
    except Exception as error:  # any fault of the game's own code is what we are looking for
        failures.append(Failure(name, _position(game, state), _raised(error)))


def _raised(error: Exception) -> str:
    return f"raised {type(error).__name__}: {error}"


def _position(game: Game[Any, Any], state: Any) -> str:
    try:
        return repr(game.format_state(state))
    except Exception:  # the report must come out even where the game cannot print its state
        return repr(state)


def _require(holds: object, detail: str) -> None:
    if not holds:
        raise _Broken(detail)


def _check_attributes(game: Game[Any, Any], _: Any) -> None:
    _require(isinstance(game, Game), f"{type(game).__name__} does not derive from parsearch.Game")
    _require(isinstance(game.name, str) and game.name, f"name is {game.name!r}, not a text")
    _require(isinstance(game.players, int) and game.players >= 1, f"players is {game.players!r}, not a number from 1")
    _require(isinstance(game.zero_sum, bool), f"zero_sum is {game.zero_sum!r}, not True or False")
    _require(isinstance(game.integer, bool), f"integer is {game.integer!r}, not True or False")
    _require(not game.zero_sum or game.players == 2, f"zero_sum is for two players, not {game.players}")


@_clause("states are values")
def _check_value(game: Game[Any, Any], state: Any) -> None:
    hash(state)
    moves = game.legal_moves(state)
    if not moves:
        return
    before, text, digest = repr(state), game.format_state(state), hash(state)
    first, second = game.play(state, moves[0]), game.play(state, moves[0])
    _require(first == second, f"playing {moves[0]!r} twice gives unequal states {first!r} and {second!r}")
    _require(hash(first) == hash(second), f"playing {moves[0]!r} twice gives equal states with unequal hashes")
    _require(
        repr(state) == before and game.format_state(state) == text and hash(state) == digest,
        f"playing {moves[0]!r} changed the state it was played in",
    )


@_clause("states can be sent")
def _check_pickle(game: Game[Any, Any], state: Any) -> None:
    try:
        copy = pickle.loads(pickle.dumps(state))
    except Exception as error:
        raise _Broken(
            f"it does not pickle ({error}); define its class at the top of a module and keep to plain data"
        ) from error
    _require(copy == state and hash(copy) == hash(state), "a pickled copy is not equal to it")


@_clause("legal_moves")
def _check_moves(game: Game[Any, Any], state: Any) -> None:
    moves = game.legal_moves(state)
    _require(hasattr(moves, "__len__") and hasattr(moves, "__getitem__"), f"{moves!r} is not a sequence")
    _require(None not in moves, "None is among the moves; it means 'no move' in results")
    _require(len(set(moves)) == len(moves), f"a move stands twice in {list(moves)!r}")
    _require(list(moves) == list(game.legal_moves(state)), "two calls give different moves or another order")


@_clause("terminal exactly without moves")
def _check_terminal(game: Game[Any, Any], state: Any) -> None:
    terminal, moves = game.is_terminal(state), game.legal_moves(state)
    _require(bool(terminal) == (not moves), f"is_terminal is {terminal!r} with {len(moves)} legal moves")


@_clause("to_move")
def _check_to_move(game: Game[Any, Any], state: Any) -> None:
    player = game.to_move(state)
    _require(
        isinstance(player, int) and 0 <= player < game.players,
        f"{player!r} is not a player from 0 to {game.players - 1}",
    )


@_clause("evaluate")
def _check_evaluate(game: Game[Any, Any], state: Any) -> None:
    score = game.evaluate(state)
    if not game.zero_sum:
        _require(
            isinstance(score, tuple) and len(score) == game.players,
            f"{score!r} is not a tuple of {game.players} numbers, as zero_sum=False promises",
        )
    for number in (score,) if game.zero_sum else score:
        _require(
            not isinstance(number, bool) and isinstance(number, Integral if game.integer else Real),
            f"{number!r} is not {'an int, as integer=True promises' if game.integer else 'a number'}",
        )
        _require(math.isfinite(number), f"{number!r} is not finite; use a large number instead")
        _require(not wraps_around(number), f"{number!r} wraps around when reckoned with; return int(...)")
    _require(score == game.evaluate(state), "two calls give different scores")


@_clause("max_plies")
def _check_bound(game: Game[Any, Any], state: Any) -> None:
    bound = game.max_plies(state)
    _require(bound is None or (isinstance(bound, int) and bound >= 0), f"{bound!r} is neither None nor a number from 0")


def _check_max_plies(game: Game[Any, Any], path: list[Any]) -> None:
    for played, state in enumerate(path):
        bound, left = game.max_plies(state), len(path) - 1 - played
        _require(bound is None or left <= bound, f"{bound} at ply {played}, yet {left} more plies were played")


def _check_compiles(game: Game[Any, Any], _: Any) -> None:
    try:
        game.compile_rules()  # type: ignore[attr-defined]  # compiled games have it
    except GameError as error:
        raise _Broken(str(error)) from error


def _check_hooks(game: Game[Any, Any], hooks: HookCheck, path: list[Any], failures: list[Failure]) -> None:
    failures += [Failure(clause, _position(game, state), detail) for clause, state, detail in hooks.faults(path)]


@_clause("state text")
def _check_state_text(game: Game[Any, Any], state: Any) -> None:
    text = game.format_state(state)
    _require(isinstance(text, str), f"format_state gives {text!r}, not a text")
    _require(game.parse_state(text) == state, f"parse_state({text!r}) gives {game.parse_state(text)!r}, not {state!r}")
    _require(isinstance(game.render(state), str) and game.render(state), "render gives no text")


@_clause("move text")
def _check_move_text(game: Game[Any, Any], state: Any) -> None:
    for move in game.legal_moves(state):
        text = game.format_move(state, move)
        _require(isinstance(text, str) and text, f"format_move gives {text!r} for {move!r}, not a text")
        back = game.parse_move(state, text)
        _require(back == move, f"parse_move({text!r}) gives {back!r}, not {move!r}")
