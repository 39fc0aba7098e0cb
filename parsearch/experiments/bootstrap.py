"""How sure a figure is: intervals from resampling what was measured."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

CONFIDENCE = 0.95

RESAMPLES = 1_000
"""Enough for two digits of a 95% interval (Efron & Tibshirani 1993, section 14.3)."""

Sample = TypeVar("Sample")


@dataclass(frozen=True, slots=True)
class Estimate:
    """A figure, and the interval that it lies in with `CONFIDENCE`."""

    value: float
    low: float
    high: float


def bootstrap(
    positions: Sequence[Sequence[Sample]], statistic: Callable[[Sequence[Sequence[Sample]]], float], seed: int
) -> Estimate:
    """The statistic of what was measured, with its percentile interval over positions and repeats.

    positions: for each position its repeats. Positions are drawn with replacement, and then the repeats of each: with
    one position the interval says nothing about others. The same seed gives the same interval.
    Source: Efron & Tibshirani 1993, "An introduction to the bootstrap", sections 8.3 (two levels) and 13.3.
    """
    rng = random.Random(seed)
    values = sorted(
        statistic([rng.choices(repeats, k=len(repeats)) for repeats in rng.choices(positions, k=len(positions))])
        for _ in range(RESAMPLES)
    )
    tail = (1 - CONFIDENCE) / 2
    low, high = values[int(tail * RESAMPLES)], values[RESAMPLES - 1 - int(tail * RESAMPLES)]
    return Estimate(statistic(positions), low, high)
