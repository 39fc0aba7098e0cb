"""Promise 4: what goes wrong in a worker costs time or gives a clear error, never a wrong answer or a hang."""

from __future__ import annotations

import ctypes
import os
import random
import signal
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest
import ray
import ray.exceptions

from parsearch import Coordinator, GameError, Limits, WorkerError, search
from parsearch.games import load_game
from parsearch.parallel.task import Outcome
from plain import PlainConnect4 as Connect4
from plain import discs
from subtraction import Stuck
from watch import files, hosts, searching, struck, wait_until

pytestmark = pytest.mark.ray

COMPILED = load_game("connect4")
LONG = "21111767"
"""A position that takes workers a second or two."""


@pytest.fixture(scope="module", autouse=True)
def nothing_left(ray_cluster: Any) -> Iterator[None]:
    """However the tests end, their coordinators leave neither files nor actors nor tasks behind."""
    before = files()
    yield
    wait_until(lambda: hosts() == 0)
    wait_until(lambda: not searching(COMPILED.name) and not searching(Connect4().name))
    assert files() <= before


@pytest.fixture(scope="module")
def coordinator(ray_cluster: Any) -> Iterator[Coordinator]:
    with Coordinator(workers=2, offload="always") as coordinator:
        coordinator.start()
        yield coordinator


class HeldError(Exception):
    """An exception that cannot be pickled."""

    def __init__(self) -> None:
        super().__init__("held")
        self.lock = threading.Lock()


class DemandingError(Exception):
    """An exception that pickles and does not unpickle."""

    def __init__(self, first: str, second: str) -> None:
        super().__init__(f"{first} {second}")


class Raising(Connect4):
    """Raises in `evaluate` once there are three discs."""

    def __init__(self, kind: str) -> None:
        super().__init__()
        self.kind = kind

    def evaluate(self, state: Any) -> int:
        if discs(state) == 3:
            if self.kind == "held":
                raise HeldError
            if self.kind == "demanding":
                raise DemandingError("two", "words")
            raise ValueError("no idea")
        return super().evaluate(state)


@pytest.mark.parametrize("workers", [0, 2])
def test_what_a_game_raises_arrives_with_game_position_and_traceback(workers: int, coordinator: Coordinator) -> None:
    game = Raising("value")
    run = coordinator.search if workers else Coordinator(workers=0).search
    with pytest.raises(
        GameError, match=r"plain connect4 raised ValueError: no idea in evaluate at the position \'Discs"
    ) as caught:
        run(game, game.parse_state("4"), limits=Limits(depth=2))
    cause = caught.value.__cause__
    assert isinstance(cause, ValueError)
    if workers:
        assert 'raise ValueError("no idea")' in str(cause.__cause__)


@pytest.mark.parametrize(("kind", "name"), [("held", "HeldError: held"), ("demanding", "DemandingError: two words")])
def test_an_exception_that_cannot_travel_arrives_as_text(kind: str, name: str, coordinator: Coordinator) -> None:
    game = Raising(kind)
    with pytest.raises(GameError, match=name) as caught:
        coordinator.search(game, game.parse_state("4"), limits=Limits(depth=2))
    assert name in str(caught.value.__cause__)
    assert "in evaluate" in str(caught.value.__cause__)


class Deadly(Connect4):
    """Kills the worker that evaluates it: `times` in all, counted by files in a folder; for ever where None."""

    def __init__(self, folder: Path, times: int | None) -> None:
        super().__init__()
        self.folder, self.times, self.driver = folder, times, os.getpid()

    def evaluate(self, state: Any) -> int:
        if os.getpid() != self.driver:
            for number in range(self.times if self.times is not None else 10**9):
                try:
                    (self.folder / str(number)).touch(exist_ok=False)
                except FileExistsError:
                    continue
                os.kill(os.getpid(), signal.SIGKILL)
        return super().evaluate(state)


@pytest.mark.parametrize("algorithm", ["minimax", "alphabeta"])
def test_a_worker_that_dies_costs_time_and_not_the_answer(
    algorithm: str, coordinator: Coordinator, tmp_path: Path
) -> None:
    game, limits = Deadly(tmp_path, times=1), Limits(depth=4)
    result = coordinator.search(game, algorithm=algorithm, limits=limits)
    alone = search(Connect4(), algorithm=algorithm, limits=limits, workers=0)
    assert len(list(tmp_path.iterdir())) == 1
    assert (result.value, result.move, result.nodes) == (alone.value, alone.move, alone.nodes)


def test_a_worker_that_dies_again_names_the_root_move(coordinator: Coordinator, tmp_path: Path) -> None:
    game = Deadly(tmp_path, times=None)
    with pytest.raises(WorkerError, match=r"plain connect4.*searched 4 .*died 2 times.*position 'Discs\("):
        coordinator.search(game, game.parse_state("1"), limits=Limits(depth=2))
    assert search(Connect4(), limits=Limits(depth=2), workers=0).move == 4
    assert coordinator.search(Connect4(), limits=Limits(depth=2)).move == 4  # and the workers are there again


