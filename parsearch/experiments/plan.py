"""What an experiment measures: its config with games made, positions read, and every cell named."""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator

from parsearch.algorithms import ALGORITHMS, Algorithm, find_algorithm
from parsearch.config import AtLeastOne, BackendConfig, ExperimentConfig, Natural, SearchesConfig, load_config
from parsearch.core.errors import ConfigError, InputError, StateError
from parsearch.core.game import Game
from parsearch.core.limits import Limits
from parsearch.core.text import read_state
from parsearch.experiments.calibration import Calibration, read_calibration
from parsearch.games.registry import load_game
from parsearch.parallel.task import blaming
from parsearch.parallel.virtual_cluster import MOST_WORKERS

SUITES = files("parsearch.experiments") / "suites"


def _known(algorithm: str) -> str:
    if algorithm not in ALGORITHMS:
        raise ValueError(f"there is no {algorithm!r}")
    return algorithm


@dataclass(frozen=True, slots=True)
class Cell:
    """What one measurement measures; two measurements of the same cell would be one too many.

    backend: `ray` or `simulated`. address: of the Ray cluster; None for this machine. nodes_per_machine: how many
    simulated workers stand on one machine; None where nothing is simulated. state: as text. depth: plies; None for
    the end of the game. table: mebibytes asked for; None for the default. workers: 0 is the sequential search, in the
    calling process, that the others are compared with. repeat: from 1; 0 is a trial that only chooses the algorithm
    of the sequential search.
    """

    backend: Literal["ray", "simulated"]
    address: str | None
    nodes_per_machine: AtLeastOne | None
    game: str
    state: str
    depth: AtLeastOne | None
    table: Natural | None
    algorithm: Annotated[str, AfterValidator(_known)]
    workers: Natural
    repeat: Natural


@dataclass(frozen=True, eq=False)
class Question:
    """One position to search to one depth with algorithms that answer alike, on one backend.

    rivals: the sequential algorithms of which the quickest is what the workers are compared with.
    """

    backend: BackendConfig
    game_text: str
    game: Game[Any, Any]
    state: Any
    state_text: str
    depth: int | None
    table: int | None
    algorithms: tuple[str, ...]
    rivals: tuple[str, ...]
    repeats: int

    def cell(self, algorithm: str, workers: int, repeat: int) -> Cell:
        """The cell of one of its measurements."""
        backend = self.backend
        return Cell(
            backend.kind,
            backend.address,
            backend.machine,
            self.game_text,
            self.state_text,
            self.depth,
            self.table,
            algorithm,
            workers,
            repeat,
        )

    @property
    def limits(self) -> Limits:
        """The same as a search wants it."""
        return Limits(self.depth)

    @property
    def workers(self) -> list[int]:
        """The numbers of workers, in increasing order."""
        return sorted(set(self.backend.workers))

    def trials(self) -> list[Cell]:
        """The searches that choose the sequential algorithm; none where there is no choice."""
        return [self.cell(name, 0, 0) for name in self.rivals] if len(self.rivals) > 1 else []

    def repeat(self, number: int, sequential: str) -> list[Cell]:
        """The searches of one repeat: the sequential one, then each number of workers in turn."""
        parallel = [self.cell(name, count, number) for count in self.workers for name in self.algorithms]
        return [self.cell(sequential, 0, number), *parallel]

    @property
    def size(self) -> int:
        """How many measurements it takes."""
        return len(self.trials()) + self.repeats * len(self.repeat(1, self.rivals[0]))


@dataclass(frozen=True)
class Plan:
    """Everything that an experiment measures. hash: of all that decides the figures; asked: the same as plain data."""

    config: ExperimentConfig
    questions: tuple[Question, ...]
    calibrations: dict[str, Calibration]
    asked: dict[str, Any]
    hash: str

    @property
    def size(self) -> int:
        """How many measurements it takes."""
        return sum(question.size for question in self.questions)


