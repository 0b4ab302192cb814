"""Every metric against a calculation that a reader can redo on paper."""

from __future__ import annotations

from math import log2

import numpy as np
import pytest

from engine.base.ranking import Ranking
from engine.metrics import Measure, Relevance, find_profile, gains_from_sets, score
from engine.metrics.relevance import count_returned


def value(written: str, relevance: Relevance) -> float:
    """The one value of a batch of one query."""
    return float(score(relevance, [Measure.parse(written)]).values[0, 0])


def alfa_recall(k: int, relevance: Relevance) -> float:
    return value(str(find_profile("alfa").parse(f"Recall@{k}")), relevance)


def thresholded(similarities: list[float], hits: list[int], relevant: int) -> Relevance:
    """One ranking of which results below 0.15 do not count as retrieved."""
    ranking = Ranking(np.arange(5)[None], np.array([similarities], dtype=np.float32))
    returned = count_returned(ranking, min_similarity=0.15)
    hit = np.array([hits], dtype=bool)
    return Relevance(hit, ranking.scores, returned, np.array([relevant]), 100)


class TestWorkedExamples:
    def test_text_query_with_a_partial_match_at_rank_five(self) -> None:
        judged = thresholded([0.92, 0.88, 0.85, 0.53, 0.12], [1, 1, 1, 1, 0], relevant=12)

        assert alfa_recall(1, judged) == 1.0
        assert alfa_recall(3, judged) == 1.0
        assert alfa_recall(5, judged) == 0.8

    def test_video_query_with_two_results_below_the_threshold(self) -> None:
        judged = thresholded([0.95, 0.91, 0.32, 0.10, 0.09], [1, 1, 1, 1, 1], relevant=8)

        assert alfa_recall(5, judged) == 0.6

    def test_first_result_wrong_the_others_right(self) -> None:
        judged = Relevance.of_hits([[0, 1, 1, 1, 1]], relevant=[9])

        assert alfa_recall(1, judged) == 0.0
        assert alfa_recall(3, judged) == pytest.approx(0.667, abs=5e-4)
        assert alfa_recall(5, judged) == 0.8

    def test_three_of_four_relevant_ids_among_the_top_five(self) -> None:
        top_five = np.array([[120, 300, 450, 600, 780]])
        hits = gains_from_sets(top_five, np.array([0, 4]), np.array([120, 450, 780, 1200]))
        judged = Relevance.of_hits(hits, relevant=[4])

        assert value("TopK%@5", judged) == 75.0
        assert value("P@5", judged) == pytest.approx(0.60, abs=1e-12)
        assert value("R@5", judged) == 0.75

    def test_first_relevant_item_at_rank_two(self) -> None:
        assert value("RR", Relevance.of_hits([[0, 1, 1, 0]], relevant=[2])) == 0.5

    def test_seven_of_ten_neighbours_with_the_same_label(self) -> None:
        same_label = [[1, 1, 0, 1, 1, 0, 1, 1, 0, 1]]

        assert value("P@10", Relevance.of_hits(same_label, relevant=[50])) == 0.7

    def test_average_precision_over_all_relevant_or_the_reachable_ones(self) -> None:
        judged = Relevance.of_hits([[1, 0, 1, 0, 0]], relevant=[10])

        assert value("AP@5", judged) == pytest.approx(0.167, abs=5e-4)
        assert value("AP@5(norm=min)", judged) == pytest.approx(0.333, abs=5e-4)


