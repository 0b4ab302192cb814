"""Gates by hand: limits, hypotheses, slices, and the verdict that follows from them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from engine.base.errors import InputError
from engine.compare import CompareSettings, Slice
from engine.gate import GateSettings, Regression, decide, parse_limit
from engine.gate.power import find_least_slice_units
from engine.metrics import Measure, find_profile
from engine.results.results import Results
from engine.stats import choose_flips
from tests.engine.gate.gate_by_hand import joined, system

ALFA = find_profile("alfa")
TEN = GateSettings(CompareSettings(least_queries=10))
FIFTHS = st.sampled_from([0.0, 0.2, 0.4, 0.6, 0.8, 1.0])


def only(gate_checks: tuple[Regression, ...]) -> Regression:
    (check,) = gate_checks
    return check


def test_runs_that_judge_by_other_relevance_are_refused() -> None:
    """A run in which any keyword is enough would beat every other."""
    old, new = system([0.5] * 30, name="old"), system([0.9] * 30)
    known = (("no_keyword", "skip"),)
    by_all, by_any = (replace(new, policies=(*known, ("relevance", one))) for one in ("all", "any"))
    earlier = replace(old, policies=known)

    for baseline in (by_all, earlier):
        with pytest.raises(InputError, match="--relevance any, the baseline with --relevance all"):
            decide(by_any, baseline)
    assert decide(by_all, earlier).verdict == decide(by_any, old).verdict == "pass"


# Limits


@pytest.mark.parametrize(
    ("text", "mode", "measure", "value"),
    [
        ("Recall@5=0.6", None, "P@5", 0.6),
        (" text : Recall@5 = .6 ", "text", "P@5", 0.6),
        ("AP@5(norm=min)=0.3", None, "AP@5(norm=min)", 0.3),
        ("video:MedR=3", "video", "MedR", 3.0),
    ],
)
def test_a_limit_is_read_in_the_language_of_the_run(
    text: str, mode: str | None, measure: str, value: float
) -> None:
    limit = parse_limit(text, ALFA)

    assert (limit.mode, str(limit.measure), limit.value) == (mode, measure, value)


@pytest.mark.parametrize(
    "text", ["", "Recall@5", "=0.6", "Recall@5=", "Recall@5=60%", "Recall@5=nan", ":Recall@5=1"]
)
def test_a_limit_that_cannot_be_read_names_the_remedy(text: str) -> None:
    with pytest.raises(InputError, match=r"is not METRIC=NUMBER; write --fail-under Recall@5=0.6"):
        parse_limit(text, ALFA)


def test_a_limit_on_a_metric_without_a_value_per_query_is_refused() -> None:
    with pytest.raises(InputError, match=r"pools the items of all queries.*gate MedR or MnR"):
        parse_limit("MedR(all)=3", ALFA)


def test_a_limit_holds_the_mean_with_its_interval_and_n() -> None:
    run = system([0.2, 0.4, 0.6, math.nan])

    gate = decide(run, limits=[parse_limit("Recall@5=0.5", ALFA)])

    (check,) = gate.limits
    assert (check.verdict, gate.verdict) == ("fail", "fail")
    assert check.value == pytest.approx(0.4)
    assert check.n == 3
    assert 0.2 <= check.interval.low < 0.4 < check.interval.high <= 0.6


def test_a_mean_that_is_its_limit_but_for_rounding_passes() -> None:
    values = [0.1, 0.7, 1.0] * 7
    assert float(np.mean(values)) != 0.6, "the sum of these floats carries noise"

    assert decide(system(values), limits=[parse_limit("Recall@5=0.6", ALFA)]).verdict == "pass"


@pytest.mark.parametrize(("limit", "verdict"), [("MedR=2", "pass"), ("MedR=1.5", "fail")])
def test_a_rank_must_not_be_above_its_limit_and_medr_is_a_median(limit: str, verdict: str) -> None:
    run = system({"MedR": [1, 2, 90]})

    gate = decide(run, limits=[parse_limit(limit, ALFA)])

    assert gate.limits[0].value == 2
    assert gate.verdict == verdict


def test_a_limit_without_a_mode_holds_for_every_mode() -> None:
    run = joined(system([0.8] * 3), system([0.2] * 3, mode="video"))

    every = decide(run, limits=[parse_limit("Recall@5=0.5", ALFA)])
    text = decide(run, limits=[parse_limit("text:Recall@5=0.5", ALFA)])

    assert [(c.mode, c.verdict) for c in every.limits] == [("text", "pass"), ("video", "fail")]
    assert [(c.mode, c.verdict) for c in text.limits] == [("text", "pass")]


# Hypotheses


def test_the_p_value_counts_the_patterns_of_signs_that_are_as_bad() -> None:
    """d = −0.4, −0.2, −0.2, +0.2 has the sum −0.6. Of the 16 patterns of signs, all minus gives
    −1.0, and the three that turn one 0.2 around give −0.6: p = 4 / 16."""
    old, new = [0.8, 0.6, 0.4, 0.2], [0.4, 0.4, 0.2, 0.4]

    check = only(decide(system(new), system(old)).regressions)

    assert check.p == check.corrected == 0.25
    assert check.gain == pytest.approx(-0.15)
    assert (check.before, check.after) == (pytest.approx(0.5), pytest.approx(0.35))
    assert (check.n, check.verdict) == (4, "underpowered")


def test_the_p_value_is_that_of_scipy() -> None:
    rng = np.random.default_rng(3)
    old, new = rng.integers(0, 6, (2, 10)) / 5

    check = only(decide(system(new), system(old)).regressions)

    expected = stats.permutation_test(
        (np.round(new - old, 12),), np.mean, permutation_type="samples", alternative="less"
    )
    assert check.p == pytest.approx(expected.pvalue, abs=1e-12)


def test_a_drop_on_every_query_fails_and_names_the_worst_queries() -> None:
    """Twelve losses: only the observed pattern is as bad as itself, p = 2^−12."""
    old = [0.8] * 6 + [1.0] * 6
    new = [0.6] * 6 + [0.2] * 6

    gate = decide(system(new), system(old))

    check = only(gate.regressions)
    assert gate.verdict == "fail"
    assert check.p == 2**-12
    assert check.interval.high < 0
    assert len(check.worst) == 5
    assert {(w.before, w.after) for w in check.worst} == {(1.0, 0.2)}
    assert check.worst[0].key.query == "query 6"


@pytest.mark.parametrize(("epsilon", "verdict"), [(0.1, "fail"), (0.2, "pass"), (0.3, "pass")])
def test_a_drop_of_epsilon_is_put_up_with(epsilon: float, verdict: str) -> None:
    old, new = [0.8, 0.6, 0.4] * 5, [0.6, 0.4, 0.2] * 5

    gate = decide(system(new), system(old), settings=GateSettings(epsilon=epsilon))

    assert gate.verdict == verdict


def test_where_lower_is_better_a_higher_rank_is_the_drop() -> None:
    old, new = {"MnR": [1.0, 2.0] * 8}, {"MnR": [4.0, 6.0] * 8}

    worse = only(decide(system(new), system(old)).regressions)
    better = only(decide(system(old), system(new)).regressions)

    assert (worse.verdict, worse.gain) == ("fail", -3.5)
    assert (better.gain, better.p) == (3.5, 1.0)
    assert worse.worst[0].before < worse.worst[0].after


def test_a_median_is_tested_as_a_median() -> None:
    """One query that gains 900 ranks would hide the loss of all others in a mean."""
    old = {"MedR": [1.0] * 40 + [1000.0]}
    new = {"MedR": [5.0] * 40 + [100.0]}

    gate = decide(system(new), system(old))

    check = only(gate.regressions)
    assert (check.before, check.after, check.gain, check.verdict) == (1.0, 5.0, -4.0, "fail")
    assert check.power is None
    assert "MedR is a median" in gate.notes[-1]
    back = only(decide(system(old), system(new)).regressions)
    assert (back.gain, back.verdict) == (4.0, "pass")


def test_means_and_slices_of_all_modes_and_metrics_share_the_alpha() -> None:
    rng = np.random.default_rng(5)
    words = [("a:x",)] * 12 + [("b:y",)] * 12

    def both(mode: str, name: str) -> dict[str, list[float]]:
        return {text: (rng.integers(0, 6, 24) / 5).tolist() for text in ("P@5", "RR@5")}

    runs = [
        joined(*(system(both(mode, name), words, name, mode) for mode in ("text", "video")))
        for name in ("new", "old")
    ]
    asked = [Measure.parse("P@5"), Measure.parse("RR@5")]

    gate = decide(runs[0], runs[1], measures=asked, settings=TEN)

    # per mode and metric: the mean, the groups a and b, the keywords a:x and b:y
    assert len(gate.regressions) == 2 * 2 * 5
    means = [check for check in gate.regressions if check.slice is None]
    p = np.array([check.p for check in means])
    order = np.argsort(p, kind="stable")
    # 16 slices keep their shares of α as long as there are means
    by_hand = np.minimum(1, np.maximum.accumulate((20 - np.arange(4)) * p[order]))
    assert [means[i].corrected for i in order] == pytest.approx(by_hand.tolist())
    assert {check.correction for check in means} == {"holm"}
    slices = [check for check in gate.regressions if check.slice is not None]
    assert {check.correction for check in slices} == {"max-t"}
    assert all(check.p <= check.corrected <= 1 for check in slices)


def test_one_metric_is_gated_unless_more_are_named() -> None:
    values = {"P@1": [0.0, 1.0], "P@5": [0.2, 0.4], "RR@5": [0.5, 1.0]}

    gate = decide(system(values), system(values))

    assert list(map(str, gate.measures)) == ["P@5"]


# Slices


def test_a_slice_that_fell_is_named_though_the_mean_did_not_fall() -> None:
    words = [("object:bicyclist",)] * 15 + [("object:car",)] * 45
    old = [0.6] * 60
    new = [0.2, 0.4, 0.2] * 5 + [0.8, 0.6, 0.8] * 15

    gate = decide(system(new, words), system(old, words), settings=TEN)

    failed = [check for check in gate.regressions if check.verdict == "fail"]
    assert [check.slice for check in failed] == [Slice("keyword", "object:bicyclist")]
    assert all(change.keywords == ("object:bicyclist",) for change in failed[0].worst)
    assert gate.regressions[0].slice is None and gate.regressions[0].gain > 0


def test_slices_with_too_few_queries_are_counted_and_a_slice_of_all_is_left_out() -> None:
    words = [("g:all", "g:half")] * 20 + [("g:all", "h:few")] * 19
    values = np.linspace(0, 1, 39)

    gate = decide(system(values, words), system(values, words))

    assert [check.slice for check in gate.regressions] == [None, Slice("keyword", "g:half")]
    # h:few and its group h have 19 queries, and 20 is the default;
    # g:all and its group g are all queries
    assert [(few.mode, few.slices) for few in gate.few] == [("text", 2)]


def test_with_many_slices_the_smallest_p_values_get_flips_enough_to_fail() -> None:
    """150 hypotheses: 1 / (100 + 1) · 150 could never be below 0.025."""
    rng = np.random.default_rng(0)
    n = 400
    words = [tuple(f"g:{j}" for j in np.flatnonzero(rng.random(150) < 0.1)) for _ in range(n)]
    old = rng.integers(2, 6, n) / 5
    new = old - 0.2 * (rng.random(n) < 0.5)
    settings = GateSettings(CompareSettings(resamples=100))

    gate = decide(system(new, words), system(old, words), settings=settings)

    assert len(gate.regressions) > 140
    assert gate.flips == choose_flips(
        len(gate.regressions), settings.alpha, settings.compare.resamples
    )
    assert gate.flips > 100_000
    assert gate.regressions[0].verdict == "fail"


def keywords_of_ten(count: int, fallen: Sequence[int]) -> tuple[Results, Results]:
    """The run and the baseline: `count` keywords with ten queries each, of which those that have
    fallen went from 1 to 0 on every query, and all others gained."""
    words = [(f"w{n}",) for n in range(count) for _ in range(10)]
    old = np.repeat([1.0 if n in fallen else 0.5 for n in range(count)], 10)
    new = np.repeat([0.0 if n in fallen else 0.6 for n in range(count)], 10)
    return system(new, words), system(old, words, "old")


def test_slices_with_too_few_queries_to_fail_are_left_out_and_counted() -> None:
    """2^−10 · 31 = 0.030 ≥ 0.025: among 30 of them not one could fail, whatever it did."""
    gate = decide(*keywords_of_ten(30, fallen=[7]), settings=TEN)

    assert [check.slice for check in gate.regressions] == [None]
    assert [(few.mode, str(few.measure), few.slices) for few in gate.cannot_fail] == [
        ("text", "P@5", 30)
    ]
    assert gate.notes[0] == (
        "30 slices have too few queries to fail among so many checks: not looked at"
    )
    assert gate.few == ()


def test_slices_that_can_fail_do_and_all_of_them_are_looked_at() -> None:
    """2^−10 · 21 = 0.0205 < 0.025: 20 keywords of ten queries and the mean are a family."""
    gate = decide(*keywords_of_ten(20, fallen=[7]), settings=TEN)

    assert len(gate.regressions) == 21
    assert gate.cannot_fail == gate.notes == ()
    failed = [check.slice for check in gate.regressions if check.verdict == "fail"]
    assert failed == [Slice("keyword", "w7")]


def test_small_slices_are_left_out_so_that_larger_ones_have_a_family_in_which_they_fail() -> None:
    """40 keywords of 10 queries and one of 12: 2^−12 · 42 = 0.0103 would do, but 2^−10 does not."""
    words = [(f"w{n}",) for n in range(40) for _ in range(10)] + [("large",)] * 12
    old, new = [0.5] * 400 + [1.0] * 12, [0.6] * 400 + [0.0] * 12

    gate = decide(system(new, words), system(old, words), settings=TEN)

    fell = gate.regressions[1]
    assert [check.slice for check in gate.regressions] == [None, Slice("keyword", "large")]
    assert (fell.p, fell.corrected, fell.verdict) == (2**-12, 2 * 2**-12, "fail")
    assert gate.cannot_fail[0].slices == 40


def test_of_clusters_it_is_their_number_that_lets_a_slice_fail() -> None:
    """Each keyword has 20 queries, but in two clusters: 2^−2 is never below 0.025."""
    words = [("a",)] * 20 + [("b",)] * 20
    queries = [f"query {n}" for n in range(40)]
    clusters = {query: str(n // 10) for n, query in enumerate(queries)}
    values = np.linspace(0, 1, 40)
    settings = GateSettings(CompareSettings(least_queries=10, clusters=clusters))

    gate = decide(system(values, words), system(values, words), settings=settings)

    assert [check.slice for check in gate.regressions] == [None]
    assert gate.notes[0] == (
        "2 slices have too few clusters of queries to fail among so many checks: not looked at"
    )


@given(
    st.lists(st.integers(1, 25), max_size=60), st.integers(1, 4), st.sampled_from([0.025, 0.005])
)
def test_the_family_of_slices_is_the_largest_in_which_each_can_fail(
    units: list[int], means: int, alpha: float
) -> None:
    """By brute force over every size that could be the smallest."""

    def can_fail(least: int) -> bool:
        kept = [own for own in units if own >= least]
        return all(2.0**-own < alpha / (means + len(kept)) for own in kept)

    found = find_least_slice_units(units, means, alpha)

    assert can_fail(found)
    larger = [size for size in range(1, found) if any(size <= own < found for own in units)]
    assert not any(can_fail(size) for size in larger)


# Verdicts


@given(st.lists(FIFTHS, min_size=1, max_size=40))
def test_identical_runs_pass(values: list[float]) -> None:
    words = [("g:a",) if value > 0.5 else ("g:b",) for value in values]
    run = system(values, words)

    gate = decide(run, run)

    assert gate.verdict == "pass"
    assert all(check.p == check.corrected == 1.0 for check in gate.regressions)
    assert gate.notes == ("every value that was compared is the same in both runs",)


@given(st.lists(st.tuples(FIFTHS, FIFTHS), min_size=12, max_size=30))
def test_a_run_that_is_nowhere_worse_never_fails(pairs: list[tuple[float, float]]) -> None:
    old, new = [min(pair) for pair in pairs], [max(pair) for pair in pairs]
    settings = GateSettings(CompareSettings(resamples=200))

    assert decide(system(new), system(old), settings=settings).verdict != "fail"


def test_a_failed_limit_outweighs_too_few_queries() -> None:
    old, new = system([0.2, 0.8, 0.4]), system([0.4, 0.6, 0.2])

    assert decide(new, old).verdict == "underpowered"
    assert decide(new, old, [parse_limit("Recall@5=0.9", ALFA)]).verdict == "fail"


def test_what_was_not_compared_is_reported() -> None:
    old = joined(system([0.2, 0.4, 0.6], name="old"), system([0.5], name="old", mode="video"))
    new = system([0.2, math.nan], name="new")

    notes = decide(new, old, settings=GateSettings(allow_missing=True)).notes

    assert notes[:3] == (
        "video queries of old are not in new: not compared",
        "1 text query of old is in it alone: left out",
        "1 text query counts for one run only (P@5): left out",
    )


# Queries that the run lost


def lost(new: Results, old: Results, **settings: bool) -> str:
    """What is said of a run that lost queries."""
    with pytest.raises(InputError) as caught:
        decide(new, old, settings=GateSettings(**settings))
    return str(caught.value)


def test_a_run_that_lacks_queries_of_the_baseline_is_no_fair_comparison() -> None:
    old = system([0.5] * 52, name="old", queries=[f"query {n}" for n in range(52)])
    new = system([0.6] * 26, queries=[f"query {n}" for n in range(26, 52)])

    assert lost(new, old) == (
        'new: lacks 26 of the 52 text queries of old (first: "query 0"); '
        "evaluate the same query set, or compare what both have with --allow-missing"
    )
    allowed = decide(new, old, settings=GateSettings(allow_missing=True))
    assert "26 text queries of old are in it alone: left out" in allowed.notes


def test_a_run_without_a_value_where_the_baseline_has_one_lost_it() -> None:
    old, new = system([0.5, 0.5, math.nan], name="old"), system([0.6, math.nan, math.nan])

    assert lost(new, old).startswith(
        'new: has no P@5 for 1 of the 2 text queries that count in old (first: "query 1"); '
    )


def test_a_run_that_lacks_a_mode_lost_all_its_queries() -> None:
    old = joined(system([0.5] * 3, name="old"), system([0.5] * 4, name="old", mode="video"))

    assert lost(system([0.6] * 3), old).startswith(
        'new: lacks all 4 video queries of old (first: "query 0"); '
    )


def test_only_the_metrics_that_are_gated_can_be_lost() -> None:
    old = system({"P@5": [0.5, 0.4], "RR@5": [1.0, 0.5]}, name="old")
    new = system({"P@5": [0.5, 0.4], "RR@5": [1.0, math.nan]})

    assert decide(new, old).verdict == "pass"
    assert "has no RR@5" in lost_of(new, old, "RR@5")


def lost_of(new: Results, old: Results, measure: str) -> str:
    with pytest.raises(InputError) as caught:
        decide(new, old, measures=[Measure.parse("P@5"), Measure.parse(measure)])
    return str(caught.value)


def test_queries_that_count_in_the_run_alone_or_in_neither_are_no_loss() -> None:
    old = system([0.5, 0.4, math.nan, math.nan], name="old")
    more = system([0.5, 0.4, 0.2, math.nan, 0.8])
    fewer = system([0.5, 0.4])

    assert decide(more, old).notes[:2] == (
        "1 text query of new is in it alone: left out",
        "1 text query counts for one run only (P@5): left out",
    )
    assert decide(fewer, old).notes[0] == "2 text queries of old are in it alone: left out"


def test_a_long_query_is_quoted_in_part() -> None:
    old = system([0.5, 0.5], name="old", queries=["rain", "x" * 500])

    assert f'(first: "{"x" * 79}…")' in lost(system([0.5], queries=["rain"]), old)


def test_other_keywords_in_one_run_are_reported() -> None:
    old, new = system([0.2], [("a:x",)], "old"), system([0.2], [("a:y",)], "new")

    assert "some text queries have other keywords in new" in decide(new, old).notes[0]


# What cannot be decided


def test_a_run_must_be_held_against_something() -> None:
    with pytest.raises(InputError, match=r"nothing to hold the run against; give --baseline"):
        decide(system([0.5]))


def test_metrics_without_a_baseline_would_do_nothing() -> None:
    limit = parse_limit("Recall@5=0.1", ALFA)

    with pytest.raises(InputError, match=r"--metrics chooses what is compared with a baseline"):
        decide(system([0.5]), limits=[limit], measures=[limit.measure])


def test_runs_without_a_common_query_cannot_be_compared() -> None:
    with pytest.raises(InputError, match="old and new have no query in common"):
        decide(system([0.5], queries=["a"]), system([0.5], name="old", queries=["b"]))


def test_a_metric_that_one_run_lacks_is_named_with_those_it_has() -> None:
    old = system({"RR@5": [0.5]}, name="old")

    with pytest.raises(InputError, match=r"old has no P@5; it has RR@5"):
        decide(system({"P@5": [0.5], "RR@5": [0.5]}), old, measures=[Measure.parse("P@5")])


def test_a_mode_that_the_run_lacks_is_named_with_those_it_has() -> None:
    with pytest.raises(InputError, match=r"new has no video queries; it has text"):
        decide(system([0.5]), limits=[parse_limit("video:Recall@5=0.1", ALFA)])


def test_a_limit_without_a_query_that_counts_is_no_pass() -> None:
    with pytest.raises(InputError, match="no text query of new counts for P@5"):
        decide(system([math.nan]), limits=[parse_limit("Recall@5=0.1", ALFA)])


def test_a_comparison_without_a_query_that_counts_is_no_pass() -> None:
    with pytest.raises(InputError, match="no query counts for P@5 in both runs"):
        decide(system([0.2, 0.2]), system([math.nan, math.nan]))


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"epsilon": -0.1}, "epsilon is -0.1"),
        ({"epsilon": math.nan}, "epsilon is nan"),
        ({"detect": 0.0}, "the drop to detect is 0"),
        ({"power": 1.0}, "the power is 1"),
    ],
)
def test_settings_that_make_no_sense_are_refused(wrong: dict[str, float], said: str) -> None:
    with pytest.raises(InputError, match=said):
        GateSettings(**wrong)  # type: ignore[arg-type]