@pytest.mark.parametrize("workers", [2, 3])
def test_a_crew_that_is_killed_costs_time_and_not_the_answer(workers: int, ray_cluster: Any) -> None:
    state, others = COMPILED.parse_state(LONG), hosts()
    alone = search(COMPILED, state, workers=0)
    with Coordinator(workers=workers, offload="always") as coordinator:
        coordinator.start()
        with struck(COMPILED.name, psutil.Process.kill) as hit:
            result = coordinator.search(COMPILED, state)
        assert hit
        assert (result.value, result.move, result.complete) == (alone.value, alone.move, True)
        assert coordinator.search(COMPILED, limits=Limits(depth=5)).complete  # and the crew is there again
        assert hosts() - others == workers - 1  # two of a node's workers are one crew; a third is alone on its node


def test_a_crew_that_is_killed_again_and_again_names_the_position(ray_cluster: Any) -> None:
    state = COMPILED.parse_state("4")  # hours
    with Coordinator(workers=2, offload="always") as coordinator:
        coordinator.start()
        with (
            pytest.raises(WorkerError, match=r"connect4: the worker that searched .* died 2 times, position '4'"),
            struck(COMPILED.name, kill_twice),
        ):
            coordinator.search(COMPILED, state)


def kill_twice(process: psutil.Process) -> None:
    """Kill a crew, and the one that takes its place."""
    process.kill()
    wait_until(lambda: kill_another(process))


def kill_another(dead: psutil.Process) -> bool:
    """Kill the process that searches in place of a dead one; whether there was one."""
    others = [process for process in searching(COMPILED.name) if process.pid != dead.pid]
    for process in others:
        process.kill()
    return bool(others)


class Crashing(Connect4):
    """Reads from address 0 in every process but the driver's, as faulty extension code would."""

    def __init__(self) -> None:
        super().__init__()
        self.driver = os.getpid()

    def evaluate(self, state: Any) -> int:
        if os.getpid() != self.driver:
            ctypes.string_at(0)
        return super().evaluate(state)


def test_a_game_that_crashes_its_process_is_named_with_the_position(coordinator: Coordinator) -> None:
    game = Crashing()
    with pytest.raises(WorkerError, match=r"plain connect4.*searched 4 .*died 2 times.*position 'Discs\("):
        coordinator.search(game, game.parse_state("1"), limits=Limits(depth=2))
    assert coordinator.search(Connect4(), limits=Limits(depth=2)).move == 4


