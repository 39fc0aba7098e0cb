"""A speedup is only worth its fairness: same answers, the right baseline, and every artefact readable afterwards."""

import csv
import io
import json
import struct
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console

from parsearch import AlgorithmError, AnswersDifferError, ConfigError, Coordinator, InputError, StateError, WorkerError
from parsearch.config import SpeedupConfig, load_config
from parsearch.experiments import plots, speedup
from parsearch.experiments.measurements import Measurement, summarise
from parsearch.games.mnk import Mnk

CONFIG = """
game: tictactoe
algorithm: {algorithm}
positions: ["XX-OO----"]
depths: [3, 4]
workers: [2, 1]
repeats: 2
"""

ROOT = Path(__file__).parent.parent


def write(folder, text=CONFIG, algorithm="minimax"):
    path = folder / "config.yaml"
    path.write_text(text.format(algorithm=algorithm))
    return path


class StandIn(Coordinator):
    """Searches in this process and says that workers did it: for what does not depend on who searches."""

    def __init__(self, workers=None, offload="auto"):
        super().__init__(workers=0)
        self.count = workers
        self.offload = offload

    def search(self, *arguments, **named):
        assert self.offload == ("always" if self.count else "auto")  # or small searches would stay at home
        return replace(super().search(*arguments, **named), workers=self.count)


@pytest.fixture
def without_ray(monkeypatch):
    monkeypatch.setattr(speedup, "Coordinator", StandIn)


def rendered(report):
    console = Console(width=80, file=io.StringIO())
    console.print(report.tables())
    return console.file.getvalue()


