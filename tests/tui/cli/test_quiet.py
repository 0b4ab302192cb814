"""`--quiet` and the table beside a file: one meaning in every command that writes a result."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command

from tests.conftest import ROOT
from tests.tui.cli.test_output_streams import shell
from tui.cli.app import load_commands, run_command_line

RUN = f"PYTHONPATH={ROOT} {sys.executable} -c 'from tui.cli import main; main()'"


def list_commands(command: Any, name: str = "") -> Iterator[tuple[str, Any]]:
    yield name, command
    for own, inner in getattr(command, "commands", {}).items():
        yield from list_commands(inner, f"{name} {own}".strip())


def test_every_command_that_writes_a_result_can_be_quiet() -> None:
    flags = {
        name: {flag for one in command.params for flag in one.opts}
        for name, command in list_commands(get_command(load_commands()))
    }

    writing = {name for name, own in flags.items() if "--out" in own} - {"sessions repair"}
    assert {"run", "compare", "score", "labels", "moments", "search", "gate"} < writing
    assert writing == {name for name, own in flags.items() if {"--quiet", "-q"} <= own}


@pytest.mark.parametrize("format", [("--json",), ("--format", "csv")])
def test_data_that_would_go_nowhere_is_refused(
    format: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_command_line(["run", "--quiet", *format]) == 2

    done = capsys.readouterr()
    assert done.out == ""
    assert done.err == (
        f"error: --quiet and the format {format[-1].removeprefix('--')} were given, but no file; "
        "name one with --out FILE, or leave --quiet out\n"
    )


def test_quiet_alone_prints_nothing_and_the_exit_code_stays(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_command_line(["validate", "-q"]) == 0
    (tmp_path / "clips.csv").write_text("slice_id,pv_object_type\na,car\na,car\n")
    assert run_command_line(["validate", "-q", "--annotations", str(tmp_path / "clips.csv")]) == 2

    assert tuple(capsys.readouterr()) == ("", "")


@pytest.mark.parametrize("path", ["/dev/stdout", "/dev/fd/1"])
def test_a_table_is_never_mixed_with_data(path: str, tmp_path: Path) -> None:
    done = shell(f"{RUN} keys --json --out {path}", tmp_path)

    assert json.loads(done.stdout)["keymap"] == "default"


@pytest.mark.parametrize(
    ("stdout", "said"), [(">&-", ["it is closed"]), ("| true", []), ("> /dev/full", ["No space"])]
)
def test_a_result_in_a_file_is_safe_whatever_stdout_says(
    stdout: str, said: list[str], tmp_path: Path
) -> None:
    done = shell(f"set -o pipefail; {RUN} keys --out keys.json {stdout}", tmp_path)

    assert done.returncode == 0, done.stderr
    assert json.loads((tmp_path / "keys.json").read_text())["keymap"] == "default"
    wrote, *notes = done.stderr.splitlines()
    assert wrote == "wrote keys.json"
    assert len(notes) == len(said)
    for note, part in zip(notes, said, strict=True):
        assert note.startswith("note: the table is not printed: cannot write to stdout (")
        assert part in note


EXPLAINED = "; -q is --quiet: write --qrels FILE\n"


def test_an_old_short_name_is_explained(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("qrels.txt").write_text("1 0 a 1\n")
    for name in ("a.run", "b.run"):
        Path(name).write_text("1 Q0 a 1 0.9 x\n")
    for line in (
        "score -q qrels.txt --run a.run",
        "compare -q qrels.txt a.run b.run",
        "compare a.run b.run -q qrels.txt",
    ):
        assert run_command_line(line.split()) == 2
        assert capsys.readouterr().err.endswith(EXPLAINED)


@pytest.mark.parametrize(
    "line", ["compare --quiet a.run b.run", "compare -q gone.json b.json", "compare a.run b.run -q"]
)
def test_who_means_quiet_is_told_nothing_of_it(
    line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.run").write_text("1 Q0 a 1 0.9 x\n")

    assert run_command_line(line.split()) == 2
    assert "-q is" not in capsys.readouterr().err
