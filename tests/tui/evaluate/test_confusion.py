"""The picture of the four counts: what it says, what it calls a metric, how wide it is."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import confusion_matrix, precision_score, recall_score

from engine.results.results import MetricRow
from tui.cli.shared.confusion import (
    Confusion,
    draw_confusion,
    draw_confusions,
    find_confusions,
)
from tui.cli.shared.options import list_confusion_ids


def rows_of(counts: dict[str, float], mode: str = "text", n: int = 1) -> list[MetricRow]:
    return [MetricRow(mode, name, name, "", mean, float("nan"), n) for name, mean in counts.items()]


def picture(confusion: Confusion, ascii: bool = False) -> list[str]:
    return draw_confusion(confusion, ascii=ascii).plain.splitlines()


def test_one_query_with_its_precision_and_recall() -> None:
    assert picture(Confusion(5, 3, 2, 1, 278)) == [
        "Confusion at K = 5",
        "          relevant   not relevant",
        "  top 5   TP     3   FP         2   P@5 0.600 ██████░░░░",
        "  below   FN     1   TN       278",
        "          R@5 0.750 ████████░░",
        "  P@5 = TP / 5, R@5 = TP / (TP + FN)",
    ]


def test_means_have_one_decimal_and_the_share_of_means_is_called_pooled() -> None:
    lines = picture(Confusion(5, 2.6, 2.4, 10.25, 268.75, queries=52))

    assert lines[0] == "Confusion at K = 5, mean over 52 queries"
    assert "TP   2.6" in lines[2] and "P@5 0.520" in lines[2]  # the mean of TP / k is P@k's
    assert "TN     268.8" in lines[3]
    assert lines[4].strip() == "pooled R@5 0.202 ██░░░░░░░░"
    assert lines[5].strip() == "P@5 = TP / 5, pooled R@5 = TP / (TP + FN)"


def test_with_fewer_than_k_results_precision_is_not_called_p_at_k() -> None:
    lines = picture(Confusion(10, 2, 1, 0, 20))

    assert lines[2].endswith("precision 0.667 ███████░░░")
    assert lines[5].strip().startswith("precision = TP / (TP + FP), ")


def test_nothing_relevant_and_nothing_returned_is_undefined_and_no_crash() -> None:
    lines = picture(Confusion(5, 0, 0, 0, 20))

    assert lines[2].endswith("precision undefined")
    assert lines[4].endswith("R@5 undefined")


@given(
    st.integers(1, 1000),
    *[st.floats(0, 2_000_000)] * 4,
    st.integers(1, 100_000),
    st.sampled_from(["", "text", "video"]),
)
def test_the_picture_fits_into_eighty_columns_and_is_plain_where_asked(
    k: int, tp: float, fp: float, fn: float, tn: float, queries: int, mode: str
) -> None:
    hits = min(tp, k)
    lines = picture(Confusion(k, hits, min(fp, k - hits), fn, tn, queries, mode), ascii=True)

    assert max(map(len, lines)) <= 80
    assert all(line.isascii() for line in lines)
    assert len(lines) == 6


@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=40))
def test_the_shares_equal_scikit_learns(items: list[tuple[bool, bool]]) -> None:
    relevant, top = (np.array(side) for side in zip(*items, strict=True))
    tn, fp, fn, tp = confusion_matrix(relevant, top, labels=[False, True]).ravel().tolist()
    lines = picture(Confusion(max(int(top.sum()), 1), tp, fp, fn, tn))

    if top.any():
        assert f" {precision_score(relevant, top):.3f} " in lines[2]
    if relevant.any():
        assert f" {recall_score(relevant, top):.3f} " in lines[4]


def test_every_cutoff_with_all_four_counts_is_found() -> None:
    five = dict(zip(list_confusion_ids(5), (3.0, 2.0, 1.0, 278.0), strict=True))
    three = {"FP@3": 1.0, "TP@3": 2.0, "TN@3": 279.0, "FN@3": 2.0}

    found = find_confusions(rows_of({"P@5": 0.6, **five, "TP@1": 1.0, "FP@1": 0.0, **three}))

    assert found == [Confusion(5, 3, 2, 1, 278), Confusion(3, 2, 1, 2, 279)]


def test_the_modes_of_a_run_have_a_picture_each() -> None:
    counts = dict(zip(list_confusion_ids(5), (3.0, 2.0, 1.0, 278.0), strict=True))

    found = find_confusions([*rows_of(counts, "text", 52), *rows_of(counts, "video", 284)])

    assert [(own.mode, own.queries) for own in found] == [("text", 52), ("video", 284)]
    assert len(draw_confusions(rows_of(counts))) == 2  # an empty line and the picture


@pytest.mark.parametrize(
    "counts",
    [
        {},
        {"P@5": 0.6},
        {"TP@5": 3.0, "FP@5": 2.0, "FN@5": 1.0},
        dict.fromkeys(list_confusion_ids(5), float("nan")),
    ],
)
def test_without_all_four_counts_there_is_no_picture(counts: dict[str, float]) -> None:
    assert draw_confusions(rows_of(counts)) == []
