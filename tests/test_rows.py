"""Every measurement is on disk before the next begins, once, whatever interrupts a run."""

import json
import math
import os
import random
import shutil
import signal
import subprocess
import sys
import textwrap
import time
from collections import Counter
from pathlib import Path

import pytest
from typer.testing import CliRunner

from experiments import CELLS, CONFIG, StandIn, small, write_config
from parsearch import InputError
from parsearch.cli import app
from parsearch.experiments import runners
from parsearch.experiments.plan import read_plan
from parsearch.experiments.report import write_report
from parsearch.experiments.rows import Row, RowStore, read_rows
from parsearch.experiments.run import run

ROOT = Path(__file__).parent.parent


def test_the_rows_have_every_field_that_was_promised(tmp_path, without_ray):
    out = tmp_path / "out"
    run(write_config(tmp_path, small()), out)
    for line in (out / "rows.jsonl").read_text().splitlines():
        assert set(json.loads(line)) >= {
            *("backend", "game", "state", "algorithm", "depth", "workers", "nodes_per_machine", "repeat", "value"),
            *("move", "nodes", "seconds", "speedup", "idle", "seed", "config_hash", "machine", "versions"),
        }


def interrupt(measurements):
    """A `show` that raises KeyboardInterrupt when so many more measurements have begun."""
    begun = 0

    def show(progress):
        nonlocal begun
        begun += progress.next not in ("starting", "")
        if begun > measurements:
            raise KeyboardInterrupt

    return show


@pytest.mark.parametrize("seed", range(5))
def test_an_interrupted_run_goes_on_where_it_was(tmp_path, without_ray, seed):
    rng = random.Random(seed)
    config, out = write_config(tmp_path, small()), tmp_path / "out"
    measured = 0
    while measured < CELLS:
        count = rng.randint(0, 12)
        if measured + count < CELLS:
            with pytest.raises(KeyboardInterrupt):
                run(config, out, interrupt(count))
        else:
            run(config, out)
        measured = min(measured + count, CELLS)
        assert len(read_rows(out)) == measured
        if rng.random() < 0.5:  # a crash in the middle of a line
            with (out / "rows.jsonl").open("a") as file:
                file.write('{"backend": "ray", "addr')
    before = (out / "rows.jsonl").read_bytes()
    rows = run(config, out).rows
    assert (out / "rows.jsonl").read_bytes() == before[: before.rfind(b"\n") + 1]
    assert set(Counter(row.cell for row in rows).values()) == {1}
    assert len(rows) == CELLS


def test_a_killed_run_goes_on_where_it_was(tmp_path):
    """SIGKILL at random moments of a process whose searches take some milliseconds each."""
    program = tmp_path / "program.py"
    program.write_text(
        textwrap.dedent(
            """
            import sys, time
            from pathlib import Path
            from experiments import StandIn
            from parsearch.experiments import run, runners

            class Slow(StandIn):
                def search(self, *arguments, **named):
                    time.sleep(0.03)
                    return super().search(*arguments, **named)

            runners.Coordinator = Slow
            run.run(Path(sys.argv[1]), Path(sys.argv[2]))
            """
        )
    )
    config, out = write_config(tmp_path, small()), tmp_path / "out"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "tests")])}
    rng = random.Random(1)
    kills = 0
    for _ in range(CELLS):
        process = subprocess.Popen([sys.executable, str(program), str(config), str(out)], env=environment)
        lines = count_lines(out) + rng.randint(1, 15)
        deadline = time.monotonic() + 60
        while process.poll() is None and count_lines(out) < lines and time.monotonic() < deadline:
            time.sleep(0.005)
        time.sleep(rng.random() * 0.05)
        if process.poll() is None:
            process.send_signal(signal.SIGKILL)
            kills += 1
        if process.wait(60) == 0:
            break
    assert kills >= 2  # else nothing was tested
    rows = read_rows(out)
    assert len(rows) == CELLS
    assert len({row.cell for row in rows}) == CELLS
    assert (out / "report.md").exists()


def count_lines(out):
    path = out / "rows.jsonl"
    return path.read_bytes().count(b"\n") if path.exists() else 0


