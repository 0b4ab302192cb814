"""`tui-eval moments validate`: what it prints, its JSON, its exit codes, and how it refuses."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.main import get_command

from engine.base.errors import InputError
from engine.moments.check.submission import CheckRequest, check_submission
from tests.engine.moments.submissions_by_hand import (
    qvh_submission,
    tvr_submission,
    tvr_test_submission,
    tvr_truth,
    write_json,
    write_lines,
)
from tui.cli.moments.validate import validate_submission
from tui.cli.shared.start import run_to_exit_code

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "120")
    write_json(Path("good.json"), tvr_submission())
    bad = tvr_submission()
    bad["VCMR"][1]["predictions"] = [[2, 12.0 + i, 9.0, -i] for i in range(1300)]
    write_json(Path("bad.json"), bad)
    write_lines(Path("gt.jsonl"), tvr_truth())
    write_lines(Path("good.jsonl"), qvh_submission())


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs the command alone: exit code, stdout, stderr."""
    app = typer.Typer(rich_markup_mode="rich", pretty_exceptions_enable=False)
    app.command("validate")(validate_submission)
    app.callback()(lambda: None)
    command = get_command(app)

    def run(*arguments: str) -> tuple[int, str, str]:
        line = ["validate", *arguments]
        code = run_to_exit_code(
            lambda: command.main(line, "tui-eval moments", standalone_mode=False) or 0
        )
        done = capsys.readouterr()
        return code, done.out, done.err

    return run


def test_a_good_submission_is_valid_with_exit_code_0(run: Run) -> None:
    code, out, err = run("good.json", "--gt", "gt.jsonl")

    assert (code, err) == (0, "")
    assert out.splitlines()[0].split() == ["·", "info", "video2idx", "3", "videos"]
    assert out.splitlines()[-1] == "valid: 0 errors, 0 warnings"


def test_errors_are_shown_with_their_entry_and_the_rest_is_counted(run: Run) -> None:
    code, out, err = run("bad.json", "--gt", "gt.jsonl", "--limit", "2")

    lines = [line.strip() for line in out.splitlines()]
    start = next(i for i, line in enumerate(lines) if "start is not before" in line)
    assert (code, err) == (2, "")
    assert lines[start : start + 4] == [
        "✗ error    VCMR       1,300 predictions: the start is not before the end: "
        "it overlaps nothing",
        "- entry 2 (desc_id 902), prediction 1: start 12.0 is not before end 9.0",
        "- entry 2 (desc_id 902), prediction 2: start 13.0 is not before end 9.0",
        "- and 1,298 more",
    ]
    assert lines[-1].startswith("not valid: 2,592 errors, ")


@pytest.mark.parametrize("columns", [80, 120])
def test_errors_come_last_so_that_a_screen_ends_with_them_and_the_verdict(
    run: Run, monkeypatch: pytest.MonkeyPatch, columns: int
) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))

    _, out, _ = run("bad.json", "--gt", "gt.jsonl")

    lines = out.splitlines()
    levels = [line.split()[1] for line in lines if line[0] in "·!✗"]
    assert levels == sorted(levels, key=["info", "warning", "error"].index)
    assert set(levels) == {"info", "warning", "error"}
    assert all("✗" not in line for line in lines[:-24])  # all errors are on a small screen
    assert max(map(len, lines)) <= columns
    assert lines[-1].startswith("not valid: ")


def test_a_place_that_does_not_fit_goes_on_indented(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "60")

    _, out, _ = run("bad.json", "--gt", "gt.jsonl", "--limit", "1")

    assert (
        "    - entry 2 (desc_id 902), prediction 9: start 20.0 is not\n"
        "      inside the video garden (20.0 s)\n"
    ) in out


def test_ascii_needs_no_other_characters(run: Run) -> None:
    document = tvr_submission()
    document["VR"][1]["desc_id"] = "x" * 100
    document["video2idx"]["roof"] = "y" * 100
    write_json(Path("long.json"), document)

    _, usual, _ = run("long.json", "--gt", "gt.jsonl")
    _, plain, _ = run("long.json", "--gt", "gt.jsonl", "--ascii")

    assert {"✗", "·", "…"} <= set(usual)
    assert plain.isascii() and "\nx error " in plain and "- info " in plain
    assert len(plain.splitlines()) == len(usual.splitlines())


