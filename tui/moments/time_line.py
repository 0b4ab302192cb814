"""Spans of time as cells of a line. Seconds in, characters out; nothing of a screen is known here.

What lies inside a ground-truth span is thick (a block, with eighths of a cell at its ends), what
lies outside is thin (a line, with halves): bars can be read without colours, too.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain, count, groupby
from typing import Final, TypeAlias

from engine.moments.failures.explanation import Span

Part: TypeAlias = tuple[str, str]
"""A text of the line, and what it is: "inside", "outside", "" for nothing; "inside-turned" is drawn
with ink and ground exchanged, as there are no blocks that are filled from the right."""

MOST_TRUTH_LINES: Final = 4
"""Lines for ground-truth spans; what does not fit is drawn together on the last."""

_EIGHTHS: Final = 8
_CLEAR: Final = 0.03
"""Share of the scale that must be clear between two spans on one line, to be seen as two."""

_FAR: Final = 3.0
"""Without a duration the scale ends at most at so many times the end of the truth."""

_NOTHING: Final[Part] = (" ", "")
_STEPS: Final = (1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600)


@dataclass(frozen=True, slots=True)
class Ink:
    """The characters of bars.

    blocks   a cell that is filled by one to eight eighths, from the left; one: there are no eighths
    thin     a cell outside the truth: whole, its left half, its right half
    instant  a span without length
    before, after  something goes on beyond the left or the right end of the scale
    tick     stands on the cell of its time, before the seconds
    """

    blocks: str = "▏▎▍▌▋▊▉█"
    thin: str = "━╸╺"
    instant: str = "│"
    before: str = "◂"
    after: str = "▸"
    tick: str = "│"


BLOCKS: Final = Ink()
PLAIN: Final = Ink("=", "---", "|", "<", ">", "|")


@dataclass(frozen=True, slots=True)
class TimeScale:
    """A line of `width` cells that stands for the seconds from 0 to `end`."""

    end: float
    width: int

    def place(self, second: float) -> float:
        """Where a second stands, in cells from the left; times beyond the ends are at the ends.

        >>> (
        ...     TimeScale(90.0, 30).place(45.0),
        ...     TimeScale(90.0, 30).place(-1.0),
        ...     TimeScale(90.0, 30).place(1e9),
        ... )
        (15.0, 0.0, 30.0)
        """
        return min(max(second / self.end, 0.0), 1.0) * self.width


def find_end(duration: float, truth: Sequence[Span], predicted: Iterable[Span] = ()) -> float:
    """The last second of the scale: the duration, or the end of a truth that lies beyond it.

    Without a duration (NaN) the spans say how far it goes, but no prediction stretches the scale
    beyond three times the truth: what is farther is cut, and marked so.

    >>> find_end(90.0, [(30.0, 40.0)], [(0.0, 500.0)])
    90.0
    >>> find_end(float("nan"), [(30.0, 40.0)], [(0.0, 50.0)])
    50.0
    >>> find_end(float("nan"), [(30.0, 40.0)], [(0.0, 5000.0)])
    120.0
    """
    last = max((end for _, end in truth if math.isfinite(end)), default=0.0)
    if math.isfinite(duration) and duration > 0:
        return max(duration, last)
    ends = [end for _, end in predicted if math.isfinite(end)]
    far = max([last, *ends])
    if last > 0:
        far = min(far, _FAR * last)
    return far if far > 0 else 1.0


def choose_tick_step(scale: TimeScale) -> int:
    """Seconds between two ticks: as few as the labels leave room for.

    >>> choose_tick_step(TimeScale(90.0, 50)), choose_tick_step(TimeScale(90.0, 20))
    (10, 30)
    """
    room = len(f"{scale.end:.0f}") + 3
    longer = (_STEPS[-1] << doublings for doublings in count(1))
    return next(s for s in chain(_STEPS, longer) if s * scale.width >= room * scale.end)


def draw_ruler(scale: TimeScale, ink: Ink = BLOCKS) -> str:
    """The scale with its ticks; its end is said at the right.

    >>> draw_ruler(TimeScale(90.0, 30), PLAIN)
    '|0   |15  |30  |45  |60   90 s'
    """
    if not scale.width:
        return ""
    end = f"{scale.end:.0f} s" if scale.end >= 10 else f"{scale.end:.3g} s"
    cells = [" "] * scale.width
    free = scale.width - len(end) - 1
    step = choose_tick_step(scale)
    for second in range(0, math.ceil(scale.end), step):
        label = f"{ink.tick}{second}"
        start = int(scale.place(second))
        if start + len(label) <= free:
            cells[start : start + len(label)] = label
    if free >= 0:
        cells[free + 1 :] = end
    return "".join(cells)


def arrange_truth(
    spans: Sequence[Span], end: float, most: int = MOST_TRUTH_LINES
) -> list[tuple[Span, ...]]:
    """The spans on as few lines as show each for itself; what is too much is on the last line.

    >>> arrange_truth([(0, 10), (5, 20), (40, 50)], 100.0)
    [((0, 10), (40, 50)), ((5, 20),)]
    """
    lines: list[list[Span]] = []
    for span in sorted(spans):
        clear = (line for line in lines if span[0] - line[-1][1] >= _CLEAR * end)
        line = next(clear, None)
        if line is not None:
            line.append(span)
        elif len(lines) < most:
            lines.append([span])
        else:
            lines[-1].append(span)
    return [tuple(line) for line in lines]


def draw_span(
    span: Span, truth: Sequence[Span], scale: TimeScale, ink: Ink = BLOCKS
) -> tuple[Part, ...]:
    """A predicted span on the scale: thick inside the truth, thin outside; as wide as the scale.

    >>> "".join(text for text, _ in draw_span((2.0, 8.0), [(4.0, 6.0)], TimeScale(10.0, 10), PLAIN))
    '  --==--  '
    """
    cells: list[Part] = [_NOTHING] * scale.width
    start, end = span
    if not (math.isfinite(start) and math.isfinite(end)) or not scale.width:
        return _joined(cells)
    inside = [
        (scale.place(max(start, low)), scale.place(min(end, high)))
        for low, high in truth
        if min(end, high) > max(start, low)
    ]
    if end <= start:
        if 0 <= start <= scale.end:
            held = any(low <= start <= high for low, high in truth)
            kind = "inside" if held else "outside"
            cells[min(int(scale.place(start)), scale.width - 1)] = (ink.instant, kind)
    else:
        drawn = _cells(scale.place(start), scale.place(end), inside, scale.width, ink)
        for number, cell in drawn.items():
            cells[number] = cell
    beyond = scale.end / scale.width  # less than a cell is not worth a sign
    thick = [number for number, (_, kind) in enumerate(cells) if kind.startswith("inside")]
    if (start < -beyond or end < 0) and thick != [0]:  # the only overlap is shown before that
        cells[0] = (ink.before, "outside")
    if (end > scale.end + beyond or start > scale.end) and thick != [scale.width - 1]:
        cells[-1] = (ink.after, "outside")
    return _joined(cells)


def draw_truth(spans: Sequence[Span], scale: TimeScale, ink: Ink = BLOCKS) -> tuple[Part, ...]:
    """Ground-truth spans on one line; as wide as the scale.

    >>> "".join(text for text, _ in draw_truth([(0.0, 2.5), (5.0, 5.0)], TimeScale(10.0, 8)))
    '██  │   '
    """
    cells: list[Part] = [_NOTHING] * scale.width
    for span in spans:
        drawn = (
            (sign, kind) for text, kind in draw_span(span, [span], scale, ink) for sign in text
        )
        cells = [own if own[1] else before for before, own in zip(cells, drawn, strict=True)]
    return _joined(cells)


def _cells(
    left: float, right: float, inside: Sequence[Span], width: int, ink: Ink
) -> dict[int, Part]:
    """The cells that a bar from `left` to `right` (in cells) touches."""
    first = min(int(left), width - 1)
    last = max(min(math.ceil(right), width), first + 1)
    drawn: dict[int, Part] = {}
    for cell in range(first, last):
        low, high = max(left - cell, 0.0), min(right - cell, 1.0)
        part = _cell(low, high, _within(inside, cell), ink)
        if part is not None:
            drawn[cell] = part
    whole = (ink.blocks[-1], "inside")
    for start, end in inside:  # an overlap is never drawn as none, nor as a splinter of a long bar
        own = [drawn.get(cell, _NOTHING) for cell in range(int(start), math.ceil(end))]
        alone = end - start >= right - left and any(kind for _, kind in own)
        if not alone and whole not in own:
            drawn[min(int((start + end) / 2), width - 1)] = whole
    if not drawn:  # something is never drawn as nothing
        drawn[min(int((left + right) / 2), width - 1)] = (ink.instant, "outside")
    return drawn


def _cell(low: float, high: float, within: Sequence[Span], ink: Ink) -> Part | None:
    """A cell that a bar covers from `low` to `high` (0 to 1), `within` inside the truth; None: too
    little of it to be drawn."""
    covered, thick = high - low, sum(end - start for start, end in within)
    mostly = thick > 0 and 2 * thick >= covered
    if len(ink.blocks) == 1:
        if covered < 0.5:
            return None
        return (ink.blocks, "inside") if mostly else (ink.thin[0], "outside")
    if thick > 0 and covered - thick < 1 / (2 * _EIGHTHS):
        return _block(within[0][0], within[-1][1], thick, ink)
    if mostly:  # the truth ends in this cell; the line above shows where
        return ink.blocks[-1], "inside"
    return _line(low, high, ink)


def _line(low: float, high: float, ink: Ink) -> Part | None:
    """The halves of a cell whose middles are covered."""
    left, right = low <= 0.25 < high, low <= 0.75 < high
    if not left and not right:
        return None
    return ink.thin[0 if left and right else 1 if left else 2], "outside"


def _block(low: float, high: float, filled: float, ink: Ink) -> Part | None:
    """A cell that is filled from `low` to `high` (0 to 1) and nowhere else."""
    eighths = round(filled * _EIGHTHS)
    if eighths == 0:
        return None
    if eighths >= _EIGHTHS:
        return ink.blocks[-1], "inside"
    if low > 1 - high:  # nearer to the right end: what is empty is drawn, and turned
        return ink.blocks[_EIGHTHS - eighths - 1], "inside-turned"
    return ink.blocks[eighths - 1], "inside"


def _within(inside: Sequence[Span], cell: int) -> list[Span]:
    """What of these places lies in a cell, from 0 to 1, nothing twice."""
    found: list[Span] = []
    for start, end in sorted(inside):
        low, high = max(start - cell, 0.0), min(end - cell, 1.0)
        if high <= low:
            continue
        if found and low <= found[-1][1]:
            found[-1] = (found[-1][0], max(found[-1][1], high))
        else:
            found.append((low, high))
    return found


def _joined(cells: Sequence[Part]) -> tuple[Part, ...]:
    """Neighbours of one kind as one text."""
    return tuple(
        ("".join(text for text, _ in group), kind)
        for kind, group in groupby(cells, key=lambda cell: cell[1])
    )
