"""Ctrl-C and SIGTERM end a command with what it has found by then, and leave no process behind."""

import json
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest

from command import ENVIRONMENT, PARSEARCH, ROOT


def _interrupt(process: "subprocess.Popen[bytes]", *signals: signal.Signals) -> tuple[bytes, list[psutil.Process]]:
    """Send signals, wait for the end; gives stdout and the processes that were started and outlive it."""
    children = psutil.Process(process.pid).children(recursive=True)
    for signum in signals:
        process.send_signal(signum)
        time.sleep(0.05)
    out, _ = process.communicate(timeout=60)
    return out, psutil.wait_procs(children, timeout=5)[1]


MARKING = f"""
import os, sys
from pathlib import Path
sys.path.insert(0, {str(ROOT / "tests")!r})
from plain import PlainConnect4, discs

class Marking(PlainConnect4):
    '''Leaves a file when a search is at depth 3, with the process that does it as content.'''
    def evaluate(self, state):
        if discs(state) == 3:
            Path(os.environ["MARK"]).write_text(str(os.getpid()))
        return super().evaluate(state)
"""


def _search(folder: Path, *options: str) -> "subprocess.Popen[bytes]":
    """A search that goes on until it is stopped; `folder / "mark"` appears once it has come to depth 3."""
    (folder / "marking.py").write_text(MARKING)
    command = [*PARSEARCH, "search", "marking:Marking", "--time", "200", "--json", *options]
    environment = {**ENVIRONMENT, "MARK": str(folder / "mark")}
    return subprocess.Popen(command, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def _wait_for(event: Callable[[], object]) -> None:
    for _ in range(1000):
        if event():
            return
        time.sleep(0.05)
    raise AssertionError("nothing happened for 50 s")


@pytest.mark.parametrize(("signum", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_ends_the_search_with_the_deepest_completed_answer(
    tmp_path: Path, signum: signal.Signals, code: int
) -> None:
    process = _search(tmp_path, "--workers", "0")
    _wait_for((tmp_path / "mark").exists)
    out, _ = _interrupt(process, signum)
    assert process.returncode == code
    answer = json.loads(out)
    assert answer["depth"] >= 1
    assert not answer["complete"]


@pytest.mark.ray
@pytest.mark.parametrize("while_ray_starts", [True, False])
@pytest.mark.parametrize(
    ("signals", "code"),
    [
        ([signal.SIGINT], 130),
        ([signal.SIGTERM], 143),
        pytest.param([signal.SIGTERM, signal.SIGTERM], 143, marks=pytest.mark.slow),  # the second ends it at once
    ],
)
def test_a_signal_leaves_no_process(
    tmp_path: Path, while_ray_starts: bool, signals: list[signal.Signals], code: int
) -> None:
    config = tmp_path / "always.yaml"
    config.write_text("workers: 2\noffload: always\n")
    process = _search(tmp_path, "--config", str(config))
    if while_ray_starts:
        _wait_for(psutil.Process(process.pid).children)
    else:
        _wait_for((tmp_path / "mark").exists)
    out, alive = _interrupt(process, *signals)
    assert process.returncode == code
    assert alive == []
    if len(signals) == 1:
        assert json.loads(out)["move"] == "4"
    assert not list(Path("/tmp").glob(f"parsearch-{process.pid}-*"))


@pytest.mark.ray
def test_sigterm_while_rays_core_starts_which_takes_it_over(tmp_path: Path) -> None:
    config = tmp_path / "always.yaml"
    config.write_text("workers: 2\noffload: always\n")
    process = _search(tmp_path, "--config", str(config))
    log = f"parsearch-{process.pid}-*/session_*/logs/python-core-driver-*"
    _wait_for(lambda: list(Path("/tmp").glob(log)))
    out, alive = _interrupt(process, signal.SIGTERM)
    assert process.returncode == 143
    assert alive == []
    assert not json.loads(out)["complete"]
    assert not list(Path("/tmp").glob(f"parsearch-{process.pid}-*"))


def test_a_signal_ends_a_game_against_a_person() -> None:
    process = subprocess.Popen(
        [*PARSEARCH, "play", "connect4"], env=ENVIRONMENT, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert process.stdout is not None
    assert process.stdout.readline().startswith(b"connect4: you are player 0")
    _, alive = _interrupt(process, signal.SIGTERM)
    assert process.returncode == 143
    assert alive == []
