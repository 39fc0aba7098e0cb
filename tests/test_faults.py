"""Promise 4: what goes wrong in a worker costs time or gives a clear error, never a wrong answer or a hang."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from parsearch import Coordinator, GameError, Limits, WorkerError, search
from plain import PlainConnect4 as Connect4
from plain import discs

pytestmark = pytest.mark.usefixtures("ray_cluster")


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
    assert (result.depth, result.complete, result.move) == (3, False, 4)
    assert coordinator.search(Connect4(), limits=Limits(depth=3)).complete  # the workers are free again


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


class Locked(Connect4):
    """Cannot be sent anywhere."""

    def __init__(self) -> None:
        super().__init__()
        self.lock = threading.Lock()


def test_a_game_that_cannot_be_sent_is_refused_with_the_remedy(coordinator: Coordinator) -> None:
    with pytest.raises(GameError, match=r"plain connect4 cannot be sent to workers.*locks"):
        coordinator.search(Locked(), limits=Limits(depth=2))


@pytest.mark.slow
def test_a_lost_node_costs_time_and_not_the_answer(ray_cluster: Any) -> None:
    node = ray_cluster.add_node(num_cpus=4)
    limits, state = Limits(depth=8), Connect4().parse_state("44")
    lost: list[bool] = []

    def lose(report: object) -> None:
        if not lost:
            lost.append(True)
            ray_cluster.remove_node(node, allow_graceful=False)

    with Coordinator(workers=8, offload="always") as coordinator:
        coordinator.start()
        result = coordinator.search(Connect4(), state, algorithm="minimax", limits=limits, progress=lose)
    alone = search(Connect4(), state, algorithm="alphabeta", limits=limits, workers=0)
    assert lost
    assert (result.value, result.move) == (alone.value, alone.move)
