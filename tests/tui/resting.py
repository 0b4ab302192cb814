"""Waiting for a picture that does not change any more."""

from __future__ import annotations

from typing import Any

from textual.app import App
from textual.pilot import Pilot


async def come_to_rest(app: App[Any], pilot: Pilot[Any]) -> None:
    """Wait until nothing changes any more: the last styles of a dialog come after its texts."""
    before, same = "", 0
    while same < 3:
        await pilot.pause(0.1)
        # A dialog that was painted before the screen below it keeps a blank in its place.
        app.screen.refresh()
        now = app.export_screenshot()
        before, same = now, same + 1 if now == before else 0
