"""Minimal pairs, against an enumeration of all pairs of clips, and their margins."""

from __future__ import annotations

from collections import Counter
from itertools import permutations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.base.errors import InputError
from engine.base.similarity import SIMILARITIES, Similarity
from engine.dataset.collection import Collection
from engine.dataset.embeddings.read import EmbeddingSet, align_rows
from engine.dataset.ground_truth import GroundTruth
from engine.dataset.model_spec import ModelSpec
from engine.dataset.query_set import QuerySet
from engine.dataset.vocabulary import Selection
from engine.keywords.keyword_swaps import PARTNERS, KeywordSets, find_keyword_swaps
from engine.keywords.minimal_pairs import MinimalPairs, find_clip_pairs, find_text_pairs
from engine.keywords.pair_margins import score_clip_pairs
from engine.report.pairs.document import PairSample, build_pairs_document, list_pair_rows

EVERYTHING = 10**6

CELLS = st.lists(st.sampled_from("abc"), max_size=2, unique=True)
CLIPS = st.lists(st.tuples(CELLS, CELLS, st.sampled_from(["", "v1", "v2"])), min_size=1, max_size=9)


def build(clips: list[tuple[list[str], list[str], str]]) -> GroundTruth:
    groups = {"g": [one for one, _, _ in clips], "h": [two for _, two, _ in clips]}
    return GroundTruth.from_columns(map(str, range(len(clips))), groups, [v for _, _, v in clips])


def sets_of(truth: GroundTruth, selection: Selection) -> list[frozenset[str]]:
    rows = range(len(truth))
    return [frozenset(map(str, truth.keywords_of(row, selection))) for row in rows]


def enumerate_swaps(truth: GroundTruth, selection: Selection) -> set[tuple[object, ...]]:
    """Two clips whose keywords differ by one of each, both of one group: all N² looked at."""
    found = set()
    for one, two in permutations(set(sets_of(truth, selection)), 2):
        gone, come = sorted(one - two), sorted(two - one)
        if len(gone) == len(come) == 1 and gone[0].split(":")[0] == come[0].split(":")[0]:
            found.add((one, two, gone[0], come[0]))
    return found


def name_swaps(found: MinimalPairs, truth: GroundTruth, selection: Selection) -> set[tuple]:
    own, words = sets_of(truth, selection), truth.words.keywords
    return {
        (own[right], own[wrong], str(words[r]), str(words[w]))
        for right, wrong, r, w in zip(
            found.right.tolist(),
            found.wrong.tolist(),
            found.right_keyword.tolist(),
            found.wrong_keyword.tolist(),
            strict=True,
        )
    }


@settings(max_examples=150, deadline=None)
@given(CLIPS, st.sampled_from([None, ["g"], ["h"]]), st.integers(0, 3))
def test_every_swap_is_found_and_no_other(
    clips: list[tuple[list[str], list[str], str]], groups: list[str] | None, seed: int
) -> None:
    truth = build([(one, two, "") for one, two, _ in clips])
    selection = truth.words.select(groups)

    texts = find_text_pairs(truth, selection, limit=EVERYTHING, seed=seed)
    asked = find_clip_pairs(truth, selection, limit=EVERYTHING, seed=seed)

    expected = enumerate_swaps(truth, selection)
    several = {own for own, count in Counter(sets_of(truth, selection)).items() if count > 1}
    assert name_swaps(texts, truth, selection) == expected
    assert name_swaps(asked, truth, selection) == {one for one in expected if one[0] in several}
    assert int(texts.possible.sum()) == len(expected)


@settings(max_examples=150, deadline=None)
@given(CLIPS, st.integers(0, 3))
def test_a_pair_is_what_it_says_and_no_two_clips_are_of_one_source(
    clips: list[tuple[list[str], list[str], str]], seed: int
) -> None:
    truth = build(clips)
    selection = truth.words.select()
    own = sets_of(truth, selection)
    sources = truth.source_numbers

    found = find_clip_pairs(truth, selection, limit=EVERYTHING, seed=seed)

    triples = list(zip(found.anchors, found.right, found.wrong, strict=True))
    assert len(set(triples)) == len(triples)
    for anchor, right, wrong in triples:
        assert own[anchor] == own[right] != own[wrong]
        assert len({int(sources[row]) for row in (anchor, right, wrong)}) == 3


