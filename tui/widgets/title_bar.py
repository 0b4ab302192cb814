"""The first line: what is looked at, and what goes on in the background."""

from __future__ import annotations

from rich.cells import cell_len, set_cell_size
from textual.content import Content
from textual.widget import Widget

from tui.safe import safe


class TitleBar(Widget):
    """Left: dataset and model. Right: encoder, session. The left gives way on a narrow line."""

    DEFAULT_CSS = """
    TitleBar { height: 1; background: $panel; color: $foreground; padding: 0 1; }
    """

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._left = ""
        self._right = ""

    def show(self, left: str, right: str) -> None:
        shown = safe(left), safe(right)
        if shown != (self._left, self._right):
            self._left, self._right = shown
            self.refresh()

    def render(self) -> Content:
        width = self.content_size.width
        right = self._right
        room = max(0, width - cell_len(right) - 2)
        left = self._left
        if cell_len(left) > room:
            left = set_cell_size(left, max(0, room - 1)) + "…" if room > 4 else ""
        gap = " " * max(1, width - cell_len(left) - cell_len(right))
        return Content.assemble((left, "bold"), gap, (right, "$quiet"))
