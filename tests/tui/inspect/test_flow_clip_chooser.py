"""The clip prompt: a list of what matches, by id or by keyword, with a picture."""

from __future__ import annotations

import threading
import time
from pathlib import Path
from typing import Any

import pytest

from engine.dataset.clip_finder import ClipFinder, ClipMatches
from engine.text.encoder import SentenceEncoder
from tests.tui.inspector import CLIP, Inspector, inspect, small_dataset
from tui.frames.filmstrip import Filmstrip
from tui.inspect.clip_chooser import ClipChooser, FoundTable


def chooser(see: Inspector) -> ClipChooser:
    return see.home.query_one(ClipChooser)


def listed(see: Inspector) -> list[str]:
    return [row[0] for row in see.rows(see.home.query_one(FoundTable))]


async def typed(see: Inspector, text: str, count: int) -> None:
    await see.do("inspect.ask_clip")
    await see.type(text)
    await see.until(lambda: len(listed(see)) == count, f"{count} clips that match {text}")


@pytest.mark.parametrize("size", [(80, 24), (120, 40)])
def test_the_list_comes_with_the_prompt_and_goes_with_escape(
    tmp_path: Path, encoder: SentenceEncoder, size: tuple[int, int]
) -> None:
    async def flow(see: Inspector) -> None:
        await see.do("inspect.ask_clip")
        await see.says("Clips: 200 of 284")
        assert "urban_bicyclist_0002" in see.screen_text
        assert "bicyclist, stat" in see.screen_text  # the keywords stand beside
        await see.press("escape")
        assert not chooser(see).display
        await see.do("inspect.ask_text")
        await see.type("car")
        assert not chooser(see).display

    inspect(flow, tmp_path, encoder, size=size)


