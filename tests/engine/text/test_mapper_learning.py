"""Learning from labelled queries: what helps elsewhere is taken, what came by chance is not."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.base.errors import InputError
from engine.base.keyword import Keyword
from engine.text.encoder import SentenceEncoder
from engine.text.learning.folds import deal_folds
from engine.text.learning.labelled import LabelledText
from engine.text.learning.learn import LearnedPhrase, learn_phrases
from engine.text.mapping.mapper import Mapper

WOLF, HARE = Keyword("species", "wolf"), Keyword("species", "hare")
NIGHT, DAY = Keyword("time", "night"), Keyword("time", "day")
VOCABULARY = (WOLF, HARE, NIGHT, DAY)
GROUPS = ("species", "time")
ANIMALS = "wolf hare deer fox otter lynx badger heron moose bison seal crane".split()


def label(text: str, *meant: Keyword) -> LabelledText:
    return LabelledText(text, GROUPS, frozenset(meant))


@pytest.fixture(scope="module")
def mapper(encoder: SentenceEncoder) -> Mapper:
    return Mapper(VOCABULARY, encoder)


TAUGHT = (
    label("a zorp at night", WOLF, NIGHT),
    label("the zorp by day", WOLF, DAY),
    label("zorps at night", WOLF, NIGHT),
    label("two zorps by day", WOLF, DAY),
    label("a hare at night", HARE, NIGHT),
    label("a hare by day", HARE, DAY),
)


def said(learned: tuple[LearnedPhrase, ...]) -> set[tuple[str, str, bool]]:
    return {(o.proposal.phrase, o.proposal.keyword.name, o.proposal.never) for o in learned}


def test_a_word_that_several_queries_agree_on_is_learned(mapper: Mapper) -> None:
    lesson = learn_phrases(mapper, TAUGHT)
    (one,) = lesson.taken
    assert said(lesson.taken) == {("zorp", "wolf", False)}
    assert (one.support, one.said, one.fixes, one.breaks, one.once) == (4, 4, 4, 0, False)
    assert lesson.before.exact == 2
    assert lesson.after.exact == 6


def test_what_was_learned_does_what_it_says(mapper: Mapper) -> None:
    lesson = learn_phrases(mapper, TAUGHT)
    table: dict[str, list[str]] = {}
    for one in lesson.taken:
        table.setdefault(one.proposal.keyword.name, []).append(one.proposal.phrase)
    found = mapper.with_phrases(table, {}).map("an old zorp").keywords
    assert [(item.keyword, item.why) for item in found] == [(WOLF, "synonym")]
    assert mapper.map("an old zorp").keywords == ()


def test_what_one_query_says_is_marked(mapper: Mapper) -> None:
    lesson = learn_phrases(mapper, [label("zorp at night", WOLF, NIGHT), *TAUGHT[4:]])
    (one,) = lesson.taken
    assert (one.proposal.phrase, one.once, one.fixes, one.breaks) == ("zorp", True, 1, 0)
    # Nothing can be learned of it without the query itself.
    assert lesson.after == lesson.before
    assert lesson.before.exact == 2


def test_a_query_is_fixed_once_however_much_was_wrong(mapper: Mapper) -> None:
    assert [item.keyword for item in mapper.map("a bunny").keywords] == [HARE]
    lesson = learn_phrases(mapper, [label("a bunny", WOLF), *TAUGHT[4:]])
    (one,) = (one for one in lesson.taken if not one.proposal.never)
    assert (one.proposal.phrase, one.proposal.keyword) == ("bunny", WOLF)
    assert (one.support, one.fixes, one.breaks) == (1, 1, 0)


def test_phrases_are_spelled_as_the_queries_say_them(mapper: Mapper) -> None:
    kerbs = [
        label("kerb at night", HARE, NIGHT),
        label("the Kerb by day", HARE, DAY),
        label("a kerb", HARE),
    ]
    lesson = learn_phrases(mapper, [*kerbs, *TAUGHT[4:]])
    assert said(lesson.taken) == {("kerb", "hare", False)}
    taught = mapper.with_phrases({"hare": ["kerb"], "wolf": ["beside our car"]}, {})
    for text, keyword in (("a curb", HARE), ("two kerbs", HARE), ("beside the ego", WOLF)):
        assert [item.keyword for item in taught.map(text).keywords] == [keyword]


def test_the_same_query_twice_is_still_seen_once(mapper: Mapper) -> None:
    twice = [label("zorp at night", WOLF, NIGHT), label("Zorp  at night", WOLF, NIGHT)]
    lesson = learn_phrases(mapper, [*twice, *TAUGHT[4:]])
    assert [one.once for one in lesson.taken] == [True]
    assert lesson.after == lesson.before


def test_support_can_be_asked_for(mapper: Mapper) -> None:
    once = label("a blipf at night", HARE, NIGHT)
    assert ("blipf", "hare", False) in said(learn_phrases(mapper, [*TAUGHT, once]).taken)
    lesson = learn_phrases(mapper, [*TAUGHT, once], least=2)
    assert said(lesson.taken) == {("zorp", "wolf", False)}


def test_a_word_that_means_now_this_now_that_is_not_learned(mapper: Mapper) -> None:
    torn = [
        label("zorp at night", WOLF, NIGHT),
        label("zorp by day", HARE, DAY),
        label("a zorp at night", HARE, NIGHT),
        label("the zorp by day", WOLF, DAY),
    ]
    assert said(learn_phrases(mapper, torn).taken) == set()


def test_a_phrase_that_misleads_is_forbidden(mapper: Mapper) -> None:
    asked = [
        label("night shift workers by day", DAY),
        label("a hare and the night shift"),
        label("night shift"),
        label("a wolf at night", WOLF, NIGHT),
        label("a hare at night", HARE, NIGHT),
        label("night and day", NIGHT, DAY),
    ]
    asked[1] = label("a hare and the night shift", HARE)
    lesson = learn_phrases(mapper, asked)
    assert said(lesson.taken) == {("night shift", "night", True)}
    assert lesson.after.exact == lesson.before.exact + 3
    table = {"night": ["night shift"]}
    assert mapper.with_phrases({}, table).map("the night shift").keywords == ()


def test_a_denied_word_teaches_nothing(mapper: Mapper) -> None:
    asked = [*TAUGHT, label("a hare, no zorps", HARE), label("a hare without any zorp", HARE)]
    assert said(learn_phrases(mapper, asked).taken) == {("zorp", "wolf", False)}


@given(st.permutations(TAUGHT))
def test_the_order_of_the_queries_does_not_matter(
    mapper: Mapper, shuffled: list[LabelledText]
) -> None:
    first, again = learn_phrases(mapper, TAUGHT), learn_phrases(mapper, shuffled)
    assert said(first.taken) == said(again.taken)
    assert (first.before, first.after) == (again.before, again.after)


@pytest.mark.parametrize("seed", range(3))
def test_labels_drawn_by_lot_are_not_said_to_help(encoder: SentenceEncoder, seed: int) -> None:
    """What is learned from its own queries looks good there; the cross-validation must know."""
    drawn = random.Random(seed)
    species = [Keyword("species", name) for name in ANIMALS]
    words = ["zorp", "blipf", "quux", "wibble", "frotz", "plugh"]
    asked = [label(" ".join(drawn.sample(words, 3)), drawn.choice(species)) for _ in range(40)]

    lesson = learn_phrases(Mapper(species, encoder), asked)

    assert lesson.taken, "nothing to be careful about"
    assert lesson.after.true_positives <= 4  # by lot one in twelve is right


def test_one_query_is_too_few(mapper: Mapper) -> None:
    with pytest.raises(InputError, match="too few"):
        learn_phrases(mapper, TAUGHT[:1])


@given(st.lists(st.sampled_from("abcdefgh"), min_size=1, max_size=30), st.integers(2, 6))
def test_folds_hold_every_query_once_and_equal_texts_together(texts: list[str], count: int) -> None:
    asked = [label(text) for text in texts]
    folds = deal_folds(asked, range(len(asked)), count)
    assert sorted(number for fold in folds for number in fold) == list(range(len(asked)))
    assert len(folds) == min(count, len(set(texts)))
    for fold in folds:
        own = {texts[number] for number in fold}
        assert all((texts[n] in own) == (n in fold) for n in range(len(texts)))
