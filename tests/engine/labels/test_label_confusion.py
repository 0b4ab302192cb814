"""The label × label table of what is retrieved: by hand, by scikit-learn, and its laws."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from engine.labels.scoring.label_confusion import LabelConfusion

Codes = npt.NDArray[np.int64]
COOK, WALK, READ = range(3)


def by_hand() -> LabelConfusion:
    """Two queries of cook, one of walk; three results each, one of them missing."""
    asked = np.array([COOK, WALK, COOK])
    found = np.array([[COOK, WALK, COOK], [WALK, READ, READ], [WALK, WALK, -1]])
    return LabelConfusion.count(asked, found, 3)


def test_rows_are_the_labels_of_the_queries_and_columns_those_of_the_results() -> None:
    table = by_hand()

    assert table.counts(COOK).tolist() == [2, 3, 0]
    assert table.counts(WALK).tolist() == [0, 1, 2]
    assert table.counts(READ).tolist() == [0, 0, 0]


def test_a_missing_result_counts_nowhere() -> None:
    table = by_hand()

    assert table.total(COOK) == 5  # 2 queries with 3 results each, but one is missing
    assert table.queries.tolist() == [2, 1, 0]


def test_a_query_without_label_counts_nowhere() -> None:
    table = LabelConfusion.count(np.array([-1, WALK]), np.array([[COOK], [WALK]]), 3)

    assert table.totals.tolist() == [0, 1, 0]
    assert table.queries.tolist() == [0, 1, 0]


def test_the_most_retrieved_labels_come_first_and_equal_ones_in_their_order() -> None:
    table = by_hand()
    equal = LabelConfusion.count(np.array([READ]), np.array([[WALK, COOK]]), 3)

    assert table.top(COOK, 5) == [(WALK, 3), (COOK, 2)]
    assert table.wrong(COOK, 5) == [(WALK, 3)]
    assert equal.top(READ, 1) == [(COOK, 1)]


def test_the_diagonal_is_what_label_score_counts() -> None:
    table = by_hand()

    assert table.right.tolist() == [2, 1, 0]
    assert table.intruding.tolist() == [0, 3, 2]


@pytest.mark.parametrize(
    ("found", "message"),
    [
        (np.array([[3]]), "not below the number of labels"),
        (np.array([[0], [0]]), r"\(2, 1\) results for 1 queries"),
    ],
)
def test_what_cannot_be_counted_is_refused(found: Codes, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        LabelConfusion.count(np.array([0]), found, 3)


labels = st.integers(1, 7)


@st.composite
def judged(draw: st.DrawFn) -> tuple[Codes, Codes, int]:
    most = draw(labels)
    queries, depth = draw(st.integers(0, 9)), draw(st.integers(1, 5))
    codes = st.integers(0, most - 1)
    asked = draw(arrays.arrays(np.int64, queries, elements=codes))
    found = draw(arrays.arrays(np.int64, (queries, depth), elements=codes))
    return asked, found, most


@given(judged())
def test_the_table_equals_that_of_scikit_learn(case: tuple[Codes, Codes, int]) -> None:
    confusion_matrix = pytest.importorskip("sklearn.metrics").confusion_matrix
    asked, found, most = case
    table = LabelConfusion.count(asked, found, most)

    whole = np.stack([table.counts(row) for row in range(most)])

    if found.size:
        expected = confusion_matrix(
            np.repeat(asked, found.shape[1]), found.reshape(-1), labels=range(most)
        )
        assert (whole == expected).all()
    assert (table.totals == whole.sum(axis=1)).all()
    assert (table.right == np.diag(whole)).all()
    assert (table.intruding == whole.sum(axis=0) - np.diag(whole)).all()


@given(judged(), st.integers(0, 9))
def test_chunks_add_up_to_the_whole(case: tuple[Codes, Codes, int], cut: int) -> None:
    asked, found, most = case
    whole = LabelConfusion.count(asked, found, most)

    parts = LabelConfusion.count(asked[:cut], found[:cut], most) + LabelConfusion.count(
        asked[cut:], found[cut:], most
    )

    assert parts.pairs.tolist() == whole.pairs.tolist()
    assert parts.times.tolist() == whole.times.tolist()
    assert parts.queries.tolist() == whole.queries.tolist()


def test_many_labels_need_memory_for_the_pairs_that_occur_alone() -> None:
    many = 1_000_000  # the whole table would have 10¹² cells
    asked = np.arange(many, dtype=np.int64)
    found = np.stack([asked, asked[::-1]], axis=1)

    table = LabelConfusion.count(asked, found, many)

    assert table.counts(3).sum() == 2
    assert table.top(3, 5) == [(3, 1), (many - 4, 1)]
    assert len(table.pairs) == 2 * many
