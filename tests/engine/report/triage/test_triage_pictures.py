"""The pictures of a triage are what its analyses measured, counted here by hand."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import numpy as np
import pytest

from engine.base.errors import Place
from engine.files.fields import Field
from engine.report.triage.pictures import MOST_BARS, MOST_KEYWORDS, dump_pictures
from engine.stats import Interval
from engine.triage.registry import find_analyses
from engine.triage.saved_pictures import parse_pictures
from engine.triage.study import Study
from engine.triage.triage import Triage, triage
from engine.triage.workings.look_balance import measure_looks
from engine.triage.workings.reliance import measure_reliance
from tests.engine.triage.planted import Plan, draw_scene, make_study, make_visual

NAMES = ["slices", "looks", "substitutions", "used"]


@pytest.fixture(scope="module")
def study() -> Study:
    """Clips of who0 are nothing but noise, and those of who2 lie where those of who1 do."""
    scene = draw_scene(Plan(clips=360, per_source=2, noise=0.7, looks=0.3))
    who, directions = scene.numbers["who"], scene.directions["who"]
    vectors = scene.vectors + np.where(who == 2, 1, 0)[:, None] * (directions[1] - directions[2])
    noise = np.random.default_rng(3).normal(size=vectors.shape)
    vectors[who == 0] = noise[who == 0]
    return make_study(scene.with_vectors(vectors), visual=make_visual(scene))


@pytest.fixture(scope="module")
def found(study: Study) -> Triage:
    return triage(study, find_analyses(NAMES))


@pytest.fixture(scope="module")
def drawn(found: Triage) -> dict[str, Any]:
    return dump_pictures(found)


def test_they_are_plain_values_that_are_read_back(drawn: dict[str, Any]) -> None:
    again = json.loads(json.dumps(drawn, allow_nan=False))

    pictures = parse_pictures(Field(again, "pictures", Place("t.json")))

    assert set(drawn) == {"looks", "substitutions", "slices", "reliance"}
    assert pictures.looks is not None and pictures.reliance is not None
    assert [one.group for one in pictures.substitutions] == ["who"]
    assert list(pictures.looks.overlap) == drawn["looks"]["overlap"]
    assert pictures.slices[0].bars[0].inside.interval.low == pytest.approx(
        drawn["slices"][0]["slices"][0]["inside"]["interval"][0]
    )
    assert pictures.looks.balances[0].group == "" and isinstance(
        pictures.looks.balances[0].index.interval, Interval
    )


@pytest.mark.parametrize("name", ["slices", "looks", "used"])
def test_an_analysis_that_was_not_asked_for_has_no_picture(study: Study, name: str) -> None:
    alone = dump_pictures(Triage(study, find_analyses([name]), (), (), ()))

    assert list(alone) == ["reliance" if name == "used" else name]


def test_what_could_not_be_measured_has_no_picture() -> None:
    few = make_study(draw_scene(Plan(clips=12, noise=0.5)))

    assert "looks" not in dump_pictures(Triage(few, find_analyses(NAMES), (), (), ()))


def test_pairs_are_pairs_of_clips_of_different_sources(study: Study, drawn: dict[str, Any]) -> None:
    balance = study.once(measure_looks)
    assert balance is not None
    pairs = balance.pairs
    shown = drawn["looks"]

    assert len(shown["look"]) == len(shown["similarity"]) == len(shown["overlap"]) == 2_000
    assert (study.sources[pairs.first] != study.sources[pairs.second]).all()
    for at in (0, 700, 1_999):
        one, other = pairs.first[at], pairs.second[at]
        cosine = float(study.vectors[one] @ study.vectors[other])
        assert shown["similarity"][at] == pytest.approx(cosine, abs=1e-4)
        own, others = (set(map(str, study.truth.keywords_of(c))) for c in (one, other))
        assert shown["overlap"][at] == pytest.approx(
            len(own & others) / len(own | others), abs=1e-4
        )


def test_a_slice_has_the_mean_of_its_queries(study: Study, drawn: dict[str, Any]) -> None:
    (asked,) = study.asked
    keywords = [set(map(str, study.truth.keywords_of(row))) for row in asked.own_rows.tolist()]
    (mode,) = drawn["slices"]

    assert 1 < len(mode["slices"]) <= MOST_BARS < mode["tested"]
    assert mode["mean"] == pytest.approx(float(np.nanmean(asked.values)))
    for one in mode["slices"]:
        inside = np.array([set(one["keywords"]) <= own for own in keywords]) & asked.counted
        outside = ~inside & asked.counted
        mean = float(asked.values[inside].mean())
        relevant = asked.judged.relevant[inside]
        assert one["support"] == inside.sum()
        assert one["inside"]["value"] == pytest.approx(mean)
        low, high = one["inside"]["interval"]
        assert low - 1e-9 <= mean <= high + 1e-9
        assert one["difference"] == pytest.approx(mean - asked.values[outside].mean())
        assert one["ceiling"] == pytest.approx(float((np.minimum(relevant, 5) / 5).mean()))
        assert one["chance"] == pytest.approx(float((relevant / (len(study.truth) - 1)).mean()))


def test_what_is_proven_are_the_findings(found: Triage, drawn: dict[str, Any]) -> None:
    names = {
        (one.analysis, one.subject.names, round(one.corrected, 9))
        for one in found.found
        if one.subject.names
    }
    slices = {
        ("slices", tuple(one["keywords"]), round(one["corrected_p"], 9))
        for mode in drawn["slices"]
        for one in mode["slices"]
        if one["proven"]
    }
    pairs = {
        (matrix["keywords"][row], matrix["keywords"][column])
        for matrix in drawn["substitutions"]
        for row, line in enumerate(matrix["proven"])
        for column, proven in enumerate(line)
        if proven
    }

    listed = {one for one in names if one[0] == "slices"}
    assert listed and listed <= slices
    assert ("who:who2", "who:who1") in pairs
    assert pairs == {pair for analysis, pair, _ in names if analysis == "substitutions"}


def test_what_came_instead_is_counted(study: Study, drawn: dict[str, Any]) -> None:
    (asked,) = study.asked
    rows, hits = asked.top(study.settings.k)
    lacking: Counter[str] = Counter()
    instead: Counter[tuple[str, str]] = Counter()
    for query in np.flatnonzero(asked.counted).tolist():
        wanted = set(map(str, study.truth.keywords_of(int(asked.own_rows[query]))))
        for clip, hit in zip(rows[query].tolist(), hits[query].tolist(), strict=True):
            own = set(map(str, study.truth.keywords_of(clip)))
            for word in () if hit else wanted - own:
                lacking[word] += 1
                group = word.partition(":")[0]
                instead.update((word, one) for one in own if one.startswith(f"{group}:"))

    for matrix in drawn["substitutions"]:
        for row, one in enumerate(matrix["keywords"]):
            for column, other in enumerate(matrix["keywords"]):
                if row != column:
                    assert matrix["instead"][row][column] == instead[one, other]
                    assert matrix["results"][row][column] == lacking[one]


def test_of_many_keywords_those_that_matter_are_shown() -> None:
    many = make_study(draw_scene(Plan(clips=400, groups={"who": 25, "way": 4})))
    found = Triage(many, find_analyses(["substitutions"]), (), (), ())

    matrices = dump_pictures(found)["substitutions"]

    large = next(one for one in matrices if one["group"] == "who")
    assert len(large["keywords"]) == len(large["instead"]) == MOST_KEYWORDS
    assert large["left_out"] == 5


def test_reliance_is_what_was_measured(study: Study, drawn: dict[str, Any]) -> None:
    reliance, shown = study.once(measure_reliance), drawn["reliance"]

    assert shown["groups"] == ["who", "way"]
    for erased in range(2):
        for measured in range(2):
            cell = shown["costs"][erased][measured]
            effect = reliance.effect(erased, measured)
            assert cell["value"] == effect.value
            assert cell["interval"] == [effect.interval.low, effect.interval.high]
    assert shown["before"] == reliance.before.tolist()
