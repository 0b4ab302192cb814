"""Where one clip of each source is ranked: relevant, chance and what is searched anew go by
sources in every analysis, as m does."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

import numpy as np
import pytest

from engine.base.arrays import Bools, Floats, Ints, Vectors
from engine.base.ranking import NO_ITEM
from engine.dataset.query_files import TextQuery
from engine.triage.analyses.ceiling import measure_shortfalls
from engine.triage.mode_queries import ModeQueries
from engine.triage.registry import ANALYSES
from engine.triage.settings import TriageSettings
from engine.triage.study import QueryTexts, Study
from engine.triage.triage import triage
from engine.triage.workings.blame_shares import measure_blame
from engine.triage.workings.clip_kin import find_kin, has_relevant_left, number_own
from engine.triage.workings.corrected_labels import correct_labels
from engine.triage.workings.crowd_scores import CROWD_WEIGHTS, measure_hub_loss, rank_corrected
from engine.triage.workings.group_precision import measure_group_precision
from engine.triage.workings.label_doubts import LabelDoubts, measure_doubts
from engine.triage.workings.learned_halves import measure_halves
from engine.triage.workings.look_cost import _Comparer, measure_look_cost
from engine.triage.workings.paired_loss import measure_paired_loss
from engine.triage.workings.reliance import measure_reliance
from engine.triage.workings.source_blocks import SourceBlocks, find_fitting
from engine.triage.workings.text_readings import map_queries, measure_under
from tests.engine.triage.mappings import make_mapping
from tests.engine.triage.planted import (
    Plan,
    draw_scene,
    make_study,
    make_texts,
    make_unit,
    make_visual,
)

SETTINGS = TriageSettings(resamples=100, splits=2, least_support=10)
PLAN = Plan(clips=160, per_source=4, looks=0.5, noise=2.0)


@lru_cache
def make(seed: int = 0, way: int = 4) -> Study:
    """Clips and texts that ask; a second look that knows the keywords."""
    plan = replace(PLAN, seed=seed, groups={"who": 4, "way": way})
    scene = draw_scene(plan)
    visual, texts = make_visual(scene), make_texts(scene)
    read_as = {text: own for text, own, _ in texts} | {"who0 way0": ["who:who1", "way:way2"]}
    return make_study(
        scene,
        texts=texts,
        settings=SETTINGS,
        visual=visual,
        second=replace(visual, name="second", vectors=_see_keywords(plan)),
        read=QueryTexts(
            tuple(TextQuery(text, tuple(own)) for text, own, _ in texts),
            lambda some: tuple(
                make_mapping(one, [(name, 1.0) for name in read_as[one]]) for one in some
            ),
        ),
        one_per="source",
    )


@lru_cache
def make_rare() -> Study:
    """Of some queries the only relevant clips are of their own source, or several of one other."""
    study = make(way=24)
    asked = study.asked[1]
    clips = study.truth.relevant_counts(asked.queries.bits, asked.own_rows)
    assert ((clips > 0) & ~asked.counted).any()
    assert ((clips > asked.judged.relevant) & asked.counted).any()
    return study


def _see_keywords(plan: Plan) -> Vectors:
    scene = draw_scene(replace(plan, noise=0.8, looks=0.0))
    return make_unit(scene.vectors)


def list_fitting(study: Study, bits: Ints) -> Bools:
    """Clip by clip, whether it has all bits."""
    return np.array([bool((own & bits == bits).all()) for own in study.truth.bits])


def count_by_hand(study: Study, bits: Ints, own: int | None) -> tuple[int, float]:
    """Other sources with a fitting clip, and the mean share of the clips of each that fit."""
    fits = list_fitting(study, bits)
    sources = set(study.sources.tolist()) - (
        {int(study.sources[own])} if own is not None else set()
    )
    shares = [float(fits[study.sources == source].mean()) for source in sorted(sources)]
    return sum(share > 0 for share in shares), float(np.mean(shares))


def own_row(asked: ModeQueries, query: int) -> int | None:
    return None if asked.own_rows is None else int(asked.own_rows[query])


def test_every_analysis_measures_possible_numbers() -> None:
    found = triage(make(), ANALYSES)
    assert {one.analysis for one in found.findings} == {one.name for one in ANALYSES}
    for one in found.findings:
        numbers = [one.effect, *(value for _, value in one.numbers), one.interval.low]
        assert not np.isinf([*numbers, one.interval.high]).any(), one.claim
        if one.outcome in ("found", "undecided"):
            assert np.isfinite([one.effect, one.p]).all(), one.claim
        for text, value in one.numbers:
            if "chance" in text and "skew" not in text and "antihubs" not in text:
                assert 0 <= value <= 1, (text, value)
    for verdict in found.verdicts:
        assert -0.5 <= verdict.selectivity.value <= 0.5
        assert 0 < verdict.possible <= 1
        assert -0.2 < verdict.kept.value <= 1
        assert abs(verdict.reliance.value) <= 1


@pytest.mark.parametrize("mode", [0, 1])
def test_group_precision_is_that_of_a_loop_over_sources(mode: int) -> None:
    study = make_rare()
    asked, k = study.asked[mode], SETTINGS.k
    for group in study.groups:
        found = measure_group_precision(study, mode, group)
        mask = study.truth.words.mask(study.columns_of(group))
        values, chances, ceilings = [], [], []
        for query in range(len(asked)):
            bits = asked.queries.bits[query] & mask
            relevant, chance = count_by_hand(study, bits, own_row(asked, query))
            if not relevant:
                continue
            top = asked.judged.ranking.indices[query, :k]
            values.append(list_fitting(study, bits)[top[top != NO_ITEM]].sum() / k)
            chances.append(chance)
            ceilings.append(min(relevant, k) / k)
        mean, chance, ceiling = (float(np.mean(one)) for one in (values, chances, ceilings))
        assert (found.mean, found.chance) == pytest.approx((mean, chance))
        assert found.ceiling == pytest.approx(ceiling)
        assert found.kept.value == pytest.approx((mean - chance) / (ceiling - chance))


def test_chance_is_what_sources_in_any_order_have() -> None:
    study = make()
    asked, rng = study.asked[1], np.random.default_rng(0)
    query = 7
    own = own_row(asked, query)
    assert own is not None
    fits, hits = list_fitting(study, asked.queries.bits[query]), []
    others = np.setdiff1d(np.unique(study.sources), study.sources[own])
    for _ in range(4000):
        drawn = [rng.choice(np.flatnonzero(study.sources == one)) for one in rng.choice(others, 5)]
        hits.append(fits[drawn].mean())
    assert study.chance_of(asked)[query] == pytest.approx(np.mean(hits), abs=0.01)
    assert study.count_items(asked.own_rows) == len(others)
    assert study.weigh_relevant(asked.queries.bits, asked.own_rows)[0].tolist() == (
        study.count_relevant(asked.queries.bits, asked.own_rows).tolist()
    )


def test_blame_adds_up_to_all_that_is_lacking() -> None:
    study = make_rare()
    for mode, asked in enumerate(study.asked):
        shares = measure_blame(study, mode)
        for query in range(0, len(asked), 7):
            if not asked.counted[query]:
                continue
            relevant, chance = count_by_hand(
                study, asked.queries.bits[query], own_row(asked, query)
            )
            v = (asked.values[query] - chance) / (1 - chance)
            assert shares.blame[shares.query == query].sum() == pytest.approx(1 - v)
            best = min(relevant, SETTINGS.k) / SETTINGS.k
            reached = (asked.values[query] - chance) / (best - chance)
            assert shares.reached[shares.query == query].sum() == pytest.approx(1 - reached)


def test_the_shortfall_adds_up() -> None:
    study = make_rare()
    for one, asked in zip(measure_shortfalls(study), study.asked, strict=True):
        assert sum(part.value for _, part in one.parts) == pytest.approx(one.total)
        assert all(part.value >= 0 for _, part in one.parts)
        by_hand = [
            count_by_hand(study, asked.queries.bits[query], own_row(asked, query))[1]
            for query in np.flatnonzero(asked.counted).tolist()
        ]
        assert one.chance == pytest.approx(np.mean(by_hand))
        assert one.chance < one.ceiling <= 1


@pytest.mark.parametrize("own", [False, True])
def test_corrected_rankings_are_those_of_a_loop_over_sources(own: bool) -> None:
    study = make()
    asked, k = study.asked[1], 5
    rows = asked.own_rows if own else None
    first = np.random.default_rng(1).random(len(asked)) < 0.5
    found = rank_corrected(
        study, asked.vectors, study.vectors, first, k, bank_size=10, own_rows=rows
    )
    s = asked.vectors.astype(np.float64) @ study.vectors.T.astype(np.float64)
    if own:
        s[study.sources[asked.own_rows][:, None] == study.sources] = np.nan
    for name, weight in CROWD_WEIGHTS.items():
        for query in range(0, len(asked), 9):
            bank = s[first != first[query]]
            r = np.array([np.sort(x[np.isfinite(x)])[-10:].mean() for x in bank.T])
            taken: dict[int, int] = {}
            for clip in np.argsort(-(s[query] - weight * r), kind="stable").tolist():
                if not np.isnan(s[query, clip]):
                    taken.setdefault(int(study.sources[clip]), clip)
            assert found[name].indices[query].tolist() == list(taken.values())[:k]


def test_hubs_compare_the_same_task() -> None:
    for seed in range(3):
        study = make(seed)
        asked = study.asked[1]
        loss = measure_hub_loss(study, 1)
        assert loss is not None
        assert loss.now == pytest.approx(asked.values, nan_ok=True)
        lost = measure_paired_loss(study, asked, loss.now, loss.chosen, "hubs", 1)
        interval = lost.effect.interval
        assert interval.low <= 0 <= interval.high


def test_a_bank_of_one_source_leaves_the_order_as_it_is() -> None:
    """No query of another source says how crowded a clip is: nothing is taken from any."""
    scene = draw_scene(Plan(clips=40, per_source=20))
    study = make_study(scene, settings=SETTINGS, one_per="source")
    asked = study.asked[0]
    first = scene.sources == 0
    found = rank_corrected(
        study, asked.vectors, study.vectors, first, 5, bank_size=10, own_rows=asked.own_rows
    )
    for ranking in found.values():
        assert np.isfinite(ranking.scores[:, 0]).all()
        assert (ranking.indices[:, 0] != NO_ITEM).all() and (
            ranking.indices[:, 1:] == NO_ITEM
        ).all()


def test_labels_are_judged_again_by_sources() -> None:
    study = make_rare()
    none = np.empty(0, np.int64)
    nothing = LabelDoubts(none, none, np.empty(0), none > 0, none, none, none, 160)
    for asked in study.asked:
        same = correct_labels(study, asked, nothing)
        assert same.values == pytest.approx(asked.values, nan_ok=True)
        assert same.moved == 0
        assert same.now == pytest.approx(float(np.nanmean(asked.values)))
    assert len(measure_doubts(study).judged)


@pytest.mark.parametrize("copies", [1, 8, 20])
def test_a_query_counts_by_the_sources_that_are_left(copies: int) -> None:
    """Whole sources of near-copies of the query's own are taken off, however many clips fit."""
    study = make(way=8)
    asked = study.asked[1]
    kin = study.sources // copies  # so many sources are copies of each other
    rows = np.arange(len(asked))
    left = has_relevant_left(study, asked, rows, kin, number_own(asked, rows, kin))
    for query in range(len(asked)):
        own = own_row(asked, query)
        fits = list_fitting(study, asked.queries.bits[query])
        assert left[query] == bool(fits[kin != kin[own]].any())
    assert len(find_kin(study).numbers) == len(study.sources)


