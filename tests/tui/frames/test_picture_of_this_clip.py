"""A picture is of the clip that the text beside it is about, and moves only while it is seen."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from engine.text.encoder import SentenceEncoder
from tests.tui.frames.pictures import LARGE, large, painted, shown, zoom, zoomed
from tests.tui.inspector import CLIP, Inspector, inspect
from tui.frames.picture_loader import PICTURE_LOADING
from tui.work.clip_frames import ClipFrames


class Gate:
    """Frames that are decoded only while it is open."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._open = threading.Event()
        self._open.set()
        self.asked: list[str] = []
        load = ClipFrames.load

        def gated(
            frames: ClipFrames,
            which: str,
            clip: str,
            size: tuple[int, int],
            prepare: Callable[[Any], Any],
            *hooks: Any,
        ) -> None:
            self.asked.append(clip)

            def wait(found: Any) -> Any:
                self._open.wait()
                return prepare(found)

            load(frames, which, clip, size, wait, *hooks)

        monkeypatch.setattr(ClipFrames, "load", gated)

    def close(self) -> None:
        self._open.clear()

    def open(self) -> None:
        self._open.set()


@pytest.fixture
def gate(monkeypatch: pytest.MonkeyPatch) -> Gate:
    return Gate(monkeypatch)


# The large frame


def test_away_and_back_at_once_goes_on_with_the_picture(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    async def flow(see: Inspector) -> None:
        await see.answered(CLIP)
        await shown(see)
        see.burst("down", "up")
        await see.until(lambda: see.results.cursor == 0, "the first result")
        await shown(see)
        await see.until(lambda: large(see).looper.moves, "it plays")

    inspect(flow, tmp_path, encoder, **LARGE)


def test_a_clip_that_was_passed_by_is_never_painted(
    tmp_path: Path, encoder: SentenceEncoder, gate: Gate
) -> None:
    async def flow(see: Inspector) -> None:
        await see.answered(CLIP)
        await shown(see)
        first = painted(large(see))
        gate.close()
        clips = [row[3] for row in see.rows()]
        await see.do("table.cursor_down")
        await see.until(lambda: gate.asked[-1] == clips[1], "the second is fetched")
        await see.do("table.cursor_up")
        gate.open()
        await shown(see)
        assert painted(large(see)) == first

    inspect(flow, tmp_path, encoder, **LARGE)


# The zoom


def test_nothing_is_painted_or_played_in_the_zoom_before_the_clip_is_there(
    tmp_path: Path, encoder: SentenceEncoder, gate: Gate
) -> None:
    async def flow(see: Inspector) -> None:
        await see.answered(CLIP)
        await shown(see)
        await zoom(see)
        gate.close()
        await see.do("table.cursor_down")
        await see.says("#2 ")
        await see.do("results.play", "results.next_frame")
        assert zoomed(see).line == PICTURE_LOADING
        assert not painted(zoomed(see), "result").strip()
        gate.open()
        await see.until(lambda: " s " in zoomed(see).line, "the second picture")
        assert painted(zoomed(see), "result").strip()

    inspect(flow, tmp_path, encoder, **LARGE)


def test_another_query_in_the_zoom_is_not_shown_with_the_picture_of_the_one_before(
    tmp_path: Path, encoder: SentenceEncoder, gate: Gate
) -> None:
    async def flow(see: Inspector) -> None:
        await see.answered(CLIP)
        await shown(see)
        other = next(row[3] for row in see.rows() if row[3] != CLIP)
        await zoom(see)
        await see.until(lambda: painted(zoomed(see), "query").strip(), "the query's picture")
        gate.close()
        see.home.asker.ask(see.home.question.about("video", other))
        await see.says(f"query {other}")
        assert not painted(zoomed(see), "query").strip()
        gate.open()
        await see.until(lambda: painted(zoomed(see), "query").strip(), "the other picture")

    inspect(flow, tmp_path, encoder, **LARGE)


# What nobody sees


async def plays(see: Inspector) -> None:
    await shown(see)
    await see.until(lambda: large(see).looper.moves, "it plays")


@pytest.mark.parametrize(
    ("away", "back"),
    [
        pytest.param("app.show_evaluate", "app.show_inspect", id="another screen"),
        pytest.param("inspect.pick", "inspect.back", id="the groups in its place"),
        pytest.param("app.help", "", id="a dialog"),
        pytest.param("results.zoom_picture", "", id="the zoom"),
    ],
)
def test_it_rests_while_something_else_is_looked_at(
    tmp_path: Path, encoder: SentenceEncoder, away: str, back: str
) -> None:
    async def flow(see: Inspector) -> None:
        await see.answered(CLIP)
        await plays(see)
        await see.do(away)
        await see.until(lambda: large(see).looper.rests, "it stands")
        await (see.do(back) if back else see.press("escape"))
        await plays(see)

    inspect(flow, tmp_path, encoder, **LARGE)


def test_what_was_on_its_way_when_the_zoom_came_is_not_played_below_it(
    tmp_path: Path, encoder: SentenceEncoder, gate: Gate
) -> None:
    async def flow(see: Inspector) -> None:
        await see.answered(CLIP)
        await shown(see)
        gate.close()
        await see.do("table.cursor_down")
        await see.until(lambda: len(gate.asked) == 2, "the second is fetched")
        await see.do("results.zoom_picture")
        gate.open()
        await see.until(lambda: zoomed(see).looper.moves, "the zoom plays")
        assert large(see).looper.rests and large(see).state == "loading"
        await see.press("escape")
        await plays(see)

    inspect(flow, tmp_path, encoder, **LARGE)
