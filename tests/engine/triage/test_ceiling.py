"""Where m falls short: parts that add up, by hand, by a loop, and by the law of random results."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import hypergeom

from engine.triage.analyses.ceiling import CEILING, LOSSES, divide_misses, measure_shortfalls
from engine.triage.analyses.index import measure_index_loss
from engine.triage.settings import TriageSettings
from engine.triage.study import Study
from engine.triage.verdicts import choose_causes
from tests.engine.triage.lossy_index import LossyIndex
from tests.engine.triage.planted import (
    Plan,
    Scene,
    draw_directions,
    draw_scene,
    make_study,
    make_texts,
    make_truth,
    make_unit,
)

LEAN = TriageSettings(resamples=100, splits=2)


def make(
    *,
    clips: int = 60,
    sizes: tuple[int, int] = (3, 4),
    weights: tuple[float, float] = (1.0, 1.0),
    seed: int = 0,
    lists: int = 0,
) -> Study:
    """Texts and clips; `lists` of an index of which one is looked at, or 0: it is exact."""
    groups = dict(zip(("who", "way"), sizes, strict=True))
    plan = Plan(clips, groups=groups, weights=dict(zip(groups, weights, strict=True)), seed=seed)
    scene = draw_scene(plan)
    texts = make_texts(scene)
    units = make_unit(scene.vectors)
    index = (lambda: LossyIndex(units, lists, 1)) if lists else None
    return make_study(scene, texts=texts, settings=LEAN, index=index)


@given(
    clips=st.integers(3, 90),
    sizes=st.tuples(st.integers(1, 5), st.integers(1, 30)),
    weights=st.tuples(st.floats(0, 2), st.floats(0, 2)),
    seed=st.integers(0, 10_000),
    lists=st.sampled_from([0, 0, 2, 6]),
)
def test_the_parts_add_up_to_what_is_lacking(
    clips: int, sizes: tuple[int, int], weights: tuple[float, float], seed: int, lists: int
) -> None:
    study = make(clips=clips, sizes=sizes, weights=weights, seed=seed, lists=min(lists, clips // 2))
    for found in measure_shortfalls(study):
        values = [part.value for _, part in found.parts]
        assert sum(values) == pytest.approx(1 - found.mean.value, abs=1e-12)
        assert found.total == pytest.approx(1 - found.mean.value, abs=1e-12)
        assert min(values) >= 0
        assert [cause for cause, _ in found.parts] == list(LOSSES)
        assert found.mean.value <= found.ceiling + 1e-12
        (exact,) = (part.value for cause, part in found.parts if cause == "too few")
        assert exact == pytest.approx(1 - found.ceiling, abs=1e-12)
        if not lists:
            assert dict(found.parts)["index"].value == 0
        assert dict(found.parts)["mapper"].value == 0


def make_four() -> Scene:
    """Two clips with who0 and two with who1; three with way0, one with way1; on an arc."""
    angles = np.array([0.0, 0.1, 0.3, 0.7])
    truth = make_truth({"who": np.array([0, 1, 0, 1]), "way": np.array([0, 0, 0, 1])})
    scene = replace(draw_scene(Plan(clips=4)), truth=truth)
    return scene.with_vectors(np.stack([np.cos(angles), np.sin(angles)], axis=1))


def test_four_clips_by_hand() -> None:
    """k = 2. Relevant: to clip 0 clip 2, to clip 2 clip 0, to clips 1 and 3 none. First two: of
    clip 0 clips 1 and 2, of clip 2 clips 1 and 0: one hit each, all that there could be."""
    (found,) = measure_shortfalls(make_study(make_four(), settings=replace(LEAN, k=2)))
    assert found.queries == 2
    assert (found.mean.value, found.ceiling) == (0.5, 0.5)
    assert found.chance == pytest.approx(1 / 3)
    assert {cause: part.value for cause, part in found.parts if part.value} == {"too few": 0.5}


def test_what_is_missed_is_divided_by_hand(monkeypatch: pytest.MonkeyPatch) -> None:
    """Clip 2 is moved away, and clip 0 finds clips 1 and 3. Of its one relevant clip nothing: half
    is too few, half missed. Clip 1 lacks its who, clip 3 both who and way: who lacks 1 and a half
    of the two, way half. Clip 2 finds clip 0 second."""
    angles = np.array([0.0, 0.1, 1.0, 0.3])
    scene = make_four().with_vectors(np.stack([np.cos(angles), np.sin(angles)], axis=1))
    study = make_study(scene, settings=replace(LEAN, k=2))
    who, way = study.columns_of("who").tolist(), study.columns_of("way").tolist()
    causes = {**dict.fromkeys(who, "unused"), **dict.fromkeys(way, "not readable")}
    monkeypatch.setattr("engine.triage.analyses.ceiling.choose_causes", lambda _: causes)
    assert divide_misses(study, study.asked[0])[0].tolist() == [0.25, 0.75, 0.0, 0.0]
    (found,) = measure_shortfalls(study)
    # Clip 2 asks: the nearest are clips 3 and 1; it misses as much, both lack its who, and clip 3
    # its way as well.
    shares = {cause: part.value for cause, part in found.parts if part.value}
    assert shares == {"too few": 0.5, "not readable": 0.125, "unused": 0.375}


def test_chance_is_what_random_results_have() -> None:
    study = make()
    for asked, found in zip(study.asked, measure_shortfalls(study), strict=True):
        judged = asked.judged
        expected = [
            hypergeom.mean(clips, relevant, 5) / 5
            for clips, relevant in zip(
                judged.collection.tolist(), judged.relevant.tolist(), strict=True
            )
            if relevant
        ]
        assert found.chance == pytest.approx(np.mean(expected))
        assert judged.collection.tolist() == [60 - (asked.mode == "video")] * len(asked)


def test_random_vectors_have_the_chance_that_is_said() -> None:
    means, chances = [], []
    for seed in range(20):
        (found,) = measure_shortfalls(
            make_study(
                draw_scene(Plan(clips=80, weights={"who": 0.0, "way": 0.0}, seed=seed)),
                settings=LEAN,
            )
        )
        means.append(found.mean.value)
        chances.append(found.chance)
    error = np.std(np.subtract(means, chances), ddof=1) / np.sqrt(20)
    assert np.mean(means) == pytest.approx(np.mean(chances), abs=3 * error)
    assert error < 0.01


def test_shares_are_those_of_a_loop() -> None:
    study = make(clips=150, weights=(1.0, 0.0), seed=3)
    truth, words = study.truth, study.truth.words
    causes = choose_causes(study)
    assert len(set(causes.values())) > 1
    for asked, found in zip(study.asked, measure_shortfalls(study), strict=True):
        sums = dict.fromkeys(LOSSES, 0.0)
        counted = 0
        for query in range(len(asked)):
            relevant = int(asked.judged.relevant[query])
            if not relevant:
                continue
            counted += 1
            wanted = {str(word) for word in words.named(asked.queries.bits[query])}
            results = asked.judged.ranking.indices[query, :5].tolist()
            lacking = [wanted - {str(w) for w in truth.keywords_of(row)} for row in results]
            wrong = [some for some in lacking if some]
            sums["too few"] += max(0, 5 - relevant) / 5
            missed = (min(relevant, 5) - (5 - len(wrong))) / 5
            for some in wrong:
                for word in some:
                    column = words.keywords.index(words.find(word))
                    sums[causes[column]] += missed / len(wrong) / len(some)
        told = {cause: part.value for cause, part in found.parts}
        assert told == pytest.approx({cause: one / counted for cause, one in sums.items()})


def test_what_an_index_loses_is_a_part() -> None:
    study = make(clips=200, lists=40, seed=1)
    for mode, found in enumerate(measure_shortfalls(study)):
        loss = measure_index_loss(study, mode)
        assert loss is not None and loss.points.value > 0.05
        assert dict(found.parts)["index"].value == pytest.approx(loss.points.value)


def test_the_sentence_says_what_is_lacking_most_first() -> None:
    text, video = CEILING.find(make(clips=200, weights=(1.5, 0.0)))
    assert text.outcome == video.outcome == "fact"
    assert not text.tests and text.p != text.p
    found = measure_shortfalls(make(clips=200, weights=(1.5, 0.0)))[1]
    assert video.sentence.startswith(
        f"P@5 of {found.queries} video queries is {found.mean.value:.3f}, by chance "
        f"{found.chance:.3f}, at best {found.ceiling:.3f}; it lacks {found.total:.3f}: "
    )
    named = [float(part.split()[0]) for part in video.sentence.split(": ")[1].split(", ")]
    assert named == sorted(named, reverse=True)
    assert sum(named) == pytest.approx(found.total, abs=0.002)


def test_nothing_is_lacking_where_all_is_found() -> None:
    scene = draw_scene(Plan(clips=80, groups={"who": 4}, noise=0.0))
    (finding,) = CEILING.find(make_study(scene, settings=LEAN))
    assert finding.sentence == (
        "P@5 of 80 video queries is 1.000, by chance "
        f"{dict(finding.numbers)['chance']:.3f}, at best 1.000."
    )
    assert finding.remedy == ""


def test_without_a_query_that_counts_there_is_no_shortfall() -> None:
    truth = make_truth({"who": np.arange(6)})
    scene = replace(draw_scene(Plan(clips=6)), truth=truth).with_vectors(
        draw_directions(np.random.default_rng(0), 6, 4)
    )
    study = make_study(scene, settings=LEAN)
    assert measure_shortfalls(study) == ()
    (finding,) = CEILING.find(study)
    assert (finding.outcome, finding.mode) == ("unknown", "video")
    assert finding.sentence.endswith("no video query has a relevant clip.")
