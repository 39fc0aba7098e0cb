"""From rules and features to a compiled kernel: writes its module, compiles it or loads it from the disk cache."""

from __future__ import annotations

import ast
import contextlib
import gc
import hashlib
import importlib.util
import linecache
import os
import platform
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache as memoize
from pathlib import Path
from types import ModuleType
from typing import Any

import numba
import numpy as np
from numba.core.errors import NumbaError

from parsearch.core.errors import GameError
from parsearch.native import cache, overloads
from parsearch.native.check_types import check_types, first_line
from parsearch.native.rules import COMPILED, OPTIONAL, Rules

TEMPLATES = {"maxn": ("kernel_maxn.py",), "perft": ("kernel_perft.py",)}
WINDOWED = ("kernel_table.py", "kernel_order.py", "kernel_joint.py", "kernel.py", "kernel_crew.py")
"""Templates by algorithm; all others are searched by the second group."""

types: Any = numba.types  # made of attributes that no type checker knows

MARK = "# ---- the generated module goes on from here ----\n"


@dataclass(frozen=True, slots=True)
class Features:
    """What a kernel is built to do; each combination is machine code of its own.

    algorithm: minimax, alphabeta, pvs, paranoid, maxn, or perft. table: uses a transposition table. ordered: tries
    promising moves first. quiescence: plays on with noisy moves where the depth ends. solving: every search goes to
    the end of the game, so `bounds` and `sufficient_moves` hold. joint: several searches of one root over one table
    cooperate (with `table` and `ordered`).
    """

    algorithm: str
    table: bool = False
    ordered: bool = False
    quiescence: bool = False
    solving: bool = False
    joint: bool = False

    def __str__(self) -> str:
        extras = ("table", "ordered", "quiescence", "solving", "joint")
        return " ".join([self.algorithm, *(extra for extra in extras if getattr(self, extra))])


@dataclass(frozen=True, slots=True)
class Kernel:
    """A kernel ready to run. words: of a state. loaded: it came from the disk cache, nothing was compiled.

    rounds: the same for many searches in turn, compiled at its first call; None for maxn and perft.
    """

    run: Callable[..., None]
    rounds: Callable[..., int] | None
    words: int
    loaded: bool


_kernels: dict[tuple[Rules, Features], Kernel] = {}
_loading = threading.RLock()  # threads that search together want the same kernel at the same moment


def load_kernel(rules: Rules, features: Features, report: Callable[[str], None] | None = None) -> Kernel:
    """The kernel for a game and features, from this process, else from the disk, else compiled now (some seconds).

    report: is called with a sentence before compiling. Raises GameError with file, line and reason where the rules do
    not compile.
    """
    with _loading:
        kernel = _kernels.get((rules, features))
        if kernel is None:
            kernel = _kernels[rules, features] = _load(rules, features, report)
        return kernel


def _load(rules: Rules, features: Features, report: Callable[[str], None] | None) -> Kernel:
    words = len(rules.namespace["initial_state"]())
    # Two modules, so that names of the rules and of the kernel cannot meet.
    texts = {}
    rules_text = _rules_text(rules)
    rules_name = f"parsearch_rules_{_digest(rules_text)}"
    texts[rules_name] = rules_text
    kernel_text = _kernel_text(rules, rules_name, features, words)
    name = cache.PREFIX + _digest(kernel_text)
    texts[name] = kernel_text
    files = [cache.write(module, text) for module, text in texts.items()]
    if all(files):
        try:
            modules = {module: _import(module, file) for module, file in zip(texts, files, strict=True) if file}
            return _compile(modules[rules_name], modules[name], rules, features, words, report)
        except GameError:
            raise
        except Exception:  # a damaged file, or a disk that is full: go on without
            for file in files:
                if file is not None:
                    cache.forget(file)
    modules = {module: _execute(module, text) for module, text in texts.items()}
    return _compile(modules[rules_name], modules[name], rules, features, words, report)


def compile_rules(rules: Rules) -> None:
    """Compile all functions of a game one by one. Raises GameError, with file, line and reason."""
    text = _rules_text(rules)
    module = _execute(f"parsearch_check_{_digest(text)}", text)
    with _compiler("OPT", 1):
        check_types(module, rules, len(rules.namespace["initial_state"]()), unused=())