def test_groups_and_swaps_have_equal_shares_of_a_sample() -> None:
    random = np.random.default_rng(0)
    common = random.choice(["a", "a", "a", "a", "b", "c"], 600)
    groups = {"g": [[one] for one in common], "h": [[f"h{n % 40}"] for n in range(600)]}
    truth = GroundTruth.from_columns(map(str, range(600)), groups)

    found = find_text_pairs(truth, truth.words.select(), limit=240)

    assert np.bincount(found.group).tolist() == [120, 120]
    of_g = found.group == 0
    swaps = Counter(zip(found.right_keyword[of_g], found.wrong_keyword[of_g], strict=True))
    assert set(swaps.values()) == {20}  # a, b, c: six swaps


def test_the_seed_says_which_are_drawn_and_nothing_else_does() -> None:
    groups = {"g": [[f"k{n % 7}"] for n in range(200)]}
    truth = GroundTruth.from_columns(map(str, range(200)), groups)
    draw = [find_clip_pairs(truth, truth.words.select(), limit=9, seed=s) for s in (0, 0, 1)]

    triples = [np.stack([one.anchors, one.right, one.wrong]).tolist() for one in draw]

    assert triples[0] == triples[1] != triples[2]


def test_of_many_keywords_in_one_place_each_has_some_partners() -> None:
    truth = GroundTruth.from_columns(map(str, range(500)), {"g": [[f"k{n}"] for n in range(500)]})
    random = np.random.default_rng(0)

    sets = KeywordSets.collect(truth, truth.words.select(), random)
    swaps = find_keyword_swaps(sets, truth, random)

    assert np.bincount(swaps.right_keyword).tolist() == [PARTNERS] * 500
    assert (swaps.right_keyword != swaps.wrong_keyword).all()


@pytest.mark.slow
def test_a_hundred_thousand_clips_are_no_pairs_of_clips_to_compare() -> None:
    random, size = np.random.default_rng(0), 100_000
    several = [[f"k{one}" for one in {*row}] for row in random.integers(0, 30, (size, 2)).tolist()]
    labels = [[f"l{one}"] for one in random.integers(0, 2000, size).tolist()]
    truth = GroundTruth.from_columns(map(str, range(size)), {"g": several, "label": labels})
    selection = truth.words.select()

    found = find_text_pairs(truth, selection, limit=1000)

    assert np.bincount(found.group).tolist() == [500, 500]
    differ = (truth.bits[found.right] ^ truth.bits[found.wrong]) & selection.mask
    assert np.bitwise_count(differ).sum(axis=1).tolist() == [2] * 1000
    words = truth.words.keywords
    groups = [
        {words[column].group for column in pair}
        for pair in zip(found.right_keyword.tolist(), found.wrong_keyword.tolist(), strict=True)
    ]
    assert all(len(own) == 1 for own in groups)


def test_a_keyword_that_only_one_clip_has_makes_no_pair() -> None:
    truth = GroundTruth.from_columns("abcd", {"g": [["x"], ["x"], ["x", "y"], []]})

    found = find_text_pairs(truth, truth.words.select(), limit=9)

    assert len(found) == 0 and found.possible.tolist() == [0]


def test_texts_are_the_names_with_the_other_in_its_place() -> None:
    groups = {"object": [["small car"], ["bus"]], "scene": [["city"], ["city"]]}
    truth = GroundTruth.from_columns("ab", groups)

    found = find_text_pairs(truth, truth.words.select(), limit=1, seed=3)

    both = {found.texts[0], found.swapped[0]}
    assert both == {"small car city", "bus city"}
    asked = (found.asked[0], found.swapped_asked[0])
    names = [" ".join(word.name for word in truth.words.named(bits)) for bits in asked]
    assert names == [found.texts[0], found.swapped[0]]


