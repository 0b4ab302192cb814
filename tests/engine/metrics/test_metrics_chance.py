"""Chance levels against hand calculation, every order there is, and the scorer on random orders."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from engine.base.choices import ShortListPolicy, TiePolicy
from engine.metrics import Measure, Relevance, score
from engine.metrics.chance import (
    COUNTING,
    ChanceLevels,
    can_be_tested,
    compute_chance,
    describe_chance,
    describe_sample,
    find_p_of_hits,
    find_p_of_value,
    has_chance_level,
    is_above_chance,
)
from engine.metrics.first_hit_tally import FirstHitTally, follows_from_first_hit
from engine.metrics.registry import list_patterns
from engine.metrics.tally import Tally

EVERY_ID = [pattern.replace("@k", f"@{k}") for pattern in list_patterns() for k in (1, 3, 5)]
EVERY = tuple(dict.fromkeys(Measure.parse(text) for text in EVERY_ID))
BINARY = tuple(m for m in EVERY if has_chance_level(m))


def make_relevance(
    gains: np.ndarray,
    relevant: int,
    returned: int | None = None,
    ideal: np.ndarray | None = None,
    short: ShortListPolicy = "fixed",
) -> Relevance:
    """Whole rankings of which the first `returned` count."""
    queries, items = gains.shape
    return Relevance(
        gains=gains,
        scores=np.broadcast_to(-np.arange(items, dtype=np.float32), gains.shape),
        returned=np.full(queries, items if returned is None else returned),
        relevant=np.full(queries, relevant),
        collection=items,
        ideal=None if ideal is None else np.tile(ideal, (queries, 1)),
        complete=True,
        short=short,
    )


def every_order(grades: list[float]) -> np.ndarray:
    return np.array(sorted(itertools.permutations(grades)))


def chance_of_one(relevance: Relevance, measures: tuple[Measure, ...]) -> ChanceLevels:
    one = Relevance(
        gains=relevance.gains[:1],
        scores=relevance.scores[:1],
        returned=relevance.returned[:1],
        relevant=relevance.relevant[:1],
        collection=relevance.collection,
        ideal=None if relevance.ideal is None else relevance.ideal[:1],
        complete=relevance.complete,
        short=relevance.short,
    )
    return compute_chance(one, measures, no_relevant="zero")


@pytest.mark.parametrize("short", ["fixed", "adaptive"])
@pytest.mark.parametrize("returned", [7, 4, 1, 0])
@pytest.mark.parametrize("relevant", [0, 1, 2, 3, 6, 7])
def test_every_level_is_that_over_all_orders(
    relevant: int, returned: int, short: ShortListPolicy
) -> None:
    orders = every_order([1.0] * relevant + [0.0] * (7 - relevant)) > 0
    relevance = make_relevance(orders, relevant, returned, short=short)
    by_order = score(relevance, BINARY, no_relevant="zero")
    chance = chance_of_one(relevance, BINARY)
    for measure in BINARY:
        expected = by_order.aggregate(measure)
        assert chance.level(measure) == pytest.approx(expected, abs=1e-12, nan_ok=True), measure


@pytest.mark.parametrize("gain", ["linear", "exp"])
def test_grades_count_for_ndcg_over_all_orders(gain: str) -> None:
    grades = [3.0, 2.0, 1.0, 0.0, 0.0, 0.0]
    ideal = np.array([3.0, 2.0, 1.0])
    relevance = make_relevance(every_order(grades), 3, ideal=ideal)
    measures = tuple(Measure.parse(f"nDCG{at}(gain={gain})") for at in ("", "@1", "@3"))
    by_order, chance = score(relevance, measures), chance_of_one(relevance, measures)
    for measure in measures:
        assert chance.level(measure) == pytest.approx(by_order.mean(measure), abs=1e-12)


def test_levels_by_hand() -> None:
    """Ten clips, two of them relevant, five returned."""
    relevance = Relevance.of_hits([[0] * 5], relevant=[2], collection=10)

    def level(text: str) -> float:
        measure = Measure.parse(text)
        return compute_chance(relevance, [measure]).level(measure)

    assert level("P@5") == pytest.approx(2 / 10)
    assert level("R@5") == pytest.approx(5 / 10)
    assert level("Success@5") == pytest.approx(1 - (8 * 7 * 6 * 5 * 4) / (10 * 9 * 8 * 7 * 6))
    assert level("RR@2") == pytest.approx(2 / 10 + (8 / 10 * 2 / 9) / 2)
    assert level("AP@2") == pytest.approx((2 / 10 + 2 / 10 * (1 + 1 / 9) / 2) / 2)
    assert level("nDCG@5") == pytest.approx(
        2 / 10 * sum(1 / math.log2(i + 1) for i in range(1, 6)) / (1 + 1 / math.log2(3))
    )
    assert level("FP@5") == pytest.approx(4.0)
    assert level("TN@5") == pytest.approx(10 - 5 - 1)


def test_the_first_relevant_clip_stands_on_average_at_n_plus_1_over_r_plus_1() -> None:
    mean, median = Measure.parse("MnR"), Measure.parse("MedR")
    for items, relevant in ((9, 1), (99, 4), (1000, 1)):
        hits = np.zeros((1, items), np.bool_)
        chance = compute_chance(make_relevance(hits, relevant), [mean, median])
        assert chance.level(mean) == pytest.approx((items + 1) / (relevant + 1))
    # One relevant clip of 1,000 is as likely in the first half as in the second.
    assert chance.level(median) == 500.5


def test_levels_agree_with_the_scorer_on_random_orders() -> None:
    """Queries of different sizes, one of them with few results, as a whole collection has them."""
    rng = np.random.default_rng(5)
    items, draws = 60, 4000
    relevant = np.array([1, 3, 12, 40])
    returned = np.array([60, 60, 7, 60])
    first = np.arange(items) < relevant[:, None]
    orders = rng.permuted(np.tile(first, (draws, 1)), axis=1)

    def whole(gains: np.ndarray, times: int) -> Relevance:
        return Relevance(
            gains=gains,
            scores=np.broadcast_to(-np.arange(items, dtype=np.float32), gains.shape),
            returned=np.tile(returned, times),
            relevant=np.tile(relevant, times),
            collection=items,
            complete=True,
        )

    drawn = score(whole(orders, draws), BINARY)
    chance = compute_chance(whole(first, 1), BINARY)
    for measure in BINARY:
        if measure.aggregate == "mean":
            error = drawn.std(measure) / math.sqrt(len(drawn))
            assert abs(chance.level(measure) - drawn.aggregate(measure)) <= 4.5 * error + 1e-9
        else:
            assert chance.level(measure) == pytest.approx(drawn.aggregate(measure), abs=1.0)


def test_rows_and_chunks_give_the_same_levels() -> None:
    relevant = np.array([1, 2, 0, 5])
    hits = np.zeros((4, 6), np.bool_)
    whole = Relevance.of_hits(hits, relevant=relevant, collection=20)
    halves = [Relevance.of_hits(hits[:2], relevant=r, collection=20) for r in ([1, 2], [0, 5])]
    together = compute_chance(whole, BINARY)
    joined = ChanceLevels.concat([compute_chance(half, BINARY) for half in halves])
    np.testing.assert_allclose(together.values, joined.values)
    precision = Measure.parse("P@5")
    assert together.level(precision) == pytest.approx((1 + 2 + 5) / 20 / 3)  # one does not count
    assert together.level(precision, np.array([3])) == pytest.approx(5 / 20)
    assert math.isnan(together.level(precision, np.array([2])))


def test_a_query_without_relevant_clips_counts_0_where_it_counts() -> None:
    relevance = Relevance.of_hits([[0] * 5] * 2, relevant=[0, 5], collection=10)
    precision = Measure.parse("P@5")
    assert compute_chance(relevance, [precision], no_relevant="zero").level(precision) == 0.25
    assert compute_chance(relevance, [precision]).level(precision) == 0.5


def test_similarities_and_medians_of_averaged_ties_have_no_level() -> None:
    relevance = Relevance.of_hits([[1, 0, 0]], relevant=[1], collection=3)
    measures = [Measure.parse(text) for text in ("AvgSim@3", "MaxSim@3", "MinSim@3")]
    assert all(math.isnan(compute_chance(relevance, measures).level(m)) for m in measures)
    median = Measure.parse("MedR")
    assert math.isnan(compute_chance(relevance, [median], ties="expected").level(median))
    assert compute_chance(relevance, [median]).level(median) == 2


def test_without_the_size_of_the_collection_there_is_no_level() -> None:
    with pytest.raises(ValueError, match="collection"):
        compute_chance(Relevance.of_hits([[1, 0]], relevant=[1]), [Measure.parse("P@1")])


def test_every_metric_that_needs_the_truth_has_a_level() -> None:
    assert {m.name for m in EVERY} - {m.name for m in BINARY} == {"AvgSim", "MaxSim", "MinSim"}


@pytest.mark.parametrize(
    ("items", "relevant", "drawn"), [(8, 3, 4), (6, 5, 3), (5, 1, 5), (7, 0, 2)]
)
def test_so_many_hits_by_chance_are_counted_over_all_choices(
    items: int, relevant: int, drawn: int
) -> None:
    choices = list(itertools.combinations(range(items), drawn))
    for hits in range(drawn + 1):
        as_many = sum(sum(item < relevant for item in one) >= hits for one in choices)
        expected = as_many / len(choices)
        assert find_p_of_hits(items, relevant, drawn, hits) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("short", ["fixed", "adaptive"])
@pytest.mark.parametrize("returned", [7, 4, 1, 0])
@pytest.mark.parametrize("relevant", [1, 3, 6, 7])
def test_so_good_a_value_by_chance_is_counted_over_all_orders(
    relevant: int, returned: int, short: ShortListPolicy
) -> None:
    """Of every measure that follows from the number of hits, whatever it makes of them."""
    orders = every_order([1.0] * relevant + [0.0] * (7 - relevant)) > 0
    counting = tuple(measure for measure in BINARY if measure.name in COUNTING)
    by_order = score(make_relevance(orders, relevant, returned, short=short), counting)
    for measure in counting:
        values = by_order.column(measure)
        for value in set(values.tolist()):
            better = values <= value + 1e-12 if measure.lower_is_better else values >= value - 1e-12
            p = find_p_of_value(
                measure, value, items=7, relevant=relevant, returned=returned, short=short
            )
            assert p == pytest.approx(better.mean(), abs=1e-12), (measure, value)


def test_other_measures_and_no_value_have_no_such_p() -> None:
    sizes = {"items": 9, "relevant": 2, "returned": 9}
    for text in ("AP@5", "RR@5", "nDCG@5", "AvgSim@5", "MedR", "AP", "Rprec"):
        assert math.isnan(find_p_of_value(Measure.parse(text), 0.5, **sizes))
    assert math.isnan(find_p_of_value(Measure.parse("P@5"), math.nan, **sizes))


def test_measures_that_count_hits_are_those_that_do_not_ask_where_they_stand() -> None:
    """Of five results three are hits: the order makes no difference to them, and to all others."""
    orders = np.unique(every_order([1.0] * 3 + [0.0] * 2), axis=0) > 0
    seen = Relevance.of_hits(orders, relevant=[4] * len(orders), collection=9)
    for measure in BINARY:
        if measure.cutoff == 5:
            same = len(set(score(seen, [measure]).column(measure).round(9).tolist())) == 1
            assert same == (measure.name in COUNTING), measure


def test_measures_of_the_first_hit_need_nothing_else() -> None:
    rng = np.random.default_rng(2)
    hits = rng.random((300, 12)) < 0.15
    relevant = hits.sum(axis=1) + rng.integers(0, 2, 300)
    tally = Tally(Relevance.of_hits(hits, relevant=relevant, collection=40))
    alone = FirstHitTally(tally.first_hit(), tally.relevant, tally.depth)
    for measure in BINARY:
        if follows_from_first_hit(measure):
            k = measure.cutoff or 12
            compute = measure.definition.compute
            np.testing.assert_array_equal(compute(alone, k), compute(tally, k))


@pytest.mark.parametrize("ties", ["insertion", "docid_desc", "expected"])
def test_what_is_tested_has_a_level_and_what_has_a_level_is_tested_but_for_pooled_ranks(
    ties: TiePolicy,
) -> None:
    relevance = Relevance.of_hits([[1, 0, 0, 1, 0]], relevant=[3], collection=9)
    levels = compute_chance(relevance, EVERY, ties=ties)
    with_level = {str(m) for m in EVERY if not math.isnan(levels.level(m))}
    tested = {str(m) for m in EVERY if can_be_tested(m, ties)}
    assert with_level - tested == ({"MedR(all)"} if ties != "expected" else set())
    assert tested <= with_level
    assert ("MedR" in tested) == (ties != "expected")


def test_the_words_are_those_of_the_verdict() -> None:
    assert is_above_chance(0.05) and not is_above_chance(0.0501)
    assert is_above_chance(math.nan) is None
    assert f"0.056, {describe_chance('0.053', 0.4)}" == "0.056, chance 0.053: not above chance"


def test_not_above_chance_is_said_with_what_it_was_tested_with() -> None:
    some = describe_sample(50, 4_000)
    assert describe_chance("0.05", 0.2, some) == (
        "chance 0.05, tested with 50 of 4,000 queries: not above chance"
    )
    assert describe_chance("0.05", 0.01, some) == "chance 0.05: above chance"
    assert describe_sample(4_000, 4_000) == ""
