"""What screens say of work: how far and how quick it is, how many rows there are, what failed."""

from __future__ import annotations

import math
from collections import deque
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

from engine.base.choices import Mode
from engine.base.errors import InputError
from engine.base.progress import Step
from engine.text import shorten_encoder
from tui.look.glyphs import Glyphs
from tui.look.nouns import OF_CLIPS, Nouns
from tui.look.score_text import draw_bar

if TYPE_CHECKING:
    from engine.keywords.model_encoders import EncoderStatus

WINDOW: Final = 10.0
"""Seconds that a rate looks back: texts that were encoded before go by at another rate than new
ones."""


def describe_age(time: datetime, now: datetime | None = None) -> str:
    """How long ago something was, in the largest unit that it fills; what lies more than a day
    back, by its date.

    >>> from datetime import timedelta
    >>> noon = datetime(2026, 11, 18, 12, tzinfo=UTC)
    >>> [describe_age(noon, noon + timedelta(seconds=n)) for n in (30, 750, 7200)]
    ['just now', '12 min ago', '2 h ago']
    """
    now = now or datetime.now(UTC)
    minutes = int((now - time).total_seconds() // 60)
    if minutes < 1:  # a clock that was set back as well
        return "just now"
    if minutes < 60:
        return f"{minutes} min ago"
    if minutes < 24 * 60:
        return f"{minutes // 60} h ago"
    return f"on {time.astimezone():%Y-%m-%d at %H:%M}"


class Pace:
    """How quickly the stage under way goes: its steps, with their times.

    >>> pace = Pace()
    >>> for second in range(4):
    ...     pace.note(Step("text", "mapping", 10 * second, 60), now=float(second))
    >>> pace.rate, pace.left
    (10.0, 3.0)
    """

    def __init__(self) -> None:
        self.step: Step | None = None
        self._noted: deque[tuple[float, int]] = deque()

    def note(self, step: Step, now: float) -> None:
        if self.step is None or step.stage != self.step.stage:
            self._noted.clear()  # each stage goes at its own rate
        self.step = step
        self._noted.append((now, step.done))
        while len(self._noted) > 2 and self._noted[1][0] <= now - WINDOW:
            self._noted.popleft()

    @property
    def rate(self) -> float | None:
        """Queries in a second; None while it is not known. The first step is not counted: what
        starts, starts slowly."""
        if not self._noted:
            return None
        (first, before), (last, done) = self._noted[0], self._noted[-1]
        return (done - before) / (last - first) if last > first and done > before else None

    @property
    def left(self) -> float | None:
        """Seconds until the stage is done."""
        rate = self.rate
        if self.step is None or rate is None:
            return None
        return (self.step.total - self.step.done) / rate


def describe_start(seconds: float, loading: EncoderStatus | None, glyphs: Glyphs, stop: str) -> str:
    """What is said of a run before its first step; `stop` is the key that cancels it.

    >>> from tui.look.glyphs import ASCII
    >>> describe_start(2.3, None, ASCII, "esc")
    'Starting | 3 s | esc cancels'
    """
    dot = f" {glyphs.dot} "
    if loading is None:
        return dot.join(["Starting", format_duration(seconds), f"{stop} cancels"])
    said = describe_loading(loading, glyphs)
    return dot.join([f"{said[:1].upper()}{said[1:]}", f"{stop} cancels"])


def describe_loading(status: EncoderStatus, glyphs: Glyphs) -> str:
    """Which encoder loads, for which model, and for how long it has done so.

    >>> from engine.keywords.model_encoders import EncoderStatus
    >>> from tui.look.glyphs import ASCII
    >>> describe_loading(EncoderStatus("/models/mpnet-v2", "alfa-0.1", "warming", 3.2), ASCII)
    'loading mpnet-v2 for alfa-0.1 | 4 s'
    """
    name = shorten_encoder(status.name)
    return f"loading {name} for {status.model} {glyphs.dot} {format_duration(status.seconds)}"


def draw_progress(pace: Pace, glyphs: Glyphs, stop: str, width: int = 20) -> str:
    """A bar of `width` cells, how many of how many, how quick, how much longer, and the key that
    stops it.

    >>> from tui.look.glyphs import ASCII
    >>> pace = Pace()
    >>> pace.note(Step("text", "mapping", 0, 60), now=0.0)
    >>> pace.note(Step("text", "mapping", 30, 60), now=10.0)
    >>> draw_progress(pace, ASCII, "esc", 4)
    '##.. 30 of 60 texts mapped | 3.0/s | 10 s left | esc cancels'
    """
    step = pace.step
    assert step is not None
    counted = {"mapping": "texts mapped", "comparing": "metrics", "looks": "clips looked at"}
    what = counted.get(step.stage, "queries")
    bar = draw_bar(step.done / max(step.total, 1), width, glyphs)
    parts = [f"{bar} {step.done:,} of {step.total:,} {what}"]
    if pace.rate is not None and pace.left is not None:
        rate = f"{pace.rate:,.0f}/s" if pace.rate >= 10 else f"{pace.rate:.1f}/s"
        parts += [rate, f"{format_duration(pace.left)} left"]
    return f" {glyphs.dot} ".join([*parts, f"{stop} cancels"])


def format_duration(seconds: float) -> str:
    """Seconds for people.

    >>> format_duration(3.2), format_duration(125), format_duration(3725)
    ('4 s', '2 min 5 s', '1 h 2 min')
    """
    whole = math.ceil(seconds)
    if whole < 60:
        return f"{whole} s"
    minutes, rest = divmod(whole, 60)
    if minutes < 60:
        return f"{minutes} min {rest} s"
    return f"{minutes // 60} h {minutes % 60} min"


def format_count(shown: int, total: int, mode: Mode, nouns: Nouns = OF_CLIPS) -> str:
    """How many queries are shown.

    >>> format_count(61, 61, "text"), format_count(25, 1204, "video")
    ('61 text queries', '25 of 1,204 video queries')
    """
    what = f"{nouns.spell(mode)} {'query' if total == 1 else 'queries'}"
    return f"{total:,} {what}" if shown == total else f"{shown:,} of {total:,} {what}"


def describe_failure(error: Exception) -> str:
    """What went wrong, for a person; the remedy on a line of its own."""
    if isinstance(error, InputError):
        where = f"{error.place}: " if str(error.place) else ""
        text = f"{where}{error.message}."
        return text + (f"\n{error.hint[:1].upper()}{error.hint[1:]}." if error.hint else "")
    return f"{type(error).__name__}: {error}"