def test_queries_serve_where_they_name_the_keyword_once_as_whole_words() -> None:
    groups = {"object": [["car"], ["bus"]], "scene": [["city"], ["city"]]}
    truth = GroundTruth.from_columns("ab", groups)
    texts = [
        "a Car in the rain",  # names it
        "a cargo bike",  # not as a whole word
        "car behind a car",  # twice
        "a car and a bus",  # the other as well
        "a vehicle",  # by another name
        "car on a motorway",  # of which the clip lacks a keyword
    ]
    keywords = [["car"]] * 5 + [["car", "scene:city"]]
    queries = QuerySet.of("text", truth, texts, keywords)

    found = find_text_pairs(truth, truth.words.select(), limit=99, queries=queries)

    assert set(zip(found.texts, found.swapped, strict=True)) <= {
        ("a Car in the rain", "a bus in the rain"),
        ("car on a motorway", "bus on a motorway"),
    }
    assert [truth.ids[row] for row in (*found.right, *found.wrong)] == ["a", "b"]
    none = QuerySet.of("text", truth, texts[1:5], keywords[1:5])
    assert not len(find_text_pairs(truth, truth.words.select(), limit=9, queries=none))


@pytest.mark.parametrize(("limit", "seed"), [(0, 0), (1, -1)])
def test_a_limit_and_a_seed_make_sense(limit: int, seed: int) -> None:
    truth = GroundTruth.from_columns("a", {"g": [["x"]]})
    with pytest.raises(InputError):
        find_clip_pairs(truth, truth.words.select(), limit=limit, seed=seed)


def test_a_group_that_no_pair_can_test_is_named_and_one_that_was_not_drawn_is_not() -> None:
    groups = {"g": [["x"], ["y"]], "h": [["z"], ["z"]]}
    truth = GroundTruth.from_columns("ab", groups)
    selection = truth.words.select()
    texts = find_text_pairs(truth, selection, limit=1)
    sample = PairSample("tiny", truth, selection, "keywords", 1, 0, (texts,))

    assert sample.notes == ["texts: no pair differs by one keyword of h alone"]
    document = build_pairs_document(sample)
    assert document["counts"] == {"texts": {"g": 1, "h": 0}}
    (row,) = list_pair_rows(sample)
    assert (row.group, row.shared) == ("g", ("h:z",))


def collection(truth: GroundTruth, vectors: np.ndarray, metric: Similarity) -> Collection:
    spec = ModelSpec("m", Path("in memory"), metric=metric)
    aligned = align_rows(EmbeddingSet("m", truth.ids, vectors), truth.ids)
    return Collection(spec, truth, vectors, aligned)


@pytest.mark.parametrize("metric", SIMILARITIES)
def test_margins_are_those_of_a_search(metric: Similarity) -> None:
    random = np.random.default_rng(1)
    truth = GroundTruth.from_columns(map(str, range(60)), {"g": [[f"k{n % 3}"] for n in range(60)]})
    vectors = random.normal(size=(60, 4)).astype(np.float32)
    clips = collection(truth, vectors, metric)
    found = find_clip_pairs(truth, truth.words.select(), limit=200)

    margins = score_clip_pairs(found, clips).margins

    ranking = clips.index.search(vectors, 60)
    scores = np.zeros((60, 60))
    np.put_along_axis(scores, ranking.indices, ranking.scores, axis=1)
    expected = scores[found.anchors, found.right] - scores[found.anchors, found.wrong]
    assert margins == pytest.approx(expected, abs=1e-5)


def test_a_model_of_the_keyword_always_wins_one_without_it_half_the_time_and_ties_are_half() -> (
    None
):
    random = np.random.default_rng(2)
    kinds = np.arange(400) % 2
    truth = GroundTruth.from_columns(map(str, range(400)), {"g": [[f"k{kind}"] for kind in kinds]})
    found = find_clip_pairs(truth, truth.words.select(), limit=400)
    noise = random.normal(size=(400, 8)).astype(np.float32)

    def share(vectors: np.ndarray) -> float:
        clips = collection(truth, vectors.astype(np.float32), "cosine")
        return score_clip_pairs(found, clips).share

    assert share(np.eye(2)[kinds]) == 1
    assert share(np.ones((400, 2))) == 0.5
    assert share(noise) == pytest.approx(0.5, abs=0.1)
