"""Positions with known answers, as plain data, so that every engine and backend is held to the same ones."""

from __future__ import annotations

import json
import os
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from parsearch.core.game import Game
from parsearch.core.window import Window
from parsearch.games import load_game as load_new_game

HERE = Path(__file__).parent
load_game = cache(load_new_game)
"""One game for all rows of a set: a compiled game takes tens of milliseconds to make."""

ZERO_SUM = ("minimax", "alphabeta", "pvs")


def conformance(name: str) -> list[dict[str, Any]] | None:
    """The rows of a conformance set, None where it is neither in the conformance folder nor in tests/data."""
    named = os.environ.get("PARSEARCH_CONFORMANCE")
    folders = [Path(named)] if named else [HERE.parent.parent / "shared" / "conformance"]
    for folder in (*folders, HERE / "data"):
        path = folder / f"{name}.jsonl"
        if path.exists():
            rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
            return [row for row in rows if "_header" not in row]
    return None


@dataclass(frozen=True)
class Case:
    """A position whose answer somebody else worked out, at the end of the game.

    algorithms: those that give this answer. value: for the player to move. best_moves: all of them, in the game's
    order; None where unknown. scores: max^n payoffs where known. easy: alpha-beta visits some 10,000 positions at most.
    """

    id: str
    game: Game[Any, Any]
    build: Callable[[], Any]
    algorithms: tuple[str, ...]
    value: float
    best_moves: tuple[Any, ...] | None = None
    scores: tuple[float, ...] | None = None
    easy: bool = True

    @cached_property
    def state(self) -> Any:
        return self.build()


COMPILED_SETS = ("tictactoe_positions", "mnk_values", "connect4_small_positions")
"""Their games are compiled: in plain Python they are searched at a tenth of the speed of a plain game."""

PLAIN_SETS = (
    "explicit_trees",
    "random_trees",
    "knuth_moore",
    "multiplayer_trees",
    "multiplayer_nim",
    "nim_values",
)
SETS = (*COMPILED_SETS, *PLAIN_SETS)


@cache
def cases(name: str) -> tuple[Case, ...]:
    """The cases of a set that a search in plain Python can finish; empty where the set is missing."""
    found = []
    for number, row in enumerate(conformance(name) or (), 1):
        found += list(_BUILDERS[name](f"{name}-{number}", row))
    return tuple(found)


def sample(name: str, count: int = 10) -> list[Case]:
    """Some easy cases of a set, the same ones every time."""
    easy = [case for case in cases(name) if case.easy]
    return random.Random(name).sample(easy, min(count, len(easy)))


def params(*names: str, count: int = 10, slow: int | None = None) -> list[Any]:
    """Cases for `pytest.mark.parametrize`: a sample of each set, and of its others so many, or all, marked slow."""
    found = []
    for name in names:
        if not cases(name):
            found.append(pytest.param(None, id=name, marks=pytest.mark.skip(f"set PARSEARCH_CONFORMANCE: no {name}")))
        chosen = sample(name, count)
        others = [case for case in cases(name) if case not in chosen]
        if slow is not None:
            others = random.Random(name).sample(others, min(slow, len(others)))
        found += [pytest.param(case, id=case.id) for case in chosen]
        found += [pytest.param(case, id=case.id, marks=pytest.mark.slow) for case in others]
    return found


def tree_nodes(game: Game[Any, Any], state: Any, most: int) -> int | None:
    """Positions in the whole tree below a state, itself included: what exhaustive search visits. None above `most`."""

    class TooManyError(Exception):
        pass

    @cache
    def count(inner: Any) -> int:
        total = 1
        for move in game.legal_moves(inner):
            total += count(game.play(inner, move))
            if total > most:
                raise TooManyError
        return total

    try:
        return count(state)
    except TooManyError:
        return None


def uniform_tree(breadth: int, depth: int, leaf: Callable[[tuple[int, ...]], int]) -> Any:
    """A state of the tree game with `breadth` moves everywhere and `leaf(path)` after `depth` of them."""

    def node(path: tuple[int, ...]) -> Any:
        if len(path) == depth:
            return leaf(path)
        return tuple([node((*path, child)) for child in range(breadth)])

    return type(load_game("tree").initial_state())(node(()), 0)


