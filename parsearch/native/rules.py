"""The rules of a compiled game as text: how a game travels to other processes, and what the disk cache knows it by.

A compiled game is written as a plain module, a script or notebook cells: constants on top and functions below. `gather`
collects from there the functions of the contract, everything they use, and the values of the constants, into one
source that stands on its own. So a game needs no file where it arrives, an edit of anything it uses is another game
to the cache, and the same module with other constants is another game too.
"""

from __future__ import annotations

import ast
import dis
import hashlib
import inspect
import linecache
import math
import sys
import sysconfig
import textwrap
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any

import numpy as np

from parsearch.core.errors import GameError

COMPILED = ("initial_state", "to_move", "legal_moves", "play", "is_terminal", "evaluate")
"""The functions that every compiled game defines."""

OPTIONAL = (
    "key",
    "order",
    "bounds",
    "bounds_within",
    "noisy_moves",
    "is_forced",
    "sufficient_moves",
    "plies_left",
    "count_moves",
)
"""Hooks that searches use where a game defines them; compiled too."""

PLAIN = ("max_plies", "parse_state", "format_state", "parse_move", "format_move", "render")
"""Functions that stay plain Python."""

CONSTANTS = (
    "PLAYERS",
    "ZERO_SUM",
    "INTEGER",
    "MAX_MOVES",
    "TABLE_DEPTH",
    "ORDER_DEPTH",
    "JOINT_DEPTH",
    "HISTORY",
    "CALLED",
)
"""Constants that say something about the game; MAX_MOVES has no default."""

LARGEST_ARRAY = 1 << 16
"""Numbers that a constant array may hold: it becomes part of the source."""


@dataclass(frozen=True, slots=True)
class Origin:
    """Where the author wrote a function, for messages."""

    name: str
    file: str
    line: int


@dataclass(frozen=True)
class Rules:
    """A game's source on its own.

    compiled: the functions that run compiled, each after those it calls. origins: where the author wrote them; serves
    messages and does not count in comparisons.
    """

    name: str
    source: str
    compiled: tuple[str, ...]
    origins: tuple[Origin, ...] = field(default=(), compare=False)

    @cached_property
    def digest(self) -> str:
        """A hash of the source."""
        return hashlib.sha256(self.source.encode()).hexdigest()

    @cached_property
    def namespace(self) -> dict[str, Any]:
        """The functions and constants, uncompiled."""
        filename = f"<rules of {self.name} {self.digest[:12]}>"
        lines = self.source.splitlines(keepends=True)
        linecache.cache[filename] = (len(self.source), None, lines, filename)  # tracebacks quote the rules
        namespace: dict[str, Any] = {"__name__": filename}
        exec(compile(self.source, filename, "exec"), namespace)
        return namespace

    def __reduce__(self) -> Any:
        return Rules, (self.name, self.source, self.compiled, self.origins)


def namespace_of(module: str, constants: Mapping[str, Any]) -> dict[str, Any]:
    """What a module defines, or would define with these values of its constants.

    Raises GameError where the module has no such constant or no readable source to run again.
    """
    if not constants:
        return vars(sys.modules[module])
    found = sys.modules[module]
    file = getattr(found, "__file__", None)
    if file is None:
        raise GameError(
            f"{module} is no file that could be run again with {', '.join(constants)}; set the constants where they "
            "are, or move the game to a module of its own"
        )
    return _run_again(module, file, tuple(constants.items()))


def _run_again(module: str, file: str, constants: tuple[tuple[str, Any], ...]) -> dict[str, Any]:
    if (file, constants) in _running:
        raise GameError(
            f"{file} makes its game while it is loaded; put what the script does under if __name__ == '__main__':"
        )
    tree = ast.parse(Path(file).read_text(), file)
    wanted = dict(constants)
    for statement in tree.body:
        if (
            isinstance(statement, ast.Assign)
            and len(statement.targets) == 1
            and isinstance(statement.targets[0], ast.Name)
        ):
            name = statement.targets[0].id
            if name in wanted:
                statement.value = ast.copy_location(ast.Constant(wanted.pop(name)), statement.value)
    if wanted:
        raise GameError(
            f"{module} assigns no {', '.join(wanted)} on a line of its own; write for example {next(iter(wanted))} = 1"
        )
    name = module if module != "__main__" else Path(file).stem
    namespace: dict[str, Any] = {"__name__": name, "__file__": file, "__package__": sys.modules[module].__package__}
    _running.add((file, constants))
    try:
        exec(compile(ast.fix_missing_locations(tree), file, "exec"), namespace)
    finally:
        _running.discard((file, constants))
    return namespace


_running: set[tuple[str, tuple[tuple[str, Any], ...]]] = set()


def gather(name: str, namespace: Mapping[str, Any]) -> Rules:
    """The rules of the compiled game in a namespace. Raises GameError, with the remedy, for what cannot travel."""
    missing = [function for function in COMPILED if not isinstance(namespace.get(function), FunctionType)]
    if missing:
        raise GameError(f"{name} does not define {', '.join(missing)}; a compiled game is functions in one module")
    if not isinstance(namespace.get("MAX_MOVES"), int):
        raise GameError(f"{name} does not define MAX_MOVES, the most moves of any position; add MAX_MOVES = 32, say")
    gathering = _Gathering(name)
    for constant in CONSTANTS:
        if constant in namespace:
            gathering.add(constant, namespace[constant])
    for function in (*COMPILED, *OPTIONAL):
        if isinstance(namespace.get(function), FunctionType):
            gathering.add(function, namespace[function])
    compiled = tuple(gathering.names)
    for function in PLAIN:
        if isinstance(namespace.get(function), FunctionType):
            gathering.add(function, namespace[function])
    return gathering.rules(compiled)


