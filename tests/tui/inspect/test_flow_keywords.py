"""Keywords and groups: what is dropped, added or left out changes every number at once."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

import sample_data
from engine.text.encoder import SentenceEncoder
from tests.tui.inspect.test_flow_inspect import find_wrong_reasons, strip_values
from tests.tui.inspector import CLIP, CYCLIST, GROUPS, Inspector, answer, inspect, sample

ENTERING = "actor_behavior:entering ego path"
WIDE = (200, 50)
"""Wide enough for the picker, the results and the detail side by side."""
COLUMNS = {
    "object_type": "pv_object_type",
    "actor_behavior": "pv_actor_behavior",
    "scene_type": "scene_type",
}


def clips_with(*keywords: str) -> int:
    """How many clips have all keywords ("group:name"), counted in the file itself."""
    wanted = [keyword.split(":") for keyword in keywords]
    with (sample_data.folder() / "unified_annotation.csv").open(newline="") as file:
        return sum(
            all(name in row[COLUMNS[group]].split(", ") for group, name in wanted)
            for row in csv.DictReader(file)
        )


def line_of(see: Inspector, name: str) -> list[str]:
    """The row of the picker with a group or keyword."""
    (row,) = (row for row in see.rows(see.picker) if row[0].split(" ", 1)[-1].strip(" □■–") == name)
    return row


@pytest.mark.slow
def test_dropping_a_keyword_changes_relevant_clips_marks_and_metrics_and_r_restores_them(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    expected = answer(encoder, CYCLIST, keywords=(ENTERING,))
    assert expected.relevant == clips_with(ENTERING) != 9

    async def flow(see: Inspector) -> None:
        await see.answered(CYCLIST)
        await see.press("e")
        assert "Restore" not in see.footer
        before = [row[3] for row in see.rows()]
        await see.press("x")
        await see.answered(CYCLIST)
        assert "bicyclist (dropped)" in see.keywords
        assert f"{expected.relevant} relevant of 284" in see.keywords
        assert find_wrong_reasons(see.rows(), expected) == []
        assert [row[3] for row in see.rows()] == before  # the same ranking, judged otherwise
        for value in strip_values(expected):
            assert value in see.metrics
        assert see.footer["Restore"] == "R"
        await see.press("R")
        await see.answered(CYCLIST)
        assert "back to the query's own keywords" in see.title
        assert "9 relevant of 284" in see.keywords
        assert "dropped" not in see.keywords
        assert "Restore" not in see.footer
        assert find_wrong_reasons(see.rows(), answer(encoder, CYCLIST)) == []

    inspect(flow, tmp_path, encoder, size=WIDE, query=("text", CYCLIST))


def test_the_keyword_that_x_would_drop_stands_in_brackets_while_the_bar_has_the_focus(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    async def flow(see: Inspector) -> None:
        await see.answered(CLIP)
        await see.press("e")
        assert "[bicyclist]" in see.keywords
        await see.press("right")
        assert "[stationary]" in see.keywords
        await see.press("escape")
        assert "[" not in see.keywords

    inspect(flow, tmp_path, encoder, query=("video", CLIP))


@pytest.mark.slow
def test_a_keyword_is_added_through_the_picker_and_brings_its_group_along(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    words = ("object_type:bicyclist", ENTERING, "scene_type:rainy")
    expected = answer(encoder, CYCLIST, groups=(*GROUPS, "scene_type"), keywords=words)
    assert expected.relevant == clips_with(*words)

    async def flow(see: Inspector) -> None:
        await see.answered(CYCLIST)
        await see.press("e", "i")
        await see.says("Add a keyword")
        await see.says(f"scene type, {clips_with(words[2])} clips")
        await see.type("rain")
        await see.press("enter")
        await see.answered(CYCLIST)
        await see.says("Counts now, too: scene type.")
        assert see.home.question.groups == (*GROUPS, "scene_type")
        assert f"{expected.relevant} relevant of 284" in see.keywords
        assert find_wrong_reasons(see.rows(), expected) == []
        for value in strip_values(expected):
            assert value in see.metrics
        assert "3 of 5 groups" in see.title
        await see.press("p", "slash")
        await see.says("Find a keyword")
        await see.type("rain")
        await see.press("enter")
        row = see.picker.current
        assert row is not None
        assert str(row.keyword) == "scene_type:rainy"
        assert line_of(see, "rainy")[0].strip() == "■ rainy"
        await see.press("space")  # and off again
        await see.answered(CYCLIST)
        assert "9 relevant of 284" in see.keywords
        assert see.home.question.groups == GROUPS  # without the group that came along
        await see.press("e", "i")
        await see.type("rain")
        await see.press("enter")
        await see.answered(CYCLIST)
        assert see.home.question.groups == (*GROUPS, "scene_type")
        await see.press("R")
        await see.answered(CYCLIST)
        assert see.home.question.groups == GROUPS

    inspect(flow, tmp_path, encoder, size=WIDE, query=("text", CYCLIST))


def test_every_keyword_of_a_clip_can_be_dropped_and_the_bar_says_what_to_do_then(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    async def flow(see: Inspector) -> None:
        await see.answered(CLIP)
        await see.press("e", "x")
        await see.until(lambda: "bicyclist (dropped)" in see.keywords)
        await see.press("left", "left", "x")
        await see.until(lambda: "no keyword of the chosen groups" in see.keywords)
        await see.answered(CLIP)
        assert "add one with e, i" in see.keywords
        assert "nothing is judged" in see.metrics
        assert {row[2] for row in see.rows()} == {"· "}
        assert "Missed" not in see.footer
        await see.press("R")
        await see.answered(CLIP)
        assert "6 relevant of 283" in see.keywords

    inspect(flow, tmp_path, encoder, size=WIDE, query=("video", CLIP))


def test_the_pickers_counts_are_those_of_the_file(tmp_path: Path, encoder: SentenceEncoder) -> None:
    own = ("object_type:bicyclist", "actor_behavior:stationary")

    async def flow(see: Inspector) -> None:
        await see.press("p")
        words = sample().truth.words.of(GROUPS)
        for word in words:
            assert line_of(see, word.name)[1:] == [str(clips_with(str(word))), ""]
        await see.press("escape")
        await see.ask_clip(CLIP)
        for word in words:
            shown = "" if str(word) in own else str(clips_with(str(word), *own))
            assert line_of(see, word.name)[1:] == [str(clips_with(str(word))), shown]

    inspect(flow, tmp_path, encoder, size=WIDE)


def test_a_keyword_that_is_left_out_no_longer_counts(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    out = ("object_type:bicyclist",)
    expected = answer(encoder, CLIP, "video", left_out=out)
    assert expected.relevant == clips_with("actor_behavior:stationary") - 1  # without itself

    async def flow(see: Inspector) -> None:
        await see.answered(CLIP)
        await see.press("p", "slash")
        await see.type("bicyc")
        await see.press("enter", "x")
        await see.until(lambda: see.home.question.left_out == out)
        await see.answered(CLIP)
        assert f"{expected.relevant} relevant of 283" in see.keywords
        assert find_wrong_reasons(see.rows(), expected) == []
        assert "– bicyclist left out" in see.screen_text
        assert any(row[0] == "▾▣ object type (8)" for row in see.rows(see.picker))
        await see.press("x")
        await see.until(lambda: see.home.question.left_out == ())
        await see.answered(CLIP)
        assert "6 relevant of 283" in see.keywords

    inspect(flow, tmp_path, encoder, size=WIDE, query=("video", CLIP))


def test_groups_are_folded_chosen_all_at_once_and_set_back(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    truth = sample().truth
    shown = 5 + len(truth.words.of(GROUPS))

    async def flow(see: Inspector) -> None:
        await see.press("p")
        assert see.focused == "picker"
        rows = see.rows(see.picker)
        assert len(rows) == shown
        assert rows[0][0] == "▾■ object type (8)"
        assert rows[-1][0] == "▸□ scene type (18)"
        await see.press("j", "left")  # from a keyword of the first group
        assert len(see.rows(see.picker)) == shown - len(truth.words.of(["object_type"]))
        assert see.picker.cursor == 0
        await see.press("right")
        assert len(see.rows(see.picker)) == shown
        await see.press("A")
        await see.until(lambda: see.home.question.groups == truth.words.groups)
        await see.press("D")
        await see.until(lambda: see.home.question.groups == GROUPS)
        await see.press("G", "space")
        await see.until(lambda: see.home.question.groups == (*GROUPS, "scene_type"))
        assert len(see.rows(see.picker)) == shown + len(truth.words.of(["scene_type"]))
        await see.press("D", "g", "space")
        await see.until(lambda: see.home.question.groups == ("actor_behavior",))
        await see.press("slash")
        await see.type("entering")
        await see.press("enter", "k", "space")  # the last group that is chosen stays
        assert see.home.question.groups == ("actor_behavior",)
        await see.says("At least one group has to be chosen.")
        await see.press("escape")
        assert see.focused == "results"

    inspect(flow, tmp_path, encoder, size=WIDE)


def test_choosing_other_groups_judges_the_same_results_again(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    three = (*GROUPS, "scene_type")
    expected = answer(encoder, CLIP, "video", groups=three)

    async def flow(see: Inspector) -> None:
        await see.answered(CLIP)
        await see.press("j", "p", "G", "space")
        await see.until(lambda: see.home.question.groups == three)
        await see.answered(CLIP)
        assert find_wrong_reasons(see.rows(), expected) == []
        assert f"{expected.relevant} relevant of 283" in see.keywords
        assert see.results.cursor == 1  # the cursor stays on its clip
        assert "scene type" in see.detail

    inspect(flow, tmp_path, encoder, size=WIDE, query=("video", CLIP))


def test_finding_a_keyword_that_is_not_there_says_so(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    async def flow(see: Inspector) -> None:
        await see.press("p", "slash")
        await see.type("[red]zebra")
        await see.press("enter")
        await see.says("Nothing has that name.")
        await see.press("escape", "j", "space")  # a keyword, while nothing is asked
        await see.says("Ask a query first: / for a text, c for a clip.")

    inspect(flow, tmp_path, encoder, size=WIDE)


def test_the_cursor_stands_on_the_keyword_that_was_added(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    async def flow(see: Inspector) -> None:
        await see.ask("a truck by the bakery")
        await see.press("e", "i")
        await see.type("other")
        await see.press("enter")
        await see.until(lambda: "[other]" in see.keywords, "the cursor")
        await see.press("x")  # so that it can be dropped at once
        await see.until(lambda: "large vehicle" in see.keywords and "other" not in see.keywords)

    inspect(flow, tmp_path, encoder)
