"""The mapper: what reading the keywords costs, and which texts it trips over."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose

from engine.base.keyword import Keyword
from engine.dataset.query_files import TextQuery
from engine.text.mapping.mapper import KeywordMapping, Mapper
from engine.triage.analyses.mapper import MAPPER_COST
from engine.triage.correction import correct
from engine.triage.finding import Finding
from engine.triage.settings import TriageSettings
from engine.triage.study import QueryTexts, Study
from engine.triage.workings.mapper_thresholds import (
    certify_threshold,
    count_needed_labels,
    measure_thresholds,
)
from engine.triage.workings.text_readings import MOST_TEXTS
from tests.engine.triage.alarms import count_alarms, count_allowed
from tests.engine.triage.mappings import Reading, make_mapping
from tests.engine.triage.planted import (
    QUICK,
    Plan,
    draw_scene,
    make_study,
    make_texts,
    make_truth,
)


def make_read_study(
    readings: Mapping[str, Reading],
    *,
    labelled: bool = True,
    seed: int = 0,
    settings: TriageSettings = QUICK,
    unexplained: Mapping[str, Sequence[str]] | None = None,
    plan: Plan | None = None,
) -> Study:
    """Texts "who0 way0" … of given keywords, which are read as given unless `readings` says
    otherwise."""
    scene = draw_scene(plan or Plan(clips=160, seed=seed))
    texts = make_texts(scene)
    given = tuple(TextQuery(text, tuple(own) if labelled else None) for text, own, _ in texts)
    usual = {text: [(name, 1.0) for name in own] for text, own, _ in texts}

    def map_texts(some: tuple[str, ...]) -> tuple[KeywordMapping, ...]:
        return tuple(
            make_mapping(text, readings.get(text, usual[text]), (unexplained or {}).get(text, ()))
            for text in some
        )

    read = QueryTexts(given, map_texts)
    return make_study(scene, texts=texts, videos=False, read=read, settings=settings)


def find(study: Study) -> dict[str, Finding]:
    return {one.id: one for one in correct(list(MAPPER_COST.find(study)), study.settings)}


def swap(count: int) -> dict[str, Reading]:
    """Of `count` texts the way is read wrongly."""
    return {
        f"who{n // 4} way{n % 4}": [(f"who:who{n // 4}", 1.0), (f"way:way{(n + 1) % 4}", 0.9)]
        for n in range(count)
    }


def test_what_reading_costs_is_m_as_given_less_m_as_read() -> None:
    study = make_read_study(swap(1))
    (asked,) = study.asked
    top = asked.judged.ranking.indices[0, :5]
    has = study.unpack(study.selection.columns)
    names = [str(word) for word in study.selection.keywords]
    who, way, other = (names.index(name) for name in ("who:who0", "way:way0", "way:way1"))
    given = (has[top, who] & has[top, way]).mean()
    read = (has[top, who] & has[top, other]).mean()

    found = find(study)

    assert given > read
    assert_allclose(found["mapper/text"].effect, (given - read) / 16)
    assert found["mapper/text"].evidence.queries == ("who0 way0",)
    one = found["mapper/text/who0-way0"]
    assert_allclose(one.effect, given - read)
    assert one.sentence == (
        f"“who0 way0” is read as who0 + way1, not as who0 + way0: P@5 {read:.3f} instead of "
        f"{given:.3f}."
    )


def test_a_mapper_that_misreads_is_found_and_the_more_the_worse() -> None:
    found = [find(make_read_study(swap(count)))["mapper/text"] for count in (0, 6, 12)]

    assert [one.outcome for one in found] == ["nothing", "found", "found"]
    assert found[0].effect == 0 < found[1].effect < found[2].effect
    assert found[1].p < 0.05
    assert found[2].claim.startswith("Reading the keywords from the texts costs 0.")
    assert "25 % exactly" in found[2].claim


def test_reading_what_is_meant_costs_nothing() -> None:
    found = find(make_read_study({}))["mapper/text"]

    assert found.p == 1
    assert found.sentence == (
        "Reading the keywords from the texts costs nothing: 0.000 of P@5 (95 % CI 0.000 to 0.000) "
        "on 16 queries with given keywords, of which the mapper reads 100 % exactly."
    )


@pytest.mark.parametrize("labelled", [True, False])
def test_a_text_whose_keywords_no_clip_has_is_named_with_the_keyword_to_drop(
    labelled: bool,
) -> None:
    """No clip is who0 and way0, 20 are who0 and 30 way0."""
    plan = Plan(clips=160)
    scene = draw_scene(plan)
    who, way = np.full(160, 1), np.full(160, 1)
    who[:20], way[20:50] = 0, 0
    scene = replace(scene, truth=make_truth({"who": who, "way": way}), sources=np.arange(160))
    text, keywords, vector = make_texts(scene)[0]
    read = QueryTexts(
        (TextQuery(text, tuple(keywords) if labelled else None),),
        lambda some: tuple(make_mapping(one, [(name, 1.0) for name in keywords]) for one in some),
    )
    study = make_study(scene, texts=[(text, keywords, vector)], videos=False, read=read)

    found = find(study)["mapper/text/who0-way0"]

    assert found.outcome == "fact"
    assert found.sentence == (
        "No clip has all keywords of “who0 way0” (who0 + way0): without “who0” 30 clips would be "
        "relevant."
    )
    assert found.effect == 30


def test_a_keyword_just_below_the_threshold_that_would_change_m_is_named() -> None:
    text = "who0 way0"
    study = make_read_study({text: [("who:who0", 1.0), ("way:way1", 0.41)]}, labelled=False)
    found = find(study)[f"mapper/text/{text.replace(' ', '-')}"]

    assert found.effect < 0
    assert found.claim.startswith(
        "“way1” (0.41) is just below the threshold of 0.50 in “who0 way0”: with it P@5 would be"
    )


def test_words_that_no_keyword_explains_are_counted() -> None:
    words = {"who0 way0": ["red", "roof"], "who1 way1": ["red"]}
    found = find(make_read_study({}, unexplained=words))["mapper/text/unexplained-words"]

    assert found.sentence == (
        "No keyword explains some words of 2 of 16 text queries: red (2), roof (1)."
    )
    assert found.evidence.queries == ("who0 way0", "who1 way1")
    none = find(make_read_study({}))["mapper/text/unexplained-words"]
    assert none.sentence == "Every word of content in 16 text queries is explained by a keyword."


def test_thresholds_are_counted_by_hand() -> None:
    """One of two keywords of four texts has 0.35, and one wrong keyword of two others 0.45."""
    low = {f"who0 way{n}": [("who:who0", 1.0), (f"way:way{n}", 0.35)] for n in range(4)}
    wrong = {
        f"who1 way{n}": [("who:who1", 1.0), (f"way:way{n}", 1.0), ("who:who2", 0.45)]
        for n in range(2)
    }
    curve = measure_thresholds(make_read_study(low | wrong))
    assert curve is not None

    def at(threshold: float) -> tuple[float, float]:
        place = int(np.argmin(np.abs(curve.thresholds - threshold)))
        return float(curve.missed[place]), float(curve.exact[place])

    assert curve.queries == 16
    assert_allclose(at(0.30), (0, 14 / 16))
    assert_allclose(at(0.40), (4 * 0.5 / 16, 10 / 16))
    assert_allclose(at(0.50), (4 * 0.5 / 16, 12 / 16))
    assert_allclose((curve.own_missed, curve.own_exact), at(0.50))


def test_thresholds_are_certified_as_by_an_independent_library() -> None:
    """mapie wants the bound below α, and a score above the threshold: on these data the same."""
    from mapie.risk_control import MultiLabelClassificationController

    rng = np.random.default_rng(4)
    queries, keywords = 60, 12
    wanted = rng.random((queries, keywords)) < 0.25
    wanted[np.arange(queries), rng.integers(keywords, size=queries)] = True
    scores = 0.25 + 0.45 * wanted + 0.18 * rng.normal(size=(queries, keywords))
    scores = np.clip(scores, 0, 1)
    grid = np.arange(0, 1, 0.01)
    missed = np.array([(((scores < t) & wanted).sum(1) / wanted.sum(1)).mean() for t in grid])

    for most in (0.05, 0.1, 0.2):
        told = MultiLabelClassificationController(
            predict_function=lambda given: given,
            risk="recall",
            method="crc",
            target_level=1 - most,
            predict_params=grid,
        ).calibrate(scores, wanted.astype(int))
        assert_allclose(told.r_hat, missed)
        assert certify_threshold(grid, missed, queries, most) == told.best_predict_param[0]


def test_too_few_labelled_queries_certify_nothing_and_say_how_many_would() -> None:
    """Without a miss the bound is 1 / (n + 1): 9 queries are needed for a tenth, and they do."""
    missed = np.zeros(3)
    grid = np.array([0.1, 0.5, 0.9])

    assert certify_threshold(grid, missed, 8, 0.1) is None
    assert certify_threshold(grid, missed, 9, 0.1) == 0.9
    assert count_needed_labels(0.0, 0.1) == 9
    for least in (0.0, 0.03, 0.08):
        needed = count_needed_labels(least, 0.1)
        bound = [(n * least + 1) / (n + 1) for n in (needed - 1, needed)]
        assert bound[1] <= 0.1 + 1e-12 < bound[0] + 1e-9
    few = Plan(clips=80, groups={"who": 2, "way": 2})
    found = find(make_read_study({}, plan=few))["mapper/text/certified-threshold"]
    assert found.needed == 9
    assert found.sentence.startswith(
        "No threshold is sure to miss at most 10 % of the keywords that are meant: 4 queries with "
        "given keywords are too few to vouch for one, 9 would do;"
    )


def test_what_cannot_be_known_is_said() -> None:
    videos = make_study(draw_scene(Plan(clips=40)))
    (silent,) = MAPPER_COST.find(videos)
    assert silent.outcome == "unknown"
    unlabelled = find(make_read_study({}, labelled=False))
    assert unlabelled["mapper/text"].outcome == "unknown"
    assert unlabelled["mapper/text"].sentence.startswith("No text query has keywords that a person")
    assert "mapper/text/threshold" not in unlabelled


def test_a_keyword_outside_the_groups_of_a_query_is_not_read() -> None:
    study = make_read_study({})
    assert study.texts is not None
    given = tuple(replace(one, groups=("who",)) for one in study.texts.given)
    narrow = replace(study, texts=replace(study.texts, given=given))

    curve = measure_thresholds(narrow)

    assert curve is not None and curve.own_exact == 0
    assert curve.own_missed == pytest.approx(0.5)


def test_of_many_texts_a_sample_is_mapped() -> None:
    plan = Plan(clips=900, groups={"who": 22, "way": 22}, dimension=64)
    study = make_read_study({}, plan=plan)

    found = find(study)["mapper/text"]

    assert len(study.asked[0]) > MOST_TEXTS
    assert found.support <= MOST_TEXTS
    assert found.notes[0].startswith("A sample of 400 of 484 texts")


def test_the_same_seed_finds_the_same() -> None:
    one, other = (list(MAPPER_COST.find(make_read_study(swap(5)))) for _ in range(2))

    assert [(a.id, a.claim, a.p if not math.isnan(a.p) else None) for a in one] == [
        (b.id, b.claim, b.p if not math.isnan(b.p) else None) for b in other
    ]


@pytest.mark.slow
def test_misreading_that_costs_nothing_is_rarely_found() -> None:
    """Vectors of noise: any other keywords are as good as those that were given."""
    settings = TriageSettings(resamples=100, depth=5)

    def make(seed: int) -> Study:
        rng = np.random.default_rng([seed, 9])
        wrong = {
            f"who{n // 4} way{n % 4}": [
                (f"who:who{rng.integers(4)}", 1.0),
                (f"way:way{rng.integers(4)}", 1.0),
            ]
            for n in range(16)
        }
        plan = Plan(clips=100, dimension=8, weights={"who": 0.0, "way": 0.0}, seed=seed)
        return make_read_study(wrong, settings=settings, plan=plan)

    assert count_alarms(MAPPER_COST, make) <= count_allowed()


@pytest.mark.slow
def test_the_mapper_of_the_sample_tells_how_likely_rejected_keywords_are() -> None:
    from engine.text.embedded.encoder import EmbeddedEncoder

    vocabulary = [Keyword("animal", name) for name in ("stag", "grizzly", "otter")]
    mapping = Mapper(vocabulary, EmbeddedEncoder()).map("an antlered one by the river")

    scores = [score for _, score in mapping.rejected]
    assert scores == sorted(scores, reverse=True) and scores
    near = [(item.keyword, item.score) for item in mapping.near]
    assert near == list(mapping.rejected[: len(near)])
    assert {keyword for keyword, _ in mapping.rejected}.isdisjoint(
        item.keyword for item in mapping.keywords
    )
