"""A clip is played within so many bytes a second, and stands still on a slow line."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable

import pytest
from textual.app import App

from tests.tui.piloted import LIMIT
from tui.frames import looper as timing
from tui.frames.looper import BYTES_PER_SECOND, Looper, LoopHooks
from tui.frames.picture_line import format_line
from tui.look.line_pace import LinePace


class SlowLine(LinePace):
    """A terminal of which a test says whether it is behind."""

    def __init__(self) -> None:
        super().__init__()
        self.waits = False

    @property
    def is_behind(self) -> bool:
        return self.waits


class Cinema(App[None]):
    """Plays a clip of 12 frames; each costs so many bytes, and so does each of the three parts of a
    sharp one, which takes a while to be drawn."""

    def __init__(self, cost: int = 0) -> None:
        super().__init__()
        self.pace = SlowLine()
        self.cost = cost
        self.seen: list[tuple[float, int]] = []
        self.sharp: list[float] = []
        self.left: list[int | None] = []
        self.looper = Looper(self, LoopHooks(self._show, self._sharpen), self.pace)

    def _show(self) -> int:
        self.seen.append((time.monotonic(), self.looper.place))
        return self.cost

    def _sharpen(self) -> int | None:
        self.left = self.left or [None, self.cost, self.cost, self.cost, 0]
        sent = self.left.pop(0)
        if sent:
            self.sharp.append(time.monotonic())
        return sent


def play(act: Callable[[Cinema], Awaitable[None]], cost: int = 0) -> None:
    async def run() -> None:
        app = Cinema(cost)
        async with app.run_test():
            await act(app)

    asyncio.run(run())


async def until(condition: Callable[[], object]) -> None:
    end = time.monotonic() + LIMIT
    while not condition():
        assert time.monotonic() < end
        await asyncio.sleep(0.01)


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(timing, "LOOP_REST", 0.05)
    monkeypatch.setattr(timing, "SHARPEN_REST", 0.05)
    monkeypatch.setattr(timing, "_TRY_AGAIN", 0.02)


def test_it_stands_first_and_then_goes_round() -> None:
    async def act(app: Cinema) -> None:
        app.looper.load(3, 12.0, 1)
        assert [place for _, place in app.seen] == [1]
        assert not app.looper.moves
        await until(lambda: {place for _, place in app.seen} == {0, 1, 2})
        assert app.looper.moves

    play(act)


def test_dear_frames_come_seldom_and_the_clip_keeps_its_time() -> None:
    async def act(app: Cinema) -> None:
        app.looper.load(1000, 12.0, 0)
        await until(lambda: len(app.seen) >= 6)
        (begun, first), (ended, last) = app.seen[1], app.seen[5]
        bytes_a_second = 4 * app.cost / (ended - begun)
        assert bytes_a_second <= BYTES_PER_SECOND
        assert last - first == pytest.approx((ended - begun) * 12, abs=3)

    play(act, cost=BYTES_PER_SECOND // 3)


def test_a_terminal_that_is_behind_gets_a_still_picture_and_the_line_says_so() -> None:
    async def act(app: Cinema) -> None:
        app.looper.load(12, 12.0, 6)
        await until(lambda: app.looper.moves)
        app.pace.waits = True
        await until(lambda: app.looper.state == "slow")
        seen = len(app.seen)
        said = format_line(1.0, 6, 12, app.looper.state, (), 60)
        assert "slow line: still" in said
        app.pace.waits = False
        app.looper.load(12, 12.0, 6)  # the next result: a still picture too
        assert app.looper.state == "slow" and app.looper.rests
        assert len(app.seen) == seen + 1
        app.looper.toggle()  # asked for: another try
        await until(lambda: len(app.seen) > seen + 2)
        assert app.looper.moves

    play(act)


def test_a_paused_clip_is_sharpened_once_unless_the_line_is_slow() -> None:
    async def act(app: Cinema) -> None:
        app.looper.load(12, 6.0, 6)
        app.looper.step(1)
        assert app.looper.place == 7
        await until(lambda: app.looper.rests)
        assert len(app.sharp) == 3
        app.pace.waits = True
        app.looper.step(-1)
        await until(lambda: app.looper.rests)
        assert len(app.sharp) == 3

    play(act, cost=10)


def test_a_clip_that_is_passed_by_while_all_are_paused_is_not_sharpened() -> None:
    async def act(app: Cinema) -> None:
        app.looper.load(12, 6.0, 6)
        app.looper.step(1)
        app.looper.load(12, 6.0, 6)
        assert app.looper.state == "paused" and app.looper.rests
        assert not app.sharp

    play(act)


def test_a_picture_is_sharpened_within_the_bytes_of_a_second() -> None:
    async def act(app: Cinema) -> None:
        app.looper.load(12, 6.0, 6)
        app.looper.pause()
        await until(lambda: app.looper.rests)
        begun, _, ended = app.sharp
        assert 2 * app.cost / (ended - begun) <= BYTES_PER_SECOND

    play(act, cost=BYTES_PER_SECOND // 10)


def test_what_nobody_sees_stands_and_goes_on_where_it_was() -> None:
    async def act(app: Cinema) -> None:
        app.looper.load(12, 12.0, 6)
        await until(lambda: app.looper.moves)
        app.looper.hold(True)
        place, seen = app.looper.place, len(app.seen)
        assert app.looper.rests and not app.looper.moves
        app.looper.load(12, 12.0, place)  # another clip meanwhile: its picture, and no more
        assert app.looper.rests and len(app.seen) == seen + 1
        app.looper.hold(False)
        await until(lambda: app.looper.moves and app.looper.place != place)

    play(act)


def test_what_is_not_shown_yet_is_neither_paused_nor_played() -> None:
    async def act(app: Cinema) -> None:
        app.looper.load(12, 12.0, 6)
        app.looper.stop()
        seen = len(app.seen)
        app.looper.toggle()
        app.looper.step(1)
        assert app.looper.state == "waiting" and len(app.seen) == seen

    play(act)


def test_nobody_is_played_to_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(timing, "LONGEST_PLAY", 0.3)

    async def act(app: Cinema) -> None:
        app.looper.load(12, 12.0, 6)
        await until(lambda: app.looper.state == "rested")

    play(act)


def test_a_clip_of_one_frame_neither_plays_nor_steps_away() -> None:
    async def act(app: Cinema) -> None:
        app.looper.load(1, 1.0, 0)
        app.looper.step(1)
        assert app.looper.place == 0
        app.looper.toggle()
        assert not app.looper.moves

    play(act)


def test_the_line_gives_way_to_what_matters() -> None:
    hints = (", . step", "z zoom")
    assert format_line(0.8, 4, 12, "playing", hints, 46).endswith(", . step  z zoom")
    assert format_line(0.8, 4, 12, "playing", hints, 24).endswith("  , . step")
    assert format_line(0.8, 4, 12, "paused", hints, 16) == "0.8 s  paused"
    assert "━" not in format_line(0.8, 0, 1, "playing", hints, 46)
    for width in range(1, 60):
        assert len(format_line(0.8, 4, 12, "slow", hints, width)) <= width


def test_a_timer_that_went_off_before_it_was_stopped_does_nothing() -> None:
    async def act(app: Cinema) -> None:
        app.looper.load(12, 12.0, 6)
        await until(lambda: app.looper.moves)
        seen = len(app.seen)
        await until(lambda: len(app.seen) > seen)  # the next frame is due before long
        time.sleep(0.3)  # it is due, but nothing can be done meanwhile
        for _ in range(3):
            await asyncio.sleep(0)
        seen = len(app.seen)
        app.looper.stop()
        await asyncio.sleep(0.2)
        assert len(app.seen) == seen
        assert not app.looper.moves

    play(act)
