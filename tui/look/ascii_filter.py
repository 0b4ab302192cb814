"""For terminals and fonts without drawing characters: lines, blocks and arrows become ASCII."""

from __future__ import annotations

from rich.segment import Segment
from textual.color import Color
from textual.filter import LineFilter

from tui.look.ascii_signs import build_ascii_table


class AsciiFilter(LineFilter):
    """The last step before the terminal: add one instance to `App.get_line_filters`."""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        return [
            segment
            if segment.control or segment.text.isascii()
            else Segment(segment.text.translate(build_ascii_table()), segment.style)
            for segment in segments
        ]
