"""Findings: each appears where its numbers say so, and not just below."""

from __future__ import annotations

import json
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from engine.labels.data.directions import Modalities
from engine.labels.data.labelled_items import LabelledItems
from engine.labels.data.level import LabelLevel
from engine.labels.findings.find_findings import find_label_findings
from engine.labels.findings.label_finding import LabelFinding, Thresholds
from engine.labels.prototypes.match_labels import match_prototypes
from engine.labels.prototypes.prototypes import Prototypes
from engine.labels.scoring.label_run import LabelRun, LabelScore, score_labels
from engine.metrics.policies import LABEL_POLICIES, Policies
from engine.report.labels.document import dump_finding
from tests.engine.labels.label_runs_by_hand import (
    BACK,
    PROTOTYPES,
    WITHIN,
    ranked,
    run_of,
    with_hits,
)
from tests.examples import examples

TWO = ["a"] * 10 + ["b"] * 10


def found(id: str, *scores: LabelScore, limits: Thresholds | None = None) -> list[LabelFinding]:
    every = (
        find_label_findings(run_of(*scores), limits)
        if limits
        else find_label_findings(run_of(*scores))
    )
    return [finding for finding in every if finding.id == id]


def the(id: str, *scores: LabelScore) -> tuple[LabelFinding, dict[str, float]]:
    (one,) = found(id, *scores)
    return one, dict(one.numbers)


def all_but(wrong: int, of: int) -> list[int]:
    """One hit each at K = 1, but for the first `wrong` queries."""
    return [0] * wrong + [1] * (of - wrong)


# ── directions_differ ──────────────────────────────────────────────────────────────────────


def test_directions_that_differ_are_reported_with_an_interval_of_the_paired_difference() -> None:
    # 18 of 20 one way, 12 of 20 back: 0.9 − 0.6. Six queries are right only there.
    there = with_hits(TWO, all_but(2, 20), 1)
    back = with_hits(TWO, all_but(8, 20), 1, direction=BACK)

    finding, numbers = the("directions_differ", there, back)

    assert finding.directions == ("text2sensor", "sensor2text")
    assert finding.k == 1
    assert numbers["text2sensor"] == pytest.approx(0.9)
    assert numbers["sensor2text"] == pytest.approx(0.6)
    assert numbers["difference"] == pytest.approx(0.3)
    paired = np.array([0.0] * 2 + [1.0] * 6 + [0.0] * 12)
    other = stats.bootstrap(
        (paired,), np.mean, method="percentile", n_resamples=5_000, rng=np.random.default_rng(1)
    ).confidence_interval
    assert numbers["low"] == pytest.approx(other.low, abs=0.05)
    assert numbers["high"] == pytest.approx(other.high, abs=0.05)
    assert finding.text == (
        f"text2sensor 0.9000, sensor2text 0.6000: +0.3000 "
        f"[{numbers['low']:+.4f}, {numbers['high']:+.4f}]"
    )


def test_a_pair_of_directions_is_reported_once_at_the_k_of_the_largest_difference() -> None:
    own, other = list(range(10)), list(range(10, 20))
    # a's queries back find b at the second place: 2/2 against 1/2 for half of the queries.
    straight = [own[:2]] * 10 + [other[:2]] * 10
    crooked = [[own[0], other[0]]] * 10 + [other[:2]] * 10
    there = ranked(TWO, straight, (1, 2))
    back = ranked(TWO, crooked, (1, 2), direction=BACK)

    finding, numbers = the("directions_differ", there, back)

    assert finding.k == 2
    assert numbers["difference"] == pytest.approx(1 - 0.75)


def test_directions_less_apart_than_the_threshold_are_not_reported() -> None:
    labels = ["a"] * 50 + ["b"] * 50  # 4 of 100 differ: 0.04
    there = with_hits(labels, all_but(0, 100), 1)
    back = with_hits(labels, all_but(4, 100), 1, direction=BACK)

    assert not found("directions_differ", there, back)
    assert found("directions_differ", there, back, limits=Thresholds(apart=0.04))


