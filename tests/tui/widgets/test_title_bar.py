"""The first line: an alarm is seen however narrow it is, and states give way."""

from __future__ import annotations

import asyncio

import pytest
from textual.app import App, ComposeResult

from tui.widgets.title_bar import TitleBar


class Titled(App[None]):
    def compose(self) -> ComposeResult:
        yield TitleBar()


def render(width: int, left: str, *states: str, alarm: str = "") -> str:
    async def show() -> str:
        app = Titled()
        async with app.run_test(size=(width, 3)):
            title = app.query_one(TitleBar)
            title.show(left, *states, alarm=alarm)
            return title.render().plain

    return asyncio.run(show())


def test_the_last_state_gives_way_first() -> None:
    wide = render(60, "sample · 284 clips", "loading MiniLM", "new session")
    narrow = render(40, "sample · 284 clips", "loading MiniLM", "new session")

    assert wide.split("  ")[-1] == "loading MiniLM · new session"
    assert narrow.split("  ")[-1] == "loading MiniLM"


@pytest.mark.parametrize("width", [30, 40, 60])
def test_an_alarm_never_does(width: int) -> None:
    shown = render(width, "sample · 284 clips", "loading MiniLM", "session", alarm="NOT SAVED")
    assert "NOT SAVED loading MiniLM" in shown
    assert len(shown) <= width - 2


def test_a_long_state_leaves_room_for_what_is_looked_at() -> None:
    path = "/home/user/.local/share/tui-eval/sessions.db"

    narrow, wide = (render(width, "Sessions  1 session", path) for width in (60, 80))

    assert narrow.startswith("Sessions  1 session  /home/user/.local/share/")
    assert narrow.endswith("…")
    assert wide.endswith(path)


def test_what_users_have_named_cannot_speak_to_the_terminal() -> None:
    assert "\x1b" not in render(60, "a\x1b[2J", "b\x1b", alarm="c\x1b")
