"""The fuzzer sees what it is there to see, and makes the same inputs again."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from engine.base.errors import InputError
from engine.files.reader import reads
from tests.conftest import ROOT
from tests.fuzz.campaign import Campaign
from tests.fuzz.child import try_reader
from tests.fuzz.content import dump_files
from tests.fuzz.corpus import Sample
from tests.fuzz.trial import Trial, TrialKind, Trials
from tests.fuzz.verdict import Verdict, judge_said

FILE = "clips.csv"


def verdict_on(call: Callable[[Path], object], folder: Path) -> Verdict:
    return try_reader(Trial(7, "reader", {FILE: b"a"}, 0), Sample(FILE, call), folder)


def refuse(path: Path) -> None:
    raise InputError("is empty", path)


def refuse_nothing(path: Path) -> None:
    raise InputError("is empty")


def fail(path: Path) -> None:
    raise KeyError(path)


@reads("a table")
def fail_inside(path: Path) -> None:
    raise KeyError(path)


def grow(path: Path) -> None:
    assert len(bytearray((1 << 30) + (64 << 20)))


OUTCOMES: list[tuple[Callable[[Path], object], str]] = [
    (Path.read_bytes, "value"),
    (refuse, "refused"),
    (fail_inside, "unforeseen"),
    (fail, "traceback"),
    (sys.exit, "traceback"),
    (refuse_nothing, "message"),
    (lambda path: path.write_bytes(b"b"), "changed"),
    (lambda path: path.unlink(), "changed"),
    (lambda path: path.with_name(".tmp").touch(), "left"),
]


@pytest.mark.parametrize(("call", "outcome"), OUTCOMES)
def test_what_a_reader_does_is_judged(
    call: Callable[[Path], object], outcome: str, tmp_path: Path
) -> None:
    assert verdict_on(call, tmp_path).outcome == outcome
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_memory_above_the_budget_is_a_finding(tmp_path: Path) -> None:
    assert verdict_on(grow, tmp_path).outcome == "memory"


@pytest.mark.parametrize(
    ("code", "stdout", "stderr", "outcome"),
    [
        (0, "ok", "", "value"),
        (2, "", "error: a.csv: is empty\n", "refused"),
        (2, "a fault\n", "", "value"),
        (2, "", "", "message"),
        (2, "", "error: one\nerror: two\n", "message"),
        (2, "a fault\n", "error: one\nerror: two\n", "message"),
        (0, "ok", "error: a.csv: is empty\n", "message"),
        (2, "", f"error: {'x' * 700}\n", "message"),
        (0, "ok", f"note: {'x' * 700}\n", "message"),
        (2, "", "error: \x1b[31m\n", "message"),
        (2, "", "error: unexpected KeyError: 1\n", "unexpected"),
        (1, "", "Traceback (most recent call last):\n", "traceback"),
        (70, "", "", "traceback"),
        (-11, "", "", "signal"),
    ],
)
def test_what_a_command_says_is_judged(code: int, stdout: str, stderr: str, outcome: str) -> None:
    assert judge_said(code, stdout, stderr)[0] == outcome


class _Wild(Trials):
    """Inputs of which the third kills its process."""

    def __init__(self) -> None:
        self.seed = 0
        self.samples = [("fine", Sample(FILE, Path.read_bytes)), ("wild", Sample(FILE, _end))]

    def make(self, number: int, kind: TrialKind) -> Trial:
        which = int(number == 2)
        return Trial(number, self.samples[which][0], {FILE: b""}, which)


def _end(path: Path) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def test_an_input_that_kills_its_process_is_found_and_the_others_are_tried(tmp_path: Path) -> None:
    campaign = Campaign(_Wild(), 60, tmp_path)
    heard: list[Verdict] = []

    assert sorted(campaign.run(lambda verdict, _: heard.append(verdict))) == [0, 1]

    assert sorted(verdict.number for verdict in heard) == list(range(60))
    assert [verdict.number for verdict in heard if verdict.outcome == "signal"] == [2]
    assert list(campaign.run(lambda *_: None)) == []  # all is done


def test_a_seed_and_a_number_make_one_input() -> None:
    one, other = Trials(5), Trials(5)

    for number in range(0, 300, 7):
        kind: TrialKind = ("reader", "apart", "command")[number % 3]
        made = one.make(number, kind)
        assert made == other.make(number, kind)
        assert Trial.of_document(json.loads(json.dumps(made.as_document()))) == made
    assert dump_files(one.make(1, "reader").files) != dump_files(Trials(6).make(1, "reader").files)


@pytest.mark.slow
def test_three_thousand_inputs_give_a_value_or_one_line(tmp_path: Path) -> None:
    """A slice of `make fuzz`."""
    begin = time.monotonic()
    options = (
        f"--inputs 3000 --seed 0 --jobs 1 --commands-every 60 --quick --state {tmp_path}/state"
    )
    command = [sys.executable, "-m", "tests.fuzz", *options.split(), f"--out={tmp_path}/fuzz.json"]

    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stdout + done.stderr
    result = json.loads((tmp_path / "fuzz.json").read_text())
    assert result["inputs"] == 3000 and result["command_lines"] == 50
    assert result["seconds"] <= time.monotonic() - begin


@pytest.mark.slow
def test_a_hundred_checkpoints_give_a_value_or_one_line(tmp_path: Path) -> None:
    options = f"--inputs 100 --seed 0 --jobs 1 --state {tmp_path}/state --out {tmp_path}/fuzz.json"
    only = "--only=engine.text.checkpoints.model.read_state"
    command = [sys.executable, "-m", "tests.fuzz", *options.split(), only]

    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stdout + done.stderr
    result = json.loads((tmp_path / "fuzz.json").read_text())
    assert (result["inputs"], result["readers"]) == (100, 1)
    assert result["values"] and result["refused"]
