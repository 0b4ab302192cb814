"""What stands in for a keyword that results lack: by hand, against pandas, and on planted data."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest

from engine.base.ranking import NO_ITEM, Ranking
from engine.dataset.ground_truth import GroundTruth
from engine.keywords.evaluated_run import EvaluatedRun
from engine.keywords.instead import Absence, StandIn, find_absences
from engine.keywords.judge import JudgedRanking, judge
from engine.keywords.run import RunRequest, run_request
from engine.metrics.profiles import PROFILES
from engine.report.run.document import build_run_document
from engine.text.encoder import SentenceEncoder
from tests.engine.keywords.sample_workbench import workbench


def judged(
    truth: GroundTruth, asked: list[list[str]], found: list[list[int]], least: float | None = None
) -> JudgedRanking:
    rows = np.array(found, np.int64)
    scores = np.linspace(1, 0, rows.shape[1], dtype=np.float32) * np.ones_like(rows, np.float32)
    ranking = Ranking(rows, scores)
    return judge(ranking, truth, truth.query_bits(asked), min_similarity=least)


def of(absences: tuple[Absence, ...], name: str) -> Absence:
    return next(absence for absence in absences if absence.keyword.name == name)


def shares(absence: Absence) -> dict[str, tuple[int, int]]:
    return {one.keyword.name: (one.results, one.of) for one in absence.stand_ins}


MOVES = GroundTruth.from_columns(
    list("abcdefgh"),
    {
        "move": [
            ["go"],
            ["go"],
            ["stop"],
            ["stop"],
            ["turn"],
            ["turn", "stop"],
            [],
            ["go", "turn"],
        ],
        "who": [["car"], ["bus"], ["car"], ["bus"], ["car"], ["bus"], ["car"], ["bus"]],
    },
)


def test_share_base_and_lift_by_hand() -> None:
    found = find_absences(MOVES, judged(MOVES, [["go"], ["go"]], [[0, 2, 3], [2, 4, 6]]))

    (go,) = found
    assert (go.queries, go.retrieved, go.results, go.clips, go.bare) == (2, 6, 5, 4, 1)
    # Without go are c, d, e, f, g: three of the five stop, two turn.
    assert shares(go) == {"stop": (3, 5), "turn": (1, 5)}
    stop = go.stand_ins[0]
    assert stop.keyword.name == "stop" and stop.queries == 2
    assert stop.base == 3 / 5 and stop.lift == pytest.approx((3 / 5) / (3 / 5))
    assert go.stand_ins[1].base == 2 / 5 and go.stand_ins[1].lift == pytest.approx(0.5)


def test_keywords_of_other_groups_never_stand_in() -> None:
    (go,) = find_absences(MOVES, judged(MOVES, [["go"]], [[2, 3, 4]]))

    assert {one.keyword.group for one in go.stand_ins} == {"move"}


def test_a_clip_with_several_keywords_of_the_group_counts_for_each() -> None:
    (go,) = find_absences(MOVES, judged(MOVES, [["go"]], [[5, 4, 0]]))

    assert shares(go) == {"turn": (2, 2), "stop": (1, 2)}


def test_what_the_query_asks_for_as_well_is_not_there_instead() -> None:
    found = find_absences(MOVES, judged(MOVES, [["go", "turn"], ["go"]], [[4, 2, 5], [4, 2, 0]]))

    # The first query asks for turn too: only the second says how often turn is there for go.
    assert shares(of(found, "go")) == {"stop": (3, 5), "turn": (1, 2)}
    assert shares(of(found, "turn")) == {"stop": (1, 1)}


def test_results_below_the_least_similarity_or_missing_count_nowhere() -> None:
    (go,) = find_absences(MOVES, judged(MOVES, [["go"]], [[2, 3, 4, 5]], least=0.5))
    (short,) = find_absences(MOVES, judged(MOVES, [["go"]], [[2, NO_ITEM, NO_ITEM]]))

    assert (go.retrieved, shares(go)) == (2, {"stop": (2, 2)})
    assert (short.retrieved, shares(short)) == (1, {"stop": (1, 1)})


def test_only_the_first_k_and_the_chosen_queries_are_looked_at() -> None:
    every = judged(MOVES, [["go"], ["stop"], ["go"]], [[2, 4, 6], [0, 1, 4], [3, 5, 7]])
    found = find_absences(MOVES, every, k=1, rows=np.array([0, 2]))

    (go,) = found
    assert (go.retrieved, shares(go)) == (2, {"stop": (2, 2)})


def test_a_query_clip_that_lacks_its_keyword_cannot_be_found() -> None:
    asked = judged(MOVES, [["go"]], [[3, 4]])  # clip c, with the keyword set by hand

    (go,) = find_absences(MOVES, asked, own_rows=np.array([2]))

    # Without go are d, e, f, g: c is the query.
    assert {one.keyword.name: one.base for one in go.stand_ins} == {"stop": 2 / 4, "turn": 2 / 4}


def test_nothing_asked_nothing_lacking_and_an_empty_group() -> None:
    assert find_absences(MOVES, judged(MOVES, [[]], [[0, 1]])) == ()
    (go,) = find_absences(MOVES, judged(MOVES, [["go"]], [[0, 1]]))
    assert (go.results, go.stand_ins, go.proven) == (0, (), ())
    bare = GroundTruth.from_columns(list("abc"), {"g": [["x"], [], []]})
    (x,) = find_absences(bare, judged(bare, [["x"]], [[1, 2]]))
    assert (x.results, x.bare, x.stand_ins) == (2, 2, ())


def test_one_clip_however_often_it_is_found_proves_nothing() -> None:
    rare = GroundTruth.from_columns(
        [f"c{n}" for n in range(200)],
        {"g": [["rare"], *([["asked"]] * 50), *([["usual"]] * 149)]},
    )
    (asked,) = find_absences(rare, judged(rare, [["asked"]] * 100, [[0]] * 100))

    (only,) = asked.stand_ins
    assert only.share == 1 and only.lift == 150
    # A hundred times the same clip is worth one draw: its chance was 1 in 150, for two others.
    assert only.p == pytest.approx(2 * 2 / 150)
    assert asked.is_few and asked.proven == ()


def test_the_best_proven_comes_first_not_the_largest_lift() -> None:
    corpus = [["asked"]] * 20 + [["rare"]] * 2 + [["usual"]] * 40 + [["other"]] * 138
    clips = [f"c{n}" for n in range(200)]
    truth = GroundTruth.from_columns(clips, {"g": corpus}, sources=clips)
    found = [[20 + 2 + n, 20 + 2 + 20 + n] for n in range(18)] + [[20, 100], [120, 130]]

    (asked,) = find_absences(truth, judged(truth, [["asked"]] * 20, found))

    usual, rare = asked.stand_ins[0], of_name(asked, "rare")
    assert usual.keyword.name == "usual" and asked.proven == (usual,)
    assert rare.lift > 2 and rare.low < 1


def of_name(absence: Absence, name: str) -> StandIn:
    return next(one for one in absence.stand_ins if one.keyword.name == name)


def test_the_interval_of_independent_results_is_that_of_clopper_and_pearson() -> None:
    own, clips = [["q"]] * 20 + [["w"]] * 30 + [["v"]] * 50, [f"c{n}" for n in range(100)]
    truth = GroundTruth.from_columns(clips, {"g": own}, sources=clips)
    rows = [*range(20, 32), *range(60, 68)]  # 12 of 20 have w

    # Twenty queries with a result each: none of them is like another of its query.
    (asked,) = find_absences(truth, judged(truth, [["q"]] * 20, [[row] for row in rows]))

    w = of_name(asked, "w")
    oracle = binomtest(12, 20).proportion_ci(1 - 0.05 / 2, "exact")  # two others: Bonferroni
    assert (w.low * w.base, w.high * w.base) == pytest.approx((oracle.low, oracle.high))
    one_sided = binomtest(12, 20, 30 / 80, alternative="greater").pvalue
    assert w.p == pytest.approx(min(1, 2 * 2 * one_sided))


@st.composite
def worlds(draw: st.DrawFn) -> tuple[GroundTruth, list[list[str]], list[list[int]]]:
    names = ["a", "b", "c", "d"]
    some = st.lists(st.sampled_from(names), unique=True, max_size=3)
    clips = draw(st.lists(some, min_size=3, max_size=12))
    truth = GroundTruth.from_columns([f"c{n}" for n in range(len(clips))], {"g": clips})
    known = sorted({name for clip in clips for name in clip})
    if not known:
        return truth, [[]], [[0]]
    asked = draw(
        st.lists(st.lists(st.sampled_from(known), unique=True, max_size=3), min_size=1, max_size=6)
    )
    depth = draw(st.integers(1, len(clips)))
    found = [draw(st.permutations(range(len(clips))))[:depth] for _ in asked]
    return truth, asked, found


@settings(max_examples=150, deadline=None)
@given(worlds())
def test_counts_and_bases_are_those_of_a_pandas_crosstab(
    world: tuple[GroundTruth, list[list[str]], list[list[int]]],
) -> None:
    truth, asked, found = world
    has = [{word.name for word in truth.keywords_of(row)} for row in range(len(truth))]
    lines = [
        {"q": q, "w": w, "lacks": q not in has[row], "has": w in has[row], "query": number}
        for number, (words, rows) in enumerate(zip(asked, found, strict=True))
        for q in words
        for row in rows
        for w in {word.name for word in truth.words.keywords} - set(words)
    ]

    absences = find_absences(truth, judged(truth, asked, found))

    frame = pd.DataFrame(lines, columns=["q", "w", "lacks", "has", "query"])
    lacking = frame[frame.lacks.astype(bool)]
    table = pd.crosstab([lacking.q, lacking.w], lacking.has)
    wanted = {
        pair: (int(row.get(True, 0)), int(row.sum()))
        for pair, row in table.iterrows()
        if row.get(True, 0)
    }
    got = {
        (absence.keyword.name, one.keyword.name): (one.results, one.of)
        for absence in absences
        for one in absence.stand_ins
    }
    assert got == wanted
    for absence in absences:
        lows = [low_if_independent(one, without_group(truth, absence)) for one in absence.stand_ins]
        unproven = [one.low <= 1 for one in absence.stand_ins]
        order = [(later, -round(low, 9)) for later, low in zip(unproven, lows, strict=True)]
        assert order == sorted(order)
        without = [words for words in has if absence.keyword.name not in words]
        for one in absence.stand_ins:
            base = np.mean([one.keyword.name in words for words in without])
            assert one.base == pytest.approx(base)
            assert 0 <= one.low <= one.lift * (1 + 1e-9) and one.lift <= one.high * (1 + 1e-9)
            assert (one.p < 0.05) == (one.low > 1)


def without_group(truth: GroundTruth, absence: Absence) -> int:
    """How many other keywords the clips have that lack the asked one."""
    asked = absence.keyword
    has = [set(truth.keywords_of(row)) for row in range(len(truth))]
    return len(set().union(*(words for words in has if asked not in words)) - {asked})


def low_if_independent(one: StandIn, others: int) -> float:
    interval = binomtest(one.results, one.of).proportion_ci(1 - 0.05 / others, "exact")
    return float(interval.low / one.base)


def simulate(
    rng: np.random.Generator,
    *,
    videos: int,
    words: int,
    queries: int,
    k: int,
    slices: int = 1,
    named: bool = True,
    pull: float = 0.0,
) -> tuple[GroundTruth, JudgedRanking]:
    """Keywords that have nothing to do with the vectors. The slices of a video lie together and
    have its keyword; queries of one keyword lie together, so they share results. `pull` moves clips
    with k1 towards the queries for k0."""
    names, clips = [f"k{n}" for n in range(words)], videos * slices
    own = rng.choice(words, videos, p=rng.dirichlet(np.full(words, 3.0)))
    own[:words] = range(words)
    own = np.repeat(own, slices)
    truth = GroundTruth.from_columns(
        [f"c{n}" for n in range(clips)],
        {"g": [[names[word]] for word in own]},
        sources=[f"{n // slices}.mp4" for n in range(clips)] if named else None,
    )
    vectors = np.repeat(rng.normal(size=(videos, 6)), slices, axis=0)
    vectors += 0.3 * (slices > 1) * rng.normal(size=(clips, 6))
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    asked = rng.integers(words, size=queries) if queries >= words else np.zeros(queries, np.int64)
    towards = rng.normal(size=(words, 6))[asked] + 0.7 * rng.normal(size=(queries, 6))
    scores = towards @ vectors.T
    scores[np.ix_(asked == 0, own == 1)] += pull
    found = np.argsort(-scores, axis=1)[:, :k].tolist()
    return truth, judged(truth, [[names[word]] for word in asked], found)


def share_of_false(**world: Any) -> float:
    """In how many of the asked keywords something is said to stand in."""
    rng = np.random.default_rng(11)
    worlds = [find_absences(*simulate(rng, **world)) for _ in range(120)]
    looked = [absence for world in worlds for absence in world if absence.results]
    assert len(looked) >= 110
    return sum(bool(absence.proven) for absence in looked) / len(looked)


def share_of_found(**world: Any) -> float:
    """How often a planted stand-in of k0 is the first that is proven."""
    rng = np.random.default_rng(5)
    found = [of(find_absences(*simulate(rng, pull=1.5, **world)), "k0") for _ in range(60)]
    named = [absence.proven[0].keyword.name if absence.proven else "" for absence in found]
    return named.count("k1") / len(found)


@pytest.mark.parametrize(("words", "queries", "k"), [(8, 60, 5), (6, 200, 10)])
def test_where_nothing_stands_in_hardly_anything_is_said_to(
    words: int, queries: int, k: int
) -> None:
    assert share_of_false(videos=300, words=words, queries=queries, k=k) <= 0.05


@pytest.mark.parametrize(("queries", "k"), [(1, 20), (2, 20), (5, 20), (7, 5), (400, 5)])
def test_slices_of_one_video_prove_no_more_than_one(queries: int, k: int) -> None:
    """Counted as different clips, they had 18 to 34 % of the keywords get a false stand-in."""
    cut = {"videos": 80, "slices": 5, "words": 8, "queries": queries, "k": k}

    assert share_of_false(**cut) <= 0.05


@pytest.mark.parametrize(("queries", "k"), [(1, 20), (2, 20), (5, 20), (7, 5)])
def test_where_the_videos_are_not_known_few_queries_prove_nothing(queries: int, k: int) -> None:
    cut = {"videos": 80, "slices": 5, "words": 8, "queries": queries, "k": k, "named": False}

    assert share_of_false(**cut) <= 0.05


def test_a_planted_stand_in_is_found() -> None:
    assert share_of_found(videos=600, words=8, queries=80, k=10) >= 0.93


def test_one_query_is_not_enough_however_many_results_it_has() -> None:
    """They may all be of one scene: nobody can see that from one query."""
    alone = {"words": 8, "queries": 1, "k": 20}

    assert share_of_found(videos=400, **alone) == 0
    assert share_of_found(videos=400, named=False, **alone) == 0


def test_of_one_query_the_best_is_what_would_prove_most_if_results_were_independent() -> None:
    own = [["q"]] * 20 + [["usual"]] * 60 + [["odd"]] * 10 + [["other"]] * 10
    clips = [f"c{n}" for n in range(100)]
    truth = GroundTruth.from_columns(clips, {"g": own}, sources=clips)
    rows = [*range(20, 30), *range(80, 88), 95, 96]  # ten usual, eight odd, two other

    (asked,) = find_absences(truth, judged(truth, [["q"]], [rows]))

    assert [one.keyword.name for one in asked.stand_ins] == ["odd", "usual", "other"]
    assert [(one.low, one.p) for one in asked.stand_ins] == [(0, 1)] * 3 and not asked.proven


def test_without_videos_many_queries_are_enough() -> None:
    assert share_of_found(videos=400, words=8, queries=160, k=5, named=False) >= 0.9


@pytest.mark.parametrize("videos", ["own", None])
def test_where_queries_have_nothing_in_common_each_is_worth_one_at_least(
    videos: str | None,
) -> None:
    """Ten queries with two results each: all have w, so what makes them alike cannot be seen."""
    clips, own = [f"c{n}" for n in range(100)], [["q"]] * 20 + [["w"]] * 40 + [["v"]] * 40
    truth = GroundTruth.from_columns(clips, {"g": own}, sources=clips if videos else None)
    rows = [[20 + 2 * n, 21 + 2 * n] for n in range(10)]

    (asked,) = find_absences(truth, judged(truth, [["q"]] * 10, rows))

    (w,) = asked.stand_ins
    oracle = binomtest(10, 10, 0.5, alternative="greater").pvalue
    assert w.p == pytest.approx(min(1, 2 * 2 * oracle))
    low = binomtest(10, 10).proportion_ci(1 - 0.05 / 2, "exact").low
    assert w.low == pytest.approx(low / 0.5)


def test_all_results_of_a_video_count_as_one_whoever_finds_them() -> None:
    """Twenty queries with a result each: of four videos they are four draws."""
    clips, own = [f"c{n}" for n in range(100)], [["q"]] * 20 + [["w"]] * 40 + [["v"]] * 40
    four = [f"{n // 5}.mp4" for n in range(100)]
    for videos, draws in ((four, 4), (clips, 20)):
        truth = GroundTruth.from_columns(clips, {"g": own}, sources=videos)
        rows = [[row] for row in range(20, 40)]

        (asked,) = find_absences(truth, judged(truth, [["q"]] * 20, rows))

        oracle = binomtest(draws, draws, 0.5, alternative="greater").pvalue
        assert asked.stand_ins[0].p == pytest.approx(min(1, 2 * 2 * oracle))


def test_a_clip_whose_video_is_not_named_stands_alone() -> None:
    clips, own = [f"c{n}" for n in range(60)], [["q"]] * 20 + [["w"]] * 20 + [["v"]] * 20
    videos = ["drive.mp4" if n < 30 else "" for n in range(60)]
    truth = GroundTruth.from_columns(clips, {"g": own}, sources=videos)
    rows = [[row] for row in range(20, 40)]

    (asked,) = find_absences(truth, judged(truth, [["q"]] * 20, rows))

    # Ten results of the drive, and ten alone: Σ m² / Σ m = (100 + 10) / 20.
    worth = 20 / 5.5
    assert asked.stand_ins[0].p == pytest.approx(2 * 2 * 0.5**worth)


def find_in_scenes(
    *, queries: int, alike: float, lift: float = 1.0, scenes: int = 2, each: int = 10
) -> float:
    """How often something stands in for k0, or k1 where there is a lift. Forty scenes of ten clips,
    each of a video of its own; a clip has the keyword of its scene with a probability of `alike`,
    else any. A query finds so many scenes, and clips of each; a scene of k1 `lift` times as
    often as another."""
    rng, found, worlds = np.random.default_rng(1), 0, 60
    names, clips = np.array([f"k{n}" for n in range(6)]), [f"c{n}" for n in range(400)]
    for _ in range(worlds):
        of_scene = rng.permutation(np.resize(np.arange(6), 40))
        follows = rng.random(400) < alike
        own = np.where(follows, np.repeat(of_scene, 10), rng.integers(6, size=400))
        columns = {"g": [[name] for name in names[own]]}
        truth = GroundTruth.from_columns(clips, columns, sources=clips)
        weight = np.where(of_scene == 1, lift, 1.0)
        near = [rng.choice(40, scenes, False, weight / weight.sum()) for _ in range(queries)]
        rows = [
            [10 * scene + n for scene in some for n in rng.permutation(10)[:each]] for some in near
        ]
        asked = of(find_absences(truth, judged(truth, [["k0"]] * queries, rows)), "k0")
        proven = {one.keyword.name for one in asked.proven}
        found += ("k1" in proven) if lift > 1 else bool(proven)
    return found / worlds


@pytest.mark.parametrize("alike", [0.5, 0.9])
@pytest.mark.parametrize("queries", [1, 2, 3, 4, 8])
def test_neighbours_of_the_same_scene_prove_no_more_than_one(queries: int, alike: float) -> None:
    """Counted as independent, one query's had 29 and 76 % of the worlds get a false stand-in."""
    assert find_in_scenes(queries=queries, alike=alike) <= 0.05


