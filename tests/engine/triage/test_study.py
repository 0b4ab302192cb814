"""What the analyses share: computed once, sampled and split the same for every model."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.distance import cdist

from engine.base.errors import InputError
from engine.triage.clusters import cluster_queries
from engine.triage.mode_queries import compute_precision
from engine.triage.settings import TriageSettings
from engine.triage.study import Study
from tests.engine.triage.planted import QUICK, Plan, draw_scene, make_study, make_texts


def make(clips: int = 60, per_source: int = 1, model: int = 0, **settings: int) -> Study:
    scene = draw_scene(Plan(clips, 8, per_source=per_source, seed=model))
    return make_study(scene, texts=make_texts(scene), settings=replace(QUICK, **settings))


def test_what_is_wanted_twice_is_computed_once() -> None:
    calls: list[tuple[int, ...]] = []

    def count(study: Study, *numbers: int) -> int:
        calls.append(numbers)
        return sum(numbers)

    study = make()
    assert [study.once(count, 1), study.once(count, 1), study.once(count, 2)] == [1, 1, 2]
    assert calls == [(1,), (2,)]
    # Another function of the same arguments is another question.
    assert study.once(lambda _, number: -number, 1) == -1
    # Another study knows nothing of this one.
    assert make().once(count, 1) == 1
    assert calls == [(1,), (2,), (1,)]


def test_what_fails_is_not_kept() -> None:
    tries: list[int] = []

    def fail_first(study: Study) -> str:
        tries.append(1)
        if len(tries) == 1:
            raise KeyboardInterrupt
        return "done"

    study = make()
    with pytest.raises(KeyboardInterrupt):
        study.once(fail_first)
    assert study.once(fail_first) == "done"


def test_a_study_that_wants_more_keeps_what_is_known() -> None:
    def compute(study: Study) -> object:
        return object()

    study = make()
    known = study.once(compute)
    other = study.wanting(["a", "b"]).wanting(["c"])
    assert other.wanted == {"a", "b", "c"} and not study.wanted
    assert other.once(compute) is known
    assert study.beating(lambda: None).once(compute) is known
    # With another beat it is the same study: what either computes, both have.
    beating = study.beating(lambda: None)
    assert beating.once(sum_clips) is study.once(sum_clips)


def sum_clips(study: Study) -> np.ndarray:
    return study.vectors.sum(axis=0)


def test_draws_under_a_name_are_the_seeds_and_the_names_alone() -> None:
    first = make().make_rng("a").random(4)
    assert first.tolist() == make(model=5).make_rng("a").random(4).tolist()
    assert first.tolist() != make().make_rng("b").random(4).tolist()
    assert first.tolist() != make(seed=1).make_rng("a").random(4).tolist()


@given(
    clips=st.integers(2, 80),
    per_source=st.integers(1, 20),
    splits=st.integers(2, 5),
    part=st.integers(0, 3),
)
def test_each_source_is_in_one_half_and_halves_are_about_equal(
    clips: int, per_source: int, splits: int, part: int
) -> None:
    study = make(clips, per_source, splits=splits)
    rows = np.arange(clips)[part % clips :]
    sizes = np.bincount(study.sources[rows])
    halves = list(study.split_clips(rows))
    assert len(halves) == splits
    for one, other in halves:
        assert sorted([*one.tolist(), *other.tolist()]) == list(range(len(rows)))
        assert not set(study.sources[rows[one]]) & set(study.sources[rows[other]])
        # Sources are taken whole: the halves differ by no more than one of them.
        assert abs(len(one) - len(other)) <= sizes.max()


def test_splits_differ_and_are_the_same_for_every_model() -> None:
    clips = np.arange(60)
    ours, theirs = (list(make(model=model, per_source=3).split_clips(clips)) for model in (0, 9))
    for (one, other), (same, rest) in zip(ours, theirs, strict=True):
        assert one.tolist() == same.tolist() and other.tolist() == rest.tolist()
    assert len({tuple(one.tolist()) for one, _ in ours}) == QUICK.splits
    # Where clips are added, the sources before them stay in their order of drawing.
    again = list(make(per_source=3).split_clips(clips))
    assert all(a[0].tolist() == b[0].tolist() for a, b in zip(ours, again, strict=True))


def test_one_large_source_leaves_the_rest_to_the_other_half() -> None:
    study = replace(make(50), sources=np.where(np.arange(50) < 40, 0, np.arange(50)))
    for one, other in study.split_clips(np.arange(50)):
        large = one if 0 in study.sources[one] else other
        assert set(range(40)) <= set(large.tolist())
        assert min(len(one), len(other)) <= 10


def test_samples_are_seeded_sorted_and_no_larger_than_allowed() -> None:
    study = make(60, most_queries=20, most_clips=25)
    texts, videos = study.asked
    assert study.sample_queries(texts).tolist() == list(range(16))
    rows, clips = study.sample_queries(videos), study.sample_clips()
    for some, most in ((rows, 20), (clips, 25), (study.sample_clips(7), 7)):
        assert len(some) == most
        assert some.tolist() == sorted(set(some.tolist()))
    other = make(60, model=3, most_queries=20, most_clips=25)
    assert rows.tolist() == other.sample_queries(other.asked[1]).tolist()
    assert clips.tolist() == other.sample_clips().tolist()
    assert clips.tolist() != make(60, most_clips=25, seed=1).sample_clips().tolist()
    assert study.sample_clips(100).tolist() == list(range(60))


def test_every_clip_is_as_likely_to_be_sampled() -> None:
    study, counts = make(60), np.zeros(60)
    for seed in range(300):
        drawn = replace(study, settings=replace(QUICK, seed=seed, most_clips=20))
        counts[drawn.sample_clips()] += 1
    assert counts.sum() == 300 * 20
    assert counts.min() > 60 and counts.max() < 140  # 100 each, by chance 8 more or less


@pytest.mark.parametrize("metric", ["cosine", "ip", "l2"])
def test_scores_are_those_of_the_metric(metric: str) -> None:
    study = make()
    model = replace(study.collection.model, metric=metric)
    study = replace(study, collection=replace(study.collection, model=model))
    rng = np.random.default_rng(0)
    one, other = (rng.normal(size=(n, 5)).astype(np.float32) for n in (4, 7))
    found = study.score(one, other)
    expected = -cdist(one, other) if metric == "l2" else one.astype(float) @ other.T.astype(float)
    assert found == pytest.approx(expected, abs=1e-5)


def test_keywords_are_unpacked_by_group() -> None:
    study = make()
    assert study.groups == ("who", "way")
    for group in study.groups:
        columns = study.columns_of(group)
        names = [str(study.truth.words.keywords[column]) for column in columns.tolist()]
        assert names == [f"{group}:{group}{number}" for number in range(4)]
        expected = [
            [name in map(str, study.truth.keywords_of(row)) for name in names] for row in range(60)
        ]
        assert study.unpack(columns).tolist() == expected
        assert study.unpack(columns, np.array([7, 3])).tolist() == [expected[7], expected[3]]


def test_resamples_are_shared_by_models_and_draw_clusters_whole() -> None:
    one, other = make(), make(model=4)
    for mode in (0, 1):
        ours = one.resamples(one.asked[mode])
        assert ours is one.resamples(one.asked[mode])
        if mode == 0:  # the same texts in both
            theirs = other.resamples(other.asked[mode])
            assert np.array_equal(ours.counts, theirs.counts)
        assert (ours.counts.sum(axis=1) == len(np.unique(one.asked[mode].clusters))).all()


def test_p_at_k_is_that_of_a_loop() -> None:
    study = make()
    for asked in study.asked:
        rows, hits = asked.top(5)
        expected = [
            np.mean([is_relevant(study, asked.queries.bits[q], row) for row in rows[q]])
            if asked.judged.relevant[q]
            else np.nan
            for q in range(len(asked))
        ]
        assert asked.values == pytest.approx(expected, nan_ok=True)
        assert compute_precision(asked.judged, 5) == pytest.approx(expected, nan_ok=True)
        assert hits.shape == rows.shape == (len(asked), 5)


def is_relevant(study: Study, wanted: np.ndarray, row: int) -> bool:
    return bool((study.truth.bits[row] & wanted == wanted).all())


def test_the_worst_queries_come_first() -> None:
    (_, asked) = make(model=2).asked
    names = asked.worst(np.ones(len(asked), np.bool_), 20)
    rows = [asked.queries.names.index(name) for name in names]
    keys = [(asked.values[row], -asked.judged.relevant[row], row) for row in rows]
    assert keys == sorted(keys) and len(names) == 20
    assert asked.worst(np.zeros(len(asked), np.bool_), 5) == ()


def test_queries_of_one_source_or_keyword_set_are_one_cluster() -> None:
    scene = draw_scene(Plan(120, 8, {"who": 30, "way": 30}, per_source=2))
    (asked,) = make_study(scene).asked
    found = cluster_queries(asked.queries, scene.sources)
    assert found.note is None and found.labels.tolist() == asked.clusters.tolist()
    graph = find_components(
        [
            (one, other)
            for one, other in combinations(range(120), 2)
            if scene.sources[one] == scene.sources[other]
            or (asked.queries.bits[one] == asked.queries.bits[other]).all()
        ],
        120,
    )
    assert (graph[:, None] == graph).tolist() == (found.labels[:, None] == found.labels).tolist()


def find_components(edges: list[tuple[int, int]], nodes: int) -> np.ndarray:
    """The component of each node, by passing on the smaller number until nothing changes."""
    label = np.arange(nodes)
    while True:
        before = label.copy()
        for one, other in edges:
            label[one] = label[other] = min(label[one], label[other])
        if (label == before).all():
            return label


def test_chains_that_join_everything_are_said() -> None:
    study = make(24, per_source=3, model=1)
    _, videos = study.asked
    found = cluster_queries(videos.queries, study.sources)
    assert found.note is not None and "only queries with the same keywords" in found.note
    same = (videos.queries.bits[:, None] == videos.queries.bits).all(axis=2)
    assert (found.labels[:, None] == found.labels).tolist() == same.tolist()


@pytest.mark.parametrize(
    ("name", "value"),
    [("k", 0), ("resamples", 99), ("splits", 1), ("seed", -1), ("alpha", 0.0), ("alpha", 1.0)],
)
def test_settings_that_mean_nothing_are_refused(name: str, value: float) -> None:
    with pytest.raises(InputError, match=name):
        TriageSettings(**{name: value})  # type: ignore[arg-type]
