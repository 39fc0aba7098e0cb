"""Whatever lies in configs/ does its whole job, with less to search: on workers, or simulated."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
import yaml
from typer.testing import CliRunner, Result

from parsearch import load_game
from parsearch.cli import app
from parsearch.experiments.plan import read_plan

CONFIGS = Path(__file__).parents[1] / "configs"
TEXTS = {path.stem: path.read_text(encoding="utf-8") for path in sorted(CONFIGS.glob("*.yaml"))}
EXPERIMENTS = [name for name, text in TEXTS.items() if "searches:" in text]
PLIES = 8
SEARCHES = [name for name, text in TEXTS.items() if "\ngame:" in text]


def run(folder: Path, config: dict[str, Any], *arguments: str) -> Result:
    """A command with a config that lies where the others do, so that it finds the files that it names."""
    shutil.copytree(CONFIGS, folder / "configs")
    path = folder / "configs" / "smaller.yaml"
    path.write_text(yaml.safe_dump(config), encoding="utf-8")
    return CliRunner().invoke(app, [arguments[0], "--config", str(path), *arguments[1:]])


def near_the_end(game_text: str, text: str) -> str:
    """A position that can be solved at once: from another, the first move of each state until few plies are left."""
    game = load_game(game_text)
    state = game.parse_state(text)
    while (game.max_plies(state) or 0) > PLIES:
        following = game.play(state, game.legal_moves(state)[0])
        if game.is_terminal(following):
            break
        state = following
    return game.format_state(state)


def test_every_config_is_of_one_kind() -> None:
    assert {*EXPERIMENTS, *SEARCHES} == {*TEXTS} - {"calibration"}
    assert not {*EXPERIMENTS} & {*SEARCHES}


@pytest.mark.parametrize("name", SEARCHES)
def test_searches(name: str, tmp_path: Path, ray_cluster: Any) -> None:
    config = yaml.safe_load(TEXTS[name])
    smaller = config | {"limits": {"depth": 3, "seconds": 100}, "workers": 2, "offload": "always"}
    done = run(tmp_path, smaller, "search", "--json")
    assert done.exit_code == 0, done.output
    result = json.loads(done.stdout)
    assert (result["workers"], result["depth"], len(result["root_moves"]) > 0) == (2, 3, True)


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_experiments(name: str, tmp_path: Path, ray_cluster: Any) -> None:
    assert read_plan(CONFIGS / f"{name}.yaml").size > 0  # its own positions and depths are good as well
    config = yaml.safe_load(TEXTS[name])
    for search in config["searches"]:
        if "positions" in search and "depths" not in search:
            search["positions"] = [near_the_end(search["game"], str(search["positions"][0]))]
        else:
            search["depths"] = [2]
            search["positions"] = search.get("positions", [])[:1]
    smaller = config | {"repeats": 1, "outputs": ["md"]}
    done = run(tmp_path, smaller, "speedup", "--out", str(tmp_path / "out"))
    assert done.exit_code == 0, done.output
    rows = [json.loads(line) for line in (tmp_path / "out" / "rows.jsonl").read_text().splitlines()]
    counts = {count for backend in config["backends"] for count in backend["workers"]}
    assert {row["workers"] for row in rows} == {0, *counts}
    assert config["title"] in (tmp_path / "out" / "report.md").read_text()
