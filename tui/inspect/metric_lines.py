"""The metrics of a query in a few lines, and where the relevant clips stand that it missed."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.cells import cell_len

from tui.keys.keymap import Keymap, load_keymap
from tui.look.glyphs import UNICODE, Glyphs
from tui.look.instead_text import describe_absence, describe_best
from tui.look.nouns import OF_CLIPS, Nouns
from tui.look.score_text import format_score
from tui.widgets.lines_view import Line, TextSpan

if TYPE_CHECKING:
    from engine.keywords.inspection import Inspection, MetricPair
    from engine.metrics import Measure, Profile
    from tui.inspect.chance_text import ChanceText

_SHOWN_RANKS = 12
_VERDICTS = {True: ": above", False: ": not above", None: ""}
_FEWER = "{inspect.edit_keywords} drops a keyword, {inspect.pick} chooses other groups."


def describe_metrics(
    inspection: Inspection,
    pairs: Sequence[MetricPair],
    language: Profile,
    k: int,
    glyphs: Glyphs,
    width: int,
    nouns: Nouns = OF_CLIPS,
    keymap: Keymap | None = None,
) -> list[Line]:
    """Recall@1/3/5 with their formulas, and the ranks of what was missed."""
    keymap = keymap or load_keymap("default")
    if not inspection.keywords:
        none = nouns.spell("No keyword, so nothing is judged and no metric is defined.")
        return [Line.of((none, "dim"))]
    if not inspection.relevant and all(math.isnan(pair.adjudicated) for pair in pairs):
        return [
            Line.of(
                (nouns.spell(f"{_say_none(inspection)}: no metric is defined. "), "part"),
                (nouns.spell(keymap.spell(_FEWER)), "dim"),
            )
        ]
    if not inspection.retrieved.any():
        return [
            _nothing_reaches(inspection, keymap),
            _recalls(inspection, pairs, language, glyphs, width),
        ]
    decided = not all(map(_same, pairs))
    return [
        _recalls(inspection, pairs, language, glyphs, width),
        describe_missed(inspection, k, glyphs, by_keywords=decided, nouns=nouns, keymap=keymap),
    ]


def _say_none(inspection: Inspection) -> str:
    asked = "all" if inspection.policies.relevance == "all" else "any of"
    return f"No clip has {asked} these keywords"


def _nothing_reaches(inspection: Inspection, keymap: Keymap) -> Line:
    key = keymap.say("inspect.least_similarity")
    best = format_score(float(inspection.similarities[0]))
    return Line.of(
        (
            f"No result reaches {inspection.policies.min_similarity:g} (the best has {best}): ",
            "part",
        ),
        (f"nothing counts as retrieved. {key} changes the least similarity.", "dim"),
    )


def _recalls(
    inspection: Inspection,
    pairs: Sequence[MetricPair],
    language: Profile,
    glyphs: Glyphs,
    width: int,
) -> Line:
    """The first measure at every cutoff with its formula and chance; in fewer words where room is
    scarce."""
    first = pairs[0].measure
    family = [pair for pair in pairs if pair.measure.name == first.name]
    formula = (f"= {first.definition.formula_at('K')}", "dim")
    chance = _beside_chance(inspection, [pair.measure for pair in family])
    whole, *short = (
        _values(family, language),
        *(_values(family, language, glyphs.arrow, word) for word in ("adjudicated ", "adj. ", "")),
    )
    # Names in full go first, then words of the verdict, then the verdict; the level goes last.
    words = [
        (whole, chance.verdict),
        *((names, said) for said in (chance.verdict, chance.brief) for names in short[:2]),
        *((names, "") for names in short),
    ]
    lines = [
        Line.of(
            *names,
            formula,
            (f" {glyphs.dot} {chance.level}{said}" if chance.level else "", chance.kind),
        )
        for names, said in words
    ]
    fitting = (line for line in lines if sum(cell_len(text) for text, _ in line.spans) <= width)
    return next(fitting, Line.of(*short[0], formula))


def _beside_chance(inspection: Inspection, family: Sequence[Measure]) -> ChanceText:
    from tui.inspect.chance_text import ChanceText

    levels = [inspection.find_chance_level(measure) for measure in family]
    if all(map(math.isnan, levels)):
        return ChanceText()
    written = list(map(format_metric_value, levels))
    return ChanceText.of(family, written, list(map(inspection.find_chance_p, family)))


def _values(
    family: Sequence[MetricPair], language: Profile, arrow: str = "", word: str = ""
) -> list[TextSpan]:
    """The values behind their names; with an arrow in short: the name once, and what was
    adjudicated behind the arrow, with a word that says so."""
    spans: list[TextSpan] = []
    for place, pair in enumerate(family):
        label = f"@{pair.measure.cutoff}" if arrow and place else language.label(pair.measure)
        spans += [(f"{label} ", "strong"), (format_metric_value(pair.published), "")]
        if not _same(pair):
            spans.append(
                (f"{arrow or ' adjudicated '}{format_metric_value(pair.adjudicated)}", "mark")
            )
        spans.append((" " if arrow else "   ", ""))
    if not all(map(_same, family)):
        spans.append((word, "mark"))
    return spans


def describe_missed(
    inspection: Inspection,
    k: int,
    glyphs: Glyphs,
    *,
    by_keywords: bool = False,
    nouns: Nouns = OF_CLIPS,
    keymap: Keymap | None = None,
) -> Line:
    """How many relevant clips stand below the top k, and at which ranks.

    `by_keywords`: say that marks are not counted here, where they change the numbers above.
    """
    places, unranked = inspection.missed(k), inspection.unranked
    missed = len(places) + unranked
    if not inspection.relevant:
        none = nouns.spell(f"{_say_none(inspection)}; only marks make clips relevant.")
        return Line.of((none, "part"))
    if not missed:
        noun = "source" if inspection.one_per_source else "clip"
        all_of_them = f"All {inspection.relevant:,} relevant {noun}s are"
        every = f"The one relevant {noun} is" if inspection.relevant == 1 else all_of_them
        return Line.of((nouns.spell(f"{every} in the top {k}."), "hit"))
    shown = ", ".join(f"{place + 1:,}" for place in places[:_SHOWN_RANKS].tolist())
    if len(places) > _SHOWN_RANKS:
        shown += f" {glyphs.ellipsis} {int(places[-1]) + 1:,}"
    ranked = f"rank {shown}" if shown else ""
    key = (keymap or load_keymap("default")).say("inspect.toggle_missed")
    where = "not counted in" if (places < k).any() else "below"
    deeper = inspection.describe_unranked("deeper than")
    return Line.of(
        (f"{missed:,} of {inspection.relevant:,} relevant", "strong"),
        (nouns.spell(" by keywords") if by_keywords else "", "dim"),
        (f" {where} the top {k}", "dim"),
        (f" ({key}): " if len(places) else ": ", "dim"),
        "; ".join(filter(None, (ranked, deeper))),
    )


def describe_instead(inspection: Inspection, glyphs: Glyphs, width: int) -> list[Line]:
    """What the results have in place of the keywords that they lack, as many on a line as there is
    room for; nothing: they lack none."""
    said = list(filter(None, (describe_best(one, glyphs) for one in inspection.absences)))
    if not said:
        return []
    head = f"Instead, in the first {inspection.looked_at}: "
    packed = [said[0]]
    for words in said[1:]:
        longer = f"{packed[-1]} {glyphs.dot} {words}"
        if len(head) + cell_len(longer) <= width:
            packed[-1] = longer
        else:
            packed.append(words)
    indent = " " * len(head)
    return [
        Line.of((indent if place else head, "dim"), words, hang=len(head))
        for place, words in enumerate(packed)
    ]


def list_instead(inspection: Inspection, glyphs: Glyphs, width: int) -> list[Line]:
    """The same in full, one line for each keyword; nothing if the results lack none."""
    lacking = [absence for absence in inspection.absences if absence.results]
    if not lacking:
        return []
    head = f"Retrieved instead, in the first {inspection.looked_at}"
    lines = [describe_absence(absence, glyphs, width) for absence in lacking]
    return [Line(), Line.of((head, "strong")), *(Line.of(line, hang=2) for line in lines)]


def list_answer_metrics(
    pairs: Sequence[MetricPair],
    language: Profile,
    symbols: Sequence[tuple[str, str]],
    glyphs: Glyphs = UNICODE,
    chances: Sequence[float] = (),
    chance_p: Sequence[float] = (),
) -> list[Line]:
    """Every metric with its id and its formula, as published and as adjudicated, and what a random
    ranking would score in place of the published one, which is above that or not."""
    from engine.metrics.chance import is_above_chance

    changed = any(not _same(pair) for pair in pairs)
    both = f"{'adjudicated':>13}" if changed else ""
    labels, ids = [language.label(pair.measure) for pair in pairs], [str(p.measure) for p in pairs]
    label_width = max([13, *(len(label) + 1 for label in labels)])
    # Where every metric is called by its id, once is enough.
    id_width = 0 if labels == ids else max([9, *(len(one) + 1 for one in ids)])
    verdicts = [_VERDICTS[is_above_chance(p)] for p in chance_p] or [""] * len(pairs)
    verdict_width = max(map(len, verdicts))
    random = f"{'chance':>8}{'':<{verdict_width}}" if chances else ""
    named = f"{'metric':<{label_width}}{'id' if id_width else '':<{id_width}}"
    head = f"{named}{'published':>9}{random}{both}"
    lines = [Line.of((f"{head}  formula", "strong"))]
    before_formula = len(head) + 2
    for place, pair in enumerate(pairs):
        level = f"{format_metric_value(chances[place]):>8}" if chances else ""
        chance = f"{level}{verdicts[place]:<{verdict_width}}"
        adjudicated = f"{format_metric_value(pair.adjudicated):>13}" if changed else ""
        lines.append(
            Line.of(
                f"{language.label(pair.measure):<{label_width}}",
                (f"{pair.measure!s:<{id_width}}" if id_width else "", "dim"),
                f"{format_metric_value(pair.published):>9}",
                (chance, "part" if verdicts[place] == _VERDICTS[False] else "dim"),
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
