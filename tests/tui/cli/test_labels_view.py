"""Label Scores for the eye: what the tables show, say and leave out."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from engine.labels.data.directions import Direction
from engine.labels.data.label_files import LabelFiles
from engine.labels.request import LabelRequest
from engine.labels.scoring.label_run import LabelScore
from engine.metrics.policies import Policies
from engine.report.tables.numbers import format_number
from tests.engine.labels.label_runs_by_hand import (
    ACROSS,
    BACK,
    PROTOTYPES,
    WITHIN,
    ranked,
    run_of,
    with_hits,
)
from tui.cli.labels.view import build_labels_view, format_share
from tui.cli.shared.console import as_text

REQUEST = LabelRequest(LabelFiles(Path("sensor.npy"), ()))
SIX_AND_SIX = ["a"] * 6 + ["b"] * 6


@pytest.fixture(autouse=True)
def wide(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "120")


def summary(*scores: LabelScore) -> str:
    return as_text(*build_labels_view(REQUEST, run_of(*scores)))


def cells(text: str, head: str, row: str) -> list[str]:
    """The words of a row of the table below a head."""
    below = text.partition(head)[2].splitlines()
    return next(line.split() for line in below if line.split()[:1] == [row])


def test_a_mean_without_the_queries_that_do_not_count_is_called_so() -> None:
    labels, rankings = ["a", "a", "b"], [[1, 2], [0, 2], [0, 1]]
    skip = Policies(no_relevant="skip")

    some = ranked(labels, rankings, (2,), direction=WITHIN, policies=skip)
    every = ranked(labels, rankings, (2,), direction=WITHIN)

    assert "the mean over the queries that count\n" in summary(some)
    assert "the mean over all queries\n" in summary(every)


@pytest.mark.parametrize("kind", ["a", "weighted"])
def test_a_half_is_rounded_as_comparisons_and_the_inspector_round_it(kind: str) -> None:
    hits = [0, 4, 7, 1, 5, 6, 8, 10]
    score = with_hits(["a"] * 12 + ["b"] * 12, hits, 10, direction=PROTOTYPES, asked=["a"] * 8)

    elsewhere = format_number(float(np.mean(np.array(hits) / 10)))

    assert (
        format_number(score.mean(10)) != elsewhere
    )  # 41/80 is a half, and lies on either side of it
    assert cells(summary(score), "By label", kind)[-1] == elsewhere


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (0.9995, ">0.999"),
        (1.0, "1.000"),
        (0.0004, "<0.001"),
        (0.0, "0.000"),
        (0.9994, "0.999"),
        (float("nan"), "–"),
    ],
)
def test_something_is_never_shown_as_nothing_nor_nearly_all_as_all(
    value: float, shown: str
) -> None:
    assert format_share(value) == shown


def test_a_rare_mistake_is_not_shown_as_none() -> None:
    labels = ["a"] * 300 + ["b"]
    wrong = [300, *range(299)]
    score = ranked(labels, [wrong, *[list(range(300))] * 300], (300,))

    assert "b <1%" in summary(score).partition("Found instead")[2]


def test_chance_is_named_after_its_direction_where_directions_differ_in_it() -> None:
    across = with_hits(SIX_AND_SIX, [1] * 12, 1)
    back = with_hits(SIX_AND_SIX, [1] * 12, 1, direction=BACK)
    within = with_hits(SIX_AND_SIX, [1] * 12, 1, direction=WITHIN)

    assert "support   chance   text2sensor   sensor2text" in summary(across, back)
    assert "support   chance, text2sensor   text2sensor" in summary(across, within)
    # 6 of 12 across, 5 of 11 within: the one that is shown is the first
    assert cells(summary(across, within), "By label", "a")[2] == "0.500"
    assert cells(summary(within, across), "By label", "a")[2] == "0.455"


def test_what_is_found_instead_is_reported_for_every_direction() -> None:
    across = with_hits(SIX_AND_SIX, [1] * 12, 2)
    back = with_hits(SIX_AND_SIX, [2] * 12, 2, direction=BACK)

    text = summary(across, back)

    assert cells(text, "Found instead at K=2", "label") == ["label", "text2sensor", "sensor2text"]
    assert cells(text, "Found instead at K=2", "a") == ["a", "b", "50%", "–"]


def test_where_nothing_wrong_is_found_nothing_is_reported() -> None:
    assert "instead" not in summary(with_hits(SIX_AND_SIX, [2] * 12, 2))


def _wide_names(names: Sequence[str]) -> list[LabelScore]:
    labels = [names[0]] * 6 + [names[1]] * 6
    return [
        with_hits(labels, [1] * 12, 2, direction=Direction(asked, found))
        for asked in ("accelerometer", "transcription")
        for found in ("accelerometer", "transcription")
    ]


def test_a_narrow_terminal_says_what_it_leaves_out(monkeypatch: pytest.MonkeyPatch) -> None:
    scores = _wide_names(["a long name of a label", "another name of a label"])
    monkeypatch.setenv("COLUMNS", "80")

    text = summary(*scores)

    assert "· what is found instead: a wider terminal, or --confusion-csv FILE" in text
    assert "· chance by label: a wider terminal, or --per-label FILE.csv" in text
    assert "Found instead at" not in text
    assert max(map(len, text.splitlines())) <= 80


def test_a_label_without_a_prototype_is_there_if_another_direction_has_it() -> None:
    prototype = with_hits(SIX_AND_SIX, [1], 1, direction=PROTOTYPES, asked=["a"])
    across = with_hits(SIX_AND_SIX, [1] * 12, 1, direction=ACROSS)

    assert cells(summary(prototype, across), "By label", "b")[-2:] == ["–", "1.000"]


def test_a_label_that_a_finding_quotes_is_spelt_once() -> None:
    hidden = "b\u200d"
    labels = ["a"] * 6 + [hidden] * 6
    text = summary(with_hits(labels, [0] * 6 + [5] * 6, 5, direction=WITHIN))
    assert "b\\u200d" in text.partition("Findings")[2]
    assert "b\\\\u200d" not in text
