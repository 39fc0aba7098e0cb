"""`Coordinator` and `search`: the way in."""

from __future__ import annotations

from collections.abc import Callable
from types import TracebackType
from typing import Any, Literal, Self

from parsearch.algorithms import find_algorithm
from parsearch.core.errors import InputError
from parsearch.core.game import Game
from parsearch.core.limits import Limits
from parsearch.core.result import Progress, SearchResult
from parsearch.parallel.driver import Driver
from parsearch.parallel.request import Request
from parsearch.parallel.task import Options, blaming
from parsearch.parallel.workers import RayWorkers


class Coordinator:
    """Searches on all cores of this machine or on a Ray cluster, and in the calling process while that is faster.

    workers: how many processes search; 0 is the calling process alone and imports no Ray; None is what this
        process may use of the machine, or all CPUs of a cluster.
    address: a running Ray cluster to join, as for `ray.init`; the environment's RAY_ADDRESS where None.
        Without either, Ray is started on this machine. A Ray that is already initialised is used as it is.
    offload: "auto" starts each search in the calling process and sends it out once its measured size says
        that it pays; "always" sends the root's moves out whatever their size.
    ray_options: further arguments of `ray.init`.

    A context manager: leaving it stops Ray if this coordinator started it. One search at a time.
    Raises InputError for arguments out of range; `start` and `search` raise WorkerError where Ray can't be used, and
    InputError where `ray.init` refuses the ray_options or the address leads to a client server (ray://).
    """

    def __init__(
        self,
        workers: int | None = None,
        address: str | None = None,
        offload: Literal["auto", "always"] = "auto",
        ray_options: dict[str, Any] | None = None,
    ) -> None:
        if workers is not None and (isinstance(workers, bool) or not isinstance(workers, int) or workers < 0):
            raise InputError(f"workers must be a whole number, 0 or more, not {workers!r}; 0 searches in this process")
        if offload not in ("auto", "always"):
            raise InputError(f"offload must be 'auto' or 'always', not {offload!r}")
        if address is not None and not isinstance(address, str):
            raise InputError(f"address must be text such as 'head:6379', not {address!r}")
        if ray_options is not None and not isinstance(ray_options, dict):
            raise InputError(f"ray_options must be a dict of arguments for ray.init, not {ray_options!r}")
        if workers == 0 and offload == "always":
            raise InputError("workers=0 searches in this process, so offload='always' has nowhere to send its tasks")
        self._workers = None if workers == 0 else RayWorkers(workers, address, dict(ray_options or {}))
        self._always = offload == "always"

    def start(self) -> None:
        """Start or join Ray now and warm the workers, so that the next search finds them ready."""
        if self._workers is not None:
            self._workers.join()

    def close(self) -> None:
        """Stop what this coordinator started. It may be used again; Ray then starts anew."""
        if self._workers is not None:
            self._workers.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def search(
        self,
        game: Game[Any, Any],
        state: Any = None,
        *,
        algorithm: str | None = None,
        limits: Limits | None = None,
        all_moves: bool = False,
        table: int | None = None,
        quiescence: bool = False,
        progress: Callable[[Progress], None] | None = None,
        stop: Callable[[], bool] | None = None,
    ) -> SearchResult:
        """Pick the move for the player to move in `state`.

        state: the game's initial one for None.
        algorithm: minimax, alphabeta (the default) or pvs for zero-sum games; maxn (the default) or paranoid else.
        limits: how far to look; to the end of the game for None. Seconds or nodes make it deepen iteratively.
        all_moves: ask for the exact value of every root move, and so for all best moves.
        table: mebibytes of the transposition table that each process has for compiled games; None takes a share of
            the memory, 0 none. It changes effort, never the answer; minimax and maxn never use one.
        quiescence: follow noisy moves beyond the depth, for games that define `noisy_moves`. Changes values.
        progress: called with a `Progress` as results come in, on the calling thread.
        stop: asked at every node or twenty times a second; True ends the search with the deepest completed answer.
            With it every search deepens, so that there is one.

        The value equals plain minimax (max^n, paranoid) at the completed depth, and the move is the first of the
        best in the game's order, for any number of workers.

        Raises LimitsError or AlgorithmError for what does not fit the game, GameError for what the game's own
        code raises, WorkerError where Ray or its workers fail.
        """
        if not isinstance(game, Game):
            raise InputError(f"{game!r} is not a parsearch.Game; give an instance, such as load_game('connect4')")
        if limits is not None and not isinstance(limits, Limits):
            raise InputError(f"limits must be a Limits, not {limits!r}; write for example Limits(depth=5)")
        if state is None or isinstance(state, str):  # nothing given, or text, which is a state of few games only
            with blaming(game, state):
                start = game.initial_state()
            if state is not None and not isinstance(start, str):
                raise InputError(f"{state!r} is text and not a state of {game.name}; use game.parse_state({state!r})")
            state = start if state is None else state
        request = Request(
            game,
            state,
            find_algorithm(game, algorithm),
            limits or Limits(),
            all_moves,
            Options(table, quiescence),
            progress,
            stop,
        )
        return Driver(request, self._workers, self._always).run()


def search(
    game: Game[Any, Any],
    state: Any = None,
    *,
    algorithm: str | None = None,
    limits: Limits | None = None,
    all_moves: bool = False,
    table: int | None = None,
    quiescence: bool = False,
    progress: Callable[[Progress], None] | None = None,
    stop: Callable[[], bool] | None = None,
    workers: int | None = None,
    address: str | None = None,
    offload: Literal["auto", "always"] = "auto",
    ray_options: dict[str, Any] | None = None,
) -> SearchResult:
    """Pick a move in one call: a `Coordinator` for this search alone. Arguments and errors as there."""
    with Coordinator(workers, address, offload, ray_options) as coordinator:
        return coordinator.search(
            game,
            state,
            algorithm=algorithm,
            limits=limits,
            all_moves=all_moves,
            table=table,
            quiescence=quiescence,
            progress=progress,
            stop=stop,
        )
