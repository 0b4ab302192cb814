"""`tui-eval moments --show ID`: single queries with what was predicted for them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from engine.base.errors import InputError
from engine.base.json_text import as_json
from engine.moments.failures.classes import MARKS
from engine.moments.failures.overlap_text import overlap_text
from engine.report.tables.numbers import NONE
from engine.report.tables.tabular import Column, tabular
from tui.cli.shared.console import telling_what_takes_long
from tui.cli.shared.metric_table import note_lines, painted
from tui.look.glyphs import ASCII, UNICODE, Glyphs
from tui.look.safe import safe
from tui.moments.signs import of_class

if TYPE_CHECKING:
    from rich.console import RenderableType

    from engine.moments.assessed import Assessed
    from engine.moments.source import MomentsRequest, MomentsSource
    from engine.moments.tasks import Task
    from engine.report.moments.one_moment import OneHighlight, OneMoment, ShownPrediction
    from tui.cli.moments.options import Explained, MomentsOutput


def show_moments(
    request: MomentsRequest,
    explained: Explained,
    names: Sequence[str],
    listed: int | None,
    output: MomentsOutput,
    ascii: bool,
) -> None:
    """Print or write the named queries in every task; nothing is scored.

    listed  how many predictions of each are listed; 0: all, None: the usual number
    """
    from engine.moments.failures.failures import explain
    from engine.moments.opening import open_moments
    from engine.report.moments.document import moments_notes, moments_policies
    from engine.report.moments.one_moment import (
        FIRST,
        find_row,
        moment_document,
        one_highlight,
        one_moment,
    )

    _check(request, listed, output)
    most = FIRST if listed is None else listed or None
    with telling_what_takes_long("reading predictions …"):
        source = open_moments(request)
        at, near = explained.values_for(source)
        rows = [find_row(source.truth, name) for name in dict.fromkeys(names)]
        unread: list[str] = []
        judged = [explain(_assessed(source, task, unread), at, near) for task in source.tasks]
        highlights = [one for row in rows if (one := one_highlight(source, row)) is not None]
    found = [one_moment(failures, row, most) for row in rows for failures in judged]
    notes = (*moments_notes(source), *unread)
    output.write(
        {
            "summary": lambda: [
                *_views(found, highlights, ASCII if ascii else UNICODE),
                *note_lines(notes),
            ],
            "json": lambda: as_json(
                moment_document(
                    found,
                    near,
                    highlights=highlights,
                    inputs=source.inputs,
                    policies=moments_policies(request),
                    notes=notes,
                )
            ),
        }
    )


def _check(request: MomentsRequest, listed: int | None, output: MomentsOutput) -> None:
    output.check((request.predictions, request.truth))
    if output.shape in ("csv", "markdown"):
        form = output.format or (output.out.suffix.lower() if output.out else "")
        raise InputError(f"--show writes no {form}", hint="name a .json or .txt file")
    if listed is not None and listed < 0:
        raise InputError(
            f"--predictions {listed} is less than 0", hint="write --predictions 50, or 0 for all"
        )


def _assessed(source: MomentsSource, task: Task, unread: list[str]) -> Assessed:
    """With scores; without them, and with a note, where they are wrong: no number is by them."""
    try:
        return source.assessed(task, scores=True)
    except InputError as error:
        found = source.assessed(task)
        unread.append(f"scores are not shown: {error.message}")
        return found


def _views(
    found: Sequence[OneMoment], highlights: Sequence[OneHighlight], glyphs: Glyphs
) -> Iterator[RenderableType]:
    """Query by query: what is asked for, every task, and the highlight."""
    every: list[OneMoment | OneHighlight] = [*found, *highlights]
    for id_ in dict.fromkeys(one.id for one in every):
        tasks = [one for one in found if one.id == id_]
        clips = [one for one in highlights if one.id == id_]
        yield from _query(next(one for one in every if one.id == id_))
        for one in tasks:
            yield from _task(one, glyphs)
        for clip in clips:
            yield from _highlight(clip, glyphs)


def _query(one: OneMoment | OneHighlight) -> Iterator[RenderableType]:
    """What is asked for, which is the same in every task."""
    from rich.text import Text

    from engine.report.moments.one_moment import OneMoment

    yield Text.assemble((safe(str(one.id)), "bold"), safe(f" · {one.text}"))
    about = one.video if one.duration is None else f"{one.video} ({one.duration:g} s)"
    if isinstance(one, OneMoment):
        spans = ", ".join(f"{start:g} to {end:g} s" for start, end in one.spans)
        about += f" · right: {spans or 'no moment'}"
        about += "" if one.type is None else f" · type {one.type}"
    else:
        about += " · no windows were predicted"
    yield Text(safe(about), style="dim")
    yield Text("")


def _highlight(one: OneHighlight, glyphs: Glyphs) -> Iterator[RenderableType]:
    """The clip that is predicted to be the best, and what raters think of it."""
    from rich.text import Text

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
    yield painted(tabular(columns, rows))


def _task(one: OneMoment, glyphs: Glyphs) -> Iterator[RenderableType]:
    from rich.text import Text

    yield Text.assemble((f"{one.task} at {one.at}: {one.kind}", "bold"), f" · {one.why}")
    if not one.shown:
        yield Text("")
        return
    timed, numbered = one.task != "VR", any(found.rank != found.place for found in one.shown)
    columns = [*([Column("#")] if numbered else []), Column("rank")]
    columns += [Column("start"), Column("end"), Column("IoU")] if timed else []
    columns += [Column("", "left"), Column("video", "left")]
    rows = [_row(one, found, numbered, glyphs) for found in one.shown]
    yield painted(tabular(columns, rows))
    hidden = one.predictions - len(one.shown)
    if hidden:
        yield from note_lines(
            [
                f"{len(one.shown):,} of {one.predictions:,} predictions: the first, and those that "
                "tell; --predictions 0 lists all"
            ]
        )
        yield Text("")


def _row(one: OneMoment, found: ShownPrediction, numbered: bool, glyphs: Glyphs) -> list[str]:
    times: list[str] = []
    if one.at.iou is not None:
        limits = (one.near, one.at.iou)
        overlap = NONE if found.iou is None else overlap_text(found.iou, limits)
        times = [f"{found.start:.2f}", f"{found.end:.2f}", overlap]
    return [
        *([str(found.place)] if numbered else []),
        NONE if found.rank is None else str(found.rank),
        *times,
        of_class(MARKS.index(found.mark)).word(glyphs),
        f"index {found.index}, which no video has" if found.video is None else found.video,
    ]
