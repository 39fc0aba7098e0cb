"""Imports point one way (DESIGN, section 3); a wrong arrow fails here before it becomes a knot."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import parsearch

ROOT = Path(parsearch.__file__).parent

SEES = {
    "core": {"core"},
    "native": {"core", "native"},
    "games": {"core", "native", "games"},
    "algorithms": {"core", "algorithms"},
    "parallel": {"core", "native", "games", "algorithms", "parallel"},
    "config": {"core", "games", "config"},
}
"""The rooms that each room may import; experiments, cli and what is on top may import all below them."""
SEES[""] = {*SEES["parallel"], ""}  # parsearch/__init__.py
SEES["experiments"] = {*SEES["parallel"], "", "config", "experiments"}
SEES["cli"] = {*SEES["experiments"], "cli"}
SEES["__main__"] = {*SEES["cli"], "__main__"}


def room_of(name: str) -> str:
    """The room of a top-level file or folder: the command line is cli.py and several cli_*.py."""
    return "cli" if name.startswith("cli_") else name


def imported(source: str, package: str) -> set[str]:
    """Dotted names that a module of `package` imports anywhere, also inside functions."""
    names = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            parent = package.split(".")[: len(package.split(".")) + 1 - node.level] if node.level else []
            base = ".".join([*parent, *([node.module] if node.module else [])])
            names |= {f"{base}.{alias.name}" for alias in node.names}
    return names


def wrong_arrows(path: str, source: str) -> list[str]:
    """What a file (named from parsearch/) imports and must not."""
    parts = path.removesuffix(".py").split("/")
    room = "" if parts == ["__init__"] else room_of(parts[0])
    names = imported(source, ".".join(["parsearch", *parts[:-1]]))
    tops = {name.split(".")[0] for name in names}
    wrong = []
    rooms_and_files = {room_of(entry.stem) for entry in ROOT.iterdir()}
    for name in sorted(names):
        if name.split(".")[0] == "parsearch":
            target = room_of(name.split(".")[1]) if "." in name else ""
            target = target if target in rooms_and_files | set(SEES) else ""
            if target not in SEES[room]:
                wrong.append(f"{path} imports {name}")
    if "ray" in tops and not (room == "parallel" and parts[-1].startswith("ray_")):
        wrong.append(f"{path} imports ray")
    compiled = room == "games" and any(name.startswith("parsearch.native") for name in names)
    if "numba" in tops and room != "native" and not compiled:
        wrong.append(f"{path} imports numba")
    return wrong


FILES = sorted(path.relative_to(ROOT).as_posix() for path in ROOT.rglob("*.py"))


@pytest.mark.parametrize("path", FILES)
def test_arrows(path: str) -> None:
    assert wrong_arrows(path, (ROOT / path).read_text(encoding="utf-8")) == []


@pytest.mark.parametrize(
    ("path", "source"),
    [
        ("core/game.py", "from parsearch.algorithms import minimax"),
        ("core/game.py", "def late():\n    import parsearch.games.registry"),
        ("core/game.py", "from parsearch import load_game"),
        ("core/game.py", "from ..games import registry"),
        ("algorithms/pvs.py", "from parsearch.games import load_game"),
        ("games/nim.py", "from parsearch import algorithms"),
        ("games/nim.py", "import numba"),
        ("native/kernel.py", "from parsearch.games import nim"),
        ("parallel/split.py", "import ray"),
        ("parallel/split.py", "from parsearch.experiments import speedup"),
        ("config.py", "from parsearch.parallel import coordinator"),
        ("experiments/speedup.py", "from parsearch.cli import main"),
        ("__init__.py", "import numba"),
    ],
)
def test_a_wrong_arrow_is_seen(path: str, source: str) -> None:
    assert wrong_arrows(path, source) != []


@pytest.mark.parametrize(
    ("path", "source"),
    [
        ("core/game.py", "from parsearch.core.errors import GameError"),
        ("games/nim.py", "from . import tree"),
        ("games/othello.py", "import numba\nfrom parsearch.native import bits"),
        ("parallel/ray_backend.py", "import ray.exceptions"),
        ("config.py", "from parsearch.games import load_game"),
        ("__main__.py", "from parsearch.cli import main"),
    ],
)
def test_a_right_arrow_is_let_through(path: str, source: str) -> None:
    assert wrong_arrows(path, source) == []


def test_import_parsearch_pays_for_neither_ray_nor_numba() -> None:
    code = "import sys, parsearch; print(*[m for m in ('ray', 'numba', 'numpy') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT.parent)
    assert done.stdout.split() == []
