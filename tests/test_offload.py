"""Promise 3: a search that does not pay stays in the calling process, one that pays goes out without losing work."""

from __future__ import annotations

import subprocess
import sys

import pytest

from backends import ShuffledWorkers, search_shuffled
from parsearch import Coordinator, InputError, Limits, load_game, search
from parsearch.parallel import offload
from parsearch.parallel.offload import Offload
from parsearch.parallel.workers import RayWorkers
from plain import PlainConnect4

CONNECT4 = PlainConnect4()


class Clock:
    """A clock that the test moves."""

    now = 0.0

    def monotonic(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(offload, "time", clock)
    return clock


class Situation:
    """An Offload and everything that it asks about."""

    def __init__(self, workers: int = 2, start_cost: float = 4.0) -> None:
        self.up, self.begun, self.work, self.divisible = False, 0, 100.0, True
        self.offload = Offload(
            workers, lambda: self.up, self.begin, lambda: self.work, lambda: self.divisible, start_cost
        )

    def begin(self) -> None:
        self.begun += 1


def test_workers_are_started_for_a_long_search_only(clock: Clock) -> None:
    situation = Situation()
    clock.now = 0.5
    assert not situation.offload.due()
    assert situation.begun == 0  # too early to tell
    clock.now = 2.0
    situation.work = 7.0  # two workers would save 3.5 s of it, less than the start takes
    assert not situation.offload.due()
    assert situation.begun == 0
    clock.now = 2.1
    situation.work = 9.0
    assert not situation.offload.due()  # they are on their way, and the search goes on here
    assert situation.begun == 1


def test_work_goes_out_once_workers_are_up_and_it_can_be_shared(clock: Clock) -> None:
    situation = Situation()
    situation.up = True
    clock.now = 0.019
    assert not situation.offload.due()  # what ends in the first 20 ms never pays
    clock.now = 0.1
    situation.divisible = False
    assert not situation.offload.due()
    clock.now = 0.2
    situation.divisible = True
    assert situation.offload.due()
    situation.work = 0.0
    assert situation.offload.due()  # for good


def test_many_searches_together_are_worth_a_start_that_none_is_alone() -> None:
    workers = RayWorkers(2, None, {})
    before = workers.start_cost
    workers.missed += 1.5
    if "ray" not in sys.modules or not sys.modules["ray"].is_initialized():
        assert workers.start_cost == before - 1.5
    workers.missed += 100
    assert workers.start_cost == offload.SEND_COST


def test_one_worker_is_never_worth_it(clock: Clock) -> None:
    situation = Situation(workers=1)
    situation.up = True
    clock.now = 50.0
    assert not situation.offload.due()
    assert situation.begun == 0
    assert situation.offload.missed() == 0


@pytest.mark.parametrize("algorithm", ["minimax", "alphabeta", "pvs"])
def test_a_search_that_goes_out_halfway_loses_nothing(algorithm: str) -> None:
    workers = ShuffledWorkers(3)
    limits, state = Limits(depth=6 if algorithm == "minimax" else 9), CONNECT4.parse_state("44")
    result = search_shuffled(CONNECT4, state, workers, algorithm, limits, always=False)
    alone = search(CONNECT4, state, algorithm=algorithm, limits=limits, workers=0)
    assert workers.backends == 1
    assert (result.value, result.move) == (alone.value, alone.move)
    assert [entry.value for entry in result.root_moves] == [entry.value for entry in alone.root_moves]


def test_a_small_search_never_asks_for_workers() -> None:
    workers = ShuffledWorkers(3, delay=10**9)
    game = load_game("tictactoe")
    result = search_shuffled(game, game.parse_state("XX-OO----"), workers, always=False)
    assert (result.value, workers.begun, workers.backends) == (1, 0, 0)


def test_the_coordinator_keeps_a_small_search_at_home() -> None:
    code = (
        "import sys, parsearch\n"
        "game = parsearch.load_game('nim')\n"
        "result = parsearch.search(game, game.parse_state('1,2,3'), workers=2)\n"
        "assert result.value == -1\n"
        "assert not {'ray', 'numba', 'pydantic', 'typer', 'matplotlib'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


def test_the_address_of_a_client_server_is_refused_once_workers_are_needed() -> None:
    with Coordinator(address="ray://head:10001", offload="always") as coordinator:
        with pytest.raises(InputError, match=r"ray://head:10001 .* give host:port .* `ray job submit`"):
            coordinator.start()
        with pytest.raises(InputError, match="host:port"):
            coordinator.search(CONNECT4, limits=Limits(depth=2))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"workers": -1}, "workers.*-1"),
        ({"workers": 1.5}, "workers.*1.5"),
        ({"workers": True}, "workers.*True"),
        ({"offload": "never"}, "offload.*never"),
        ({"workers": 0, "offload": "always"}, "nowhere"),
    ],
)
def test_senseless_arguments_are_refused(arguments: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        Coordinator(**arguments)  # type: ignore[arg-type]
