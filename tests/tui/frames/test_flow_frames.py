"""Frames: the clips of query and result, played in place or outside, and why there are none."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from engine.text.encoder import SentenceEncoder
from tests.tui.inspector import CLIP, Inspector, inspect, small_dataset
from tui.frames.filmstrip import Filmstrip
from tui.frames.frames_row import FramesRow

BROKEN = f"""
    a,a.mp4,,car,city
    gone,gone.mp4,,car,city
    broken,broken.mp4,,car,rain
    none,,,bus,city
    e,,,bus,rain
    f,{"x" * 300},,car,city
"""


FILMSTRIP: dict[str, Any] = {"images": "halfcell", "frames": "filmstrip"}


def strip(see: Inspector, which: str = "result") -> Filmstrip:
    return see.home.query_one(FramesRow).strip(which)


def painted(see: Inspector, which: str = "result") -> str:
    """What a filmstrip draws, as text."""
    widget = strip(see, which)
    return "\n".join(widget.render_line(y).text for y in range(widget.size.height))


async def framed(see: Inspector, clip: str, which: str = "result") -> None:
    """Wait until the frames of a clip are drawn."""
    title = f"{which} {clip}"
    await see.until(
        lambda: painted(see, which).startswith(title) and "▀" in painted(see, which), title
    )


@pytest.mark.slow
def test_query_and_result_stand_side_by_side_and_follow_the_cursor(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    async def flow(see: Inspector) -> None:
        await see.answered(CLIP)
        await framed(see, CLIP, "query")
        await framed(see, see.rows()[0][3])
        first = [segment.style for segment in strip(see).render_line(3)]
        await see.press("j")
        await framed(see, see.rows()[1][3])
        assert [segment.style for segment in strip(see).render_line(3)] != first
        assert f"query {CLIP}" in see.screen_text
        assert f"result {see.rows()[1][3]}" in see.screen_text
        await see.do("inspect.toggle_frames")
        assert f"query {CLIP}" not in see.screen_text
        await see.do("inspect.toggle_frames", "inspect.toggle_frames")
        await see.until(lambda: f"query {CLIP}" in see.screen_text)
        await framed(see, see.rows()[1][3])

    inspect(flow, tmp_path, encoder, query=("video", CLIP), size=(140, 45), **FILMSTRIP)


@pytest.mark.slow
def test_space_plays_the_result_and_stops_it(tmp_path: Path, encoder: SentenceEncoder) -> None:
    async def flow(see: Inspector) -> None:
        await see.answered(CLIP)
        await framed(see, see.rows()[0][3])
        await see.do("results.play")
        await see.until(lambda: "playing" in painted(see), "it plays")
        assert strip(see).playing
        await see.do("results.play")
        await see.until(lambda: not strip(see).playing, "it stops")
        assert "playing" not in painted(see)
        await see.do("results.play")
        await see.until(lambda: strip(see).playing)
        await see.press("j")  # another result: the old one is no longer played
        await framed(see, see.rows()[1][3])
        assert not strip(see).playing

    inspect(flow, tmp_path, encoder, query=("video", CLIP), **FILMSTRIP)


def test_a_missing_or_broken_file_is_named_where_its_frames_would_be(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    dataset = small_dataset(tmp_path / "broken", BROKEN, **{"broken.mp4": "this is no video"})

    async def flow(see: Inspector) -> None:
        await see.answered("a")
        clips = [row[3] for row in see.rows()]
        said = {}
        for clip in ("gone", "broken", "none", "f"):
            place = clips.index(clip)
            await see.press("g", *["j"] * place)
            title = f"result {clip}"
            await see.until(
                lambda title=title: (
                    painted(see).startswith(title)  # type: ignore[misc]
                    and strip(see).state == "failed"
                ),
                title,
            )
            said[clip] = " ".join(painted(see).replace("│", " ").split())
        assert "gone.mp4" in said["gone"].replace(" ", "")
        # The box breaks a long path wherever it ends.
        assert "broken.mp4" in said["broken"].replace(" ", "")
        assert "the annotations name no media file" in said["none"]
        assert "cannot be read (file name too long)" in said["f"]
        await see.do("results.play")  # what cannot be shown cannot be played either
        await see.until(lambda: strip(see).state == "failed")
        assert not strip(see).playing

    inspect(flow, tmp_path, encoder, dataset=dataset, query=("video", "a"), **FILMSTRIP)


def test_o_opens_the_clip_in_the_player_that_the_environment_names(
    tmp_path: Path, encoder: SentenceEncoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = tmp_path / "seen.txt"
    player = tmp_path / "player.sh"
    player.write_text(f'#!/bin/sh\necho "$@" > {seen}.part && mv {seen}.part {seen}\n')
    player.chmod(0o755)
    monkeypatch.setenv("TUI_EVAL_PLAYER", f"{player} --loop")

    async def flow(see: Inspector) -> None:
        await see.answered(CLIP)
        await see.do("results.open_clip")
        await see.says("opened with player.sh")
        await see.until(seen.exists, "the player was started")
        option, path = seen.read_text().split()
        assert option == "--loop"
        assert Path(path).is_file()
        assert Path(path).stem == see.rows()[0][3]

    inspect(flow, tmp_path, encoder, query=("video", CLIP))


def test_without_a_player_the_path_is_shown(
    tmp_path: Path, encoder: SentenceEncoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("TUI_EVAL_PLAYER", "DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)

    async def flow(see: Inspector) -> None:
        await see.answered(CLIP)
        await see.do("results.open_clip")
        await see.says("no display here for a player")
        (said,) = (toast for toast in see.toasts if "no display here" in toast)
        why, path = said.split("\n")
        assert "$TUI_EVAL_PLAYER" in why
        assert Path(path).is_file()

    inspect(flow, tmp_path, encoder, query=("video", CLIP))


def test_where_frames_are_off_the_key_says_why(tmp_path: Path, encoder: SentenceEncoder) -> None:
    async def flow(see: Inspector) -> None:
        await see.answered(CLIP)
        assert not see.home.query_one(FramesRow).display
        await see.do("inspect.toggle_frames")
        await see.says("No frames here: --images off")
        assert not see.home.query_one(FramesRow).display

    inspect(flow, tmp_path, encoder, query=("video", CLIP), images="off")


def test_a_clip_without_media_cannot_be_opened_and_says_so(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    dataset = small_dataset(tmp_path / "bare", "\n".join(f"{name},,,car,city" for name in "abcdef"))

    async def flow(see: Inspector) -> None:
        await see.answered("a")
        await see.do("results.open_clip")
        await see.says("the annotations name no media file")
        await see.press("y")
        assert see.app.clipboard == f"{see.rows()[0][3]}\t"

    inspect(flow, tmp_path, encoder, dataset=dataset, query=("video", "a"))
