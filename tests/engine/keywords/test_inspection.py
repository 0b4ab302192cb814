"""What is read off one answer, against loops over ids and sets of keywords."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.dataset.ground_truth import GroundTruth
from engine.keywords.inspection import Inspection
from engine.keywords.question import Question
from engine.metrics.policies import Policies
from tests.engine.keywords.workbench_by_hand import MEASURES, asked_of, workbench
from tests.examples import examples

NAMES = ("a", "b", "c", "d")


@dataclass(frozen=True)
class Case:
    """A clip's answer, and the same in plain sets: the ranked ids, each clip's keywords."""

    inspection: Inspection
    own: dict[str, frozenset[str]]
    wanted: frozenset[str]
    ranked: list[str]
    reachable: list[str]
    k: int

    @property
    def relevant(self) -> list[str]:
        """The ids that have all keywords; none if there is no keyword."""
        return [clip for clip in self.reachable if self.wanted and self.wanted <= self.own[clip]]


@st.composite
def cases(draw: st.DrawFn) -> Case:
    """Random keywords and vectors, a random cut, and keywords of the query now and then edited."""
    clips = draw(st.integers(2, 14))
    own = draw(st.lists(st.frozensets(st.sampled_from(NAMES)), min_size=clips, max_size=clips))
    ids = [f"clip {n}" for n in range(clips)]
    # The last clip holds every keyword, so that each is in the vocabulary.
    own[-1] = frozenset(NAMES)
    truth = GroundTruth.from_columns(ids, {"g": own})
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    vectors = rng.standard_normal((clips, 3)).astype(np.float32)
    keep = draw(st.booleans())
    bench = workbench(
        truth,
        {"m": dict(zip(ids, vectors.tolist(), strict=True))},
        Policies(self_clip="keep" if keep else "remove"),
    )
    query = draw(st.integers(0, clips - 1))
    edited = draw(st.none() | st.frozensets(st.sampled_from(NAMES)))
    by_hand = None if edited is None else tuple(f"g:{name}" for name in sorted(edited))
    k = draw(st.integers(1, clips))
    depth = draw(st.integers(k, clips))
    question = Question("video", ids[query], "m", ("g",), (), by_hand)

    inspection = bench.ask(question, MEASURES[:1], k=k, depth=depth)

    unit = vectors.astype(float) / np.linalg.norm(vectors.astype(float), axis=1, keepdims=True)
    reachable = [n for n in range(clips) if keep or n != query]
    order = sorted(reachable, key=lambda n: -float(unit[n] @ unit[query]))
    return Case(
        inspection=inspection,
        own=dict(zip(ids, own, strict=True)),
        wanted=own[query] if edited is None else edited,
        ranked=[ids[n] for n in order][:depth],
        reachable=[ids[n] for n in reachable],
        k=draw(st.integers(1, clips + 2)),
    )


@given(cases())
@examples(150)
def test_everything_equals_loops_over_ids_and_sets(case: Case) -> None:
    found = case.inspection
    ranked, relevant = case.ranked, case.relevant

    assert [found.clip(place) for place in range(found.depth)] == ranked
    assert found.reachable == len(case.reachable)
    assert found.relevant == len(relevant)
    assert {keyword.name for keyword in found.keywords} == case.wanted
    assert found.matched.tolist() == [len(case.own[clip] & case.wanted) for clip in ranked]
    assert found.missed(case.k).tolist() == [
        place for place, clip in enumerate(ranked) if clip in relevant and place >= case.k
    ]
    assert found.unranked == len([clip for clip in relevant if clip not in ranked])
    for clip in [*case.own, "no such clip"]:
        expected = ranked.index(clip) if clip in ranked else None
        assert found.place_of(clip) == expected


@given(cases())
@examples(75)
def test_the_relevant_clips_are_those_found_those_missed_and_those_below(case: Case) -> None:
    found = case.inspection

    if not found.keywords:
        assert found.relevant == found.unranked == len(found.missed(case.k)) == 0
        return
    on_top = int(np.count_nonzero(found.matched[: case.k] == len(found.keywords)))
    assert on_top + len(found.missed(case.k)) + found.unranked == found.relevant


@given(cases())
@examples(75)
def test_the_marks_of_a_result_agree_with_its_count_and_with_the_hits(case: Case) -> None:
    found = case.inspection

    for place, result in enumerate(found.results):
        clip = case.ranked[place]
        assert found.collection.truth.ids[result.row] == clip
        assert result.matched == found.matched[place]
        assert result.total == len(found.keywords)
        assert result.hit == found.judged.hits[0, place] == (clip in case.relevant)
        assert {keyword.name for keyword in result.others} == case.own[clip] - case.wanted
        assert result.score == found.similarities[place]
    assert len(found.results) == min(found.shown, found.depth)


def test_a_query_without_keyword_misses_nothing_and_is_not_scored() -> None:
    found = asked_of({"g": [[], ["a"], ["b"]]})

    assert found.evaluation is None
    assert found.keywords == ()
    assert (found.relevant, found.unranked, len(found.missed(1))) == (0, 0, 0)
    assert found.matched.tolist() == [0, 0]
    assert found.result(0).verdict == "Not judged (the query has no keyword)"


def test_more_keywords_than_one_word_of_bits_are_all_counted() -> None:
    many = [f"k{n:03d}" for n in range(150)]

    found = asked_of({"g": [many, many[:-1], many[1:], many, []]})

    assert found.matched.tolist() == [149, 149, 150, 0]
    assert found.missed(1).tolist() == [2]


def test_what_is_below_the_least_similarity_is_no_hit_though_it_has_all_keywords() -> None:
    found = asked_of({"g": [["a"], ["a"], ["a"]]}, policies=Policies(min_similarity=0.5))

    assert found.judged.hits[0].tolist() == [True, False]
    assert found.matched.tolist() == [1, 1]
    assert not found.result(1).retrieved
    assert found.missed(2).tolist() == [1]  # relevant, in the top 2, and yet not retrieved


@pytest.mark.parametrize("place", [5, 6])
def test_a_place_below_the_ranking_is_an_error_and_not_another_clip(place: int) -> None:
    found = asked_of({"g": [["a"]] * 9}, depth=5)

    with pytest.raises(IndexError):
        found.clip(place)
