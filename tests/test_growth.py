"""Why: programs search for days. One search after another, and one coordinator after another, take no more than the
first: in memory, open files, threads and processes, of the driver and of its workers."""

from __future__ import annotations

import json
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

pytestmark = [pytest.mark.ray, pytest.mark.slow, pytest.mark.timeout(1800)]

MEBIBYTES = 32
"""That a process may vary by; a table or a game kept for each search would be many times that."""

FILES = 22
"""That the driver may have more open in the end: Ray itself forgets a socket at each `ray.shutdown` (2.60)."""

SIZES = """
    import json, threading
    import psutil
    from parsearch import Coordinator, Limits, load_game

    class Countdown(type(load_game("nim"))):
        '''A plain game that travels by value.'''

    def sizes():
        me = psutil.Process()
        children = me.children(recursive=True)
        workers = [child for child in children if child.cmdline()[0].startswith("ray::")]
        return {
            "memory": me.memory_info().rss >> 20,
            "files": me.num_fds(),
            "threads": threading.active_count(),
            "processes": len(children),
            "memory of workers": sum(worker.memory_info().rss for worker in workers) >> 20,
            "files of workers": sum(worker.num_fds() for worker in workers),
        }

    def search(coordinator):
        game = load_game("connect4")
        coordinator.search(game, game.parse_state("44444326351"), table=16)
        coordinator.search(Countdown(), limits=Limits(depth=3))
"""


def run(code: str, folder: Path) -> tuple[dict[str, int], dict[str, int]]:
    """What a script says that it takes, early and in the end."""
    script = folder / "script.py"
    script.write_text(textwrap.dedent(SIZES) + textwrap.dedent(code))
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, timeout=1700)
    assert done.returncode == 0, done.stderr
    early, late = map(json.loads, done.stdout.splitlines())
    assert early["memory"] > 0
    return early, late


def test_fifty_searches_in_a_row(tmp_path: Path) -> None:
    early, late = run(
        """
        if __name__ == "__main__":
            with Coordinator(workers=2, offload="always") as coordinator:
                for number in range(1, 61):
                    search(coordinator)
                    if number in (10, 60):
                        print(json.dumps(sizes()))
        """,
        tmp_path,
    )
    for what, size in early.items():
        assert late[what] <= size + (MEBIBYTES if what.startswith("memory") else 2), what


def test_twenty_coordinators_one_after_another(tmp_path: Path) -> None:
    early, late = run(
        """
        if __name__ == "__main__":
            for number in range(1, 24):
                with Coordinator(workers=2, offload="always") as coordinator:
                    search(coordinator)
                if number in (3, 23):
                    print(json.dumps(sizes()))
        """,
        tmp_path,
    )
    assert late["memory"] <= early["memory"] + MEBIBYTES
    assert late["files"] <= early["files"] + FILES
    assert (late["threads"], late["processes"]) == (early["threads"], 0)
