"""Features and odds: by hand, and against scipy's softmax."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.special import expit, softmax  # type: ignore[import-untyped]

from engine.text.mapping.features import (
    FEATURES,
    NONE_FEATURES,
    RawEvidence,
    best_of_other_groups,
    best_rival,
    compute_features,
    describe_none,
)
from engine.text.mapping.odds import OddsWeights, compute_odds, load_weights

GROUPS = np.array([0, 0, 1])


def evidence(span: list[list[float]], related: list[list[float]]) -> RawEvidence:
    """Two spans, three keywords; nothing is said by parts or by the whole query."""
    nothing = np.zeros(3)
    kind = np.where(np.array(related) > 0.8, 0.81, 0.4)
    return RawEvidence(
        np.array(span), np.array(related), kind, nothing, nothing, nothing, nothing, nothing
    )


def column(values: np.ndarray, name: str) -> list[float]:
    found: list[float] = values[:, FEATURES.index(name)].tolist()
    return found


def test_the_best_span_is_chosen_by_vectors_and_wordnet_together() -> None:
    raw = evidence([[5, 1, 0], [2, 3, 1]], [[0, 0, 0], [0.9, 0, 0]])

    found = compute_features(raw, GROUPS)

    # By hand: span 0 speaks for keyword 0 with 5, span 1 with 2 + 6 × (0.9 − 0.4) = 5.
    assert found.best_span.tolist() == [0, 1, 1]
    assert column(found.values, "wordnet") == pytest.approx([0.5, 0, 0])
    assert column(found.values, "kind") == [0.81, 0, 0]  # below 0.6 nothing
    assert column(found.values, "span") == [5, 3, 1]
    # Span 1 is the best of keyword 1; there keyword 0 of its group has 5, the other group 1.
    assert column(found.values, "span_rival") == pytest.approx([0, -2, 0])
    assert column(found.values, "span_other") == pytest.approx([0, 0, -4])


def test_without_spans_nothing_is_near() -> None:
    raw = evidence([], [])
    raw = RawEvidence(*[np.empty((0, 3))] * 3, *[np.zeros(3)] * 5)

    found = compute_features(raw, GROUPS)

    assert found.best_span.tolist() == [-1, -1, -1]
    assert column(found.values, "span") == [0, 0, 0]
    assert column(found.values, "span_other") == [-4, -4, -4]


def test_the_whole_query_counts_above_four_and_against_its_rivals() -> None:
    whole = np.array([6.0, 5.0, 1.0])
    nothing = np.zeros(3)
    empty = [np.empty((0, 3))] * 3
    found = compute_features(RawEvidence(*empty, nothing, whole, whole, whole, nothing), GROUPS)

    assert column(found.values, "whole_near") == [2, 1, 0]
    assert column(found.values, "whole_rival") == [0, -1, 0]
    assert column(found.values, "rest_other") == [0, 0, -5]


@given(arrays(np.float64, (3, 5), elements=st.floats(-9, 9)))
def test_rivals_are_the_best_of_the_others(values: np.ndarray) -> None:
    groups = np.array([0, 1, 1, 2, 2])

    others, rivals = best_of_other_groups(values, groups), best_rival(values[0], groups)

    for row in range(3):
        for keyword in range(5):
            outside = [values[row, j] for j in range(5) if groups[j] != groups[keyword]]
            assert others[row, keyword] == max(outside)
    for keyword in range(5):
        mates = [values[0, j] for j in range(5) if groups[j] == groups[keyword] and j != keyword]
        assert rivals[keyword] == max(mates, default=values[0, keyword])


def weights(**features: float) -> OddsWeights:
    chosen = np.array([features.get(name, 0.0) for name in FEATURES])
    return OddsWeights(chosen, np.array([2.0, 0, 0, 0, 0]), np.full(4, -99.0), np.full(3, -99.0))


def test_a_group_chooses_between_its_keywords_and_none() -> None:
    rows = np.zeros((3, len(FEATURES)))
    rows[:, FEATURES.index("span")] = [4, 2, 1]

    odds = compute_odds(rows, describe_none(False, 3, 3, False), weights(span=1.0))

    assert odds == pytest.approx(softmax([4.0, 2.0, 1.0, 2.0])[:3])


def test_a_keyword_is_also_judged_by_its_own_words() -> None:
    rows = np.zeros((2, len(FEATURES)))
    rows[:, FEATURES.index("wordnet")] = [0.5, 0.5]
    alone = OddsWeights(
        np.zeros(len(FEATURES)), np.zeros(5), np.array([-1.0, 10, 0, 0]), np.full(3, -99)
    )

    odds = compute_odds(rows, describe_none(False, 3, 3, False), alone)

    assert odds == pytest.approx([expit(4), expit(4)])  # a choice among three would give thirds
    covered = compute_odds(rows, describe_none(False, 3, 3, True), alone)
    assert covered == pytest.approx([1 / 3, 1 / 3])


@given(arrays(np.float64, (4, len(FEATURES)), elements=st.floats(-20, 20)))
def test_odds_are_probabilities_whatever_the_evidence(rows: np.ndarray) -> None:
    odds = compute_odds(rows, describe_none(True, 9, 9, False), load_weights())

    assert np.isfinite(odds).all()
    assert ((odds >= 0) & (odds <= 1)).all()


def test_none_is_described_by_what_is_left() -> None:
    assert describe_none(True, 0, 4, False).tolist() == [1, 1, 0, 0, 0]
    assert describe_none(False, 12, 16, True).tolist() == [1, 0, 0.75, 1, 1]
    assert len(NONE_FEATURES) == 5


def test_the_weights_that_ship_never_count_evidence_against_a_keyword() -> None:
    assert (load_weights().features >= 0).all()
