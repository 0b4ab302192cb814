"""One large frame in the detail: it follows the cursor, loops, is stepped, paused and zoomed."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

import sample_data
from engine.dataset.dataset import Dataset
from engine.text.encoder import SentenceEncoder
from tests.tui.frames.pictures import (
    LARGE,
    dataset_of_one_file,
    large,
    painted,
    shown,
    zoom,
    zoomed,
)
from tests.tui.inspector import CLIP, PEDESTRIAN, Inspector, inspect, small_dataset
from tui.frames.frames_row import FramesRow
from tui.frames.large_frame import LargeFrame
from tui.frames.picture import Picture
from tui.frames.picture_screen import PictureScreen


@pytest.mark.parametrize(
    ("size", "columns", "rows"),
    [((120, 40), 49, 14), ((200, 50), 62, 17), ((100, 30), 32, 9), ((80, 24), 20, 6)],
)
def test_the_picture_takes_the_room_that_the_evidence_leaves(
    size: tuple[int, int], columns: int, rows: int, tmp_path: Path, encoder: SentenceEncoder
) -> None:
    async def flow(see: Inspector) -> None:
        await see.answered(CLIP)
        await shown(see)
        assert see.home.frames.is_large
        width, height = large(see).query_one(Picture).size
        assert (width >= columns, height >= rows) == (True, True), (width, height)
        assert {" "} < set(painted(large(see)))
        found = see.inspection
        assert found is not None
        for keyword in found.keywords:  # below or beside the picture, whatever its size
            assert any(
                sign in line and keyword.name in line
                for line in see.screen_text.splitlines()
                for sign in "✅❌"
            ), see.screen_text

    inspect(flow, tmp_path, encoder, size=size, **LARGE)


def test_it_follows_the_cursor_and_loops_while_it_rests(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    async def flow(see: Inspector) -> None:
        await see.answered(CLIP)
        await shown(see)
        first = painted(large(see))
        await see.do("table.cursor_down")
        await shown(see)
        assert painted(large(see)) != first
        await see.until(lambda: large(see).looper.moves, "it plays")
        now = large(see).looper.place
        await see.until(lambda: large(see).looper.place != now, "the next frame")

    inspect(flow, tmp_path, encoder, **LARGE)


def test_frames_are_stepped_and_the_clip_stays_paused_for_the_next_result(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    async def flow(see: Inspector) -> None:
        await see.answered(CLIP)
        await shown(see)
        assert ", . step  z zoom" in large(see).line
        await see.do("results.next_frame")
        assert large(see).looper.state == "paused"
        assert "paused" in large(see).line
        at = large(see).looper.place
        await see.do("results.next_frame")
        assert large(see).looper.place == (at + 1) % 12
        assert large(see).line.startswith(f"{(at + 1) % 12 / 6:.1f} s ")
        await see.do("results.previous_frame", "results.previous_frame")
        assert large(see).looper.place == (at - 1) % 12
        await see.do("table.cursor_down")
        await shown(see)
        assert large(see).looper.state == "paused"
        await see.do("results.play")
        await see.until(lambda: large(see).looper.moves, "it plays again")
        await see.do("results.play")
        assert large(see).looper.state == "paused"

    inspect(flow, tmp_path, encoder, **LARGE)


def test_a_picture_that_stands_is_sharpened(tmp_path: Path, encoder: SentenceEncoder) -> None:
    async def flow(see: Inspector) -> None:
        await see.answered(CLIP)
        await shown(see)
        await see.do("results.next_frame")
        quick = painted(large(see))
        await see.until(lambda: painted(large(see)) != quick, "the sharp one")

    inspect(flow, tmp_path, encoder, **LARGE)


def test_one_key_goes_from_large_to_filmstrip_to_none(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    async def flow(see: Inspector) -> None:
        await see.answered(CLIP)
        await shown(see)
        row, views = see.home.query_one(FramesRow), see.home.frames
        assert (see.home.frames.is_large, row.display, views.view) == (True, False, "large")
        await see.do("inspect.toggle_frames")
        assert (see.home.frames.is_large, row.display, views.view) == (False, True, "filmstrip")
        await see.until(lambda: row.strip("result").state == "shown", "the filmstrip")
        await see.do("inspect.toggle_frames")
        assert (see.home.frames.is_large, row.display, views.view) == (False, False, "none")
        await see.do("inspect.toggle_frames")
        await shown(see)
        assert (see.home.frames.is_large, row.display, views.view) == (True, False, "large")

    inspect(flow, tmp_path, encoder, **LARGE)


def test_a_start_can_say_how_frames_are_shown(tmp_path: Path, encoder: SentenceEncoder) -> None:
    async def flow(see: Inspector) -> None:
        await see.answered(CLIP)
        await see.until(lambda: see.home.frames.can_show, "frames")
        assert not see.home.query(LargeFrame)  # it comes when it is first wanted
        assert not see.home.query_one(FramesRow).display

    inspect(flow, tmp_path, encoder, frames="none", **LARGE)


def test_frames_that_are_off_are_said_to_be_off_and_come_when_they_are_wanted(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    async def flow(see: Inspector) -> None:
        await see.answered(CLIP)
        await see.until(lambda: see.home.frames.can_show, "frames")
        await see.do("app.zoom")  # of the results: the detail is hidden
        assert see.home.has_class("-zoomed")
        await see.do("results.play")
        await see.says("Frames are off; V shows them.")
        await see.do("app.zoom", "inspect.toggle_frames")
        await shown(see)

    inspect(flow, tmp_path, encoder, frames="none", **LARGE)


def test_a_picture_made_while_its_pane_is_hidden_comes_with_the_pane(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    async def flow(see: Inspector) -> None:
        await see.answered(CLIP)
        await see.until(lambda: see.home.frames.can_show, "frames")
        await see.do("app.zoom")
        assert not large(see).is_attached  # asked for, and so made, while nobody sees the pane
        await see.do("app.zoom", "inspect.toggle_frames")
        await shown(see)

    inspect(flow, tmp_path, encoder, frames="none", **LARGE)


def test_zoom_shows_query_and_result_side_by_side_in_step(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    async def flow(see: Inspector) -> None:
        await see.answered(CLIP)
        await shown(see)
        await zoom(see)
        await see.until(lambda: painted(zoomed(see), "query").strip(), "the query's picture")
        assert f"query {CLIP}" in see.screen_text
        assert f"#1 {see.results.clip}" in see.screen_text
        assert zoomed(see).query_one("#result-picture").size.width > 55
        await see.do("results.next_frame")
        assert "paused" in zoomed(see).line
        place = zoomed(see).looper.place
        before = painted(zoomed(see), "query")
        await see.do("results.next_frame", "results.next_frame")
        assert zoomed(see).looper.place == (place + 2) % 12
        assert painted(zoomed(see), "query") != before
        await see.do("results.play")
        await see.until(lambda: zoomed(see).looper.moves, "it plays")
        await see.press("escape")
        assert see.app.screen is see.home
        await shown(see)

    inspect(flow, tmp_path, encoder, **LARGE)


def test_zoom_and_back_stay_at_the_frame_that_was_stepped_to(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    async def flow(see: Inspector) -> None:
        await see.answered(CLIP)
        await shown(see)
        await see.do("results.next_frame", "results.next_frame")
        at = large(see).looper.place
        await zoom(see)
        assert (zoomed(see).looper.place, zoomed(see).looper.state) == (at, "paused")
        await see.do("results.next_frame")
        await see.press("escape")
        await shown(see)
        await see.until(lambda: large(see).looper.place == (at + 1) % 12, "one frame further")
        assert large(see).looper.state == "paused"
        await zoom(see)
        await see.do("table.cursor_down")
        await see.until(lambda: " s " in zoomed(see).line, "the next result")
        await see.do("results.play")
        await see.until(lambda: zoomed(see).looper.moves, "it plays")
        await see.press("escape")
        await shown(see)
        await see.until(lambda: large(see).looper.state != "paused", "nor is it paused here")

    inspect(flow, tmp_path, encoder, **LARGE)


def test_the_results_are_stepped_through_while_zoomed(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    async def flow(see: Inspector) -> None:
        await see.ask(PEDESTRIAN)
        await see.until(lambda: see.home.frames.can_show, "frames")
        await zoom(see)
        assert PEDESTRIAN.split()[0] in see.screen_text
        assert zoomed(see).query_one("#query-picture").display is False
        clips = [row[3] for row in see.rows()]
        await see.do("table.cursor_down")
        await see.until(lambda: f"#2 {clips[1]}" in see.screen_text, "the second result")
        await see.do("table.cursor_down", "table.cursor_up", "table.cursor_up")
        await see.until(lambda: f"#1 {clips[0]}" in see.screen_text, "the first result")
        await see.do("table.cursor_down")
        await see.do("results.zoom_picture")  # the same key goes back
        assert see.app.screen is see.home
        assert see.results.clip == clips[1]
        await see.shows(clips[1])
        await shown(see)

    inspect(flow, tmp_path, encoder, images="quadrant")


def test_results_are_judged_while_zoomed_and_that_is_undone_there(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    async def flow(see: Inspector) -> None:
        await see.answered(CLIP)
        await see.until(lambda: see.home.frames.can_show, "frames")
        await zoom(see)
        first = see.results.clip
        said = lambda: see.session().judgements("video", CLIP)  # noqa: E731
        await see.do("results.mark_not_relevant")
        assert {clip: one.mark for clip, one in said().items()} == {first: "not relevant"}
        second = see.results.clip
        assert second != first
        await see.until(lambda: f"{second}" in see.screen_text, "the next one")
        await see.do("results.mark_bias")
        await see.press("1")
        assert isinstance(see.app.screen, PictureScreen)
        assert said()[second].mark == "bias"
        third = see.results.clip
        assert third != second
        await see.until(lambda: f"{third}" in see.screen_text, "the one after")
        await see.do("app.undo")
        assert said().keys() == {first} and see.results.clip == second
        await see.until(lambda: f"{second}" in see.screen_text, "back")
        assert isinstance(see.app.screen, PictureScreen)
        await see.press("escape")
        assert see.app.screen is see.home

    inspect(flow, tmp_path, encoder, **LARGE)


def test_the_keys_of_the_results_work_while_zoomed(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    async def flow(see: Inspector) -> None:
        await see.answered(CLIP)
        await see.until(lambda: see.home.frames.can_show, "frames")
        await zoom(see)
        await see.press("G")
        assert see.results.cursor == len(see.rows()) - 1
        await see.press("g")
        assert see.results.cursor == 0
        await see.press("ctrl+d")
        below = see.results.cursor
        assert below > 1
        await see.until(lambda: f"#{below + 1} {see.results.clip}" in see.screen_text, "its text")
        await see.press("ctrl+u", "y")
        assert see.results.cursor == 0
        await see.says("Copied")
        assert isinstance(see.app.screen, PictureScreen)
        await see.press("question_mark")
        await see.says("Help:")
        await see.press("escape")
        await see.press("f", "V")  # nothing that could be seen here
        assert isinstance(see.app.screen, PictureScreen) and see.home.frames.view == "large"
        await see.press("ctrl+p")
        await see.type("frame before")
        await see.press("enter")
        assert isinstance(see.app.screen, PictureScreen)
        await see.until(lambda: "paused" in zoomed(see).line, "a step back")
        await see.press("q")
        await see.until(lambda: see.app.return_code == 0, "the end")

    inspect(flow, tmp_path, encoder, **LARGE)


def test_the_query_is_painted_though_the_result_has_no_picture(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    dataset = dataset_of_one_file(tmp_path)

    async def flow(see: Inspector) -> None:
        await see.answered("a")
        await see.until(lambda: see.home.frames.can_show, "frames")
        await see.do("results.zoom_picture")
        await see.until(lambda: painted(zoomed(see), "query").strip(), "the query's picture")
        assert "no such file" in zoomed(see).line

    inspect(flow, tmp_path, encoder, dataset=dataset, images="quadrant", query=("video", "a"))


def test_without_media_the_picture_takes_no_rows(tmp_path: Path, encoder: SentenceEncoder) -> None:
    dataset = small_dataset(tmp_path / "bare", "\n".join(f"{name},,,car,city" for name in "abcdef"))

    async def flow(see: Inspector) -> None:
        await see.answered("a")
        assert not large(see).is_attached
        assert not see.home.frames.can_show
        await see.do("inspect.toggle_frames")
        await see.says("No clip has media")
        await see.do("results.zoom_picture")  # nothing to look at
        assert see.app.screen is see.home

    inspect(flow, tmp_path, encoder, dataset=dataset, images="quadrant", query=("video", "a"))


def dataset_of_few_files(folder: Path, found: Sequence[int]) -> Dataset:
    """Of thirty clips only these have a file."""
    file = sorted(sample_data.folder().rglob("*.mp4"))[0]
    lines = [
        f"clip{number:02d},{file if number in found else f'{number}.mp4'},,car,city"
        for number in range(30)
    ]
    return small_dataset(folder / "few", "\n".join(lines))


def test_one_file_among_many_that_are_missing_is_found(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    dataset = dataset_of_few_files(tmp_path, [29])
    looked: list[str] = []

    async def flow(see: Inspector) -> None:
        await see.answered("clip00")
        see.app.services.frames.look_for_media(lambda: looked.append("another answer"))
        see.app.services.frames._decoding["media"].settle()
        assert see.home.frames.can_show and not looked
        await see.do("table.last")
        while see.results.clip != "clip29":
            await see.do("table.cursor_up")
        await shown(see)

    inspect(flow, tmp_path, encoder, dataset=dataset, images="quadrant", query=("video", "clip00"))


def test_files_that_come_later_are_found_when_they_are_asked_for(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    dataset = dataset_of_few_files(tmp_path, [])

    async def flow(see: Inspector) -> None:
        await see.answered("clip00")
        await see.until(lambda: not see.home.frames.can_show, "no file is there")
        clip = see.results.clip
        assert clip is not None
        file = sorted(sample_data.folder().rglob("*.mp4"))[0]
        (tmp_path / "few" / f"{int(clip[4:])}.mp4").symlink_to(file)
        await see.do("inspect.toggle_frames")
        await see.says("None of the media that the annotations name is there")
        await see.until(lambda: see.home.frames.can_show, "one is there now")

    inspect(flow, tmp_path, encoder, dataset=dataset, images="quadrant", query=("video", "clip00"))


def test_a_clip_whose_file_is_missing_takes_no_rows_and_the_key_says_why(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    dataset = dataset_of_one_file(tmp_path)

    async def flow(see: Inspector) -> None:
        await see.answered("a")
        await see.until(lambda: large(see).state == "failed", "no picture")
        await see.until(lambda: not see.home.frames.is_large, "no rows")
        await see.do("results.play")
        await see.says("no such file")

    inspect(flow, tmp_path, encoder, dataset=dataset, images="quadrant", query=("video", "a"))


def test_in_sextants_it_is_drawn_too(tmp_path: Path, encoder: SentenceEncoder) -> None:
    async def flow(see: Inspector) -> None:
        await see.answered(CLIP)
        await shown(see)
        assert any("\U0001fb00" <= glyph <= "\U0001fb3b" for glyph in painted(large(see)))

    inspect(flow, tmp_path, encoder, **{**LARGE, "images": "sextant"})


def test_stepping_where_there_is_no_room_says_so(tmp_path: Path, encoder: SentenceEncoder) -> None:
    async def flow(see: Inspector) -> None:
        await see.answered(CLIP)
        await see.until(lambda: see.home.frames.can_show, "frames")
        assert not see.home.frames.is_large
        await see.do("results.next_frame")
        await see.says("There is no room for a large frame here")

    inspect(flow, tmp_path, encoder, size=(60, 20), **LARGE)
