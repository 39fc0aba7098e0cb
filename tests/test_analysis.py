"""The figures of a report, worked by hand from a few rows: what a reviewer would check first."""

from dataclasses import replace

import pytest

from parsearch.core.result import TaskRun
from parsearch.experiments.analysis import make_series, minimal_ratios, weak_scaling
from parsearch.experiments.machine import Machine
from parsearch.experiments.plan import Cell
from parsearch.experiments.rows import RootWork, Row
from parsearch.experiments.tables import (
    fit_table,
    minimal_table,
    position_table,
    prediction_table,
    summary_table,
    weak_table,
    worker_table,
)

MACHINE = Machine("", "", "a processor", 2, 2, 2, 2**30, 2**30, (0.0, 0.0, 0.0), "3.11")


def works(*seconds):
    return tuple(RootWork(str(number), 10, time) for number, time in enumerate(seconds))


def row(workers, repeat, seconds, nodes=1_000, *, algorithm="minimax", state="s", depth=3, backend="ray", **more):
    machine = 8 if backend == "simulated" else None
    cell = Cell(backend, None, machine, "g", state, depth, None, algorithm, workers, repeat)
    known = {"idle": None, "communication": None, "critical_path": None, "worker_rate": None, "root_moves": works(1.0)}
    return Row(
        cell=cell,
        value=0,
        move="a",
        nodes=nodes,
        seconds=seconds,
        took=seconds,
        speedup=None,
        timeline=(),
        seed=0,
        config_hash="",
        machine=MACHINE,
        versions={},
        **(known | more),
    )


WATCHED = {"idle": 0.2, "communication": 0.05, "critical_path": 2.5, "worker_rate": 120.0}
ROWS = [
    row(0, 1, 10.0, root_moves=works(4.0, 4.0, 2.0)),
    row(2, 1, 5.0, 1_100, **WATCHED),
    row(0, 2, 12.0, root_moves=works(5.0, 5.0, 2.0)),
    row(2, 2, 8.0, 1_100, **WATCHED),
    row(0, 3, 8.0, root_moves=works(3.0, 3.0, 2.0)),
    row(2, 3, 6.4, 1_100, **WATCHED),
]


def test_one_position():
    (series,) = make_series(ROWS, seed=0)
    assert (series.subject.question, series.subject.searcher) == ("g to depth 3", "minimax (Ray)")
    assert (series.baseline, series.sequential_seconds) == ("minimax", 10.0)
    (point,) = series.points
    assert (point.workers, point.seconds) == (2, 6.4)
    assert point.speedup.value == pytest.approx(10 / 6.4)
    assert 8 / 8 <= point.speedup.low <= point.speedup.value <= point.speedup.high <= 12 / 5
    assert point.efficiency.value == pytest.approx(10 / 12.8)
    assert point.overhead == pytest.approx(0.1)
    assert point.rate == pytest.approx(1_100 / 6.4)
    assert point.scaling == pytest.approx((1_100 / 6.4) / (1_000 / 10))
    assert (point.idle, point.communication, point.worker_rate) == pytest.approx((0.2, 0.05, 120.0))
    # Busy for 0.8 * 2 * 6.4 s in the middle repeat, of which the path takes 2.5 s.
    assert point.path_bound == pytest.approx(0.8 * 2 * 6.4 / 2.5)
    assert point.karp_flatt == pytest.approx((0.64 - 0.5) / 0.5)
    assert series.amdahl.value == pytest.approx(point.karp_flatt)  # the fit to a single point
    # Root moves of 4, 4 and 2 s on two workers: within 5 and 5 + 4 / 2 = 7 s.
    assert point.graham == pytest.approx((10 / 7, 2.0))


def test_positions_have_equal_weight():
    rows = [row(0, 1, 1.0), row(4, 1, 0.5), row(0, 1, 100.0, state="t"), row(4, 1, 100 / 8, state="t")]
    (series,) = make_series(rows, seed=0)
    (point,) = series.points
    assert point.speedup.value == pytest.approx(4.0)  # of 2 and 8 the geometric mean
    assert (point.speedup.low, point.speedup.high) == pytest.approx((2.0, 8.0))  # one position drawn twice
    assert point.seconds == pytest.approx((0.5 + 12.5) / 2)


def test_pruning_search_against_the_best_of_its_kind():
    rows = [
        row(0, 0, 3.0, algorithm="alphabeta"),
        row(0, 0, 2.0, algorithm="pvs"),
        row(0, 1, 2.0, algorithm="pvs"),
        row(2, 1, 1.0, algorithm="alphabeta"),
        row(0, 1, 9.0, algorithm="minimax"),
        row(2, 1, 6.0, algorithm="minimax"),
        row(0, 1, 5.0, algorithm="alphabeta", backend="simulated"),
        row(2, 1, 4.0, algorithm="alphabeta", backend="simulated"),
    ]
    alphabeta, minimax, simulated = make_series(rows, seed=0)
    assert (alphabeta.baseline, alphabeta.points[0].speedup.value, alphabeta.points[0].graham) == ("pvs", 2.0, None)
    assert (minimax.baseline, minimax.points[0].speedup.value) == ("minimax", 1.5)
    assert (simulated.baseline, simulated.points[0].speedup.value) == ("alphabeta", 1.25)
    assert "simulated" in simulated.subject.searcher


