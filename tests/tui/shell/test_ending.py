"""An app that ends: what still reaches it finds no screen any more."""

from __future__ import annotations

import asyncio

from textual import events
from textual.app import ComposeResult
from textual.widgets import Input

from tui.keys.idle import explain_idle_key
from tui.opening.starts import AppStart
from tui.shell.base_app import BaseApp


class Small(BaseApp):
    def compose(self) -> ComposeResult:
        yield Input()


def test_news_of_a_focus_and_a_key_that_come_too_late_are_nothing() -> None:
    async def scene() -> None:
        app = Small(AppStart())
        async with app.run_test() as pilot:
            field = app.query_one(Input)
            stack = [*app._screen_stack]
            app._screen_stack.clear()
            assert not app.screen_stack
            app.on_descendant_focus()
            explain_idle_key(app, "b")
            app._screen_stack.extend(stack)
            app.post_message(events.DescendantFocus(field))
            await pilot.pause()

    asyncio.run(scene())
