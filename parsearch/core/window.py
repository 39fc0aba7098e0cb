"""Search windows and what a returned value says about the true one."""

from __future__ import annotations

import enum
import math
from dataclasses import dataclass


class Bound(enum.StrEnum):
    """What a returned value v says about the true value t, from the same point of view."""

    EXACT = "exact"  # t == v
    LOWER = "lower"  # t >= v
    UPPER = "upper"  # t <= v

    def reversed(self) -> Bound:
        """The same statement from the opponent's point of view, where values change sign."""
        return _REVERSED[self]


_REVERSED = {Bound.EXACT: Bound.EXACT, Bound.LOWER: Bound.UPPER, Bound.UPPER: Bound.LOWER}


@dataclass(frozen=True, slots=True)
class Window:
    """The open interval (alpha, beta) of values, from player 0's point of view, that a search must tell apart.

    A search of the window returns v for the true value t (fail-soft; Fishburn 1983):

    - v <= alpha:         t <= v   (upper bound)
    - alpha < v < beta:   t == v   (exact)
    - v >= beta:          t >= v   (lower bound)
    """

    alpha: float = -math.inf
    beta: float = math.inf

    def bound(self, value: float) -> Bound:
        """What `value`, returned by a search of this window, says about the true value."""
        if self.alpha < value < self.beta or (self.alpha == -math.inf and self.beta == math.inf):
            return Bound.EXACT
        return Bound.UPPER if value <= self.alpha else Bound.LOWER

    def reversed(self) -> Window:
        """The same window from the opponent's point of view."""
        return Window(-self.beta, -self.alpha)


def just_below(value: float, integer: bool) -> float:
    """The greatest score less than `value`: alpha for a move that wins ties against it."""
    return value - 1 if integer else math.nextafter(value, -math.inf)


def just_above(value: float, integer: bool) -> float:
    """The least score greater than `value`: (value, just_above(value)) is a null window."""
    return value + 1 if integer else math.nextafter(value, math.inf)
