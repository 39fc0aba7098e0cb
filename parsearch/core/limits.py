"""How far a search may go."""

from __future__ import annotations

import math
from dataclasses import dataclass

from parsearch.core.errors import LimitsError


@dataclass(frozen=True, slots=True)
class Limits:
    """How far a search may go; the limit that is reached first ends it.

    depth: plies to look ahead, 0 or more.
    seconds: wall-clock seconds, more than 0. With it (or nodes) the search deepens iteratively.
    nodes: positions visited, 1 or more, summed over all workers: an iteration counts as completed
        when all iterations up to it fit.

    Seconds and nodes decide how deep a search gets, never what it answers there. With nothing set the
    search goes to the end of the game.

    Raises LimitsError for a value out of range.
    """

    depth: int | None = None
    seconds: float | None = None
    nodes: int | None = None

    def __post_init__(self) -> None:
        _require_integer("depth", self.depth, least=0)
        _require_integer("nodes", self.nodes, least=1)
        if self.seconds is None:
            return
        if isinstance(self.seconds, bool) or not isinstance(self.seconds, int | float):
            raise LimitsError(f"seconds must be a number, not {self.seconds!r}; use for example 10 or 0.5")
        if not 0 < self.seconds < math.inf:
            raise LimitsError(
                f"seconds must be finite and more than 0, not {self.seconds!r}; leave it out for no limit"
            )

    @property
    def deepens(self) -> bool:
        """Whether the search goes depth by depth, because time or nodes may end it."""
        return self.seconds is not None or self.nodes is not None


def _require_integer(name: str, value: object, least: int) -> None:
    if value is None:
        return
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise LimitsError(f"{name} must be a whole number, {least} or more, not {value!r}; leave it out for no limit")
