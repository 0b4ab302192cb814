"""What the Evaluate screen says in words: how far a run is, and what its numbers are."""

from __future__ import annotations

import math
from collections.abc import Sequence

from textual.content import Content

from engine.base.errors import InputError
from engine.keywords.query_table import Ints, QueryTable
from engine.keywords.question import Mode
from engine.metrics import Measure
from tui.evaluate.rows import Sort, bar, worst_first
from tui.look.glyphs import Glyphs
from tui.look.nouns import OF_CLIPS, Nouns
from tui.work.pace import Pace


def starting_text(seconds: float, encoder: str, glyphs: Glyphs) -> str:
    """What is said of a run before its first step.

    >>> from tui.look.glyphs import ASCII
    >>> starting_text(2.3, "warming", ASCII)
    'Starting | waiting for the text encoder (warming) | 3 s | Escape cancels'
    """
    waits = [] if encoder == "ready" else [f"waiting for the text encoder ({encoder})"]
    return f" {glyphs.dot} ".join(["Starting", *waits, duration(seconds), "Escape cancels"])


def progress_text(pace: Pace, glyphs: Glyphs, width: int = 20) -> str:
    """A bar of `width` cells, how many of how many, how quick, and how much longer.

    >>> from engine.base.progress import Step
    >>> from tui.look.glyphs import ASCII
    >>> pace = Pace()
    >>> pace.note(Step("text", "mapping", 0, 60), now=0.0)
    >>> pace.note(Step("text", "mapping", 30, 60), now=10.0)
    >>> progress_text(pace, ASCII, 4)
    '##.. 30 of 60 texts mapped | 3.0/s | 10 s left | Escape cancels'
    """
    step = pace.step
    assert step is not None
    what = {"mapping": "texts mapped", "comparing": "metrics"}.get(step.stage, "queries")
    parts = [
        f"{bar(step.done / max(step.total, 1), width, glyphs)} {step.done:,} of {step.total:,} "
        f"{what}"
    ]
    if pace.rate is not None and pace.left is not None:
        rate = f"{pace.rate:,.0f}/s" if pace.rate >= 10 else f"{pace.rate:.1f}/s"
        parts += [rate, f"{duration(pace.left)} left"]
    return f" {glyphs.dot} ".join([*parts, "Escape cancels"])


def duration(seconds: float) -> str:
    """Seconds for people.

    >>> duration(3.2), duration(125), duration(3725)
    ('4 s', '2 min 5 s', '1 h 2 min')
    """
    whole = math.ceil(seconds)
    if whole < 60:
        return f"{whole} s"
    minutes, rest = divmod(whole, 60)
    if minutes < 60:
        return f"{minutes} min {rest} s"
    return f"{minutes // 60} h {minutes % 60} min"


def count_text(shown: int, total: int, mode: Mode, nouns: Nouns = OF_CLIPS) -> str:
    """How many queries are shown.

    >>> count_text(61, 61, "text"), count_text(25, 1204, "video")
    ('61 text queries', '25 of 1,204 video queries')
    """
    what = f"{nouns.spell(mode)} {'query' if total == 1 else 'queries'}"
    return f"{total:,} {what}" if shown == total else f"{shown:,} of {total:,} {what}"


def sort_text(table: QueryTable, sort: Sort, nouns: Nouns = OF_CLIPS) -> str:
    """The order in words."""
    if isinstance(sort.key, Measure):
        which = "worst" if sort == worst_first(sort.key) else "best"
        return f"{which} first by {table.label(sort.key)}"
    if sort.key == "relevant":
        return nouns.spell(f"{'most' if sort.descending else 'fewest'} relevant clips first")
    return f"by {nouns.spell(sort.key)}, {'Z to A' if sort.descending else 'A to Z'}"


def summary(
    table: QueryTable,
    rows: Ints,
    measures: Sequence[Measure],
    glyphs: Glyphs,
    nouns: Nouns = OF_CLIPS,
) -> Content:
    """The means with their formulas, then how many queries stand behind them, and which do not."""
    family = [measure for measure in measures if measure in table.family]
    others = [measure for measure in measures if measure not in table.family]
    lines = [_means(table, rows, family, family[-1:], glyphs)]
    if others:
        lines.append(_means(table, rows, others, others, glyphs))
    if len(rows) < len(table):
        lines.append(_of_all(table, measures, glyphs))
    return Content("\n").join([*lines, Content(_behind(table, rows, glyphs, nouns))])


def _means(
    table: QueryTable,
    rows: Ints,
    measures: Sequence[Measure],
    explained: Sequence[Measure],
    glyphs: Glyphs,
) -> Content:
    """One line of means; one formula is enough for a measure at several cutoffs."""
    parts: list[Content] = []
    for measure in measures:
        formula = glyphs.spell(table.formula(measure).rstrip())
        parts.append(
            Content.assemble(
                f"{table.label(measure)} ",
                (_number(table.aggregate(measure, rows), glyphs), "bold"),
                (f" = {formula}" if measure in explained else "", "$text-muted"),
            )
        )
    return Content(f" {glyphs.dot} ").join(parts)


def _of_all(table: QueryTable, measures: Sequence[Measure], glyphs: Glyphs) -> Content:
    """What the means are without the filter."""
    numbers = (
        f"{table.label(measure)} {_number(table.aggregate(measure), glyphs)}"
        for measure in measures
    )
    return Content.styled(
        f"of all {len(table):,}: {f' {glyphs.dot} '.join(numbers)}", "$text-muted"
    )


def _number(value: float, glyphs: Glyphs) -> str:
    return glyphs.dash if math.isnan(value) else f"{value:.3f}"


def _behind(table: QueryTable, rows: Ints, glyphs: Glyphs, nouns: Nouns) -> str:
    counted = table.counted(table.main, rows)
    out = []
    if table.no_relevant and counted < len(rows):
        out.append(f"{len(rows) - counted:,} without a relevant clip ({glyphs.dash})")
    if table.no_keyword and len(rows) == len(table):  # these are in no row
        out.append(f"{table.no_keyword:,} without a keyword of these groups (not listed)")
    left_out = f"left out: {', '.join(out)}" if out else "none left out"
    return f"mean of n = {counted:,} {glyphs.dot} {nouns.spell(left_out)}"


def failure_text(error: Exception) -> str:
    """What went wrong, for a person; the remedy on a line of its own."""
    if isinstance(error, InputError):
        where = f"{error.place}: " if str(error.place) else ""
        text = f"{where}{error.message}."
        return text + (f"\n{error.hint[:1].upper()}{error.hint[1:]}." if error.hint else "")
    return f"{type(error).__name__}: {error}"
