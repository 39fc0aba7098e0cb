"""Speedups are quoted, so their arithmetic is held against sums worked by hand."""

import pytest

from parsearch.experiments.metrics import (
    efficiency,
    graham_interval,
    idle_share,
    karp_flatt,
    search_overhead,
    speedup,
)


def test_speedup_and_efficiency():
    assert speedup(10.0, 4.0) == 2.5
    assert efficiency(2.5, 4) == 0.625


def test_search_overhead():
    assert search_overhead(1_250, 1_000) == 0.25
    assert search_overhead(900, 1_000) == pytest.approx(-0.1)


def test_idle_share():
    # Two workers for 5 s are 10 s of worker time, of which 4.5 + 3.5 s were spent in tasks.
    assert idle_share(8.0, workers=2, seconds=5.0) == pytest.approx(0.2)


@pytest.mark.parametrize(
    ("measured", "workers", "fraction"),
    [
        (1.6, 2, 0.25),  # (5/8 - 1/2) / (1/2)
        (2.5, 4, 0.2),  # (2/5 - 1/4) / (3/4)
        (4.0, 2, -0.5),  # (1/4 - 1/2) / (1/2): faster than ideal
        # By Amdahl's law a tenth of serial work gives 1 / (0.1 + 0.9 / 4) on 4 workers; the metric returns the tenth.
        (1 / (0.1 + 0.9 / 4), 4, 0.1),
        (8.0, 8, 0.0),
    ],
)
def test_karp_flatt(measured, workers, fraction):
    assert karp_flatt(measured, workers) == pytest.approx(fraction)


@pytest.mark.parametrize(
    ("tasks", "workers", "shortest", "longest"),
    [
        # Seven equal moves on two workers take four rounds: within [3.5, 4], and 7 / 4 is the cap of 1.75 in speed.
        ([1.0] * 7, 2, 3.5, 4.0),
        # One long move: nobody can be faster than it. Handed out last, it starts when 1 + 1 + 1 are half done.
        ([1.0, 1.0, 4.0], 2, 4.0, 5.0),
        ([2.0, 3.0], 1, 5.0, 5.0),
    ],
)
def test_graham_interval(tasks, workers, shortest, longest):
    assert graham_interval(tasks, workers) == pytest.approx((shortest, longest))
