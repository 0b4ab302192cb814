"""What holds for any text: no word speaks twice, spans are offsets, long texts stay quick."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.base.keyword import Keyword
from engine.text.mapping.choice import choose
from engine.text.mapping.evidence import Evidence, read_evidence
from engine.text.mapping.lexicon import Lexicon, compile_lexicon
from engine.text.mapping.mapper import Mapper
from engine.text.mapping.query_words import Word, split_words
from tests.engine.text.test_mapper_rules import OBJECT, NoModel
from tests.examples import examples

ODD = ["ﷺ", "\ufe70", "\ud800", "½", "ǅ", "İ", "ß", "’", "n't", "\u200b", "e\u0301", "㎞", "Ꮿ"]
SAID = (
    "left right front behind ahead adjacent split lane corridor and or not no , . the of in on to "
    "ego our us we turn turning across path oncoming car bus stop truck pedestrian crossing cross "
    "straight bike lane dark gray road street night day parked approaching intersection merging"
).split()

texts = st.one_of(
    st.text(max_size=80),
    st.lists(st.sampled_from(SAID + ODD), max_size=24).map(" ".join),
    st.lists(st.one_of(st.sampled_from(SAID + ODD), st.characters()), max_size=24).map("".join),
)


@pytest.fixture(scope="module")
def mapper(field_keywords: tuple[Keyword, ...]) -> Mapper:
    return Mapper(field_keywords, NoModel())


@pytest.fixture(scope="module")
def lexicon(field_keywords: tuple[Keyword, ...]) -> Lexicon:
    return compile_lexicon([keyword.name for keyword in field_keywords])


@given(texts)
@examples(300)
def test_any_text_maps_and_its_spans_are_offsets_in_it(mapper: Mapper, text: str) -> None:
    mapping = mapper.map(text, OBJECT)

    for item in (*mapping.keywords, *mapping.near, *mapping.outside):
        assert 0 <= item.span[0] < item.span[1] <= len(text)
        assert item.ngram == text[slice(*item.span)]
    keywords = [item.keyword for item in (*mapping.keywords, *mapping.outside)]
    assert len(set(keywords)) == len(keywords)


@given(texts)
def test_a_word_holds_no_space(text: str) -> None:
    assert all(len(word.form.split()) == 1 for word in split_words(text, {}))


@given(texts)
@examples(300)
def test_no_word_speaks_for_two_keywords_that_are_not_contraries(
    field_keywords: tuple[Keyword, ...], lexicon: Lexicon, text: str
) -> None:
    words = split_words(text, lexicon.spelling)
    found = read_evidence(words, lexicon).evidence
    chosen = choose(found, words, lambda n: field_keywords[n].group, lexicon.contrasts)

    for number, one in enumerate(chosen):
        for other in chosen[number + 1 :]:
            shared = set(one.positions) & set(other.positions)
            assert not shared or _are_contraries(one, other, words, lexicon)


def _are_contraries(one: Evidence, other: Evidence, words: list[Word], lexicon: Lexicon) -> bool:
    mine = {words[p].stem for p in set(one.positions) - set(other.positions)}
    yours = {words[p].stem for p in set(other.positions) - set(one.positions)}
    return one.keyword != other.keyword and any(lexicon.contrasts.get(s) in yours for s in mine)


@pytest.mark.parametrize(
    "text",
    [
        "left right front behind adjacent split lane corridor " * 600,
        "left right front behind adjacent split lane corridor. " * 600,
        "oncoming car turn across our path " * 800,
        "turn " * 5000,
        "no car or " * 1600,
        "dark " * 5000,
        "cut " + "the " * 5000,
        " ".join(random.Random(1).choices(SAID, k=5000)),
    ],
    ids=lambda text: text[:20],
)
def test_a_text_of_thousands_of_words_is_mapped_word_for_word(mapper: Mapper, text: str) -> None:
    """Half a second each; a step that grows with the square of the text would take minutes."""
    mapping = mapper.map(text)

    assert all(text[slice(*item.span)] == item.ngram for item in mapping.keywords)


def test_a_keyword_at_the_end_of_a_long_text_is_found(mapper: Mapper) -> None:
    mapping = mapper.map("left right front behind adjacent split " * 200 + "bicyclist", OBJECT)

    assert [k.keyword.name for k in mapping.keywords] == ["bicyclist"]


def test_a_vocabulary_without_a_single_word_maps_nothing() -> None:
    mapper = Mapper([Keyword("g", "!!!"), Keyword("g", "🚗")], NoModel())

    assert mapper.map("a car").keywords == ()
