"""A filmstrip shows what it is given, sends only what changed, and plays in place."""

from __future__ import annotations

import asyncio
import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Coroutine
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from textual.app import App, ComposeResult
from textual.geometry import Region
from textual.pilot import Pilot

import sample_data
from engine.media.clip import ClipMedia, read_clip, read_strip
from engine.media.pictures import Frames
from tests.tui.piloted import LIMIT
from tui.frames.filmstrip import Filmstrip
from tui.frames.images import DrawingMethod
from tui.look.themes import register

CLIP = ClipMedia("urban", (sample_data.folder() / "clips" / "urban_bicyclist_0002.mp4",))


class Watched(Filmstrip):
    """Remembers which of its regions were to be sent."""

    def __init__(self, drawing: DrawingMethod) -> None:
        super().__init__(drawing)
        self.sent: list[Region] = []

    def refresh(self, *regions: Region, **options: bool) -> Watched:
        self.sent += regions or [Region(0, 0, *self.size)]
        return super().refresh(*regions, **options)


class Stage(App[None]):
    """One filmstrip of a given height."""

    def __init__(self, height: int = 8, drawing: DrawingMethod = "halfcell") -> None:
        super().__init__()
        self.strip = Watched(drawing)
        self.strip.styles.height = height
        self.said: list[str] = []

    def on_mount(self) -> None:
        register(self)

    def compose(self) -> ComposeResult:
        yield self.strip

    def on_filmstrip_resized(self) -> None:
        self.said.append("resized")

    @property
    def lines(self) -> list[str]:
        return [self.strip.render_line(y).text.rstrip() for y in range(self.strip.size.height)]


def on_stage(
    act: Callable[[Stage, Pilot[None]], Coroutine[Any, Any, None]],
    width: int = 80,
    height: int = 8,
    drawing: DrawingMethod = "halfcell",
) -> None:
    async def run() -> None:
        app = Stage(height, drawing)
        async with app.run_test(size=(width, 30)) as pilot:
            await pilot.pause()
            await act(app, pilot)

    asyncio.run(run())


def frames(count: int = 3, fps: float = 10.0, width: int = 24, height: int = 14) -> Frames:
    shades = np.linspace(0, 255, count).astype(np.uint8)
    pixels = np.broadcast_to(shades[:, None, None, None], (count, height, width, 3)).copy()
    return Frames(pixels, tuple(i / fps for i in range(count)), fps, Path("a.mp4"))


# How many frames, and how large.


@pytest.mark.parametrize(
    ("width", "height", "wanted"),
    [
        (80, 8, (3, 24, 14)),
        (120, 8, (5, 23, 14)),
        (40, 8, (2, 19, 14)),
        (24, 8, (1, 24, 14)),
        (10, 8, (1, 10, 14)),
        (80, 5, (5, 14, 8)),
        (80, 2, (6, 3, 2)),
        (80, 20, (2, 39, 24)),
        (1, 1, (1, 1, 2)),
    ],
)
def test_as_many_frames_are_wanted_as_fit(
    width: int, height: int, wanted: tuple[int, int, int]
) -> None:
    async def act(app: Stage, _: Pilot[None]) -> None:
        assert app.strip.wanted() == wanted
        count, columns, _rows = wanted
        assert count * (columns + 1) - 1 <= width

    on_stage(act, width, height)


def test_another_size_is_reported_when_something_else_is_wanted() -> None:
    async def act(app: Stage, pilot: Pilot[None]) -> None:
        app.said.clear()
        await pilot.resize_terminal(81, 30)
        assert app.said == [], "one column more makes no difference"
        await pilot.resize_terminal(120, 30)
        await pilot.pause()
        assert app.said == ["resized"]

    on_stage(act)


# What it shows.


def test_frames_stand_side_by_side_under_their_title_and_times() -> None:
    async def act(app: Stage, _: Pilot[None]) -> None:
        shown = read_strip(CLIP, *app.strip.wanted())
        app.strip.show(shown, "query  urban_bicyclist_0002")
        assert app.strip.state == "shown"
        assert app.lines[0] == "query  urban_bicyclist_0002  0.0 · 1.0 · 1.8 s"
        for y in range(1, 8):
            line = app.strip.render_line(y)
            assert line.cell_length == 80
            for gap in (24, 49, 74):
                assert line.crop(gap, gap + 1).text == " "

    on_stage(act)


