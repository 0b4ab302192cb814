"""A key that judges results, where it does nothing: the screen may say why."""

from __future__ import annotations

from typing import Any, Final, Protocol, runtime_checkable

from textual.app import App

from tui.keys.keymap import find_keymap

JUDGING: Final = ("mark_bias", "mark_relevant", "mark_not_relevant", "clear_mark", "note")
"""The commands that judge a result, wherever one is shown."""


@runtime_checkable
class SaysWhyNot(Protocol):
    """A screen on which some keys that judge do nothing."""

    def say_why_not_judged(self, action: str) -> str:
        """Why one of JUDGING is not possible, in a line that may name commands as `Keymap.spell`
        has it; empty: that needs no word."""


def explain_idle_key(app: App[Any], key: str) -> None:
    """Say why a key does nothing here that judges results elsewhere."""
    if not app.screen_stack:
        return  # the app is ending
    screen, keymap = app.screen, find_keymap(app)
    action = next((one for one in JUDGING if key in keymap.keys[f"results.{one}"]), None)
    if action is not None and isinstance(screen, SaysWhyNot):
        why = keymap.spell(screen.say_why_not_judged(action))
        if why:
            app.clear_notifications()  # of the same key before
            app.notify(why, timeout=4, markup=False)
