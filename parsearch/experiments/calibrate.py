"""Measures what a search costs on this machine, so that a simulated one costs the same."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from itertools import pairwise
from pathlib import Path
from statistics import mean, median, quantiles

import numpy as np

from parsearch.config import BackendConfig, ExperimentConfig, SearchesConfig, load_config
from parsearch.core.result import TaskRun
from parsearch.experiments.calibration import Calibration, Rate
from parsearch.experiments.machine import machine_facts, machine_text, versions
from parsearch.experiments.plan import Question, Search, read_searches
from parsearch.experiments.runners import warm_up_search
from parsearch.experiments.timeline import busy_seconds
from parsearch.games.registry import load_game
from parsearch.native.table import Table
from parsearch.parallel.coordinator import Coordinator
from parsearch.parallel.cores import usable_cores

RATE_SECONDS = 3.0
"""CPU seconds after which no further position is searched for a rate."""

RATE_REPEATS = 2
"""Searches of each position, of which the quicker counts: other programs only ever add."""

CROWD_REPEATS = 3
"""Of which the median counts: other programs slow down a crowd and those who are alone."""

ROUND_TRIPS = 60
"""Searches whose tasks are timed; the lower quartile is taken, since other programs only ever add."""

PROBED_MEBIBYTES = 256
PROBES = 1 << 20

USUAL = (
    SearchesConfig(game="connect4", suite="connect4"),
    SearchesConfig(game="othello", suite="othello"),
    SearchesConfig(game="chess", suite="chess", depths=[9]),
    SearchesConfig(game="connect4", suite="connect4", algorithms=["minimax"], depths=[10]),
)
"""What is calibrated where no experiment is named: enough for those that ship."""

ALONE = BackendConfig(kind="ray", workers=[1])


def calibrate(
    configs: Sequence[Path] = (), address: str | None = None, show: Callable[[str], None] | None = None
) -> Calibration:
    """Measure this machine, or the cluster at `address`, for the searches of some experiments.

    Only the table, of which no simulation reads, is that of this machine in both cases. show: called with what is
    measured next. Raises InputErrors for what is wrong with a config, WorkerError where Ray cannot be used.
    """
    tell = show or (lambda _: None)
    searches = [Search(wanted, Path()) for wanted in USUAL if not configs]
    for path in configs:
        searches += read_searches(load_config(path, ExperimentConfig), path.resolve().parent)
    kinds: dict[tuple[str, bool, tuple[str, ...]], list[Question]] = {}
    for search in searches:
        for question in search.questions(ALONE, repeats=1):
            kinds.setdefault((question.game_text, question.depth is None, question.rivals), []).append(question)
    rates = [rate for questions in kinds.values() for rate in _rates(questions, address, tell)]
    tell("task and round trip")
    send_seconds, latency_seconds = _task_costs(address)
    tell("table")
    here = machine_text(machine_facts(), versions())
    return Calibration(
        machine=here if address is None else f"Ray at {address}, from {here}",
        rates=rates,
        send_seconds=send_seconds,
        latency_seconds=latency_seconds,
        table_probe_seconds=_probe_seconds(),
    )


def _rates(questions: Sequence[Question], address: str | None, tell: Callable[[str], None]) -> list[Rate]:
    """Nodes a second, of this process in CPU time or of one worker of a cluster; the algorithms take turns, so that a
    disturbance hits all of them."""
    first = questions[0]
    nodes = dict.fromkeys(first.rivals, 0)
    seconds = dict.fromkeys(first.rivals, 0.0)
    with Coordinator(workers=0) if address is None else Coordinator(1, address, offload="always") as coordinator:
        state, limits = warm_up_search(first)
        for name in first.rivals:
            coordinator.search(first.game, state, algorithm=name, limits=limits, table=first.table)
        for question in questions:
            tell(f"rates on {question.game_text} at {question.state_text!r}")
            turns = [{name: _timed(coordinator, question, name) for name in first.rivals} for _ in range(RATE_REPEATS)]
            for name in first.rivals:
                quickest = min(turn[name] for turn in turns)
                seconds[name] += quickest[0]
                nodes[name] += quickest[1]
            if min(seconds.values()) > RATE_SECONDS:
                break
    rates = {name: nodes[name] / seconds[name] for name in first.rivals}
    tell(f"rates on {first.game_text}, as many searches at once as there are cores")
    crowded = _crowded(first, address)
    return [
        Rate(
            game=first.game_text,
            algorithm=name,
            solving=first.depth is None,
            # Those that visit the same nodes are the same search, and a difference is a disturbance.
            nodes_per_second=max(rates[other] for other in first.rivals if nodes[other] == nodes[name]),
            crowded=crowded,
        )
        for name in first.rivals
    ]


def _crowded(question: Question, address: str | None) -> float:
    """The rate of a search while one searches on each core, as a share of its rate alone: the same workers, one after
    the other and all at once."""
    cores, where, name = usable_cores(), address or "local", question.rivals[0]
    state, limits = warm_up_search(question)
    with ExitStack() as stack:
        stack.enter_context(Coordinator(cores, where, offload="always")).start()  # a Ray that has room for all
        crowd = [stack.enter_context(Coordinator(1, where, offload="always")) for _ in range(cores)]
        for coordinator in crowd:
            coordinator.start()
            coordinator.search(question.game, state, algorithm=name, limits=limits, table=question.table)
        alone, together = list[float](), list[float]()
        for _ in range(CROWD_REPEATS):
            for at_once, rates in ((1, alone), (cores, together)):
                with ThreadPoolExecutor(at_once) as pool:
                    timed = pool.map(lambda coordinator: _timed(coordinator, question, name), crowd)
                rates.append(mean(nodes / seconds for seconds, nodes in timed))
    return min(1.0, median(together) / median(alone))


def _timed(coordinator: Coordinator, question: Question, algorithm: str) -> tuple[float, int]:
    """Seconds and nodes of a search: those of its tasks where there are any, else CPU time."""
    before = time.process_time()
    result = coordinator.search(
        question.game, question.state, algorithm=algorithm, limits=question.limits, table=question.table
    )
    if result.timeline:
        return sum(busy_seconds(result.timeline).values()), sum(run.nodes for run in result.timeline)
    return time.process_time() - before, result.nodes


def _task_costs(address: str | None) -> tuple[float, float]:
    """Seconds to send a task, and of a message one way: from searches that are nothing but two tasks."""
    game = load_game("tree")
    state = game.parse_state("[[1],[2]]")
    with Coordinator(2, address or "local", offload="always") as coordinator:
        coordinator.start()
        timelines = [coordinator.search(game, state, algorithm="minimax").timeline for _ in range(ROUND_TRIPS + 1)]
    return _costs(timelines[1:])  # the first one pays for the workers' first look at the game


def _costs(timelines: Sequence[Sequence[TaskRun]]) -> tuple[float, float]:
    sends = [later - earlier for runs in timelines for earlier, later in pairwise(sorted(run.sent for run in runs))]
    messages = [run.received - run.sent - (run.ended - run.started) for runs in timelines for run in runs]
    return quantiles(sends)[0], quantiles(messages)[0] / 2


def _probe_seconds() -> float:
    """One random access to a large table, of many that do not wait for each other."""
    words = Table(PROBED_MEBIBYTES).words
    words += 1  # the memory must be there before it is timed
    indices = np.random.default_rng(0).integers(words.size, size=PROBES)
    times = []
    for _ in range(5):
        before = time.process_time()
        words[indices].sum()
        times.append(time.process_time() - before)
    return median(times) / PROBES