def test_directions_whose_difference_may_be_none_are_not_reported() -> None:
    # 1 of 20: a difference of 0.05, but resamples without that query are many.
    there = with_hits(TWO, all_but(0, 20), 1)
    back = with_hits(TWO, all_but(1, 20), 1, direction=BACK)

    assert not found("directions_differ", there, back)


def test_one_query_tells_nothing_of_directions() -> None:
    there = ranked(["a", "b"], [[0]], (1,), asked=["a"])
    back = ranked(["a", "b"], [[1]], (1,), asked=["a"], direction=BACK)

    assert not found("directions_differ", there, back)


# ── prototypes ─────────────────────────────────────────────────────────────────────────────


def test_prototypes_below_instances_are_reported_as_macro_means() -> None:
    labels = ["a"] * 6 + ["b"] * 6
    prototypes = with_hits(labels, [1, 2], 2, direction=PROTOTYPES, asked=["a", "b"])
    instances = with_hits(labels, [2] * 12, 2)

    finding, numbers = the("prototypes_below_instances", prototypes, instances)

    assert finding.directions == ("prototype2sensor", "text2sensor")
    assert numbers["prototype2sensor macro"] == pytest.approx((0.5 + 1.0) / 2)
    assert numbers["text2sensor macro"] == 1.0
    assert numbers["difference"] == pytest.approx(-0.25)
    assert finding.text == "macro: prototype2sensor 0.7500, text2sensor 1.0000: -0.2500"


@pytest.mark.parametrize(("wrong", "reported"), [(3, True), (2, False)])
def test_prototypes_above_instances_count_from_the_threshold_on(wrong: int, reported: bool) -> None:
    # Instances of a miss 3 (or 2) of 25: macro 1 − 0.06 (or 0.04), prototypes 1.
    labels = ["a"] * 25 + ["b"] * 25
    prototypes = with_hits(labels, [1, 1], 1, direction=PROTOTYPES, asked=["a", "b"])
    instances = with_hits(labels, all_but(wrong, 50), 1)

    seen = found("prototypes_above_instances", prototypes, instances)

    assert bool(seen) == reported
    if reported:
        assert dict(seen[0].numbers)["difference"] == pytest.approx(0.06)


def test_prototypes_are_compared_with_instances_of_their_labels_alone() -> None:
    # b has no prototype and is never found: it has no part in the instances' mean.
    labels = ["a"] * 6 + ["b"] * 6
    right = with_hits(labels, [1], 1, direction=PROTOTYPES, asked=["a"])
    wrong = with_hits(labels, [0], 1, direction=PROTOTYPES, asked=["a"])
    instances = with_hits(labels, [1] * 6 + [0] * 6, 1)

    assert not found("prototypes_above_instances", right, instances)
    _, numbers = the("prototypes_below_instances", wrong, instances)
    assert numbers["text2sensor macro"] == 1.0


def test_prototypes_are_compared_within_a_modality_only_where_nothing_asks_across() -> None:
    labels = ["a"] * 6 + ["b"] * 6
    prototypes = with_hits(labels, [0, 0], 1, direction=PROTOTYPES, asked=["a", "b"])
    across = with_hits(labels, [1] * 12, 1)
    within = with_hits(labels, [1] * 12, 1, direction=WITHIN)

    (alone,) = found("prototypes_below_instances", prototypes, within)
    (both,) = found("prototypes_below_instances", prototypes, within, across)

    assert alone.directions == ("prototype2sensor", "sensor2sensor")
    assert both.directions == ("prototype2sensor", "text2sensor")


# ── near_chance ────────────────────────────────────────────────────────────────────────────