# Hits at the ranks 2, 3 and 6 of 6; five relevant items among twenty.
HITS = Relevance.of_hits([[0, 1, 1, 0, 0, 1]], relevant=[5], collection=20, complete=True)


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("P@3", 2 / 3),
        ("P@10", 3 / 10),
        ("R@3", 2 / 5),
        ("TopK%@6", 60.0),
        ("Rcap@3", 2 / 3),
        ("Rcap@6", 3 / 5),
        ("Success@1", 0.0),
        ("Success@2", 1.0),
        ("AP", (1 / 2 + 2 / 3 + 3 / 6) / 5),
        ("AP@3", (1 / 2 + 2 / 3) / 5),
        ("AP@3(norm=min)", (1 / 2 + 2 / 3) / 3),
        ("RR", 1 / 2),
        ("RR@1", 0.0),
        ("RR@2", 1 / 2),
        ("nDCG@2", (1 / log2(3)) / (1 + 1 / log2(3))),
        (
            "nDCG",
            (1 / log2(3) + 1 / log2(4) + 1 / log2(7))
            / (1 + 1 / log2(3) + 1 / log2(4) + 1 / log2(5) + 1 / log2(6)),
        ),
        ("Rprec", 2 / 5),
        ("F1@3", 2 * (2 / 3) * (2 / 5) / (2 / 3 + 2 / 5)),
        ("F1@1", 0.0),
        ("TP@3", 2),
        ("FP@3", 1),
        ("FN@3", 3),
        ("TN@3", 14),
        ("MedR", 2),
        ("MnR", 2),
        ("AvgSim@3", (0 - 1 - 2) / 3),
        ("MaxSim@3", 0),
        ("MinSim@3", -2),
    ],
)
def test_binary_measures(written: str, expected: float) -> None:
    assert value(written, HITS) == pytest.approx(expected, abs=1e-12)


# Grades 3, 0, 1 at the ranks 1 to 3; an item of grade 2 was not retrieved.
GRADED = Relevance.of_hits([[3, 0, 1]], relevant=[3], ideal=[[3, 2, 1]])


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("nDCG@3", (3 + 1 / 2) / (3 + 2 / log2(3) + 1 / 2)),
        ("nDCG@2", 3 / (3 + 2 / log2(3))),
        ("nDCG", (3 + 1 / 2) / (3 + 2 / log2(3) + 1 / 2)),
        ("nDCG@3(gain=exp)", (7 + 1 / 2) / (7 + 3 / log2(3) + 1 / 2)),
        ("nDCG(gain=exp)", (7 + 1 / 2) / (7 + 3 / log2(3) + 1 / 2)),
        ("P@3", 2 / 3),
        ("AP", (1 + 2 / 3) / 3),
    ],
)
def test_graded_measures(written: str, expected: float) -> None:
    assert value(written, GRADED) == pytest.approx(expected, abs=1e-12)


def test_the_ideal_counts_items_that_the_list_is_too_short_to_hold() -> None:
    judged = Relevance.of_hits([[1]], relevant=[3])

    assert value("nDCG", judged) == pytest.approx(1 / (1 + 1 / log2(3) + 1 / 2), abs=1e-12)
    assert value("nDCG@1", judged) == 1.0


def test_grades_below_zero_count_as_not_relevant() -> None:
    judged = Relevance.of_hits([[-2, 1]], relevant=[1], ideal=[[1, -2]])

    assert value("nDCG@2", judged) == pytest.approx(1 / log2(3), abs=1e-12)
    assert value("P@2", judged) == 0.5


def test_graded_ndcg_without_the_ideal_is_refused() -> None:
    judged = Relevance.of_hits([[3, 1]], relevant=[2], ideal=[[3, 1]])
    blind = Relevance(
        judged.gains, judged.scores, judged.returned, judged.relevant, judged.collection
    )

    with pytest.raises(ValueError, match="ideal"):
        score(blind, [Measure.parse("nDCG@2")])


def test_median_and_mean_rank_of_the_first_hits() -> None:
    judged = Relevance.of_hits(
        [[1, 0, 0, 0, 0, 0], [0, 1, 0, 0, 0, 1], [0, 0, 0, 0, 0, 1]], [1, 2, 1], complete=True
    )
    median, mean, pooled = map(Measure.parse, ("MedR", "MnR", "MedR(all)"))

    scores = score(judged, [median, mean, pooled])

    assert scores.aggregate(median) == 2
    assert scores.aggregate(mean) == 3
    assert scores.aggregate(pooled) == (2 + 6) / 2
    assert scores.column(pooled).tolist() == [1, 4, 6]
    assert scores.notes == ()
