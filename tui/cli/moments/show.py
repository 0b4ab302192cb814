"""`tui-eval moments --show ID`: single queries with what was predicted for them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from rich.text import Text

from engine.base.errors import InputError
from engine.base.json_text import as_json
from engine.moments.failures.classes import PREDICTION_MARKS
from engine.moments.failures.explanation import format_overlap
from engine.report.tables.numbers import NO_VALUE
from engine.report.tables.report_table import Column, make_table
from tui.cli.shared.console import show_spinner
from tui.cli.shared.metric_table import format_notes, paint_table
from tui.look.glyphs import ASCII, UNICODE, Glyphs
from tui.look.safe import escape
from tui.moments.signs import find_sign

if TYPE_CHECKING:
    from rich.console import RenderableType

    from engine.moments.failures.explanation import PredictionDetail
    from engine.moments.judged_predictions import JudgedPredictions
    from engine.moments.moments_source import MomentsRequest, MomentsSource
    from engine.moments.tasks import Task
    from engine.report.moments.moment_detail import HighlightDetail, MomentDetail
    from tui.cli.moments.options import MomentsOutput, WhyOptions


def show_moments(
    request: MomentsRequest, why: WhyOptions, output: MomentsOutput, ascii: bool
) -> None:
    """Print or write the named queries in every task; nothing is scored."""
    from engine.moments.failures.failures import explain
    from engine.moments.open_files import open_moments
    from engine.report.moments.document import collect_moment_notes
    from engine.report.moments.moment_detail import (
        FIRST_PREDICTIONS,
        build_moment_document,
        find_highlight_detail,
        find_moment_detail,
        find_row,
    )

    listed = why.listed
    if listed is not None and listed < 0:
        raise InputError(
            f"--predictions {listed} is less than 0", hint="write --predictions 50, or 0 for all"
        )
    most = FIRST_PREDICTIONS if listed is None else listed or None
    with show_spinner("reading predictions …"):
        source = open_moments(request)
        at, near = why.values_for(source)
        rows = [find_row(source.truth, name) for name in dict.fromkeys(why.show or ())]
        unread: list[str] = []
        judged = [explain(_judged(source, task, unread), at, near) for task in source.tasks]
        highlights = [
            one for row in rows if (one := find_highlight_detail(source, row)) is not None
        ]
    notes = (*collect_moment_notes(source), *unread)
    found = [find_moment_detail(failures, row, most) for row in rows for failures in judged]
    output.write(
        {
            "summary": lambda: [
                *_views(found, highlights, ASCII if ascii else UNICODE),
                *format_notes(notes),
            ],
            "json": lambda: as_json(build_moment_document(source, found, near, highlights, unread)),
        },
        notes=notes,
        ascii=ascii,
    )


def _judged(source: MomentsSource, task: Task, unread: list[str]) -> JudgedPredictions:
    """With scores; without them, and with a note, where they are wrong: no number is by them."""
    try:
        return source.judge(task, scores=True)
    except InputError as error:
        found = source.judge(task)
        unread.append(f"scores are not shown: {error.message}")
        return found


def _views(
    found: Sequence[MomentDetail], highlights: Sequence[HighlightDetail], glyphs: Glyphs
) -> Iterator[RenderableType]:
    """Query by query: what is asked for, every task, and the highlight."""
    every: list[MomentDetail | HighlightDetail] = [*found, *highlights]
    for id_ in dict.fromkeys(one.id for one in every):
        tasks = [one for one in found if one.id == id_]
        clips = [one for one in highlights if one.id == id_]
        yield from _query(next(one for one in every if one.id == id_))
        for one in tasks:
            yield from _task(one, glyphs)
        for clip in clips:
            yield from _highlight(clip, glyphs)


def _query(one: MomentDetail | HighlightDetail) -> Iterator[RenderableType]:
    """What is asked for, which is the same in every task."""

    from engine.report.moments.moment_detail import MomentDetail

    yield Text.assemble((escape(str(one.id)), "bold"), escape(f" · {one.text}"))
    about = one.video if one.duration is None else f"{one.video} ({one.duration:g} s)"
    if isinstance(one, MomentDetail):
        spans = ", ".join(f"{start:g} to {end:g} s" for start, end in one.spans)
        about += f" · right: {spans or 'no moment'}"
        about += "" if one.type is None else f" · type {one.type}"
    else:
        about += " · no windows were predicted"
    yield Text(escape(about), style="dim")
    yield Text("")


def _highlight(one: HighlightDetail, glyphs: Glyphs) -> Iterator[RenderableType]:
    """The clip that is predicted to be the best, and what raters think of it."""
    clip = f"clip {one.clip} ({one.start:g} to {one.end:g} s) has the highest predicted score."
    yield Text.assemble(("HL", "bold"), f" · {clip}")
    columns = [Column("rated", "left"), Column("AP"), Column("", "left")]
    rows = [
        [
            f"{level.level} ({level.least})",
            f"{level.ap:.3f}",
            f"{glyphs.has} hit" if level.hit else f"{glyphs.lacks} no rater finds it so good",
        ]
        for level in one.levels
    ]
    yield paint_table(make_table(columns, rows))


def _task(one: MomentDetail, glyphs: Glyphs) -> Iterator[RenderableType]:
    yield Text.assemble((f"{one.task} at {one.at}: {one.kind}", "bold"), f" · {one.why}")
    if not one.shown:
        yield Text("")
        return
    timed, numbered = one.task != "VR", any(found.rank != found.place for found in one.shown)
    columns = [*([Column("#")] if numbered else []), Column("rank")]
    columns += [Column("start"), Column("end"), Column("IoU")] if timed else []
    columns += [Column("", "left"), Column("video", "left")]
    rows = [_row(one, found, numbered, glyphs) for found in one.shown]
    yield paint_table(make_table(columns, rows))
    hidden = one.predictions - len(one.shown)
    if hidden:
        yield from format_notes(
            [
                f"{len(one.shown):,} of {one.predictions:,} predictions: the first, and those that "
                "tell; --predictions 0 lists all"
            ]
        )
        yield Text("")


def _row(one: MomentDetail, found: PredictionDetail, numbered: bool, glyphs: Glyphs) -> list[str]:
    times: list[str] = []
    if one.at.iou is not None:
        limits = (one.near, one.at.iou)
        overlap = NO_VALUE if found.iou is None else format_overlap(found.iou, limits)
        times = [f"{found.start:.2f}", f"{found.end:.2f}", overlap]
    return [
        *([str(found.place)] if numbered else []),
        NO_VALUE if found.rank is None else str(found.rank),
        *times,
        find_sign(PREDICTION_MARKS.index(found.mark)).word(glyphs),
        f"index {found.index}, which no video has" if found.video is None else found.video,
    ]
