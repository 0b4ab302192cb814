"""One comparison has one verdict: on the screen, in every format of `compare`, in every report.

The sample's two models, over its whole query set. NDCG@3 of the text queries is the case in point:
its p is near 0.05, so that any other family of tests would decide otherwise.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from engine.report.tables.latex import escape_latex
from engine.report.tables.numbers import format_interval, format_p
from engine.report.tables.report_table import escape_markdown
from engine.stats import Interval
from engine.text.encoder import SentenceEncoder
from tests.engine.report.html_reader import Page
from tests.tui.inspector import Inspector, inspect
from tui.cli.app import run_command_line
from tui.compare.rows import format_short_p

pytestmark = pytest.mark.slow

MODELS = ("alfa-0.1", "alfa-0.2")
CLOSE = "NDCG@3"


@dataclass(frozen=True)
class Said:
    """What is to be said of one metric: once computed, then the same everywhere."""

    id: str
    label: str
    p: float
    interval: Interval
    verdict: str

    @property
    def leaves_zero_out(self) -> bool:
        return self.interval.low > 0 or self.interval.high < 0


class Commands:
    """Commands of the command line, on the saved runs of both models."""

    def __init__(self, capsys: pytest.CaptureFixture[str], files: tuple[Path, Path]) -> None:
        self._capsys, self._files = capsys, list(map(str, files))

    def compare(self, *options: str) -> str:
        return self._run("compare", *self._files, *options)

    def report(self, form: str) -> str:
        old, new = self._files
        more = ["--worst", "0", "--no-frames"] if form == "html" else []
        return self._run("report", new, "--compare", old, "--format", form, *more)

    def _run(self, *arguments: str) -> str:
        self._capsys.readouterr()
        assert run_command_line(list(arguments)) == 0
        return self._capsys.readouterr().out


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    folder = tmp_path_factory.mktemp("verdicts")
    old, new = (folder / f"{model}.json" for model in MODELS)
    for file, model in zip((old, new), MODELS, strict=True):
        assert run_command_line(["run", "--model", model, "--out", str(file)]) == 0
    return old, new


@pytest.fixture
def commands(
    capsys: pytest.CaptureFixture[str],
    files: tuple[Path, Path],
    monkeypatch: pytest.MonkeyPatch,
) -> Commands:
    monkeypatch.setenv("COLUMNS", "200")
    return Commands(capsys, files)


def read(document: dict[str, Any], mode: str = "text") -> list[Said]:
    labels = {one["id"]: one["label"] for one in document["metrics"]}
    return [
        Said(
            one["id"],
            labels[one["id"]],
            one["p"]["holm"],
            Interval(one["low"], one["high"], one["level"]),
            one["verdict"],
        )
        for one in document["modes"][mode]["differences"]
    ]


@pytest.fixture
def wanted(commands: Commands) -> list[Said]:
    """As `compare --json` has them."""
    return read(json.loads(commands.compare("--json")))


def cells_of(one: Said) -> tuple[str, str, str]:
    return format_p(one.p), format_interval(one.interval, signs=True), one.verdict


def line_of(text: str, one: Said) -> str:
    """The first line that begins with the metric: those of text queries come first."""
    return next(line for line in text.splitlines() if line.split()[:1] == [one.label])


def test_the_case_in_point_is_close_and_no_interval_contradicts_a_verdict(
    wanted: list[Said],
) -> None:
    (close,) = (one for one in wanted if one.label == CLOSE)
    assert 0.03 < close.p < 0.05 and close.verdict == "better"
    for one in wanted:
        assert one.leaves_zero_out == (one.verdict != "no difference found")
    assert {one.verdict for one in wanted} == {"better", "no difference found"}


def test_what_is_listed_changes_nothing(commands: Commands, wanted: list[Said]) -> None:
    document = json.loads(commands.compare("--json", "--metrics", CLOSE))

    assert document["main"] == "P@5" and len(document["secondary"]) == 12
    few = read(document)
    assert [one.label for one in few] == ["Recall@5", CLOSE]
    assert [one for one in wanted if one in few] == sorted(few, key=wanted.index)


def test_the_table_says_the_same(commands: Commands, wanted: list[Said]) -> None:
    for options in ((), ("--metrics", CLOSE)):
        printed = commands.compare(*options)

        for one in wanted if not options else [o for o in wanted if o.label == CLOSE]:
            line = line_of(printed, one)
            assert all(cell in line for cell in cells_of(one)), line
        assert "Primary metric: Recall@5; its p is not corrected." in " ".join(printed.split())


def test_a_narrow_table_says_the_same(
    commands: Commands, wanted: list[Said], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    lines = commands.compare().splitlines()

    assert max(map(len, lines)) <= 80
    for one in wanted:
        at = next(n for n, line in enumerate(lines) if line.split()[:1] == [one.label])
        both = " ".join(lines[at : at + 2])
        assert all(cell in both for cell in cells_of(one)), both


def test_csv_says_the_same(commands: Commands, wanted: list[Said]) -> None:
    rows = csv.DictReader(io.StringIO(commands.compare("--format", "csv")))
    found = {
        row["id"]: row
        for row in rows
        if row["mode"] == "text" and row["scope"] == "all" and row["baseline"]
    }

    for one in wanted:
        row = found[one.id]
        assert float(row["p_holm"]) == one.p and row["verdict"] == one.verdict
        assert float(row["difference_low"]) == one.interval.low
        assert float(row["difference_high"]) == one.interval.high


@pytest.mark.parametrize("form", ["markdown", "latex"])
def test_the_table_of_a_paper_marks_the_same(
    commands: Commands, wanted: list[Said], form: str
) -> None:
    printed = commands.compare("--format", form)
    mark = r"\*" if form == "markdown" else r"\textsuperscript"

    for one in wanted:
        lines = printed.splitlines()
        line = next(line for line in lines if line.strip(" |").startswith(f"{one.label} "))
        assert (mark in line.replace("**", "")) == one.leaves_zero_out, line


def test_the_report_as_html_says_the_same(commands: Commands, wanted: list[Said]) -> None:
    page = Page.of(commands.report("html"))

    rows = [row.text for row in page.all("tr")]
    for one in wanted:
        cells = cells_of(one)
        assert any(one.label in row and all(cell in row for cell in cells) for row in rows), one
    primary = next(one for one in wanted if one.id == "P@5")
    assert f"against alfa-0.1 (0.569): {primary.verdict}" in page.text


@pytest.mark.parametrize(
    ("form", "escape"), [("markdown", escape_markdown), ("latex", escape_latex)]
)
def test_the_report_as_tables_says_the_same(
    commands: Commands, wanted: list[Said], form: str, escape: Any
) -> None:
    lines = commands.report(form).splitlines()

    for one in wanted:
        cells = [escape(cell) for cell in cells_of(one)]
        own = [line for line in lines if line.strip(" |").startswith(f"{one.label} ")]
        assert any(all(cell in line for cell in cells) for line in own), own


@pytest.mark.parametrize("size", [(80, 40), (120, 40), (200, 50)])
def test_the_screen_and_its_sheet_say_the_same(
    wanted: list[Said], tmp_path: Path, encoder: SentenceEncoder, size: tuple[int, int]
) -> None:
    """Compared by the app itself, which evaluates the text queries alone."""

    def spelt(one: Said) -> Iterator[str]:
        for low, high in product((2, 3), repeat=2):
            ends = (one.interval.low, low), (one.interval.high, high)
            texts = (
                f"{e:+.{digits}f}" if round(e, digits) else f"{0:.{digits}f}" for e, digits in ends
            )
            yield " to ".join(texts)

    def check(text: str, some: list[Said]) -> None:
        for one in some:
            line = next(x for x in text.splitlines() if one.label in x.split() and " to " in x)
            assert format_short_p(one.p) in line and one.verdict in line, line
            assert any(interval in line for interval in spelt(one)), line

    async def flow(see: Inspector) -> None:
        await see.do("app.show_compare", "compare.run")
        await see.says("queries count")
        check(see.screen_text, [one for one in wanted if one.label.startswith("Recall")])
        assert "primary: Recall@5" in see.screen_text
        await see.do("compare.all_metrics")
        await see.says("Primary metric: Recall@5; its p is not corrected.")
        check(see.screen_text, [one for one in wanted if not one.label.startswith("Recall")])

    inspect(flow, tmp_path, encoder, size=size)
