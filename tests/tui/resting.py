"""Waiting for a picture that does not change any more."""

from __future__ import annotations

from typing import Any

from textual.app import App
from textual.pilot import Pilot
from textual.strip import Strip

from tui.work.throttle import DETAIL_PAUSE

QUIET = DETAIL_PAUSE + 0.03
"""Seconds in which a picture at rest does not change."""


async def come_to_rest(app: App[Any], pilot: Pilot[Any]) -> None:
    """Wait until nothing changes any more: the last styles of a dialog come after its texts, and
    the detail of a row after DETAIL_PAUSE."""
    before, now, pause = None, None, QUIET / 3
    while now is None or now != before:
        await pilot.pause(pause)
        # A dialog that was painted before the screen below it keeps a blank in its place.
        app.screen.refresh()
        before, now, pause = now, picture_of(app), QUIET


def picture_of(app: App[Any]) -> list[list[Strip]]:
    """What a screenshot would show, at a quarter of its cost."""
    painted = app.screen._compositor.render_update(full=True, screen_stack=app._background_screens)
    return [list(line) for line in painted.strips]  # type: ignore[union-attr]
