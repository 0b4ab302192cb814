"""Keys are done one after another, however close together they come.

Textual hands a key to the focused widget and looks at the next one while the first is still on its
way up to the app, where its command is found by what has the focus *then*. Over a slow line keys
arrive together: of "x" and "/", the mark would be looked for in the query field, and be lost.

A command that moves the focus does so by `Screen.set_focus`: `Widget.focus` does it later.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, Final

from textual import events
from textual.app import App, ScreenStackError
from textual.dom import DOMNode
from textual.screen import Screen
from textual.widget import Widget
from textual.widgets import Input

from tui.keys.idle import explain_idle_key

FOCUS_PATIENCE: Final = 2.0
"""Seconds that a key waits for what the key before it has begun."""

_A_MOMENT: Final = 0.001
"""Seconds; a screen is mounted in some of them."""


async def do_in_order(app: App[Any], event: events.Event) -> bool:
    """Do at once what a key does here, and wait for what follows; False: it is Textual's to do.

    A character that is typed into a field is Textual's: the field takes those in their order. A
    key that does nothing here is not handed on either: on its way it would meet what is opened
    next.
    """
    if not isinstance(event, events.Key) or event.is_forwarded or not app.app_focus:
        return False
    if not app.screen_stack:
        return True  # the app is ending
    focused = app.focused
    if isinstance(focused, Input):
        if focused.check_consume_key(event.key, event.character):
            return False
        await _heard([focused])  # what was typed before is in
    if await _do_what_is_bound(app, event.key):
        if focused is not None:
            # What a pane does it reports to its screen, from one to the next: that Enter was
            # pressed, that a group was chosen, that the cursor moved.
            await _heard(focused.ancestors_with_self)
        await _shown(app)
    else:
        explain_idle_key(app, event.key)
    return True


async def _do_what_is_bound(app: App[Any], key: str) -> bool:
    """Run the action of a key here and now.

    The one place that reaches into Textual: what is public (`App.active_bindings`) knows neither
    the bindings that hold behind a dialog too, nor that an action may leave a key to the next one.
    """
    return await app._check_bindings(key, priority=True) or await app._check_bindings(key)


async def _heard(nodes: Sequence[DOMNode]) -> None:
    """Wait until each has done what it was asked before now."""
    for node in nodes:
        if isinstance(node, App):
            return  # it waits here
        heard = asyncio.Event()
        if node.call_later(heard.set):
            with suppress(TimeoutError):
                await asyncio.wait_for(heard.wait(), FOCUS_PATIENCE)


async def wait_for_keys(app: App[Any]) -> None:
    """Wait until a screen that was opened is there, with all that it shows at first."""
    await _shown(app)
    with suppress(ScreenStackError):
        await _heard([app.screen])


async def _shown(app: App[Any]) -> None:
    """Wait until a screen that was opened takes keys."""
    with suppress(ScreenStackError, TimeoutError):  # the app ends, or something is amiss with it
        screen = app.screen
        await asyncio.wait_for(_mounted(screen), FOCUS_PATIENCE)
        # What is typed next is for the field of a new screen, which Textual would focus later.
        if screen.focused is None:
            screen.set_focus(find_first_focus(screen))
        await _heard([screen])  # also the answer of a dialog that was closed


async def _mounted(screen: Screen[Any]) -> None:
    while not screen.is_mounted:
        await asyncio.sleep(_A_MOMENT)


def find_first_focus(screen: Screen[Any]) -> Widget | None:
    """What has the focus when a screen is opened."""
    if screen.AUTO_FOCUS == "":
        return None
    wanted = screen.query(screen.AUTO_FOCUS or screen.app.AUTO_FOCUS or "*")
    return next((widget for widget in wanted if widget.focusable), None)