def test_a_real_run_on_ray_workers(tmp_path):
    seen = []
    out = tmp_path / "new" / "folder"
    report = speedup.run(write(tmp_path), out, seen.append)

    assert [(row.depth, row.repeat, row.workers) for row in report.rows] == [
        (depth, repeat, workers) for depth in (3, 4) for repeat in (1, 2) for workers in (0, 1, 2)
    ]
    assert {(row.backend, row.workers > 0) for row in report.rows} == {("serial", False), ("ray", True)}
    assert {row.move for row in report.rows} == {"c1"}
    assert all(row.speedup > 0 and row.seconds > 0 for row in report.rows)
    assert [(cell.depth, cell.workers, cell.repeats) for cell in report.summaries] == [
        (depth, workers, 2) for depth in (3, 4) for workers in (0, 1, 2)
    ]
    assert seen[-1] == speedup.SpeedupProgress(12, 12, "")
    assert [progress.done for progress in seen] == sorted(progress.done for progress in seen)

    with (out / "rows.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert [int(row["nodes"]) for row in rows] == [row.nodes for row in report.rows]
    with (out / "summary.csv").open() as file:
        assert [float(row["speedup"]) for row in csv.DictReader(file)] == [cell.speedup for cell in report.summaries]
    everything = json.loads((out / "speedup.json").read_text())
    assert everything["config"]["positions"] == ["XX-OO----"]
    assert everything["machine"]["memory"] > 0
    assert set(everything["machine"]["versions"]) == {"parsearch", "ray", "numpy", "numba"}
    assert len(everything["rows"]) == 12
    assert len(everything["summaries"]) == 6
    image = (out / "speedup.png").read_bytes()
    assert image.startswith(b"\x89PNG")
    width, height = struct.unpack(">II", image[16:24])
    assert width > 800
    assert height > 600


@pytest.mark.usefixtures("without_ray")
def test_tables_fit_a_terminal_and_name_the_baseline(tmp_path):
    report = speedup.measure(load_config(write(tmp_path, algorithm="alphabeta"), SpeedupConfig))
    text = rendered(report)
    assert "…" not in text
    assert f"sequential {report.summaries[0].algorithm}" in text
    assert "alphabeta on workers" in text


@pytest.mark.usefixtures("without_ray")
@pytest.mark.parametrize(
    ("algorithm", "tried"), [("minimax", []), ("alphabeta", ["alphabeta", "pvs"]), ("pvs", ["alphabeta", "pvs"])]
)
def test_the_baseline_is_the_quickest_that_fits(tmp_path, algorithm, tried):
    report = speedup.measure(load_config(write(tmp_path, algorithm=algorithm), SpeedupConfig))
    for depth in (3, 4):
        rows = [row for row in report.rows if row.depth == depth]
        trials = [row for row in rows if row.repeat == 0]
        assert [row.algorithm for row in trials] == tried
        quickest = min(trials, key=lambda row: row.seconds).algorithm if trials else "minimax"
        assert {row.algorithm for row in rows if row.repeat and not row.workers} == {quickest}
        assert {row.algorithm for row in rows if row.workers} == {algorithm}


class Fickle(Mnk):
    """Evaluates differently whenever it is asked: what no search can answer twice alike."""

    def __init__(self):
        super().__init__(3, 3, 3)
        self.asked = 0

    def evaluate(self, state):
        self.asked += 1
        return super().evaluate(state) + self.asked


@pytest.mark.usefixtures("without_ray")
def test_differing_answers_are_refused(tmp_path):
    out = tmp_path / "out"
    text = CONFIG.replace("tictactoe", f"{__name__}:Fickle")
    with pytest.raises(AnswersDifferError, match=r"sequential minimax answers .* but minimax on 1 worker answers"):
        speedup.run(write(tmp_path, text), out)
    assert list(out.iterdir()) == []


def test_fewer_workers_than_asked_for_are_refused(tmp_path, monkeypatch):
    class Small(StandIn):
        def search(self, *arguments, **named):
            return replace(super().search(*arguments, **named), workers=min(self.count, 1))

    monkeypatch.setattr(speedup, "Coordinator", Small)
    with pytest.raises(WorkerError, match="only 1 CPUs for 2 workers"):
        speedup.measure(load_config(write(tmp_path), SpeedupConfig))


@pytest.mark.parametrize(
    ("old", "new", "error", "message"),
    [
        ("depths:", "dephts:", ConfigError, "'dephts'.*did you mean 'depths'"),
        ("depths: [3, 4]", "", ConfigError, "depths is missing"),
        ("[3, 4]", "[]", ConfigError, "depths is empty"),
        ("[3, 4]", "[0]", ConfigError, "depths.0 must be 1 or more"),
        ("[2, 1]", "[0, 1]", ConfigError, "workers.0 must be 1 or more"),
        ("repeats: 2", "repeats: 0", ConfigError, "repeats must be 1 or more"),
        ("minimax", "maxn", AlgorithmError, "maxn is for"),
        ("XX-OO----", "XXX------", StateError, "XXX"),
        ("XX-OO----", "XXXOO----", StateError, "is over in"),
    ],
)
def test_what_cannot_be_measured_is_refused_in_one_sentence(tmp_path, old, new, error, message):
    text = CONFIG.format(algorithm="minimax")
    assert old in text
    with pytest.raises(error, match=message) as caught:
        speedup.run(write(tmp_path, text.replace(old, new)), tmp_path / "out")
    assert "\n" not in str(caught.value)


def test_a_folder_that_cannot_be_made_is_refused(tmp_path):
    with pytest.raises(InputError, match="cannot write to"):
        speedup.run(write(tmp_path), write(tmp_path))


def test_missing_matplotlib_is_refused_before_measuring(tmp_path, monkeypatch):
    monkeypatch.setattr(plots, "find_spec", lambda _: None)
    with pytest.raises(InputError, match=r"pip install 'parsearch\[plots\]'"):
        speedup.run(write(tmp_path), tmp_path / "out")


def test_summaries_by_hand():
    def row(workers, repeat, seconds, speedup, nodes, root_seconds=()):
        who = "ray" if workers else "serial"
        idle = 0.1 * repeat if workers else None
        return Measurement(
            who, "g", "s", 3, "minimax", workers, repeat, "a", 0, nodes, seconds, speedup, idle, root_seconds
        )

    rows = [
        row(0, 1, 10.0, 1.0, 1_000, (4.0, 4.0, 2.0)),
        row(2, 1, 5.0, 2.0, 1_100),
        row(0, 2, 12.0, 1.0, 1_000, (5.0, 5.0, 2.0)),
        row(2, 2, 8.0, 1.5, 1_100),
        row(0, 3, 8.0, 1.0, 1_000, (3.0, 3.0, 2.0)),
        row(2, 3, 6.4, 1.25, 1_100),
    ]
    baseline, cell = summarise(rows)
    assert (baseline.seconds, baseline.seconds_min, baseline.seconds_max) == (10.0, 8.0, 12.0)
    assert (baseline.speedup, baseline.efficiency, baseline.karp_flatt) == (1.0, None, None)
    assert baseline.rate == 100
    assert cell.speedup == pytest.approx(10 / 6.4)
    assert (cell.speedup_min, cell.speedup_max) == (1.25, 2.0)
    assert cell.efficiency == pytest.approx(10 / 12.8)
    assert cell.search_overhead == pytest.approx(0.1)
    assert cell.idle == pytest.approx(0.2)
    assert cell.rate == pytest.approx(1_100 / 12.8)
    assert cell.karp_flatt == pytest.approx((0.64 - 0.5) / 0.5)
    # Root moves of 4, 4 and 2 s on two workers: within 5 and 5 + 4 / 2 = 7 s.
    assert (cell.root_split_min, cell.root_split_max) == pytest.approx((10 / 7, 2.0))


def test_the_script_reports_bad_input_in_one_line(tmp_path):
    command = [sys.executable, str(ROOT / "scripts" / "measure_speedup.py"), "--config", str(tmp_path / "none.yaml")]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert done.returncode == 2
    assert done.stderr.startswith("measure_speedup.py: ")
    assert done.stderr.count("\n") == 1


def test_the_shipped_config_is_valid():
    assert load_config(ROOT / "configs" / "speedup.yaml", SpeedupConfig).algorithm == "minimax"