def test_another_experiment_in_the_same_folder_is_refused(tmp_path, without_ray):
    config, out = write_config(tmp_path, small()), tmp_path / "out"
    run(config, out)
    before = (out / "rows.jsonl").read_bytes()
    for old, new in (("repeats: 2", "repeats: 3"), ("seed: 7", "seed: 8"), ("XO-OX----", "XO-O-X---")):
        write_config(tmp_path, small(CONFIG.replace(old, new)))
        with pytest.raises(InputError, match=r"rows of another experiment .* name another --out"):
            run(config, out)
    assert (out / "rows.jsonl").read_bytes() == before
    write_config(tmp_path, small(CONFIG.replace("A trial", "A better title")))
    assert run(config, out).title == "A better title"
    assert (out / "rows.jsonl").read_bytes() == before


def test_two_runs_at_once_are_refused(tmp_path, without_ray):
    config, out = write_config(tmp_path, small()), tmp_path / "out"
    with RowStore(out, read_plan(config)), pytest.raises(InputError, match="another run is writing to"):
        run(config, out)


def test_a_damaged_row_is_named(tmp_path, without_ray):
    config, out = write_config(tmp_path, small()), tmp_path / "out"
    run(config, out)
    lines = (out / "rows.jsonl").read_text().splitlines()
    (out / "rows.jsonl").write_text("\n".join([*lines[:4], lines[4][:50], *lines[5:], ""]))
    with pytest.raises(
        InputError, match=r"line 5 of .* is no measurement of this version \(it is not JSON\); remove that line"
    ):
        run(config, out)
    (out / "rows.jsonl").write_text("\n".join([*lines[:4], *lines[5:], ""]))
    assert len(run(config, out).rows) == CELLS


@pytest.fixture(scope="module")
def measured(tmp_path_factory):
    """A folder with a config and its finished rows, for `finished` to copy."""
    folder = tmp_path_factory.mktemp("measured")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(runners, "Coordinator", StandIn)
        run(write_config(folder, small()), folder / "out")
    return folder


@pytest.fixture
def finished(measured, tmp_path, without_ray):
    """The `--out` of a finished run, and the commands that read it."""
    shutil.copytree(measured, tmp_path, dirs_exist_ok=True)
    out = tmp_path / "out"
    return out, (["report", str(out)], ["speedup", "--config", str(tmp_path / "experiment.yaml"), "--out", str(out)])


NOT_A_ROW = [
    ({"seconds": "x"}, "seconds must be a number, not 'x'"),
    ({"seconds": 0}, "seconds must be 1e-15 or more, not 0"),
    ({"seconds": 1e-320}, "seconds must be 1e-15 or more"),
    ({"seconds": math.nan}, "seconds must be a finite number"),
    ({"seconds": math.inf}, "seconds must be a finite number"),
    ({"nodes": 0}, "nodes must be 1 or more, not 0"),
    ({"nodes": 10**400}, "nodes must be "),
    ({"value": None}, "value: it must be a finite number, not None"),
    ({"value": math.nan}, "value: it must be a finite number, not nan"),
    ({"move": None}, "move must be text, not None"),
    ({"workers": "2"}, "workers must be a whole number, not '2'"),
    ({"workers": -1}, "workers must be 0 or more, not -1"),
    ({"repeat": True}, "repeat must be a whole number, not True"),
    ({"algorithm": "foo"}, "algorithm: there is no 'foo'"),
    ({"backend": "mpi"}, "backend must be 'ray' or 'simulated', not 'mpi'"),
    ({"root_moves": []}, "root_moves is empty"),
    ({"root_moves": [{"move": "a1", "nodes": 1}]}, "root_moves.0.seconds is missing"),
    ({"timeline": {}}, "timeline must be a list, not {}"),
    ({"timeline": [3]}, "timeline.0 must be a mapping of keys to values, not 3"),
    ({"timeline": [{"line": "", "worker": "", "sent": "x"}]}, "timeline.0.sent must be a number, not 'x'"),
    ({"machine": {}}, "machine.when is missing"),
    ({"versions": None}, "versions must be a mapping of keys to values, not None"),
    ({"score": 1}, "there is no key 'score'"),
]


