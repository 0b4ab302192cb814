"""The line under a picture: when its frame was, how far into the clip, and what can be pressed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from rich.cells import cell_len
from textual.content import Content
from textual.screen import Screen
from textual.widget import Widget

from tui.frames.filmstrip_text import cut_to_width
from tui.frames.looper import LoopState
from tui.keys.active import find_pressable_keys
from tui.keys.names import name_key
from tui.look.safe import escape

_SAYS: Final[Mapping[LoopState, str]] = {
    "slow": "slow line: still",
    "paused": "paused",
    "rested": "still",
}
_SHORTEST, _LONGEST = 5, 20
"""Cells of the bar."""


def draw_time_bar(place: int, count: int, width: int) -> str:
    """How far into a clip a frame is.

    >>> draw_time_bar(0, 12, 9), draw_time_bar(6, 12, 9), draw_time_bar(11, 12, 9)
    ('●────────', '━━━━●────', '━━━━━━━━●')
    """
    before = place * (width - 1) // (count - 1) if count > 1 else 0
    return "━" * before + "●" + "─" * (width - 1 - before)


def format_line(
    seconds: float, place: int, count: int, state: LoopState, hints: Sequence[str], width: int
) -> str:
    """What fits: the time always, then what it waits for, the bar, and the keys.

    >>> format_line(0.8, 4, 12, "playing", (", . step", "z zoom"), 40)
    '0.8 s ━━━━━●──────────  , . step  z zoom'
    """
    parts = [f"{seconds:.1f} s"]
    said = _SAYS.get(state, "")
    room = width - cell_len(parts[0]) - (cell_len(said) + 2 if said else 0)
    kept: list[str] = []
    for hint in hints:
        if room - cell_len(hint) - 2 >= _SHORTEST + 1:
            room -= cell_len(hint) + 2
            kept.append(hint)
    if count > 1 and room > _SHORTEST:
        parts[0] += f" {draw_time_bar(place, count, min(_LONGEST, room - 1))}"
    return cut_to_width("  ".join([*parts, *filter(None, [said]), *kept]), width)


def collect_picture_hints(screen: Screen[Any]) -> tuple[str, ...]:
    """The keys that work on the picture now, as they are bound now."""
    keys: dict[str, str] = {}
    for key, active in find_pressable_keys(screen).items():
        if active.enabled:
            keys.setdefault(active.binding.id or "", name_key(key))
    step = [
        keys[name]
        for name in (f"results.{one}_frame" for one in ("previous", "next"))
        if name in keys
    ]
    zoom = keys.get("results.zoom_picture")
    return tuple(
        filter(None, [f"{' '.join(step)} step" if step else "", f"{zoom} zoom" if zoom else ""])
    )


class PictureLine(Widget, can_focus=False):
    """One line of text that is sent only where it changed."""

    DEFAULT_CSS = "PictureLine { height: 1; }"

    def __init__(self) -> None:
        super().__init__(classes="picture-line")
        self._text = ""

    @property
    def text(self) -> str:
        return self._text

    def say(self, text: str) -> None:
        """Text from a file may be in it: it is made harmless here."""
        text = escape(text)
        if text != self._text:
            self._text = text
            self.refresh()

    def render(self) -> Content:
        return Content(cut_to_width(self._text, self.content_size.width))
