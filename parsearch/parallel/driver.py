"""Performs a search: iteration by iteration, in the calling process and on workers, and takes the max."""

from __future__ import annotations

import time
from dataclasses import replace

from parsearch.core.result import SearchResult
from parsearch.parallel.backend import Backend, SerialBackend
from parsearch.parallel.offload import Offload
from parsearch.parallel.request import Request
from parsearch.parallel.split import Answer, EldestFirst, Split
from parsearch.parallel.top_tree import TopTree
from parsearch.parallel.workers import Workers

TASKS_PER_WORKER = 16
"""How finely work with full windows is split: at the end a worker idles for half a task on average, some 3%."""

POLL_SECONDS = 0.05
"""Between looks at the caller's stop and at the clock while workers search."""


class Driver:
    """Drives one request. `workers` is None where the calling process is to do it all; `always` sends every
    iteration out as it is, else an `Offload` decides when to."""

    def __init__(self, request: Request, workers: Workers | None, always: bool) -> None:
        self._request = request
        self._workers = workers
        self._always = always
        self._remote: Backend | None = None

    def run(self) -> SearchResult:
        """Search to the end or a limit, and say what the deepest completed iteration found."""
        request, answer = self._request, None
        if request.final_depth != 0:
            for depth in request.depths():
                completed = self._iterate(depth, answer)
                answer = completed or answer
                if completed is None or not completed.estimated:
                    break
        return request.result(answer, self._workers.count if self._workers else 0)

    def _iterate(self, depth: int, last: Answer | None) -> Answer | None:
        """Search to one depth; None where a limit came first."""
        split = self._split(depth, last)
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
        visited = split.visited
        split.refine(TASKS_PER_WORKER * self._remote.workers)
        self._request.nodes += split.visited - visited
        return self._search(split, self._remote)

    def _await(self, workers: Workers) -> bool:
        """Have the workers up; False where the search is over before they are."""
        workers.begin()
        while not workers.ready:
            if self._request.over():
                return False
            time.sleep(POLL_SECONDS)
        return True

    def _split(self, depth: int, last: Answer | None) -> Split:
        request = self._request
        split: Split
        if request.all_moves or not request.algorithm.prunes:
            split = TopTree(request.seen, request.state, depth, request.algorithm)
        else:
            eldest = last.best if last else 0  # the best guess there is
            split = EldestFirst(request.seen, request.state, depth, request.algorithm, eldest)
        request.nodes += split.visited
        return split

    def _offload(self, split: Split, workers: Workers) -> Offload:
        return Offload(
            workers.count,
            start_cost=workers.start_cost,
            ready=lambda: workers.ready,
            begin=workers.begin,
            work_left=lambda: self._request.work_left(split),
            divisible=lambda: split.divisible,
        )

    def _search(self, split: Split, backend: Backend, offload: Offload | None = None) -> Answer | None:
        """Keep the backend busy until the split is done; None where a limit or the offload came first."""
        request = self._request
        request.report(split)  # the first task may take long
        try:
            while not split.done:
                if request.over() or (offload is not None and offload.due()):
                    return None
                while split.under_way < backend.capacity and (task := split.next_task()) is not None:
                    backend.submit(replace(task, nodes=request.nodes_left, seconds=request.seconds_left))
                for task, outcome in backend.wait(POLL_SECONDS):
                    request.nodes += outcome.nodes
                    if outcome.value is None:
                        split.give_back(task)
                    else:
                        split.add(task, outcome)
                    if outcome.value is None and not (offload is not None and offload.decided):
                        return None  # a limit of the task's own
                request.report(split)
            return None if request.over_nodes() else split.answer()
        finally:
            backend.cancel()
