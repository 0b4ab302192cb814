"""What a text says that no keyword explains: which words, what comes near, in how much room."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest

from engine.base.keyword import Keyword
from engine.text.mapping.mapper import KeywordMapping, MappedKeyword
from tui.inspect.lessons import Lesson, find_lesson, find_unexplained_spans
from tui.inspect.not_understood import describe_not_understood, list_offers
from tui.look.glyphs import ASCII, UNICODE
from tui.widgets.lines_view import Line

DEER, FOX, REST, NIGHT = (
    Keyword("animal", "deer"),
    Keyword("animal", "red fox"),
    Keyword("scene", "resting"),
    Keyword("scene", "night"),
)


@dataclass
class Known:
    """What the bar knows of a query."""

    mapping: KeywordMapping | None
    keywords: tuple[Keyword, ...] = ()
    selection: tuple[Keyword, ...] = field(default=(DEER, FOX, REST, NIGHT))


def mapped(
    query: str, keyword: Keyword, ngram: str, score: float = 0.95, why: str = "synonym"
) -> MappedKeyword:
    start = query.index(ngram)
    return MappedKeyword(keyword, score, ngram, (start, start + len(ngram)), why)


def known(
    query: str,
    unexplained: str,
    *near: tuple[Keyword, str, float],
    has: tuple[Keyword, ...] = (),
    found: tuple[tuple[Keyword, str, str], ...] = (),
) -> Known:
    mapping = KeywordMapping(
        query,
        tuple(mapped(query, word, ngram, why=why) for word, ngram, why in found),
        tuple(mapped(query, word, ngram, score, "similar") for word, ngram, score in near),
        unexplained=tuple(unexplained.split()),
    )
    return Known(mapping, has)


def said(lines: list[Line]) -> list[str]:
    return ["".join(text for text, _ in line.spans) for line in lines]


STAG = known("napping stag", "napping stag", (REST, "napping", 0.41), (DEER, "stag", 0.17))


def test_words_and_the_nearest_keywords_stand_on_one_line_where_there_is_room() -> None:
    lines = describe_not_understood(STAG, 80, UNICODE)

    assert said(lines) == [
        "not understood: napping · stag   nearest: resting 0.41 (E adds it), deer 0.17"
    ]
    assert lines[0].spans[0][1] == "part"  # amber


def test_else_they_stand_on_two() -> None:
    assert said(describe_not_understood(STAG, 60, ASCII)) == [
        "not understood: napping | stag",
        "nearest: resting 0.41 (E adds it), deer 0.17",
    ]


@pytest.mark.parametrize("width", range(32, 90, 3))
def test_whatever_is_left_out_is_counted(width: int) -> None:
    words = [f"word{number}" for number in range(30)]
    near = [(word, words[0], 0.3) for word in (DEER, FOX, REST, NIGHT)]
    lines = said(
        describe_not_understood(known(" ".join(words), " ".join(words), *near), width, UNICODE)
    )

    shown = [word for word in words if word in lines[0].replace("·", " ").split()]
    assert f"+{30 - len(shown)} more" in lines[0]
    offered = [word.name for word, *_ in near if word.name in lines[1]]
    assert offered[0] == "deer"
    assert len(offered) == 4 or f"+{4 - len(offered)} more" in lines[1]
    assert len(lines[0]) <= width


def test_a_keyword_that_is_near_to_explained_words_alone_is_not_offered() -> None:
    query = known("stag at sunset", "stag", (NIGHT, "sunset", 0.4), (DEER, "stag", 0.2))

    assert [item.keyword for item in list_offers(query)] == [DEER]


def test_the_nearest_keyword_of_a_possessive_is_offered() -> None:
    query = known("a buck's call", "buck's call", (DEER, "buck's", 0.2))

    assert [item.keyword for item in list_offers(query)] == [DEER]


def test_a_text_without_words_says_that_it_cannot_be_read() -> None:
    assert said(describe_not_understood(known("🦌!", ""), 80, UNICODE)) == [
        "not understood: nothing in this text can be read, as it has no words"
    ]


def test_a_keyword_that_is_taken_or_left_out_is_not_offered() -> None:
    near = ((REST, "napping", 0.4), (DEER, "stag", 0.2))
    taken = known("napping stag", "napping stag", *near, has=(REST,))
    assert [item.keyword for item in list_offers(taken)] == [DEER]

    taken.selection = (REST,)
    assert list_offers(taken) == ()
    assert said(describe_not_understood(taken, 80, UNICODE)) == [
        "not understood: napping · stag   no other keyword near: add one with e, i"
    ]


def test_where_nothing_is_near_it_is_said_how_a_keyword_is_added() -> None:
    assert said(describe_not_understood(known("zebra", "zebra"), 80, UNICODE)) == [
        "not understood: zebra   no keyword near: add one with e, i"
    ]


def test_of_a_clip_and_of_a_text_that_was_understood_nothing_is_said() -> None:
    assert describe_not_understood(Known(None), 80, UNICODE) == []
    assert describe_not_understood(known("deer", ""), 80, UNICODE) == []


# What can be learned


def test_an_added_keyword_may_be_meant_by_what_came_near_then_by_all_that_was_not_understood() -> (
    None
):
    query = known(
        "a big red stag, napping", "big red stag napping", (DEER, "red stag", 0.3), has=(DEER,)
    )
    assert find_lesson(query, "animal:deer") == Lesson(
        DEER, ("red stag", "big red stag", "big red", "red", "stag", "big", "napping")
    )


def test_words_that_are_explained_are_no_part_of_a_phrase() -> None:
    query = known(
        "vixen nursing her cubs", "vixen cubs", (FOX, "vixen nursing her cubs", 0.2),
        has=(FOX, REST), found=((REST, "nursing", "synonym"),),
    )  # fmt: skip
    assert find_lesson(query, "animal:red fox") == Lesson(FOX, ("vixen", "cubs"))


def test_the_same_word_twice_is_found_where_nothing_explains_it() -> None:
    query = known(
        "red fox near red tape", "near red tape", has=(FOX, NIGHT),
        found=((FOX, "red fox", "exact"),),
    )  # fmt: skip
    lesson = find_lesson(query, "scene:night")
    assert lesson is not None and lesson.phrases[0] == "near red tape"


@pytest.mark.parametrize(
    ("text", "unexplained", "place"),
    [
        ("no stag, a stag", "stag", 11),  # the first is denied
        ("red fox, red tape", "red tape", 9),  # the first is a keyword's
        ("stag by the stag", "stag stag", 0),
        ("big red fox", "big", 0),
    ],
)
def test_words_that_nothing_explains_are_found_where_they_stand(
    text: str, unexplained: str, place: int
) -> None:
    found = ((FOX, "red fox", "exact"),) if "red fox" in text else ()
    query = known(text, unexplained, found=found)
    assert query.mapping is not None
    spans = find_unexplained_spans(query.mapping)
    assert spans[0][0] == place
    assert [text[start:end] for start, end in spans] == unexplained.split()


def test_a_word_within_what_a_keyword_spans_does_not_hide_those_that_follow() -> None:
    query = known(
        "nursing big cubs by a stag", "big stag", found=((REST, "nursing big cubs", "x"),)
    )
    assert query.mapping is not None
    assert find_unexplained_spans(query.mapping) == [(8, 11), (22, 26)]


def test_only_phrases_that_can_be_kept_are_offered() -> None:
    several = known("big, red stag", "", has=(DEER,), found=((FOX, "big, red stag", "similar"),))
    assert find_lesson(several, "animal:deer") is None
    never = known("big, red stag", "", found=((FOX, "big, red stag", "similar"),))
    assert find_lesson(never, "animal:red fox") is None
    words = known("stag. napping", "stag napping", (DEER, "stag. napping", 0.2), has=(DEER,))
    assert find_lesson(words, "animal:deer") == Lesson(DEER, ("stag", "napping"))


def test_words_that_were_taken_for_a_dropped_keyword_may_mean_the_added_one() -> None:
    query = known("sunset", "", has=(NIGHT,), found=((REST, "sunset", "wordnet"),))
    assert find_lesson(query, "scene:night") == Lesson(NIGHT, ("sunset",))


def test_a_dropped_keyword_is_never_meant_by_its_words() -> None:
    query = known("at ease", "", found=((REST, "at ease", "similar"),))
    lesson = find_lesson(query, "scene:resting")
    assert lesson == Lesson(REST, ("at ease",), never=True)
    assert lesson is not None
    assert lesson.describe("at ease") == '"at ease" never means resting'


def test_nothing_is_learned_where_a_keyword_is_named_itself_or_nothing_could_mean_it() -> None:
    named = known("resting", "", found=((REST, "resting", "exact"),))
    assert find_lesson(named, "scene:resting") is None
    assert find_lesson(known("deer", "", has=(NIGHT,)), "scene:night") is None
    kept = known("at ease", "", has=(REST,), found=((REST, "at ease", "similar"),))
    assert find_lesson(kept, "scene:resting") is None
    assert find_lesson(known("stag", "stag"), "animal:deer") is None  # added, and dropped again
    assert find_lesson(Known(None, (DEER,)), "animal:deer") is None


def test_a_long_phrase_is_cut_where_it_is_shown() -> None:
    phrase = "x" * 60
    assert Lesson(DEER, (phrase,)).describe(phrase) == f'"{"x" * 39}…" means deer'
