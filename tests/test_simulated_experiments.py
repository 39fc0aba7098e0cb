"""A simulated figure is only as good as the machine it assumes: what was calibrated is what is simulated."""

import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import ClassVar

import pytest
from typer.testing import CliRunner

from experiments import StandIn, write_config
from parsearch import ConfigError, InputError
from parsearch.cli import app
from parsearch.core.result import TaskRun
from parsearch.experiments import calibrate, runners
from parsearch.experiments.calibration import Calibration, Rate, read_calibration, write_calibration
from parsearch.experiments.rows import read_rows
from parsearch.experiments.run import run

ROOT = Path(__file__).parent.parent

CONFIG = """
searches:
  - {game: tictactoe, positions: ["XX-OO----"], depths: [4]}
backends:
  - {kind: simulated, workers: [1, 2, 8], nodes_per_machine: 4, calibration: machine.yaml}
repeats: 3
seed: 5
outputs: [md]
"""

CALIBRATION = Calibration(
    machine="a test",
    rates=[
        Rate(game="tictactoe", algorithm="alphabeta", solving=False, nodes_per_second=1_000.0),
        Rate(game="tictactoe", algorithm="pvs", solving=False, nodes_per_second=10.0),
    ],
    send_seconds=0.001,
    latency_seconds=0.002,
    table_probe_seconds=1e-8,
)


@pytest.fixture
def config(tmp_path):
    write_calibration(CALIBRATION, tmp_path / "machine.yaml")
    return write_config(tmp_path, CONFIG)


def test_the_calibrated_machine_is_simulated(config, tmp_path):
    report = run(config, tmp_path / "out")
    rows = {(row.cell.workers, row.cell.repeat): row for row in report.rows if row.cell.algorithm == "alphabeta"}
    assert set(rows) == {(0, 0), (0, 1), (1, 1), (2, 1), (8, 1)}  # the same every time: no need to repeat it
    assert {row.cell.nodes_per_machine for row in report.rows} == {4}
    sequential = rows[0, 1]
    assert sequential.seconds == sequential.nodes / 1_000
    # A worker does a thousand nodes a second, and each task travels to it and back.
    assert all(rows[count, 1].seconds > rows[count, 1].nodes / (1_000 * count) for count in (1, 2, 8))
    assert {len({task.worker for task in rows[count, 1].timeline}) <= count for count in (1, 2, 8)} == {True}
    assert "simulated, 4 a machine" in (tmp_path / "out" / "report.md").read_text()


def test_workers_of_one_machine_are_a_crowd(config, tmp_path):
    def seconds(out):
        return {row.cell.workers: row.seconds for row in run(config, tmp_path / out).rows if row.cell.repeat}

    alone = seconds("alone")
    rates = [rate.model_copy(update={"crowded": 0.5}) for rate in CALIBRATION.rates]
    write_calibration(CALIBRATION.model_copy(update={"rates": rates}), tmp_path / "machine.yaml")
    crowded = seconds("crowded")
    assert {count: crowded[count] for count in (0, 1)} == {count: alone[count] for count in (0, 1)}
    assert 1.5 * alone[2] < crowded[2] < 2 * alone[2]  # messages take the same time


def test_the_same_seed_gives_the_same_figures(config, tmp_path):
    def figures(out):
        return [replace(row, took=0.0, machine=None) for row in run(config, tmp_path / out).rows]

    assert figures("one") == figures("two")


def test_the_cluster_is_made_of_machines(config, tmp_path, monkeypatch):
    clusters = []

    def simulate(game, state, cluster, **options):
        clusters.append(cluster)
        result = StandIn(cluster.nodes * cluster.workers, offload="always").search(game, state, **options)
        return replace(result, seconds=1.0)

    monkeypatch.setattr(runners, "simulate", simulate)
    run(config, tmp_path / "out")
    assert [(cluster.nodes, cluster.workers) for cluster in clusters] == [(1, 1), (1, 2), (2, 4)]
    assert {(c.rate, c.send_seconds, c.latency, c.seed) for c in clusters} == {(1_000.0, 0.001, 0.002, 5)}


