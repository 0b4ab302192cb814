"""Sessions, runs and per-query files that were saved by earlier versions still open.

The files in `tests/data/saved` were written once, by version 0.1.0 before its documents had one
envelope, and are never made again.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tui.cli.app import run_command_line

SAVED = ROOT / "tests/data/saved"

Run = Callable[..., str]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    """Run a command that must succeed, and say what it printed."""

    def command(*arguments: str | Path) -> str:
        code = run_command_line([*map(str, arguments)])
        captured = capsys.readouterr()
        assert code == 0, captured.err
        return captured.out

    return command


def test_a_saved_run_is_compared_with_another(run: Run) -> None:
    compared = run("compare", SAVED / "run.json", SAVED / "run-alfa-0.2.json", "--json")

    levels = json.loads(compared)["modes"]["video"]["levels"]
    means = {row["id"]: row["mean"] for row in levels if row["system"] != levels[0]["system"]}
    saved = json.loads((SAVED / "run-alfa-0.2.json").read_text())["metrics"]
    assert means == {
        row["id"]: pytest.approx(row["mean"], abs=1e-12) for row in saved if row["mode"] == "video"
    }


@pytest.mark.parametrize("name", ["run.json", "run.csv"])
def test_a_saved_run_passes_the_gate_against_itself(run: Run, name: str) -> None:
    verdict = run("gate", SAVED / name, "--baseline", SAVED / name, "--json")

    assert json.loads(verdict)["verdict"] == "pass"


@pytest.mark.parametrize(("name", "metric"), [("run.json", "Recall@5"), ("score.json", "P@5")])
def test_a_saved_document_is_reported(run: Run, tmp_path: Path, name: str, metric: str) -> None:
    report = tmp_path / "report.md"

    run("report", SAVED / name, "--out", report)

    assert metric in report.read_text()


@pytest.mark.parametrize("name", ["labels.csv", "moments.csv", "score.json"])
def test_saved_queries_of_every_evaluation_are_compared(run: Run, name: str) -> None:
    compared = json.loads(run("compare", SAVED / name, SAVED / name, "--json"))

    differences = [
        row["difference"] for mode in compared["modes"].values() for row in mode["differences"]
    ]
    assert differences
    assert set(differences) == {0.0}


def test_a_saved_store_is_opened(run: Run, tmp_path: Path) -> None:
    store = Path(shutil.copy(SAVED / "sessions.db", tmp_path))

    shown = json.loads(run("sessions", "export", "latest", "--store", store))

    saved = json.loads((SAVED / "session.json").read_text())
    # What the tool says about itself may change; what a person asked and said may not.
    for field in ("name", "dataset", "created", "updated", "view", "answers", "judgements"):
        assert shown[field] == saved[field]
    assert len(saved["judgements"]) == 4


def test_a_saved_session_is_imported(run: Run, tmp_path: Path) -> None:
    store = tmp_path / "sessions.db"

    run("sessions", "import", SAVED / "session.json", "--store", store)

    shown = json.loads(run("sessions", "show", "latest", "--store", store, "--json"))
    saved = json.loads((SAVED / "session.json").read_text())
    assert shown["answers"] == saved["answers"]
    assert shown["judgements"] == saved["judgements"]