def test_a_stand_in_that_many_queries_find_is_found() -> None:
    apart: dict[str, int] = {"scenes": 5, "each": 1}

    # A scene of k1 is found three times as often as another: it has twice its share of results.
    assert find_in_scenes(queries=20, alike=1.0, lift=3.0, **apart) >= 0.8
    assert find_in_scenes(queries=80, alike=0.9, lift=3.0) >= 0.8


def test_many_queries_at_once_are_counted_as_in_small_parts(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    truth, ranked = simulate(np.random.default_rng(2), videos=200, words=6, queries=90, k=7)
    whole = find_absences(truth, ranked)
    monkeypatch.setattr("engine.keywords.instead_counts._CELLS", 40)

    parts = find_absences(truth, ranked)

    assert [(a.keyword, a.results, a.clips, a.bare) for a in parts] == [
        (a.keyword, a.results, a.clips, a.bare) for a in whole
    ]
    for one, other in zip(parts, whole, strict=True):
        assert shares(one) == shares(other)
        assert all(
            math.isclose(a.low, b.low) for a, b in zip(one.stand_ins, other.stand_ins, strict=True)
        )


@pytest.mark.parametrize("profile", [profile.name for profile in PROFILES])
def test_a_document_looks_at_as_many_results_as_the_screen(
    profile: str, encoder: SentenceEncoder
) -> None:
    request = RunRequest(modes="video", limit=9, profile=profile, ks=(1, 5))
    run = run_request(request, workbench(encoder))
    evaluated = EvaluatedRun.of(run)

    found = build_run_document(run, "x")["instead"]["video"]

    assert found["k"] == evaluated.counted_k
    assert {one["keyword"]: one["lacking"] for one in found["keywords"]} == {
        str(absence.keyword): absence.results for absence in evaluated.find_absences()
    }
    if profile in ("tvr", "qvh"):
        assert found["k"] == 1, "the smallest k speaks for it"
