"""The whole triage: the same seed says the same, whatever else is asked; and it can be ended."""

from __future__ import annotations

import json
import random
from collections.abc import Iterable
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.base.errors import InputError
from engine.base.progress import Step
from engine.report.triage.document import dump_triage_finding
from engine.report.triage.evidence import dump_evidence
from engine.triage.registry import ANALYSES, find_analyses
from engine.triage.settings import TriageSettings
from engine.triage.study import Study
from engine.triage.triage import Triage, triage
from tests.engine.triage.lossy_index import LossyIndex
from tests.engine.triage.planted import (
    QUICK,
    Plan,
    draw_scene,
    make_study,
    make_texts,
    make_unit,
    make_visual,
)
from tests.engine.triage.plants import see_again
from tests.examples import examples

FULL = replace(QUICK, resamples=2000)


def make(settings: TriageSettings = FULL, *, visual: bool = True) -> Study:
    """A study in which every analysis but `mapper` has what it needs."""
    scene = draw_scene(Plan(clips=160, looks=1.0, per_source=2, weights={"way": 0.3}))
    units = make_unit(scene.vectors)
    return make_study(
        scene,
        texts=make_texts(scene),
        settings=settings,
        index=lambda: LossyIndex(units, 8, 6),
        visual=make_visual(scene) if visual else None,
        second=see_again(scene),
    )


def carry_out(study: Study, names: Iterable[str] | None = None) -> Triage:
    return triage(study, find_analyses(None if names is None else list(names)))


def dump(found: Triage) -> dict[str, Any]:
    return {
        "findings": [dump_triage_finding(one) for one in found.findings],
        "verdicts": [one.dump() for one in found.verdicts],
        "shortfall": [one.dump() for one in found.shortfalls],
        "evidence": dump_evidence(found.study, found.findings),
    }


@cache
def usual() -> Triage:
    return carry_out(make())


def test_the_same_seed_says_the_same_to_the_byte() -> None:
    one, other = (json.dumps(dump(carry_out(make()))) for _ in range(2))
    assert one == other == json.dumps(dump(usual()))


def test_another_seed_changes_what_is_random_and_nothing_else() -> None:
    found, other = usual(), carry_out(make(replace(FULL, seed=1)))
    assert json.dumps(dump(found)) != json.dumps(dump(other))
    # What is counted is the same: only what was drawn differs.
    drawn = {"readable", "used", "gap", "hubs", "looks", "pairs", "doubts"}
    ours, theirs = (
        {one.id: one for one in each.findings if one.analysis not in drawn}
        for each in (found, other)
    )
    assert {one.analysis for one in ours.values()} >= {"slices", "blame", "ceiling", "index"}
    shared = ours.keys() & theirs.keys()
    assert len(shared) > 0.8 * len(ours)
    for id in shared:
        assert ours[id].effect == pytest.approx(theirs[id].effect, nan_ok=True), id
        assert ours[id].support == theirs[id].support, id
    for one, two in zip(found.shortfalls, other.shortfalls, strict=True):
        assert (one.mean.value, one.ceiling, one.chance) == (
            two.mean.value,
            two.ceiling,
            two.chance,
        )
        assert one.mean.interval != two.mean.interval
    for one, two in zip(found.verdicts, other.verdicts, strict=True):
        assert one.kept.value == two.kept.value
        assert one.reliance.value != two.reliance.value


def list_uncorrected(found: Triage) -> dict[str, dict[str, Any]]:
    """Every finding without what the correction over all of them decides."""
    decided = {"corrected_p", "outcome", "severity", "sentence", "needed"}
    return {
        one.id: {
            **{k: v for k, v in dump_triage_finding(one).items() if k not in decided},
            "all sentences": (one.claim, one.otherwise, one.unsure),
        }
        for one in found.findings
    }


def test_the_order_of_the_analyses_changes_nothing() -> None:
    shuffled = list(ANALYSES)
    random.Random(3).shuffle(shuffled)
    other = triage(make(), shuffled)
    assert json.dumps(dump(other)) == json.dumps(dump(usual()))


