"""The summary that scripts print: line for line."""

from __future__ import annotations

import numpy as np
import pytest

from engine.labels import compute_label_recall_at_k, print_results_summary
from engine.labels.printing import format_direction, format_results_summary, format_score_lines

BAR = "=" * 70


def test_the_summary_is_printed_line_for_line(capsys: pytest.CaptureFixture[str]) -> None:
    print_results_summary(
        {
            "text2sensor": {10: 0.7234, 50: 0.6891, 100: 0.6523},
            "prototype2sensor": {10: 0.8345},
        }
    )

    assert capsys.readouterr().out.splitlines() == [
        BAR,
        "LABEL-SCORE@K RESULTS SUMMARY",
        BAR,
        "",
        "Text -> Sensor:",
        "-" * 40,
        "  K= 10 => Label-Score@K = 0.7234 (72.34 %)",
        "  K= 50 => Label-Score@K = 0.6891 (68.91 %)",
        "  K=100 => Label-Score@K = 0.6523 (65.23 %)",
        "",
        "Text Prototype -> Sensor:",
        "-" * 40,
        "  K= 10 => Label-Score@K = 0.8345 (83.45 %)",
        "",
        BAR,
    ]


def test_columns_stand_below_each_other_whatever_k_is() -> None:
    lines = format_score_lines({1: 1.0, 10: 0.05, 20_000: 0.0})

    assert lines == [
        "  K=    1 => Label-Score@K = 1.0000 (100.00 %)",
        "  K=   10 => Label-Score@K = 0.0500 (5.00 %)",
        "  K=20000 => Label-Score@K = 0.0000 (0.00 %)",
    ]


def test_a_score_of_nothing_is_undefined() -> None:
    assert format_score_lines({10: float("nan")}) == ["  K= 10 => Label-Score@K undefined"]
    assert format_score_lines({}) == []


def test_no_results_are_an_empty_summary() -> None:
    assert format_results_summary({}) == f"{BAR}\nLABEL-SCORE@K RESULTS SUMMARY\n{BAR}\n\n{BAR}\n"


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("text2sensor", "Text -> Sensor"),
        ("video2video", "Video -> Video"),
        ("prototype2text", "Text Prototype -> Text"),
        ("prototype2mpeg2", "Text Prototype -> Mpeg2"),
        ("mpeg22text", "mpeg22text"),
        ("prototype", "prototype"),
        ("anything", "anything"),
    ],
)
def test_a_direction_in_words(name: str, expected: str) -> None:
    assert format_direction(name) == expected


def test_verbose_tells_on_stderr_what_is_scored_and_nothing_on_stdout(
    capsys: pytest.CaptureFixture[str],
) -> None:
    vectors = np.eye(3)

    compute_label_recall_at_k(vectors, vectors, ["a", "b", "a"], [1], verbose=True)
    reported = capsys.readouterr()
    compute_label_recall_at_k(vectors, vectors, ["a", "b", "a"], [1], verbose=False)
    silent = capsys.readouterr()

    assert reported.out == ""
    assert reported.err.splitlines() == [
        "3 items, 2 labels",
        "text2sensor: 3 queries",
        "sensor2text: 3 queries",
    ]
    assert silent.out == silent.err == ""
