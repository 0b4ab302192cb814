"""`--out` into streams, as shells make them: behind what is there, and nothing is replaced."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tui.cli.app import run_command_line

KEYS = f"PYTHONPATH={ROOT} {sys.executable} -c 'from tui.cli import main; main()' keys"


def shell(line: str, folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["bash", "-c", line], cwd=folder, capture_output=True, text=True, check=False, timeout=60
    )


@pytest.mark.parametrize("path", ["/dev/stdout", "/dev/fd/1", "-"])
def test_a_log_keeps_what_was_written_before_and_after(path: str, tmp_path: Path) -> None:
    ran = shell(f"{{ echo HEADER; {KEYS} --json -o {path}; echo FOOTER; }} > log", tmp_path)

    header, *body, footer = (tmp_path / "log").read_text().splitlines()
    assert (ran.returncode, header, footer) == (0, "HEADER", "FOOTER")
    assert json.loads("\n".join(body))["keymap"] == "default"
    assert [file.name for file in tmp_path.iterdir()] == ["log"]


@pytest.mark.parametrize("line", ["--out /dev/stdout | cat", "--out >(cat) | cat"])
def test_a_pipe_gets_all(line: str, tmp_path: Path) -> None:
    ran = shell(f"set -o pipefail; {KEYS} --json {line}", tmp_path)

    assert ran.returncode == 0, ran.stderr
    assert json.loads(ran.stdout)["keymap"] == "default"


def test_a_reader_that_leaves_has_what_it_wanted(tmp_path: Path) -> None:
    ran = shell(f"set -o pipefail; {KEYS} --json --out /dev/stdout | true", tmp_path)

    assert ran.returncode == 0
    assert "error" not in ran.stderr


def test_a_stream_that_is_not_open_is_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_command_line(["keys", "--out", "/dev/fd/99"]) == 2

    assert capsys.readouterr().err == "error: /dev/fd/99: cannot be written (Bad file descriptor)\n"


def test_a_dash_is_stdout_in_every_option(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run_command_line(["keys", "--toml", "--out", "-"]) == 0
    printed = capsys.readouterr()
    assert printed.out.startswith("#") and not printed.err

    assert run_command_line(["sessions", "repair", "--out", "-"]) == 2
    assert "a store cannot be printed" in capsys.readouterr().err
    assert not [*tmp_path.iterdir()]
