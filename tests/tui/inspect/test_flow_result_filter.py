"""Filtering inside results, the line after K and where keywords come from: by commands alone."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from engine.text.encoder import SentenceEncoder
from tests.tui.inspector import CLIP, PEDESTRIAN, Inspector, answer, inspect, small_dataset
from tui.inspect.keyword_bar import KeywordBar


def listed(see: Inspector) -> list[str]:
    return [row[0] for row in see.rows()]


async def type_filter(see: Inspector, text: str) -> None:
    await see.do("results.filter")
    assert see.focused == "filter"
    await see.type(text)
    await see.pilot.pause()


@pytest.mark.parametrize("size", [(80, 24), (120, 40), (200, 50)])
def test_a_filter_keeps_what_matches_live_and_escape_clears_it(
    size: tuple[int, int], tmp_path: Path, encoder: SentenceEncoder
) -> None:
    found = answer(encoder, CLIP, "video")
    lacking = (np.flatnonzero(found.lacks(found.keywords)[:, 0]) + 1).tolist()
    name = found.keywords[0].name

    async def flow(see: Inspector) -> None:
        await see.answered(CLIP)
        see.results.cursor = lacking[3] - 1
        clip = see.results.clip
        await type_filter(see, f"-{name}")
        assert listed(see) == [str(rank) for rank in lacking]
        assert f"{len(lacking)} of 283 listed" in see.screen_text
        assert see.results.clip == clip  # half-typed filters have not moved the cursor
        await see.press("enter")
        assert see.focused == "results" and see.results.clip == clip
        assert f"Filter -{name}: {len(lacking)} of 283 listed, esc shows all" in see.screen_text
        await see.press("escape")
        assert len(listed(see)) == 283 and see.results.clip == clip
        assert "listed" not in see.screen_text

    inspect(flow, tmp_path, encoder, query=("video", CLIP), size=size)


def test_next_miss_and_judging_work_within_what_is_listed(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    found = answer(encoder, PEDESTRIAN)
    urban = [n for n in range(found.depth) if "urban_ped" in found.clip(n)]
    misses = [n for n in urban if not found.is_relevant[n]]

    async def flow(see: Inspector) -> None:
        await see.ask(PEDESTRIAN)
        await type_filter(see, "urban_ped")
        await see.press("enter", "g")
        if found.is_relevant[urban[0]]:
            await see.do("results.next_miss")
        assert see.results.clip == found.clip(misses[0])
        await see.do("results.next_miss")
        assert see.results.clip == found.clip(misses[1])
        await see.do("results.previous_miss")
        await see.do("results.mark_not_relevant")
        marked = [row for row in see.rows() if row[4]]
        assert [row[0] for row in marked] == [str(misses[0] + 1)]
        assert len(listed(see)) == len(urban)

    inspect(flow, tmp_path, encoder)


def test_an_undo_goes_to_its_clip_though_a_filter_hides_it(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    async def flow(see: Inspector) -> None:
        await see.answered(CLIP)
        clip = see.results.clip
        await see.do("results.mark_bias")
        await see.press("1")
        await type_filter(see, "unjudged")
        await see.press("enter")
        assert listed(see)[0] == "2"
        await see.do("app.undo")
        assert see.results.clip == clip and len(listed(see)) == 283

    inspect(flow, tmp_path, encoder, query=("video", CLIP))


def test_what_is_judged_stays_listed_until_the_filter_is_typed_again(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    async def flow(see: Inspector) -> None:
        await see.answered(CLIP)
        await type_filter(see, "unjudged")
        await see.press("enter", "g")
        await see.do("results.mark_relevant")
        assert len(listed(see)) == 283 and see.rows()[0][4] == "✓ "
        await type_filter(see, "unjudged")
        await see.press("enter")
        assert listed(see)[0] == "2" and "282 of 283 listed" in see.screen_text

    inspect(flow, tmp_path, encoder, query=("video", CLIP))


def test_where_nothing_matches_the_list_says_which_filter_and_what_to_press(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    async def flow(see: Inspector) -> None:
        await see.answered(CLIP)
        see.results.cursor = 7
        clip = see.results.clip
        await type_filter(see, "nowhere")
        await see.press("enter")
        assert "None of 283 results matches the filter “nowhere”." in see.screen_text
        assert "f  type another" in see.screen_text
        assert "0 of 283 listed" in see.screen_text
        assert see.footer["Filter"] == "f" and "Bias" not in see.footer
        await see.press("escape")
        assert see.results.clip == clip

    inspect(flow, tmp_path, encoder, query=("video", CLIP))


def test_a_filter_that_cannot_be_read_says_why_on_one_line_and_escape_gives_it_up(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    async def flow(see: Inspector) -> None:
        await see.answered(CLIP)
        await type_filter(see, "urban kw:pedestrain")
        assert 'unknown keyword "pedestrain"; did you mean "pedestrian"?' in see.screen_text
        assert 0 < len(listed(see)) < 283  # what stands before it holds
        await see.press("enter")
        assert see.focused == "filter"  # to be mended
        await see.press("escape")
        assert see.focused == "results" and len(listed(see)) == 283

    inspect(flow, tmp_path, encoder, query=("video", CLIP))


def test_a_filter_holds_for_the_same_query_and_ends_with_the_next(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    async def flow(see: Inspector) -> None:
        await see.answered(CLIP)
        await type_filter(see, "miss urban")
        await see.press("enter")
        before = len(listed(see))
        await see.do("app.next_model")
        await see.until(lambda: see.home.question.model == "alfa-0.2")
        await see.answered(CLIP)
        assert "listed" in see.screen_text and len(listed(see)) == before
        await see.ask(PEDESTRIAN)
        assert "listed" not in see.screen_text and len(listed(see)) == 284

    inspect(flow, tmp_path, encoder, query=("video", CLIP))


def test_missed_clips_follow_the_line_and_the_cursor_never_stands_on_it(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    found = answer(encoder, CLIP, "video")
    ranks = [1, 2, 3, 4, 5, *(found.missed(5) + 1).tolist()]

    async def flow(see: Inspector) -> None:
        await see.answered(CLIP)
        assert "── K = 5 ──" in see.screen_text
        await see.do("inspect.toggle_missed")
        await see.press("g")
        seen = []
        for _ in ranks:
            seen.append(see.results.place)
            await see.press("j")
        assert seen == [rank - 1 for rank in ranks]
        await type_filter(see, "missed")
        await see.press("enter")
        assert listed(see) == [str(rank) for rank in ranks[5:]]
        await see.press("escape", "escape")  # the filter, then the missed clips
        assert len(listed(see)) == 283

    inspect(flow, tmp_path, encoder, query=("video", CLIP))


def test_what_all_ids_begin_with_is_said_once_where_room_is_short(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    clips = "\n".join(
        f"drive_munich_north_{n:04},a.mp4,,k{n} some long keyword,city" for n in range(9)
    )
    dataset = small_dataset(tmp_path / "small", clips, "one two")

    async def flow(see: Inspector) -> None:
        await see.ask_clip("drive_munich_north_0000")
        lines = see.screen_text.splitlines()
        assert any(
            "clip drive_munich_north_…" in line or "drive_munich_north_0" in line for line in lines
        )
        assert all(row[3][-4:].isdigit() for row in see.rows())

    inspect(flow, tmp_path, encoder, dataset=dataset, size=(100, 30))


def test_keywords_of_a_query_set_are_not_called_set_by_hand_nor_dropped(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    """The set says bus, the mapper would have said car: nobody has dropped the car."""
    clips = "a,a.mp4,,car,city\nb,b.mp4,,bus,city\nc,c.mp4,,truck,city"
    dataset = small_dataset(tmp_path / "small", clips)

    async def flow(see: Inspector) -> None:
        class Table:
            open_neighbour = staticmethod(lambda step: False)
            show = staticmethod(lambda: None)

        see.home.dive(Table(), "text", "a car", ("object_type:bus",))  # type: ignore[arg-type]
        await see.answered("a car")
        assert "bus from the query set" in see.keywords
        assert "dropped" not in see.keywords and "car" not in see.keywords
        bar = see.home.query_one(KeywordBar)
        see.home.set_focus(bar)
        await see.do("keywords.drop")
        await see.until(lambda: "bus (dropped)" in see.keywords)
        assert "car" not in see.keywords.replace("(dropped)", "")

    inspect(flow, tmp_path, encoder, dataset=dataset)
