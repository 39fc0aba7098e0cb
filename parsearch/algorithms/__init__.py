"""The sequential searches in plain, readable Python, for any game: the reference."""

from parsearch.algorithms.alphabeta import alphabeta
from parsearch.algorithms.effort import Effort, Stopped
from parsearch.algorithms.line import Line, moves_of
from parsearch.algorithms.maxn import maxn
from parsearch.algorithms.minimax import minimax
from parsearch.algorithms.paranoid import AgainstAll, paranoid
from parsearch.algorithms.pvs import pvs
from parsearch.algorithms.quiescence import quiesce
from parsearch.algorithms.registry import ALGORITHMS, Algorithm, find_algorithm

__all__ = [
    "ALGORITHMS",
    "AgainstAll",
    "Algorithm",
    "Effort",
    "Line",
    "Stopped",
    "alphabeta",
    "find_algorithm",
    "maxn",
    "minimax",
    "moves_of",
    "paranoid",
    "pvs",
    "quiesce",
]
