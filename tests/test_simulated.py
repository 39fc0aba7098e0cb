"""Why: figures for machines that nobody here has come from a simulation, so it must do exactly what a real one would:
the real search, schedules that can be worked out by hand, and the same thing every time."""

from __future__ import annotations

import math
import random
from collections import defaultdict
from dataclasses import replace
from itertools import pairwise
from typing import Any

import psutil
import pytest

from cases import AnyTurns, Node, random_node
from hashed_game import Hashed
from parsearch import InputError, Limits, SearchResult, load_game, search
from parsearch.core.window import Window
from parsearch.native.crew import Crew
from parsearch.parallel import top_tree
from parsearch.parallel.backend import Backend, SerialBackend
from parsearch.parallel.native_task import _table
from parsearch.parallel.simulated import simulate
from parsearch.parallel.simulated_backend import SimulatedBackend
from parsearch.parallel.task import Task
from parsearch.parallel.virtual_cluster import Failure, VirtualCluster

HASHED = Hashed()

RATE = 1000.0
FREE = VirtualCluster(rate=RATE, send_seconds=0.0, latency=0.0)
"""Sending and travelling cost nothing, so schedules can be worked out by hand."""

CLUSTERS = [
    VirtualCluster(1, 2),
    VirtualCluster(1, 8, jitter=0.5, seed=3),
    VirtualCluster(4, 2, jitter=1.0, speeds=(1.0, 0.3, 2.0)),
    VirtualCluster(3, 1, rate=1e4, latency=0.01),
]


def fan(sizes: list[int]) -> Node:
    """A position whose moves lead to subtrees of so many nodes each, some of equal value; the second is the best."""
    return Node(
        0,
        0,
        tuple(
            Node(0, -number % 3, (Node(0, -number % 3),) * (nodes - 1))  # a leaf, or a node with leaves only
            for number, nodes in enumerate(sizes)
        ),
    )


def run(sizes: list[int], cluster: VirtualCluster) -> SearchResult:
    """Search such a position, each move as one task of a known length."""
    result = simulate(AnyTurns(), fan(sizes), cluster, algorithm="minimax")
    assert (result.value, result.move) == (2, 1)
    return result


@pytest.mark.parametrize(
    ("sizes", "workers", "makespan"),
    [
        ([700] * 7, 2, 2800),  # seven equal moves on two workers cap at 1.75
        ([700] * 7, 7, 700),
        ([100, 200, 300, 400], 2, 500),
        ([500, 500, 400, 400, 300, 300, 300], 3, 1100),  # largest first at its worst: 900 would do (Graham 1969)
    ],
)
def test_makespans_known_by_hand(sizes: list[int], workers: int, makespan: int) -> None:
    result = run(sizes, replace(FREE, workers=workers))
    assert result.seconds == pytest.approx(makespan / RATE)
    assert result.nodes == 1 + sum(sizes)


@pytest.mark.parametrize("depth", [1, 2, 3, 9])
def test_compiled_subtrees_of_any_depth_are_split(depth: int) -> None:
    """Of none at all, where leaves follow the root, to beyond the end of the game."""
    state, limits = HASHED.initial_state(), Limits(depth=depth)
    alone = search(HASHED, state, algorithm="minimax", limits=limits, workers=0)
    for workers in (1, 2, 40):
        result = simulate(HASHED, state, VirtualCluster(1, workers), algorithm="minimax", limits=limits)
        assert (result.value, result.move, result.best_moves) == (alone.value, alone.move, alone.best_moves)


@pytest.mark.parametrize("workers", [1, 2, 3, 8])
@pytest.mark.parametrize("nodes", [1, 2])
def test_whoever_is_free_takes_the_next_task(workers: int, nodes: int) -> None:
    rng = random.Random(workers)
    for _ in range(10):
        sizes = [rng.randrange(1, 1000) for _ in range(rng.randrange(2, 20))]
        seconds = run(sizes, replace(FREE, nodes=nodes, workers=workers)).seconds * RATE
        free = [0] * (workers * nodes)
        for size in sorted(sizes, reverse=True):
            free[free.index(min(free))] += size
        share = sum(sizes) / len(free)
        assert max(share, max(sizes)) <= seconds * (1 + 1e-9)
        if nodes == 1:
            assert seconds == pytest.approx(max(free))
            assert seconds <= (share + (1 - 1 / workers) * max(sizes)) * (1 + 1e-9)  # Graham's, for list scheduling
        else:  # when a node has no task left, the other has one that runs and one that waits for each worker
            assert seconds <= (share + 2 * max(sizes)) * (1 + 1e-9)


