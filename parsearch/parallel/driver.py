"""Performs a search: iteration by iteration, in the calling process and on workers, and takes the max."""

from __future__ import annotations

import contextlib
import threading
import time

from parsearch.core.errors import ParsearchError
from parsearch.core.game import score_for
from parsearch.core.result import SearchResult
from parsearch.core.window import Window
from parsearch.parallel.backend import Backend, SerialBackend
from parsearch.parallel.branch import Grain
from parsearch.parallel.eldest_first import EldestFirst
from parsearch.parallel.offload import Offload
from parsearch.parallel.proof import Proof
from parsearch.parallel.request import Request
from parsearch.parallel.split import Answer, Split
from parsearch.parallel.task import Task, can_share
from parsearch.parallel.top_tree import TopTree
from parsearch.parallel.workers import Workers

TASKS_PER_WORKER = 16
"""How finely work with full windows is split: at the end a worker idles for half a task on average, some 3%."""

POLL_SECONDS = 0.05
"""Between looks at the caller's stop and at the clock while workers search."""

SHORT_SECONDS = 0.03
"""After an iteration that took less, the next stays at one place: several would spend it on messages to each other."""


class Driver:
    """Drives one request. `workers` is None where the calling process is to do it all; `always` sends every
    iteration out as it is, else an `Offload` decides when to."""

    def __init__(self, request: Request, workers: Workers | None, always: bool) -> None:
        self._request = request
        self._workers = workers
        self._always = always
        self._remote: Backend | None = None
        self._grain = Grain()
        self._preparing: threading.Thread | None = None
        self._short = False

    def run(self) -> SearchResult:
        """Search to the end or a limit, and say what the deepest completed iteration found."""
        request, answers = self._request, list[Answer]()
        if request.final_depth != 0:
            self._compile(joint=self._always)
            request.start_clock()
            for depth in request.depths():
                before = request.seconds
                self._short = self._short if answers else depth != request.final_depth
                completed = self._iterate(depth, answers)
                self._short = request.seconds - before < SHORT_SECONDS
                if completed is not None:
                    answers.append(completed)
                if completed is None or not completed.estimated:
                    break
        return request.result(answers[-1] if answers else None, self._workers.count if self._workers else 0)

    def _compile(self, joint: bool) -> None:
        """Have here and on disk what a compiled game needs, before the clock runs and before workers look for it.

        joint: what workers need that share a table.
        """
        request = self._request
        joint = joint and self._workers is not None and self._workers.count > 1
        if not request.seen.is_native:
            return
        from parsearch.parallel.native_task import prepare  # Numba takes 0.4 s to import

        final = request.final_depth
        for options in {request.options_at(depth) for depth in (final, 1) if request.limits.deepens or depth == final}:
            prepare(request.seen, request.algorithm.name, options, joint)

    def _iterate(self, depth: int, answers: list[Answer]) -> Answer | None:
        """Search to one depth, helped by the answers of shallower ones; None where a limit came first."""
        split = self._split(depth, answers)
        if self._workers is None:
            return self._search(split, SerialBackend(self._request.seen, self._request.stop))
        if not self._always:
            offload = self._offload(split, self._workers)
            here = SerialBackend(self._request.seen, lambda: offload.due() or self._request.stopped())
            answer = self._search(split, here, offload)
            self._workers.missed += offload.missed()
            if answer is not None or not offload.decided:
                return answer
        if not self._await(self._workers):
            return None
        if self._remote is None:
            self._remote = self._workers.backend(self._request.seen)
            self._remote.ahead = 0 if self._request.algorithm.prunes else 1
        visited = split.visited
        split.places = self._places(self._remote)
        split.clock, split.resumes = self._remote.clock, self._shares
        split.refine(TASKS_PER_WORKER * self._remote.workers, self._remote.rate)
        self._request.nodes += split.visited - visited
        return self._search(split, self._remote)

    def _places(self, backend: Backend) -> int:
        """At how many places it searches independently of each other what the request asks for."""
        if not self._shares:
            return max(1, backend.workers)  # there may be none for a while
        return 1 if self._short else max(1, backend.places)

    @property
    def _shares(self) -> bool:
        """Whether the workers of a place can search a task together."""
        request = self._request
        return can_share(request.seen, request.algorithm.name, request.options)

    def _await(self, workers: Workers) -> bool:
        """Wait for the workers; False where the search is over before they are up."""
        self._begin(workers)
        while not self._ready(workers):
            if self._request.over():
                return False
            time.sleep(POLL_SECONDS)
        self._compile(joint=True)  # if that failed on its thread, it raises here
        return True

    def _begin(self, workers: Workers) -> None:
        """Have the workers started, and what they need compiled meanwhile, on a thread: both take seconds, in which the
        search goes on here."""
        workers.begin()
        if self._preparing is None and not workers.ready:
            self._preparing = threading.Thread(target=self._try_to_compile, name="parsearch-compile")
            self._preparing.start()

    def _ready(self, workers: Workers) -> bool:
        return workers.ready and (self._preparing is None or not self._preparing.is_alive())

    def _try_to_compile(self) -> None:
        with contextlib.suppress(ParsearchError):  # whoever needs it will meet the error again
            self._compile(joint=True)

    def _split(self, depth: int, answers: list[Answer]) -> Split:
        request = self._request
        split: Split
        game, last = request.seen, answers[-1] if answers else None
        if request.all_moves or not request.algorithm.prunes:
            split = TopTree(game, request.state, depth, request.algorithm)
        elif request.proves(depth):
            # Evaluations differ between even and odd depths: what moved last seems to stand better.
            alike = (answer.score for answer in reversed(answers) if (depth - answer.depth) % 2 == 0)
            guess = score_for(game, next(alike, 0), game.to_move(request.state))
            to_end = request.options_at(depth).solving
            split = Proof(game, request.state, depth, request.algorithm, guess, last, to_end)
        else:
            split = EldestFirst(game, request.state, depth, request.algorithm, last)
        request.nodes += split.visited
        split.grain = self._grain
        return split

    def _offload(self, split: Split, workers: Workers) -> Offload:
        return Offload(
            workers.count,
            start_cost=workers.start_cost,
            ready=lambda: self._ready(workers),
            begin=lambda: self._begin(workers),
            work_left=lambda: self._request.work_left(split),
            divisible=lambda: split.divisible,
        )

    def _search(self, split: Split, backend: Backend, offload: Offload | None = None) -> Answer | None:
        """Keep the backend busy until the split is done; None where a limit or the offload came first."""
        request = self._request
        request.report(split)  # the first task may take long
        held: dict[tuple[int, ...], tuple[Task, Window | None]] = {}  # by path, with what it was told to search
        before = request.nodes - backend.nodes
        try:
            while not split.done:
                if request.over() or (offload is not None and offload.due()):
                    return None
                split.places = self._places(backend)
                while backend.idle and (task := split.next_task()) is not None:
                    task = request.limited(task, split.depth)
                    backend.submit(task)
                    held[task.path] = task, task.window
                for task, outcome in backend.wait(POLL_SECONDS):
                    request.nodes = before + backend.nodes
                    _, told = held.pop(task.path)
                    if outcome.value is not None:
                        split.add(task, outcome)
                        continue
                    split.give_back(task)
                    if told is not None and not (offload is not None and offload.decided):
                        return None  # a limit of the task's own
                for path, (task, told) in held.items():
                    window = split.wanted(task)
                    if window != told and told is not None:
                        backend.tell(task, window)
                        held[path] = task, window
                request.report(split)
        finally:
            backend.cancel()
            request.nodes = before + backend.nodes
            request.timeline, backend.timeline = request.timeline + backend.timeline, []
        return None if request.over_nodes() else split.answer()
