"""What is asked, as it changes piece by piece."""

from __future__ import annotations

import pytest

from engine.keywords.question import Question
from tui.inspect.conversation import Conversation

GROUPS = ("object", "scene", "weather")


@pytest.fixture
def talk() -> Conversation:
    """About a text, judged by the objects."""
    talk = Conversation(Question("text", "", "alfa", ("object",)))
    talk.ask(talk.question.about("text", "rainy bus"))
    return talk


def test_a_keyword_brings_its_group_along_and_takes_it_away_again(talk: Conversation) -> None:
    talk.ask(talk.edit([("weather:rain", True)], ("object:bus",), GROUPS))
    assert talk.question.groups == ("object", "weather")
    assert talk.question.keywords == ("object:bus", "weather:rain")

    talk.ask(talk.edit([("weather:rain", False)], talk.question.keywords, GROUPS))

    assert talk.question.groups == ("object",)


def test_a_group_that_was_chosen_stays_without_its_keyword(talk: Conversation) -> None:
    talk.ask(talk.edit([("object:bus", False)], ("object:bus",), GROUPS))

    assert (talk.question.groups, talk.question.keywords) == (("object",), ())


def test_a_keyword_that_was_left_out_counts_again_when_it_is_added(talk: Conversation) -> None:
    talk.question = Question("text", "rainy bus", "alfa", ("object",), ("object:car", "object:van"))

    added = talk.edit([("object:car", True)], (), GROUPS)

    assert added.left_out == ("object:van",)


def test_restoring_goes_back_to_what_is_mapped_and_to_the_groups_before(
    talk: Conversation,
) -> None:
    talk.ask(talk.edit([("weather:rain", True)], ("object:bus",), GROUPS))

    talk.ask(talk.restore())

    assert (talk.question.groups, talk.question.keywords) == (("object",), None)


def test_another_query_forgets_what_waited_and_what_came_along(talk: Conversation) -> None:
    talk.ask(talk.edit([("weather:rain", True)], ("object:bus",), GROUPS))
    talk.wait([("object:car", True)])

    talk.ask(talk.question.about("video", "clip_1"), go_to="clip_2")

    assert talk.take_edits() == []
    assert talk.go_to == "clip_2"
    assert talk.restore().groups == ("object", "weather")  # they are the user's own by now


def test_edits_of_the_same_query_wait_and_are_taken_once(talk: Conversation) -> None:
    talk.wait([("object:car", True)])
    talk.ask(talk.restore())
    talk.wait([("object:bus", None)])

    assert talk.take_edits() == [("object:car", True), ("object:bus", None)]
    assert talk.take_edits() == []


def test_nothing_is_left_of_a_conversation_that_is_forgotten(talk: Conversation) -> None:
    talk.ask(talk.question.about("text", "bus"))
    talk.wait([("object:car", True)])

    talk.forget()

    assert (talk.question.query, talk.question.groups) == ("", ("object",))
    assert talk.trail.step(-1) is None
    assert talk.take_edits() == []