def test_reliance_leaves_sources_out() -> None:
    rng = np.random.default_rng(5)
    sources = rng.integers(0, 8, 40)
    scores = rng.normal(size=(40, 40)).astype(np.float32)
    labels = (rng.random((40, 3)) < 0.4).astype(np.float32)
    blocks, fits = SourceBlocks.of(sources), find_fitting(labels)
    top, counts, chance = blocks.find_nearest(scores, 3), blocks.count(fits), blocks.average(fits)
    for row in range(40):
        best: dict[int, int] = {}
        for clip in np.argsort(-scores[row]).tolist():
            if sources[clip] != sources[row]:
                best.setdefault(int(sources[clip]), clip)
        assert sorted(top[row].tolist()) == sorted(list(best.values())[:3])
        shares = [fits[row, sources == s].mean() for s in set(sources.tolist()) - {sources[row]}]
        assert counts[row] == np.count_nonzero(shares)
        assert chance[row] == pytest.approx(np.mean(shares))


def test_reliance_is_measured_on_sources() -> None:
    """Before anything is erased: each clip of a half finds others of it, one of each source."""
    study = make()
    found, learned = measure_reliance(study), measure_halves(study)
    assert ((found.chance > 0) & (found.chance < found.ceiling) & (found.ceiling <= 1)).all()
    assert (found.own > 0).all()
    every = np.full((len(learned.halves), len(study.groups)), np.nan)
    for place, half in enumerate(learned.halves):
        held = learned.clips[half.held]
        scores = study.vectors[held].astype(np.float64) @ study.vectors[held].T.astype(np.float64)
        for number, group in enumerate(study.groups):
            labels = study.unpack(study.columns_of(group), held)
            values = []
            for row in range(len(held)):
                nearest: dict[int, int] = {}
                for clip in np.argsort(-scores[row]).tolist():
                    if study.sources[held[clip]] != study.sources[held[row]]:
                        nearest.setdefault(int(study.sources[held[clip]]), clip)
                first = list(nearest.values())[: SETTINGS.k]
                values.append((labels[first] >= labels[row]).all(axis=1).mean())
            every[place, number] = np.mean(values)
    assert found.before == pytest.approx(every.mean(axis=0))


