"""The filter language: what each term means, and what is said of a term that means nothing."""

from __future__ import annotations

import pytest

from engine.base.errors import InputError
from engine.base.keyword import Keyword
from engine.dataset.vocabulary import Vocabulary
from engine.keywords.query_filter import (
    Filter,
    KeywordTerm,
    ValueTerm,
    WordTerm,
    parse_filter,
    write_term,
)
from engine.metrics import Measure, find_profile

ALFA = find_profile("alfa")
WORDS = Vocabulary(
    ("object_type", "actor_behavior", "scene_type"),
    (
        Keyword("object_type", "bicyclist"),
        Keyword("object_type", "other"),
        Keyword("actor_behavior", "entering ego path"),
        Keyword("scene_type", "other"),
        Keyword("scene_type", 'a "quoted" \\ name'),
    ),
)


def parse(text: str, groups: tuple[str, ...] | None = None) -> Filter:
    return parse_filter(text, WORDS, ALFA.measures(), ALFA, groups)


def terms(text: str) -> tuple[object, ...]:
    return parse(text).terms


@pytest.mark.parametrize("text", ["", "   ", '""'])
def test_an_empty_line_is_a_filter_that_everything_passes(text: str) -> None:
    assert parse(text) == Filter()


def test_words_are_separate_terms_and_quotes_hold_a_phrase_together() -> None:
    assert terms('Ego LANE "turning left"') == (
        WordTerm("ego"),
        WordTerm("lane"),
        WordTerm("turning left"),
    )


@pytest.mark.parametrize(
    "text", ["kw:bicyclist", "KW:object_type:bicyclist", 'kw:"object_type:bicyclist"']
)
def test_a_keyword_is_named_with_or_without_its_group(text: str) -> None:
    assert terms(text) == (KeywordTerm(WORDS.keywords[0]),)


def test_a_keyword_of_several_words_stands_in_quotes() -> None:
    found = KeywordTerm(WORDS.keywords[2])
    assert terms('kw:"entering ego path"') == (found,)
    assert terms('kw:actor_behavior:"entering ego path" x') == (found, WordTerm("x"))


@pytest.mark.parametrize("keyword", WORDS.keywords, ids=str)
def test_every_keyword_can_be_written_as_a_term(keyword: Keyword) -> None:
    assert terms(write_term(keyword)) == (KeywordTerm(keyword),)


def test_a_keyword_of_several_groups_is_looked_for_where_queries_have_it() -> None:
    assert parse("kw:other", ("scene_type",)).terms == (KeywordTerm(WORDS.keywords[3]),)
    with pytest.raises(InputError, match="several groups"):
        parse("kw:other")


@pytest.mark.parametrize("operator", ["<", "<=", ">", ">=", "=", "!="])
def test_a_value_is_compared_by_each_operator_with_or_without_spaces(operator: str) -> None:
    recall = Measure.parse("P@5")
    expected = (ValueTerm(recall, operator, 0.4, 1),)  # type: ignore[arg-type]
    assert terms(f"Recall@5{operator}0.4") == expected
    assert terms(f"recall@5 {operator} 0.4") == expected


def test_a_measure_has_its_label_and_its_id_and_relevant_clips_are_r() -> None:
    assert terms("P@5=1") == terms("Recall@5=1") == terms("Recall@5==1")
    assert terms("R>=10") == (ValueTerm(None, ">=", 10.0),)


def test_a_leading_minus_negates_a_term_of_any_kind() -> None:
    assert [term.negated for term in parse("-lane -kw:bicyclist -R<3 ego").terms] == [
        True,
        True,
        True,
        False,
    ]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("kw:bicylist", r'unknown keyword "bicylist"; did you mean "bicyclist"\?'),
        ("kw:zebra", "there are: bicyclist"),
        ("kw:", "kw: needs a keyword"),
        ("Recal@5<1", r'unknown measure "Recal@5"; did you mean "Recall@5"\?'),
        ("Recall@7<1", "Recall@7 was not computed; there are: R, Recall@1"),
        ("Recall@5<", "Recall@5< has nothing behind it; write a number"),
        ("Recall@5<much", 'has "much" behind it'),
        ("R>nan", 'has "nan" behind it'),
    ],
)
def test_what_cannot_be_read_is_said_with_a_remedy(text: str, says: str) -> None:
    with pytest.raises(InputError, match=says):
        parse(text)


@pytest.mark.parametrize("text", ["-", '"', "--x", '-"', "\\", '"\\', "<", "= 3", '"a"b', "kw:x\\"])
def test_any_line_is_either_read_or_refused_in_words(text: str) -> None:
    try:
        parse(text)
    except InputError as error:
        assert str(error)
