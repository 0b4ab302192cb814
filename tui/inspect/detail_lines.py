"""What there is to say about one result, line by line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.base.visible import Visible
from engine.keywords.judgement import Judgement
from tui.look.glyphs import Glyphs
from tui.look.nouns import OF_CLIPS, Nouns
from tui.look.safe import escape
from tui.look.score_text import format_score
from tui.widgets.lines_view import NO_BREAK, Line, TextSpan

if TYPE_CHECKING:
    from engine.keywords.inspection import Inspection
    from engine.keywords.judge import Breakdown
    from tui.inspect.rank_change import RankChange
    from tui.inspect.shown_answer import ShownAnswer

_BAR = 12


def describe_result(shown: ShownAnswer, place: int, glyphs: Glyphs) -> list[Line]:
    """The verdict first, then the keywords by group, the numbers, what was said, and last what
    does not count."""
    inspection, standing = shown.inspection, shown.standing
    result = inspection.result(place)
    lines = [Line.of((f"#{place + 1:,} ", "dim"), (inspection.clip(place), "strong"), hang=4)]
    if inspection.clip(place) == inspection.question.clip:
        # Where one modality asks another, a clip is a result of its own query.
        same = shown.nouns.spell("the same clip as the query, as it is searched")
        lines.append(Line.of((same, "dim")))
    lines.append(describe_verdict(result, glyphs, shown.nouns))
    groups = inspection.collection.truth.words.groups
    width = min(max(len("similarity"), *(len(_title(group)) for group in groups)), 20)
    if shown.nouns.has_labels:
        lines += _label_lines(inspection, result, width, glyphs)
    else:
        lines += _keyword_lines(result, width, glyphs)
    lines += describe_similarity(inspection, place, glyphs, width)
    if standing is not None:
        change = shown.find_rank_change(place)
        lines.append(_standing_line(standing.model, change, width, glyphs))
    lines += describe_judgement(shown.judgement(place), width, glyphs)
    lines += _uncounted_lines(inspection, result.row, width)
    return lines


def _keyword_lines(result: Breakdown, width: int, glyphs: Glyphs) -> list[Line]:
    """Per group each keyword of the query with whether the result has it; then its others."""
    lines = []
    for marks in result.groups:
        spans: list[TextSpan] = []
        for number, (keyword, has) in enumerate(marks.marks):
            sign = glyphs.has if has else glyphs.lacks
            gap = "  " if number else ""
            # The sign stays with its keyword where the line is broken.
            spans.append((_sign(f"{gap}{sign}", keyword.name), "hit" if has else "miss"))
        lines.append(_field(_title(marks.group), width, *spans))
    if result.others:
        lines.append(_field("also", width, ", ".join(keyword.name for keyword in result.others)))
    return lines


def _label_lines(
    inspection: Inspection, result: Breakdown, width: int, glyphs: Glyphs
) -> list[Line]:
    """Per level that counts the result's own label, and the one asked for where it is another."""
    own = inspection.collection.truth.keywords_of(result.row)
    marks = {group.group: group.marks for group in result.groups}
    lines = []
    for group in inspection.selection.groups:
        names = ", ".join(keyword.name for keyword in own if keyword.group == group)
        asked = marks.get(group)
        spans: list[str | TextSpan] = [names]  # the query says nothing of this level
        if asked is not None and any(has for _, has in asked):
            spans = [(_sign(glyphs.has, names), "hit")]
        elif asked is not None:
            wanted = ", ".join(keyword.name for keyword, _ in asked)
            spans = [(_sign(glyphs.lacks, names), "miss"), (f"  (asked: {wanted})", "dim")]
        lines.append(_field(_title(group), width, *spans))
    return lines


def _uncounted_lines(inspection: Inspection, row: int, width: int) -> list[Line]:
    """The clip's keywords of groups that do not count: they tell what it looks like."""
    by_group: dict[str, list[str]] = {}
    for keyword in inspection.collection.truth.keywords_of(row):
        if keyword.group not in inspection.selection.groups:
            by_group.setdefault(keyword.group, []).append(keyword.name)
    return [
        Line.of((f"{_title(group):<{width}}  {', '.join(names)}", "dim"), hang=width + 2)
        for group, names in by_group.items()
    ]


def describe_verdict(result: Breakdown, glyphs: Glyphs, nouns: Nouns = OF_CLIPS) -> Line:
    """The verdict as a sign, a word and a colour."""
    verdict = _label_verdict(result) if nouns.has_labels else result.verdict
    if not result.total:
        return Line.of((f"{glyphs.unjudged} {verdict}", "dim"), hang=3)
    if result.relevant:
        sign, kind = glyphs.has, "hit"
    elif result.matched:
        sign, kind = glyphs.part, "part"
    else:
        sign, kind = glyphs.lacks, "miss"
    tail = "" if result.retrieved else ", below the least similarity: not retrieved"
    kind = kind if result.retrieved else "dim"
    return Line.of((f"{sign} {verdict}{tail}", kind), hang=3)


def _label_verdict(result: Breakdown) -> str:
    """Whether the label is the same; of several labels, how many are."""
    if not result.total:
        return "Not judged (the query has no label)"
    if result.total == 1:
        return "Same label" if result.matched else "Another label"
    return f"{result.matched} of {result.total} labels"


def describe_similarity(
    inspection: Inspection, place: int, glyphs: Glyphs, width: int
) -> list[Line]:
    """The similarity, and where it stands between the query's best and worst."""
    scores = inspection.similarities
    value, best, worst = (float(scores[at]) for at in (place, 0, -1))
    share = (value - worst) / (best - worst) if best > worst else 1.0
    filled = round(share * _BAR)
    bar = glyphs.full_block * filled + glyphs.no_block * (_BAR - filled)
    whole = inspection.depth >= inspection.reachable
    lowest = "worst" if whole else f"at {inspection.depth:,}"
    ends = f"{lowest} {format_score(worst)} {glyphs.dot} best {format_score(best)}"
    return [
        Line.of((f"{'similarity':<{width}}  ", "dim"), (f"{format_score(value)} ", "strong"), bar),
        Line.of((f"{'':<{width}}  {ends}", "dim"), hang=width + 2),
    ]


def _standing_line(model: str, change: RankChange | None, width: int, glyphs: Glyphs) -> Line:
    """The rank in another model, and whether the change is good: a word as well as a colour."""
    label = f"in {model}"
    if change is None:
        return _field(label, width, "not ranked")
    if change.other == change.rank:
        return _field(label, width, f"#{change.other:,} too")
    apart = f"{abs(change.other - change.rank):,} {change.way}"
    said = f"({change.verdict})" if change.verdict else apart
    return _field(label, width, (f"#{change.other:,} {change.sign(glyphs)} {said}", change.kind))


def describe_judgement(judgement: Judgement, width: int, glyphs: Glyphs) -> list[Line]:
    """The mark and the note, if there are any."""
    lines = []
    if judgement.mark is not None:
        said = f"{glyphs.marks[judgement.mark]}{judgement.mark_in_words}"
        lines.append(_field("marked", width, (said, "mark")))
    if judgement.note:
        lines.append(_field("note", width, judgement.note))
    return lines


def _field(label: str, width: int, *spans: str | TextSpan) -> Line:
    """What is said under a label, which is that wide."""
    return Line.of((f"{label:<{width}}  ", "dim"), *spans, hang=width + 2)


def _title(group: str) -> str:
    return group.replace("_", " ")


def _sign(sign: str, names: str) -> str:
    """Names behind a sign from which no line break parts them."""
    return Visible(f"{sign}{NO_BREAK}{escape(names)}")
