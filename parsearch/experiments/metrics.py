"""The figures by which parallel searches are judged. Times in seconds, shares and overheads as fractions of 1."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence


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


def scaling(rate: float, sequential_rate: float) -> float:
    """How many times as many nodes a second all workers visit together: speedup without regard to search overhead.

    S = scaling / (1 + search overhead), where the nodes cost the same.
    Source: Marsland & Campbell 1982; "NPS speedup" of Hyatt 1997, "The dynamic tree-splitting parallel search", ICGA J.
    """
    return rate / sequential_rate


def minimal_leaves(branching: float, depth: int) -> float:
    """b^ceil(d/2) + b^floor(d/2) - 1: the leaves that every algorithm visits that proves a uniform tree's value.

    Source: Knuth & Moore 1975, "An analysis of alpha-beta pruning", Artificial Intelligence 6, corollary to theorem 1.
    """
    return branching ** ((depth + 1) // 2) + branching ** (depth // 2) - 1


def minimal_nodes(branching: float, depth: int) -> float:
    """The nodes of that minimal tree: on each ply down to the depth as many as a tree of that depth has leaves.

    Source: as `minimal_leaves`; the minimal tree of a uniform tree, cut off at any ply, is minimal there.
    """
    return sum(minimal_leaves(branching, ply) for ply in range(depth + 1))


def effective_branching(nodes: float, depth: int) -> float:
    """The b of the uniform tree of that depth with as many nodes: 1 + b + ... + b^d = N, for N >= d + 1.

    Source: Nilsson 1971, "Problem-solving methods in artificial intelligence", section 3-11 (effective branching
    factor). Found by bisection.
    """
    low, high = 1.0, nodes
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (low, middle) if _full_tree(middle, depth) > nodes else (middle, high)
    return low


def _full_tree(branching: float, depth: int) -> float:
    return sum(branching**ply for ply in range(depth + 1))


def minimal_tree_ratio(nodes: float, full_nodes: float, depth: int) -> float:
    """N / N_min: nodes visited against those of the minimal tree, 1 for perfect move order; below 1 with a table.

    full_nodes: what plain minimax visits to the same depth; they give the b of a uniform tree that stands for the
    game's own. Source: Knuth & Moore 1975; Marsland & Campbell 1982 judge move ordering by it.
    """
    return nodes / minimal_nodes(effective_branching(full_nodes, depth), depth)


def amdahl_fraction(speedups: Mapping[int, float]) -> float:
    """The serial fraction f of S = 1 / (f + (1 - f) / P) that fits speedups by number of workers best; for some P > 1.

    Least squares of 1/S - 1/P = f (1 - 1/P), which is linear in f; a single point gives Karp & Flatt's fraction.
    Source: Amdahl 1967, "Validity of the single processor approach", AFIPS 30.
    """
    points = [(1 - 1 / workers, 1 / speedup - 1 / workers) for workers, speedup in speedups.items()]
    return _slope(points)


def amdahl_speedup(fraction: float, workers: float) -> float:
    """S = 1 / (f + (1 - f) / P). Source: Amdahl 1967."""
    return 1 / (fraction + (1 - fraction) / workers)


def gustafson_fraction(speedups: Mapping[int, float]) -> float:
    """The serial fraction s of S = P - s (P - 1) that fits scaled speedups best, where work grows with workers; P > 1.

    Least squares of P - S = s (P - 1). Source: Gustafson 1988, "Reevaluating Amdahl's law", CACM 31 (5).
    """
    return _slope([(workers - 1, workers - speedup) for workers, speedup in speedups.items()])


def _slope(points: Sequence[tuple[float, float]]) -> float:
    """Of the line through the origin with the least squares of y."""
    return sum(x * y for x, y in points) / sum(x * x for x, _ in points)


def scaled_depths(sequential: Mapping[int, float], workers: Sequence[int]) -> dict[int, int]:
    """Weak scaling: for each number of workers P the depth whose work is nearest to P times that of the least depth.

    sequential: seconds of the sequential search by depth. Nearest is by ratio. Source: Gustafson 1988: the problem
    grows with the machine; its size is measured by sequential time, as Kumar et al. 1994, section 4.4, do.
    """
    least = sequential[min(sequential)]

    def distance(depth: int, count: int) -> float:
        return abs(math.log(sequential[depth] / (least * count)))

    return {count: min(sequential, key=lambda depth: distance(depth, count)) for count in workers}
