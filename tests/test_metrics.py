"""Speedups are quoted, so their arithmetic is held against sums worked by hand."""

import pytest

from cases import conformance
from parsearch.core.result import TaskRun
from parsearch.experiments.bootstrap import bootstrap
from parsearch.experiments.metrics import (
    amdahl_fraction,
    amdahl_speedup,
    effective_branching,
    efficiency,
    graham_interval,
    gustafson_fraction,
    karp_flatt,
    minimal_leaves,
    minimal_nodes,
    minimal_tree_ratio,
    scaled_depths,
    scaling,
    search_overhead,
    speedup,
)
from parsearch.experiments.timeline import (
    busy_seconds,
    communication_share,
    critical_path,
    idle_share,
    worker_rate,
)


def test_speedup_and_efficiency():
    assert speedup(10.0, 4.0) == 2.5
    assert efficiency(2.5, 4) == 0.625


def test_search_overhead():
    assert search_overhead(1_250, 1_000) == 0.25
    assert search_overhead(900, 1_000) == pytest.approx(-0.1)


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


def test_scaling():
    assert scaling(30e6, 10e6) == 3.0


@pytest.mark.parametrize(
    "row", conformance("knuth_moore") or (), ids=lambda row: f"{row['b']},{row['d']}" if isinstance(row, dict) else row
)
def test_minimal_leaves_of_published_trees(row):
    assert minimal_leaves(row["b"], row["d"]) == row["minimal_leaves"]


def test_the_minimal_tree():
    # Two moves a position, three plies: 1 root; 2 + 1 - 1 children; 2 + 2 - 1 on ply 2; 4 + 2 - 1 leaves.
    assert minimal_nodes(2, 3) == 1 + 2 + 3 + 5
    assert effective_branching(1 + 2 + 4 + 8, 3) == pytest.approx(2)
    assert effective_branching(4, 3) == pytest.approx(1)  # a single line
    assert minimal_tree_ratio(22, full_nodes=15, depth=3) == pytest.approx(2)


def test_amdahl():
    # A quarter serial: 1 / (1/4 + 3/8) = 1.6 on two workers, 1 / (1/4 + 3/16) = 16/7 on four.
    assert amdahl_speedup(0.25, 2) == pytest.approx(1.6)
    assert amdahl_fraction({2: 1.6, 4: 16 / 7}) == pytest.approx(0.25)
    # Between fractions of 0 on two workers (x = 1/2) and 1 on four (x = 3/4): (9/16) / (4/16 + 9/16).
    assert amdahl_fraction({2: 2.0, 4: 1.0}) == pytest.approx(9 / 13)


def test_gustafson():
    # A tenth serial: 4 - 0.3 on four workers, 8 - 0.7 on eight.
    assert gustafson_fraction({4: 3.7, 8: 7.3}) == pytest.approx(0.1)
    assert gustafson_fraction({2: 1.0, 3: 3.0}) == pytest.approx(1 / 5)  # (1 * 1 + 2 * 0) / (1 + 4)


def test_scaled_depths():
    # Depth 6 takes 3.5 and depth 7 takes 12 times as long as depth 5; by ratio 3.5 is nearer to 2 than 1 is, 12 to 8.
    assert scaled_depths({5: 2.0, 6: 7.0, 7: 24.0}, [1, 2, 4, 8]) == {1: 5, 2: 6, 4: 6, 8: 7}


def run(worker, sent, started, ended, received, nodes=100):
    return TaskRun("", worker, sent, started, ended, received, nodes)


TASKS = (
    run("a", 0.0, 0.5, 3.0, 3.5),
    run("b", 0.0, 1.0, 2.0, 2.0),
    run("b", 2.5, 2.5, 4.0, 5.0),
    run("a", 3.5, 4.0, 6.0, 6.0),
)
"""Two workers for 8 s: a is busy for 2.5 + 2 s, b for 1 + 1.5 s."""


def test_shares_of_the_workers_time():
    assert busy_seconds(TASKS) == {"a": 4.5, "b": 2.5}
    assert idle_share(TASKS, workers=2, seconds=8.0) == pytest.approx(9 / 16)
    # Under way without a search: a from 0 to 0.5, 3 to 4; b from 0 to 1 and 4 to 5.
    assert communication_share(TASKS, workers=2, seconds=8.0) == pytest.approx(3.5 / 16)
    assert worker_rate(TASKS) == pytest.approx(400 / 7)


def test_a_task_that_waits_behind_another_is_no_communication_while_its_worker_is_busy():
    tasks = (run("a", 0.0, 0.0, 2.0, 2.0), run("a", 0.0, 2.0, 4.0, 4.0))
    assert communication_share(tasks, workers=1, seconds=4.0) == 0


def test_two_processes_that_serve_one_worker_in_turn_do_not_wait_more_than_it_idles():
    tasks = (run("a", 0.0, 1.0, 2.0, 4.0), run("b", 1.0, 3.0, 4.0, 5.0))
    assert idle_share(tasks, workers=1, seconds=5.0) == pytest.approx(3 / 5)
    assert communication_share(tasks, workers=1, seconds=5.0) == pytest.approx(3 / 5)


def test_critical_path():
    # The last task of a was sent when a's first (2.5 s) had come back; b's second after b's first: 2.5 + 2 > 1 + 1.5.
    assert critical_path(TASKS) == pytest.approx(4.5)
    # The same tasks all sent at once: nobody waited for anybody, and the longest one is the path.
    assert critical_path([run(t.worker, 0.0, t.started, t.ended, t.received) for t in TASKS]) == pytest.approx(2.5)


def test_bootstrap():
    def mean_of_means(positions):
        return sum(sum(repeats) / len(repeats) for repeats in positions) / len(positions)

    alike = bootstrap([[3.0, 3.0], [3.0]], mean_of_means, seed=1)
    assert (alike.value, alike.low, alike.high) == (3.0, 3.0, 3.0)
    # One position, repeats 0 and 1: the mean of two drawn is 0, 1/2 or 1, and 0 and 1 come a quarter of the time each.
    spread = bootstrap([[0.0, 1.0]], mean_of_means, seed=1)
    assert (spread.value, spread.low, spread.high) == (0.5, 0.0, 1.0)
    # Positions are drawn too: without repeats the interval still spans them.
    assert bootstrap([[0.0], [1.0]], mean_of_means, seed=1).low == 0.0
    many = [[float(value)] for value in range(100)]
    assert bootstrap(many, mean_of_means, seed=1) == bootstrap(many, mean_of_means, seed=1)
    # The mean of 100 draws from 0..99 has a standard error of 2.9, and the interval is some 1.96 of them to each side.
    interval = bootstrap(many, mean_of_means, seed=1)
    assert 49.5 - interval.low == pytest.approx(5.66, rel=0.15)
    assert interval.high - 49.5 == pytest.approx(5.66, rel=0.15)