@contextlib.contextmanager
def _no_garbage_collection() -> Iterator[None]:
    """Compiling makes objects by the million, of which most stay: looking for garbage among them takes a seventh."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


@_no_garbage_collection()
def _compile(
    rules_module: ModuleType,
    module: ModuleType,
    rules: Rules,
    features: Features,
    words: int,
    report: Callable[[str], None] | None,
) -> Kernel:
    run: Any = module.run
    if not _was_compiled(run, module):
        if report is not None:
            report(f"compiling {rules.name} for {features}")
        # With few of LLVM's optimisations, because a kernel takes the game's functions in and is optimised as a whole:
        # with those that were fully optimised before chess counts 200 to 270 million moves a second, else 300 to 390.
        # (Not level 0: Numba forbids LLVM to touch such functions later.)
        with _compiler("OPT", 1):
            check_types(rules_module, rules, words, _unused(features))
    try:
        with _compiler("SLP_VECTORIZE", 1):  # the same steps on several words at once: boards are made for it
            run.compile(_signature(rules, features))
    except NumbaError as error:
        raise GameError(f"{rules.name} does not compile for {features}: {first_line(error)}") from error
    return Kernel(run, getattr(module, "rounds", None), words, loaded=sum(run.stats.cache_hits.values()) > 0)


def _was_compiled(run: Any, module: ModuleType) -> bool:
    """Whether the disk holds machine code for this module, so that its types were checked before."""
    where = run.stats.cache_path
    return where is not None and any(Path(where).glob(f"{module.__name__}.run-*.nbi"))


def _signature(rules: Rules, features: Features) -> tuple[Any, ...]:
    """The types of `run`'s arguments, as `Search` makes them."""
    matrix, vector = types.int64[:, ::1], types.int64[::1]
    score = types.int64 if rules.namespace.get("INTEGER", False) else types.float64
    words, scores = types.uint64[:, ::1], score[:, ::1]
    if features.algorithm == "perft":
        return vector, words, matrix, matrix, types.int64
    if features.algorithm == "maxn":
        return vector, words, matrix, matrix, scores, matrix, vector, types.int64
    table = types.uint64[::1]
    ordering = matrix, matrix, vector, matrix, matrix  # ranks, lines, lengths, killers, history
    shared = words, words, table, table  # keys, log, table, busy
    return vector, words, matrix, matrix, scores, *ordering, *shared, types.uint64, types.int64


def _unused(features: Features) -> list[str]:
    """The game's functions that a kernel with these features never calls."""
    used = {
        "evaluate": features.algorithm != "perft",
        "key": features.table,
        "order": features.ordered,
        "bounds": features.solving,
        "noisy_moves": features.quiescence,
        "is_forced": features.quiescence,
        "sufficient_moves": features.solving,
        "count_moves": features.algorithm == "perft",
    }
    return [name for name, needed in used.items() if not needed]


@contextlib.contextmanager
def _compiler(setting: str, value: int) -> Iterator[None]:
    """With another value of one of Numba's settings."""
    before = getattr(numba.config, setting)
    setattr(numba.config, setting, type(before)(value))
    try:
        yield
    finally:
        setattr(numba.config, setting, before)


_UNWRAPPED = "no_cpython_wrapper=True, no_cfunc_wrapper=True"
"""Python never calls a game's compiled functions: without code for that they take a fifth less time to compile."""

_INLINED = f"_njit(forceinline=True, boundscheck=False, _nrt=False, {_UNWRAPPED})"
"""How small functions are compiled: into their callers (25 to 70% faster), and without counting references to
arrays."""

_CALLED = f"_njit(boundscheck=False, _nrt=False, {_UNWRAPPED})"
"""How those are compiled that a game names in CALLED: once. Chess then takes a quarter less time to compile."""


def _rules_text(rules: Rules) -> str:
    """The module of the game's own functions."""
    called = rules.namespace.get("CALLED", ())
    decorated = (
        f"{name} = {'_called' if name in called else '_inlined'}({name})"
        for name in rules.compiled
        if name != "initial_state"
    )
    return "\n".join(
        [
            f'"""The rules of {rules.name}"""',
            rules.source,
            "",
            "from numba import njit as _njit",
            "import parsearch.native.overloads as _overloads",
            f"_inlined = {_INLINED}",
            f"_called = {_CALLED}",
            *decorated,
            "",
        ]
    )


