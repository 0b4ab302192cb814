"""What the Evaluate screen says in words: how far a run is, and what its numbers are."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from rich.cells import cell_len
from textual.content import Content

from engine.base.arrays import Ints
from engine.base.choices import Mode
from engine.base.messages import pluralise
from engine.keywords.not_understood import describe_share
from engine.keywords.query_table import QueryTable, SortKey
from engine.metrics import Measure
from engine.metrics.chance import ABOVE, NOT_ABOVE
from tui.evaluate.rows import choose_query_sort
from tui.look.glyphs import Glyphs
from tui.look.nouns import OF_CLIPS, Nouns
from tui.look.safe import escape
from tui.look.score_text import format_value
from tui.widgets.fitted_rows import Sort
from tui.widgets.line_layout import fit
from tui.widgets.lines_view import Line


def describe_order(table: QueryTable, sort: Sort[SortKey], nouns: Nouns = OF_CLIPS) -> str:
    """The order in words."""
    if isinstance(sort.key, Measure):
        which = "worst" if sort == choose_query_sort(sort.key) else "best"
        return f"{which} first by {table.label(sort.key)}"
    if sort.key == "first hit":
        return f"by first hit, {'deepest' if sort.descending else 'highest'} first"
    if sort.key == "relevant":
        return nouns.spell(f"{'most' if sort.descending else 'fewest'} relevant clips first")
    return f"by {nouns.spell(sort.key)}, {'Z to A' if sort.descending else 'A to Z'}"


def describe_run(mode: Mode, count: int | None) -> str:
    """What a run would do, with its keys by their commands. `count`: how many queries there are;
    None: not known yet.

    >>> describe_run("video", 284).splitlines()[-1][:38]
    '{evaluate.run} runs 284 video queries '
    """
    other = "video" if mode == "text" else "text"
    every = f"the whole set of {mode} queries"
    what = every if count is None else pluralise(count, f"{mode} query")
    return (
        f"Nothing is evaluated yet.\n\n{{evaluate.run}} runs {what} and lists them here, the worst "
        f"first; {{evaluate.toggle_mode}} changes to {other} queries."
    )


def build_summary(
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
    lines.append(Content(_behind(table, rows, glyphs, nouns)))
    if len(rows) == len(table) and table.unexplained.queries:
        lines.append(Content.styled(escape(describe_share(table.unexplained)), "$part"))
    return Content("\n").join(lines)


def draw_means(table: QueryTable, rows: Ints, glyphs: Glyphs, nouns: Nouns) -> list[Line]:
    """Every metric of these rows with its formula, as the command prints them."""
    wide = max(cell_len(table.label(measure)) for measure in table.measures)
    lines = [Line.of((_behind(table, rows, glyphs, nouns), "dim"), hang=2), Line()]
    spell = partial(format_value, glyphs=glyphs)
    for measure in table.measures:
        value = format_value(table.aggregate(measure, rows), glyphs)
        head = (fit(table.label(measure), wide), f"  {value:>8}  ")
        chance = table.describe_chance(measure, rows, spell)
        kind = "part" if chance.endswith(NOT_ABOVE) else "dim"
        beside = [(f"{chance}  ", kind)] if chance else []
        formula = (glyphs.spell(table.formula(measure)), "dim")
        lines.append(Line.of(*head, *beside, formula, hang=wide + 12))
    return lines


def _means(
    table: QueryTable,
    rows: Ints,
    measures: Sequence[Measure],
    explained: Sequence[Measure],
    glyphs: Glyphs,
) -> Content:
    """One line of means, each with its formula and then its chance level; one formula, and one
    level if it is the same, is enough for a measure at several cutoffs. That a metric is above
    chance stands in the list of all; here it is said if it is not."""
    parts: list[Content] = []
    for measure, chance in zip(
        measures, _describe_chances(table, rows, measures, glyphs), strict=True
    ):
        formula = glyphs.spell(table.formula(measure).rstrip())
        parts.append(
            Content.assemble(
                f"{table.label(measure)} ",
                (format_value(table.aggregate(measure, rows), glyphs), "bold"),
                (f" = {formula}" if measure in explained else "", "$text-muted"),
                (
                    chance,
                    "$part" if chance.endswith(NOT_ABOVE) else "$text-muted",
                ),
            )
        )
    return Content(f" {glyphs.dot} ").join(parts)


def _describe_chances(
    table: QueryTable, rows: Ints, measures: Sequence[Measure], glyphs: Glyphs
) -> list[str]:
    """What to say of chance behind each measure; if it is the same of one measure at all cutoffs,
    once behind all, and set apart as what is said of all."""
    spell = partial(format_value, glyphs=glyphs)
    chances = [table.describe_chance(m, rows, spell).removesuffix(ABOVE) for m in measures]
    is_shared = len({measure.name for measure in measures}) == len(set(chances)) == 1
    if len(measures) > 1 and is_shared:
        return [*("" for _ in measures[1:]), chances[-1] and f" {glyphs.dot} {chances[-1]}"]
    return [chance and f", {chance}" for chance in chances]


def _of_all(table: QueryTable, measures: Sequence[Measure], glyphs: Glyphs) -> Content:
    """What the means are without the filter."""
    numbers = (
        f"{table.label(measure)} {format_value(table.aggregate(measure), glyphs)}"
        for measure in measures
    )
    return Content.styled(
        f"of all {len(table):,}: {f' {glyphs.dot} '.join(numbers)}", "$text-muted"
    )


def _behind(table: QueryTable, rows: Ints, glyphs: Glyphs, nouns: Nouns) -> str:
    counted = table.counted(table.main, rows)
    out = []
    if table.scores.skipped and counted < len(rows):
        out.append(f"{len(rows) - counted:,} without a relevant clip ({glyphs.dash})")
    if table.no_keyword and len(rows) == len(table):  # these are in no row
        out.append(f"{table.no_keyword:,} without a keyword of these groups (not listed)")
    left_out = f"left out: {', '.join(out)}" if out else "none left out"
    number = "mean" if table.main.aggregate == "mean" else "median"
    return f"{number} of n = {counted:,} {glyphs.dot} {nouns.spell(left_out)}"
