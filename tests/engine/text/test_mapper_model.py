"""The mapper with the real model: words that no table lists, and what only sounds like one."""

from __future__ import annotations

import pytest

from engine.base.keyword import Keyword
from engine.text.encoder import SentenceEncoder
from engine.text.mapping.mapper import KeywordMapping, Mapper
from training.fields import Field, read_field


@pytest.fixture(scope="module")
def mapper(field_keywords: tuple[Keyword, ...], encoder: SentenceEncoder) -> Mapper:
    return Mapper(field_keywords, encoder)


@pytest.fixture(scope="module")
def wildlife(encoder: SentenceEncoder) -> Mapper:
    return Mapper(read_field("wildlife").vocabulary, encoder)


@pytest.fixture(scope="module")
def cooking(encoder: SentenceEncoder) -> Mapper:
    return Mapper(read_field("cooking").vocabulary, encoder)


def names(mapping: KeywordMapping) -> list[str]:
    return [item.keyword.name for item in mapping.keywords]


def test_driving_queries_map_as_well_as_ever(encoder: SentenceEncoder) -> None:
    field = read_field("driving")
    mapper = Mapper(field.vocabulary, encoder)

    mapped = mapper.map_batch([q.text for q in field.queries], [q.groups for q in field.queries])

    wrong = [
        query.text
        for query, mapping in zip(field.queries, mapped, strict=True)
        if set(names(mapping)) != query.keywords
    ]
    assert len(wrong) <= 2  # of 379; one was before any field but driving was known


@pytest.mark.parametrize(
    ("query", "name"),
    [("tricyclist", "bicyclist"), ("rainwater", "rainy"), ("wayfarer", "pedestrian")],
)
def test_a_word_that_no_table_lists_is_weighed(mapper: Mapper, query: str, name: str) -> None:
    mapping = mapper.map(query)

    best = (*mapping.keywords, *mapping.near)[0]
    assert (best.keyword.name, best.ngram) == (name, query)
    assert best.why in ("similar", "wordnet", "partial")
    assert 0.1 <= best.score < 1


@pytest.mark.parametrize(
    "query",
    [
        *("red light", "fire", "snow", "white", "blue", "police", "ahead", "driveway", "dusk"),
        *("other side", "family", "rest", "estate agent", "light", "dry"),
    ],
)
def test_what_only_sounds_like_a_keyword_maps_to_nothing(mapper: Mapper, query: str) -> None:
    groups = ["object_type", "actor_behavior", "ego_behavior", "scene_type"]

    assert names(mapper.map(query, groups)) == []


@pytest.mark.parametrize("text", ["ﷺ car", "\ufe70 car", "\ud800 car", "½ ㎞ car", "Ꮿꮿ car"])
def test_characters_that_unfold_do_not_disturb_the_model(mapper: Mapper, text: str) -> None:
    mapping = mapper.map(text, ["object_type"])

    assert [(k.keyword.name, k.ngram) for k in mapping.keywords] == [("small vehicle", "car")]


@pytest.mark.parametrize("query", ["violin sonata in g minor", "tax return", "banana bread"])
def test_what_has_nothing_to_do_with_driving_maps_to_nothing(mapper: Mapper, query: str) -> None:
    assert names(mapper.map(query)) == []


def test_similarity_does_not_take_the_contrary_for_the_same(mapper: Mapper) -> None:
    mapping = mapper.map("rightmost neighbor lane", ["spatial_relation"])

    left = [item.score for item in mapping.near if "left" in item.keyword.name]
    assert mapping.keywords == ()
    assert mapping.near[0].keyword.name == "right adjacent"
    assert all(score < mapping.near[0].score for score in left)


def test_the_contrary_of_a_word_is_never_meant(mapper: Mapper) -> None:
    mapping = mapper.map("the left hand neighbours over there", ["spatial_relation"])

    assert all("right" not in item.keyword.name for item in (*mapping.keywords, *mapping.near))


