"""Jump mode: a letter on every pane; pressing it goes there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.geometry import Offset
from textual.screen import Screen
from textual.widget import Widget
from textual.widgets import Static

from tui.dialogs.dialog import OneAnswerScreen


@dataclass(frozen=True, slots=True, eq=False)
class JumpTarget:
    """A pane that can be jumped to: its key, and where its corner is."""

    key: str
    widget: Widget
    corner: Offset


def find_jump_targets(screen: Screen[Any]) -> tuple[JumpTarget, ...]:
    """The displayed panes that have a `jump_key`; of two with the same key, the first."""
    found: dict[str, JumpTarget] = {}
    for widget in screen.query(Widget):
        key = getattr(widget, "jump_key", "")
        seen = widget.is_on_screen and screen.region.contains_point(widget.region.offset)
        if key and seen and _focusable(widget) is not None:
            found.setdefault(key, JumpTarget(key, widget, widget.region.offset))
    return tuple(found.values())


def _focusable(widget: Widget) -> Widget | None:
    """The widget itself, or the first in it that can have the focus."""
    return next(
        (node for node in widget.walk_children(Widget, with_self=True) if node.focusable), None
    )


def jump(app: App[Any]) -> None:
    """Show the letters of the current screen, and focus the pane that is chosen."""

    def focus(widget: Widget | None) -> None:
        chosen = widget and _focusable(widget)
        if chosen:
            chosen.screen.set_focus(chosen)

    found = find_jump_targets(app.screen)
    if found:
        app.push_screen(JumpScreen(found), focus)


class JumpScreen(OneAnswerScreen[Widget]):
    """The letters, above the screen they belong to."""

    CSS_PATH = "jump.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "dismiss(None)", "Back")]

    def __init__(self, targets: Sequence[JumpTarget]) -> None:
        super().__init__()
        self._targets = {target.key: target for target in targets}
        for key in self._targets:
            self._bindings.bind(key, f"go('{key}')")

    def compose(self) -> ComposeResult:
        for target in self._targets.values():
            letter = Static(Content(f" {target.key} "), classes="letter")
            letter.absolute_offset = target.corner
            yield letter
        yield Static(Content(" Press a letter to go to that pane; Escape stays. "), id="how")

    def action_go(self, key: str) -> None:
        self.dismiss(self._targets[key].widget)

    def on_resize(self) -> None:
        # The panes have moved away from under their letters.
        if any(item.widget.region.offset != item.corner for item in self._targets.values()):
            self.dismiss(None)
