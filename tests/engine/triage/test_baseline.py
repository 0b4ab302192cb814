"""What became of findings from one model to the next."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import norm

from engine.stats import Interval
from engine.triage.baseline import compare_findings
from engine.triage.finding import Topic
from engine.triage.settings import TriageSettings
from tests.engine.triage.findings import draw, make_finding

SETTINGS = TriageSettings()


def test_a_finding_of_one_model_alone_is_new_or_gone() -> None:
    there = make_finding(outcome="found")
    not_there = make_finding(outcome="nothing", effect=-0.01)

    assert compare_findings([not_there], [there], SETTINGS)[0].kind == "new"
    assert compare_findings([there], [not_there], SETTINGS)[0].kind == "gone"
    assert compare_findings([], [there], SETTINGS)[0].kind == "new"
    assert compare_findings([there], [], SETTINGS)[0].kind == "gone"


@pytest.mark.parametrize(("effect", "kind"), [(-0.4, "worse"), (-0.05, "better")])
def test_a_sure_difference_of_what_both_have_is_better_or_worse(effect: float, kind: str) -> None:
    shared = draw(0.0, 0.05)
    before = make_finding(outcome="found", draws=-0.2 + shared)
    after = make_finding(outcome="found", effect=effect, draws=effect + shared + draw(0, 0.01, 1))

    (change,) = compare_findings([before], [after], SETTINGS)

    assert change.kind == kind
    assert change.paired
    assert change.is_sure
    assert change.difference == pytest.approx(effect + 0.2)
    assert change.interval.low < effect + 0.2 < change.interval.high


def test_the_interval_of_a_difference_is_that_of_the_differences_of_the_draws() -> None:
    before, after = draw(-0.2, 0.05, 1), draw(-0.3, 0.04, 2)
    (change,) = compare_findings(
        [make_finding(outcome="found", draws=before)],
        [make_finding(outcome="found", effect=-0.3, draws=after)],
        SETTINGS,
    )

    low, high = np.quantile(after - before, [0.025, 0.975])
    assert (change.interval.low, change.interval.high) == pytest.approx((low, high))
    expected = 2 * norm.cdf(-0.1 / (after - before).std(ddof=1))
    assert change.corrected == pytest.approx(expected)


def test_findings_without_common_draws_are_taken_to_be_independent() -> None:
    before = make_finding(outcome="found", interval=Interval(-0.3, -0.1, 0.95))
    after = make_finding(outcome="found", effect=-0.25, interval=Interval(-0.35, -0.15, 0.95))

    (change,) = compare_findings([before], [after], SETTINGS)

    assert not change.paired
    assert change.kind == "same"
    half = np.hypot(0.1, 0.1)
    assert (change.interval.low, change.interval.high) == pytest.approx((-0.05 - half, half - 0.05))


def test_many_differences_by_chance_are_no_change() -> None:
    rng = np.random.default_rng(3)
    alarms = 0
    for _ in range(100):
        spread = rng.normal(0, 0.03, (20, 2))
        before = [
            make_finding(f"who:{n}", outcome="found", effect=-0.2 + e, draws=draw(0, 0.03, n))
            for n, e in enumerate(spread[:, 0].tolist())
        ]
        after = [
            make_finding(f"who:{n}", outcome="found", effect=-0.2 + e, draws=draw(0, 0.03, n + 99))
            for n, e in enumerate(spread[:, 1].tolist())
        ]
        changes = compare_findings(before, after, SETTINGS)
        alarms += any(one.kind in ("better", "worse") for one in changes)

    assert alarms <= 10


def test_swapping_the_models_turns_every_change_round() -> None:
    a = [
        make_finding(outcome="found", draws=draw(-0.2, 0.01)),
        make_finding("who:b", outcome="found"),
    ]
    b = [make_finding(outcome="found", effect=-0.4, draws=draw(-0.4, 0.01, 1))]
    turned = {"new": "gone", "gone": "new", "better": "worse", "worse": "better", "same": "same"}

    there = {one.id: one for one in compare_findings(a, b, SETTINGS)}
    back = {one.id: one for one in compare_findings(b, a, SETTINGS)}

    assert {id: turned[one.kind] for id, one in there.items()} == {
        id: one.kind for id, one in back.items()
    }
    assert there["slices/text/who-a"].difference == -back["slices/text/who-a"].difference


# What was chosen


def test_a_change_of_what_was_chosen_is_corrected_over_all_that_it_was_chosen_from() -> None:
    """Two slices of 300, a group that is always listed: 301 hypotheses, the others with p = 1."""
    before, after = draw(-0.2, 0.03, 1), draw(-0.35, 0.03, 2)
    old = [
        make_finding("who:a", outcome="found", draws=before, chosen_from=300),
        make_finding("who:b", outcome="found", draws=before, chosen_from=300),
        make_finding(outcome="found", analysis="used", subject=Topic("group", ("who",)), p=0.5),
    ]
    new = [
        replace(old[0], effect=-0.35, draws=after),
        replace(old[1], effect=-0.3, draws=after + 0.05),
        old[2],
    ]

    changes = {one.id: one for one in compare_findings(old, new, SETTINGS)}

    spread = (after - before).std(ddof=1)
    first, second = (2 * norm.cdf(-value / spread) for value in (0.15, 0.1))
    assert changes["slices/text/who-a"].corrected == pytest.approx(301 * first)
    assert changes["slices/text/who-b"].corrected == pytest.approx(min(1, 300 * second))


def test_few_clusters_prove_less() -> None:
    """s² = variance of the draws + d² / c: of four clusters no p is below that of two sigmas."""
    before, after = draw(-0.2, 0.01, 1), draw(-0.9, 0.01, 2)
    for clusters, kind in ((4, "same"), (200, "worse")):
        old = make_finding(outcome="found", draws=before, clusters=clusters, chosen_from=20)
        new = replace(old, effect=-0.9, draws=after)
        (change,) = compare_findings([old], [new], SETTINGS)
        spread = np.sqrt((after - before).var(ddof=1) + 0.7**2 / clusters)
        assert change.corrected == pytest.approx(
            min(1, 20 * max(1e-6, 2 * norm.cdf(-0.7 / spread))), rel=1e-6
        )
        assert change.kind == kind


def test_no_p_is_zero() -> None:
    """Draws that are all alike show that none of 400 is 0, no more; and no tail is surely known."""
    flat = make_finding(outcome="found", draws=np.full(400, -0.2))
    lower = replace(flat, effect=-0.5, draws=np.full(400, -0.5))
    assert compare_findings([flat], [lower], SETTINGS)[0].corrected == pytest.approx(1 / 401)
    assert compare_findings([flat], [flat], SETTINGS)[0].corrected == 1.0

    far = make_finding(outcome="found", effect=-9.0, draws=draw(-9, 0.01))
    near = make_finding(outcome="found", draws=draw(-0.2, 0.01, 1))
    assert compare_findings([near], [far], SETTINGS)[0].corrected == pytest.approx(1e-6)


def test_of_other_tasks_there_is_no_difference_only_new_and_gone() -> None:
    before = make_finding(outcome="found", draws=draw(-0.2, 0.01))
    after = make_finding(outcome="found", effect=-0.5, draws=draw(-0.5, 0.01, 1))
    clips = make_finding(outcome="found", mode=None, draws=draw(-0.2, 0.01))
    lower = replace(clips, effect=-0.5, draws=draw(-0.5, 0.01, 1))

    found = compare_findings([before, clips], [after, lower], SETTINGS, (None,))
    changes = {one.before.mode: one for one in found if one.before}
    assert changes[None].kind == "worse"
    assert changes["text"].kind == "same"
    assert np.isnan(changes["text"].difference) and np.isnan(changes["text"].corrected)
    assert np.isnan(changes["text"].added_harm) and not changes["text"].is_sure

    gone = replace(after, outcome="nothing")
    assert compare_findings([before], [gone], SETTINGS, ())[0].kind == "gone"
    assert compare_findings([gone], [before], SETTINGS, ())[0].kind == "new"


def test_summaries_are_no_changes() -> None:
    assert compare_findings([make_finding(outcome="found", summary=True)], [], SETTINGS) == ()