def test_speeds_latency_and_sending_take_their_time() -> None:
    assert run([400, 400], replace(FREE, nodes=2, workers=1, speeds=(1.0, 0.5))).seconds == pytest.approx(0.8)
    assert run([400, 300], replace(FREE, nodes=2, workers=1, speeds=(0.5,))).seconds == pytest.approx(0.8)
    slow = replace(FREE, workers=1, send_seconds=0.01, latency=0.02)
    assert run([100, 100, 100], slow).seconds == pytest.approx(0.35)  # the next task is there when one ends
    assert run([20, 20, 20], slow).seconds == pytest.approx(0.14)  # the third is sent at 0.07, when the first is back
    assert run([100, 100], replace(slow, workers=2)).seconds == pytest.approx(0.16)  # sent one after the other


@pytest.mark.parametrize(
    ("failure", "cluster", "seconds"),
    [
        (Failure(0.1, 0, 0), replace(FREE, workers=2), 0.5),  # a worker that is replaced at once
        (Failure(0.1, 1), replace(FREE, nodes=2, workers=1), 0.8),  # a node whose task the other does after its own
        (Failure(0.1, 1), replace(FREE, nodes=2, workers=2), 0.5),
        (Failure(0.5, 1), replace(FREE, nodes=2, workers=1), 0.4),  # after the end
    ],
)
def test_what_is_lost_is_searched_again(failure: Failure, cluster: VirtualCluster, seconds: float) -> None:
    assert run([400, 400], replace(cluster, failures=(failure,))).seconds == pytest.approx(seconds)


@pytest.mark.parametrize("cluster", CLUSTERS)
def test_the_timeline_is_one_that_could_have_been(cluster: VirtualCluster) -> None:
    result = simulate(Hashed(), Hashed().initial_state(), cluster, limits=Limits(depth=8), table=1)
    lines = {Hashed().format_move(result.state, move) for move in (10, 20, 30, 40)}
    assert {run.line for run in result.timeline} <= ({"all moves"} if cluster.nodes == 1 else lines)
    assert result.nodes == 1 + sum(run.nodes for run in result.timeline)
    of_worker = defaultdict(list)
    for run_ in result.timeline:
        assert 0 <= run_.sent <= run_.started <= run_.ended <= run_.received <= result.seconds
        of_worker[run_.worker].append((run_.started, run_.ended))
    assert len(of_worker) <= cluster.nodes * cluster.workers
    for times in of_worker.values():
        assert all(before[1] <= after[0] + 1e-12 for before, after in pairwise(sorted(times)))


def made(form: str, rng: random.Random) -> tuple[Any, Any]:
    """A game and one of its positions: plain trees, or a compiled game."""
    if form == "trees":
        return AnyTurns(), random_node(rng, 6)
    game: Any = Hashed() if form == "hashed" else load_game(form)
    return game, game.initial_state()


@pytest.mark.parametrize("cluster", CLUSTERS)
@pytest.mark.parametrize(
    ("form", "algorithm"),
    [("trees", "alphabeta"), ("trees", "pvs"), ("hashed", "minimax"), ("hashed", "pvs"), ("mnk(4,3,3)", "alphabeta")],
)
def test_the_answer_is_that_of_the_calling_process(form: str, algorithm: str, cluster: VirtualCluster) -> None:
    for seed in range(5):
        game, state = made(form, random.Random(seed))
        if game.is_terminal(state):
            continue
        limits = Limits(depth=12 if form.startswith("mnk") else 8 - seed)
        alone = search(game, state, algorithm=algorithm, limits=limits, table=1, workers=0)
        result = simulate(game, state, cluster, algorithm=algorithm, limits=limits, table=1)
        assert (result.value, result.move, result.depth) == (alone.value, alone.move, alone.depth)


@pytest.mark.parametrize("text", ["3242234363353777", "1214243333445676", "11123225374454555"])
@pytest.mark.parametrize("cluster", [VirtualCluster(4, 8), VirtualCluster(2, 32)])
def test_searches_that_end_in_the_same_round(text: str, cluster: VirtualCluster) -> None:
    game = load_game("connect4")  # dozens search the same small tree, and what one ends gives another a new task
    state = game.parse_state(text)
    alone = search(game, state, table=1, workers=0)
    result = simulate(game, state, cluster, table=1)
    assert (result.value, result.move) == (alone.value, alone.move)


