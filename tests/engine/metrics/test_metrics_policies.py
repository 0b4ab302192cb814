"""Edge policies: what is left out, what is a bound, and what is said about it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.base.errors import InputError
from engine.base.ranking import NO_ITEM, Ranking
from engine.metrics import Measure, Relevance, Scores, score
from engine.metrics.registry import DEFINITIONS
from engine.metrics.relevance import count_returned

P2, R2, AP, RR, MED_R, MN_R, MED_R_ALL = map(
    Measure.parse, ("P@2", "R@2", "AP", "RR", "MedR", "MnR", "MedR(all)")
)

# Recall 1/2, no relevant item, recall 1.
WITH_AN_EMPTY_QUERY = Relevance.of_hits([[1, 0], [0, 0], [1, 1]], [2, 0, 2], collection=9)


class TestQueriesWithoutARelevantItem:
    def test_are_left_out_and_counted(self) -> None:
        scores = score(WITH_AN_EMPTY_QUERY, [P2, R2])

        assert np.isnan(scores.values[1]).all()
        assert scores.mean(R2) == 0.75
        assert (scores.n, scores.skipped, len(scores)) == (2, 1, 3)
        assert scores.notes == ("1 of 3 queries have no relevant item: left out",)

    def test_count_zero_on_request(self) -> None:
        scores = score(WITH_AN_EMPTY_QUERY, [P2, R2], no_relevant="zero")

        assert scores.column(R2).tolist() == [0.5, 0.0, 1.0]
        assert (scores.n, scores.skipped) == (3, 0)

    def test_have_counts_but_no_rank_when_they_count_zero(self) -> None:
        counts = [Measure.parse(i) for i in ("TP@2", "FP@2", "FN@2", "TN@2")]

        scores = score(WITH_AN_EMPTY_QUERY, [*counts, MED_R, MED_R_ALL], no_relevant="zero")

        assert scores.values[1, :4].tolist() == [0, 2, 0, 7]
        assert np.isnan(scores.values[1, 4:]).all()
        assert len(scores.counted(MED_R)) == 2

    def test_are_an_error_naming_the_first_on_request(self) -> None:
        with pytest.raises(InputError, match="query 1 has no relevant item"):
            score(WITH_AN_EMPTY_QUERY, [P2], no_relevant="error")
        with pytest.raises(InputError, match="query 'red car' has no relevant item"):
            score(WITH_AN_EMPTY_QUERY, [P2], no_relevant="error", names=["a", "red car", "b"])


class TestFewerResultsThanTheCutoff:
    ranking = Ranking(
        np.array([[4, 7, NO_ITEM, NO_ITEM]]), np.array([[0.9, 0.8, -9, -9]], dtype=np.float32)
    )
    hits = np.array([[True, False, False, False]])

    def values(self, short: str, *ids: str) -> list[float]:
        returned, relevant = count_returned(self.ranking), np.array([3])
        judged = Relevance(self.hits, self.ranking.scores, returned, relevant, 10, short=short)  # type: ignore[arg-type]
        return score(judged, [Measure.parse(i) for i in ids]).values[0].tolist()

    def test_leave_the_denominator_as_it_is(self) -> None:
        assert self.values("fixed", "P@4", "Rcap@4", "F1@4", "AP@4(norm=min)") == pytest.approx(
            [1 / 4, 1 / 3, 2 / 7, 1 / 3], abs=1e-12
        )

    def test_change_the_denominator_on_request(self) -> None:
        assert self.values("adaptive", "P@4", "Rcap@4", "F1@4", "AP@4(norm=min)") == pytest.approx(
            [1 / 2, 1 / 2, 2 / 5, 1 / 2], abs=1e-12
        )

    def test_are_all_that_can_be_false_positives(self) -> None:
        assert self.values("fixed", "TP@4", "FP@4", "FN@4", "TN@4") == [1, 1, 2, 6]

    def test_are_all_that_similarity_is_averaged_over(self) -> None:
        assert self.values("fixed", "AvgSim@4") == pytest.approx([0.85], abs=1e-7)

    def test_of_nothing_have_no_similarity_and_no_precision(self) -> None:
        nothing = replace(
            WITH_AN_EMPTY_QUERY, returned=np.zeros(3, dtype=np.int64), short="adaptive"
        )

        scores = score(nothing, [P2, Measure.parse("AvgSim@2")])

        assert scores.column(P2)[[0, 2]].tolist() == [0.0, 0.0]
        assert np.isnan(scores.values[:, 1]).all()


class TestRanksOfItemsThatWereNotFound:
    # First hits at the ranks 1, 2, 3 and, in one query, nowhere in the top 4.
    cut = Relevance.of_hits(
        [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 1], [0, 0, 0, 0]], [1, 1, 2, 1], collection=90
    )

    def test_count_as_one_more_than_the_depth_and_are_called_a_bound(self) -> None:
        scores = score(self.cut, [MN_R])

        assert scores.column(MN_R).tolist() == [1, 2, 3, 5]
        assert scores.lower_bounds(MN_R) == 1
        assert scores.notes == (
            "MnR: 1 of 4 first relevant items were not found; the value is a lower bound",
        )

    def test_leave_a_median_exact_while_they_are_less_than_half(self) -> None:
        scores = score(self.cut, [MED_R, MED_R_ALL])

        assert scores.aggregate(MED_R) == 2.5
        assert scores.aggregate(MED_R_ALL) == 3
        assert all(note.endswith("the median is exact") for note in scores.notes)

    def test_make_the_median_a_bound_when_they_are_half(self) -> None:
        half = Relevance.of_hits([[1, 0], [0, 0]], [1, 1])

        scores = score(half, [MED_R])

        assert scores.aggregate(MED_R) == 2
        assert scores.notes[0].endswith("the value is a lower bound")

    def test_are_mentioned_for_every_uncut_measure(self) -> None:
        noted = [note.split(":")[0] for note in score(self.cut, [AP, RR, P2]).notes]

        assert noted == ["AP", "RR"]
        assert score(replace(self.cut, complete=True), [AP, RR, P2]).notes == ()


def test_a_cutoff_deeper_than_a_cut_ranking_is_refused() -> None:
    with pytest.raises(ValueError, match="P@3 needs the top 3, the rankings are cut at 2"):
        score(WITH_AN_EMPTY_QUERY, [Measure.parse("P@3")])


def test_more_hits_than_relevant_items_are_refused() -> None:
    with pytest.raises(ValueError, match="query 0 has 2 hits but only 1 relevant"):
        score(Relevance.of_hits([[1, 1]], [1]), [P2])


def test_results_after_the_last_returned_one_are_ignored() -> None:
    judged = replace(Relevance.of_hits([[1, 1, 1]], [3]), returned=np.array([1]))

    assert score(judged, [Measure.parse("TP@3"), AP]).values[0].tolist() == [1, 1 / 3]


def test_arrays_of_different_lengths_are_refused() -> None:
    with pytest.raises(ValueError, match=r"relevant has shape \(2,\), there are 1 queries"):
        Relevance.of_hits([[1, 0]], relevant=[1, 1])


class TestSummaries:
    def test_std_is_the_sample_std(self) -> None:
        scores = score(Relevance.of_hits([[1, 0], [1, 1], [0, 0]], [2, 2, 2]), [P2])

        assert scores.std(P2) == pytest.approx(0.5, abs=1e-12)

    def test_std_of_one_query_is_zero(self) -> None:
        assert np.isnan(score(Relevance.of_hits([[1, 0]], [2]), [P2]).std(P2))

    def test_of_no_queries_are_nan_without_a_warning(self) -> None:
        empty = Relevance.of_hits(np.zeros((0, 3)), np.zeros(0, dtype=int), collection=5)
        every = [Measure.parse(d.pattern.replace("@k", "@3")) for d in DEFINITIONS]

        for ties in ("insertion", "expected"):
            scores = score(empty, every, ties=ties)
            assert scores.n == 0
            assert all(np.isnan(scores.aggregate(m)) for m in every)
            assert all(np.isnan(scores.std(m)) for m in every)

    def test_of_a_measure_that_was_not_asked_for_are_an_error(self) -> None:
        with pytest.raises(KeyError, match="AP was not computed"):
            score(WITH_AN_EMPTY_QUERY, [P2]).mean(AP)


@given(st.data())
def test_chunks_add_up_to_the_whole(data: st.DataObject) -> None:
    queries = data.draw(st.integers(1, 8))
    row = st.lists(st.integers(0, 1), min_size=5, max_size=5)
    hits = np.array([data.draw(row) for _ in range(queries)])
    relevant = hits.sum(axis=1) + np.array([data.draw(st.integers(0, 2)) for _ in range(queries)])
    split = data.draw(st.integers(0, queries))
    every = [Measure.parse(d.pattern.replace("@k", "@3")) for d in DEFINITIONS]

    whole = score(Relevance.of_hits(hits, relevant, collection=30), every)
    parts = [
        score(Relevance.of_hits(hits[rows], relevant[rows], collection=30), every)
        for rows in (slice(0, split), slice(split, None))
        if len(hits[rows])
    ]
    joined = Scores.concat(parts)

    np.testing.assert_array_equal(joined.values, whole.values)
    np.testing.assert_equal(
        [joined.aggregate(m) for m in every], [whole.aggregate(m) for m in every]
    )
    assert (joined.skipped, joined.notes) == (whole.skipped, whole.notes)


def test_chunks_of_different_measures_do_not_add_up() -> None:
    with pytest.raises(ValueError, match="same measures"):
        Scores.concat([score(WITH_AN_EMPTY_QUERY, [P2]), score(WITH_AN_EMPTY_QUERY, [R2])])


def test_a_similarity_at_the_threshold_counts_as_retrieved() -> None:
    """In float32, 0.1 is a little more and 0.7 a little less than the number typed."""
    for typed in (0.1, 0.15, 0.7):
        ranking = Ranking(np.array([[0, 1]]), np.array([[typed, typed - 0.01]], dtype=np.float32))

        assert count_returned(ranking, min_similarity=typed).tolist() == [1]