def test_what_is_not_finished_is_left_out():
    rows = [*ROWS, row(0, 4, 1.0), row(0, 1, 1.0, state="begun"), row(2, 1, 1.0, state="nothing to compare with")]
    assert make_series(rows, seed=0) == make_series(ROWS, seed=0)
    assert make_series([row(0, 1, 1.0)], seed=0) == ()
    assert make_series([row(2, 1, 1.0)], seed=0) == ()


def test_weak_scaling_and_gustafson():
    rows = [
        *(row(workers, 1, seconds, depth=3) for workers, seconds in ((0, 2.0), (1, 2.0), (2, 1.2), (4, 1.0))),
        *(row(workers, 1, seconds, depth=4) for workers, seconds in ((0, 7.0), (1, 7.0), (2, 4.0), (4, 2.0))),
    ]
    ((name, (weak, fraction)),) = weak_scaling(make_series(rows, seed=0)).items()
    assert name == "g, minimax (Ray)"
    # Depth 4 is 3.5 times the work: by ratio nearest to both 2 and 4 workers.
    assert [(one.workers, one.depth) for one in weak] == [(1, 3), (2, 4), (4, 4)]
    assert [one.scaled_speedup for one in weak] == pytest.approx([1.0, 7 / 4, 7 / 2])
    assert [one.work for one in weak] == pytest.approx([1.0, 3.5, 3.5])
    # P - S is 1/4 on two and 1/2 on four workers, P - 1 is 1 and 3.
    assert fraction.value == pytest.approx((0.25 * 1 + 0.5 * 3) / (1 + 9))


def test_minimal_tree():
    rows = [
        row(0, 1, 1.0, 15),  # two moves a position, three plies
        row(2, 1, 1.0, 15),
        row(0, 1, 1.0, 11, algorithm="alphabeta"),
        row(2, 1, 1.0, 22, algorithm="alphabeta"),
    ]
    minimax, alphabeta = make_series(rows, seed=0)
    assert minimal_ratios(rows, alphabeta) == pytest.approx({0: 1.0, 2: 2.0})
    assert minimal_ratios(rows, minimax) is None
    assert minimal_ratios(rows[2:], alphabeta) is None
    assert [cells[-2:] for cells in minimal_table(rows, [minimax, alphabeta]).rows] == [
        ("sequential", "1.00"),
        ("2", "2.00"),
    ]


def test_tables_print_the_figures():
    series = make_series(ROWS, seed=0)
    (sequential, two) = summary_table(series[0]).rows
    assert sequential[:2] == ("seq.", "10")
    assert two[:2] == ("2", "6.4")
    assert two[2].startswith("1.56 [")
    assert two[3:8] == ("78%", "10.0%", "20.0%", "5.0%", "0.000172")
    assert two[8] == "28.0%"
    assert "1.43-2.00 on 2" in summary_table(series[0]).note
    assert worker_table(series).rows == (("g to depth 3, minimax (Ray)", "2", "1.72", "0.00012", "4.10"),)
    assert fit_table(series).rows[0][:2] == ("g to depth 3, minimax (Ray)", "Amdahl")
    assert fit_table(series).rows[0][3] == "3.6"
    assert weak_table(series) is None
    assert position_table(series[0]).rows == (
        ("s", "sequential minimax", "10", "8-12", "", "1,000", "", "", "a", "0"),
        ("s", "2", "6.4", "5-8", "1.56", "1,100", "10.0%", "20.0%", "a", "0"),
    )


def test_simulated_against_measured():
    rows = [
        row(0, 1, 10.0),
        row(2, 1, 5.0),
        row(0, 1, 8.0, backend="simulated"),
        row(2, 1, 5.0, backend="simulated"),
        row(4, 1, 2.0, backend="simulated"),  # nobody has measured four
    ]
    assert prediction_table(make_series(rows, seed=0)).rows == (
        ("g to depth 3, minimax (simulated, 8 a machine)", "2", "2.00", "1.60", "-20.0%"),
    )
    assert prediction_table(make_series(rows[:2], seed=0)) is None


def test_timelines_survive():
    run = TaskRun("4 4", "host:1", 0.0, 0.1, 0.5, 0.6, 1_000)
    watched = replace(row(2, 1, 1.0), timeline=(run,))
    assert Row.from_json(watched.to_json()) == watched
