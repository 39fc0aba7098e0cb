"""The README's Python runs as it stands, and its game keeps the contract: documentation that fails when it lies."""

from __future__ import annotations

import re
import textwrap
from pathlib import Path
from typing import Any

import pytest

import parsearch

ROOT = Path(__file__).parent.parent
BLOCKS = [
    textwrap.dedent(block)
    for block in re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), re.DOTALL)
]


@pytest.mark.ray
def test_the_example_runs(capsys: pytest.CaptureFixture[str]) -> None:
    exec(compile(BLOCKS[0], "README.md", "exec"), {"__name__": "readme"})
    assert "move" in capsys.readouterr().out


def test_the_game_to_add_keeps_the_contract_and_is_solved() -> None:
    names: dict[str, Any] = {"__name__": "readme"}
    exec(compile(BLOCKS[1], "README.md", "exec"), names)
    game = names["Countdown"]()
    assert parsearch.check_game(game).ok
    result = parsearch.search(game, workers=0)
    assert (result.value, result.move) == (1, 1)  # leave a multiple of four
    assert len(BLOCKS) == 2


def test_what_the_readme_names_is_there() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert not re.findall(r"^[A-Z_]+$", text, re.MULTILINE)  # a place that was never filled
    for path in re.findall(r"(?:configs|scripts|parsearch)/[\w./*-]+\w", text):
        assert list(ROOT.glob(path)), path