def test_out_writes_the_json_document_and_prints_what_is_else_printed(run: Run) -> None:
    code, out, err = run("bad.json", "--gt", "gt.jsonl", "--out", "found.json")
    _, printed, _ = run("bad.json", "--gt", "gt.jsonl", "--json")

    assert (code, err) == (2, "wrote found.json\n")
    assert out == run("bad.json", "--gt", "gt.jsonl")[1]
    assert out.endswith("not valid: 2,592 errors, 1 warning\n")
    assert run("bad.json", "--gt", "gt.jsonl", "-o", "found.json", "-q") == (2, "", "")
    assert Path("found.json").read_text(encoding="utf-8") == printed
    assert json.loads(printed)["limit"] == 10


def test_out_with_the_name_of_a_text_writes_what_is_else_printed(run: Run) -> None:
    run("good.json", "--gt", "gt.jsonl", "--out", "found.txt")

    _, printed, _ = run("good.json", "--gt", "gt.jsonl")
    assert Path("found.txt").read_text(encoding="utf-8") == printed


@pytest.mark.parametrize("name", ["bad.json", "gt.jsonl", "videos.json", "test.jsonl"])
def test_out_overwrites_no_input(run: Run, name: str) -> None:
    write_json(Path("videos.json"), {"kitchen": [10.0, 1]})
    write_lines(Path("test.jsonl"), tvr_truth())
    before = Path(name).read_bytes()

    arguments = ("bad.json", "--gt", "gt.jsonl", "--gt-test", "test.jsonl")
    code, out, err = run(*arguments, "--videos", "videos.json", "--out", f"./{name}")

    assert (code, out) == (2, "") and "is an input of this command" in err
    assert Path(name).read_bytes() == before


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("found.csv", "this command writes no .csv"),
        ("found.MD", "this command writes no .md"),
        ("none/found.json", "the folder does not exist"),
        (".", "is a folder"),
    ],
)
def test_what_cannot_be_written_is_reported_before_the_work(run: Run, name: str, says: str) -> None:
    code, out, err = run("none.json", "--out", name)

    assert (code, out) == (2, "") and says in err and err.count("\n") == 1


def test_limit_0_shows_all(run: Run) -> None:
    _, out, _ = run("bad.json", "--gt", "gt.jsonl", "--limit", "0")

    assert out.count("is not before end 9.0") == 1300 and "and 1," not in out


def test_json_has_every_kind_with_its_count_and_the_first_places(run: Run) -> None:
    code, out, _ = run("bad.json", "--gt", "gt.jsonl", "--json", "--limit", "1")

    document = json.loads(out)
    assert code == 2
    assert document["schema"] == "tui-eval/moments-validate@2"
    assert document["valid"] is False and document["format"] == "tvr" and not document["zip"]
    assert document["against"] == {"gt": "gt.jsonl", "gt_test": None, "videos": None}
    (found,) = (f for f in document["findings"] if f["kind"] == "start-not-before-end")
    assert (found["level"], found["part"], found["count"]) == ("error", "VCMR", 1300)
    assert found["more"] == 1299
    assert found["examples"] == [
        {
            "place": "VCMR, entry 2 (desc_id 902), prediction 1",
            "file": None,
            "part": "VCMR",
            "entry": 2,
            "line": None,
            "id": 902,
            "prediction": 1,
            "message": "start 12.0 is not before end 9.0",
        }
    ]
    errors = sum(f["count"] for f in document["findings"] if f["level"] == "error")
    assert document["errors"] == errors


