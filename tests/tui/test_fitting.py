"""What was asked of a dataset once is made to fit the dataset as it is now."""

from __future__ import annotations

import pytest

from engine.dataset.ground_truth import GroundTruth
from engine.keywords.workbench import select
from tui.inspect.fitting import fitted
from tui.inspect.inquiry import Inquiry

TRUTH = GroundTruth.from_columns(
    ["a", "b"],
    {"object_type": [["car", "bus"], ["car"]], "scene_type": [["city"], ["rain"]]},
)
ASKED = Inquiry("one", ("object_type",), "text", "a red car", ("object_type:bus",))


def test_what_fits_stays_as_it_is_and_nothing_is_said() -> None:
    inquiry = ASKED.with_keywords(("object_type:car",))

    found = fitted(inquiry, TRUTH)

    assert found.inquiry == inquiry
    assert found.told() == ""


def test_left_out_keywords_that_are_gone_are_dropped_and_named() -> None:
    found = fitted(
        ASKED.with_groups(("object_type",), ("object_type:tram", "object_type:bus")), TRUTH
    )

    assert found.inquiry == ASKED
    assert found.left_out == ("object_type:tram",)
    assert "left-out keyword object_type:tram" in found.told()


def test_a_keyword_of_a_group_that_is_gone_is_dropped_with_it() -> None:
    inquiry = ASKED.with_groups(("object_type", "weather"), ("weather:snow",))

    found = fitted(inquiry.with_keywords(("weather:fog", "object_type:car")), TRUTH)

    assert found.inquiry.groups == ("object_type",)
    assert found.inquiry.left_out == ()
    assert found.inquiry.keywords == ("object_type:car",)
    for words in ("group weather", "left-out keyword weather:snow", "hand-set keyword weather:fog"):
        assert words in found.told()


def test_without_any_known_group_all_are_chosen() -> None:
    found = fitted(ASKED.with_groups(("weather",)), TRUTH)

    assert found.inquiry.groups == ("object_type", "scene_type")


@pytest.mark.parametrize(
    ("pinned", "expected"),
    [
        (("object_type:tram",), None),  # as if they had not been set: they are found anew
        (("object_type:tram", "object_type:car"), ("object_type:car",)),
        ((), ()),  # none, set by hand
        (None, None),
    ],
)
def test_keywords_set_by_hand_that_are_gone_are_dropped(
    pinned: tuple[str, ...] | None, expected: tuple[str, ...] | None
) -> None:
    assert fitted(ASKED.with_keywords(pinned), TRUTH).inquiry.keywords == expected


def test_if_all_that_is_left_was_left_out_nothing_is() -> None:
    left_out = ("object_type:car", "object_type:bus")

    found = fitted(ASKED.with_groups(("object_type",), left_out), TRUTH)

    assert found.inquiry.left_out == ()
    assert found.left_out == left_out
    assert select(TRUTH, found.inquiry.groups, found.inquiry.left_out).keywords


def test_a_query_clip_that_is_gone_leaves_nothing_asked() -> None:
    found = fitted(ASKED.about("video", "c"), TRUTH)

    assert (found.inquiry.mode, found.inquiry.query) == ("text", "")
    assert found.clip == "c"
    assert "query clip c" in found.told()
    assert fitted(ASKED.about("video", "a"), TRUTH).inquiry.query == "a"


def test_names_are_written_as_the_dataset_writes_them_now() -> None:
    found = fitted(ASKED.with_groups(("pv_Object Type",), ("Object-Type:BUS",)), TRUTH)

    assert found.inquiry.groups == ("object_type",)
    assert found.inquiry.left_out == ("object_type:bus",)
    assert found.told() == ""


def test_many_names_are_counted_not_listed() -> None:
    gone = tuple(f"object_type:x{number}" for number in range(10))

    words = fitted(ASKED.with_groups(("object_type",), gone), TRUTH).told()

    assert "left-out keywords object_type:x0, object_type:x1, object_type:x2 and 7 more" in words
