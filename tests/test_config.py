"""A config that is wrong must say so, with file and key, before a search runs for an hour on something else."""

from pathlib import Path

import pytest

from parsearch.config import ExperimentConfig, SearchConfig, load_config
from parsearch.core.errors import ConfigError
from parsearch.core.limits import Limits


def load(folder: Path, text: str) -> SearchConfig:
    path = folder / "search.yaml"
    path.write_text(text, encoding="utf-8")
    return load_config(path, SearchConfig)


def test_everything_that_can_be_said(tmp_path: Path) -> None:
    config = load(
        tmp_path,
        "game: connect4\nstate: 44444\nmoves: 4 3\nalgorithm: pvs\nlimits: {depth: 9, seconds: 2, nodes: 1000}\n"
        "workers: 2\naddress: local\noffload: always\nall_moves: true\nray_options: {namespace: mine}\n",
    )
    assert config.limits.limits() == Limits(9, 2, 1000)
    assert (config.game, config.state, config.moves, config.algorithm) == ("connect4", "44444", "4 3", "pvs")
    assert (config.workers, config.address, config.offload) == (2, "local", "always")
    assert config.all_moves
    assert config.ray_options == {"namespace": "mine"}


def test_all_may_be_left_out(tmp_path: Path) -> None:
    assert load(tmp_path, "game: nim") == SearchConfig(game="nim")


@pytest.mark.parametrize(
    "written", ["44444", "3,4,5", "044", "1_0", "1:30", "0x1F", "no", "2024-01-01", "-0", "---------", "9" * 5000]
)
def test_a_state_is_the_text_that_was_written(tmp_path: Path, written: str) -> None:
    """Plain YAML 1.1 makes 36, 10, 90, 31, False and a date of some of these."""
    assert load(tmp_path, f"state: {written}\nmoves: '{written}'").state == written


@pytest.mark.parametrize("written", ["3.10", "1e5", "true", "[[3,12],[2,4]]", "{a: 1}"])
def test_what_yaml_makes_something_else_of_must_be_quoted(tmp_path: Path, written: str) -> None:
    with pytest.raises(ConfigError, match=r"search\.yaml: state: .* put it in quotes"):
        load(tmp_path, f"state: {written}")
    assert load(tmp_path, f"state: '{written}'").state == written


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("gmae: nim", "there is no key 'gmae' (did you mean 'game'?); use game, state,"),
        ("limits: {dept: 3}", "limits: there is no key 'dept' (did you mean 'depth'?); use depth, seconds, nodes"),
        ("7: nim", "there is no key 7; use game,"),
        ("game: 3", "game must be text, not 3"),
        ("limits: 3", "limits must be a mapping of keys to values, not 3"),
        ("limits: {depth: 3.5}", "limits.depth must be a whole number, not 3.5"),
        ("limits: {nodes: 1e6}", "limits.nodes must be a whole number, not 1000000.0"),
        ("limits: {seconds: soon}", "limits.seconds must be a number, not 'soon'"),
        ("limits: {seconds: 0}", "limits: seconds must be finite and more than 0, not 0.0"),
        ("limits: {depth: -1}", "limits: depth must be a whole number, 0 or more, not -1"),
        ("workers: -1", "workers must be 0 or more, not -1"),
        ("workers: '2'", "workers must be a whole number, not '2'"),
        ("all_moves: yes", "all_moves must be true or false, not 'yes'"),
        ("offload: never", "offload must be 'auto' or 'always', not 'never'"),
        ("ray_options: []", "ray_options must be a mapping of keys to values, not []"),
        ("", "is empty; write keys and values"),
        ("# nothing", "is empty; write keys and values"),
        ("- game", "is not a mapping; write keys and values"),
        ("game: [", "is not YAML: line 1: "),
        ("game: nim\ngame: mnk", "is not YAML: line 2: the key 'game' stands twice"),
        ("game: !!python/name:os.system", "is not YAML: line 1: "),
        ("[" * 5000, "is not YAML: "),
    ],
)
def test_faults_name_the_file_and_the_key_in_one_line(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        load(tmp_path, text)
    assert message in str(caught.value)
    assert str(tmp_path / "search.yaml") in str(caught.value)
    assert "\n" not in str(caught.value)


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"none\.yaml: No such file"):
        load_config(tmp_path / "none.yaml", SearchConfig)
    with pytest.raises(ConfigError, match="Is a directory"):
        load_config(tmp_path, SearchConfig)
    (tmp_path / "latin.yaml").write_bytes(b"game: n\xefm")
    with pytest.raises(ConfigError, match=r"latin\.yaml is not UTF-8"):
        load_config(tmp_path / "latin.yaml", SearchConfig)


