"""Why: a user's compiled game must run like ours, from wherever it was written, also where its file is not."""

from __future__ import annotations

import pickle
import subprocess
import sys
from pathlib import Path

import pytest

from parsearch.core.check import check_game
from parsearch.core.errors import GameError
from parsearch.native.engine import search, solve

SUBTRACTION = (Path(__file__).parent.parent / "subtraction.py").read_text()

SEARCH = """
from parsearch.native.engine import search

if __name__ == "__main__":
    for heap in (10, 9):
        game = Subtraction(heap)
        found = search(game, game.initial_state(), 12)
        print(game.name, found.value, found.line[0])
"""

ON_WORKERS = """
import os, sys
sys.path.insert(0, sys.argv[1])
import their_subtraction
from parsearch import Coordinator

if __name__ == "__main__":
    games = Subtraction(), their_subtraction.Subtraction(9)
    os.unlink(__file__)
    os.unlink(their_subtraction.__file__)
    with Coordinator(workers=2, offload="always") as coordinator:
        for game in games:
            for algorithm in ("minimax", "alphabeta"):
                result = coordinator.search(game, algorithm=algorithm)
                workers = {entry.worker for entry in result.root_moves}
                print(game.name, result.value, result.move, all(f":{os.getpid()}" not in one for one in workers))
"""

ARRIVES = """
import pickle, sys
from parsearch.native.engine import search

game = pickle.load(open(sys.argv[1], "rb"))
found = search(game, game.initial_state(), 12)
print(game.name, found.value, found.line[0])
"""


def run(*arguments: str, cwd: Path, seconds: float = 120) -> str:
    done = subprocess.run([sys.executable, *arguments], cwd=cwd, capture_output=True, text=True, timeout=seconds)
    assert done.returncode == 0, done.stderr
    return done.stdout


def load(folder: Path, monkeypatch: pytest.MonkeyPatch, name: str, source: str) -> None:
    (folder / f"{name}.py").write_text(source)
    monkeypatch.syspath_prepend(folder)


def test_from_a_script(tmp_path: Path) -> None:
    """With other constants too, for which the script is run again under another name."""
    (tmp_path / "script.py").write_text(SUBTRACTION + SEARCH)
    assert run("script.py", cwd=tmp_path) == "subtraction(10) 1 2\nsubtraction(9) 1 1\n"


def test_from_cells_of_a_notebook(tmp_path: Path) -> None:
    """As a kernel runs them: no file, but lines that `linecache` knows."""
    (tmp_path / "cells.py").write_text(
        "import linecache, sys, types\n"
        "main = sys.modules['__main__']\n"
        "main.__dict__.pop('__file__', None)\n"
        f"for number, cell in enumerate([{SUBTRACTION!r}, {SEARCH.replace('(10, 9)', '(10,)')!r}]):\n"
        "    name = f'<cell {number}>'\n"
        "    linecache.cache[name] = (len(cell), None, cell.splitlines(keepends=True), name)\n"
        "    exec(compile(cell, name, 'exec'), main.__dict__)\n"
    )
    assert run("cells.py", cwd=tmp_path) == "subtraction(10) 1 2\n"


def test_arrives_where_its_file_is_not(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    load(tmp_path, monkeypatch, "their_subtraction", SUBTRACTION)
    import their_subtraction  # type: ignore[import-not-found]

    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "game").write_bytes(pickle.dumps(their_subtraction.Subtraction(9)))
    (elsewhere / "arrives.py").write_text(ARRIVES)
    assert run("arrives.py", "game", cwd=elsewhere) == "subtraction(9) 1 1\n"