def test_a_batch_gives_what_single_queries_give(wildlife: Mapper) -> None:
    queries = ["a grizzly at first light", "unicyclist", "owls", ""]

    single = [wildlife.map(query) for query in queries]
    for one, other in zip(wildlife.map_batch(queries), single, strict=True):
        assert one.unexplained == other.unexplained
        assert names(one) == names(other)
        assert [k.score for k in one.keywords] == pytest.approx(
            [k.score for k in other.keywords], abs=1e-3
        )


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("a grizzly", {"brown bear": "wordnet"}),
        ("foxes", {"red fox": "similar"}),
        ("wolves in thick mist", {"wolf": "exact", "fog": "synonym"}),
        ("rocks on the slope", {"rocky slope": "partial"}),
    ],
)
def test_each_kind_of_evidence_is_named(
    wildlife: Mapper, query: str, found: dict[str, str]
) -> None:
    mapping = wildlife.map(query)

    assert {k.keyword.name: k.why for k in mapping.keywords}.items() >= found.items()


@pytest.mark.parametrize("query", ["a stag", "stag at night", "stags drinking", "roebuck"])
def test_what_is_a_kind_of_a_keyword_means_it(wildlife: Mapper, query: str) -> None:
    mapping = wildlife.map(query)

    assert "deer" in names(mapping)
    assert mapping.unexplained == ()


def test_all_words_that_speak_for_a_keyword_are_understood(wildlife: Mapper) -> None:
    mapping = wildlife.map("a stag with antlers")

    assert names(mapping) == ["deer"]
    assert mapping.unexplained == ()


def test_the_rest_of_an_entry_that_names_a_keyword_says_nothing_else(wildlife: Mapper) -> None:
    mapping = wildlife.map("timber wolf")

    assert names(mapping) == ["wolf"]  # and no forest
    assert mapping.unexplained == ()


@pytest.mark.parametrize(
    ("time", "name"),
    [("2 am", "night"), ("3pm", "day"), ("10:30 a.m.", "day"), ("23:15", "night")],
)
def test_a_time_of_the_clock_is_a_part_of_the_day(wildlife: Mapper, time: str, name: str) -> None:
    mapping = wildlife.map(f"a badger at {time}")

    assert names(mapping) == ["badger", name]
    assert mapping.unexplained == ()


def test_times_in_names_and_phrases_are_those_of_queries(encoder: SentenceEncoder) -> None:
    vocabulary = [Keyword("shift", "late shift"), Keyword("start", "10:30")]
    mapper = Mapper(vocabulary, encoder, synonyms={"late shift": ["2 am"]})

    assert names(mapper.map("people at 2:15 am")) == ["late shift"]
    assert [(k.keyword.name, k.why) for k in mapper.map("at 10:30").keywords] == [
        ("10:30", "exact")
    ]


def test_an_entry_is_understood_wherever_it_stands(wildlife: Mapper) -> None:
    assert wildlife.map("a timber wolf and another wolf").unexplained == ()


def test_what_is_denied_and_means_the_contrary_is_not_set_aside(encoder: SentenceEncoder) -> None:
    mapper = Mapper([Keyword("weather", "fog"), Keyword("weather", "no fog")], encoder)

    mapping = mapper.map("not foggy")
    assert (names(mapping), mapping.set_aside.denied) == (["no fog"], ())


def test_pictures_are_not_understood(wildlife: Mapper) -> None:
    assert wildlife.map("🦊 by night").unexplained == ("🦊",)


def test_a_name_that_two_groups_have_is_said_of_both(encoder: SentenceEncoder) -> None:
    vocabulary = [Keyword("dish", "salmon"), Keyword("colour", "salmon"), Keyword("dish", "rice")]
    mapper = Mapper(vocabulary, encoder)

    both = [item.keyword for item in mapper.map("salmon").keywords]
    assert both == vocabulary[:2]
    assert [item.keyword.group for item in mapper.map("salmon", ["dish"]).keywords] == ["dish"]


def test_two_of_a_group_are_found_by_words_of_their_own(cooking: Mapper) -> None:
    assert names(cooking.map("salmon, cheddar and spuds", ["ingredient"])) == [
        *("fish", "cheese", "potato")
    ]