def test_a_changed_calibration_is_another_experiment(config, tmp_path):
    run(config, tmp_path / "out")
    write_calibration(CALIBRATION.model_copy(update={"latency_seconds": 0.1}), tmp_path / "machine.yaml")
    with pytest.raises(InputError, match="rows of another experiment"):
        run(config, tmp_path / "out")


def test_a_rate_that_was_not_measured_is_refused(config, tmp_path):
    write_config(tmp_path, CONFIG.replace("depths: [4]", "depths: null"))
    with pytest.raises(InputError, match=r"no rate for .* solving on tictactoe; run `parsearch calibrate"):
        run(config, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_calibration_reads_back(tmp_path):
    write_calibration(CALIBRATION, tmp_path / "machine.yaml")
    assert read_calibration(tmp_path / "machine.yaml") == CALIBRATION
    with pytest.raises(ConfigError, match=r"none\.yaml: No such file"):
        read_calibration(tmp_path / "none.yaml")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("nodes_per_second: 1000.0", "nodes_per_second: 1e999", "nodes_per_second must be a finite number"),
        (
            "nodes_per_second: 1000.0",
            "nodes_per_second: 1e308",
            "nodes_per_second must be 1000000000000.0 or less",
        ),
        ("nodes_per_second: 1000.0", "nodes_per_second: 1e-320", "nodes_per_second must be 0.001 or more"),
        ("nodes_per_second: 1000.0", "nodes_per_second: .nan", "nodes_per_second must be a number, not '.nan'"),
        ("send_seconds: 0.001", "send_seconds: 1e999", "send_seconds must be a finite number"),
        ("latency_seconds: 0.002", "latency_seconds: 1e308", "latency_seconds must be 10.0 or less, not 1e+308"),
        ("latency_seconds: 0.002", "latency_seconds: -0.1", "latency_seconds must be 0.0 or more, not -0.1"),
        ("table_probe_seconds: 1.0e-08", "table_probe_seconds: 1e999", "table_probe_seconds must be a finite number"),
    ],
)
def test_numbers_that_no_machine_has_are_refused(config, tmp_path, old, new, message):
    machine = tmp_path / "machine.yaml"
    assert old in machine.read_text()
    machine.write_text(machine.read_text().replace(old, new))
    with pytest.raises(ConfigError) as caught:
        run(config, tmp_path / "out")
    assert "machine.yaml: " in str(caught.value)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)
    assert not (tmp_path / "out").exists()


def test_more_workers_than_can_be_simulated_are_refused(config, tmp_path):
    write_config(tmp_path, CONFIG.replace("[1, 2, 8]", "[1, 1000000]"))
    with pytest.raises(ConfigError, match=r"yaml: backends\.0\.workers has 1000000, but at most 16384"):
        run(config, tmp_path / "out")
    assert not (tmp_path / "out").exists()


class Cluster(StandIn):
    """One worker at an address, a thousand nodes a second."""

    places: ClassVar = []

    def __init__(self, workers=0, address=None, offload="auto"):
        super().__init__(workers, address, offload)
        self.places.append((workers, address, offload))

    def search(self, *arguments, **named):
        result = super().search(*arguments, **named)
        runs = (TaskRun("", "there:1", 0.0, start, start + 0.3, 9.0, 300) for start in (1.0, 2.0))
        return replace(result, timeline=tuple(runs))


def test_a_cluster_has_the_rates_of_its_workers(config, monkeypatch):
    monkeypatch.setattr(calibrate, "Coordinator", Cluster)
    monkeypatch.setattr(calibrate, "_task_costs", lambda address: (0.001, 0.002))
    found = calibrate.calibrate([config], "head:6379")
    assert set(Cluster.places) == {(1, "head:6379", "always"), (calibrate.usable_cores(), "head:6379", "always")}
    assert [rate.nodes_per_second for rate in found.rates] == pytest.approx([1_000.0] * 2)
    assert [rate.crowded for rate in found.rates] == pytest.approx([1.0] * 2)
    assert found.machine.startswith("Ray at head:6379, from ")


