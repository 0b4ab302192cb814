"""What is said about one query, and about one of its predictions."""

from __future__ import annotations

import math

from engine.base.messages import pluralise
from engine.base.visible import Visible
from engine.moments.failures.classes import HIT, RANKED_LOW
from engine.moments.failures.explanation import (
    PredictionDetail,
    explain_class,
    find_deciding_span,
    measure_overlap,
)
from tui.look.glyphs import Glyphs
from tui.look.safe import escape
from tui.moments.signs import find_sign
from tui.widgets.lines_view import NO_BREAK, Line, TextSpan
from tui.work.explained_task import MomentQuery


def format_query_line(query: MomentQuery) -> str:
    """A query on one line, its parts separated by tabs."""
    name = find_sign(query.code, query.explained.task).name
    return "\t".join(map(escape, (query.id, query.text, query.video, name)))


def draw_query(query: MomentQuery, glyphs: Glyphs) -> list[Line]:
    """The text, the right video, and why the query fails."""
    dot = f" {glyphs.dot} "
    shown = find_sign(query.code, query.explained.task)
    facts = [f"id {query.id}", query.video, _duration(query.duration), query.type]
    if query.explained.has_times and len(query.spans) != 1:
        two = ": two must be overlapped" if query.needs_two else ""
        facts.append(pluralise(len(query.spans), "span") + two)
    return [
        Line.of((query.text or "(no text)", "strong")),
        Line.of((dot.join(filter(None, facts)), "dim")),
        Line.of(
            (Visible(shown.beside(glyphs).replace(" ", NO_BREAK)), shown.kind),
            f": {explain_class(query.explained.failures, query.row)}",
            hang=2,
        ),
    ]


def _duration(seconds: float) -> str:
    return (
        "duration unknown"
        if math.isnan(seconds)
        else f"{seconds:.2f}".rstrip("0").rstrip(".") + " s"
    )


def draw_prediction(query: MomentQuery, place: int, glyphs: Glyphs) -> list[Line]:
    """One prediction: where it is, how it overlaps, and whether it counts."""
    found = query.prediction(place)
    dot = f" {glyphs.dot} "
    where = [f"prediction {place + 1} of {len(query):,}"]
    if query.explained.has_times:
        length = found.span[1] - found.span[0]
        where.append(f"{found.span[0]:.2f}{glyphs.dash}{found.span[1]:.2f} s ({length:.2f} s)")
    if found.score is not None:
        where.append(f"score {found.score:.4g}")
    in_video: list[TextSpan] = []
    if query.explained.finds_videos:
        in_video = [(dot, ""), ("right video", "hit") if found.right else ("another video", "miss")]
    lines = [Line.of((dot.join(where), "strong"), *in_video, hang=2)]
    if not found.right:
        lines.append(Line.of((f"in {found.video_text}, not in {query.video}", "dim"), hang=2))
    elif query.explained.has_times:
        lines.append(_overlap_line(query, found, glyphs))
    lines.append(_counts_line(query, found, glyphs))
    return lines


def _overlap_line(query: MomentQuery, found: PredictionDetail, glyphs: Glyphs) -> Line:
    ious = sorted({*query.explained.source.request.ious, query.explained.at.iou or 0.5})
    marks: list[str | TextSpan] = []
    for iou in ious:
        passed = query.reaches(found.place - 1, iou)
        sign = glyphs.has if passed else glyphs.lacks
        text = Visible(f"{sign}{NO_BREAK}{glyphs.spell('≥')}{NO_BREAK}{iou:g}")
        marks += [(text, "hit" if passed else "miss"), "  "]
    return Line.of(
        f"IoU {query.explained.overlap(found.iou or 0.0)}",
        ("  ", ""),
        *marks,
        _shared(query, found),
        hang=2,
    )


def _shared(query: MomentQuery, found: PredictionDetail) -> str:
    """Seconds shared with the span that decides."""
    decides = find_deciding_span(found.span, query.spans, int(query.needs_two))
    if decides is None:
        seconds = max((measure_overlap(found.span, span) for span in query.spans), default=0.0)
        if seconds > 0:
            return f"overlaps {seconds:.2f} s of one span only; two are needed"
        return "no overlap"
    seconds = measure_overlap(found.span, query.spans[decides])
    of = (query.spans[decides][1] - query.spans[decides][0]) or 0.0
    which = "the truth" if len(query.spans) == 1 else f"span {decides + 1} of {len(query.spans)}"
    best = ", the second best" if query.needs_two else ""
    return f"overlaps {seconds:.2f} of {of:.2f} s of {which}{best}"


def _counts_line(query: MomentQuery, found: PredictionDetail, glyphs: Glyphs) -> Line:
    k = query.explained.at.k
    if not found.rank:
        left_out = query.explained.task == "SVMR" and not found.right
        why = (
            "SVMR leaves other videos out before k is counted"
            if left_out
            else f"only the first {query.explained.source.request.most} are used"
        )
        return Line.of((f"does not count: {why}", "dim"), hang=2)
    within = found.rank <= k
    place = f"at rank {found.rank}"
    if not within:
        place += f", after {k}"
    elif k > 1:
        place += f", within the first {k}"
    if found.code in (HIT, RANKED_LOW):
        first = found.rank == int(query.explained.failures.hit_ranks[query.row])
        hit = "the first hit" if first else "a hit, not the first"
        if within:
            return Line.of((f"{glyphs.has} {hit}", "hit"), f": {place}", hang=2)
        return Line.of(
            (f"{find_sign(RANKED_LOW).sign_in(glyphs)} {hit}", "part"), f": {place}", hang=2
        )
    why = f"IoU below {query.explained.at.iou:g}" if found.right else "another video"
    return Line.of((f"{glyphs.lacks} no hit", "miss"), f": {why}; {place}", hang=2)