def test_times_give_way_to_a_long_title() -> None:
    async def act(app: Stage, _: Pilot[None]) -> None:
        for title, line in (
            ("a" * 22, "a" * 22 + "  0.0–0.2 s"),
            ("a" * 35, "a" * 35),
            ("a" * 99, "a" * 39 + "…"),
        ):
            app.strip.show(frames(), title)
            assert app.lines[0] == line

    on_stage(act, width=40)


def test_markup_and_control_characters_are_shown_as_they_are() -> None:
    async def act(app: Stage, _: Pilot[None]) -> None:
        app.strip.show_problem("[bold]a[/]\x1b[31m", "[link]no such file: \x1b]0;x\x07")
        assert app.lines[0] == r"[bold]a[/]\x1b[31m"
        assert r"[link]no such file: \x1b]0;x\x07" in app.lines[2]

    on_stage(act)


def test_a_problem_stands_in_a_box_with_the_whole_path() -> None:
    async def act(app: Stage, _: Pilot[None]) -> None:
        path = "/data/a/very/long/folder/name/and/another/urban_bicyclist_0004.mp4"
        app.strip.show_problem("result  a", f"no such file: {path}")
        assert app.strip.state == "failed"
        assert app.lines[1].startswith("╭─")
        text = "".join(line.strip("│ ") for line in app.lines[2:4])
        assert text == f"no such file: {path}"
        assert len({len(line) for line in app.lines[1:5]}) == 1

    on_stage(act, width=60)


def test_a_problem_without_room_for_a_box_is_plain_text() -> None:
    async def act(app: Stage, _: Pilot[None]) -> None:
        app.strip.show_problem("a", "no such file: clips/漢字漢字漢字漢字.mp4")
        assert app.lines[1:] == ["no such file: clips/漢字漢字漢", "字漢字.mp4"]
        assert all(app.strip.render_line(y).cell_length == 30 for y in range(3))

    on_stage(act, width=30, height=3)


def test_the_other_states_are_a_line_of_text() -> None:
    async def act(app: Stage, _: Pilot[None]) -> None:
        assert (app.strip.state, app.lines[1]) == ("empty", "no clip")
        app.strip.show_loading("query  a")
        assert (app.strip.state, app.lines[:2]) == ("loading", ["query  a", "loading frames…"])
        app.strip.clear("frames are off: f shows them")
        assert app.lines[:2] == ["", "frames are off: f shows them"]

    on_stage(act)


def test_in_another_theme_it_is_drawn_again() -> None:
    async def act(app: Stage, pilot: Pilot[None]) -> None:
        app.strip.show(frames(height=13), "a")
        before = list(app.strip._lines)
        app.theme = "light"
        await pilot.pause()
        assert app.strip._lines[0] != before[0]
        assert app.strip._lines[7] != before[7], "half a cell of background"

    on_stage(act)


def test_every_size_can_be_drawn() -> None:
    async def act(app: Stage, pilot: Pilot[None]) -> None:
        for width in (1, 2, 3, 5, 9, 30):
            await pilot.resize_terminal(width, 30)
            for show in (
                lambda: app.strip.show(frames(width=5, height=7), "title"),
                lambda: app.strip.show_problem("title", "no such file: clips/a.mp4"),
                lambda: app.strip.show_loading("title"),
                lambda: app.strip.play(frames()),
            ):
                show()
                await pilot.pause()
                assert {app.strip.render_line(y).cell_length for y in range(4)} == {width}

    on_stage(act, height=4)


# What it sends.


def test_what_is_shown_again_is_not_sent_again() -> None:
    async def act(app: Stage, _: Pilot[None]) -> None:
        app.strip.show(frames(), "a")
        app.strip.sent.clear()
        app.strip.show(frames(), "a")
        assert app.strip.sent == []
        app.strip.show(frames(), "b")
        assert app.strip.sent == [Region(0, 0, app.strip.sent[0].width, 1)]

    on_stage(act)


def test_playing_sends_the_title_and_the_first_frame_only() -> None:
    async def act(app: Stage, _: Pilot[None]) -> None:
        app.strip.show(frames(), "a")
        app.strip.play(frames(20))
        app.strip.sent.clear()
        app.strip._tick()
        assert [region.y for region in app.strip.sent] == list(range(8))
        assert all(region.width <= 24 for region in app.strip.sent)

    on_stage(act)


# Playing.


