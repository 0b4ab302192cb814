"""Keys that come before the clips are read, and clips that cannot be read at all."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.text.encoder import SentenceEncoder
from tests.tui.inspector import CLIP, Inspector, inspect, small_dataset
from tui.inspect.clip_chooser import ClipChooser, FoundTable
from tui.work.bench import Bench, OpenModel


@pytest.fixture
def reading(monkeypatch: pytest.MonkeyPatch) -> Iterator[threading.Event]:
    """Nothing is read before this is set."""
    may_read, read = threading.Event(), Bench._read

    def wait(bench: Bench, name: str) -> OpenModel:
        assert may_read.wait(60)
        return read(bench, name)

    monkeypatch.setattr(Bench, "_read", wait)
    yield may_read
    may_read.set()


def test_the_list_of_clips_fills_once_they_are_read(
    reading: threading.Event, tmp_path: Path, encoder: SentenceEncoder
) -> None:
    async def flow(see: Inspector) -> None:
        await see.do("inspect.ask_clip")
        await see.type("ub2")
        await see.says("reading the clips …")
        assert "no clip" not in see.screen_text
        reading.set()
        await see.until(
            lambda: CLIP in [row[0] for row in see.rows(see.home.query_one(FoundTable))[:1]],
            "the clip that is meant",
        )
        assert see.home.query_one(ClipChooser).display

    inspect(flow, tmp_path, encoder, ready=False)


def test_enter_waits_for_the_clips_among_which_a_part_of_an_id_is_looked_for(
    reading: threading.Event, tmp_path: Path, encoder: SentenceEncoder
) -> None:
    async def flow(see: Inspector) -> None:
        await see.do("inspect.ask_clip")
        await see.type("ub2")
        soon = threading.Timer(0.3, reading.set)
        soon.start()
        await see.press("enter")
        await see.answered(CLIP)
        assert see.field == CLIP
        soon.join()

    inspect(flow, tmp_path, encoder, ready=False)


@pytest.mark.parametrize("header_only", [True, False])
def test_clips_that_cannot_be_read_are_said_so_and_no_key_ends_the_app(
    header_only: bool, tmp_path: Path, encoder: SentenceEncoder
) -> None:
    dataset = small_dataset(tmp_path / "d", "otter_1,,,otter,river")
    file = tmp_path / "d" / "clips.csv"
    file.write_text(file.read_text().partition("\n")[0] + "\n" if header_only else "")

    async def flow(see: Inspector) -> None:
        await see.until(lambda: "not read" in see.title, "the title")
        assert "the clips could not be read" in see.keywords
        assert "reading" not in see.screen_text.replace("reading the clips", "")
        for key in ("c", "x", "escape", "V", "V", "V", "space", "p", "escape", "z", "z"):
            await see.press(key)
        await see.do("inspect.ask_clip")
        await see.type("otter")
        await see.press("enter")
        await see.pilot.pause()
        assert see.app.is_running and see.app.return_code is None

    inspect(flow, tmp_path, encoder, dataset=dataset, ready=False, images="quadrant")
