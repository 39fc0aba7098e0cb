"""A speedup is only worth its fairness: same answers, the right baseline, and a report of what was measured."""

import io
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console
from typer.testing import CliRunner

from experiments import CELLS, CONFIG, StandIn, small, write_config
from parsearch import AnswersDifferError, ConfigError, InputError, StateError, WorkerError
from parsearch.cli import app
from parsearch.experiments import console, plots, runners
from parsearch.experiments.rows import read_rows
from parsearch.experiments.run import ExperimentProgress, run
from parsearch.games.mnk import Mnk

ROOT = Path(__file__).parent.parent


@pytest.mark.ray
def test_a_real_run_on_ray_workers(tmp_path):
    seen = []
    out = tmp_path / "new" / "folder"
    report = run(write_config(tmp_path), out, seen.append)

    assert len(report.rows) == CELLS
    cells = [row.cell for row in report.rows]
    assert len(set(cells)) == CELLS
    assert {row.move for row in report.rows if row.cell.state == "XX-OO---- X"} == {"c1"}
    assert {(row.speedup is None) for row in report.rows if not row.cell.repeat} == {True}
    assert all(row.speedup > 0 and row.seconds > 0 for row in report.rows if row.cell.repeat)
    assert all(row.machine.memory > 0 and row.versions["parsearch"] for row in report.rows)
    assert {row.seed for row in report.rows} == {7}
    assert read_rows(out) == list(report.rows)
    assert seen[0] == ExperimentProgress(0, CELLS, None, "starting")
    assert seen[-1] == ExperimentProgress(CELLS, CELLS, 0.0, "")
    assert [progress.done for progress in seen] == sorted(progress.done for progress in seen)
    assert all(progress.seconds_left > 0 for progress in seen[2:-1])
    for name in ("speedup", "efficiency", "overhead", "root_moves"):
        assert (out / f"{name}.png").read_bytes().startswith(b"\x89PNG")
        assert "<svg" in (out / f"{name}.svg").read_text()


def test_a_cluster_is_named_in_rows_and_report(tmp_path, ray_cluster):
    address = ray_cluster.address
    text = CONFIG.replace("kind: ray, workers: [2, 1]", f'kind: ray, address: "{address}", workers: [2]')
    report = run(write_config(tmp_path, small(text)), tmp_path / "out")
    assert {row.cell.address for row in report.rows} == {address}
    assert {series.subject.searcher for series in report.series} == {
        f"minimax (Ray at {address})",
        f"alphabeta (Ray at {address})",
    }


def test_speedups_are_against_the_sequential_row_of_the_same_repeat(tmp_path, without_ray):
    report = run(write_config(tmp_path, small()), tmp_path / "out")
    timed = [row for row in report.rows if row.cell.repeat]
    sequential = None
    for row in timed:
        sequential = sequential if row.cell.workers else row
        assert sequential.cell.repeat == row.cell.repeat
        assert sequential.cell.state == row.cell.state
        assert row.speedup == sequential.seconds / row.seconds


def test_the_baseline_is_the_quickest_that_fits(tmp_path, without_ray):
    rows = run(write_config(tmp_path, small()), tmp_path / "out").rows
    for depth in (3, 4):
        here = [row for row in rows if row.cell.depth == depth]
        trials = [row for row in here if not row.cell.repeat]
        assert [row.cell.algorithm for row in trials] == ["alphabeta", "pvs"]
        quickest = min(trials, key=lambda row: row.seconds).cell.algorithm
        sequential = {row.cell.algorithm for row in here if row.cell.repeat and not row.cell.workers}
        assert sequential == {"minimax", quickest}  # a search without pruning is no rival of one with it
        assert {row.cell.algorithm for row in here if row.cell.workers} == {"minimax", "alphabeta"}


class Fickle(Mnk):
    """Evaluates differently whenever it is asked: what no search can answer twice alike."""

    def __init__(self):
        super().__init__(3, 3, 3)
        self.asked = 0

    def evaluate(self, state):
        self.asked += 1
        return super().evaluate(state) + self.asked


def test_differing_answers_are_refused(tmp_path, without_ray):
    out = tmp_path / "out"
    text = small(CONFIG.replace("tictactoe", f"{__name__}:Fickle"))
    with pytest.raises(AnswersDifferError, match=r"sequential minimax, .* answers .*, but minimax on 1 worker"):
        run(write_config(tmp_path, text), out)
    assert not (out / "report.md").exists()
    result = CliRunner().invoke(app, ["report", str(out)])
    assert result.exit_code == 1
    assert "no speedup is reported until they agree" in result.stderr
    assert not (out / "report.md").exists()


def test_fewer_workers_than_asked_for_are_refused(tmp_path, monkeypatch):
    class Small(StandIn):
        def search(self, *arguments, **named):
            return replace(super().search(*arguments, **named), workers=min(self.count, 1))

    monkeypatch.setattr(runners, "Coordinator", Small)
    with pytest.raises(WorkerError, match="only 1 CPUs for 2 workers"):
        run(write_config(tmp_path, small()), tmp_path / "out")


