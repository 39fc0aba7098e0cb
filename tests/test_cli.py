"""The command line is a promise to shells and scripts: what reaches stdout, and exit codes."""

import json
import os
import pty
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import parsearch
from command import ENVIRONMENT, PARSEARCH
from parsearch.cli import app
from parsearch.games.registry import GAMES

NOISY = """
import atexit, ctypes, os, subprocess, sys
from parsearch.games.mnk import Mnk

def c_noise():
    ctypes.CDLL(None).printf(b"noise")

def shout():
    print("noise")
    sys.__stdout__.write("noise")
    os.write(1, b"noise")
    c_noise()
    subprocess.run(["echo", "noise"])

shout()
atexit.register(print, "noise")
os.environ.setdefault("DRIVER", str(os.getpid()))  # workers inherit it

class Noisy(Mnk):
    def __init__(self):
        super().__init__(3, 3, 3)
        self.name = "noisy"
        shout()

    def play(self, state, move):
        if os.getpid() != int(os.environ["DRIVER"]) and not os.path.exists(os.environ["DRIVER"]):
            open(os.environ["DRIVER"], "w").close()
            os.kill(os.getpid(), 9)  # once, which Ray reports
        print("noise", os.getpid())
        os.write(1, b"noise")
        c_noise()
        return super().play(state, move)

    def format_move(self, state, move):
        print("noise")
        return super().format_move(state, move)
"""

BROKEN = """
from parsearch.games.mnk import Mnk

class Broken(Mnk):
    def __init__(self, method):
        super().__init__(3, 3, 3)
        setattr(self, method, self.fail)

    def fail(self, *_):
        raise RuntimeError("oops")
"""


def run(*arguments: str) -> Any:
    return CliRunner().invoke(app, [*arguments])


def shell(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*PARSEARCH, *arguments], cwd=folder, env=ENVIRONMENT, capture_output=True, text=True, timeout=120
    )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a user's modules."""
    (tmp_path / "mygame.py").write_text(NOISY)
    (tmp_path / "broken.py").write_text(BROKEN)
    return tmp_path


def test_search_gives_move_value_and_line() -> None:
    result = run("search", "tictactoe", "--state", "XX-OO----", "--workers", "0")
    assert result.exit_code == 0
    lines = dict(line.split(maxsplit=1) for line in result.stdout.splitlines())
    assert (lines["move"], lines["value"], lines["line"]) == ("c1", "1 for player 0", "c1")
    said = [line for line in result.stderr.splitlines() if not line.startswith("compiling ")]  # at a first search only
    assert said == []


def test_moves_are_played_from_the_state() -> None:
    result = run("search", "connect4", "--state", "44", "--moves", "4,4 3", "--depth", "1", "--workers", "0", "--json")
    assert json.loads(result.stdout)["state"] == "44443"


def test_json_is_the_result_as_a_dict() -> None:
    game = parsearch.load_game("nim")
    answer = json.loads(run("search", "nim", "--depth", "3", "--all-moves", "--workers", "0", "--json").stdout)
    expected = parsearch.search(game, limits=parsearch.Limits(depth=3), all_moves=True, workers=0).to_dict()
    for effort in ("nodes", "seconds", "root_moves"):  # a search that can be stopped deepens step by step
        del answer[effort], expected[effort]
    assert answer == expected


def test_all_moves_come_with_their_values() -> None:
    result = run("search", "tictactoe", "--state", "XX-OO----", "--all-moves", "--workers", "0")
    assert "best moves  c1\n" not in result.stdout
    assert [line.split()[:3] for line in result.stdout.splitlines()[-5:]] == [
        ["c1", "1", "exact"],
        ["c2", "0", "exact"],
        ["a3", "-1", "exact"],
        ["b3", "-1", "exact"],
        ["c3", "-1", "exact"],
    ]


def test_perft_counts_from_the_position_after_the_moves() -> None:
    options = ["perft", "tictactoe", "--state", "XO-------", "--moves", "a2 b2", "--depth", "3"]
    counts = json.loads(run(*options, "--json", "--divide").stdout)
    assert counts["state"] == "XO-XO---- X"
    assert (counts["nodes"], counts["finished"]) == (12 + 3 * 9, 4)  # a3 wins, and after all others but b3 so does b3
    assert run(*options, "--divide").stdout.splitlines()[0] == "c1: 9 + 1 finished"


def test_without_limits_it_stops_once_the_value_is_proven() -> None:
    result = run("search", "tictactoe", "--workers", "0", "--json")
    answer = json.loads(result.stdout)
    assert answer["complete"]
    assert answer["seconds"] < 10


def test_a_terminal_state_has_no_move() -> None:
    assert "move       none\n" in run("search", "tictactoe", "--state", "XXXOO---- O", "--workers", "0").stdout