@pytest.mark.parametrize("cluster", CLUSTERS)
def test_the_answer_is_minimax_whatever_fails(cluster: VirtualCluster) -> None:
    for seed in range(10):
        rng = random.Random(seed)
        game, state = made("trees", rng)
        if game.is_terminal(state):
            continue
        alone = search(game, state, algorithm="minimax", workers=0)
        smooth = simulate(game, state, cluster, algorithm="minimax")
        nodes = [Failure(rng.uniform(0, smooth.seconds), node) for node in range(1, cluster.nodes)]
        workers = [Failure(rng.uniform(0, smooth.seconds), 0, rng.randrange(cluster.workers)) for _ in range(3)]
        shaken = simulate(game, state, replace(cluster, failures=(*nodes, *workers)), algorithm="minimax")
        assert (shaken.value, shaken.move, shaken.best_moves) == (alone.value, alone.move, alone.best_moves)


@pytest.mark.parametrize("cluster", CLUSTERS)
@pytest.mark.parametrize(
    ("form", "algorithm"),
    [("trees", "alphabeta"), ("trees", "pvs"), ("hashed", "alphabeta"), ("hashed", "pvs"), ("mnk(4,3,3)", "alphabeta")],
)
def test_the_answer_is_that_of_the_calling_process_whatever_fails(
    form: str, algorithm: str, cluster: VirtualCluster
) -> None:
    game, state = made(form, random.Random(7))
    limits = Limits(depth=12 if form.startswith("mnk") else 8)  # mnk to its end: null windows
    alone = search(game, state, algorithm=algorithm, limits=limits, table=1, workers=0)
    smooth = simulate(game, state, cluster, algorithm=algorithm, limits=limits, table=1)
    rng = random.Random(1)
    for number, hit in enumerate(rng.sample(smooth.timeline, min(6, len(smooth.timeline)))):
        node, worker = map(int, hit.worker.removeprefix("node").split(":"))
        # Dies while it searches, and with every other one its whole node, unless that is the only one left.
        first = Failure((hit.started + hit.ended) / 2, node, worker if number % 2 or node == 0 else None)
        later = Failure(rng.uniform(first.at, smooth.seconds), 0, rng.randrange(cluster.workers))
        shaken = simulate(
            game, state, replace(cluster, failures=(first, later)), algorithm=algorithm, limits=limits, table=1
        )
        assert (shaken.value, shaken.move, shaken.depth) == (alone.value, alone.move, alone.depth)
        assert shaken.timeline != smooth.timeline


@pytest.mark.parametrize("cluster", CLUSTERS)
def test_the_same_seed_gives_the_same_search(cluster: VirtualCluster) -> None:
    game = load_game("mnk(4,3,3)")
    first, again = (simulate(game, game.initial_state(), cluster, table=1) for _ in range(2))
    for part in ("value", "move", "pv", "nodes", "seconds"):
        assert getattr(first, part) == getattr(again, part)
    assert first.timeline == again.timeline


def test_a_simulated_split_knows_no_real_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    game = load_game("mnk(4,3,3)")
    cluster, limits = VirtualCluster(4, 2, rate=1e4), Limits(depth=5)
    first = simulate(game, game.initial_state(), cluster, algorithm="minimax", limits=limits)
    monkeypatch.setattr(top_tree, "MOST_SECONDS", 0.0)  # as on a machine too slow to guess at all
    again = simulate(game, game.initial_state(), cluster, algorithm="minimax", limits=limits)
    assert len(first.timeline) > 2 * len(game.legal_moves(game.initial_state()))
    assert first.timeline == again.timeline


def test_a_task_is_sent_begins_ends_and_is_received_in_this_order() -> None:
    # The coordinator is behind with its messages, as each takes it longer than most tasks take.
    game = load_game("connect4")
    cluster = VirtualCluster(8, 2, rate=1e5, latency=1e-3, send_seconds=2e-3)
    result = simulate(game, game.parse_state("2143547"), cluster, limits=Limits(depth=12), table=4)
    assert len(result.timeline) > 100
    for run in result.timeline:
        assert run.sent <= run.started <= run.ended <= run.received


@pytest.mark.parametrize(("rate", "nodes"), [(1e4, {"node0", "node1"}), (1e9, {"node0"})])
def test_an_iteration_after_a_short_one_stays_on_one_node(rate: float, nodes: set[str]) -> None:
    game, limits = load_game("mnk(4,3,3)"), Limits(depth=8, nodes=10**9)  # which deepens
    result = simulate(game, game.initial_state(), VirtualCluster(2, 2, rate=rate), limits=limits, table=1)
    assert result.timeline[0].line == "all moves"
    assert {run.worker.partition(":")[0] for run in result.timeline} == nodes
    assert result.value == search(game, game.initial_state(), limits=limits, workers=0).value


