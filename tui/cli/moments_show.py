"""`tui-eval moments --show ID`: single queries with what was predicted for them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from engine.errors import InputError
from engine.report.numbers import NONE
from engine.report.tabular import Column, tabular
from tui.cli.console import (
    as_json,
    as_text,
    check_writable,
    emit,
    show,
    telling_what_takes_long,
)
from tui.cli.metric_table import note_lines, painted
from tui.glyphs import ASCII, UNICODE, Glyphs
from tui.safe import safe

if TYPE_CHECKING:
    from rich.console import RenderableType

    from engine.moments.source import MomentsRequest
    from engine.report.one_moment import OneMoment, ShownPrediction
    from tui.cli.moments_options import Explained


def show_moments(
    request: MomentsRequest,
    explained: Explained,
    names: Sequence[str],
    json: bool,
    out: Path | None,
    ascii: bool,
) -> None:
    """Print or write the named queries in every task; nothing is scored."""
    from engine.moments.failures import explain
    from engine.moments.opening import open_moments
    from engine.report.one_moment import find_row, moment_document, one_moment
    from engine.report.run import tool_version

    check_writable(out, request.predictions, request.truth)
    if out is not None and out.suffix.lower() == ".csv":
        raise InputError("--show writes no .csv", hint="name a .json or .txt file")
    with telling_what_takes_long("reading predictions …"):
        source = open_moments(request)
        at, near = explained.values_for(source)
        rows = [find_row(source.truth, name) for name in dict.fromkeys(names)]
        judged = [explain(source.assessed(task), at, near) for task in source.tasks]
    found = [one_moment(failures, row) for row in rows for failures in judged]
    as_document = json or (out is not None and out.suffix.lower() not in (".txt", ".md"))
    if as_document:
        emit(as_json(moment_document(found, near, tool_version())), out)
        return
    view = list(_views(found, ASCII if ascii else UNICODE))
    if out is not None:
        emit(as_text(*view), out)
    else:
        show(*view)


def _views(found: Sequence[OneMoment], glyphs: Glyphs) -> Iterator[RenderableType]:
    before: int | str | None = None
    for one in found:
        if one.id != before:
            yield from _query(one)
        yield from _task(one, glyphs)
        before = one.id


def _query(one: OneMoment) -> Iterator[RenderableType]:
    """What is asked for, which is the same in every task."""
    from rich.text import Text

    yield Text.assemble((safe(str(one.id)), "bold"), safe(f" · {one.text}"))
    duration = "" if one.duration is None else f" ({one.duration:g} s)"
    spans = ", ".join(f"{start:g} to {end:g} s" for start, end in one.spans)
    kind = "" if one.type is None else f" · type {one.type}"
    yield Text(safe(f"{one.video}{duration} · right: {spans or 'no moment'}{kind}"), style="dim")
    yield Text("")


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
    rows = [_row(found, timed, numbered, glyphs) for found in one.shown]
    yield painted(tabular(columns, rows))
    hidden = one.predictions - len(one.shown)
    if hidden:
        yield from note_lines(
            [f"{len(one.shown)} of {one.predictions:,} predictions: the first, and those that tell"]
        )
        yield Text("")


def _row(found: ShownPrediction, timed: bool, numbered: bool, glyphs: Glyphs) -> list[str]:
    marks = {
        "hit": f"{glyphs.has} hit",
        "near": f"{glyphs.part} nearly right",
        "right video": f"{glyphs.lacks} wrong time",
        "wrong video": f"{glyphs.lacks} wrong video",
        "not counted": f"{glyphs.unjudged} not counted",
    }
    overlap = NONE if found.iou is None else f"{found.iou:.3f}"
    times = [f"{found.start:.2f}", f"{found.end:.2f}", overlap] if timed else []
    return [
        *([str(found.place)] if numbered else []),
        NONE if found.rank is None else str(found.rank),
        *times,
        marks[found.mark],
        f"index {found.index}, which no video has" if found.video is None else found.video,
    ]