def test_calibrating_a_cluster(config, ray_cluster):
    found = calibrate.calibrate([config], ray_cluster.address)
    assert {(rate.game, rate.algorithm, rate.solving) for rate in found.rates} == {
        ("tictactoe", "alphabeta", False),
        ("tictactoe", "pvs", False),
    }
    assert found.machine.startswith(f"Ray at {ray_cluster.address}, from ")


def test_costs_by_hand():
    def run(worker, sent, started, ended, received):
        return TaskRun("", worker, sent, started, ended, received, 1)

    # Sent 1, then 3 and then 2 ms apart; messages take 4 and 6, 4 and 8, and 5 and 5 ms there and back. Of three the
    # lower quartile is the least, and of six the 1.75th: 4.
    timelines = [
        [run("a", 0.000, 0.002, 0.003, 0.005), run("b", 0.001, 0.004, 0.009, 0.012)],
        [run("a", 0.003, 0.005, 0.006, 0.008), run("b", 0.000, 0.004, 0.005, 0.009)],
        [run("a", 0.000, 0.002, 0.003, 0.006), run("b", 0.002, 0.004, 0.005, 0.008)],
    ]
    send_seconds, latency = calibrate._costs(timelines)
    assert send_seconds == pytest.approx(0.001)
    assert latency == pytest.approx(0.002)


@pytest.mark.ray
def test_calibrating_this_machine(tmp_path):
    path, out = write_config(tmp_path, CONFIG), tmp_path / "machine.yaml"
    told = CliRunner().invoke(app, ["calibrate", "--config", str(path), "--out", str(out)])
    assert told.exit_code == 0, told.stderr
    found = read_calibration(out)
    assert {(rate.game, rate.algorithm, rate.solving) for rate in found.rates} == {
        ("tictactoe", "alphabeta", False),
        ("tictactoe", "pvs", False),
    }
    assert 0 < found.table_probe_seconds < 1e-6
    assert 0 < found.latency_seconds < 0.1
    assert 0 < found.send_seconds < 0.1
    assert run(path, tmp_path / "out").series  # and an experiment can use it
    failed = CliRunner().invoke(app, ["calibrate", "--config", str(path), "--out", str(tmp_path / "no" / "x.yaml")])
    assert (failed.exit_code, failed.stderr.count("\n")) == (2, 1)


def test_ctrl_c_ends_a_run_in_order_and_the_same_command_goes_on(tmp_path):
    write_calibration(CALIBRATION, tmp_path / "machine.yaml")
    longer = CONFIG.replace('["XX-OO----"], depths: [4]', '["XX-OO----", "X--------"], depths: [3, 4, 5]')
    config, out = write_config(tmp_path, longer), tmp_path / "out"
    command = [sys.executable, "-m", "parsearch", "speedup", "--config", str(config), "--out", str(out)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    process = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    rows, deadline = out / "rows.jsonl", time.monotonic() + 100
    while not (rows.exists() and rows.stat().st_size) and time.monotonic() < deadline:
        time.sleep(0.002)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=100)
    assert process.returncode == 130
    assert "Traceback" not in errors
    before = len(read_rows(out))
    assert (
        0 < before < 36
    )  # for each position and depth two trials, the sequential search, and three numbers of workers
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True, timeout=100)
    assert "simulated" in done.stdout
    cells = [row.cell for row in read_rows(out)]
    assert len(cells) == len(set(cells)) == 36


def test_tasks_that_take_no_time_say_nothing_about_workers(config, tmp_path):
    text = CONFIG.replace("depths: [4]", "depths: [1]").replace("nodes_per_machine: 4", "nodes_per_machine: 1")
    write_config(tmp_path, text)
    report = run(config, tmp_path / "out")
    assert [row.idle for row in report.rows if row.cell.workers == 2] == [None]
    assert all(row.seconds > 0 for row in report.rows)
