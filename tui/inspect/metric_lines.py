"""The metrics of a query in a few lines, and where the relevant clips stand that it missed."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.cells import cell_len

from tui.look.glyphs import UNICODE, Glyphs
from tui.look.nouns import OF_CLIPS, Nouns
from tui.look.score_text import format_score
from tui.widgets.lines_view import Line, TextSpan

if TYPE_CHECKING:
    from engine.keywords.inspection import Inspection, MetricPair
    from engine.metrics import Profile

_SHOWN_RANKS = 12


def describe_metrics(
    inspection: Inspection,
    pairs: Sequence[MetricPair],
    language: Profile,
    k: int,
    glyphs: Glyphs,
    width: int,
    nouns: Nouns = OF_CLIPS,
) -> list[Line]:
    """Recall@1/3/5 with their formulas, and the ranks of what was missed."""
    if not inspection.keywords:
        none = nouns.spell("No keyword, so nothing is judged and no metric is defined.")
        return [Line.of((none, "dim"))]
    if not inspection.relevant and all(math.isnan(pair.adjudicated) for pair in pairs):
        return [
            Line.of(
                (nouns.spell("No clip has all these keywords: no metric is defined. "), "part"),
                (nouns.spell("e drops a keyword, p chooses other groups."), "dim"),
            )
        ]
    if not inspection.retrieved.any():
        return [_nothing_reaches(inspection), _recalls(pairs, language, glyphs, width)]
    decided = not all(map(_same, pairs))
    return [
        _recalls(pairs, language, glyphs, width),
        describe_missed(inspection, k, glyphs, by_keywords=decided, nouns=nouns),
    ]


def _nothing_reaches(inspection: Inspection) -> Line:
    best = format_score(float(inspection.similarities[0]))
    return Line.of(
        (
            f"No result reaches {inspection.policies.min_similarity:g} (the best has {best}): ",
            "part",
        ),
        ("nothing counts as retrieved. s changes the least similarity.", "dim"),
    )


def _recalls(pairs: Sequence[MetricPair], language: Profile, glyphs: Glyphs, width: int) -> Line:
    """The first measure at every cutoff with its formula; in fewer words where room is scarce."""
    first = pairs[0].measure
    family = [pair for pair in pairs if pair.measure.name == first.name]
    formula = (f"= {first.definition.formula_at('K')}", "dim")
    whole = Line.of(*_values(family, language), formula)
    if sum(cell_len(text) for text, _ in whole.spans) <= width:
        return whole
    return Line.of(*_values(family, language, glyphs.arrow), formula)


def _values(family: Sequence[MetricPair], language: Profile, arrow: str = "") -> list[TextSpan]:
    """The values behind their names; with an arrow in short: the name once, and what was
    adjudicated behind the arrow."""
    spans: list[TextSpan] = []
    for place, pair in enumerate(family):
        label = f"@{pair.measure.cutoff}" if arrow and place else language.label(pair.measure)
        spans += [(f"{label} ", "strong"), (format_metric_value(pair.published), "")]
        if not _same(pair):
            spans.append(
                (f"{arrow or ' adjudicated '}{format_metric_value(pair.adjudicated)}", "mark")
            )
        spans.append((" " if arrow else "   ", ""))
    if arrow and not all(map(_same, family)):
        spans.append(("adjudicated ", "mark"))
    return spans


def describe_missed(
    inspection: Inspection,
    k: int,
    glyphs: Glyphs,
    *,
    by_keywords: bool = False,
    nouns: Nouns = OF_CLIPS,
) -> Line:
    """How many relevant clips stand below the top k, and at which ranks.

    `by_keywords`: say that marks are not counted here, where they change the numbers above.
    """
    places, unranked = inspection.missed(k), inspection.unranked
    missed = len(places) + unranked
    if not inspection.relevant:
        none = nouns.spell("No clip has all these keywords; only marks make clips relevant.")
        return Line.of((none, "part"))
    if not missed:
        all_of_them = f"All {inspection.relevant:,} relevant clips are"
        every = "The one relevant clip is" if inspection.relevant == 1 else all_of_them
        return Line.of((nouns.spell(f"{every} in the top {k}."), "hit"))
    shown = ", ".join(f"{place + 1:,}" for place in places[:_SHOWN_RANKS].tolist())
    if len(places) > _SHOWN_RANKS:
        shown += f" {glyphs.ellipsis} {int(places[-1]) + 1:,}"
    ranked = f"rank {shown}" if shown else ""
    where = "not counted in" if (places < k).any() else "below"
    deeper = f"{unranked:,} deeper than {inspection.depth:,}" if unranked else ""
    return Line.of(
        (f"{missed:,} of {inspection.relevant:,} relevant", "strong"),
        (nouns.spell(" by keywords") if by_keywords else "", "dim"),
        (f" {where} the top {k}", "dim"),
        (" (t): " if len(places) else ": ", "dim"),
        "; ".join(filter(None, (ranked, deeper))),
    )


def list_answer_metrics(
    pairs: Sequence[MetricPair],
    language: Profile,
    symbols: Sequence[tuple[str, str]],
    glyphs: Glyphs = UNICODE,
) -> list[Line]:
    """Every metric with its id and its formula, as published and as adjudicated."""
    changed = any(not _same(pair) for pair in pairs)
    both = f"{'adjudicated':>13}" if changed else ""
    labels, ids = [language.label(pair.measure) for pair in pairs], [str(p.measure) for p in pairs]
    label_width = max([13, *(len(label) + 1 for label in labels)])
    # Where every metric is called by its id, once is enough.
    id_width = 0 if labels == ids else max([9, *(len(one) + 1 for one in ids)])
    head = f"{'metric':<{label_width}}{'id' if id_width else '':<{id_width}}{'published':>9}{both}"
    lines = [Line.of((f"{head}  formula", "strong"))]
    before_formula = len(head) + 2
    for pair in pairs:
        adjudicated = f"{format_metric_value(pair.adjudicated):>13}" if changed else ""
        lines.append(
            Line.of(
                f"{language.label(pair.measure):<{label_width}}",
                (f"{pair.measure!s:<{id_width}}" if id_width else "", "dim"),
                f"{format_metric_value(pair.published):>9}",
                (adjudicated, "" if _same(pair) else "mark"),
                (f"  {glyphs.spell(pair.measure.formula)}", "dim"),
                hang=before_formula,
            )
        )
    lines.append(Line())
    lines += [
        Line.of((f"{symbol:<8}", "strong"), (meaning, "dim"), hang=8) for symbol, meaning in symbols
    ]
    return lines


def format_metric_value(value: float) -> str:
    """A metric's value in few characters.

    >>> format_metric_value(0.6666), format_metric_value(7.0), format_metric_value(float("nan"))
    ('0.667', '7', 'n/a')
    """
    if math.isnan(value):
        return "n/a"
    return f"{value:.3f}" if value <= 1 else f"{value:g}"


def _same(pair: MetricPair) -> bool:
    both_undefined = math.isnan(pair.published) and math.isnan(pair.adjudicated)
    return both_undefined or pair.published == pair.adjudicated