def test_without_keywords_in_the_vectors_nothing_is_kept_or_relied_on() -> None:
    scene = draw_scene(replace(PLAN, weights={"who": 0.0, "way": 0.0}, looks=0.0))
    study = make_study(scene, settings=SETTINGS, one_per="source")
    kept = [measure_group_precision(study, 0, group).kept for group in study.groups]
    assert all(one.interval.low <= 0 <= one.interval.high for one in kept)
    assert abs(measure_reliance(study).own).max() < 0.1


def test_missed_sources_are_one_clip_each() -> None:
    study = make_rare()
    cost = measure_look_cost(study)
    assert cost is not None
    known: Floats = cost.points[np.isfinite(cost.points)]
    assert len(known) and (abs(known) <= 1).all()
    asked, visual = study.asked[1], study.visual
    assert visual is not None
    compare = _Comparer(study, visual, asked)
    for query in range(0, len(asked), 5):
        top, hits = (part[query] for part in asked.top(SETTINGS.k))
        relevant = np.flatnonzero(list_fitting(study, asked.queries.bits[query]))
        rest = compare._find_missed(relevant, top, hits, query)
        sources = study.sources[rest].tolist()
        left = set(study.sources[relevant].tolist()) - set(study.sources[top[hits]].tolist())
        assert sorted(sources) == sorted(left - {int(study.sources[query])})
        assert len(sources) == asked.judged.relevant[query] - hits.sum()
        assert np.isin(rest, relevant).all()


def test_a_text_under_other_keywords_has_the_same_results() -> None:
    study = make_rare()
    readings = study.once(map_queries)
    assert readings is not None
    values = measure_under(readings, study, readings.rows, readings.read)
    top = readings.asked.judged.ranking.indices[:, : SETTINGS.k]
    for place, bits in enumerate(readings.read):
        fits = list_fitting(study, bits)
        assert values[place] == pytest.approx(
            fits[top[place]].mean() if fits.any() else np.nan, nan_ok=True
        )
