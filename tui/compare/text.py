"""What the Compare screen says in words: of two models, of one query, of a comparison's rows."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from rich.cells import cell_len

from engine.base.arrays import Ints
from engine.base.messages import pluralise
from engine.base.visible import Visible
from engine.compare.comparison import MeasureChange
from engine.compare.table import CompareTable
from engine.compare.top_results import TopResult
from engine.compare.wording import describe_families, describe_intervals, describe_test
from engine.metrics import Measure
from tui.compare.rows import (
    classify_change,
    classify_verdict,
    format_change,
    format_change_interval,
    format_short_p,
    format_verdict,
)
from tui.look.glyphs import Glyphs
from tui.look.nouns import OF_CLIPS, Nouns
from tui.look.safe import escape
from tui.look.score_text import format_value
from tui.shell.progress_text import format_count
from tui.widgets.line_layout import fit
from tui.widgets.lines_view import Line, TextSpan

_WIDE = 100
_NAME_MOST = 12


@dataclass(frozen=True, slots=True)
class _Column:
    """A column of the strip; `spare`: it goes where there is no room, the highest number first."""

    title: str
    texts: Sequence[str]
    kinds: Sequence[str] = ()
    right: bool = True
    spare: int = 0

    @property
    def width(self) -> int:
        return max(cell_len(self.title), *map(cell_len, self.texts))


# Two models


def describe_count(table: CompareTable, rows: Ints, nouns: Nouns = OF_CLIPS) -> str:
    """How many of the queries that both were asked count; of `rows`, if they are not all, how many
    are shown. Rows alone would not say it: saved runs list queries without a keyword, too."""
    numbers = table.statistics
    if len(rows) < len(table):
        return format_count(len(rows), numbers.asked, table.mode, nouns)
    said = format_count(numbers.counted, numbers.asked, table.mode, nouns)
    return said if numbers.counted == numbers.asked else f"{said} count"


def draw_head(
    table: CompareTable,
    rows: Ints,
    width: int,
    glyphs: Glyphs,
    shown: str = "shown",
    nouns: Nouns = OF_CLIPS,
) -> list[Line]:
    """The main metric at every cut-off, and how many queries stand behind the numbers; of `rows`,
    if they are not all, their means. `shown`: what they are."""
    family = [change for change in table.statistics.changes if change.measure in table.family]
    lines = draw_measures(table, family, width, glyphs)
    said = _behind(table, glyphs, nouns)
    primary = table.label(table.main)  # a wide table has the formulas
    formula = primary if width >= _WIDE else format_formula(table, table.main, glyphs)
    for first in (f"primary: {formula}", f"primary: {primary}", formula):
        if cell_len(f"{first}   {said}") <= width:
            said = f"{first} {glyphs.dot} {said}"
            break
    lines.append(Line.of((said, "dim")))
    if table.never_itself is not None:
        within, across = table.never_itself  # they do not look for the same
        never, may = nouns.spell("never finds the clip itself"), "may: worth up to 1/K"
        lines.append(Line.of((f"{within} {never}, {across} {may}", "part"), hang=2))
    if len(rows) < len(table):
        lines.append(_of_shown(table, rows, glyphs, shown))
    return lines


def draw_measures(
    table: CompareTable, changes: Sequence[MeasureChange], width: int, glyphs: Glyphs
) -> list[Line]:
    """One line per metric: means, difference, interval, test, counts and verdict."""
    columns = _columns(table, changes, width >= _WIDE, glyphs)
    while _line_width(columns, 1) > width and any(column.spare for column in columns):
        columns.remove(max(columns, key=lambda column: column.spare))
    gap = "  " if _line_width(columns, 2) <= width else " "
    rows = [[(column.title, "dim") for column in columns]]
    rows += [
        [(one.texts[number], one.kinds[number] if one.kinds else "") for one in columns]
        for number in range(len(changes))
    ]
    return [Line.of(*_cells(columns, row, gap)) for row in rows]


def _line_width(columns: Sequence[_Column], gap: int) -> int:
    return sum(column.width + gap for column in columns) - gap


def _cells(columns: Sequence[_Column], cells: Sequence[TextSpan], gap: str) -> list[TextSpan]:
    return [
        (f"{gap if n else ''}{fit(text, column.width, right=column.right)}", kind)
        for n, (column, (text, kind)) in enumerate(zip(columns, cells, strict=True))
    ]


def _columns(
    table: CompareTable, changes: Sequence[MeasureChange], wide: bool, glyphs: Glyphs
) -> list[_Column]:
    settings, decimals = table.statistics.settings, 3 if wide else 2
    alpha = settings.alpha
    found = [change.difference for change in changes]
    strong = ["strong" if c.measure == table.main else "" for c in changes]
    columns = [
        _Column("metric", [table.label(c.measure) for c in changes], strong, right=False),
        *_means(table, changes, wide, glyphs),
        _Column(
            "change",
            [format_change(d.gain, glyphs, 3) if wide else f"{d.gain:+.3f}" for d in found],
            [classify_change(d.gain) for d in found],
            spare=2,  # it follows from the means
        ),
        _Column("interval", [format_change_interval(d, decimals) for d in found], right=False),
        _Column("p", [format_short_p(d.holm) for d in found], spare=1),  # the verdict says it
        _Column(
            "won/tied/lost" if wide else "W/T/L",
            [f"{d.counts.wins:,}/{d.counts.ties:,}/{d.counts.losses:,}" for d in found],
            spare=3,
        ),
        _Column(
            "verdict",
            [format_verdict(d, alpha, glyphs) for d in found],
            [classify_verdict(d, alpha) for d in found],
            right=False,
        ),
    ]
    if wide:
        formulas = [glyphs.spell(table.formula(c.measure).rstrip()) for c in changes]
        columns.append(_Column("formula", formulas, ["dim"] * len(changes), False, spare=4))
    return columns


def _means(
    table: CompareTable, changes: Sequence[MeasureChange], wide: bool, glyphs: Glyphs
) -> list[_Column]:
    """What the models have: a column for each, or one for both."""
    pairs = [(change.before.value, change.after.value) for change in changes]
    if not wide:
        arrow = f" {glyphs.arrow} "
        texts = (arrow.join(format_value(value, glyphs, 2) for value in pair) for pair in pairs)
        return [_Column("means", list(texts))]
    models = escape(table.before.model), escape(table.after.model)
    return [
        _Column(
            fit(model, min(cell_len(model), _NAME_MOST), ellipsis=glyphs.ellipsis),
            [format_value(pair[number], glyphs) for pair in pairs],
        )
        for number, model in enumerate(models)
    ]


def format_formula(table: CompareTable, measure: Measure, glyphs: Glyphs) -> str:
    return f"{table.label(measure)} = {glyphs.spell(table.formula(measure).rstrip())}"


def _behind(table: CompareTable, glyphs: Glyphs, nouns: Nouns) -> str:
    """How many queries count, and why others do not."""
    numbers = table.statistics
    said = [f"{numbers.counted:,} of {pluralise(numbers.asked, 'query')} count"]
    no_keyword = numbers.asked - len(table) + int(table.no_keyword.sum())
    reasons = {
        "no keyword": no_keyword,
        "no relevant clip": numbers.asked - numbers.counted - numbers.uneven - no_keyword,
    }
    said += [f"{n:,} {'has' if n == 1 else 'have'} {why}" for why, n in reasons.items() if n > 0]
    if numbers.uneven:
        counts = "counts" if numbers.uneven == 1 else "count"
        said.append(f"{numbers.uneven:,} {counts} in one model only")
    said = list(map(nouns.spell, said))
    for model, alone in zip((table.before.model, table.after.model), numbers.alone, strict=True):
        if alone:
            said.append(f"{model} has {alone:,} more, not compared")
    return f" {glyphs.dot} ".join(said)


def _of_shown(table: CompareTable, rows: Ints, glyphs: Glyphs, shown: str) -> Line:
    """The means of what a filter or a slice leaves."""
    means = table.means(rows)
    if not means.n:
        return Line.of((f"{shown}: none of these queries counts", "part"))
    before, after = (format_value(value, glyphs) for value in (means.before, means.after))
    return Line.of(
        (f"{shown}: {table.label(table.main)} {before} {glyphs.arrow} {after} ", "part"),
        (format_change(means.change, glyphs, 3), classify_change(means.change)),
        (f" {glyphs.dot} n = {means.n:,}, not tested", "part"),
    )


def draw_metrics(
    table: CompareTable, width: int, glyphs: Glyphs, nouns: Nouns = OF_CLIPS
) -> list[Line]:
    """Every metric, how it was tested, and its formula."""
    numbers, settings = table.statistics, table.statistics.settings
    change = (
        f"change: {table.after.model} less {table.before.model}, over the same queries; "
        "above 0 is better."
    )
    tested = (
        describe_families(table.label(table.main), numbers.others),
        describe_test(settings),
        describe_intervals(settings),
    )
    formulas = [format_formula(table, change.measure, glyphs) for change in numbers.changes]
    notes = ["", _behind(table, glyphs, nouns), change, *tested, "", *formulas]
    lines = draw_measures(table, numbers.changes, width, glyphs)
    return lines + [Line.of((note, "dim"), hang=2) if note else Line() for note in notes]


# One query


def draw_flips(
    table: CompareTable, row: int, width: int, glyphs: Glyphs, nouns: Nouns = OF_CLIPS
) -> list[Line]:
    """One query: its keywords and values, then each result of either first K with both ranks."""
    before, after = (float(column[row]) for column in table.values(table.main))
    change, dot = float(table.change[row]), f" {glyphs.dot} "
    keywords, count = ", ".join(word.name for word in table.keywords(row)), table.relevant(row)
    relevant = f"{count:,} relevant" if count >= 0 else ""  # it may not be known
    lines = [
        Line.of((table.name(row), "strong"), hang=2),
        Line.of((dot.join(filter(None, (keywords, relevant))), "dim"), hang=2),
    ]
    lost, won = int(table.fell_out[row]), int(table.came_in[row])
    moved = f"{dot}relevant: {lost:,} out, {won:,} in" if table.k else ""
    if math.isnan(change):
        why = "it counts in one model only"
        if table.uncounted[row]:
            why = f"no {'keyword' if table.no_keyword[row] else 'relevant clip'}"
        lines.append(Line.of((nouns.spell(f"does not count: {why}"), "dim"), hang=2))
    else:
        values = f"{table.label(table.main)} {before:.2f} {glyphs.arrow} {after:.2f} "
        said = (format_change(change, glyphs), classify_change(change))
        lines.append(Line.of(values, said, (moved, "dim"), hang=2))
    if not table.k:
        lines.append(Line.of(("The files hold no results.", "dim"), hang=2))
    return [*lines, *(draw_flip(one, table.k, width, glyphs) for one in table.results(row))]


def draw_flip(result: TopResult, k: int, width: int, glyphs: Glyphs) -> Line:
    """A result: relevant or not, its ranks, what became of it, whether that is good, its id."""
    sign = glyphs.has if result.relevant else glyphs.lacks
    ranks = (f"#{rank}" if rank else f">{k}" for rank in (result.before, result.after))
    before, after = (fit(rank, len(str(k)) + 1, right=True) for rank in ranks)
    head = f"{sign} {before} {glyphs.arrow} {after} "
    verdict, kind = _judge_move(result)
    word = f"{fit(_moved(result, glyphs), 10)} {verdict:<4} "
    below = "" if all(result.counts) else f" {glyphs.dot} below the least similarity"
    room = max(12, width - cell_len(head + word + below))
    clip = fit(escape(result.clip), room, ellipsis=glyphs.ellipsis, tail=5).rstrip()
    return Line.of(
        head,
        (word, kind),
        (Visible(clip), "" if result.relevant else "dim"),
        (below, "dim"),
        hang=4,
    )


def _moved(result: TopResult, glyphs: Glyphs) -> str:
    if not result.after:
        return f"{glyphs.down} fell out"
    if not result.before:
        return f"{glyphs.up} came in"
    steps = result.before - result.after
    if not steps:
        return f"{glyphs.same} same"
    sign, word = (glyphs.up, "higher") if steps > 0 else (glyphs.down, "lower")
    return f"{sign} {abs(steps)} {word}"


def _judge_move(result: TopResult) -> TextSpan:
    """A hit that rises is good, and so is a miss that falls; with the colour of that."""
    if result.before == result.after:
        return "", "dim"
    rose = bool(result.after) and (not result.before or result.after < result.before)
    return ("good", "hit") if rose == result.relevant else ("bad", "miss")