def test_a_direction_at_chance_is_reported() -> None:
    score = with_hits(TWO, all_but(10, 20), 1)  # 10 of 20, as half of the items explain

    finding, numbers = the("near_chance", score)

    assert numbers == {"score": 0.5, "random": 0.5, "lift": 1.0}
    assert finding.text == "0.5000 against 0.5000 by chance (1.00×)"


def test_a_direction_that_is_five_points_above_chance_is_not_reported() -> None:
    assert not found("near_chance", with_hits(TWO, all_but(9, 20), 1))  # 0.55


def test_a_direction_that_is_one_and_a_half_times_chance_is_not_reported() -> None:
    labels = [f"{number}" for number in range(100)]  # chance 0.01
    rare = all_but(98, 100)  # 0.02: twice chance, and only 0.01 more
    below = all_but(99, 100)  # 0.01

    assert not found("near_chance", with_hits(labels, rare, 1))
    assert found("near_chance", with_hits(labels, below, 1))


def test_a_perfect_order_is_never_near_chance() -> None:
    # 49 of 50 items have one label: chance is (49 · 49 + 1) / 50² = 0.9608, the score 1.
    labels = ["most"] * 49 + ["one"]

    assert not found("near_chance", with_hits(labels, [1] * 50, 1))


def test_where_every_order_is_the_same_nothing_is_near_chance() -> None:
    one_label = with_hits(["a"] * 8, [2] * 8, 2)
    everything = ranked(TWO, [range(20)] * 20, (20,))

    for score in (one_label, everything):
        assert not find_label_findings(run_of(score))


# ── drop_with_k and drop_by_small_labels ───────────────────────────────────────────────────


def at_one_and_two(second: list[int]) -> LabelScore:
    """All right at K = 1; the second place is right for queries that `second` has a 1 for."""
    rankings = []
    for label, right in zip(TWO, second, strict=True):
        own, other = (0, 10) if label == "a" else (10, 0)
        rankings.append([own, own + 1 if right else other])
    return ranked(TWO, rankings, (1, 2))


def test_a_drop_with_k_is_reported_as_shares_of_the_possible() -> None:
    score = at_one_and_two(all_but(4, 20))  # (16 · 2 + 4 · 1) / 40 = 0.9

    finding, numbers = the("drop_with_k", score)

    assert finding.k == 2
    assert numbers == pytest.approx(
        {
            "score@1": 1.0,
            "score@2": 0.9,
            "ceiling@1": 1.0,
            "ceiling@2": 1.0,
            "random": 0.5,
            "drop": 0.2,  # (0.9 − 0.5) / (1 − 0.5) is 0.8 of the way
        }
    )
    assert finding.text == (
        "1.0000 at K=1, 0.9000 at K=2: 100% and 80% of the way from chance to a perfect order "
        "(1.0000, 1.0000)"
    )


def test_a_drop_below_the_threshold_is_not_reported() -> None:
    score = at_one_and_two(all_but(3, 20))  # 0.925

    assert not found("drop_with_k", score)
    assert not found("drop_by_small_labels", score)


def test_a_drop_that_small_labels_explain_is_reported_as_such() -> None:
    # Labels of two items in ten, perfectly ordered: 2/2, then 2/4, which is all there is.
    labels = [letter for letter in "abcde" for _ in range(2)]
    rankings = [
        sorted(range(10), key=lambda row, label=label: labels[row] != label) for label in labels
    ]

    score = ranked(labels, rankings, (2, 4))

    _, numbers = the("drop_by_small_labels", score)
    assert numbers == pytest.approx(
        {
            "score@2": 1.0,
            "score@4": 0.5,
            "ceiling@2": 1.0,
            "ceiling@4": 0.5,
            "random": 0.2,
            "drop": 0.0,
        }
    )
    assert not found("drop_with_k", score)


def test_one_k_drops_nowhere() -> None:
    assert not found("drop_with_k", with_hits(TWO, [1] * 20, 2))


# ── labels_at_chance ───────────────────────────────────────────────────────────────────────


