"""`tui-eval moments validate`: what it prints, its JSON, its exit codes, and how it refuses."""

from __future__ import annotations

import json
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.main import get_command

from tests.engine.submissions_by_hand import (
    qvh_submission,
    tvr_submission,
    tvr_test_submission,
    tvr_truth,
    write_json,
    write_lines,
)
from tui.cli.ending import ending_well
from tui.cli.moments_validate import validate_submission

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
        code = ending_well(
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
        "VCMR, entry 2 (desc_id 902), prediction 1: start 12.0 is not before end 9.0",
        "VCMR, entry 2 (desc_id 902), prediction 2: start 13.0 is not before end 9.0",
        "and 1,298 more",
    ]
    assert lines[-1].startswith("not valid: 2,592 errors, ")


def test_limit_0_shows_all(run: Run) -> None:
    _, out, _ = run("bad.json", "--gt", "gt.jsonl", "--limit", "0")

    assert out.count("is not before end 9.0") == 1300 and "and 1," not in out


def test_json_has_every_kind_with_its_count_and_the_first_places(run: Run) -> None:
    code, out, _ = run("bad.json", "--gt", "gt.jsonl", "--json", "--limit", "1")

    document = json.loads(out)
    assert code == 2
    assert document["schema"] == "tui-eval/moments-validate@1"
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
    assert lines[0].split(maxsplit=3)[:3] == ["!", "warning", "zip"]
    assert lines.index("tvr_val_submission.json") < lines.index("tvr_test_public_submission.json")
    assert any(line.strip().startswith("VCMR, entry 2 (desc_id 902), pred") for line in lines)
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
        "from tui.cli.moments_validate import validate_submission\n"
        "heavy = {'numpy', 'pandas', 'pyarrow', 'scipy', 'torch', 'faiss'} & set(sys.modules)\n"
        "assert not heavy, heavy\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, cwd=Path(__file__).parents[2])
