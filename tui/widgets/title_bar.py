"""The first line: what is looked at, and what goes on in the background."""

from __future__ import annotations

from rich.cells import cell_len
from textual.content import Content
from textual.widget import Widget

from tui.look.safe import escape
from tui.widgets.line_layout import fit

LEFT_LEAST = 20
"""Cells that what is looked at keeps."""


class TitleBar(Widget):
    """Left: what is looked at. Right: an alarm, which is always seen, and states, of which the last
    give way on a narrow line; the first is cut there before nothing is left of what is looked at.
    """

    DEFAULT_CSS = """
    TitleBar { height: 1; background: $panel; color: $foreground; padding: 0 1; }
    """

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._left = self._alarm = ""
        self._states: tuple[str, ...] = ()

    def show(self, left: str, *states: str, alarm: str = "") -> None:
        shown = escape(left), tuple(map(escape, states)), escape(alarm)
        if shown != (self._left, self._states, self._alarm):
            self._left, self._states, self._alarm = shown
            self.refresh()

    def render(self) -> Content:
        alarm = f"{self._alarm} " if self._alarm else ""
        width = self.content_size.width - cell_len(alarm)
        states = list(self._states)
        while len(states) > 1 and cell_len(self._left) + 2 + cell_len(" · ".join(states)) > width:
            states.pop()
        right = " · ".join(states)
        if not alarm:  # beside one, what is looked at gives way
            least = min(cell_len(self._left), LEFT_LEAST) + 2
            right = fit(right, min(cell_len(right), max(0, width - least)))
        room = width - cell_len(right) - 2
        left = (fit(self._left, room) if room > 0 else "") + "  "
        return Content.assemble((left, "bold"), (alarm, "bold $warning"), (right, "$quiet"))
