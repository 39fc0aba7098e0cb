"""Config files: YAML in, a checked model out; every failure is a ConfigError that names the file."""

from __future__ import annotations

import difflib
import re
from collections.abc import Hashable
from pathlib import Path
from typing import Annotated, Any, Literal, Self, TypeVar

import yaml
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, model_validator

from parsearch.core.errors import ConfigError
from parsearch.core.limits import Limits


class Config(BaseModel):
    """What every config model derives from: values keep their types, and an unknown key is an error."""

    model_config = ConfigDict(strict=True, frozen=True)

    @model_validator(mode="before")
    @classmethod
    def _known_keys(cls, data: Any) -> Any:
        for key in data if isinstance(data, dict) else ():
            if key not in cls.model_fields:
                near = difflib.get_close_matches(str(key), cls.model_fields, n=1, cutoff=0.7)
                hint = f" (did you mean {near[0]!r}?)" if near else ""
                raise ValueError(f"there is no key {key!r}{hint}; use {', '.join(cls.model_fields)}")
        return data


def _as_text(value: object) -> object:
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)  # reads as it was written: see `_Loader`
    if not isinstance(value, str | None):
        raise ValueError(f"YAML reads this as {value!r} and not as text; put it in quotes")
    return value


Natural = Annotated[int, Field(ge=0)]
AtLeastOne = Annotated[int, Field(ge=1)]

Text = Annotated[str, BeforeValidator(_as_text)]
"""Text that may look like a number, such as the Connect Four position 44444."""


def _nothing_below(value: object) -> object:
    return {} if value is None else value  # a key whose lines are all commented out


class LimitsConfig(Config):
    """How far a search may go; see `Limits`."""

    depth: int | None = None
    seconds: float | None = None
    nodes: int | None = None

    @model_validator(mode="after")
    def _in_range(self) -> Self:
        self.limits()
        return self

    def limits(self) -> Limits:
        """The same as the search wants them."""
        return Limits(self.depth, self.seconds, self.nodes)


class SearchConfig(Config):
    """One search: `parsearch search --config FILE`. What is left out has the default of the command line."""

    game: str | None = None
    state: Text | None = None
    moves: Text | None = None
    algorithm: str | None = None
    limits: Annotated[LimitsConfig, BeforeValidator(_nothing_below)] = LimitsConfig()
    workers: Natural | None = None
    address: str | None = None
    offload: Literal["auto", "always"] = "auto"
    all_moves: bool = False
    table: Natural | None = None
    quiescence: bool = False
    ray_options: Annotated[dict[str, Any], BeforeValidator(_nothing_below)] = {}


class SearchesConfig(Config):
    """Positions of one game, each searched by every algorithm to every depth.

    positions, file, suite: states as text, in a file with one a line (`#` begins a comment), or under the name of a
        built-in suite; one of the three, and the initial state where all are left out.
    algorithms: the game's default where left out. depths: plies; left out, each position is solved to the end.
    table: mebibytes of transposition table, as for a search.
    """

    game: str
    positions: list[Text] = []
    file: str | None = None
    suite: str | None = None
    algorithms: list[str] = []
    depths: Annotated[list[AtLeastOne], Field(min_length=1)] | None = None
    table: Natural | None = None

    @model_validator(mode="after")
    def _one_source(self) -> Self:
        given = [key for key in ("positions", "file", "suite") if getattr(self, key)]
        if len(given) > 1:
            raise ValueError(f"{' and '.join(given)} both name positions; keep one of them")
        return self


class BackendConfig(Config):
    """Where searches run, and with how many workers; all are compared with a sequential search of the same backend.

    kind: `ray`, or `simulated` for workers under a virtual clock. address: a Ray cluster to join; this machine where
    left out. calibration: what `parsearch calibrate` wrote, the speeds of a simulated machine. nodes_per_machine: how
    many simulated workers stand on one machine and share its table; all of them where left out.
    """

    kind: Literal["ray", "simulated"]
    workers: Annotated[list[AtLeastOne], Field(min_length=1)]
    address: str | None = None
    calibration: str | None = None
    nodes_per_machine: AtLeastOne | None = None

    @model_validator(mode="after")
    def _keys_fit(self) -> Self:
        strange = ("calibration", "nodes_per_machine") if self.kind == "ray" else ("address",)
        for key in strange:
            if getattr(self, key) is not None:
                raise ValueError(f"{key} means nothing to kind {self.kind}; leave it out")
        if self.kind == "simulated" and self.calibration is None:
            raise ValueError("calibration is missing; name the file that `parsearch calibrate --out FILE` wrote")
        machine = self.nodes_per_machine
        for count in self.workers:
            if machine is not None and count > machine and count % machine:
                raise ValueError(f"{count} workers do not fill machines of {machine}; use a multiple of {machine}")
        return self

    @property
    def machine(self) -> int | None:
        """How many simulated workers stand on one machine; None where nothing is simulated."""
        return (self.nodes_per_machine or max(self.workers)) if self.kind == "simulated" else None


