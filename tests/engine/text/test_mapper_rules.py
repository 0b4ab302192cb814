"""The mapper reads words: what stands in the query, what means the same, and what is denied."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from engine.base.errors import InputError
from engine.base.keyword import Keyword
from engine.text.mapping import phrases
from engine.text.mapping.accuracy import measure_accuracy
from engine.text.mapping.lexicon import check_phrases
from engine.text.mapping.mapper import Mapper
from engine.text.mapping.phrases import find_phrase, parse_phrase
from engine.text.mapping.query_words import split_words


class NoModel:
    """An encoder for which no text is nearer to a keyword than any other."""

    name = "no model"

    def encode(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        return np.tile(np.float32([1, 0]), (len(texts), 1))

    encode_phrases = encode


@pytest.fixture(scope="module")
def mapper(field_keywords: tuple[Keyword, ...]) -> Mapper:
    return Mapper(field_keywords, NoModel())


OBJECT, BEHAVIOR, SPATIAL = ("object_type",), ("actor_behavior",), ("spatial_relation",)
EGO, SCENE = ("ego_behavior",), ("scene_type",)


@pytest.mark.parametrize(
    ("query", "groups", "names"),
    [
        ("cyclist entering ego lane", OBJECT + BEHAVIOR, ["bicyclist", "entering ego path"]),
        ("Bicyclists", OBJECT, ["bicyclist"]),
        ("PEDESTRIAN ... crossing!!", OBJECT + BEHAVIOR, ["pedestrian", "straight crossing path"]),
        ("two lorries and a moped", OBJECT, ["large vehicle", "motorcyclist"]),
        ("our car turns left", OBJECT + EGO, ["ego turning"]),
        (
            "a taxi pulls out in front of us",
            OBJECT + BEHAVIOR,
            ["small vehicle", "entering ego path"],
        ),
        ("pedestrian crossing", SCENE, ["crosswalk"]),
        (
            "pedestrian crossing",
            OBJECT + BEHAVIOR + SCENE,
            ["pedestrian", "straight crossing path"],
        ),
        ("tunnel", SCENE, ["bridge/tunnel"]),
        ("depot", SCENE, ["parking lot/depot"]),
        ("", OBJECT, []),
        ("the of and", OBJECT + SCENE, []),
    ],
)
def test_words_and_synonyms_are_read(
    mapper: Mapper, query: str, groups: tuple[str, ...], names: list[str]
) -> None:
    mapping = mapper.map(query, groups)

    assert [item.keyword.name for item in mapping.keywords] == names


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ("behind us in the lane on the right", ["right adjacent behind"]),
        ("front of the corridor", ["corridor front"]),
        ("left-adjacent-front", ["left adjacent front"]),
        ("left split and right split", ["left split", "right split"]),
        (
            "adjacent on the left and right, behind",
            ["left adjacent behind", "right adjacent behind"],
        ),
    ],
)
def test_relation_words_join_in_any_order(mapper: Mapper, query: str, names: list[str]) -> None:
    mapping = mapper.map(query, SPATIAL)

    assert [item.keyword.name for item in mapping.keywords] == names


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ("not at an intersection", ["non-intersection"]),
        ("away from junctions", ["non-intersection"]),
        ("no rain", []),
        ("without rain or sun", []),
        ("it isn't raining", []),
        ("urban, but not rainy", ["urban"]),
        ("no pedestrian at the intersection", ["intersection"]),
        ("non-intersection", ["non-intersection"]),
    ],
)
def test_what_is_denied_is_not_mapped(mapper: Mapper, query: str, names: list[str]) -> None:
    mapping = mapper.map(query, OBJECT + SCENE)

    assert [item.keyword.name for item in mapping.keywords] == names


def test_a_denied_motion_is_standing_still(mapper: Mapper) -> None:
    mapping = mapper.map("a bus that is not moving", OBJECT + BEHAVIOR)

    assert [item.keyword.name for item in mapping.keywords] == ["large vehicle", "stationary"]


def test_each_keyword_says_where_it_comes_from_and_why(mapper: Mapper) -> None:
    query = "A Cyclist entering ego lane, stationary"
    mapping = mapper.map(query, OBJECT + BEHAVIOR)

    cyclist, entering, stationary = mapping.keywords
    assert (cyclist.ngram, cyclist.span, cyclist.why) == ("Cyclist", (2, 9), "synonym")
    assert (stationary.why, stationary.score) == ("exact", 1.0)
    assert all(query[slice(*item.span)] == item.ngram for item in mapping.keywords)
    assert entering.ngram == "entering ego lane"


def test_a_word_of_another_group_does_not_become_a_keyword_of_this_one(mapper: Mapper) -> None:
    mapping = mapper.map("rainy highway tunnel", OBJECT + BEHAVIOR)

    assert mapping.keywords == ()


def test_an_ordinary_word_that_is_also_a_keyword_needs_to_be_meant(mapper: Mapper) -> None:
    assert [k.keyword.name for k in mapper.map("the other car", OBJECT).keywords] == [
        "small vehicle"
    ]
    assert [k.keyword.name for k in mapper.map("other object", OBJECT).keywords] == ["other"]


def test_a_dataset_can_add_synonyms(field_keywords: tuple[Keyword, ...]) -> None:
    synonyms = check_phrases({"bicyclist": ["fixie|penny rider"]}, "synonyms")
    mapper = Mapper(field_keywords, NoModel(), synonyms=synonyms)

    assert [k.keyword.name for k in mapper.map("fixie riders", OBJECT).keywords] == ["bicyclist"]


@pytest.mark.parametrize("bad", [["velo"], {"bicyclist": "velo"}, {"bicyclist": ["@nope"]}])
def test_synonyms_of_a_wrong_form_are_refused(bad: object) -> None:
    with pytest.raises(InputError):
        check_phrases(bad, "synonyms")


@pytest.mark.parametrize(
    ("phrase", "wrong"),
    [
        ("skillet||", "'skillet||' lacks a word"),
        ("|skillet", "'|skillet' lacks a word"),
        ("(skillet", "'(skillet' is no word"),
        ("big skillet)", "'skillet)' is no word"),
        ("()", "'()' lacks a word"),
        ("skillet??", "'skillet?' is no word"),
        ("a|(b)", "'(b)' is no word"),
        ("=", "'=' is no word"),
        ("!?", "'!' is no word"),
        ("...", "no word that must stand"),
        ("", "no word that must stand"),
    ],
)
def test_a_phrase_that_could_never_be_found_is_refused(phrase: str, wrong: str) -> None:
    with pytest.raises(InputError) as caught:
        check_phrases({"pan": ["frying pan", phrase]}, "synonyms")

    assert "[synonyms] 'pan': the phrase " in str(caught.value)
    assert wrong in str(caught.value)


def test_many_gaps_are_found_in_few_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    phrase = parse_phrase("start" + " ..." * 10 + " b? b? end", {})
    words = split_words("start " + "b the " * 500, {})
    steps = Counter[str]()
    match = phrases._match

    def counted(*given: Any) -> Any:
        steps["match"] += 1
        return match(*given)

    monkeypatch.setattr(phrases, "_match", counted)
    assert find_phrase(phrase, words, 0) is None  # a million ways to fail

    assert 0 < steps["match"] < 5_000


def test_the_nearest_way_through_gaps_is_taken() -> None:
    words = split_words("start b b b end b end", {})

    assert find_phrase(parse_phrase("start ... b? ... end", {}), words, 0) == (0, 1, 4)
    assert find_phrase(parse_phrase("start ... b end", {}), words, 0) == (0, 3, 4)


def test_a_vocabulary_of_other_words_uses_the_same_concepts() -> None:
    words = [Keyword("w", name) for name in ("rain", "cloudy", "crossing", "child", "pedestrian")]
    mapper = Mapper(words, NoModel())

    assert [k.keyword.name for k in mapper.map("kid crosses in a downpour").keywords] == [
        "child",
        "crossing",
        "rain",
    ]


def test_what_is_said_of_groups_that_were_not_chosen_is_told_apart(mapper: Mapper) -> None:
    mapping = mapper.map("stopped bus at night, not in the rain", OBJECT)

    assert [k.keyword.name for k in mapping.keywords] == ["large vehicle"]
    assert [(k.keyword.name, k.keyword.group, k.ngram, k.why) for k in mapping.outside] == [
        ("stationary", "actor_behavior", "stopped", "synonym"),
        ("nighttime", "scene_type", "at night", "synonym"),
    ]


@pytest.mark.parametrize(
    ("query", "groups"),
    [
        ("bus stop", OBJECT),  # a compound says nothing in any group
        ("pedestrian crossing", OBJECT + BEHAVIOR),  # crosswalk: its words are claimed already
        ("bicyclist in the rain", None),  # all groups are chosen
    ],
)
def test_nothing_is_outside_that_was_not_named_or_is_claimed(
    mapper: Mapper, query: str, groups: tuple[str, ...] | None
) -> None:
    assert mapper.map(query, groups).outside == ()


def test_accuracy_counts_by_hand() -> None:
    pairs = [
        (frozenset({"a", "b"}), frozenset({"a", "b"})),
        (frozenset({"a"}), frozenset({"a", "c"})),
        (frozenset({"b"}), frozenset()),
    ]
    result = measure_accuracy(pairs)

    assert (result.exact, result.queries) == (1, 3)
    assert result.micro_f1 == pytest.approx(2 * 3 / (2 * 3 + 1 + 1))