def test_labels_at_chance_are_counted_and_named() -> None:
    score = with_hits(TWO, [1] * 5 + [0] * 5 + [1] * 10, 1)  # a 5/10 = its share, b 10/10

    finding, numbers = the("labels_at_chance", score)

    assert numbers == {"labels": 1, "of": 2}
    assert finding.text == (
        "1 of 2 labels is not found better than by chance: 'a' 0.5000 (chance 0.5000)"
    )


def test_a_label_above_chance_is_not_among_them() -> None:
    assert not found("labels_at_chance", with_hits(TWO, [1] * 6 + [0] * 4 + [1] * 10, 1))


def test_three_labels_at_chance_are_named_the_worst_first_and_the_others_counted() -> None:
    labels = [letter for letter in "abcd" for _ in range(8)]  # chance 1/4
    hits = [1, 1, *[0] * 6, *[0] * 8, 1, *[0] * 7, 1, *[0] * 7]  # 2/8, 0, 1/8, 1/8

    finding, numbers = the("labels_at_chance", with_hits(labels, hits, 1))

    assert numbers == {"labels": 4, "of": 4}
    assert finding.text == (
        "4 of 4 labels are not found better than by chance: 'b' 0.0000 (chance 0.2500), "
        "'c' 0.1250 (chance 0.2500), 'd' 0.1250 (chance 0.2500) and 1 more"
    )


@pytest.mark.parametrize(("size", "reported"), [(4, False), (5, True)])
def test_labels_of_few_items_are_not_spoken_of(size: int, reported: bool) -> None:
    labels = ["few"] * size + ["many"] * 20
    score = with_hits(labels, [0] * size + [1] * 20, 1)

    assert bool(found("labels_at_chance", score)) == reported
    assert bool(found("found_instead", score)) == reported


# ── found_instead ──────────────────────────────────────────────────────────────────────────


def test_the_label_that_is_found_instead_is_reported() -> None:
    labels = ["a"] * 6 + ["b"] * 6
    score = with_hits(labels, [1, 1, 0, 0, 0, 0] + [1] * 6, 1)  # for a: 2 times a, 4 times b

    finding, numbers = the("found_instead", score)

    assert numbers == pytest.approx({"other": 4 / 6, "own": 2 / 6, "labels": 1})
    assert finding.text == "for 'a', 'b' is found more often (67%) than itself (33%)"


def test_a_label_that_is_found_as_often_as_the_other_is_not_reported() -> None:
    labels = ["a"] * 6 + ["b"] * 6

    assert not found("found_instead", with_hits(labels, [1, 1, 1, 0, 0, 0] + [1] * 6, 1))


def test_the_worst_of_several_is_named_and_the_others_counted() -> None:
    labels = ["a"] * 6 + ["b"] * 6
    score = with_hits(labels, [1, 1, 0, 0, 0, 0] + [1] + [0] * 5, 1)  # b: 1 own, 5 times a

    finding, numbers = the("found_instead", score)

    assert numbers == pytest.approx({"other": 5 / 6, "own": 1 / 6, "labels": 2})
    assert finding.text.endswith("than itself (17%); so it is for 1 other label: 'a'")


def test_three_of_the_labels_that_others_are_found_for_are_named() -> None:
    labels = [name for name in "abcdef" for _ in range(6)]
    # For a to e, f is found: never a itself, once b, twice c, d and e.
    own = [0] * 6 + [1] + [0] * 5 + ([1] * 2 + [0] * 4) * 3 + [1] * 6
    score = with_hits(labels, own, 1, instead="f")

    finding, numbers = the("found_instead", score)

    assert numbers["labels"] == 5
    assert finding.text == (
        "for 'a', 'f' is found more often (100%) than itself (0%); "
        "so it is for 4 other labels: 'b', 'c', 'd' and 1 more"
    )


