"""A coordinator starts and stops a Ray of its own, takes games along from anywhere, and leaves nothing behind.

Each test runs a script of its own, because a process has one Ray only and the session's is already up.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.ray

GAME = """
    from __future__ import annotations
    import enum
    from dataclasses import dataclass
    from parsearch import Game
    import helper_rules

    class Take(enum.Enum):
        ONE = 1
        TWO = 2

    @dataclass(frozen=True)
    class Heap:
        left: int
        player: int

    class Heaps(Game):
        '''Take one or two; who takes the last wins. States, moves and errors are classes of this module.'''
        integer = True
        def initial_state(self): return Heap(20, 0)
        def to_move(self, state): return state.player
        def legal_moves(self, state): return [take for take in Take if take.value <= state.left]
        def play(self, state, move): return Heap(state.left - helper_rules.objects(move), 1 - state.player)
        def is_terminal(self, state): return state.left == 0
        def evaluate(self, state): return 0 if state.left else (-1 if state.player == 0 else 1)
        def max_plies(self, state): return state.left
        def format_move(self, state, move): return move.name
"""

ASK = """
    import json
    from parsearch import Coordinator
    def ask():
        game = Heaps()
        with Coordinator(workers=2, offload="always") as coordinator:
            results = [coordinator.search(game, Heap(17, 1), algorithm=a) for a in ("minimax", "alphabeta")]
        alone = Coordinator(workers=0).search(game, Heap(17, 1))
        assert all(type(r.move) is Take and r.pv[0] is r.move for r in results)
        assert {e.worker for r in results for e in r.root_moves}.isdisjoint(e.worker for e in alone.root_moves)
        print(json.dumps([[r.value, r.move.name, len(r.pv)] for r in (*results, alone)]))