def hashed_leaf(seed: int, path: tuple[int, ...]) -> int:
    """The generator that the conformance README gives for random_trees."""
    h = (seed * 0x9E3779B97F4A7C15 + 1) & (2**64 - 1)
    for c in path:
        h = ((h ^ (c + 1)) * 0xBF58476D1CE4E5B9) & (2**64 - 1)
        h ^= h >> 29
    h = (h * 0x94D049BB133111EB) & (2**64 - 1)
    return (h >> 33) % 2001 - 1000


def random_tree(row: dict[str, Any]) -> Any:
    """The tree that a row of random_trees describes."""
    seed = row["seed"]

    def edge_sum(path: tuple[int, ...]) -> int:
        return sum(hashed_leaf(seed, path[:length]) // 100 for length in range(1, len(path) + 1))

    return uniform_tree(row["b"], row["d"], edge_sum if row["leaf"] == "edge_sum" else lambda p: hashed_leaf(seed, p))


def knuth_moore_tree(row: dict[str, Any], best_first: bool) -> Any:
    """The tree of a row of knuth_moore with its children in the best or in the worst order."""
    sign = -1 if best_first else 1
    return uniform_tree(
        row["b"], row["d"], lambda path: sum(sign * c if i % 2 == 0 else -sign * c for i, c in enumerate(path))
    )


class Node(NamedTuple):
    """A position of `AnyTurns`: whose move it is, its score, and what can follow."""

    player: int
    score: Any
    children: tuple[Node, ...] = ()


class AnyTurns(Game[Node, int]):
    """Explicit trees in which anybody may be to move anywhere (passes, extra turns), with estimates inside too."""

    def __init__(self, players: int = 2, integer: bool = True) -> None:
        self.players = players
        self.integer = integer

    def initial_state(self) -> Node:
        return Node(0, 0 if self.zero_sum else (0,) * self.players)

    def to_move(self, state: Node) -> int:
        return state.player

    def legal_moves(self, state: Node) -> range:
        return range(len(state.children))

    def play(self, state: Node, move: int) -> Node:
        return state.children[move]

    def is_terminal(self, state: Node) -> bool:
        return not state.children

    def evaluate(self, state: Node) -> Any:
        return state.score

    def max_plies(self, state: Node) -> int:
        return 1 + max(map(self.max_plies, state.children)) if state.children else 0


def random_node(rng: random.Random, height: int, players: int = 2, integer: bool = True) -> Node:
    """A random position of `AnyTurns` with few different scores, so that ties are everywhere."""

    def number() -> float:
        return rng.randint(-2, 2) * (1 if integer else 0.1)

    score = number() if players == 2 else tuple(number() for _ in range(players))
    breadth = rng.choice((0, 1, 2, 2, 3, 4)) if height else 0
    children = tuple(random_node(rng, height - 1, players, integer) for _ in range(breadth))
    return Node(rng.randrange(players), score, children)


def some_state(game: Any, rng: random.Random, plies: int) -> Any:
    """Where random play leads in so many plies, or to the end of the game before."""
    state = game.initial_state()
    for _ in range(plies):
        moves = game.legal_moves(state)
        if not moves:
            break
        state = game.play(state, rng.choice(moves))
    return state


def keeps_contract(window: Window, found: float, true: float) -> bool:
    """Whether `found` says of the `true` value what a search with that window may say; see `algorithms.alphabeta`."""
    if window.alpha < true < window.beta:
        return found == true
    return true <= found <= window.alpha if true <= window.alpha else true >= found >= window.beta


def _tictactoe(name: str, row: dict[str, Any]) -> Iterator[Case]:
    game = load_game("tictactoe")
    state = game.parse_state(f"{row['board']} {row['stm']}")
    easy = row["board"].count("-") <= 7
    yield Case(name, game, lambda: state, ZERO_SUM, row["value"], tuple(row["best"]), easy=easy)


def _mnk(name: str, row: dict[str, Any]) -> Iterator[Case]:
    cells = row["m"] * row["n"]
    if not row["verified_by"] or (cells > 12 and (cells > 16 or row["k"] > 3)):
        return  # published only, or millions of positions even for alpha-beta
    game = load_game(f"mnk({row['m']},{row['n']},{row['k']})")
    value = {"first": 1, "draw": 0, "second": -1}[row["winner"]]
    algorithms = ZERO_SUM if cells <= 9 else ("alphabeta", "pvs")  # minimax visits millions of positions there
    yield Case(name, game, game.initial_state, algorithms, value, easy=cells <= 9)


def _connect4(name: str, row: dict[str, Any]) -> Iterator[Case]:
    left = row["width"] * row["height"] - len(row["moves"])
    if left > 13:
        return  # some of those take alpha-beta millions of positions
    game = load_game(f"connect4({row['width']},{row['height']})")
    yield Case(name, game, lambda: game.parse_state(row["moves"]), ZERO_SUM, row["score"], easy=left <= 11)


def _explicit(name: str, row: dict[str, Any]) -> Iterator[Case]:
    game = load_game("tree")
    state = game.parse_state(json.dumps(row["tree"]))
    yield Case(name, game, lambda: state, ZERO_SUM, row["value"], tuple(row["best_moves"]))


def _random(name: str, row: dict[str, Any]) -> Iterator[Case]:
    easy = row["leaves"] <= 5000
    moves = tuple(row["best_moves"])
    yield Case(name, load_game("tree"), lambda: random_tree(row), ZERO_SUM, row["value"], moves, easy=easy)


def _knuth_moore(name: str, row: dict[str, Any]) -> Iterator[Case]:
    for order in ("best_first", "worst_first"):
        yield Case(
            f"{name}-{order}",
            load_game("tree"),
            lambda order=order: knuth_moore_tree(row, order == "best_first"),
            ZERO_SUM,
            row[f"value_{order}"],
            easy=row["b"] ** row["d"] <= 3000,
        )


def _multiplayer_tree(name: str, row: dict[str, Any]) -> Iterator[Case]:
    game = load_game(f"tree({row['players']},zero_sum=False)")
    state = game.parse_state(json.dumps(row["tree"]))
    scores = tuple(row["maxn_first"])
    yield Case(f"{name}-maxn", game, lambda: state, ("maxn",), scores[0], scores=scores)
    paranoid = row["paranoid_root_value"], tuple(row["paranoid_best_moves"])
    yield Case(f"{name}-paranoid", game, lambda: state, ("paranoid",), *paranoid)


def _multiplayer_nim(name: str, row: dict[str, Any]) -> Iterator[Case]:
    game = load_game(f"nim({row['players']},{row['limit']})")
    state = game.parse_state(",".join(map(str, row["heaps"])))
    best = tuple(map(tuple, row["paranoid_best_moves"]))
    scores = tuple(row["maxn_first"])
    if row["players"] == 2:  # 1 for the winner and 0 for the other there, 1 and -1 here
        yield Case(name, game, lambda: state, ZERO_SUM, scores[0] - scores[1], best)
        return
    easy = (tree_nodes(game, state, 10_000) or 10_001) <= 10_000
    yield Case(f"{name}-maxn", game, lambda: state, ("maxn",), scores[0], scores=scores, easy=easy)
    yield Case(f"{name}-paranoid", game, lambda: state, ("paranoid",), row["paranoid_root_value"], best, easy=easy)


def _nim(name: str, row: dict[str, Any]) -> Iterator[Case]:
    heaps = row["heaps"]
    if sum(heaps) > 14 or heaps == [1, 2, 4, 7]:
        return  # alpha-beta without a table visits a million positions and more
    text = ",".join(map(str, heaps)) or "-"
    for form, winner in (("nim", "first_wins_normal"), ("nim(misere=True)", "first_wins_misere")):
        game = load_game(form)
        state = game.parse_state(text)
        wins = tuple(map(tuple, row["winning_moves_normal"])) or tuple(game.legal_moves(state))
        yield Case(
            f"{name}-{'misere' if game.misere else 'normal'}",
            game,
            lambda state=state: state,
            ZERO_SUM,
            1 if row[winner] else -1,
            None if game.misere else wins,
            easy=sum(heaps) <= 9,
        )


_BUILDERS: dict[str, Callable[[str, dict[str, Any]], Iterator[Case]]] = {
    "tictactoe_positions": _tictactoe,
    "mnk_values": _mnk,
    "connect4_small_positions": _connect4,
    "explicit_trees": _explicit,
    "random_trees": _random,
    "knuth_moore": _knuth_moore,
    "multiplayer_trees": _multiplayer_tree,
    "multiplayer_nim": _multiplayer_nim,
    "nim_values": _nim,
}
