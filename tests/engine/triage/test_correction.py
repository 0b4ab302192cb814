"""One correction over all that is shown, and which of its two sentences a finding says."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from engine.base.errors import InputError
from engine.stats import Interval
from engine.triage.correction import correct
from engine.triage.finding import Topic, make_unknown
from engine.triage.settings import TriageSettings
from tests.engine.triage.findings import make_finding

SETTINGS = TriageSettings()


def test_p_is_multiplied_by_the_analyses_that_test_something() -> None:
    fact = make_finding("who:c", analysis="ceiling", p=math.nan, outcome="fact")
    findings = [
        make_finding(p=0.01),
        make_finding("who:b", p=0.02),
        make_finding(analysis="hubs", p=0.5),
        fact,
        make_unknown("looks", "No frames.", "name --visual MODEL"),
    ]

    corrected = {one.id: one.corrected for one in correct(findings, SETTINGS)}

    assert corrected["slices/text/who-a"] == 0.02
    assert corrected["slices/text/who-b"] == 0.04
    assert corrected["hubs/text/who-a"] == 1.0
    assert math.isnan(corrected[fact.id])


def test_what_is_not_proven_says_its_other_sentence() -> None:
    (found,) = correct([make_finding(p=0.06)], SETTINGS)

    assert found.outcome == "unsure"
    assert found.sentence == "It does not differ."
    assert found.severity == 0.0


def test_severity_is_harm_times_share_times_certainty() -> None:
    (found,) = correct([make_finding(p=0.001)], SETTINGS)

    assert found.outcome == "found"
    assert found.sentence == "It fails."
    assert found.severity == pytest.approx(0.2 * (1 / 3) * 0.999)


@pytest.mark.parametrize(
    ("low", "high", "outcome"),
    [(-0.015, 0.3, "nothing"), (-0.03, 0.3, "unsure"), (math.nan, math.nan, "unsure")],
)
def test_nothing_is_said_only_where_the_interval_leaves_out_what_matters(
    low: float, high: float, outcome: str
) -> None:
    finding = make_finding(p=0.7, interval=Interval(low, high, 0.95))

    assert correct([finding], SETTINGS)[0].outcome == outcome


def test_the_worst_come_first_and_what_was_not_measured_before_what_is_not_there() -> None:
    nothing = make_finding("who:n", p=0.9, interval=Interval(-0.001, 0.001, 0.95))
    unknown = make_unknown("looks", "No frames.", "name --visual MODEL")
    mild = make_finding("who:m", effect=-0.1)
    severe = make_finding("who:s", effect=-0.5)
    unsure = make_finding("who:u", p=0.5, interval=Interval(-0.4, 0.2, 0.95))

    ordered = correct([nothing, unknown, mild, unsure, severe], SETTINGS)

    assert [one.subject.label for one in ordered] == ["s", "m", "u", "", "n"]


def test_at_most_the_nominal_share_of_families_has_a_false_finding() -> None:
    rng = np.random.default_rng(0)
    families = 400
    false = 0
    for _ in range(families):
        # Analyses of several tests each, their p corrected within by Holm's smallest: m · min p.
        analyses = [f"a{number}" for number in range(6)]
        findings = [
            make_finding(f"who:{place}", analysis=name, p=min(1.0, 5 * p))
            for name in analyses
            for place, p in enumerate(rng.uniform(size=5).tolist())
        ]
        false += any(one.outcome == "found" for one in correct(findings, SETTINGS))

    assert false / families <= 0.06


def test_an_id_says_analysis_mode_and_subject() -> None:
    subject = Topic("slice", ("object_type:bicyclist", "actor_behavior:same direction"))

    assert (
        make_finding(subject=subject).id
        == "slices/text/object-type-bicyclist-actor-behavior-same-direction"
    )


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"k": 0}, "k is 0; at least 1"),
        ({"k": 10**7}, "k is 10000000; at most 1,000,000"),
        ({"resamples": 99}, "resamples is 99; at least 100"),
        ({"resamples": 10**300}, "at most 100,000"),
        ({"level": 1.0}, "level is 1; give one between 0 and 1"),
        ({"level": math.nan}, "level is nan"),
        ({"alpha": 1.0}, "alpha is 1"),
    ],
)
def test_settings_that_mean_nothing_or_take_for_ever_are_refused(
    settings: dict[str, Any], said: str
) -> None:
    with pytest.raises(InputError, match=said):
        TriageSettings(**settings)
