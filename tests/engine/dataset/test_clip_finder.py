"""Clips are found by a part of the id, by letters of it, or by keywords."""

from __future__ import annotations

import pytest

from engine.dataset.clip_finder import ClipFinder
from engine.dataset.examples import Examples, find_examples
from engine.dataset.ground_truth import GroundTruth

TRUTH = GroundTruth.from_columns(
    ["urban_bike_0002", "bike_park", "rural_0003", "Über_7"],
    {"who": [["bike"], ["car"], ["bike", "car"], []], "where": [["road"], [], ["field"], []]},
)


def found(typed: str, most: int = 200) -> list[str]:
    return [TRUTH.ids[row] for row in ClipFinder(TRUTH).find(typed, most).rows]


def test_ids_that_begin_so_come_first_then_those_that_hold_it_then_keywords() -> None:
    assert found("bike") == ["bike_park", "urban_bike_0002", "rural_0003"]


def test_every_word_must_be_in_the_id_or_a_keyword() -> None:
    assert found("bike field") == ["rural_0003"]
    assert found("car park") == ["bike_park"]
    assert found("car zebra") == []


def test_letters_may_stand_apart_only_where_nothing_holds_the_word() -> None:
    assert found("ub2") == ["urban_bike_0002"]
    assert found("bk") == ["urban_bike_0002", "bike_park", "rural_0003"]


def test_letters_may_stand_apart_in_a_keyword_from_where_a_word_of_it_begins() -> None:
    lanes = GroundTruth.from_columns(
        ["a1", "b2", "c3"], {"what": [["lane exit"], ["left split"], ["small vehicle"]]}
    )

    def among_lanes(typed: str) -> list[str]:
        return [lanes.ids[row] for row in ClipFinder(lanes).find(typed).rows]

    assert among_lanes("lnx") == ["a1"]
    assert among_lanes("vhc") == ["c3"]
    assert among_lanes("lnx ext") == ["a1"]
    assert among_lanes("nxt") == []  # n begins no word


def test_case_does_not_matter_and_signs_are_no_pattern() -> None:
    assert found("ÜBER") == ["Über_7"]
    assert found(".*") == [] and found("[") == []


def test_the_count_is_whole_where_the_list_is_cut() -> None:
    some = ClipFinder(TRUTH).find("", 2)

    assert (len(some.rows), some.total) == (2, 4)


def test_a_search_that_nobody_waits_for_ends() -> None:
    def check() -> None:
        raise InterruptedError

    with pytest.raises(InterruptedError):
        ClipFinder(TRUTH).find("bike", check=check)


def test_examples_are_of_one_clip_and_of_groups_that_are_there() -> None:
    assert find_examples(TRUTH, ["who", "where"]) == Examples("bike road", "urban_bike_0002")
    assert find_examples(TRUTH, ["nowhere"]) == Examples("", "urban_bike_0002")
    assert find_examples(GroundTruth.from_columns([], {"g": []}), ["g"]) == Examples()


def test_letters_that_occur_often_do_not_make_the_search_slow() -> None:
    truth = GroundTruth.from_columns(
        [f"clip_{'0' * 24}_{n:04}" for n in range(200)], {"who": [["car"]] * 200}
    )
    finder = ClipFinder(truth)

    assert finder.find("0" * 10 + "x").total == 0
    assert finder.find("c" + "0" * 24 + "0001").total == 1
    assert finder.find("0" * 190 + "x").total == 0