def test_files_of_a_zip_stand_under_their_names(run: Run) -> None:
    with zipfile.ZipFile("s.zip", "w") as archive:
        archive.write("bad.json", "tvr_val_submission.json")
        archive.writestr("tvr_test_public_submission.json", json.dumps(tvr_test_submission()))
        archive.writestr(".DS_Store", "")

    code, out, _ = run("s.zip", "--zip", "--limit", "1")
    _, document, _ = run("s.zip", "--json", "--limit", "1")

    lines = out.splitlines()
    assert code == 2
    headings = [line for line in lines if line[0].isalpha() and not line.startswith("not valid")]
    assert headings == [
        "tvr_val_submission.json",  # infos
        "tvr_test_public_submission.json",
        "s.zip",  # warnings
        "tvr_val_submission.json",
        "tvr_val_submission.json",  # errors
    ]
    assert lines[lines.index("s.zip") + 1].split(maxsplit=3)[:3] == ["!", "warning", "zip"]
    assert any(line.strip().startswith("- entry 2 (desc_id 902), prediction 1") for line in lines)
    assert '"place": "tvr_val_submission.json, VCMR, entry 2 (desc_id 902), pred' in document


def test_qvhighlights_is_seen_by_its_lines(run: Run) -> None:
    code, out, _ = run("good.jsonl")

    assert code == 0 and "3 lines with 6 windows" in out


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("none.json",), "none.json: no such file"),
        (("none.zip", "--zip"), "none.zip: no such file"),
        (("good.json", "--zip"), "good.json: is not a zip file"),
        (("broken.json",), "broken.json, line 1: is not valid JSON"),
        (("good.json", "--gt", "none.jsonl"), "none.jsonl: no such file"),
        (("good.json", "--gt", "good.jsonl"), "good.jsonl, line 1: has no desc_id"),
        (("good.json", "--gt", "gt.jsonl", "--gt-test", "gt.jsonl"), "--gt and --gt-test"),
        (("good.json", "--videos", "gt.jsonl"), "gt.jsonl, line 2: is not valid JSON"),
        ((".",), "is a folder"),
    ],
)
def test_what_cannot_be_read_is_one_line_and_exit_code_2(
    run: Run, arguments: tuple[str, ...], says: str
) -> None:
    Path("broken.json").write_text("{'video2idx'")

    code, out, err = run(*arguments)

    assert (code, out) == (2, "")
    assert err.startswith("error: ") and says in err and err.count("\n") == 1


def test_nothing_of_the_file_reaches_the_terminal_as_an_escape_sequence(run: Run) -> None:
    document = tvr_submission()
    document["video2idx"]["\x1b[31mred"] = "\x1b[2J"
    document["\x1b]0;title\x07"] = 1
    document["VR"][0]["desc"] = "\u202eabc"
    write_json(Path("evil.json"), document)

    _, out, _ = run("evil.json", "--gt", "gt.jsonl")
    _, text, _ = run("evil.json", "--gt", "gt.jsonl", "--json")

    for shown in (out, text):
        assert not {"\x1b", "\x07", "\u202e"} & set(shown)
    assert json.loads(text)["valid"] is False


def test_markup_in_a_file_is_text(run: Run) -> None:
    document: dict[str, Any] = {**tvr_submission(), "[bold]x[/bold]": 1}
    write_json(Path("markup.json"), document)

    assert '"[bold]x[/bold]"' in run("markup.json")[1]


def test_help_needs_nothing_heavy() -> None:
    code = (
        "import sys, typer\n"
        "from tui.cli.moments.validate import validate_submission\n"
        "heavy = {'numpy', 'pandas', 'pyarrow', 'scipy', 'torch', 'faiss'} & set(sys.modules)\n"
        "assert not heavy, heavy\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, cwd=Path(__file__).parents[3])


def test_a_pipe_is_refused_and_not_waited_for(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)

    with pytest.raises(InputError, match="is not a regular file"):
        check_submission(CheckRequest(pipe))


def test_a_name_that_json_has_escaped_is_not_escaped_again(run: Run) -> None:
    strange = tvr_submission()
    strange["video2idx"] |= {"x\x1b": "no index", "y\u200d": "no index"}
    write_json(Path("strange.json"), strange)

    _, out, _ = run("strange.json")

    assert '"x\\u001b"' in out and '"y\\u200d"' in out