@pytest.mark.parametrize("times", [1, None])
def test_a_worker_out_of_memory_is_a_worker_that_dies(
    times: int | None, coordinator: Coordinator, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Ray kills the worker and reports it like this; slow tests have it really happen.
    left, get = [times if times is not None else 10**9], ray.get

    def killed(reference: Any, **asked: Any) -> Any:
        result = get(reference, **asked)
        if isinstance(result, Outcome) and left[0]:
            left[0] -= 1
            raise ray.exceptions.OutOfMemoryError("Task was killed due to the node running low on memory")
        return result

    monkeypatch.setattr(ray, "get", killed)
    limits = Limits(depth=3)
    if times is None:
        with pytest.raises(WorkerError, match=r"plain connect4.*died 2 times.*position 'Discs\("):
            coordinator.search(Connect4(), limits=limits)
    else:
        assert coordinator.search(Connect4(), limits=limits).move == search(Connect4(), limits=limits, workers=0).move
        assert left == [0]


class Endless(Connect4):
    """Loops for ever once there are four discs; refuses to be interrupted where `stubborn`."""

    def __init__(self, stubborn: bool) -> None:
        super().__init__()
        self.stubborn = stubborn

    def evaluate(self, state: Any) -> int:
        while discs(state) == 4:
            try:
                time.sleep(0.01)
            except KeyboardInterrupt:
                if not self.stubborn:
                    raise
        return super().evaluate(state)


@pytest.mark.parametrize("stubborn", [False, True])
def test_an_endless_game_ends_at_the_time_limit(stubborn: bool, coordinator: Coordinator) -> None:
    started = time.monotonic()
    result = coordinator.search(Endless(stubborn), limits=Limits(seconds=2))
    assert time.monotonic() - started < 20
    assert result.depth <= 3
    assert (result.complete, result.move) == (False, 4)
    assert coordinator.search(Connect4(), limits=Limits(depth=3)).complete  # the workers are free again


def test_compiled_rules_that_never_end_end_with_their_process(coordinator: Coordinator) -> None:
    actors = hosts()
    with struck("stuck", lambda process: None) as hit:
        result = coordinator.search(Stuck(), limits=Limits(seconds=10))
    assert hit
    assert (result.depth, result.complete, result.move) == (1, False, 1)
    wait_until(lambda: not psutil.pid_exists(hit[0]))
    assert coordinator.search(COMPILED, limits=Limits(depth=5)).complete  # there is another crew
    wait_until(lambda: hosts() == actors)


def test_the_callers_stop_reaches_tasks_on_workers(coordinator: Coordinator) -> None:
    started = time.monotonic()
    result = coordinator.search(
        Connect4(), algorithm="minimax", limits=Limits(depth=30), stop=lambda: time.monotonic() - started > 0.5
    )
    assert time.monotonic() - started < 20
    assert not result.complete
    assert result.move == 4
    if result.depth:
        assert result.value == search(Connect4(), limits=Limits(depth=result.depth), workers=0).value


class Interrupting(Connect4):
    """Sends the driver a Ctrl-C when a worker first evaluates."""

    def __init__(self) -> None:
        super().__init__()
        self.driver = os.getpid()

    def evaluate(self, state: Any) -> int:
        if os.getpid() != self.driver:
            os.kill(self.driver, signal.SIGINT)
            time.sleep(60)
        return super().evaluate(state)


def test_ctrl_c_in_the_callers_program_is_the_callers(coordinator: Coordinator) -> None:
    started = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        coordinator.search(Interrupting(), limits=Limits(depth=2))
    assert time.monotonic() - started < 30
    assert coordinator.search(Connect4(), limits=Limits(depth=3)).complete


class Importing(Connect4):
    """Imports in a method what only the driver has."""

    def evaluate(self, state: Any) -> int:
        import weights_of_the_driver  # type: ignore[import-not-found]

        return int(weights_of_the_driver.WEIGHT)


def test_a_module_that_workers_lack_is_named_with_the_remedy(
    coordinator: Coordinator, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "weights_of_the_driver.py").write_text("WEIGHT = 3")
    monkeypatch.syspath_prepend(tmp_path)
    assert search(Importing(), limits=Limits(depth=2), workers=0).value == 3
    with pytest.raises(GameError, match=r"No module named 'weights_of_the_driver' in evaluate .* import it at the top"):
        coordinator.search(Importing(), limits=Limits(depth=2))


class Locked(Connect4):
    """Cannot be sent anywhere."""

    def __init__(self) -> None:
        super().__init__()
        self.lock = threading.Lock()


def test_a_game_that_cannot_be_sent_is_refused_with_the_remedy(coordinator: Coordinator) -> None:
    with pytest.raises(GameError, match=r"plain connect4 cannot be sent to workers.*locks"):
        coordinator.search(Locked(), limits=Limits(depth=2))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("game", "text", "limits"), [(Connect4(), "44", Limits(depth=8)), (COMPILED, LONG, Limits())], ids=["plain", "crew"]
)
def test_a_lost_node_costs_time_and_not_the_answer(game: Any, text: str, limits: Limits, ray_cluster: Any) -> None:
    state = game.parse_state(text)
    node = ray_cluster.add_node(num_cpus=4)
    wait_until(lambda: ray.cluster_resources()["CPU"] == 8)
    raylet = node.all_processes["raylet"][0].process.pid

    def lose(process: psutil.Process) -> None:
        """Lose the node as soon as it searches, too."""
        wait_until(lambda: any(raylet in map(_pid, found.parents()) for found in searching(game.name)))
        ray_cluster.remove_node(node, allow_graceful=False)

    with Coordinator(workers=8, offload="always") as coordinator:
        coordinator.start()
        with struck(game.name, lose):
            result = coordinator.search(game, state, algorithm="minimax" if limits.depth else None, limits=limits)
    alone = search(game, state, algorithm="alphabeta", limits=limits, workers=0)
    assert (result.value, result.move, result.complete) == (alone.value, alone.move, alone.complete)


def _pid(process: psutil.Process) -> int:
    return process.pid


@pytest.mark.slow
@pytest.mark.parametrize("workers", [2, 3, 4])
def test_random_kills(workers: int, ray_cluster: Any) -> None:
    rng = random.Random(workers)
    plain, limits = Connect4(), Limits(depth=7)
    expected = search(COMPILED, COMPILED.parse_state(LONG), workers=0), search(plain, limits=limits, workers=0)

    for _ in range(5):
        with Coordinator(workers=workers, offload="always") as coordinator:
            coordinator.start()
            with struck(COMPILED.name, lambda process: _kill_later(COMPILED.name, rng)):
                crew = coordinator.search(COMPILED, COMPILED.parse_state(LONG))
            with struck(plain.name, lambda process: _kill_later(plain.name, rng)):
                several = coordinator.search(plain, limits=limits, algorithm="minimax")
        for result, alone in zip((crew, several), expected, strict=True):
            assert (result.value, result.move, result.depth) == (alone.value, alone.move, alone.depth)


def _kill_later(game: str, rng: random.Random) -> None:
    """Kill somebody who searches at a random moment within the next half second."""
    time.sleep(rng.uniform(0, 0.5))
    rng.choice(wait_until(lambda: searching(game))).kill()