def test_places_that_a_label_is_too_small_to_fill_are_no_mistakes() -> None:
    # Within, an item of a finds 4 others of a at best: with K = 10 the other 6 must be b.
    labels = ["a"] * 5 + ["b"] * 12
    perfect = with_hits(labels, [4] * 5 + [10] * 12, 10, direction=WITHIN)
    just = with_hits(labels, [2] * 5 + [10] * 12, 10, direction=WITHIN)
    bad = with_hits(labels, [1] * 5 + [10] * 12, 10, direction=WITHIN)  # 9 − 6 = 3 > 1

    assert not found("found_instead", perfect)
    assert not found("found_instead", just)  # 8 − 6 = 2, as often as itself
    assert found("found_instead", bad)


# ── found_everywhere ───────────────────────────────────────────────────────────────────────

THREE = ["a"] * 10 + ["b"] * 10 + ["c"] * 10


def intruded(by_a: int, by_others: int) -> LabelScore:
    """K = 1: queries of b and c that find a, or each other."""
    rankings = [[row] for row in range(30)]
    for place in range(by_a):
        rankings[10 + place] = [0]
    for place in range(by_others):
        rankings[29 - place] = [10]  # c finds b
    return ranked(THREE, rankings, (1,))


def test_a_label_that_is_found_everywhere_is_reported_with_what_its_size_explains() -> None:
    # All 8 wrong places are a's. By size, (30 − 10) · 10 for each of three labels: 1/3.
    finding, numbers = the("found_everywhere", intruded(8, 0))

    assert numbers == pytest.approx({"share": 1.0, "expected": 1 / 3})
    assert finding.text == "'a' takes 100% of the wrong places, 33% by its size"


def test_a_large_label_may_take_more_wrong_places() -> None:
    # By size: 20 queries without a · 20 items, 30 without b · 10, 30 without c · 10: 4 : 3 : 3.
    labels = ["a"] * 20 + ["b"] * 10 + ["c"] * 10
    rankings = [[row] for row in range(40)]
    for row in range(20, 28):
        rankings[row] = [0]  # eight of b find a

    _, numbers = the("found_everywhere", ranked(labels, rankings, (1,)))

    assert numbers == pytest.approx({"share": 1.0, "expected": 0.4})


@pytest.mark.parametrize(("size", "reported"), [(4, False), (5, True)])
def test_a_label_of_few_items_is_not_called_everywhere(size: int, reported: bool) -> None:
    labels = ["few"] * size + ["b"] * 10 + ["c"] * 10
    rankings = [[row] for row in range(len(labels))]
    rankings[-8:] = [[0]] * 8  # c finds the first of the few

    assert bool(found("found_everywhere", ranked(labels, rankings, (1,)))) == reported


@pytest.mark.parametrize(("by_a", "by_others", "reported"), [(6, 3, True), (5, 3, False)])
def test_a_label_is_everywhere_from_twice_its_share_on(
    by_a: int, by_others: int, reported: bool
) -> None:
    # 6/9 is twice 1/3, 5/8 is less.
    assert bool(found("found_everywhere", intruded(by_a, by_others))) == reported


def test_few_wrong_places_are_nowhere() -> None:
    assert not found("found_everywhere", intruded(1, 0))  # 1 of 30 places
    assert found("found_everywhere", intruded(2, 0))  # 2 of 30 are 0.067


def test_wrong_places_that_no_order_avoids_are_no_intrusion() -> None:
    # K = 12 and 6 items of b: 6 places of each must be a's.
    labels = ["a"] * 20 + ["b"] * 6

    assert not found("found_everywhere", with_hits(labels, [12] * 20 + [6] * 6, 12))


# ── all together ───────────────────────────────────────────────────────────────────────────


def test_thresholds_count_as_reached_whatever_rounding_says() -> None:
    # 12 of 40 and 10 of 40: 0.3 − 0.25 is 0.04999… in floats.
    labels = ["a"] * 20 + ["b"] * 20
    prototypes = with_hits(labels, [6, 6], 20, direction=PROTOTYPES, asked=["a", "b"])
    instances = with_hits(labels, [5] * 40, 20)

    assert found("prototypes_above_instances", prototypes, instances)