def joint_depth(rules: Rules, searches: int) -> int:
    """From how many plies before the end on so many searches, that cooperate, divide a node's moves among them.

    Few need fewer places to divide, and each costs time: one search of Connect Four is as fast as 0.86 of one that does
    not cooperate where it marks what it enters 18 plies before the end, and as 0.94 from 24 plies on.
    """
    lowest = max(_depths(rules.namespace).values())  # where the table and the order of moves are used as well
    depth = max(lowest, rules.namespace.get("JOINT_DEPTH", lowest + 2))
    return int(depth + 2 * depth // (3 * searches))


def _kernel_text(rules: Rules, rules_name: str, features: Features, words: int) -> str:
    """The module of the kernel: a template with the game's functions and the features filled in."""
    defined = rules.namespace
    has = rules.compiled
    integer, players = defined.get("INTEGER", False), defined.get("PLAYERS", 2)
    vector = not defined.get("ZERO_SUM", players == 2)
    templates = TEMPLATES.get(features.algorithm, WINDOWED)
    parts = [(Path(__file__).parent / template).read_text().partition(MARK) for template in templates]
    constants = {
        "INTEGER": integer,
        "PRUNES": features.algorithm != "minimax",
        "TESTS": features.algorithm == "pvs",
        "TABLE": features.table,
        "ORDERED": features.ordered,
        "QUIESCENCE": features.quiescence,
        "SOLVING": features.solving,
        "JOINT": features.joint,
        "VECTOR": vector,
        "HISTORY": defined.get("HISTORY", "order" not in has),
        "HAS_KEY": "key" in has,
        "HAS_ORDER": "order" in has,
        "HAS_BOUNDS": "bounds" in has and not vector,
        "HAS_BOUNDS_WITHIN": "bounds_within" in has and not vector,
        "HAS_PLIES_LEFT": "plies_left" in has,
        "HAS_IS_FORCED": "is_forced" in has,
        "HAS_SUFFICIENT_MOVES": "sufficient_moves" in has and not vector,
        "HAS_COUNT_MOVES": "count_moves" in has,
        "WORDS": words,
        "PLAYERS": players,
        "MAX_MOVES": defined["MAX_MOVES"],
        "ENTRY": 2 if integer else 3,
        **_depths(defined),
    }
    loads = "".join(f"words[ply, {word}], " for word in range(words))
    stores = "\n".join(f"    words[ply, {word}] = state[{word}]" for word in range(words))
    return "\n".join(
        [
            f'"""{rules.name}: {features}"""',
            "import numpy as np",
            "from numba import njit as _njit",
            "from numpy import float64, int64, uint64",
            "from parsearch.native.bits import mix64",
            "from parsearch.native.overloads import prefetch",
            *(_layout_import(preamble) for preamble, _, _ in parts),
            f"import {rules_name} as _rules",
            "",
            "CACHE = True",
            f"inlined = {_INLINED}",
            "compiled = _njit(cache=CACHE, nogil=True, boundscheck=False, _nrt=False)",
            *(f"{name} = _rules.{name}" for name in (*COMPILED, *OPTIONAL) if name in has),
            *(f"{name} = {value!r}" for name, value in constants.items()),
            "INFINITY = 1 << 60" if integer else "INFINITY = np.inf",
            "",
            "",
            "@inlined",
            "def load(words, ply):",
            f"    return ({loads})",
            "",
            "",
            "@inlined",
            "def store(words, ply, state):",
            stores,
            "",
            *(body for _, _, body in parts),
        ]
    )


def _depths(defined: Mapping[str, Any]) -> dict[str, int]:
    """From how many plies before the end on a node is looked up and its moves are ordered."""
    return {name: max(2, defined.get(name, 2)) for name in ("TABLE_DEPTH", "ORDER_DEPTH")}


def _layout_import(preamble: str) -> str:
    """The statement with which a template imports the names of `layout`."""
    wanted = (node for node in ast.parse(preamble).body if getattr(node, "module", None) == "parsearch.native.layout")
    return ast.unparse(next(wanted))


def _digest(text: str) -> str:
    """A hash of all that the machine code of a module depends on, but for the processor: Numba itself looks at that."""
    digest = hashlib.sha256(text.encode())
    for part in (numba.__version__, np.__version__, platform.python_version(), os.environ.get("NUMBA_BOUNDSCHECK", "")):
        digest.update(part.encode())
    digest.update(_own_sources())
    return digest.hexdigest()[:32]


@memoize
def _own_sources() -> bytes:
    """Of the parts of parsearch that modules import: another version of them is another kernel."""
    folder = Path(overloads.__file__).parent
    return b"".join((folder / name).read_bytes() for name in ("bits.py", "overloads.py", "layout.py", "build.py"))


def _import(name: str, file: Path) -> ModuleType:
    if name in sys.modules:  # the rules, compiled for another kernel
        return sys.modules[name]
    spec = importlib.util.spec_from_file_location(name, file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # Numba looks a cached function's module up here
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    return module


def _execute(name: str, text: str) -> ModuleType:
    """The module without a file."""
    text = text.replace("CACHE = True", "CACHE = False")
    module = ModuleType(name)
    filename = f"<{name}>"
    linecache.cache[filename] = (len(text), None, text.splitlines(keepends=True), filename)
    sys.modules[name] = module
    exec(compile(text, filename, "exec"), vars(module))
    return module
