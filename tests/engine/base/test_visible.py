"""Hidden characters made visible: which they are, that no two texts look the same, and the cost."""

from __future__ import annotations

import time
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.base.errors import InputError, Place
from engine.base.messages import (
    LONGEST_MESSAGE,
    fit_message,
    fit_on_line,
    list_names,
    quote,
    suggest,
)
from engine.base.visible import is_hidden, make_visible, spell_hidden, spell_message

HIDDEN = "\x1b\x07\x08\r\n\t\x9b\xad\u034f\u115f\u17b4\u180b\u200b\u200d\u2028\u202e\u2060\u2066"
BLANK = "\xa0\u2003\u2800\u3164\ufe0f\ufeff\uffa0\ufff9\ufffc\U0001bca0\U0001d173"
TAGS = "\U000e0041\U000e0fff"
BROKEN = "\ud800\udfff\ufffe\U0010ffff\ue000\u0378"
SEEN = "a Zß日本語\u3000é🚲बाبe\u0301"

texts = st.text(
    st.sampled_from(HIDDEN + BLANK + BROKEN + "\\\\\\xuUntr0123456789abcdef "), max_size=12
)


def test_what_is_not_seen_is_hidden_and_what_is_seen_is_not() -> None:
    assert all(map(is_hidden, HIDDEN + BLANK + TAGS + BROKEN))
    assert not any(map(is_hidden, SEEN))


def test_every_control_format_and_space_of_unicode_is_hidden() -> None:
    kinds = ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp", "Zs")
    every = (chr(code) for code in range(0x110000))
    shown = {one for one in every if unicodedata.category(one) in kinds and not is_hidden(one)}
    assert shown == {" ", "\u3000"}


@given(texts, texts)
def test_no_two_texts_look_the_same(one: str, other: str) -> None:
    assert (make_visible(one) == make_visible(other)) == (one == other)


@pytest.mark.parametrize("hidden", HIDDEN + BLANK)
def test_nor_does_a_spelling_look_like_what_it_spells(hidden: str) -> None:
    spelling = str(spell_hidden(hidden))
    assert make_visible(spelling) != make_visible(hidden)
    assert make_visible("\\" + hidden) != make_visible("\\" + spelling)


@given(texts)
def test_what_is_visible_stays_as_it_is(text: str) -> None:
    shown = make_visible(text)
    assert not any(map(is_hidden, shown))
    assert make_visible(shown) == spell_hidden(shown) == shown


@given(texts)
def test_no_message_hides_anything(text: str) -> None:
    for shown in (quote(text), list_names([text]), fit_on_line(text), fit_message(text)):
        assert not any(map(is_hidden, shown))


@given(texts, texts)
def test_no_two_places_look_the_same(one: str, other: str) -> None:
    assert one == other or str(Place(one)) != str(Place(other))
    assert one == other or str(Place(column=one)) != str(Place(column=other))


@given(texts)
def test_a_text_that_a_message_quotes_is_spelt_once(text: str) -> None:
    for quoted in (make_visible(text), quote(text), fit_on_line(text)):
        said = spell_message(f"no prototype: {quoted}")
        assert make_visible(said) == spell_hidden(said) == said == f"no prototype: {quoted}"


def test_nor_is_a_quoted_name_doubled_where_it_is_too_long_to_be_listed() -> None:
    assert list_names([quote("\u200d" + "x" * 58)]).startswith("'\\u200dxx")


def test_plain_ids_cost_nothing() -> None:
    ids = [f"urban_bicyclist_{number:06}" for number in range(100_000)]
    start = time.process_time()
    shown = list(map(make_visible, ids))
    assert all(one is other for one, other in zip(shown, ids, strict=True))
    assert time.process_time() - start < 0.5


LONG = "x" * 250_000


@pytest.mark.parametrize(
    "error",
    [
        InputError(f"no column {LONG!r}", "clips.csv", hint="write a header"),
        InputError("no column", Place(f"/data/{LONG}/clips.csv", 3, LONG), hint="write a header"),
        InputError("no column", "clips.csv", hint=f"found {LONG}; write a header"),
        InputError(LONG, Place(LONG, 3, LONG, LONG), hint=f"{LONG} write a header"),
        InputError("\u200b" * 9000, "clips.csv", hint="write a header"),
    ],
)
def test_an_error_is_short_and_says_where_and_what_to_do(error: InputError) -> None:
    text = str(error)
    assert len(text) < LONGEST_MESSAGE
    assert "…" in text
    assert text.endswith("write a header")
    assert len(error.message) < LONGEST_MESSAGE and len(error.hint) < LONGEST_MESSAGE


def test_an_error_of_usual_length_is_whole() -> None:
    hint = f"groups: {list_names(f'group_{number}' for number in range(30))}"
    assert str(InputError("no such group", "a.csv", hint=hint)) == f"a.csv: no such group; {hint}"


def test_two_spaces_are_not_one() -> None:
    assert str(InputError("no clip 'a  b'\n in it")) == "no clip 'a  b' in it"


def test_nothing_is_suggested_for_what_nobody_typed() -> None:
    assert suggest("clas", ["class"]) == 'did you mean "class"?'
    assert suggest(LONG, [LONG + "y"]) == ""