def test_what_wordnet_lists_as_one_is_not_read_word_by_word(wildlife: Mapper) -> None:
    assert names(wildlife.map("badger run over at night", ["species", "behavior"])) == ["badger"]
    assert names(wildlife.map("deer running over the hill", ["behavior"])) == ["running"]


def test_no_x_is_x_free_and_a_denied_keyword_is_left_out(cooking: Mapper) -> None:
    assert names(cooking.map("dessert with no sugar", ["dietary", "meal"])) == [
        *("dessert", "sugar-free")
    ]
    assert names(cooking.map("rice without onions", ["ingredient"])) == ["rice"]


def test_words_that_no_keyword_explains_are_said(mapper: Mapper) -> None:
    mapping = mapper.map("red truck turning left", ["object_type"])

    assert names(mapping) == ["large vehicle"]
    assert mapping.unexplained == ("red", "turning", "left")


def test_what_is_denied_named_elsewhere_or_asked_for_is_not_unexplained(mapper: Mapper) -> None:
    mapping = mapper.map("show me a truck at night, not on the highway", ["object_type"])

    assert mapping.unexplained == ()


def test_a_threshold_is_a_least_probability(field_keywords: tuple[Keyword, ...]) -> None:
    from tests.engine.text.test_mapper_rules import NoModel

    strict = Mapper(field_keywords, NoModel(), threshold=0.97)

    mapping = strict.map("pedestrian and a lorry", ["object_type"])
    assert names(mapping) == ["pedestrian"]
    assert [(k.keyword.name, k.score) for k in mapping.near] == [("large vehicle", 0.95)]
    assert mapping.unexplained == ("lorry",)


def test_a_dataset_says_what_a_phrase_never_means(encoder: SentenceEncoder) -> None:
    vocabulary = read_field("wildlife").vocabulary
    never = {"brown bear": ["grizzly"], "day": ["day"]}
    taught = Mapper(vocabulary, encoder, never_means=never)

    assert names(taught.map("a grizzly", ["species"])) == []
    assert names(taught.map("day", ["time_of_day"])) == []
    assert names(taught.map("deer", ["species"])) == ["deer"]


def test_what_never_means_a_keyword_leaves_the_other_words_to_mean_it(
    encoder: SentenceEncoder,
) -> None:
    vocabulary = read_field("wildlife").vocabulary
    taught = Mapper(vocabulary, encoder, never_means={"deer": ["caribou"]})

    assert names(taught.map("a caribou", ["species"])) == []
    assert names(taught.map("a caribou and a stag with antlers", ["species"])) == ["deer"]


def test_of_many_keywords_those_are_weighed_that_words_lead_to(encoder: SentenceEncoder) -> None:
    wildlife = read_field("wildlife").vocabulary
    many = [Keyword("numbers", f"number {number}") for number in range(1_500)]
    large = Mapper([*wildlife, *many], encoder)

    mapping = large.map("stags by the river at dusk")

    assert {"deer", "dusk"} <= set(names(mapping))
    assert large.map("zorp blick").unexplained == ("zorp", "blick")


def test_a_part_of_a_name_that_never_means_it_leaves_the_name_alone(
    encoder: SentenceEncoder,
) -> None:
    vocabulary = read_field("wildlife").vocabulary
    taught = Mapper(vocabulary, encoder, never_means={"red fox": ["fox"]})

    assert names(taught.map("a fox", ["species"])) == []
    assert names(taught.map("a red fox", ["species"])) == ["red fox"]


def test_a_field_has_its_own_words_for_what_the_table_knows(wildlife: Mapper) -> None:
    """The table of driving knows "night" and "rain"; it must not take over another field."""
    assert set(names(wildlife.map("marsh after midnight in a downpour"))) == {
        *("wetland", "night", "rain")
    }


def test_fields_are_labelled_with_their_own_keywords() -> None:
    for name in ("wildlife", "sports", "cooking", "security", "travel"):
        field: Field = read_field(name)
        known = {(k.group, k.name) for k in field.vocabulary}
        for query in field.queries:
            assert all(any((g, k) in known for g in query.groups) for k in query.keywords), query
