"""Ties: the three policies, against enumeration of every order and against trec_eval."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import groupby, permutations, product

import numpy as np
import pytest
import pytrec_eval
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import ndcg_score

from engine.base.ranking import NO_ITEM, Ranking
from engine.metrics import (
    Measure,
    Relevance,
    gains_from_sets,
    order_by_docid,
    reorder_ties_by_docid_desc,
    score,
)
from engine.metrics.registry import DEFINITIONS
from engine.metrics.relevance import count_returned
from tests.examples import examples

MEDIAN_OF_ALL = Measure.parse("MedR(all)")


def measures_at(k: int) -> list[Measure]:
    """Every measure whose expectation is one number per query."""
    every = [Measure.parse(definition.pattern.replace("@k", f"@{k}")) for definition in DEFINITIONS]
    return [measure for measure in every if measure != MEDIAN_OF_ALL]


def one_query(
    gains: list[float], scores: list[float], relevant: int, returned: int | None = None
) -> Relevance:
    ideal = sorted((*gains, *[1.0] * relevant), reverse=True)
    return Relevance(
        gains=np.array([gains], dtype=np.float64),
        scores=np.array([scores], dtype=np.float32),
        returned=np.array([len(gains) if returned is None else returned]),
        relevant=np.array([relevant]),
        collection=50,
        ideal=np.array([ideal], dtype=np.float64),
        complete=True,
    )


def every_order(scores: list[float]) -> Iterator[list[int]]:
    """All orders of the places that keep the scores falling."""
    groups = [list(g) for _, g in groupby(range(len(scores)), key=scores.__getitem__)]
    for orders in product(*(permutations(group) for group in groups)):
        yield [place for order in orders for place in order]


@st.composite
def tied(draw: st.DrawFn) -> tuple[Relevance, list[Relevance], int]:
    """A tied ranking, the same in every order of its ties, and a cutoff."""
    depth = draw(st.integers(1, 6))
    column = st.lists(st.integers(0, 2), min_size=depth, max_size=depth)
    gains = [float(gain) for gain in draw(column)]
    scores = sorted((float(s) for s in draw(column)), reverse=True)
    hits = sum(gain > 0 for gain in gains)
    relevant = draw(st.integers(max(hits, 1), 8))
    # A similarity threshold lies between groups, never inside one.
    ends = [i for i in range(1, depth + 1) if i == depth or scores[i] != scores[i - 1]]
    returned = draw(st.sampled_from(ends))
    orders = [
        one_query([gains[place] for place in order], scores, relevant, returned)
        for order in every_order(scores)
    ]
    return one_query(gains, scores, relevant, returned), orders, draw(st.integers(1, 7))


@given(tied())
@examples(150)
def test_expected_values_are_the_mean_over_every_order(
    case: tuple[Relevance, list[Relevance], int],
) -> None:
    relevance, orders, k = case
    measures = measures_at(k)

    expected = score(relevance, measures, ties="expected").values[0]

    enumerated = np.mean([score(order, measures).values[0] for order in orders], axis=0)
    np.testing.assert_allclose(expected, enumerated, rtol=0, atol=1e-9)


@given(tied())
@examples(60)
def test_pooled_ranks_put_every_relevant_item_at_its_mean_rank(
    case: tuple[Relevance, list[Relevance], int],
) -> None:
    relevance, orders, _ = case

    pooled = score(relevance, [MEDIAN_OF_ALL], ties="expected").pooled

    total = [
        float(np.arange(len(p)) @ p) for p in (score(o, [MEDIAN_OF_ALL]).pooled for o in orders)
    ]
    assert float(np.arange(len(pooled)) @ pooled) == pytest.approx(np.mean(total), abs=1e-9)


def test_two_tied_results_of_which_one_is_a_hit_share_its_credit() -> None:
    judged = one_query([1.0, 0.0, 0.0], [0.5, 0.5, 0.1], relevant=1)
    ids = ["P@1", "Success@1", "RR", "AP", "MnR", "MedR(all)"]

    values = score(judged, [Measure.parse(i) for i in ids], ties="expected").values[0]

    half, mean_reciprocal = 0.5, (1 + 1 / 2) / 2
    assert values.tolist() == [half, half, mean_reciprocal, mean_reciprocal, 1.5, 1.5]


def test_a_tie_that_is_invisible_in_float32_is_a_tie() -> None:
    in_float64 = np.array([[0.5 + 1e-12, 0.5]])
    judged = replace(one_query([1.0, 0.0], [0.6, 0.5], relevant=1), scores=in_float64)

    assert score(judged, [Measure.parse("P@1")], ties="expected").values[0, 0] == 0.5


def test_what_was_not_retrieved_is_tied_with_nothing() -> None:
    judged = one_query([1.0, 0.0], [0.5, 0.5], relevant=1, returned=1)

    assert score(judged, [Measure.parse("P@1")], ties="expected").values[0, 0] == 1.0


def test_the_insertion_policy_takes_the_order_as_it_stands() -> None:
    judged = one_query([0.0, 1.0], [0.5, 0.5], relevant=1)

    assert score(judged, [Measure.parse("RR")]).values[0, 0] == 0.5


@given(tied())
@examples(60)
def test_expected_ndcg_equals_sklearn_which_averages_ties(
    case: tuple[Relevance, list[Relevance], int],
) -> None:
    relevance, _, _ = case
    gains, scores = relevance.gains, relevance.scores
    whole = one_query(gains[0].tolist(), scores[0].tolist(), max(int((gains > 0).sum()), 1))
    if gains.shape[1] < 2 or not gains.any():
        return
    k = gains.shape[1] - 1
    ideal = Relevance(
        whole.gains, whole.scores, whole.returned, whole.relevant, 50, -np.sort(-gains), True
    )

    ours = score(ideal, [Measure.parse(f"nDCG@{k}")], ties="expected").values[0, 0]

    assert ours == pytest.approx(ndcg_score(gains, scores, k=k), abs=1e-9)


@given(st.data())
@examples(100)
def test_docid_desc_equals_trec_eval_on_tied_scores(data: st.DataObject) -> None:
    items = data.draw(st.integers(2, 15))
    ids = [f"d{i}" for i in range(items)]  # d10 sorts before d2, as strings do
    returned = data.draw(st.permutations(range(items)))[: data.draw(st.integers(1, items))]
    scores = sorted((data.draw(st.integers(0, 3)) / 4 for _ in returned), reverse=True)
    relevant = data.draw(st.sets(st.integers(0, items - 1), min_size=1))
    padding = data.draw(st.integers(0, 2))
    ranking = Ranking(
        np.array([[*returned, *[NO_ITEM] * padding]]),
        np.array([[*scores, *[0.0] * padding]], dtype=np.float32),
    )

    reordered = reorder_ties_by_docid_desc(ranking, order_by_docid(ids))
    gains = gains_from_sets(
        reordered.indices, np.array([0, len(relevant)]), np.array(sorted(relevant))
    )
    found, count = count_returned(reordered), np.array([len(relevant)])
    judged = Relevance(gains, reordered.scores, found, count, items, complete=True)
    ours = score(
        judged, [Measure.parse(i) for i in ("AP", "RR", "P@5", "nDCG@5")], ties="docid_desc"
    )

    evaluator = pytrec_eval.RelevanceEvaluator(
        {"q": {ids[i]: 1 for i in relevant}}, {"map", "recip_rank", "P.5", "ndcg_cut.5"}
    )
    run = {"q": {ids[i]: s for i, s in zip(returned, scores, strict=True)}}
    theirs = evaluator.evaluate(run)["q"]
    names = ("map", "recip_rank", "P_5", "ndcg_cut_5")
    np.testing.assert_allclose(ours.values[0], [theirs[n] for n in names], rtol=0, atol=1e-9)


def test_reordering_ties_keeps_scores_and_moves_nothing_else() -> None:
    ranking = Ranking(
        np.array([[3, 0, 2, 1, NO_ITEM]]),
        np.array([[0.9, 0.5, 0.5, 0.1, 0.1]], dtype=np.float32),
    )

    reordered = reorder_ties_by_docid_desc(ranking, np.arange(4))

    assert reordered.indices.tolist() == [[3, 2, 0, 1, NO_ITEM]]
    assert reordered.scores.tolist() == ranking.scores.tolist()
