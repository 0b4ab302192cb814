"""Every command and every format on a terminal, with files in which every name speaks to it."""

from __future__ import annotations

import os
import pty
import re
import sys
import threading
import tty
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, get_args

import pytest
from typer.main import get_command

from tests.tui.cli.hostile_files import GROUP, IDS, QUERY, SPEAKS, STYLE, WORDS, write_hostile_files
from tui.cli.app import load_commands, run_command_line
from tui.cli.shared.gate import guard_streams

OURS = re.compile(r"\x1b\[[0-9;]*m|\r?\x1b\[(?:2K|\d*A|\?25[hl])|\r(?=error: )")
"""Colours, and what draws a bar."""

HIDDEN = ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")
BLANK = "\u3164\u2800\xa0"

LABELS = ("--sensor-embeddings", "sensor.npy", "--text-embeddings", "text.npy")
RUNS = ("one.json", "two.json")
FILE_NAME = SPEAKS.replace("/", "")
BAD = f"no{SPEAKS}"

COMMANDS: dict[tuple[str, ...], tuple[str, ...]] = {
    (): ("--session", BAD),
    ("inspect",): (".", "--model", BAD),
    ("keys",): ("--keys", f"{BAD}.toml"),
    ("config",): (),
    ("config", "show"): (),
    ("config", "path"): (),
    ("config", "set"): ("theme", BAD),
    ("run",): (".", "--mode", "video", "--metrics", "P@2"),
    ("gate",): (RUNS[1], "--baseline", RUNS[0]),
    ("report",): (RUNS[1], "--compare", RUNS[0], "--dataset", "."),
    ("score",): ("--qrels", "qrels.json", "--run", "run.json"),
    ("labels",): (*LABELS, "--labels", "labels.csv", "--k", "2", "--directions", "text2sensor"),
    ("search",): ("--video", IDS[0], "-d", ".", "-k", "3"),
    ("compare",): (*RUNS, "--names", f"a{SPEAKS},b{SPEAKS}"),
    ("pairs",): (".",),
    ("triage",): (".", "--baseline", f"m2{SPEAKS}", "--k", "2", "--resamples", "100"),
    ("triage", "show"): ("1", "-d", ".", "--mode", "video", "--resamples", "100"),
    ("triage", "list"): (),
    ("validate",): (".",),
    ("summary",): (".",),
    ("sessions",): (BAD,),
    ("sessions", "list"): (),
    ("sessions", "show"): ("1",),
    ("sessions", "export"): ("1",),
    ("sessions", "import"): (f"{BAD}.json",),
    ("sessions", "delete"): (BAD,),
    ("sessions", "replay"): ("1",),
    ("sessions", "repair"): (),
    ("moments",): ("moments.json", "--gt", "truth.jsonl"),
    ("moments", "validate"): ("moments.json", "--gt", "truth.jsonl"),
    ("map",): (QUERY, "-d", "."),
    ("map", "test"): ("queries.csv", "-d", "."),
    ("map", "learn"): ("--from", "queries.csv", "-d", "."),
}
"""What each command is given; where a file or name is wrong on purpose, it refuses."""

MORE = (
    ("labels", *LABELS, "--labels", "labels.csv", "--k", "2", "--show", IDS[0]),
    ("moments", "moments.json", "--gt", "truth.jsonl", "--show", "1"),
    ("run", ".", "--mode", "video", "--out", f"made{FILE_NAME}.json"),
    ("run", ".", "--mode", "video", "--groups", BAD),
    ("run", ".", "--mode", "video", "--keywords", f"{WORDS[0]} {BAD}"),
    ("run", ".", "--mode", "video", "--groups", GROUP, "--videos", BAD),
    ("gate", RUNS[1], "--baseline", RUNS[0], "--github"),
    ("search", "--video", BAD, "-d", "."),
    ("search", QUERY, "-d", "."),
    ("sessions", "delete", "1", "--yes"),
    (BAD,),
    ("run", f"--{BAD}"),
    ("run", "--help"),
    ("--version",),
)

FAILS = {("map", "learn"), ("moments", "validate")}
"""There is nothing to learn from; and the submission is not a whole one, which is the result."""

Printed = Callable[[Sequence[str]], str]


def find_commands(command: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """Every command of the app, each with every format that it has."""
    options = (one for one in command.params if one.name == "format")
    found = next(options, None)
    if found is None:
        yield path
    else:
        annotation = found.type_descriptor.annotation
        yield from ((*path, "--format", name) for name in get_args(annotation))
    for name, inner in getattr(command, "commands", {}).items():
        yield from find_commands(inner, (*path, name))


def name_of(command: tuple[str, ...]) -> tuple[str, ...]:
    return command[: command.index("--format")] if "--format" in command else command


EVERY = list(find_commands(get_command(load_commands())))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("hostile")
    write_hostile_files(folder, folder / "sessions.db")
    models = [f"m{number}{SPEAKS}" for number in (1, 2)]
    for model, file in zip(models, RUNS, strict=True):
        asked = ("run", str(folder), "--mode", "video", "--model", model)
        assert run_command_line([*asked, "--metrics", "P@2", "--out", str(folder / file)]) == 0
    return folder


@pytest.fixture
def printed(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Printed:
    """What a command sends to a terminal, which is its stdout and its stderr; it does its work
    unless it is given what is wrong."""
    monkeypatch.chdir(folder)
    monkeypatch.setenv("TUI_EVAL_DATA", str(folder))
    monkeypatch.setenv("TUI_EVAL_CONFIG", str(folder / f"config{FILE_NAME}.toml"))
    monkeypatch.setenv("TERM", "xterm-256color")

    def run(arguments: Sequence[str]) -> str:
        ours, theirs = pty.openpty()
        tty.setraw(theirs)
        sent = bytearray()
        listener = threading.Thread(target=_listen, args=(ours, sent))
        listener.start()
        with monkeypatch.context() as patch, os.fdopen(theirs, "w", encoding="utf-8") as stream:
            patch.setattr(sys, "stdout", stream)
            patch.setattr(sys, "stderr", stream)
            guard_streams()
            code = run_command_line(arguments)
            stream.flush()
        listener.join()
        os.close(ours)
        is_wrong = any(BAD in one for one in arguments) or tuple(arguments[:2]) in FAILS
        assert (code == 2) is is_wrong, sent
        return sent.decode("utf-8")

    return run


def _listen(terminal: int, sent: bytearray) -> None:
    while True:
        try:
            sent += os.read(terminal, 65536)
        except OSError:  # the other end is closed
            return


def assert_nothing_raw(sent: str) -> None:
    assert STYLE not in sent
    shown = OURS.sub("", sent)
    hidden = {one for one in shown if unicodedata.category(one) in HIDDEN or one in BLANK}
    assert hidden <= {"\n"}, sorted(map(ascii, hidden))


def test_every_command_is_tried() -> None:
    assert {name_of(command) for command in EVERY} == set(COMMANDS)


@pytest.mark.parametrize("command", EVERY, ids=" ".join)
def test_nothing_raw_reaches_the_terminal(command: tuple[str, ...], printed: Printed) -> None:
    name = name_of(command)
    sent = printed([*name, *COMMANDS[name], *command[len(name) :]])

    assert sent.strip()
    assert_nothing_raw(sent)


@pytest.mark.parametrize("arguments", MORE, ids=range(len(MORE)))
def test_nor_by_options_and_wrong_names(arguments: tuple[str, ...], printed: Printed) -> None:
    sent = printed(arguments)

    assert sent.strip()
    assert_nothing_raw(sent)
