"""What a reference search returns: a value and the line of play that reaches it."""

from __future__ import annotations

from typing import Any, TypeAlias

from parsearch.core.game import Score

Chain: TypeAlias = "tuple[Any, Chain] | None"
"""A line of play as a linked list (move, rest): extending it costs the same at every depth."""

Line: TypeAlias = tuple[Score, Chain]
"""A score, as `Game.evaluate` gives it, and the principal variation that leads to it."""


def moves_of(chain: Chain) -> tuple[Any, ...]:
    """The moves of a line of play, first move first."""
    moves = []
    while chain is not None:
        move, chain = chain
        moves.append(move)
    return tuple(moves)
