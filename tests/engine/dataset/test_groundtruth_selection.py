"""Groups and keywords as people name them."""

from __future__ import annotations

import pytest

from engine.base.errors import InputError
from engine.base.keyword import Keyword
from engine.dataset.ground_truth import GroundTruth

TRUTH = GroundTruth.from_columns(
    ["a", "b"],
    {
        "object_type": [["bicyclist", "other"], ["bollard"]],
        "actor_behavior": [["stationary"], []],
        "scene_type": [["other", "bridge/tunnel"], ["urban", "time: dusk"]],
    },
)
BICYCLIST = Keyword("object_type", "bicyclist")


def test_the_vocabulary_is_in_file_order_by_group_and_sorted_by_name() -> None:
    assert TRUTH.words.groups == ("object_type", "actor_behavior", "scene_type")
    assert [str(keyword) for keyword in TRUTH.words.of(["Scene Type", "pv_object_type"])] == [
        "object_type:bicyclist",
        "object_type:bollard",
        "object_type:other",
        "scene_type:bridge/tunnel",
        "scene_type:other",
        "scene_type:time: dusk",
        "scene_type:urban",
    ]
    assert TRUTH.counts.tolist() == [1] * 8


def test_the_same_name_in_two_groups_is_two_keywords() -> None:
    both = [Keyword("object_type", "other"), Keyword("scene_type", "other")]

    assert set(both) <= set(TRUTH.words.keywords)
    assert TRUTH.keywords_of(0, TRUTH.words.select(["scene_type"])) == (
        Keyword("scene_type", "bridge/tunnel"),
        both[1],
    )


@pytest.mark.parametrize(
    "name",
    [
        "bicyclist",
        " BicyClist ",
        "object_type:bicyclist",
        "pv_object_type:bicyclist",
        "Object Type: bicyclist",
        "object-type:Bicyclist",
    ],
)
def test_a_keyword_is_found_however_it_is_written(name: str) -> None:
    assert TRUTH.words.find(name) == BICYCLIST


def test_a_keyword_may_hold_a_colon() -> None:
    assert TRUTH.words.find("time: dusk") == Keyword("scene_type", "time: dusk")
    assert TRUTH.words.find("scene_type:time: dusk") == Keyword("scene_type", "time: dusk")


def test_an_ambiguous_name_asks_for_its_group() -> None:
    with pytest.raises(InputError, match="write object_type:other or scene_type:other"):
        TRUTH.words.find("other")

    assert TRUTH.words.find("other", ["scene_type"]) == Keyword("scene_type", "other")
    assert TRUTH.words.find("scene_type:other") == Keyword("scene_type", "other")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("bicyclists", 'unknown keyword "bicyclists".*did you mean "bicyclist"'),
        (
            "object_type:bolard",
            'did you mean "bollard".*object_type has: bicyclist, bollard, other',
        ),
        ("objct_type:bollard", 'unknown group.*did you mean "object_type"'),
        ("zzz", "has: bicyclist"),
    ],
)
def test_an_unknown_keyword_suggests_the_nearest(name: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        TRUTH.words.find(name)


def test_a_keyword_of_a_group_that_is_not_chosen_says_where_it_is() -> None:
    with pytest.raises(InputError, match="it is in object_type, not among the chosen groups"):
        TRUTH.words.select(["scene_type"], ["bicyclist"])


def test_chosen_keywords_cut_down_their_own_group_only() -> None:
    selection = TRUTH.words.select(["scene_type", "object_type"], ["bicyclist"])

    assert selection.groups == ("object_type", "scene_type")
    assert [str(keyword) for keyword in selection.keywords] == [
        "object_type:bicyclist",
        "scene_type:bridge/tunnel",
        "scene_type:other",
        "scene_type:time: dusk",
        "scene_type:urban",
    ]
    assert selection.columns.tolist() == [0, 4, 5, 6, 7]
    assert selection.mask.tolist() == [0b11110001]


def test_the_whole_is_selected_by_default() -> None:
    assert TRUTH.words.select().keywords == TRUTH.words.keywords


def test_equal_choices_are_equal_selections() -> None:
    assert TRUTH.words.select(["Object-Type"], ["bollard"]) == TRUTH.words.select(
        ["pv_object_type"], [Keyword("object_type", "bollard")]
    )


@pytest.mark.parametrize("groups", [["object_typ"], ["weather"]])
def test_an_unknown_group_lists_the_groups(groups: list[str]) -> None:
    with pytest.raises(InputError, match="groups: object_type, actor_behavior, scene_type"):
        TRUTH.words.select(groups)


def test_choosing_no_group_is_an_error() -> None:
    with pytest.raises(InputError, match="no group is chosen"):
        TRUTH.words.select([])


def test_a_keyword_that_no_clip_can_have_is_an_error_in_a_query() -> None:
    with pytest.raises(InputError, match="unknown keyword"):
        TRUTH.relevant([Keyword("object_type", "unicorn")])