def test_labels_in_texts_are_quoted_and_harmless() -> None:
    labels = ["a\x1b[2J"] * 6 + ["b\x07c"] * 6
    (finding,) = found("found_instead", with_hits(labels, [0] * 6 + [1] * 6, 1))

    assert finding.text.isprintable()


def scored(labels: list[str], ks: tuple[int, ...], policies: Policies, seed: int = 0) -> LabelRun:
    """Every direction of random vectors, and one prototype for each label."""
    random = np.random.default_rng(seed)
    size = (len(labels), 3)
    vectors = {"sensor": random.normal(size=size), "text": random.normal(size=size)}
    level = LabelLevel.of("label", labels)
    data = LabelledItems(vectors, (level,), tuple(map(str, range(len(labels)))))
    queries = Prototypes(level.names, random.normal(size=(len(level.names), 3)), None, "")
    directions = Modalities(has_prototypes=True).all()
    if len(labels) < 2:
        directions = tuple(one for one in directions if not one.is_self)
    prototypes = match_prototypes(data, queries)
    return score_labels(data, directions, ks, prototypes=prototypes, policies=policies)


EDGES = {
    "one label only": ["a"] * 6,
    "one item": ["a"],
    "two items": ["a", "a"],
    "every label once": ["a", "b", "c", "d"],
    "one label of many, one of one": ["a"] * 9 + ["b"],
}


@pytest.mark.parametrize("labels", EDGES.values(), ids=EDGES)
@pytest.mark.parametrize("ks", [(1,), (2, 50), (50,)])
@pytest.mark.parametrize("no_relevant", ["zero", "skip"])
@pytest.mark.parametrize("fewer_than_k", ["fixed", "adaptive"])
def test_edges_have_findings_of_finite_numbers_or_none(
    labels: list[str], ks: tuple[int, ...], no_relevant: str, fewer_than_k: str
) -> None:
    policies = Policies(no_relevant=no_relevant, fewer_than_k=fewer_than_k)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        every = find_label_findings(scored(labels, ks, policies))

    for finding in every:
        assert all(np.isfinite(value) for _, value in finding.numbers)
        json.dumps(dump_finding(finding), allow_nan=False)
    if len(set(labels)) == 1:  # whatever is found is right
        assert {finding.id for finding in every} <= {"drop_by_small_labels"}


@examples(40)
@given(
    labels=st.lists(st.sampled_from("abc"), min_size=2, max_size=24),
    ks=st.lists(st.integers(1, 30), min_size=1, max_size=3, unique=True),
    seed=st.integers(0, 99),
)
def test_findings_keep_to_their_thresholds(labels: list[str], ks: list[int], seed: int) -> None:
    run = scored(labels, tuple(ks), LABEL_POLICIES, seed)

    for finding in find_label_findings(run):
        numbers = dict(finding.numbers)
        assert all(np.isfinite(value) for value in numbers.values())
        assert finding.k in run.ks
        if finding.id == "directions_differ":
            assert abs(numbers["difference"]) >= 0.05 - 1e-12
            assert numbers["low"] * numbers["high"] > 0
        if finding.id == "near_chance":
            assert numbers["score"] - numbers["random"] < 0.05
        if finding.id == "found_instead":
            assert numbers["other"] > numbers["own"]
        if finding.id == "found_everywhere":
            assert numbers["share"] >= 2 * numbers["expected"] - 1e-12


def test_findings_are_the_same_every_time() -> None:
    there = with_hits(TWO, all_but(2, 20), 1)
    back = with_hits(TWO, all_but(8, 20), 1, direction=BACK)

    assert find_label_findings(run_of(there, back)) == find_label_findings(run_of(there, back))
