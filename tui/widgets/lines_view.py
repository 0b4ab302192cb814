"""Lines of text of which only the changed ones are sent to the terminal."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, TypeAlias

from rich.cells import cell_len, chop_cells
from rich.segment import Segment
from rich.style import Style
from textual.content import Content
from textual.geometry import Region, Size
from textual.strip import Strip
from textual.widget import Widget

from tui.look.safe import escape
from tui.widgets.line_layout import fit, merge_styles
from tui.widgets.scrolled_lines import ScrolledLines

TextSpan: TypeAlias = tuple[str, str]
"""A text and what it is: "", "hit", "part", "miss", "mark", "dim", "key" or "strong"."""


NO_BREAK = "\N{NO-BREAK SPACE}"
"""A space at which a line is not broken."""

_WORD = re.compile(r" *[^ ]+| +$")
"""A word with the spaces before it."""


@dataclass(frozen=True, slots=True)
class Line:
    """A paragraph; when it is wrapped, its later lines begin `hang` cells in."""

    spans: tuple[TextSpan, ...] = ()
    hang: int = 0

    @classmethod
    def of(cls, *spans: str | TextSpan, hang: int = 0) -> Line:
        """Texts are made harmless here: spans may hold anything.

        >>> Line.of("a", ("b\\x07", "hit")).spans
        (('a', ''), ('b\\\\x07', 'hit'))
        """
        pairs = (span if isinstance(span, tuple) else (span, "") for span in spans)
        return cls(tuple((escape(text), kind) for text, kind in pairs if text), hang)

    @property
    def width(self) -> int:
        """Cells that it takes if it is not wrapped."""
        return sum(cell_len(text) for text, _ in self.spans)


def wrap(line: Line, width: int) -> list[tuple[TextSpan, ...]]:
    """The paragraph as lines of at most `width` cells, broken at spaces where there are any.

    >>> wrap(Line.of("a long word", hang=2), 6)
    [(('a long', ''),), (('  word', ''),)]
    """
    width = max(width, 1)
    hang = min(line.hang, width // 2)
    lines: list[list[TextSpan]] = [[]]
    used = 0

    def break_line() -> int:
        lines.append([(" " * hang, "")] if hang else [])
        return hang

    for word, kind in [(word, kind) for text, kind in line.spans for word in _WORD.findall(text)]:
        if used and used + cell_len(word) > width:
            used = break_line()
            word = word.lstrip()
        while used + cell_len(word) > width:  # a word longer than a line
            head = chop_cells(word, width - used)[0] or word[0]  # at least one, however wide
            lines[-1].append((head, kind))
            word = word[len(head) :]
            used = break_line()
        lines[-1].append((word, kind))
        used += cell_len(word)
    return [_joined(spans) for spans in lines]


def _joined(spans: Sequence[TextSpan]) -> tuple[TextSpan, ...]:
    """Neighbours of one kind as one span."""
    joined: list[TextSpan] = []
    for text, kind in spans:
        text = text.replace(NO_BREAK, " ")  # it has done its work
        if joined and joined[-1][1] == kind:
            joined[-1] = (joined[-1][0] + text, kind)
        else:
            joined.append((text, kind))
    return tuple(joined)


def cut_spans(spans: Sequence[TextSpan], width: int, ellipsis: str) -> list[TextSpan]:
    """The spans on one line, the last one cut where there is no room."""
    kept: list[TextSpan] = []
    for text, kind in spans:
        room = width - sum(len(before) for before, _ in kept)
        if room <= 0:
            break
        if len(text) > room:
            text = fit(text, room, ellipsis=ellipsis).rstrip()
        kept.append((text, kind))
    return kept


_INKS = {
    "hit": "$hit",
    "part": "$part",
    "miss": "$miss",
    "mark": "bold $mark",
    "dim": "$quiet",
    "key": "bold $primary",
    "strong": "bold",
}


def draw_wrapped(lines: Sequence[Sequence[TextSpan]]) -> Content:
    """Lines as one text in their colours."""
    spans: list[str | tuple[str, str]] = []
    for number, line in enumerate(lines):
        spans += ["\n"] if number else []
        spans += [(text, _INKS[kind]) if kind else text for text, kind in line]
    return Content.assemble(*spans)


class Paragraphs(Widget):
    """Lines that never change, as tall as they are once wrapped; for something that scrolls."""

    DEFAULT_CSS = "Paragraphs { height: auto; }"

    def __init__(self, lines: Sequence[Line]) -> None:
        super().__init__()
        self._lines = tuple(lines)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        return len(self._wrapped(width))

    def render(self) -> Content:
        return draw_wrapped(self._wrapped(self.content_size.width))

    def _wrapped(self, width: int) -> list[tuple[TextSpan, ...]]:
        return [part for line in self._lines for part in wrap(line, width)]


class LinesView(ScrolledLines):
    """Paragraphs, wrapped to the width. Showing others repaints only the lines that differ."""

    KINDS: ClassVar[tuple[str, ...]] = ("hit", "part", "miss", "mark", "dim", "strong", "chosen")
    COMPONENT_CLASSES: ClassVar[set[str]] = {f"lines--{kind}" for kind in KINDS}
    DEFAULT_CSS = Path(__file__).with_suffix(".tcss").read_text(encoding="utf-8")

    heights: tuple[int, int] | None = None
    """Least and most lines of a view that is as tall as what it shows; None: the layout says."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._lines: tuple[Line, ...] = ()
        self._drawing: Callable[[int, int], Sequence[Line]] | None = None
        self._painted: list[tuple[TextSpan, ...]] = []
        self._unseen = False

    @property
    def text(self) -> str:
        """What is shown, as plain lines."""
        return "\n".join("".join(text for text, _ in line) for line in self._painted)

    @property
    def line_count(self) -> int:
        """How many lines there are, wrapped."""
        return len(self._painted)

    def show_lines(self, lines: Sequence[Line]) -> None:
        self._drawing = None
        self._lines = tuple(lines)
        self._wrap()

    def draw(self, drawing: Callable[[int, int], Sequence[Line]]) -> None:
        """Show what is drawn for a width and a height, and drawn again for every other."""
        self._drawing = drawing
        self.fit()

    def on_resize(self) -> None:
        self.fit()

    def on_hide(self) -> None:
        self._unseen = True

    def render_lines(self, crop: Region) -> list[Strip]:
        """What was shown while the view was hidden had no width. That it is seen again Textual may
        not tell: neither Resize nor Show comes if someone asked for a region in between."""
        if self._unseen:
            self._unseen = False
            self.call_later(self.fit)
        return super().render_lines(crop)

    def fit(self) -> None:
        """Lay out what is shown for the place that there is."""
        region = self.scrollable_content_region
        if self._drawing is not None and region.width > 0:
            self._lines = tuple(self._drawing(region.width, region.height))
        self._wrap()

    def _wrap(self) -> None:
        width = self.scrollable_content_region.width
        before = self._painted
        self._painted = [part for line in self._lines for part in wrap(line, width)]
        if width:
            self._fit_height()
        else:
            self._unseen = True
        # As tall as the pane at least: a size that stays the same costs no new layout.
        height = max(len(self._painted), self.scrollable_content_region.height)
        if self.virtual_size != (width, height):
            self.virtual_size = Size(width, height)
            # A layout of the same size would keep a scrollbar that is not needed any more.
            self._refresh_scrollbars()
        top = self.scroll_offset.y
        for number in range(max(len(before), len(self._painted))):
            if self._line(before, number) != self._line(self._painted, number):
                self.refresh(Region(0, number - top, self.size.width, 1))

    def _fit_height(self) -> None:
        if self.heights is None:
            return
        least, most = self.heights
        height = max(least, min(most, self.line_count))
        if self.styles.height is None or self.styles.height.value != height:
            self.styles.height = height

    @staticmethod
    def _line(lines: Sequence[tuple[TextSpan, ...]], number: int) -> tuple[TextSpan, ...]:
        return lines[number] if number < len(lines) else ()

    def render_line(self, y: int) -> Strip:
        number = y + self.scroll_offset.y
        segments = [
            Segment(text, self._style(kind)) for text, kind in self._line(self._painted, number)
        ]
        return merge_styles(segments, self.size.width, self.line_style)

    def _style(self, kind: str) -> Style:
        if not kind:
            return self.line_style
        name = f"lines--{kind}"
        if kind == "chosen":
            return self.get_component_rich_style(name)
        return self.line_style + self._ink(name)

    def move_by(self, lines: int) -> None:
        self.scroll_relative(y=lines, animate=False)
