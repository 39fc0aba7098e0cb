"""What the tests of experiments share: small configs, and workers that are no processes."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path
from typing import Any

from parsearch import Coordinator
from parsearch.core.result import SearchResult, TaskRun

CONFIG = """
title: A trial
searches:
  - {game: tictactoe, positions: ["XX-OO----"], algorithms: [minimax, alphabeta], depths: [3, 4]}
  - {game: tictactoe, positions: ["XO-OX----", "XX-OO----"]}
backends:
  - {kind: ray, workers: [2, 1]}
repeats: 2
seed: 7
"""

CELLS = 2 * (2 * (1 + 2) + 2 + 2 * (1 + 2)) + 2 * (2 + 2 * (1 + 2))
"""Measurements of CONFIG: for each depth minimax, and alphabeta with two trials; then alphabeta in two positions."""


def write_config(folder: Path, text: str = CONFIG) -> Path:
    """The text as a config file."""
    path = folder / "experiment.yaml"
    path.write_text(text, encoding="utf-8")
    return path


def small(text: str = CONFIG) -> str:
    """The config without pictures, which take a second."""
    return text + "outputs: [md]\n"


class StandIn(Coordinator):
    """Searches in this process and says that workers did it, all of the time: for what does not depend on who did."""

    def __init__(self, workers: int = 0, address: str | None = None, offload: str = "auto") -> None:
        super().__init__(workers=0)
        self.count, self.offload = workers, offload

    def search(self, *arguments: Any, **named: Any) -> SearchResult:
        assert self.offload == ("always" if self.count else "auto")  # or small searches would stay at home
        started = time.monotonic()
        result = super().search(*arguments, **named)
        seconds = max(time.monotonic() - started, result.seconds)
        runs = (
            TaskRun("", f"host:{number}", 0.0, 0.0, seconds, seconds, result.nodes // self.count)
            for number in range(self.count)
        )
        return replace(result, workers=self.count, seconds=seconds, timeline=tuple(runs))