@pytest.mark.parametrize("analysis", ANALYSES, ids=lambda one: one.name)
def test_alone_an_analysis_says_what_it_says_among_all(analysis: Any) -> None:
    alone = carry_out(make(), [analysis.name])
    among = list_uncorrected(usual())
    assert list_uncorrected(alone) == {
        id: one for id, one in among.items() if one["analysis"] == analysis.name
    }
    assert [one.dump() for one in alone.verdicts] == [one.dump() for one in usual().verdicts]
    # A p that is corrected for fewer is smaller, by as much.
    factor = max(1, usual().tested)
    corrected = {one.id: one.corrected for one in usual().findings}
    for one in alone.findings:
        if one.tests:
            assert corrected[one.id] == pytest.approx(min(1, factor * one.p))
            assert one.corrected == one.p


def test_every_finding_has_an_id_of_its_own() -> None:
    ids = [one.id for one in usual().findings]
    assert len(ids) == len(set(ids))
    assert {one.analysis for one in usual().findings} == {one.name for one in ANALYSES}


def test_what_was_proven_comes_first_the_worst_at_the_top() -> None:
    found = usual()
    severities = [one.severity for one in found.findings]
    assert severities == sorted(severities, reverse=True)
    assert found.found == found.findings[: len(found.found)]
    assert len(found.found) > 2
    assert found.tested == len({one.analysis for one in found.findings if one.p == one.p})


def test_a_finding_is_known_by_a_part_of_its_id() -> None:
    found = usual()
    assert found.find("used/way").id == "used/way"
    assert found.find("gap").id == "gap/text"
    assert found.find("index/vid").id == "index/video"
    with pytest.raises(InputError, match="findings"):
        found.find("blame")
    with pytest.raises(InputError, match="no finding"):
        found.find("nothing like it")


def test_every_analysis_is_reported_and_beats() -> None:
    steps: list[Step] = []
    triage(make(visual=False), ANALYSES, steps.append)
    done = [step.done for step in steps]
    assert done == sorted(done)
    assert set(done) == set(range(len(ANALYSES) + 1))
    assert len(done) > 2 * len(ANALYSES)
    assert {step.total for step in steps} == {len(ANALYSES)}


class EndedError(Exception):
    pass


@pytest.mark.parametrize("after", [0, 20, 60])
def test_an_exception_of_the_report_ends_it(after: int) -> None:
    steps: list[Step] = []

    def report(step: Step) -> None:
        steps.append(step)
        if len(steps) > after:
            raise EndedError

    study = make()
    with pytest.raises(EndedError):
        triage(study, ANALYSES, report)
    assert len(steps) == after + 1
    # What was left unfinished is computed anew.
    assert json.dumps(dump(carry_out(study))) == json.dumps(dump(usual()))


def test_who_ends_a_study_ends_its_triage() -> None:
    def end() -> None:
        raise EndedError

    with pytest.raises(EndedError):
        triage(make().beating(end), ANALYSES)


@examples(50)
@given(
    clips=st.sampled_from([2, 3, 5, 8, 20, 25, 45]),
    sizes=st.lists(st.sampled_from([1, 2, 3, 40]), min_size=1, max_size=3),
    dimension=st.sampled_from([1, 2, 8, 64]),
    per_source=st.sampled_from([1, 2, 5, 100]),
    noise=st.sampled_from([0.1, 1.6]),
    alike=st.booleans(),
    seen=st.booleans(),
    k=st.sampled_from([1, 5, 10]),
    seed=st.integers(0, 1000),
)
def test_whatever_is_studied_every_analysis_says_something(
    clips: int,
    sizes: list[int],
    dimension: int,
    per_source: int,
    noise: float,
    alike: bool,
    seen: bool,
    k: int,
    seed: int,
) -> None:
    """However few clips, keywords, sources or dimensions there are."""
    groups = dict(zip(("who", "way", "sky"), sizes, strict=False))
    plan = Plan(clips, dimension, groups, noise=noise, per_source=per_source, seed=seed)
    scene = draw_scene(plan)
    if alike:
        scene = scene.with_vectors(np.ones_like(scene.vectors))
    texts = make_texts(scene) if len(groups) > 1 else []
    study = make_study(
        scene,
        texts=texts or None,
        settings=TriageSettings(resamples=100, splits=2, k=k),
        visual=make_visual(scene) if seen else None,
        second=see_again(scene) if seen else None,
    )
    found = triage(study, ANALYSES)
    said = [one.sentence for one in found.findings]
    assert {one.analysis for one in found.findings} == {one.name for one in ANALYSES}
    assert all(one.endswith(".") and "nan" not in one for one in said), said
    json.dumps(dump(found), allow_nan=False)