def test_options_override_the_config(tmp_path: Path) -> None:
    path = tmp_path / "nim.yaml"
    path.write_text(
        "game: nim\nstate: 3,4\nmoves: 0:1\nalgorithm: minimax\nworkers: 0\nlimits: {depth: 2, nodes: 9999}\n"
    )

    def asked(*options: str) -> tuple[str, str, str, int]:
        result = run("search", *options, "--config", str(path), "--json")
        assert result.exit_code == 0, result.stderr
        answer = json.loads(result.stdout)
        return answer["game"], answer["state"], answer["algorithm"], answer["depth"]

    assert asked() == ("nim", "2,4 1", "minimax", 2)
    assert asked("--depth", "1") == ("nim", "2,4 1", "minimax", 1)  # the limit in nodes stays
    assert asked("--nodes", "3") == ("nim", "2,4 1", "minimax", 0)  # the limit in depth stays
    assert asked("--algorithm", "pvs") == ("nim", "2,4 1", "pvs", 2)
    assert asked("--moves", "1:4") == ("nim", "3,0 1", "minimax", 2)
    assert asked("--state", "1,1") == ("nim", "1,1", "minimax", 2)  # the config's moves belong to its state
    assert asked("tictactoe") == ("tictactoe", "--------- X", "minimax", 2)  # and its state to its game
    assert asked("nim", "--depth", "1") == ("nim", "2,4 1", "minimax", 1)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["search"], "no game is given; name one"),
        (["search", "conect4"], "did you mean connect4?"),
        (["search", "nosuchmodule:Game"], "there is no module 'nosuchmodule'"),
        (["search", "connect4", "--state", "48"], "'8' (character 2) is not a column from 1 to 7"),
        (["search", "connect4", "--moves", "4 0"], "'0' is no legal move"),
        (["search", "connect4", "--algorithm", "mcts"], "use one of minimax, alphabeta, pvs"),
        (["search", "nim(3)", "--algorithm", "pvs"], "use one of maxn, paranoid"),
        (["search", "connect4", "--time", "0"], "seconds must be finite and more than 0"),
        (["search", "connect4", "--time", "nan"], "seconds must be finite and more than 0"),
        (["search", "connect4", "--depth", "-1"], "depth must be a whole number, 0 or more, not -1"),
        (["search", "connect4", "--nodes", "0"], "nodes must be a whole number, 1 or more, not 0"),
        (["search", "connect4", "--workers", "-1"], "workers must be a whole number, 0 or more, not -1"),
        (["search", "chess", "--algorithm", "minimax", "--quiescence", "--depth", "1"], "use alphabeta or pvs"),
        (["search", "connect4", "--depth", "3", "--table", "99999999999"], "does not fit in memory"),
        (["search", "connect4", "--depth", "3", "--table", "-1"], "0 in a search is for none"),
        (["search", "--config", "none.yaml"], "none.yaml: No such file or directory"),
        (["speedup", "--config", "none.yaml", "--out", "."], "none.yaml: No such file or directory"),
        (["report", "none"], "cannot read 'none/experiment.json'"),
        (["calibrate", "--config", "none.yaml", "--out", "o.yaml"], "none.yaml: No such file or directory"),
        (["calibrate", "--out", "/nowhere/o.yaml"], "/nowhere/o.yaml cannot be written"),
        (["check", "conect4"], "did you mean connect4?"),
    ],
)
def test_bad_input_is_one_sentence_on_stderr(options: list[str], message: str) -> None:
    result = run(*options)
    assert result.exit_code == 2
    assert message in result.stderr
    assert result.stderr.count("\n") == 1
    assert result.stdout == ""


@pytest.mark.ray
def test_options_that_ray_refuses_are_one_sentence(tmp_path: Path) -> None:
    config = tmp_path / "strange.yaml"
    config.write_text("game: nim\nworkers: 1\noffload: always\nray_options: {nosuch: 3}")
    done = shell(tmp_path, "search", "--config", str(config), "--depth", "2")
    assert done.returncode == 2
    assert done.stderr.splitlines() == [
        "parsearch: the ray_options {'nosuch': 3} cannot be used: "
        "RuntimeError: Unknown keyword argument(s): nosuch; correct them"
    ]


@pytest.mark.parametrize("options", [["--depth", "x"], ["--nosuch"], ["a", "b"]])
def test_usage_errors_are_exit_code_2(options: list[str]) -> None:
    assert run("search", "connect4", *options).exit_code == 2


def test_games_lists_every_game() -> None:
    result = run("games")
    assert result.exit_code == 0
    words = " ".join(result.stdout.replace("│", " ").split())  # long lines are wrapped
    for name, entry in GAMES.items():
        assert all(text in words for text in (name, entry.signature, entry.example, entry.description))


def test_check_says_what_holds() -> None:
    result = run("check", "tictactoe", "--games", "2", "--seed", "1")
    assert result.exit_code == 0
    assert "of 2 random games, every clause holds" in result.stdout