@pytest.mark.parametrize(
    ("old", "new", "error", "message"),
    [
        ('tictactoe, positions: ["XO', 'tictactoo, positions: ["XO', InputError, "did you mean tictactoe"),
        ("[minimax, alphabeta]", "[maxn]", InputError, "maxn is for payoff tuples"),
        ("XO-OX----", "XO-OXXXXX", StateError, "tictactoe has no state"),
        ("XO-OX----", "XXXOO----", StateError, "is over in"),
        (
            'positions: ["XO-OX----", "XX-OO----"]',
            "suite: nothing",
            ConfigError,
            "there is no suite 'nothing'; use one",
        ),
        ('positions: ["XO-OX----", "XX-OO----"]', "file: none.txt", InputError, "cannot read positions from"),
        ("kind: ray", "calibration: none.yaml, kind: simulated", ConfigError, "none.yaml: No such file"),
    ],
)
def test_what_cannot_be_measured_is_refused_in_one_sentence(tmp_path, old, new, error, message):
    assert old in CONFIG
    with pytest.raises(error, match=message) as caught:
        run(write_config(tmp_path, CONFIG.replace(old, new)), tmp_path / "out")
    assert "\n" not in str(caught.value)


def test_a_folder_that_cannot_be_made_is_refused(tmp_path):
    with pytest.raises(InputError, match="cannot write to"):
        run(write_config(tmp_path), write_config(tmp_path))


def test_missing_matplotlib_is_refused_before_measuring(tmp_path, monkeypatch):
    monkeypatch.setattr(plots, "find_spec", lambda _: None)
    with pytest.raises(InputError, match=r"pip install 'parsearch\[plots\]'"):
        run(write_config(tmp_path), tmp_path / "out")
    assert not (tmp_path / "out").exists()


GAME = """
from parsearch import Game

class Halving(Game):
    \"\"\"Take one, or half; who takes the last one wins. A state is (left, player to move).\"\"\"

    def initial_state(self):
        return (9, 0)

    def to_move(self, state):
        return state[1]

    def legal_moves(self, state):
        return sorted({1, max(1, state[0] // 2)}) if state[0] else []

    def play(self, state, move):
        return (state[0] - move, 1 - state[1])

    def is_terminal(self, state):
        return state[0] == 0

    def evaluate(self, state):
        return 0 if state[0] else (-1 if state[1] == 0 else 1)
"""


def test_a_users_game_beside_the_config_and_positions_in_a_file(tmp_path, without_ray, monkeypatch):
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.delitem(sys.modules, "halving", raising=False)
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    (folder / "halving.py").write_text(GAME)
    (folder / "positions.txt").write_text("# left, player\n(9, 0)\n\n(8, 1)  # even\n")
    text = (
        "searches: [{game: halving:Halving, file: positions.txt, depths: [5]}]\nbackends: [{kind: ray, workers: [2]}]"
    )
    rows = run(write_config(folder, small(text + "\n")), tmp_path / "out").rows
    assert {row.cell.state for row in rows} == {"(9, 0)", "(8, 1)"}


def test_the_tables_fit_a_terminal(tmp_path, without_ray):
    report = run(write_config(tmp_path, small()), tmp_path / "out")
    stream = io.StringIO()
    console.print_report(report, tmp_path, Console(width=80, file=stream))
    assert "…" not in stream.getvalue()
    assert "tictactoe to depth 4: alphabeta (Ray)" in stream.getvalue()


@pytest.mark.parametrize(
    ("outputs", "written"),
    [
        ("[]", "every row in rows.jsonl"),
        ("[svg]", "plots as *.svg, every row in rows.jsonl"),
        ("[png, md]", "report.md, plots as *.png, every row in rows.jsonl"),
    ],
)
def test_the_last_line_says_what_is_there(tmp_path, without_ray, outputs, written):
    report = run(write_config(tmp_path, CONFIG + f"outputs: {outputs}\n"), tmp_path / "out")
    stream = io.StringIO()
    console.print_report(report, Path("out"), Console(width=200, file=stream))
    assert stream.getvalue().endswith(f"written to out: {written}\n")
    kinds = {path.suffix.removeprefix(".") for path in (tmp_path / "out").iterdir()} - {"json", "jsonl"}
    assert kinds == set(report.outputs)


def test_the_report_says_what_was_measured(tmp_path, without_ray):
    out = tmp_path / "out"
    report = run(write_config(tmp_path), out)
    page, text = (out / "report.html").read_text(), (out / "report.md").read_text()
    for content in (page, text):
        assert "A trial" in content
        assert report.asked.hash in content
        assert report.rows[0].machine.cpu in content
        for table in (*report.tables, *report.position_tables):
            assert table.title in content
            assert table.rows[-1][-1] in content
    assert page.count("<svg") == 5  # speedup, efficiency, overhead, workers, root moves
    assert not re.findall(r"""(?:src|href)=["'](?!#)""", page)  # self-contained
    assert not re.findall(r"<script|@import", page)
    for image in re.findall(r"\]\((.*?)\)", text):
        assert (out / image).exists()
    written = {path.name: path.read_bytes() for path in out.glob("report.*")}
    for path in out.glob("report.*"):
        path.unlink()
    assert CliRunner().invoke(app, ["report", str(out)]).exit_code == 0
    assert (out / "report.md").read_bytes() == written["report.md"]


def test_the_script_reports_bad_input_in_one_line(tmp_path):
    command = [sys.executable, str(ROOT / "scripts" / "measure_speedup.py"), "--config", str(tmp_path / "none.yaml")]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert done.returncode == 2
    assert done.stderr.startswith("measure_speedup.py: ")
    assert done.stderr.count("\n") == 1
