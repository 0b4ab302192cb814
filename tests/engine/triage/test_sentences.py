"""What a sentence says is what was decided: nothing, or open."""

from __future__ import annotations

import pytest

from engine.triage.correction import correct
from engine.triage.finding import Finding
from engine.triage.registry import ANALYSES
from engine.triage.study import Study
from tests.engine.triage.findings import make_finding
from tests.engine.triage.planted import Plan, draw_scene, make_study, make_texts, make_visual
from tests.engine.triage.plants import (
    draw_cone,
    draw_failing_slice,
    draw_gap,
    draw_readable_but_unused,
    draw_series,
)

_OPEN = (" open:", "cannot be told")
_NOTHING = ("cost nothing", "costs nothing", "do not flatter")


def planted() -> list[Study]:
    looks = draw_scene(Plan(120, looks=1.5))
    noise = draw_scene(Plan(120, weights={"who": 0.0, "way": 0.0}))
    easy = draw_scene(Plan(120, noise=0.1))
    gap, texts = draw_gap(0.8, 0.4)
    return [
        make_study(looks, visual=make_visual(looks)),
        make_study(noise, texts=make_texts(noise), visual=make_visual(noise)),
        make_study(easy, texts=make_texts(easy), visual=make_visual(easy)),
        make_study(gap, texts=texts),
        make_study(draw_series(10, 6)),
        make_study(draw_cone(4)),
        make_study(draw_failing_slice()),
        make_study(draw_readable_but_unused()),
    ]


def test_no_sentence_contradicts_what_was_decided() -> None:
    outcomes: dict[str, int] = {}
    for study in planted():
        found = [one for analysis in ANALYSES for one in analysis.find(study)]
        for one in correct(found, study.settings):
            outcomes[str(one.outcome)] = outcomes.get(str(one.outcome), 0) + 1
            if one.outcome == "nothing":
                assert not any(word in one.sentence for word in _OPEN), one.sentence
            if one.outcome == "unsure":
                assert not any(word in one.sentence for word in _NOTHING), one.sentence
    assert outcomes["nothing"] > 10 and outcomes["unsure"] > 10


@pytest.mark.parametrize(
    ("outcome", "said"),
    [("found", "It fails."), ("nothing", "It does not differ."), ("unsure", "Who knows.")],
)
def test_each_outcome_has_its_sentence(outcome: str, said: str) -> None:
    assert make_finding(unsure="Who knows.", outcome=outcome).sentence == said


def test_without_a_sentence_of_its_own_what_is_open_is_said_as_what_is_not_found() -> None:
    one: Finding = make_finding(outcome="unsure")
    assert one.sentence == one.otherwise