def test_letters_of_an_id_find_it_and_enter_asks_it(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    async def flow(see: Inspector) -> None:
        await see.do("inspect.ask_clip")
        await see.type("ub2")
        await see.until(lambda: CLIP in listed(see)[:1], "the clip")
        await see.press("enter")
        await see.answered(CLIP)
        assert see.field == CLIP
        assert not chooser(see).display and see.focused == "results"

    inspect(flow, tmp_path, encoder)


def test_keywords_find_clips_and_down_chooses_one(tmp_path: Path, encoder: SentenceEncoder) -> None:
    async def flow(see: Inspector) -> None:
        await see.do("inspect.ask_clip")
        await see.type("bollard xyz")
        await see.until(lambda: "Clips: 0 " in see.screen_text, "no match")
        await see.press(*["backspace"] * len(" xyz"))
        await see.until(lambda: "Clips: 8 " in see.screen_text, "eight bollards")
        second = listed(see)[1]
        await see.press("down", "down", "up", "enter")
        await see.answered(second)
        assert any(word.name == "bollard" for word in see.inspection.keywords)  # type: ignore[union-attr]

    inspect(flow, tmp_path, encoder)


def test_what_is_typed_counts_also_before_the_list_has_caught_up(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    async def flow(see: Inspector) -> None:
        await see.do("inspect.ask_clip")
        await see.press(*"bicyclist", "underscore", *"0002", "enter")
        await see.answered(CLIP)

    inspect(flow, tmp_path, encoder)


def test_enter_looks_for_the_clip_apart_and_the_keys_behind_it_wait(
    tmp_path: Path, encoder: SentenceEncoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    threads = set()
    find = ClipFinder.find

    def find_slowly(finder: ClipFinder, typed: str, **more: Any) -> ClipMatches:
        threads.add(threading.current_thread())
        time.sleep(0.1)
        return find(finder, typed, **more)

    monkeypatch.setattr(ClipFinder, "find", find_slowly)

    async def flow(see: Inspector) -> None:
        await see.do("inspect.ask_clip")
        await see.press(*"ub", "2")
        see.burst("enter", "slash", *"car")
        await see.until(lambda: see.field == "car", "the text behind it")
        await see.until(lambda: bool(see.inspection), "the answer")
        assert see.inspection is not None and see.inspection.query == CLIP
        assert threading.main_thread() not in threads

    inspect(flow, tmp_path, encoder)


def test_nothing_that_matches_is_said_and_asked_as_it_is(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    async def flow(see: Inspector) -> None:
        await see.do("inspect.ask_clip")
        await see.type("zzzz9")
        await see.says("No clip has this in its id or its keywords.")
        await see.press("enter")
        await see.says('no clip "zzzz9"')

    inspect(flow, tmp_path, encoder)


def test_enter_asks_with_the_first_clip_though_nothing_is_typed(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    async def flow(see: Inspector) -> None:
        await see.do("inspect.ask_clip")
        await see.until(lambda: len(listed(see)) > 1, "clips")
        first = listed(see)[0]
        await see.press("enter")
        await see.answered(first)

    inspect(flow, tmp_path, encoder)


def test_behind_a_clip_query_all_clips_are_listed_until_something_is_typed(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    async def flow(see: Inspector) -> None:
        await see.answered(CLIP)
        await see.do("inspect.ask_clip")
        await see.says("Clips: 200 of 284")
        assert see.field == CLIP
        second = listed(see)[1]
        await see.press("down", "enter")
        await see.answered(second)

        await see.do("inspect.ask_clip")
        await see.says("Clips: 200 of 284")
        await see.type("bollard")  # over what is selected
        await see.until(lambda: "Clips: 8 " in see.screen_text, "eight bollards")
        assert see.field == "bollard"

    inspect(flow, tmp_path, encoder, query=("video", CLIP))


def test_the_footer_says_what_the_keys_of_the_history_do_in_the_list(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    async def flow(see: Inspector) -> None:
        await see.do("inspect.ask_clip")
        await see.says("Clips: 200 of 284")
        await see.until(lambda: see.footer.get("Next") == "down", "a way down")
        assert see.footer["Older"] == "up"  # above the first line is what was asked before
        await see.press("down")
        assert see.footer["Previous"] == "up"
        assert "Older" not in see.footer
        await see.press("escape")
        await see.do("inspect.ask_text")
        assert see.footer["Older"] == "up"
        assert "Next" not in see.footer and "Newer" not in see.footer

    inspect(flow, tmp_path, encoder)


def test_enter_on_the_query_before_asks_it_again_and_no_line_of_the_list(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    async def flow(see: Inspector) -> None:
        await see.answered(CLIP)
        await see.do("inspect.ask_clip")
        await see.until(lambda: len(listed(see)) > 1, "clips")
        await see.press("enter")
        await see.until(lambda: see.focused == "results", "the answer")
        assert see.field == CLIP

    inspect(flow, tmp_path, encoder, query=("video", CLIP))


def test_a_small_picture_of_the_clip_under_the_cursor(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    async def flow(see: Inspector) -> None:
        await see.do("inspect.ask_clip")
        await see.type("bollard")
        picture = chooser(see).query_one(Filmstrip)
        await see.until(lambda: picture.state == "shown", "the picture")
        before = [picture.render_line(y) for y in range(picture.size.height)]
        await see.press("down")
        await see.until(
            lambda: [picture.render_line(y) for y in range(picture.size.height)] != before,
            "another picture",
        )

    inspect(flow, tmp_path, encoder, images="halfcell")


def test_without_media_the_list_has_the_whole_width_and_frames_take_no_rows(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    dataset = small_dataset(tmp_path / "d", "otter_1,,,otter,river\notter_2,,,otter,lake")

    async def flow(see: Inspector) -> None:
        await see.do("inspect.ask_clip")
        await see.type("otter_1")
        await see.until(lambda: listed(see) == ["otter_1"], "the clip")
        assert not chooser(see).query_one(Filmstrip).display
        await see.press("enter")
        await see.answered("otter_1")
        assert not see.home.query_one("#frames").display
        await see.do("inspect.toggle_frames")
        await see.says("No clip has media")

    inspect(flow, tmp_path, encoder, dataset=dataset, images="halfcell")


def test_media_that_is_not_there_takes_no_rows_either(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    dataset = small_dataset(tmp_path / "d", "a,gone.mp4,,otter,river\nb,far.mp4,,otter,lake")

    async def flow(see: Inspector) -> None:
        await see.do("inspect.ask_clip")
        await see.type("a")
        await see.press("enter")
        await see.answered("a")
        assert not see.home.query_one("#frames").display
        await see.do("inspect.toggle_frames")
        await see.says("gone.mp4")

    inspect(flow, tmp_path, encoder, dataset=dataset, images="halfcell")


def test_hints_are_in_the_datasets_own_words_and_one_model_is_not_compared(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    dataset = small_dataset(
        tmp_path / "d",
        "pond_1,,,otter,river\npond_2,,,heron,lake",
        groups='["object_type", "scene_type"]',
    )

    async def flow(see: Inspector) -> None:
        await see.says("/  ask with a text: otter river")
        assert "cyclist" not in see.screen_text and "compare" not in see.screen_text.lower()
        assert not {"Compare", "Model"} & set(see.footer)
        await see.do("inspect.ask_text")
        await see.says("e.g. otter river")
        await see.press("escape")
        await see.do("inspect.ask_clip")
        await see.says("e.g. pond_1")
        await see.press("escape")
        await see.do("app.help")
        await see.says("Help:")
        assert "two models" not in see.screen_text
        await see.press("escape")
        await see.do("app.command_palette")
        await see.type("Compare")
        await see.pilot.pause(0.3)
        assert "two models" not in see.screen_text

    inspect(flow, tmp_path, encoder, dataset=dataset, size=(120, 60))