class _Gathering:
    """Definitions in the order in which they can be run, each once."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.imports: list[str] = []
        self.constants: list[str] = []
        self.functions: list[str] = []
        self.names: list[str] = []
        self.origins: list[Origin] = []
        self.seen: dict[str, Any] = {}

    def rules(self, compiled: tuple[str, ...]) -> Rules:
        head = ["from __future__ import annotations", "import numpy as np", *sorted(set(self.imports))]
        parts = ["\n".join(head), "\n".join(self.constants), *self.functions]
        return Rules(self.name, "\n\n\n".join(part for part in parts if part) + "\n", compiled, tuple(self.origins))

    def add(self, name: str, value: Any) -> None:
        if name in self.seen:
            if self.seen[name] is not value and not self._same_constant(name, value):
                raise GameError(f"{self.name} uses two different things called {name}; give one of them another name")
            return
        self.seen[name] = value
        if isinstance(value, ModuleType):
            self.imports.append(f"import {value.__name__} as {name}")
        elif _is_installed(value):
            self.imports.append(f"from {value.__module__} import {value.__name__} as {name}")
        elif isinstance(value, FunctionType):
            self._add_function(name, value)
        else:
            self.constants.append(f"{name} = {self._literal(name, value)}")

    def _add_function(self, name: str, function: FunctionType) -> None:
        try:
            lines, line = inspect.getsourcelines(function)
        except (OSError, TypeError) as error:
            raise GameError(
                f"{self.name} has no readable source for {name}; define it in a file or a notebook cell"
            ) from error
        text = textwrap.dedent("".join(lines))
        definition = ast.parse(text).body[0]
        if not isinstance(definition, ast.FunctionDef) or definition.decorator_list or function.__closure__:
            raise GameError(
                f"{self.name}: {name} must be a plain top-level def; leave out decorators, lambdas and closures"
            )
        for used in sorted(set(_globals_of(function, definition))):
            if used in function.__globals__:
                self.add(used, function.__globals__[used])
        self.functions.append(text.rstrip())
        self.names.append(name)
        self.origins.append(Origin(name, function.__code__.co_filename, line))
        if definition.name != name:
            self.functions.append(f"{name} = {definition.name}")

    def _same_constant(self, name: str, value: Any) -> bool:
        functions = FunctionType | type | ModuleType
        if isinstance(value, functions) or isinstance(self.seen[name], functions):
            return False
        return self._literal(name, value) == self._literal(name, self.seen[name])

    def _literal(self, name: str, value: Any) -> str:
        if value is None or (isinstance(value, bool | int | float | str | bytes) and not isinstance(value, np.generic)):
            return repr(value) if not isinstance(value, float) or math.isfinite(value) else f"float({str(value)!r})"
        if isinstance(value, np.generic):
            return f"np.dtype({value.dtype.name!r}).type({value.item()!r})"
        if isinstance(value, np.ndarray) and value.size <= LARGEST_ARRAY and value.dtype.kind in "iufb":
            return f"np.array({value.tolist()!r}, dtype={value.dtype.name!r}).reshape({value.shape!r})"
        if type(value) in (tuple, list):
            inside = "".join(f"{self._literal(name, item)}, " for item in value)
            return f"({inside})" if isinstance(value, tuple) else f"[{inside}]"
        if type(value) is dict:
            pairs = (f"{self._literal(name, key)}: {self._literal(name, item)}" for key, item in value.items())
            return "{" + ", ".join(pairs) + "}"
        raise GameError(
            f"{self.name} uses the global {name}, a {type(value).__name__}; use functions and constants made of "
            "numbers, texts, tuples and arrays"
        )


def _globals_of(function: FunctionType, definition: ast.FunctionDef) -> Iterator[str]:
    """The global names that a function uses, in its code and in its defaults."""
    codes = [function.__code__]
    for code in codes:
        codes += [constant for constant in code.co_consts if isinstance(constant, CodeType)]
        yield from (step.argval for step in dis.get_instructions(code) if step.opname == "LOAD_GLOBAL")
    for default in (*definition.args.defaults, *filter(None, definition.args.kw_defaults)):
        yield from (node.id for node in ast.walk(default) if isinstance(node, ast.Name))


def _is_installed(value: Any) -> bool:
    """Whether every process can import it: parsearch itself, the standard library, installed packages."""
    module = getattr(value, "__module__", None)
    if not isinstance(value, FunctionType | type) and not callable(value):
        return False
    if not isinstance(module, str) or module == "__main__" or not hasattr(value, "__name__"):
        return False
    top = module.partition(".")[0]
    if top in ("parsearch", "numpy") or top in sys.stdlib_module_names:
        # A function of a game of ours is copied like a user's: it may use constants that were replaced.
        return not (isinstance(value, FunctionType) and module.startswith("parsearch.games."))
    file = getattr(sys.modules.get(module), "__file__", None)
    installed = {sysconfig.get_path("purelib"), sysconfig.get_path("platlib")}
    return file is not None and any(Path(file).is_relative_to(folder) for folder in installed)