def read_plan(path: Path) -> Plan:
    """The plan of a config file, whose folder is where the files and modules that it names are looked for.

    Raises ConfigError, and other InputErrors, naming the file and what is wrong.
    """
    config = load_config(path, ExperimentConfig)
    for number, backend in enumerate(config.backends):
        if backend.kind == "simulated" and max(backend.workers) > MOST_WORKERS:
            raise ConfigError(
                f"{path}: backends.{number}.workers has {max(backend.workers)}, but at most {MOST_WORKERS} can be "
                "simulated; list fewer"
            )
    folder = path.resolve().parent
    named = {backend.calibration for backend in config.backends if backend.calibration}
    calibrations = {name: read_calibration(folder / name) for name in named}
    searches = read_searches(config, folder)
    questions = tuple(
        question
        for backend in config.backends
        for search in searches
        for question in search.questions(backend, 1 if backend.kind == "simulated" else config.repeats)
    )
    for question in questions:
        if question.backend.calibration:
            for name in dict.fromkeys((*question.rivals, *question.algorithms)):
                calibrations[question.backend.calibration].rate(question.game_text, name, question.depth is None)
    asked = {
        "config": config.model_dump(),
        "positions": [search.texts for search in searches],
        "calibrations": {name: calibration.model_dump() for name, calibration in sorted(calibrations.items())},
    }
    return Plan(config, questions, calibrations, asked, _hash(asked))


def read_searches(config: ExperimentConfig, folder: Path) -> list[Search]:
    """The searches of a config, whose files and modules are looked for in `folder`. Raises InputError."""
    return [Search(wanted, folder) for wanted in config.searches]


def _hash(asked: dict[str, Any]) -> str:
    """Of what decides the figures: title and outputs may change at any time."""
    config = {key: value for key, value in asked["config"].items() if key not in ("title", "outputs")}
    return hashlib.sha256(json.dumps({**asked, "config": config}, sort_keys=True).encode()).hexdigest()[:16]


class Search:
    """One entry of `searches`, with its game and states."""

    def __init__(self, wanted: SearchesConfig, folder: Path) -> None:
        self._wanted = wanted
        if ":" in wanted.game and str(folder) not in sys.path:
            sys.path.insert(0, str(folder))  # a user's game may lie beside the config
        self._game = load_game(wanted.game)
        self._algorithms = [find_algorithm(self._game, name) for name in dict.fromkeys(wanted.algorithms) or [None]]
        lines = dict.fromkeys(_positions(wanted, folder))
        with blaming(self._game, None):
            self._states = [read_state(self._game, line) for line in lines] or [self._game.initial_state()]
            self.texts = [self._game.format_state(state) for state in self._states]
        for state, text in zip(self._states, self.texts, strict=True):
            with blaming(self._game, state):
                if self._game.is_terminal(state):
                    raise StateError(f"{self._game.name} is over in {text!r}; measure a position with moves left")

    def questions(self, backend: BackendConfig, repeats: int) -> Iterator[Question]:
        """Everything that is asked of a backend."""
        for state, text in zip(self._states, self.texts, strict=True):
            for depth in dict.fromkeys(self._wanted.depths) if self._wanted.depths else [None]:
                for rivals, algorithms in self._families().items():
                    yield Question(
                        backend=backend,
                        game_text=self._wanted.game,
                        game=self._game,
                        state=state,
                        state_text=text,
                        depth=depth,
                        table=self._wanted.table,
                        algorithms=tuple(algorithms),
                        rivals=rivals,
                        repeats=repeats,
                    )

    def _families(self) -> dict[tuple[str, ...], list[str]]:
        """The algorithms by the sequential ones that they are compared with."""
        families: dict[tuple[str, ...], list[str]] = {}
        for algorithm in self._algorithms:
            families.setdefault(rivals_of(algorithm), []).append(algorithm.name)
        return families


def rivals_of(algorithm: Algorithm) -> tuple[str, ...]:
    """The sequential algorithms that answer the same question with the same means: those that prune against each
    other, and a search that visits everything only against itself, or pruning would pass for parallel speedup."""
    return tuple(
        other.name
        for other in ALGORITHMS.values()
        if (other.zero_sum, other.prunes) == (algorithm.zero_sum, algorithm.prunes)
    )


def _positions(wanted: SearchesConfig, folder: Path) -> list[str]:
    if wanted.suite is not None:
        names = sorted(entry.name.removesuffix(".txt") for entry in SUITES.iterdir())
        if wanted.suite not in names:
            raise ConfigError(f"there is no suite {wanted.suite!r}; use one of {', '.join(names)}, or file: FILE")
        return _lines((SUITES / f"{wanted.suite}.txt").read_text(encoding="utf-8"))
    if wanted.file is not None:
        path = folder / wanted.file
        try:
            lines = _lines(path.read_text(encoding="utf-8"))
        except (OSError, UnicodeDecodeError) as error:
            raise InputError(f"cannot read positions from {str(path)!r}: {error}; name a text file") from error
        if not lines:
            raise InputError(f"{str(path)!r} names no position; write one a line")
        return lines
    return list(wanted.positions)


def _lines(text: str) -> list[str]:
    lines = (line.partition("#")[0].strip() for line in text.splitlines())
    return [line for line in lines if line]
