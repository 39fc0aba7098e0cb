"""Which place knows most about a subtree: the table of whoever has searched near it is full of it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Generic, TypeVar

P = TypeVar("P")


class Familiar(Generic[P]):
    """Remembers for each position of the top tree who was sent something at or below it."""

    def __init__(self) -> None:
        self._sent: defaultdict[tuple[int, ...], set[P]] = defaultdict(set)

    def choose(self, path: tuple[int, ...], places: Sequence[P]) -> P:
        """Who of some places is to search the subtree at `path`: the first that was nearest to it, else the first."""
        above = [path[:length] for length in range(len(path), 0, -1)]
        chosen = next((place for near in above for place in places if place in self._sent[near]), places[0])
        for near in above:
            self._sent[near].add(chosen)
        return chosen
