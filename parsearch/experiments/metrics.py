"""The figures by which parallel searches are judged. Times in seconds, shares and overheads as fractions of 1."""

from __future__ import annotations

from collections.abc import Sequence


def speedup(sequential: float, parallel: float) -> float:
    """S = T_1 / T_P: how many times as fast the parallel search reaches the same depth.

    T_1 is the time of the best sequential algorithm, not of the parallel program on one worker.
    Source: Kumar, Grama, Gupta, Karypis 1994, "Introduction to Parallel Computing", section 4.1.
    """
    return sequential / parallel


def efficiency(speedup: float, workers: int) -> float:
    """E = S / P: the share of P workers that the speedup makes use of. Source: Kumar et al. 1994, section 4.1."""
    return speedup / workers


def search_overhead(nodes: float, sequential_nodes: float) -> float:
    """N_P / N_1 - 1: the additional nodes that the parallel search visits, over all workers.

    Negative where it visits fewer. Source: Marsland & Campbell 1982, "Parallel search of strongly ordered game trees".
    """
    return nodes / sequential_nodes - 1


def idle_share(busy: float, workers: int, seconds: float) -> float:
    """1 - B / (P T): the share of the workers' time in which they search nothing.

    busy: seconds spent inside tasks, summed over the workers. It counts waiting for a task, for its transport
    and for the others at the end: Marsland & Campbell's synchronisation and communication overhead together.
    """
    return 1 - busy / (workers * seconds)


def karp_flatt(speedup: float, workers: int) -> float:
    """e = (1/S - 1/P) / (1 - 1/P): the serial fraction that would explain the speedup; for P > 1.

    Constant in P where serial work is the limit, rising where overhead is; negative where the speedup is
    more than P. Source: Karp & Flatt 1990, "Measuring parallel processor performance", CACM 33 (5).
    """
    return (1 / speedup - 1 / workers) / (1 - 1 / workers)


def graham_interval(task_seconds: Sequence[float], workers: int) -> tuple[float, float]:
    """The shortest and the longest that independent tasks can take when no worker idles while one is waiting.

    max(sum t / P, max t) <= T_P <= sum t / P + (1 - 1/P) max t, in whatever order they are handed out.
    Source: Graham 1969, "Bounds on multiprocessing timing anomalies", SIAM J. Appl. Math. 17 (2).
    """
    share, longest = sum(task_seconds) / workers, max(task_seconds)
    return max(share, longest), share + (1 - 1 / workers) * longest