@pytest.mark.timeout(600)
@pytest.mark.ray
def test_works_on_workers_that_lack_its_file(tmp_path: Path) -> None:
    """From a script and from a module of its driver; both files are gone when workers start, and where they lay."""
    hidden, elsewhere = tmp_path / "hidden", tmp_path / "elsewhere"
    hidden.mkdir()
    elsewhere.mkdir()
    (hidden / "their_subtraction.py").write_text(SUBTRACTION)
    script = tmp_path / "script.py"
    script.write_text(SUBTRACTION + ON_WORKERS)
    lines = run(str(script), str(hidden), cwd=elsewhere, seconds=500).splitlines()
    assert lines == ["subtraction(10) 1 2 True"] * 2 + ["subtraction(9) 1 1 True"] * 2


@pytest.mark.parametrize(
    ("name", "old", "new", "line", "message"),
    [
        ("reason", "return state[0] == uint64(0)", "return state[0] == int(str(state[1]).zfill(3))", 34, "str"),
        ("signed", "return state[0] - uint64(move)", "return state[0] - move", 30, "play returns"),
        (
            "mover",
            "return int64(state[1])",
            "return state[1]",
            19,
            "not a signed integer; wrap what it returns and the lit",
        ),
        ("score", "return -1 if", "return -0.5 if", 39, "evaluate returns float64, not a signed integer"),
    ],
)
def test_a_compile_error_is_one_sentence_with_file_line_and_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, old: str, new: str, line: int, message: str
) -> None:
    load(tmp_path, monkeypatch, f"wrong_{name}", SUBTRACTION.replace(old, new))
    game = __import__(f"wrong_{name}").Subtraction()
    with pytest.raises(GameError) as caught:
        search(game, (10, 0), 3)
    text = str(caught.value)
    assert "\n" not in text
    assert message in text
    assert f"wrong_{name}.py, line " in text
    assert abs(int(text.partition("line ")[2].partition(":")[0]) - line) <= 2
    (failure,) = [failure for failure in check_game(game, games=1).failures if failure.clause == "rules compile"]
    assert message in failure.detail


def test_scores_that_wrap_around_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = SUBTRACTION.replace("import int64,", "import int64, uint8,")
    source = source.replace("def evaluate(state):", "def evaluate(state):\n    return uint8(1)\n\n\ndef unused(state):")
    load(tmp_path, monkeypatch, "unsigned_subtraction", source)
    with pytest.raises(GameError, match=r"line \d+: evaluate returns uint8, not a signed integer"):
        search(__import__("unsigned_subtraction").Subtraction(), (10, 0), 3)


@pytest.mark.parametrize(
    ("source", "message"),
    [
        (SUBTRACTION.replace("def play(state, move):", "def played(state, move):"), "does not define play"),
        (SUBTRACTION.replace("MAX_MOVES = 3\n", "MOST = 3\n").replace("MAX_MOVES)", "MOST)"), "MAX_MOVES"),
        (SUBTRACTION.replace("HEAP = 10", "HEAP = object()"), "uses the global HEAP, a object"),
    ],
)
def test_what_cannot_travel_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, source: str, message: str
) -> None:
    name = f"refused_{abs(hash(message))}"
    load(tmp_path, monkeypatch, name, source)
    with pytest.raises(GameError, match=message):
        __import__(name).Subtraction()


def test_a_subclass_that_overrides_a_rule_is_not_native(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    load(tmp_path, monkeypatch, "base_subtraction", SUBTRACTION)
    import base_subtraction  # type: ignore[import-not-found]

    class Generous(base_subtraction.Subtraction):  # type: ignore[misc]
        def evaluate(self, state: tuple[int, ...]) -> int:
            return 5

    assert base_subtraction.Subtraction().is_native
    assert not Generous().is_native


def test_bounds_that_exclude_the_value_end_solving(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each question is then answered against the one before; asking on would never end."""
    source = SUBTRACTION.replace("def max_plies", "def bounds(state):\n    return 1, -1\n\n\ndef max_plies")
    load(tmp_path, monkeypatch, "boundless_subtraction", source)
    game = __import__("boundless_subtraction").Subtraction()
    with pytest.raises(
        GameError, match=r"subtraction\(10\) is worth at least 1 and at most -1 at '\(10, 0\)'.*mend bounds"
    ):
        solve(game, (10, 0))