@pytest.mark.parametrize("form", ["trees", "hashed", pytest.param("mnk(4,3,3)", marks=pytest.mark.slow)])
@pytest.mark.parametrize("algorithm", ["alphabeta", "pvs"])
def test_one_worker_does_what_the_calling_process_does(
    form: str, algorithm: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[tuple[tuple[int, ...], Window]] = []

    def record(backend: type[Backend]) -> None:
        submit = backend.submit

        def recorded(self: Backend, task: Task) -> None:
            asked.append((task.path, task.window))
            submit(self, task)

        monkeypatch.setattr(backend, "submit", recorded)

    record(SerialBackend)
    record(SimulatedBackend)
    game, state = made(form, random.Random(7))
    for limits in (Limits(), Limits(depth=8, nodes=10**9)):  # at once, and deepening
        _table.cache_clear()  # as empty as the virtual node's
        asked.clear()
        alone = search(game, state, algorithm=algorithm, limits=limits, table=1, workers=0)
        serial = asked.copy()
        asked.clear()
        result = simulate(game, state, VirtualCluster(1, 1), algorithm=algorithm, limits=limits, table=1)
        assert serial
        assert asked == serial
        assert (result.nodes, result.depth) == (alone.nodes, alone.depth)
        assert (result.value, result.move, result.pv) == (alone.value, alone.move, alone.pv)


def test_a_thousand_workers_take_bounded_memory() -> None:
    game, process = load_game("connect4(5,4)"), psutil.Process()
    state = game.parse_state("33")
    alone = search(game, state, workers=0)
    before = process.memory_info().rss
    for _ in range(2):
        result = simulate(game, state, VirtualCluster(128, 8), table=1)
        assert result.value == alone.value
        assert process.memory_info().rss - before < 512 * 2**20  # 128 tables and some 0.1 MiB a worker


@pytest.mark.parametrize("error", [KeyboardInterrupt, MemoryError])
@pytest.mark.parametrize("starts", [0, 1])
def test_what_interrupts_a_step_is_what_comes_out(
    monkeypatch: pytest.MonkeyPatch, error: type[BaseException], starts: int
) -> None:
    """Half of what was under way is then done, and to end it in order would raise something else."""
    start, left = Crew.start, starts

    def interrupted(*arguments: Any) -> Any:
        nonlocal left
        if left == 0:
            raise error
        left -= 1
        return start(*arguments)

    monkeypatch.setattr(Crew, "start", interrupted)
    game = load_game("tictactoe")
    with pytest.raises(error):
        simulate(game, game.initial_state(), VirtualCluster(1, 2))


def test_an_interrupted_plain_search_is_what_comes_out() -> None:
    class Interrupted(AnyTurns):
        left = 500

        def evaluate(self, state: Any) -> Any:
            self.left -= 1
            if self.left == 0:
                raise KeyboardInterrupt
            return super().evaluate(state)

    with pytest.raises(KeyboardInterrupt):
        simulate(Interrupted(), fan([400] * 4), FREE, algorithm="minimax")


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"nodes": 0}, "nodes must be a whole number from 1 to 16384, not 0"),
        ({"nodes": 1.5}, "nodes must be a whole number"),
        ({"workers": "2"}, "workers must be a whole number from 1 to 16384, not '2'"),
        ({"nodes": 64, "workers": 1024}, "workers must be a whole number from 1 to 256, not 1024"),
        ({"workers": True}, "workers must be"),
        ({"rate": 0.0}, "rate must be a number from 0.001 to 1e+12, not 0.0"),
        ({"rate": math.nan}, "rate must be"),
        ({"rate": math.inf}, "rate must be"),
        ({"rate": "fast"}, "rate must be"),
        ({"speeds": (1.0, 1.0)}, "no use for 2 speeds"),
        ({"speeds": (0.0,)}, "speeds must be"),
        ({"speeds": (math.inf,)}, "speeds must be"),
        ({"send_seconds": 1e308}, "send_seconds must be a number from 0 to 10"),
        ({"latency": -1.0}, "latency must be"),
        ({"latency": math.nan}, "latency must be"),
        ({"jitter": 2.0}, "jitter must be a number from 0 to 1"),
        ({"failures": (Failure(0.0, 1),)}, "failing node must be a whole number from 0 to 0, not 1"),
        ({"failures": (Failure(0.0, 0, 2),)}, "failing worker must be a whole number from 0 to 1, not 2"),
        ({"failures": (Failure(math.nan, 0),)}, "moment of failure must be"),
        ({"seed": -1}, "seed must be"),
    ],
)
def test_senseless_clusters_are_refused(wrong: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError) as caught:
        VirtualCluster(**wrong)
    assert str(caught.value).startswith("a virtual cluster")
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)
