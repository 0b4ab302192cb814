"""The words of a filmstrip: its title with the times of the frames, and the box of a problem."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from rich.cells import cell_len, chop_cells, set_cell_size
from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

WIDEST_BOX = 60


def cut_to_width(text: str, width: int) -> str:
    """Text that fits into so many cells, with … where it was cut.

    >>> cut_to_width("urban_bicyclist", 8)
    'urban_b…'
    """
    if cell_len(text) <= width:
        return text
    return set_cell_size(text, width - 1).rstrip() + "…" if width > 0 else ""


def make_line(text: str, width: int, style: Style) -> Strip:
    """One line of plain text."""
    return Strip([Segment(cut_to_width(text, width), style)])


def format_times(times: Sequence[float], width: int) -> str:
    """The times of frames, or from when to when, or nothing: what fits into so many cells.

    >>> format_times((0.0, 0.5, 1.0), 20), format_times((0.0, 0.5, 1.0), 10)
    ('0.0 · 0.5 · 1.0 s', '0.0–1.0 s')
    """
    if not times:
        return ""
    written = [f"{seconds:.1f}" for seconds in times]
    span = "–".join(dict.fromkeys((written[0], written[-1])))
    choices = (f"{' · '.join(written)} s", f"{span} s")
    return next((text for text in choices if len(text) <= width), "")


def format_title(
    title: str,
    note: str,
    times: Sequence[float],
    width: int,
    title_style: Style,
    times_style: Style,
) -> Strip:
    """The title, then a note or else the times, as far as there is room."""
    title = cut_to_width(title, width)
    room = width - cell_len(title) - 2
    after = cut_to_width(note, room) if note else format_times(times, room)
    segments = [Segment(title, title_style)] if title else []
    if after:
        segments.append(Segment(f"{'  ' if title else ''}{after}", times_style))
    return Strip(segments).adjust_cell_length(width, times_style)


def draw_box(text: str, width: int, height: int, style: Style) -> list[Strip]:
    """Text in a box; without the box where there is no room for it."""
    inner = min(width, WIDEST_BOX) - 4
    lines = _wrapped(text, inner) if inner > 0 else []
    if inner < 8 or len(lines) > height - 2:
        return [make_line(line, width, style) for line in _wrapped(text, max(1, width))[:height]]
    padded = [f"│ {set_cell_size(line, inner)} │" for line in lines]
    rows = [f"╭{'─' * (inner + 2)}╮", *padded, f"╰{'─' * (inner + 2)}╯"]
    return [Strip([Segment(row, style)]) for row in rows]


def _wrapped(text: str, width: int) -> list[str]:
    """Lines of at most so many cells; a path that is too long goes on in the next line."""
    if cell_len(text) != len(text):  # textwrap counts characters
        return chop_cells(text, width)
    return textwrap.wrap(text, width, break_on_hyphens=False)


def measure_change(before: Strip, after: Strip) -> int:
    """The cells from the left after which two lines are alike.

    >>> measure_change(Strip([Segment("abc"), Segment("x")]), Strip([Segment("adc"), Segment("x")]))
    3
    """
    if before.cell_length != after.cell_length:
        return after.cell_length
    same = 0
    for old, new in zip(reversed(list(before)), reversed(list(after)), strict=False):
        if old != new:
            break
        same += new.cell_length
    return after.cell_length - same
