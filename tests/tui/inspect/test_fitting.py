"""What was asked of a dataset once is made to fit the dataset as it is now."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engine.dataset.ground_truth import GroundTruth
from engine.keywords.question import Question
from engine.keywords.workbench import select
from tui.work.fitting import fit_question

TRUTH = GroundTruth.from_columns(
    ["a", "b"],
    {"object_type": [["car", "bus"], ["car"]], "scene_type": [["city"], ["rain"]]},
)
ASKED = Question("text", "a red car", "one", ("object_type",), ("object_type:bus",))


def test_what_fits_stays_as_it_is_and_nothing_is_said() -> None:
    question = replace(ASKED, keywords=("object_type:car",))

    found = fit_question(question, TRUTH)

    assert found.question == question
    assert found.complaint() == ""


def test_left_out_keywords_that_are_gone_are_dropped_and_named() -> None:
    found = fit_question(replace(ASKED, left_out=("object_type:tram", "object_type:bus")), TRUTH)

    assert found.question == ASKED
    assert found.left_out == ("object_type:tram",)
    assert "left-out keyword object_type:tram" in found.complaint()


def test_a_keyword_of_a_group_that_is_gone_is_dropped_with_it() -> None:
    question = replace(ASKED, groups=("object_type", "weather"), left_out=("weather:snow",))

    found = fit_question(replace(question, keywords=("weather:fog", "object_type:car")), TRUTH)

    assert found.question.groups == ("object_type",)
    assert found.question.left_out == ()
    assert found.question.keywords == ("object_type:car",)
    for words in ("group weather", "left-out keyword weather:snow", "query keyword weather:fog"):
        assert words in found.complaint()


def test_without_any_known_group_all_are_chosen() -> None:
    found = fit_question(replace(ASKED, groups=("weather",), left_out=()), TRUTH)

    assert found.question.groups == ("object_type", "scene_type")


@pytest.mark.parametrize(
    ("pinned", "expected"),
    [
        (("object_type:tram",), None),  # as if they had not been set: they are found again
        (("object_type:tram", "object_type:car"), ("object_type:car",)),
        ((), ()),  # none, set by hand
        (None, None),
    ],
)
def test_keywords_set_by_hand_that_are_gone_are_dropped(
    pinned: tuple[str, ...] | None, expected: tuple[str, ...] | None
) -> None:
    assert fit_question(replace(ASKED, keywords=pinned), TRUTH).question.keywords == expected


def test_if_all_that_is_left_was_left_out_nothing_is() -> None:
    left_out = ("object_type:car", "object_type:bus")

    found = fit_question(replace(ASKED, left_out=left_out), TRUTH)

    assert found.question.left_out == ()
    assert found.left_out == left_out
    assert select(TRUTH, found.question.groups, found.question.left_out).keywords


def test_a_query_clip_that_is_gone_leaves_nothing_asked() -> None:
    found = fit_question(ASKED.about("video", "c"), TRUTH)

    assert (found.question.mode, found.question.query) == ("text", "")
    assert found.clip == "c"
    assert "query clip c" in found.complaint()
    assert fit_question(ASKED.about("video", "a"), TRUTH).question.query == "a"


def test_names_are_written_as_the_dataset_writes_them_now() -> None:
    found = fit_question(
        replace(ASKED, groups=("pv_Object Type",), left_out=("Object-Type:BUS",)), TRUTH
    )

    assert found.question.groups == ("object_type",)
    assert found.question.left_out == ("object_type:bus",)
    assert found.complaint() == ""


def test_many_names_are_counted_not_listed() -> None:
    gone = tuple(f"object_type:x{number}" for number in range(10))

    words = fit_question(replace(ASKED, left_out=gone), TRUTH).complaint()

    assert "left-out keywords object_type:x0, object_type:x1, object_type:x2 and 7 more" in words
