"""Two panes of Inspect: the detail of the selected result, and the strip of metrics."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tui.inspect.detail_lines import detail_lines
from tui.inspect.metric_lines import strip_lines
from tui.inspect.shown_answer import ShownAnswer
from tui.widgets.lines_view import Line, LinesView

if TYPE_CHECKING:
    from engine.metrics import Profile


class Detail(LinesView):
    """The pane of the selected result."""

    jump_key = "d"
    pane = "detail"

    def show_result(self, shown: ShownAnswer | None, place: int | None) -> None:
        if shown is None or place is None:
            self.show_lines([Line.of(("No result is selected.", "dim"))])
        else:
            self.show_lines(detail_lines(shown, place, self._glyphs))


class MetricStrip(LinesView, can_focus=False):
    """The line of metrics, and the line of what was missed."""

    heights = (2, 3)

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._answer: tuple[ShownAnswer, Profile] | None = None

    def show_answer(self, shown: ShownAnswer, language: Profile) -> None:
        self._answer = shown, language
        self.fit()

    def clear(self) -> None:
        self._answer = None
        self.show_lines([])

    def fit(self) -> None:
        """Its words depend on the width."""
        if self._answer is None:
            super().fit()
            return
        shown, language = self._answer
        width = self.content_size.width
        found, pairs = shown.inspection, shown.answer.pairs
        lines = strip_lines(found, pairs, language, shown.k, self._glyphs, width, self._nouns)
        if shown.missed:  # also where the list has no frame that says so
            lines[-1] = Line((("Listed now: ", "mark"), *lines[-1].spans), lines[-1].hang)
        self.show_lines(lines)