@pytest.mark.parametrize(("damage", "fault"), NOT_A_ROW)
def test_what_is_wrong_with_a_row_is_said(finished, damage, fault):
    out, commands = finished
    rows = out / "rows.jsonl"
    lines = rows.read_text().splitlines()
    lines[2] = json.dumps({**json.loads(lines[2]), **damage})
    rows.write_text("\n".join([*lines, ""]))
    message = f"line 3 of {str(rows)!r} is no measurement of this version ({fault}"
    for command in commands:
        refused(command, message, "; remove that line, and the same speedup command measures what is missing")


@pytest.mark.parametrize("line", [b"", b"[]", b"3", b"{}", b"\0\0", b"\xff", b'{"backend": "ray"'])
def test_a_line_that_is_no_row_is_refused(finished, line):
    out, commands = finished
    rows = out / "rows.jsonl"
    rows.write_bytes(line + b"\n" + rows.read_bytes())
    for command in commands:
        refused(command, "line 1 of", "is no measurement of this version (")


def refused(command, *parts):
    """The command ends with exit code 2 and one sentence that has all of these parts."""
    result = CliRunner().invoke(app, command)
    assert isinstance(result.exception, SystemExit)
    assert (result.exit_code, result.stderr.count("\n")) == (2, 1)
    assert [part for part in parts if part not in result.stderr] == [], result.stderr


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        ("{}", "hash is missing"),
        ("[]", "it must be a mapping of keys to values, not []"),
        ("nothing", "it is not JSON"),
        ('{"hash": "x", "config": {}, "positions": [], "calibrations": {}}', "config.searches is missing"),
    ],
)
def test_a_damaged_experiment_is_refused_and_mended(finished, content, fault):
    out, (report, speedup) = finished
    (out / "experiment.json").write_text(content)
    refused(report, f"experiment.json' is damaged ({fault}); the same speedup command writes it again")
    assert CliRunner().invoke(app, speedup).exit_code == 0
    assert CliRunner().invoke(app, report).exit_code == 0


def test_a_row_with_other_root_moves_is_refused(finished):
    out, commands = finished
    rows = out / "rows.jsonl"
    lines = rows.read_text().splitlines()
    row = json.loads(lines[-1])
    rows.write_text("\n".join([*lines[:-1], json.dumps({**row, "root_moves": row["root_moves"][1:]}), ""]))
    for command in commands:
        refused(command, f"line {CELLS} of", "has other root moves than the lines before; remove that line")


def test_rows_of_another_experiment_and_the_same_row_twice_are_refused(finished):
    out, commands = finished
    rows = out / "rows.jsonl"
    whole = rows.read_text()
    lines = whole.splitlines()
    rows.write_text("\n".join([*lines, lines[3], ""]))
    for command in commands:
        refused(command, f"line {CELLS + 1} of", "measures what line 4 has measured already; remove that line")
    rows.write_text(whole.replace(json.loads(lines[0])["config_hash"], "elsewhere", 1))
    for command in commands:
        refused(command, "holds the rows of another experiment (line 1 of rows.jsonl has config hash elsewhere")
    rows.write_text(whole)
    for command in commands:
        assert CliRunner().invoke(app, command).exit_code == 0


def test_a_report_of_nothing_is_refused(tmp_path, without_ray):
    result = CliRunner().invoke(app, ["report", str(tmp_path)])
    assert (result.exit_code, result.stderr.count("\n")) == (2, 1)
    assert "name the --out of a speedup run" in result.stderr
    with pytest.raises(KeyboardInterrupt):
        run(write_config(tmp_path, small()), tmp_path / "out", interrupt(1))
    result = CliRunner().invoke(app, ["report", str(tmp_path / "out")])
    assert (result.exit_code, result.stderr.count("\n")) == (2, 1)
    assert "has no finished repeat yet" in result.stderr


def test_an_unfinished_run_is_reported_as_far_as_it_got(tmp_path, without_ray):
    with pytest.raises(KeyboardInterrupt):
        run(write_config(tmp_path, small()), tmp_path / "out", interrupt(4))  # one repeat of minimax, and one search
    report = write_report(tmp_path / "out")
    assert [len(series.positions[0].rows[0]) for series in report.series] == [1]


def test_a_row_reads_back_as_it_was(tmp_path, without_ray):
    for row in run(write_config(tmp_path, small()), tmp_path / "out").rows:
        assert Row.from_json(row.to_json()) == row
