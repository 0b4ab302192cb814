"""Bad input of every kind: one line on stderr that names the place, exit code 2, no traceback."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from rich.text import Text

from engine.base.json_text import as_json
from engine.sessions import SessionStore
from engine.text.model_files import find_model_path
from tests.conftest import CommandLine
from tui.cli.app import run_command_line
from tui.cli.shared.console import as_text
from tui.cli.shared.start import run_to_exit_code
from tui.look.safe import escape

CSV = "slice_id,pv_object_type\na,car\nb,car\n"


@pytest.fixture
def files(tmp_path: Path) -> Path:
    (tmp_path / "ok.csv").write_text(CSV)
    np.savez(tmp_path / "ok.npz", ids=np.array(["a", "b"]), embeddings=np.eye(2, dtype=np.float32))
    (tmp_path / "empty.csv").write_text("")
    (tmp_path / "header.csv").write_text("slice_id,pv_object_type\n")
    (tmp_path / "no_id.csv").write_text("clip,pv_object_type\na,car\n")
    (tmp_path / "no_group.csv").write_text("slice_id,colour\na,red\n")
    (tmp_path / "twice.csv").write_text(CSV + "a,bus\n")
    (tmp_path / "binary.csv").write_bytes(bytes(range(256)) * 4)
    (tmp_path / "escape.csv").write_text(
        'slice_id,pv_object_type\n"a\x1b]0;x\x07",car\n"a\x1b]0;x\x07",car\n'
    )
    nan = np.float32([[1, 0], [np.nan, 1]])
    np.savez(tmp_path / "nan.npz", ids=np.array(["a", "b"]), embeddings=nan)
    np.savez(tmp_path / "zero.npz", ids=np.array(["a", "b"]), embeddings=np.zeros((2, 2), "f4"))
    np.savez(tmp_path / "other.npz", ids=np.array(["x"]), embeddings=np.ones((1, 2), "f4"))
    np.save(tmp_path / "alone.npy", np.eye(2, dtype=np.float32))
    np.save(tmp_path / "pickled.npy", np.array([{"a": 1}], dtype=object), allow_pickle=True)
    (tmp_path / "broken.parquet").write_bytes(b"PAR1 nonsense PAR1")
    (tmp_path / "words.json").write_text('{"object_type": "car"}')
    (tmp_path / "deep.json").write_text("[" * 100_000)
    (tmp_path / "bad.jsonl").write_text('{"q": "a"}\n{"q": \n')
    return tmp_path


RUN = ("run", "--mode", "video", "--annotations")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((*RUN, "nowhere.csv", "--embeddings", "ok.npz"), ["nowhere.csv", "no such file"]),
        ((*RUN, "empty.csv", "--embeddings", "ok.npz"), ["empty.csv", "is empty"]),
        ((*RUN, "header.csv", "--embeddings", "ok.npz"), ["header.csv", "no clips"]),
        ((*RUN, "no_id.csv", "--embeddings", "ok.npz"), ["no_id.csv", "slice_id", "clip"]),
        ((*RUN, "no_group.csv", "--embeddings", "ok.npz"), ["no_group.csv", "colour"]),
        ((*RUN, "twice.csv", "--embeddings", "ok.npz"), ["line 4", "line 2", "--duplicates merge"]),
        ((*RUN, "binary.csv", "--embeddings", "ok.npz"), ["binary.csv", "not a text file"]),
        ((*RUN, ".", "--embeddings", "ok.npz"), ["is a folder"]),
        ((*RUN, "ok.csv", "--embeddings", "nan.npz"), ["nan.npz", "row 1", "NaN"]),
        ((*RUN, "ok.csv", "--embeddings", "zero.npz"), ["zero.npz", "all zeros"]),
        ((*RUN, "ok.csv", "--embeddings", "other.npz"), ["other.npz", "no id is also"]),
        ((*RUN, "ok.csv", "--embeddings", "alone.npy"), ["alone.npy", "--ids"]),
        ((*RUN, "ok.csv", "--embeddings", "pickled.npy"), ["pickled.npy", "pickle"]),
        ((*RUN, "ok.csv", "--embeddings", "broken.parquet"), ["broken.parquet"]),
        ((*RUN, "ok.csv", "--embeddings", "ok.csv"), ["ok.csv", ".parquet"]),
        ((*RUN, "ok.csv"), ["no embeddings", "--embeddings"]),
        ((*RUN, "ok.csv", "--embeddings", "ok.npz", "--k", "0"), ["--k is '0'"]),
        ((*RUN, "ok.csv", "--embeddings", "ok.npz", "--k", "five"), ["--k is 'five'"]),
        ((*RUN, "ok.csv", "--embeddings", "ok.npz", "--groups", "colour"), ['group "colour"']),
        ((*RUN, "ok.csv", "--embeddings", "ok.npz", "--keywords", "cars"), ['"cars"', "car"]),
        (
            (*RUN, "ok.csv", "--embeddings", "ok.npz", "--metrics", "Recal@5"),
            ["Recal@5", "Recall@k"],
        ),
        ((*RUN, "ok.csv", "--embeddings", "ok.npz", "--profile", "x"), ["profile", "alfa, ir"]),
        ((*RUN, "ok.csv", "--embeddings", "ok.npz", "--videos", "zz"), ['no clip "zz"']),
        ((*RUN, "ok.csv", "--embeddings", "ok.npz", "--metric", "l7"), ["metric 'l7'"]),
        ((*RUN, "ok.csv", "--embeddings", "ok.npz", "--limit", "0"), ["limit"]),
        ((*RUN, "ok.csv", "--embeddings", "ok.npz", "--out", "no/where.json"), ["does not exist"]),
        ((*RUN, "ok.csv", "--embeddings", "ok.npz", "--per-query", "x.xls"), [".csv, .jsonl"]),
        ((*RUN, "ok.csv", "--embeddings", "ok.npz", "--min-similarity", "nan"), ["finite"]),
        ((*RUN, "ok.csv", "--embeddings", "ok.npz", "--sample", "0"), ["sample of 0"]),
        (
            (*RUN, "ok.csv", "--embeddings", "ok.npz", "--sample", "1", "--seed", "-1"),
            ["seed is -1"],
        ),
        (
            (*RUN, "ok.csv", "--embeddings", "ok.npz", "--depth", "2", "--metrics", "AP"),
            ["depth of 2"],
        ),
        ((*RUN, "ok.csv", "--embeddings", "ok.npz", "--videos", "x" * 5000), ["no clip"]),
        ((*RUN, "ok.csv", "--embeddings", "ok.npz", "--videos", ","), ["empty"]),
        ((*RUN, "ok.csv", "--embeddings", "ok.npz", "--json", "--format", "csv"), ["--format csv"]),
        (
            (*RUN, "ok.csv", "--embeddings", "nan.npz", "--json", "--format", "csv"),
            ["--format csv"],
        ),
        ((*RUN, "ok.csv", "--embeddings", "ok.npz", "--out", "/proc/x.txt"), ["cannot be written"]),
        (("search", "\udcff car"), ["not valid Unicode"]),
        (("search", "car " * 5000), ["20,000 characters"]),
        (
            (*RUN, "ok.csv", "--embeddings", "ok.npz", "--out", "ok.csv"),
            ["ok.csv", "an input of this command"],
        ),
        (
            (*RUN, "ok.csv", "--embeddings", "ok.npz", "--out", "x.csv", "--per-query", "x.csv"),
            ["x.csv", "is named for two outputs"],
        ),
        ((*RUN, "ok.csv", "--embeddings", "ok.npz", "--groups", ","), ["empty"]),
        ((*RUN, "ok.csv", "--embeddings", "ok.npz", "--out", "x" * 300), ["cannot be written"]),
        ((*RUN, "/dev/zero", "--embeddings", "ok.npz"), ["/dev/zero", "regular file"]),
        (("map", "x", "--vocabulary", "deep.json"), ["deep.json", "not valid JSON"]),
        (("run", "ok.csv"), ["ok.csv", "--annotations"]),
        (("run", "nowhere"), ["nowhere", "no such file"]),
        (("run", "--embeddings", "ok.npz"), ["--embeddings needs --annotations"]),
        (("run", "--mode", "both", "--queries", "bad.jsonl"), ["bad.jsonl", "line 2"]),
        (("run", "--mode", "audio"), ["audio", "--help"]),
        (("run", "--nonsense"), ["--nonsense", "tui-eval run --help"]),
        (("nonsense",), ["nonsense"]),
        (("search",), ["a text or --video"]),
        (("search", "  "), ["empty"]),
        (("search", "--video", "nobody"), ['"nobody"']),
        (("map",), ["a text or --batch"]),
        (("map", "x", "--vocabulary", "words.json"), ["words.json", "object_type", "list"]),
        (("map", "x", "--groups", "colour"), ['group "colour"']),
        (("map", "--batch", "bad.jsonl"), ["bad.jsonl", "line 2"]),
        (("validate", "nowhere"), ["nowhere"]),
    ],
    ids=lambda value: " ".join(value)[-60:] if isinstance(value, tuple) else "",
)
def test_bad_input_is_one_clear_line(
    files: Path,
    arguments: tuple[str, ...],
    words: list[str],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(files)

    code = run_command_line(arguments)

    out, err = capsys.readouterr()
    assert code == 2
    assert out == ""
    assert err.startswith("error: ") and err.count("\n") == 1
    for word in words:
        assert word in err


def test_data_in_an_error_cannot_speak_to_the_terminal(
    files: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(files)

    assert run_command_line([*RUN, "escape.csv", "--embeddings", "ok.npz"]) == 2

    err = capsys.readouterr().err
    assert "\x1b" not in err and "\\x1b" in err


def test_control_characters_are_made_visible() -> None:
    assert escape("a\x1b[2Jb\x9bc\u202ed\ne") == "a\\x1b[2Jb\\x9bc\\u202ed\\ne"


def test_an_invalid_dataset_exits_with_2(files: Path, tui_eval: CommandLine) -> None:
    done = tui_eval(
        "validate", "--annotations", files / "ok.csv", "--embeddings", files / "nan.npz"
    )

    assert done.returncode == 2
    assert "✗ error" in done.stdout and "NaN" in done.stdout
    assert "Traceback" not in done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("command", ["validate --json", "validate", "run --mode video --json"])
def test_a_reader_that_goes_away_is_no_error(command: str) -> None:
    script = Path(sys.executable).parent / "tui-eval"

    done = subprocess.run(
        ["bash", "-o", "pipefail", "-c", f"{script} {command} | true"],
        capture_output=True,
        text=True,
        check=False,
    )

    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.slow
@pytest.mark.parametrize("closed", ["2>&-", "<&-"])
def test_closed_streams_are_survived(closed: str) -> None:
    """Of stdout see test_odd_surroundings: what is lost with it is said."""
    script = Path(sys.executable).parent / "tui-eval"

    done = subprocess.run(
        ["bash", "-c", f"{script} validate {closed}"], capture_output=True, text=True, check=False
    )

    assert done.returncode == 0
    assert "Traceback" not in done.stderr


def test_a_terminal_without_unicode_gets_question_marks(tui_eval: CommandLine) -> None:
    done = tui_eval("validate", env={**os.environ, "PYTHONIOENCODING": "ascii"})

    assert done.returncode == 0
    assert "annotations" in done.stdout


def test_a_failing_model_is_one_line_too(tui_eval: CommandLine, tmp_path: Path) -> None:
    environment = {**os.environ, "TUI_EVAL_CACHE": str(tmp_path)}
    done = tui_eval("map", "quokka", "--encoder", str(tmp_path), env=environment)

    assert done.returncode == 2
    assert done.stderr.startswith("error: ") and done.stderr.count("\n") == 1


def test_an_encoder_whose_packages_are_missing_is_one_line_with_the_remedy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("TUI_EVAL_CACHE", str(tmp_path))
    monkeypatch.setitem(sys.modules, "torch", None)
    folder = find_model_path("embedded")

    assert run_command_line(["map", "quokka", "--encoder", folder]) == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1 and "needs torch, which is not installed" in said
    assert "run make run in" in said
    assert run_command_line(["map", "quokka"]) == 0, "the embedded encoder needs none of it"


def test_version_is_printed(tui_eval: CommandLine) -> None:
    assert tui_eval("--version").stdout.startswith("tui-eval ")


def test_ids_that_one_side_lacks_are_counted(
    files: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    some = files / "some.npz"
    vectors = np.eye(3, dtype=np.float32)
    np.savez(some, ids=np.array(["a", "b", "z"]), embeddings=vectors)
    (files / "three.csv").write_text(CSV + "c,car\n")

    code = run_command_line(
        ["run", "--mode", "video", "--annotations", str(files / "three.csv"),
         "--embeddings", str(some), "--json"]
    )  # fmt: skip

    document = json.loads(capsys.readouterr().out)
    assert code == 0
    assert document["collection"] == {
        "clips": 2,
        "sources": 2,
        "annotated_without_embedding": 1,
        "embedded_without_annotation": 1,
    }
    assert any("'c'" in note for note in document["notes"])


def test_json_cannot_speak_to_the_terminal_and_reads_back_the_same() -> None:
    value = {"a\x9b": "b\u202e\x7f\ud800\n\U000e0041"}
    text = as_json(value)

    assert json.loads(text) == value
    assert not set(text) & set("\x9b\u202e\x7f\ud800\U000e0041")


SETTINGS = """schema = "tui-eval/dataset@1"
annotations = "ok.csv"
[models.one]
embeddings = "ok.npz"
"""


@pytest.mark.parametrize(
    "arguments",
    [
        ("run", ".", "--mode", "video", "--out", "dataset.toml"),
        ("run", "dataset.toml", "--mode", "video", "--out", "dataset.toml"),
        ("search", "--video", "a", "--dataset", ".", "--out", "dataset.toml"),
        ("search", "--video", "a", "--dataset", ".", "--relevant", "x.csv", "--out", "x.csv"),
        ("validate", ".", "--out", "dataset.toml"),
        ("map", "a car", "--dataset", ".", "--out", "ok.csv"),
        ("map", "a car", "--dataset", ".", "--out", "dataset.toml"),
        ("sessions", "replay", "1", "--store", "s.db", "--dataset", ".", "--out", "s.db"),
    ],
    ids=" ".join,
)
def test_no_result_is_written_over_a_file_of_the_dataset_or_the_question(
    arguments: tuple[str, ...],
    files: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(files)
    (files / "dataset.toml").write_text(SETTINGS)
    (files / "x.csv").write_text("a\n")
    with SessionStore(files / "s.db") as store:
        store.create("ok", str(files))
    written = files / arguments[-1]
    before = written.read_bytes()

    code = run_command_line(list(arguments))

    assert (code, capsys.readouterr().err) == (
        2,
        f"error: {arguments[-1]}: is an input of this command and is never overwritten; "
        "name another file\n",
    )
    assert written.read_bytes() == before


def test_what_the_system_says_of_a_file_is_one_line_that_names_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "none.csv"

    assert run_to_exit_code(lambda: file.stat().st_size) == 2
    said = capsys.readouterr().err
    assert said == f"error: {file}: cannot be used (No such file or directory)\n"


def test_a_line_of_a_table_ends_at_a_line_feed_alone() -> None:
    assert as_text(Text("one\u2028line"), Text("another  ")) == "one\\u2028line\nanother\n"
