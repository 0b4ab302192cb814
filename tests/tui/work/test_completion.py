"""Completion of queries and clip ids, by hand and against plain searching."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tui.work.completion import NOTHING_YET, Completer

KEYWORDS = ["bicyclist", "entering ego path", "ego turning", "left adjacent", "left adjacent front"]
COMPLETER = Completer.of(KEYWORDS, ["urban_1", "urban_10", "track_2"])

NAMES = st.text(alphabet="ab c", min_size=1, max_size=6).map(lambda t: " ".join(t.split()))
FILLED = NAMES.filter(bool)


@pytest.mark.parametrize(
    ("typed", "whole"),
    [
        ("b", "bicyclist"),
        ("a bi", "a bicyclist"),
        ("bicyclist ent", "bicyclist entering ego path"),
        ("bicyclist entering e", "bicyclist entering ego path"),
        ("ego t", "ego turning"),
        ("Ego T", "Ego Turning"),
        ("left", "left adjacent"),
        ("left adjacent f", "left adjacent front"),
    ],
)
def test_the_last_words_are_completed_to_a_keyword(typed: str, whole: str) -> None:
    assert COMPLETER.text(typed) == whole


@pytest.mark.parametrize("typed", ["", "   ", "zebra", "bicyclist", "bicyclist ", "a  "])
def test_where_there_is_nothing_to_complete_nothing_is_offered(typed: str) -> None:
    assert COMPLETER.text(typed) is None


def test_the_most_words_win() -> None:
    completer = Completer.of(["ego lane change", "lane closed"], [])

    assert completer.text("ego lane") == "ego lane change"
    assert completer.text("my lane") == "my lane closed"


def test_the_newest_query_that_begins_so_comes_before_keywords() -> None:
    history = ["bicyclist at night", "bicyclist by day", "bus"]

    assert COMPLETER.text("bi", history) == "bicyclist by day"
    assert COMPLETER.text("bicyclist at", history) == "bicyclist at night"
    assert COMPLETER.text("bus", history) is None


def test_what_was_typed_stays_as_it_was_typed() -> None:
    assert COMPLETER.text("Big BICY") == "Big BICYclist"


def test_letters_that_grow_when_made_small_do_not_shift_the_completion() -> None:
    keyword = "İzmir road".lower()

    assert Completer.of([keyword], []).text("İz") == "İzmir road"


@pytest.mark.parametrize(
    ("typed", "whole"),
    [("u", "urban_1"), ("urban_1", "urban_1"), ("urban_10", "urban_10"), ("t", "track_2")],
)
def test_a_clip_id_is_completed_to_the_first_that_begins_so(typed: str, whole: str) -> None:
    assert COMPLETER.clip(typed) == whole


@pytest.mark.parametrize("typed", ["", "U", "urban_2", "zzz"])
def test_no_clip_is_offered_that_does_not_begin_so(typed: str) -> None:
    assert COMPLETER.clip(typed) is None


def test_before_anything_is_read_nothing_is_offered() -> None:
    assert NOTHING_YET.text("a") is None
    assert NOTHING_YET.clip("a") is None
    assert NOTHING_YET.text("a", ["abc"]) == "abc"


@given(st.lists(st.text(alphabet="abc", max_size=4)), st.text(alphabet="abc", max_size=4))
def test_a_clip_equals_a_search_through_all_of_them(clips: list[str], typed: str) -> None:
    fitting = sorted(name for name in clips if name.startswith(typed)) if typed else []

    assert Completer.of([], clips).clip(typed) == (fitting[0] if fitting else None)


@given(st.lists(FILLED), st.text(alphabet="ab c", max_size=8), st.lists(FILLED, max_size=3))
def test_a_completion_goes_on_where_the_typed_text_ends(
    keywords: list[str], typed: str, history: list[str]
) -> None:
    whole = Completer.of(keywords, []).text(typed, history)

    if whole is not None:
        assert whole.startswith(typed)
        assert len(whole) > len(typed)
        assert whole in history or any(whole.endswith(keyword) for keyword in keywords)
