"""Label scores label by label: by hand, against pandas, against all orders, and their laws."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import permutations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.labels.data.directions import Direction
from engine.labels.scoring.by_label import LabelRow, LabelTable
from engine.labels.scoring.label_run import LabelScore
from engine.metrics import ShortListPolicy
from engine.metrics.policies import Policies
from tests.engine.labels.label_runs_by_hand import ACROSS, PROTOTYPES, WITHIN, ranked

# Three items walk, one cooks. The rankings are the items that each finds across modalities.
ITEMS = ["walk", "walk", "walk", "cook"]
RANKINGS = [[0, 1], [3, 2], [3, 0], [3, 1]]


def by_hand() -> LabelTable:
    return LabelTable.of(ranked(ITEMS, RANKINGS, (1, 2)), 2)


def row_of(table: LabelTable, label: str) -> LabelRow:
    (found,) = [row for row in table.rows() if row.label == label]
    return found


def test_a_label_has_the_mean_of_its_own_queries() -> None:
    # walk: (2 + 1 + 1) hits / (3 queries · 2 places); cook: 1 / 2
    walk, cook = row_of(by_hand(), "walk"), row_of(by_hand(), "cook")

    assert (walk.support, walk.queries, walk.score) == (3, 3, pytest.approx(4 / 6))
    assert (cook.support, cook.queries, cook.score) == (1, 1, 0.5)


def test_chance_is_the_share_of_the_label_and_the_ceiling_what_it_can_fill() -> None:
    walk, cook = row_of(by_hand(), "walk"), row_of(by_hand(), "cook")

    assert (walk.random, cook.random) == (0.75, 0.25)  # 3 of 4 items, 1 of 4
    assert (walk.ceiling, cook.ceiling) == (1.0, 0.5)  # one item fills one of two places
    assert walk.lift == pytest.approx((4 / 6) / 0.75)
    assert cook.lift == 2.0


def test_macro_counts_labels_and_weighted_counts_queries() -> None:
    macro, weighted = by_hand().rows()[-2:]

    assert (macro.kind, weighted.kind) == ("macro", "weighted")
    assert macro.score == pytest.approx((4 / 6 + 1 / 2) / 2)
    assert macro.random == pytest.approx((0.75 + 0.25) / 2)
    assert macro.ceiling == pytest.approx((1 + 0.5) / 2)
    assert weighted.score == pytest.approx(5 / 8)  # 5 hits in 4 · 2 places
    assert weighted.random == pytest.approx((3 * 0.75 + 0.25) / 4)
    assert weighted.ceiling == pytest.approx((3 * 1 + 0.5) / 4)
    assert (macro.support, weighted.support) == (4, 4)
    assert (macro.queries, weighted.queries) == (4, 4)


def test_labels_come_in_the_order_of_the_level_then_the_means() -> None:
    assert [row.label for row in by_hand().rows()] == ["cook", "walk", "", ""]


def test_within_a_modality_an_item_is_none_of_those_that_it_can_find() -> None:
    score = ranked(ITEMS, [[1, 2], [0, 2], [3, 0], [0, 1]], (2,), direction=WITHIN)
    table = LabelTable.of(score, 2)

    walk, cook = row_of(table, "walk"), row_of(table, "cook")

    assert (walk.support, walk.random, walk.ceiling) == (3, pytest.approx(2 / 3), 1.0)
    assert walk.score == pytest.approx(5 / 6)
    assert (cook.score, cook.random, cook.ceiling) == (0.0, 0.0, 0.0)  # there is no other cook
    assert math.isnan(cook.lift)


def test_a_label_without_counted_queries_has_no_row_and_no_part_in_the_means() -> None:
    skipping = Policies(no_relevant="skip")
    score = ranked(ITEMS, [[1], [0], [3], [0]], (1,), direction=WITHIN, policies=skipping)
    table = LabelTable.of(score, 1)

    assert [row.label for row in table.rows()] == ["walk", "", ""]
    assert math.isnan(table.scores[0])  # cook
    assert table.macro.score == table.weighted.score == pytest.approx(2 / 3)
    assert table.weighted.queries == 3


def test_where_no_query_counts_the_means_are_undefined() -> None:
    skipping = Policies(no_relevant="skip")
    alone = ranked(["a", "b"], [[1], [0]], (1,), direction=WITHIN, policies=skipping)

    macro, weighted = LabelTable.of(alone, 1).rows()

    for row in (macro, weighted):
        assert row.queries == 0
        assert all(map(math.isnan, (row.score, row.random, row.ceiling, row.lift)))


def test_prototypes_ask_once_per_label_but_supports_are_those_of_the_items() -> None:
    score = ranked(ITEMS, [[3, 0], [1, 2]], (2,), direction=PROTOTYPES, asked=["cook", "walk"])

    cook, walk, macro, weighted = LabelTable.of(score, 2).rows()

    assert (walk.support, walk.queries, walk.score) == (3, 1, 1.0)
    assert (cook.support, cook.queries, cook.score) == (1, 1, 0.5)
    assert macro.score == weighted.score == 0.75


@pytest.mark.parametrize("policy", ["fixed", "adaptive"])
@pytest.mark.parametrize("direction", [ACROSS, WITHIN])
@pytest.mark.parametrize("k", [1, 2, 3, 4, 5, 7])
def test_chance_is_the_mean_over_all_orders_and_the_ceiling_their_best(
    k: int, direction: Direction, policy: ShortListPolicy
) -> None:
    labels = ["a", "a", "a", "b", "b"]  # k = 5 and 7 are more than can be found within
    own = [tuple(row for row in range(5) if not direction.is_self or row != i) for i in range(5)]
    score = ranked(
        labels,
        own,
        (k,),
        direction=direction,
        policies=Policies(no_relevant="zero", fewer_than_k=policy),
    )
    table = LabelTable.of(score, k)
    size = min(k, len(own[0])) if policy == "adaptive" else k
    means, bests = [], []
    for query, others in enumerate(own):
        values = [
            Fraction(sum(labels[row] == labels[query] for row in order[:k]), size)
            for order in permutations(others)
        ]
        means.append(sum(values) / len(values))
        bests.append(max(values))

    for name, query in (("a", 0), ("b", 3)):
        assert row_of(table, name).random == pytest.approx(float(means[query]), abs=1e-15)
        assert row_of(table, name).ceiling == pytest.approx(float(bests[query]), abs=1e-15)
    assert table.weighted.random == pytest.approx(float(sum(means) / 5), abs=1e-15)
    assert table.weighted.ceiling == pytest.approx(float(sum(bests) / 5), abs=1e-15)


@st.composite
def scored(draw: st.DrawFn) -> LabelScore:
    """Any labels, any order of the items for every query, across or within."""
    labels = draw(st.lists(st.sampled_from("abcd"), min_size=2, max_size=9))
    direction = draw(st.sampled_from([ACROSS, WITHIN]))
    policies = Policies(
        no_relevant=draw(st.sampled_from(["zero", "skip"])),
        fewer_than_k=draw(st.sampled_from(["fixed", "adaptive"])),
    )
    rows = range(len(labels))
    own = direction.is_self
    rankings = [
        draw(st.permutations([row for row in rows if not own or row != query])) for query in rows
    ]
    return ranked(
        labels, rankings, (draw(st.integers(1, 12)),), direction=direction, policies=policies
    )


@given(scored())
def test_the_weighted_mean_is_the_score_of_the_direction(score: LabelScore) -> None:
    (k,) = score.ks
    table = LabelTable.of(score, k)
    labels = table.counted

    assert table.weighted.score == pytest.approx(score.mean(k), abs=1e-12, nan_ok=True)
    assert table.weighted.ceiling == pytest.approx(score.ceiling(k), abs=1e-12, nan_ok=True)
    if len(labels):
        averaged = np.average(table.scores[labels], weights=table.queries[labels])
        assert averaged == pytest.approx(score.mean(k), abs=1e-12)


@given(scored())
def test_scores_by_label_are_those_of_a_group_by(score: LabelScore) -> None:
    (k,) = score.ks
    frame = pd.DataFrame({"code": score.codes, "value": score.values(k)}).dropna()
    grouped = frame.groupby("code")["value"]

    table = LabelTable.of(score, k)

    assert table.counted.tolist() == sorted(frame["code"].unique())
    for label, value in grouped.mean().items():
        assert table.scores[label] == pytest.approx(value, abs=1e-12)
    assert table.queries[table.counted].tolist() == grouped.size().tolist()
    expected = grouped.mean().mean()
    assert table.macro.score == pytest.approx(expected, abs=1e-12, nan_ok=True)


@given(scored())
def test_no_order_beats_the_ceiling_and_everything_is_a_share(score: LabelScore) -> None:
    for row in LabelTable.of(score, score.ks[0]).rows():
        if row.queries:
            assert 0 <= row.score <= row.ceiling + 1e-12 <= 1 + 2e-12
            assert 0 <= row.random <= row.ceiling + 1e-12


@given(scored())
def test_chances_of_all_labels_share_the_places_that_are_filled(score: LabelScore) -> None:
    (k,) = score.ks
    items, labels = len(score.level), len(score.level.names)
    table = LabelTable.of(score, k)
    filled = min(k, score.reachable) / score.size(k)

    # Across, the labels share all items; within, each label lacks the one that asks.
    share = (items - labels) / (items - 1) if score.direction.is_self else 1.0
    assert table.random.sum() == pytest.approx(share * filled, abs=1e-12)
    # Weighted by support, chance is how often two random items agree (the Simpson index).
    support = score.level.support
    pairs = support @ (support - score.direction.is_self) / (items * score.reachable)
    assert support @ table.random / items == pytest.approx(pairs * filled, abs=1e-12)


@given(scored())
def test_a_perfect_order_scores_the_ceiling(score: LabelScore) -> None:
    (k,) = score.ks
    labels = [score.level.names[code] for code in score.level.codes]
    own = score.direction.is_self
    best = [
        sorted(
            (row for row in range(len(labels)) if not own or row != query),
            key=lambda row, query=query: labels[row] != labels[query],
        )
        for query in range(len(labels))
    ]
    perfect = ranked(labels, best, (k,), direction=score.direction, policies=score.policies)

    for row in LabelTable.of(perfect, k).rows():
        assert row.score == pytest.approx(row.ceiling, abs=1e-12, nan_ok=True)
        if row.random > 0:
            assert row.lift == pytest.approx(row.ceiling / row.random, abs=1e-9)


def test_a_label_that_fills_everything_is_exactly_at_chance() -> None:
    # Every item is found, so every order is the same: equal to the last bit, not nearly.
    labels = ["a"] * 7 + ["b"] * 3 + ["c"] * 13
    everything = [range(23)] * 23

    table = LabelTable.of(ranked(labels, everything, (30,)), 30)

    assert (table.scores == table.random).all()
    assert (table.ceiling == table.random).all()
