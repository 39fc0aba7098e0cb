"""What the tasks of one search say about its workers. Times in seconds since the search began."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence

from parsearch.core.result import TaskRun


def idle_share(tasks: Sequence[TaskRun], workers: int, seconds: float) -> float:
    """1 - B / (P T): the share of the workers' time in which they search nothing; B: seconds inside tasks, summed.

    It counts waiting for a task, for its transport and for the others at the end: Marsland & Campbell's
    synchronisation and communication overhead together (1982, "Parallel search of strongly ordered game trees").
    """
    return 1 - sum(busy_seconds(tasks).values()) / (workers * seconds)


def communication_share(tasks: Sequence[TaskRun], workers: int, seconds: float) -> float:
    """The share of the workers' time in which they search nothing while a task or a result of theirs is under way.

    The rest of the idle share is starvation: nothing was sent. Processes that Ray uses in turn for one worker count
    together: never more wait than there are workers that search nothing. Source: the communication overhead of Marsland
    & Campbell 1982, told from a task's four times.
    """
    changes: list[tuple[float, int, int]] = []  # at a time: of the processes that a task is under way for or in
    for runs in _by_worker(tasks).values():
        for start, end in _union((run.sent, run.received) for run in runs):
            changes += (start, 1, 0), (end, -1, 0)
        for start, end in _union((run.started, run.ended) for run in runs):
            changes += (start, 0, 1), (end, 0, -1)
    waiting = before = 0.0
    engaged = searching = 0
    for time, engages, searches in sorted(changes):
        waiting += (time - before) * (min(engaged, workers) - min(searching, workers))
        before, engaged, searching = time, engaged + engages, searching + searches
    return waiting / (workers * seconds)


def busy_seconds(tasks: Sequence[TaskRun]) -> dict[str, float]:
    """The seconds that each worker spent inside tasks."""
    return {
        worker: _covered((run.started, run.ended) for run in runs) for worker, runs in sorted(_by_worker(tasks).items())
    }


def worker_rate(tasks: Sequence[TaskRun]) -> float:
    """Nodes a second of a worker while it is busy, over all workers: below the sequential rate where they compete
    for memory or cores."""
    return sum(run.nodes for run in tasks) / sum(busy_seconds(tasks).values())


def critical_path(tasks: Sequence[TaskRun]) -> float:
    """T_inf: the longest chain of tasks each of which was sent only when the one before had come back, in seconds.

    Every dependency between tasks is such a pair, so the search's own critical path is no longer than this; with
    fewer workers than the tasks could use, chains that only waited for a worker count too. So B / T_inf bounds the
    speedup of this schedule, and is read best from a run with more workers than it can use.
    Source: Brent 1974, "The parallel evaluation of general arithmetic expressions", J. ACM 21 (2): T_P >= T_inf.
    """
    received: list[float] = []
    longest: list[float] = []  # of the chains whose last task had come back by then
    finished = sorted(tasks, key=lambda run: run.received)
    for run in finished:
        before = bisect_right(received, run.sent)
        chain = (longest[before - 1] if before else 0.0) + run.ended - run.started
        received.append(run.received)
        longest.append(max(chain, longest[-1] if longest else 0.0))
    return longest[-1]


def _by_worker(tasks: Sequence[TaskRun]) -> dict[str, list[TaskRun]]:
    workers: dict[str, list[TaskRun]] = {}
    for run in tasks:
        workers.setdefault(run.worker, []).append(run)
    return workers


def _covered(intervals: Iterable[tuple[float, float]]) -> float:
    """The length of their union: a worker that holds two tasks at once is busy once."""
    return sum(end - start for start, end in _union(intervals))


def _union(intervals: Iterable[tuple[float, float]]) -> list[tuple[float, float]]:
    """Their union, as intervals that do not overlap."""
    union: list[tuple[float, float]] = []
    for start, end in sorted(intervals):
        if union and start <= union[-1][1]:
            union[-1] = union[-1][0], max(union[-1][1], end)
        else:
            union.append((start, end))
    return union