class ExperimentConfig(Config):
    """One experiment: `parsearch speedup --config FILE --out DIR`.

    Every search is measured on every backend with every number of workers, `repeats` times; a simulated backend, which
    gives the same figures every time, once. seed: of the simulation and of the bootstrap. outputs: beside the rows,
    which are always written.
    """

    title: str = "Speedup"
    searches: Annotated[list[SearchesConfig], Field(min_length=1)]
    backends: Annotated[list[BackendConfig], Field(min_length=1)]
    repeats: AtLeastOne = 3
    seed: Natural = 0
    outputs: list[Literal["md", "html", "svg", "png"]] = ["md", "html", "svg", "png"]

    @model_validator(mode="after")
    def _backends_differ(self) -> Self:
        """In what a row says of its backend; else the second one would count as measured with the first."""
        seen: dict[tuple[str, str | None, int | None], int] = {}
        for number, backend in enumerate(self.backends):
            first = seen.setdefault((backend.kind, backend.address, backend.machine), number)
            if first != number:
                raise ValueError(
                    f"backends.{first} and backends.{number} have the same kind, address and number of workers on a "
                    "machine, so no row could tell them apart; make one entry of them, or two experiments"
                )
        return self


Model = TypeVar("Model", bound=Config)


def load_config(path: Path, model: type[Model]) -> Model:
    """The config in a YAML file. Raises ConfigError, naming the file, for whatever is wrong with it."""
    try:
        data = yaml.load(path.read_text(encoding="utf-8"), _Loader)
    except OSError as error:
        raise ConfigError(f"{path}: {error.strerror}; give a YAML file that can be read") from error
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path} is not UTF-8 text; save it as such") from error
    except (yaml.YAMLError, RecursionError) as error:
        raise ConfigError(f"{path} is not YAML: {_where(error)}") from error
    if data is None:
        raise ConfigError(f"{path} is empty; write keys and values such as 'game: connect4'")
    if not isinstance(data, dict):
        raise ConfigError(f"{path} is not a mapping; write keys and values such as 'game: connect4'")
    try:
        return model.model_validate(data)
    except ValidationError as error:
        raise ConfigError(f"{path}: {first_fault(error)}") from error


class _Loader(yaml.SafeLoader):
    """YAML in which a number is only what reads back as it was written, and a key stands once.

    PyYAML follows YAML 1.1, where 0123 is 83, 1_2 is 12, 12:30 is 750, and no is False: traps for the texts of
    states and moves. Here all of those are text, as they mostly are in YAML 1.2.
    """

    yaml_implicit_resolvers: dict[str, Any] = {}  # noqa: RUF012 PyYAML's own name; it extends a copy

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, Any]:
        seen = []
        for key, _ in node.value:
            if key.value in seen:
                raise yaml.MarkedYAMLError(problem=f"the key {key.value!r} stands twice", problem_mark=key.start_mark)
            seen.append(key.value)
        return super().construct_mapping(node, deep)


for _tag, _form, _first in (
    ("null", r"~|null|", ["~", "n", ""]),
    ("bool", r"true|false", ["t", "f"]),
    ("int", r"0|-?[1-9][0-9]{0,999}", list("-0123456789")),
    ("float", r"-?([0-9]+\.[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?|-?[0-9]+[eE][-+]?[0-9]+", list("-.0123456789")),
):
    _Loader.add_implicit_resolver(f"tag:yaml.org,2002:{_tag}", re.compile(f"(?:{_form})$"), _first)


def _where(error: yaml.YAMLError | RecursionError) -> str:
    """What PyYAML found, in one line."""
    if not isinstance(error, yaml.MarkedYAMLError):
        return " ".join(str(error).split())
    found = error.problem or error.context or "it cannot be read"
    return found if error.problem_mark is None else f"line {error.problem_mark.line + 1}: {found}"


_WANTED = {
    "int_type": "a whole number",
    "float_type": "a number",
    "string_type": "text",
    "bool_type": "true or false",
    "list_type": "a list",
    "tuple_type": "a list",
    "dict_type": "a mapping of keys to values",
    "model_type": "a mapping of keys to values",
    "model_attributes_type": "a mapping of keys to values",
    "dataclass_type": "a mapping of keys to values",
}
"""Pydantic's names for what a value should have been, in the words of somebody who writes YAML or JSON."""


def first_fault(error: ValidationError) -> str:
    """The first of the faults in one sentence that starts with the key."""
    fault = error.errors()[0]
    key = ".".join(str(part) for part in fault["loc"])
    if fault["type"] == "json_invalid":
        return "it is not JSON"
    if fault["type"] == "missing":
        return f"{key} is missing; add it"
    if fault["type"] in ("extra_forbidden", "unexpected_keyword_argument"):
        return f"there is no key {key!r}; leave it out"
    if fault["type"] == "greater_than_equal":
        return f"{key} must be {fault['ctx']['ge']} or more, not {fault['input']!r}"
    if fault["type"] == "less_than_equal":
        return f"{key} must be {fault['ctx']['le']} or less, not {fault['input']!r}"
    if fault["type"] == "too_short":
        return f"{key} is empty; list at least {fault['ctx']['min_length']}"
    if fault["type"] == "value_error":
        reason = str(fault["ctx"]["error"])
        return f"{key}: {reason}" if key else reason
    wanted = _WANTED.get(fault["type"]) or fault["msg"].removeprefix("Input should be ")
    return f"{key or 'it'} must be {wanted}, not {fault['input']!r}"