def test_a_clip_is_played_twice_and_then_its_frames_are_back() -> None:
    async def act(app: Stage, pilot: Pilot[None]) -> None:
        app.strip.show(read_strip(CLIP, *app.strip.wanted()), "a")
        before = list(app.strip._lines)
        played = read_clip(CLIP, *app.strip.wanted()[1:])
        app.strip.play(played)
        assert app.strip.playing
        assert app.lines[0] == "a  playing 0.0 of 1.8 s"
        for _ in range(2 * len(played) - 1):
            app.strip._tick()
        assert app.lines[0] == "a  playing 1.8 of 1.8 s"
        app.strip._tick()
        assert not app.strip.playing
        assert app.strip._lines == before

    on_stage(act)


def test_the_clock_drives_it() -> None:
    async def act(app: Stage, pilot: Pilot[None]) -> None:
        app.strip.play(frames(3, fps=12))
        until = time.monotonic() + LIMIT
        while app.strip.playing and time.monotonic() < until:
            await pilot.pause(0.05)
        assert not app.strip.playing

    on_stage(act)


@pytest.mark.parametrize(
    ("count", "fps", "ticks"), [(60, 60.0, 24), (24, 12.0, 48), (6, 6.0, 12), (8, 0.1, 16)]
)
def test_a_quick_clip_drops_frames_and_keeps_its_time(count: int, fps: float, ticks: int) -> None:
    async def act(app: Stage, _: Pilot[None]) -> None:
        app.strip.play(frames(count, fps))
        done = 0
        while app.strip.playing:
            app.strip._tick()
            done += 1
        assert done == ticks

    on_stage(act)


def test_anything_else_that_is_shown_stops_it() -> None:
    async def act(app: Stage, _: Pilot[None]) -> None:
        for act_on in (
            lambda: app.strip.show(frames(), "b"),
            lambda: app.strip.show_loading("b"),
            app.strip.clear,
            app.strip.stop,
        ):
            app.strip.play(frames(9))
            act_on()
            assert not app.strip.playing

    on_stage(act)


# Terminals that draw pictures themselves.

PROGRAM = """
from tui.frames.images import prepare_images
prepare_images({drawing!r})
from pathlib import Path
from textual.app import App
from engine.media.clip import ClipMedia, read_clip, read_strip
from tui.frames.filmstrip import Filmstrip

class Player(App):
    def compose(self):
        yield Filmstrip({drawing!r})
    def on_filmstrip_resized(self):
        media = ClipMedia("a", (Path({path!r}),))
        strip = self.query_one(Filmstrip)
        assert strip.wanted() == (3, 24 * 9, 7 * 18), strip.wanted()
        strip.show(read_strip(media, *strip.wanted()), "a")
        clip = read_clip(media, *strip.wanted()[1:])
        self.set_timer(0.3, lambda: strip.play(clip))
        self.set_timer(1.0, lambda: strip.show_problem("a", "no such file"))
        self.set_timer(1.3, self.exit)

Player().run()
"""

PREPARE = """
import sys, tui.frames.filmstrip, tui.frames.images
assert not any(name.startswith("textual_image") for name in sys.modules)
tui.frames.images.prepare_images({drawing!r})
assert "textual_image.widget" in sys.modules and sys.__stdout__.isatty()
print("ready", *tui.frames.images.read_cell_size())
"""


def in_a_terminal(code: str) -> str:
    """What a program writes to its terminal of 80 × 24 cells of 9 × 18 pixels."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 80 * 9, 24 * 18))
    process = subprocess.Popen(
        [sys.executable, "-c", code],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        cwd=Path(__file__).resolve().parents[3],
        env={**os.environ, "TERM": "xterm-256color"},
    )
    os.close(theirs)
    said = b""
    with suppress(OSError):  # the other end was closed
        while select.select([ours], [], [], 60)[0]:
            said += os.read(ours, 1 << 20)
    os.close(ours)
    code_at_end = process.wait(timeout=LIMIT)
    text = said.decode(errors="replace")
    assert code_at_end == 0, text[-2000:]
    return text


@pytest.mark.slow
@pytest.mark.parametrize("drawing", ["kitty", "sixel"])
def test_preparing_images_asks_the_terminal_nothing(drawing: str) -> None:
    assert in_a_terminal(PREPARE.format(drawing=drawing)).strip() == "ready 9 18"


@pytest.mark.slow
@pytest.mark.parametrize(("drawing", "sign"), [("kitty", r"\x1b_G.*?\x1b\\"), ("sixel", "\x1bP")])
def test_kitty_and_sixel_send_pictures_to_a_real_terminal(drawing: str, sign: str) -> None:
    text = in_a_terminal(PROGRAM.format(drawing=drawing, path=str(CLIP.paths[0])))
    assert len(re.findall(sign, text)) >= 3
    assert "no such file" in text
