"""Something long to read: the same keys scroll it wherever it is shown."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll

from tui.dialogs.one_answer import OneAnswerScreen


class ScrollingDialog(OneAnswerScreen[None]):
    """A modal screen whose one `VerticalScroll` moves by keys."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("j,down", "move('down')", "Down"),
        Binding("k,up", "move('up')", "Up"),
        Binding("ctrl+d,space,pagedown", "move('page_down')", "Page down"),
        Binding("ctrl+u,pageup", "move('page_up')", "Page up"),
        Binding("g,home", "move('home')", "First"),
        Binding("G,end", "move('end')", "Last"),
    ]

    def action_move(self, where: str) -> None:
        body = self.query_one(VerticalScroll)
        moves: dict[str, Callable[..., None]] = {
            "down": body.scroll_down,
            "up": body.scroll_up,
            "page_down": body.scroll_page_down,
            "page_up": body.scroll_page_up,
            "home": body.scroll_home,
            "end": body.scroll_end,
        }
        moves[where](animate=False)