"""


def run(code: str, folder: Path, **variables: str) -> str:
    """The standard output of a script in a folder that only its driver knows."""
    script = folder / "script.py"
    script.write_text(textwrap.dedent(code))
    environment = os.environ | {"TMPDIR": str(folder / "t")} | variables
    (folder / "t").mkdir(exist_ok=True)
    elsewhere = folder / "elsewhere"  # workers start in the driver's folder and look there
    elsewhere.mkdir(exist_ok=True)
    done = subprocess.run(
        [sys.executable, str(script)], cwd=elsewhere, env=environment, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture
def short_path() -> Iterator[Path]:
    """Ray's sockets lie below it, whose paths may have 107 bytes: pytest's own folders take too many."""
    with tempfile.TemporaryDirectory(prefix="r", ignore_cleanup_errors=True) as folder:
        yield Path(folder)


@pytest.mark.parametrize("place", ["__main__", "module that only the driver can import"])
def test_a_users_game_from_anywhere_works_on_workers(place: str, short_path: Path) -> None:
    hidden = short_path / "hidden"
    hidden.mkdir()
    (hidden / "helper_rules.py").write_text("def objects(move): return move.value\n")
    find = f"import sys; sys.path.insert(0, {str(hidden)!r})\n"
    if place == "__main__":
        code = find + textwrap.dedent(GAME).replace("from __future__ import annotations\n", "")
        code += textwrap.dedent(ASK)
    else:
        (hidden / "my_game.py").write_text(textwrap.dedent(GAME))
        code = find + "from my_game import Heap, Heaps, Take\n" + textwrap.dedent(ASK)
    answers = json.loads(run(code + "if __name__ == '__main__': ask()\n", short_path))
    # 17 = 2 modulo 3: the mover wins by taking two and always leaving a multiple of three.
    assert [answer[:2] for answer in answers] == [[1, "TWO"]] * 3
    assert len({answer[2] for answer in answers}) == 1


def test_a_coordinator_that_is_closed_while_its_workers_start_starts_no_other_ray(short_path: Path) -> None:
    out = run(
        """
        import json, time
        import ray
        from parsearch import Coordinator
        from parsearch.parallel.ray_session import RaySession

        starts = []
        init = ray.init
        ray.init = lambda **options: starts.append(options) or init(**options)

        def warm(session):  # as long as workers take on a busy machine
            time.sleep(2)
            warmed.append(session._warm_up())

        if __name__ == "__main__":
            warmed = []
            RaySession._warm_up, RaySession._warm = RaySession._warm, warm
            session = RaySession(2, None, {})
            session.begin()
            while not session.workers:
                session.ready
                time.sleep(0.02)
            session.stop()
            print(json.dumps([len(warmed), len(starts), ray.is_initialized()]))
        """,
        short_path,
    )
    assert json.loads(out) == [1, 1, False]


def test_a_coordinator_leaves_nothing_of_its_own_ray(short_path: Path) -> None:
    out = run(
        """
        import json, os, signal, time
        from pathlib import Path
        import psutil
        from parsearch import Coordinator, Limits, load_game

        def handler(*_): pass

        def shared(): return set(os.listdir("/dev/shm"))

        if __name__ == "__main__":
            signal.signal(signal.SIGTERM, handler)
            interrupt, before = signal.getsignal(signal.SIGINT), shared()
            coordinator = Coordinator(workers=2, offload="always")
            for _ in range(2):  # it can be used again after it was closed
                with coordinator:
                    coordinator.start()
                    result = coordinator.search(load_game("connect4"), limits=Limits(depth=3))
                    during = len(psutil.Process().children(recursive=True))
                    (folder,) = Path("/tmp").glob(f"parsearch-{os.getpid()}-*")  # TMPDIR is too long for sockets
            assert signal.getsignal(signal.SIGTERM) is handler
            assert signal.getsignal(signal.SIGINT) is interrupt
            for _ in range(100):
                children = psutil.Process().children(recursive=True)
                if not children: break
                time.sleep(0.1)
            folders = [str(path) for path in Path("/tmp").glob(f"parsearch-{os.getpid()}-*")]
            print(json.dumps([result.move, during, [str(c) for c in children], folders, list(shared() - before)]))
        """,
        short_path,
    )
    move, during, children, folders, shared = json.loads(out)
    assert move == 4
    assert during > 2
    assert (children, folders, shared) == ([], [], [])


def test_an_initialised_ray_is_used_and_left_as_it_was(short_path: Path) -> None:
    run(
        """
        import ray
        from parsearch import Coordinator, Limits, WorkerError, load_game

        if __name__ == "__main__":
            ray.init(address="local", num_cpus=1, log_to_driver=False, logging_level="ERROR", include_dashboard=False)
            for _ in range(2):
                with Coordinator(workers=2, offload="always") as coordinator:
                    result = coordinator.search(load_game("connect4"), limits=Limits(depth=3))
                assert (result.move, result.workers) == (4, 1)
                assert ray.is_initialized()
            address = ray.get_runtime_context().gcs_address
            ray.shutdown()
            try:
                Coordinator(workers=1, address="127.0.0.1:1").start()
            except WorkerError as error:
                assert "127.0.0.1:1" in str(error) and "ray status" in str(error)
            else:
                raise AssertionError("nobody listens there")
        """,
        short_path,
    )


def test_a_cluster_is_joined_by_its_address(ray_cluster: Any, short_path: Path) -> None:
    code = """
        from parsearch import Coordinator, Limits, load_game

        if __name__ == "__main__":
            with Coordinator(offload="always", address=ADDRESS) as coordinator:
                result = coordinator.search(load_game("connect4"), limits=Limits(depth=3), algorithm="minimax")
            print(result.move, result.workers)
    """
    by_argument = run(code.replace("ADDRESS", repr(ray_cluster.address)), short_path)
    by_environment = run(code.replace("ADDRESS", "None"), short_path, RAY_ADDRESS=ray_cluster.address)
    assert by_argument == by_environment == "4 4\n"


def test_two_coordinators_share_a_ray_that_ends_with_the_last(short_path: Path) -> None:
    # RAY_ADDRESS leads nowhere: address="local" is the stronger word.
    out = run(
        """
        import ray
        from parsearch import Coordinator, Limits, load_game

        if __name__ == "__main__":
            first, second = (Coordinator(workers=2, address="local", offload="always") for _ in range(2))
            first.start()
            second.start()
            first.close()
            print(second.search(load_game("nim"), limits=Limits(depth=3)).move, ray.is_initialized())
            second.close()
            print(ray.is_initialized())
        """,
        short_path,
        RAY_ADDRESS="127.0.0.1:1",
    )
    assert out == "(0, 1) True\nFalse\n"
