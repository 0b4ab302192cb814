"""The head of a triage in all its forms, and what its tables leave out on narrow terminals."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from engine.report.triage.heading import describe_measure, list_chance_notes
from engine.report.triage.markdown import format_triage_markdown
from engine.report.triage.page import format_triage_page
from engine.stats import Interval
from engine.triage.saved_numbers import SavedNumber
from engine.triage.saved_triage import SavedTriage
from tests.engine.report.html_reader import Page
from tests.engine.report.triage.drawn_triage import parse, write_document
from tui.cli.shared.console import as_text
from tui.cli.triage.tables import build_finding_lines
from tui.cli.triage.view import build_triage_view

LACKS_P = "wider terminals show p and intervals; --json has all"


@pytest.fixture
def found() -> SavedTriage:
    return parse(write_document())


def read_forms(found: SavedTriage) -> list[str]:
    """The table, the Markdown and the page, as plain words."""
    page = Page.of(format_triage_page(found, 3))
    forms = (
        as_text(*build_triage_view(found, 3)),
        format_triage_markdown(found, 3).replace("\\", ""),
        " ".join(one.text for tag in ("p", "li") for one in page.all(tag)),
    )
    return [" ".join(form.split()) for form in forms]


def test_every_form_says_what_the_metric_is(found: SavedTriage) -> None:
    for form in read_forms(found):
        assert "P@5 = hits among the first 5 / 5 (Recall@5 in the profile alfa)" in form
        assert "P@k" not in form
    assert describe_measure("something") == ""


@pytest.mark.parametrize(
    ("mean", "low", "said"),
    [
        (0.030, 0.020, "no better than chance (0.030 against 0.044)"),
        (0.050, 0.030, "not surely better than chance (0.050, 95 % CI 0.030 to 0.070, against"),
    ],
)
def test_every_form_says_once_that_chance_does_as_well(
    found: SavedTriage, mean: float, low: float, said: str
) -> None:
    (one,) = found.shortfalls
    poor = replace(one, mean=SavedNumber(mean, Interval(low, 0.07, 0.95)), chance=0.044)
    (note,) = list_chance_notes([poor], 0.95)

    assert note.startswith(f"Video results are {said}")
    assert note.endswith("): the findings on video queries say little")
    for form in read_forms(replace(found, shortfalls=(poor,), notes=(note, "another note"))):
        assert form.count("than chance (") == 1 and note in form
        assert "another note" in form


def test_of_results_above_chance_nothing_is_said(found: SavedTriage) -> None:
    assert list_chance_notes(found.shortfalls, 0.95) == []


@pytest.mark.parametrize(
    ("width", "intervals", "p"), [(46, False, False), (60, False, True), (80, True, True)]
)
def test_what_a_narrow_table_leaves_out_is_said(
    found: SavedTriage, width: int, intervals: bool, p: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", str(width))

    said = as_text(build_finding_lines(found, found.findings))

    assert ("[interval]" in said) is intervals
    assert any(line.endswith(" p") for line in said.splitlines()) is p
    assert (LACKS_P in " ".join(said.split())) is not p
    assert ("wider terminals" in said) is not (intervals and p)


@pytest.mark.parametrize("width", [80, 99])
def test_units_stand_behind_effects_and_no_word_is_broken(
    found: SavedTriage, width: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    first = found.findings[0]
    other = replace(first, id="one", unit="labels of clips", label="urban_bicyclist_" * 4)

    lines = as_text(
        build_finding_lines(replace(found, findings=(first, other)), [first, other])
    ).splitlines()

    assert any(re.search(r"\] +0\.002", line) for line in lines)
    assert any(re.search(r"\] labels +0\.002", line) for line in lines)
    broken = [re.findall(r"\S*urban\S*|\S*bicyclist\S*", line) for line in lines]
    assert any(broken) and all(word.endswith("_") for words in broken for word in words)
