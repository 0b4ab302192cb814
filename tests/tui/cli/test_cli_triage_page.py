"""A triage as a page, and as a chapter of a run's report."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.engine.report.html_reader import Page
from tests.engine.report.report_by_hand import sample_document, saved
from tests.engine.report.triage.drawn_triage import write_document
from tui.cli.app import run_command_line

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture(scope="module")
def run_document() -> dict[str, Any]:
    return sample_document("alfa-0.2")


@pytest.fixture
def new(run_document: dict[str, Any], tmp_path: Path) -> Path:
    return saved(run_document, tmp_path / "new.json")


@pytest.fixture
def fitting(run_document: dict[str, Any]) -> dict[str, Any]:
    document = write_document()
    document["inputs"] = {"annotations": run_document["inputs"]["annotations"]}
    return document


@pytest.fixture
def command(capsys: pytest.CaptureFixture[str]) -> Run:
    def run(*arguments: str | Path | int) -> tuple[int, str, str]:
        code = run_command_line(list(map(str, arguments)))
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return run


def test_a_triage_is_written_as_a_page_with_its_pictures(command: Run, tmp_path: Path) -> None:
    out = tmp_path / "triage.html"

    code, _, said = command(
        "triage", "--mode", "video", "--analyses", "slices,used", "--resamples", 200,
        "--out", out, "--quiet",
    )  # fmt: skip

    assert (code, said.count("error")) == (0, 0)
    page = Page.of(out.read_text(encoding="utf-8"))
    titles = [element.text for element in page.all("h2")]
    assert {"Verdicts", "Findings", "Slices", "What the similarity relies on"} <= set(titles)
    assert "Looks against meaning" not in titles
    assert any("actor behavior" in element.text for element in page.all("text"))


def test_a_report_has_the_triage_as_a_chapter(
    command: Run, new: Path, fitting: dict[str, Any], tmp_path: Path
) -> None:
    triage, out = saved(fitting, tmp_path / "triage.json"), tmp_path / "report.html"

    code, _, said = command("report", new, "--triage", triage, "--out", out, "--no-frames")

    assert (code, said) == (0, f"wrote {out}\n")
    page = Page.of(out.read_text(encoding="utf-8"))
    assert len(page.ids) == len(set(page.ids))
    titles = [element.text for element in page.all("h2")]
    assert titles.index("Triage") == titles.index("Worst queries") - 1
    assert "What the similarity relies on" in [element.text for element in page.all("h3")]


@pytest.mark.parametrize(
    ("form", "shown"),
    [
        ("markdown", "| way | used but outvoted (by who) |"),
        ("latex", r"\label{tab:triage-findings}"),
    ],
)
def test_tables_of_a_report_have_those_of_the_triage(
    command: Run, new: Path, fitting: dict[str, Any], tmp_path: Path, form: str, shown: str
) -> None:
    triage = saved(fitting, tmp_path / "triage.json")

    code, plain, _ = command("report", new, "--format", form)
    _, more, _ = command("report", new, "--triage", triage, "--format", form)

    assert code == 0 and shown in more and shown not in plain
    assert more.startswith(plain.rstrip("\n"))


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"model": {"name": "alfa-0.1"}}, "is of the model alfa-0.1, the run of alfa-0.2"),
        ({"dataset": {"name": "other"}}, "is of the dataset other, the run of sample"),
        ({"inputs": {"annotations": {"sha256": "00"}}}, "are not those of the run"),
        ({"schema": "tui-eval/run@1"}, "is no triage"),
    ],
)
def test_a_triage_of_something_else_is_refused_in_one_line(
    command: Run,
    new: Path,
    fitting: dict[str, Any],
    tmp_path: Path,
    changed: dict[str, Any],
    said: str,
) -> None:
    triage, out = saved(fitting | changed, tmp_path / "triage.json"), tmp_path / "report.html"

    code, shown, error = command("report", new, "--triage", triage, "--out", out)

    assert (code, shown) == (2, "") and not out.exists()
    assert error.count("\n") == 1 and str(triage) in error and said in error
    assert ("tui-eval triage --model alfa-0.2 --out" in error) is ("the run of" in said)


def test_a_report_is_not_written_over_its_triage(
    command: Run, new: Path, fitting: dict[str, Any], tmp_path: Path
) -> None:
    triage = saved(fitting, tmp_path / "triage.json")

    code, _, _ = command("report", new, "--triage", triage, "--format", "html", "--out", triage)

    assert code == 2
    assert json.loads(triage.read_text(encoding="utf-8")) == fitting