SEARCH = "searches: [{game: nim}]\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (SEARCH, "backends is missing; add it"),
        ("searches: []\nbackends: [{kind: ray, workers: [1]}]", "searches is empty; list at least 1"),
        (SEARCH + "backends: [{kind: ray, workers: []}]", "backends.0.workers is empty; list at least 1"),
        (SEARCH + "backends: [{kind: ray, workers: [0]}]", "backends.0.workers.0 must be 1 or more, not 0"),
        (SEARCH + "backends: [{kind: mpi, workers: [1]}]", "backends.0.kind must be 'ray' or 'simulated', not 'mpi'"),
        (SEARCH + "backends: [{kind: simulated, workers: [1]}]", "calibration is missing; name the file"),
        (
            SEARCH + "backends: [{kind: simulated, workers: [1], calibration: c.yaml, address: a}]",
            "address means nothing to kind simulated; leave it out",
        ),
        (
            SEARCH + "backends: [{kind: simulated, workers: [4, 12], calibration: c.yaml, nodes_per_machine: 8}]",
            "12 workers do not fill machines of 8; use a multiple of 8",
        ),
        (
            "searches: [{game: nim, positions: [44, 4.5]}]\nbackends: [{kind: ray, workers: [1]}]",
            "searches.0.positions.1: YAML reads this as 4.5",
        ),
        (
            "searches: [{game: nim, positions: [44], suite: many}]\nbackends: [{kind: ray, workers: [1]}]",
            "positions and suite both name positions; keep one of them",
        ),
        (SEARCH + "backends: [{kind: ray, workers: [1]}]\noutputs: [pdf]", "outputs.0 must be 'md', 'html', 'svg' or"),
        (
            SEARCH + "backends: [{kind: simulated, workers: [2], calibration: a.yaml}, "
            "{kind: simulated, workers: [1, 2], calibration: b.yaml, nodes_per_machine: 2}]",
            "backends.0 and backends.1 have the same kind, address and number of workers on a machine",
        ),
        (
            SEARCH + "backends: [{kind: ray, workers: [1]}, {kind: simulated, workers: [1], calibration: a.yaml}, "
            "{kind: ray, workers: [2]}]",
            "backends.0 and backends.2 have the same kind, address",
        ),
    ],
)
def test_faults_of_experiments_name_the_place(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "experiment.yaml"
    path.write_text(text)
    with pytest.raises(ConfigError) as caught:
        load_config(path, ExperimentConfig)
    assert message in str(caught.value)


def test_backends_that_differ_in_their_rows_stand_side_by_side(tmp_path: Path) -> None:
    path = tmp_path / "experiment.yaml"
    path.write_text(
        SEARCH + "backends:\n"
        "- {kind: ray, workers: [2]}\n- {kind: ray, workers: [2], address: 'head:6379'}\n"
        "- {kind: simulated, workers: [2, 4], calibration: a.yaml}\n"
        "- {kind: simulated, workers: [2, 4], calibration: b.yaml, nodes_per_machine: 2}\n"
    )
    assert [backend.machine for backend in load_config(path, ExperimentConfig).backends] == [None, None, 4, 2]