def test_check_fails_where_a_clause_is_broken(folder: Path) -> None:
    done = shell(folder, "check", "broken:Broken(evaluate)")
    assert done.returncode == 1
    assert "tictactoe: evaluate: raised RuntimeError: oops" in done.stdout


def test_version() -> None:
    assert run("--version").stdout == f"parsearch {parsearch.__version__}\n"


@pytest.mark.parametrize("workers", ["0", pytest.param("2", marks=pytest.mark.ray)])
def test_only_the_json_object_reaches_stdout(folder: Path, workers: str) -> None:
    """A user's game prints, its C code and its children do: while imported, in this process and in workers, at exit.
    So does Ray, when a worker dies."""
    config = folder / "noisy.yaml"
    config.write_text("game: mygame:Noisy\nlimits: {depth: 3}\noffload: " + ("always" if workers == "2" else "auto"))
    done = shell(folder, "search", "--config", str(config), "--workers", workers, "--json")
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    assert done.stdout.count("\n") == 1
    assert (answer["game"], answer["move"], answer["workers"]) == ("noisy", "a1", int(workers))
    assert done.stderr.count("noise") > 10
    killed = [path for path in folder.iterdir() if path.name.isdigit()]
    assert len(killed) == (1 if workers == "2" else 0)


@pytest.mark.parametrize("command", ["search", "play"])
@pytest.mark.parametrize("method", ["initial_state", "to_move", "legal_moves", "play", "evaluate", "format_move"])
def test_what_a_users_game_raises_is_one_sentence(folder: Path, command: str, method: str) -> None:
    runner = CliRunner()
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.setattr(sys, "path", list(sys.path))
        patch.delitem(sys.modules, "broken", raising=False)
        options = [command, f"broken:Broken({method})", "--depth", "2", "--workers", "0"]
        options += ["--player", "1"] if command == "play" else []
        result = runner.invoke(app, options)
        patch.delitem(sys.modules, "broken", raising=False)
    assert result.exit_code == 1, result.output
    said = [line for line in result.stderr.splitlines() if line.startswith("parsearch: ")]
    assert len(said) == 1
    assert "raised RuntimeError: oops" in said[0]
    assert "Traceback" not in result.stderr


def test_the_traceback_of_a_broken_game_is_there_for_its_author(folder: Path) -> None:
    result = subprocess.run(
        [*PARSEARCH, "search", "broken:Broken(evaluate)", "--workers", "0"],
        cwd=folder, env={**ENVIRONMENT, "PARSEARCH_TRACEBACK": "1"}, capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    assert result.returncode == 1
    assert "broken.py" in result.stderr


WRITERS = [["games"], ["search", "tictactoe", "--workers", "0"], ["play", "nim"]]


@pytest.mark.parametrize("arguments", WRITERS)
def test_a_closed_pipe_is_no_traceback(arguments: list[str]) -> None:
    read, write = os.pipe()
    os.close(read)
    process = subprocess.Popen(
        [*PARSEARCH, *arguments], env=ENVIRONMENT, stdin=subprocess.DEVNULL, stdout=write, stderr=subprocess.PIPE
    )
    os.close(write)
    _, errors = process.communicate(timeout=60)
    assert b"Traceback" not in errors
    assert b"Exception ignored" not in errors
    assert b"mend the game" not in errors


@pytest.mark.parametrize("arguments", [*WRITERS, ["perft", "tictactoe", "--depth", "2"], ["--help"]])
def test_a_full_disk_is_one_sentence(arguments: list[str]) -> None:
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [*PARSEARCH, *arguments], env=ENVIRONMENT, stdin=subprocess.DEVNULL, stdout=full, stderr=subprocess.PIPE,
            text=True, timeout=60,
        )  # fmt: skip
    assert done.returncode == 1
    said = [line for line in done.stderr.splitlines() if not line.startswith("compiling ")]
    assert said == ["parsearch: the output cannot be written (No space left on device); send it elsewhere"]


def test_the_live_table_is_drawn_on_a_terminal_and_fits_it() -> None:
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [*PARSEARCH, "search", "tictactoe", "--workers", "0"],
        env=ENVIRONMENT | {"TERM": "xterm", "LINES": "24"}, stdin=theirs, stdout=subprocess.PIPE, stderr=theirs,
    )  # fmt: skip
    os.close(theirs)
    drawn = b""
    try:
        while piece := os.read(ours, 4096):
            drawn += piece
    except OSError:  # Linux's way to say that the other end is closed
        pass
    os.close(ours)
    out, _ = process.communicate(timeout=60)
    text = drawn.decode()
    assert "tictactoe: depth 9" in text
    assert "≤ 0" in text
    assert max(map(len, text.splitlines())) <= 80 + len("\x1b[2K\x1b[1A") * 24
    assert b"move       a1" in out
