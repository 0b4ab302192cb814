"""The pictures of a triage, each with the sentence that says what it shows."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from engine.base.messages import pluralise
from engine.report.html.dot_cloud import Coordinates, draw_dot_cloud
from engine.report.html.heat_table import APART_SIGN, HeatCell, draw_heat_table
from engine.report.html.level_bars import MARKED_SIGN, LevelBar, draw_level_bars
from engine.report.html.stacked_bar import BarPart, draw_stacked_bar
from engine.report.html.text import cut_html
from engine.report.tables.numbers import MINUS, format_number, format_p, format_signed
from engine.report.triage.tables import format_range
from engine.results.curves import choose_round_steps
from engine.triage.saved_numbers import SavedNumber
from engine.triage.saved_pictures import (
    LookPicture,
    ReliancePicture,
    SlicePicture,
    SubstitutionPicture,
)
from engine.triage.saved_triage import SavedShortfall


def say_under(sentence: str) -> str:
    """The sentence under a picture, as HTML."""
    return f'<p class="under">{cut_html(sentence, 1200)}</p>'


def explain_signs(text: str) -> str:
    """What the signs of a picture mean, as HTML."""
    return f'<p class="legend">{cut_html(text, 1200)}</p>'


def draw_shortfall(one: SavedShortfall, measure: str, place: int) -> str:
    """What a mode has and what it lacks, from 0 to 1; `place` tells pictures of a kind apart."""
    name, mode = f"triage-shortfall-{place}", one.mode
    mean = BarPart(f"mean {measure}", one.mean.value, format_range(one.mean.interval))
    lost = [
        BarPart(cause, part.value, format_range(part.interval), pattern)
        for pattern, (cause, part) in enumerate(one.parts, start=1)
    ]
    drawn = draw_stacked_bar(
        name,
        f"Where {measure} of {mode} queries falls short of 1",
        [part for part in (mean, *lost) if part.value >= 0.0005],
        (("chance", one.chance), ("best possible", one.ceiling)),
        "share of the first results: the parts add up to 1",
    )
    worst = max(lost, key=lambda part: part.value, default=mean)
    sentence = (
        f"{measure} of {pluralise(one.queries, f'{mode} query')} is "
        f"{format_number(one.mean.value)}; it falls short of 1 by "
        f"{format_number(1 - one.mean.value)}, above all: {worst.label} "
        f"({format_number(worst.value)})."
        if worst.value > 0
        else f"{measure} of {mode} queries is 1: nothing is missing."
    )
    caption = f"{mode.capitalize()} queries"
    return (
        f"<figure><figcaption>{cut_html(caption)}</figcaption>{drawn}{say_under(sentence)}</figure>"
    )


_KINDS = ("no keyword in common", "less than half in common", "half or more in common")


def draw_looks(found: LookPicture) -> str:
    """A cloud for each degree of common keywords: within one looks differ, across them meaning."""
    limits = _find_limits(found.look), _find_limits(found.similarity)
    kinds: tuple[list[Coordinates], ...] = ([], [], [])
    for look, similarity, overlap in zip(found.look, found.similarity, found.overlap, strict=True):
        kinds[0 if overlap <= 0 else 1 if overlap < 0.5 else 2].append((look, similarity))
    axes = f"similarity of looks ({found.reference})", "similarity in the model"
    figures = [
        f"<figure><figcaption>{cut_html(kind.capitalize())}<span>{len(points):,} pairs of clips"
        f"</span></figcaption>"
        f"{draw_dot_cloud(f'triage-looks-{place}', f'Pairs with {kind}', points, axes, limits)}"
        "</figure>"
        for place, (kind, points) in enumerate(zip(_KINDS, kinds, strict=True))
        if points
    ]
    return f'<div class="panels three">{"".join(figures)}</div>{say_under(_say_looks(found))}'


def _find_limits(values: Sequence[float]) -> Coordinates:
    low, high = min(values, default=0.0), max(values, default=1.0)
    steps = choose_round_steps(low, high if high > low else low + 1.0, 4).tolist()
    return steps[0], steps[-1]


def _say_looks(found: LookPicture) -> str:
    shown = len(found.look)
    which = f"{shown:,} of {found.pairs:,}" if shown < found.pairs else f"all {found.pairs:,}"
    sentence = (
        f"Each dot is a pair of clips of different sources ({which}). Where looks decide, the "
        "line of medians (▪) rises to the right; where meaning does, it is higher from one "
        "picture to the next."
    )
    for one in found.balances[:1]:
        sentence += (
            f" Given the other, similarity has partial ρ {format_number(found.correlation)} with "
            f"looks and {format_number(one.meaning)} with keywords: index "
            f"{format_signed(one.index.value)} ({format_range(one.index.interval)}; −1 is meaning "
            "alone, +1 looks alone)."
        )
    return sentence


def draw_substitutions(found: SubstitutionPicture, place: int) -> str:
    """What was asked for × what came instead, of one group and mode."""
    group = found.group.replace("_", " ")
    title = f"{group.capitalize()}, {found.mode} queries"
    cells = [
        [_cell_instead(found, row, column) for column in range(len(found.keywords))]
        for row in range(len(found.keywords))
    ]
    drawn = draw_heat_table(
        f"triage-instead-{place}",
        f"What came instead: {title}",
        _say_substitutions(found),
        ("asked, lacking", "came instead"),
        found.labels,
        found.labels,
        cells,
    )
    return _frame_wide(title, drawn, _say_substitutions(found))


def _frame_wide(caption: str, drawn: str, sentence: str) -> str:
    """A picture in its own size, in a box that scrolls where there is no room for it."""
    return (
        f'<figure class="chart"><figcaption>{cut_html(caption)}</figcaption><div class="scroll" '
        f'role="region" tabindex="0" aria-label="{cut_html(caption)}">{drawn}</div>'
        f"{say_under(sentence)}</figure>"
    )


def _cell_instead(found: SubstitutionPicture, row: int, column: int) -> HeatCell:
    results, instead = found.results[row][column], found.instead[row][column]
    if row == column or not results:
        return HeatCell("–")
    lift = found.lift[row][column]
    return HeatCell(
        f"{instead:,} of {results:,}",
        f"× {lift:.1f}" if math.isfinite(lift) else "",
        instead / results,
        found.proven[row][column],
    )


def _say_substitutions(found: SubstitutionPicture) -> str:
    every = [
        (row, column)
        for row, line in enumerate(found.proven)
        for column, proven in enumerate(line)
        if proven
    ]
    labels = found.labels
    every.sort(key=lambda at: -found.lift[at[0]][at[1]])
    said = "; ".join(
        f"for {labels[row]}, {labels[column]} comes {found.lift[row][column]:.1f} times as often "
        "as the clips explain"
        for row, column in every[:5]
    )
    more = f"; and {len(every) - 5} more" if len(every) > 5 else ""
    left = (
        f" {pluralise(found.left_out, 'keyword')} of fewer wrong results left out."
        if found.left_out
        else ""
    )
    proven = f"{said[0].upper()}{said[1:]}{more}." if said else "Nothing is proven to stand in."
    return proven + left


SUBSTITUTION_SIGNS = (
    "Of the wrong results that lack what was asked for (rows), how many have another keyword of "
    "the group (columns); the darker, the larger the share. ×: how many times as often as clips "
    "with the same other keywords explain; no × where there are too few to test. A thick frame "
    f"and {MARKED_SIGN}: proven, corrected over all."
)


def draw_slices(found: SlicePicture, measure: str, place: int) -> str:
    """How the queries of each slice are answered."""
    bars = [
        LevelBar(
            label=one.label,
            value=one.inside.value,
            interval=one.inside.interval,
            chance=one.chance,
            best=one.ceiling,
            numbers=(
                format_number(one.inside.value),
                format_signed(one.difference),
                f"{one.support:,}",
                format_p(one.corrected),
            ),
            marked=one.proven,
        )
        for one in found.bars
    ]
    caption = f"{found.mode.capitalize()} queries"
    drawn = draw_level_bars(
        f"triage-slices-{place}",
        f"{measure} of slices of {found.mode} queries",
        bars,
        (measure, "Δ", "n", "p"),
        ("all", found.mean),
    )
    return (
        f"<figure><figcaption>{cut_html(caption)}<span>{len(bars):,} of "
        f"{pluralise(found.tested, 'slice')} tested</span></figcaption>{drawn}"
        f"{say_under(_say_slices(found, measure))}</figure>"
    )


def _say_slices(found: SlicePicture, measure: str) -> str:
    proven = [one for one in found.bars if one.proven]
    if not found.bars:
        return "No slice could be tested."
    worst = min(proven or found.bars, key=lambda one: one.difference)
    apart = (
        f"'{worst.label}' ({format_signed(worst.difference)} of {measure}, p "
        f"{format_p(worst.corrected)})"
    )
    if not proven:
        return f"No slice is proven to be answered worse than the others; {apart} is furthest."
    return f"{pluralise(len(proven), 'slice')} proven to be worse than the others: first {apart}."


SLICE_SIGNS = (
    "Bar: mean of the slice's queries, with its interval ├┤; thick line: chance; ▽: the best that "
    "any ranking could have; dashed: all queries. Δ: the slice less all others; p: corrected over "
    f"everything that was tested; {MARKED_SIGN}: proven to be worse."
)


def draw_reliance(found: ReliancePicture, measure: str) -> str:
    """What erasing each group costs each group."""
    most = max(
        (abs(one.value) for row in found.costs for one in row if math.isfinite(one.value)),
        default=0.0,
    )
    labels = [group.replace("_", " ") for group in found.groups]
    cells = [[_cell_cost(one, most) for one in row] for row in found.costs]
    drawn = draw_heat_table(
        "triage-reliance",
        "What the similarity relies on",
        "; ".join(_list_costs(found, labels)),
        ("erased", f"{measure} of"),
        labels,
        labels,
        cells,
    )
    sentence = _say_reliance(found, labels, measure)
    return _frame_wide(f"Points of {measure} that erasing a group costs", drawn, sentence)


def _cell_cost(one: SavedNumber, most: float) -> HeatCell:
    if not math.isfinite(one.value):
        return HeatCell("–")
    low, high = one.interval.low, one.interval.high
    known = math.isfinite(low) and math.isfinite(high)
    ends = f"{low:.2f} … {high:.2f}".replace("-", MINUS) if known else ""
    shade = abs(one.value) / most if most else 0.0
    return HeatCell(
        format_signed(one.value), ends, shade, known and (low > 0 or high < 0), APART_SIGN
    )


def _list_costs(found: ReliancePicture, labels: Sequence[str]) -> Iterable[str]:
    for erased, row in zip(labels, found.costs, strict=True):
        for measured, one in zip(labels, row, strict=True):
            yield f"erasing {erased} costs {measured} {format_signed(one.value)}"


def _say_reliance(found: ReliancePicture, labels: Sequence[str], measure: str) -> str:
    own = {label: found.costs[place][place].value for place, label in enumerate(labels)}
    known = {label: value for label, value in own.items() if math.isfinite(value)}
    if not known:
        return "Nothing could be measured."
    most = max(known, key=lambda label: known[label])
    place = labels.index(most)
    left = f" {pluralise(found.left_out, 'group')} left out." if found.left_out else ""
    return (
        f"The similarity owes most to {most}: erasing it costs {format_number(known[most])} of "
        f"its own {measure} of {format_number(found.before[place])} beyond the control of shuffled "
        f"labels.{left}"
    )


RELIANCE_SIGNS = (
    "Rows: the group that is erased from the vectors; columns: the group whose results are "
    "measured. A negative number: the other group's results gain. A thick frame and "
    f"{APART_SIGN}: the interval leaves out 0, which is not corrected over the cells."
)
