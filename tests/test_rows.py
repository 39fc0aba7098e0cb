"""Every measurement is on disk before the next begins, once, whatever interrupts a run."""

import json
import os
import random
import signal
import subprocess
import sys
import textwrap
import time
from collections import Counter
from pathlib import Path

import pytest
from typer.testing import CliRunner

from experiments import CELLS, CONFIG, small, write_config
from parsearch import InputError
from parsearch.cli import app
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
    with pytest.raises(InputError, match=r"line 5 of .* is no measurement of this version; remove that line"):
        run(config, out)
    (out / "rows.jsonl").write_text("\n".join([*lines[:4], *lines[5:], ""]))
    assert len(run(config, out).rows) == CELLS


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
