"""Moment retrieval as tables of finished texts, to be painted, and all of them as Markdown."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from engine.moments.failures.classes import CLASSES, HIT
from engine.moments.failures.failures import Failures
from engine.moments.failures.task_analysis import LengthBin, TaskAnalysis
from engine.moments.judged_predictions import TYPES
from engine.moments.moments_source import MomentsSource
from engine.moments.qvh.moments import MOST_WINDOWS, RANGES
from engine.moments.tasks import HitRule
from engine.report.moments.document import collect_moment_notes
from engine.report.moments.numbers import HIGHLIGHT_PREFIX, RATIO_KEY
from engine.report.tables.numbers import NO_VALUE
from engine.report.tables.report_table import (
    Column,
    ReportTable,
    as_markdown,
    escape_markdown,
    list_markdown,
    make_table,
)

BENCHMARKS = {"tvr": "TVR", "qvh": "QVHighlights"}

RECALLS_NOTE = (
    "R@k = 100 · queries with a hit among the first k / queries. A hit has the right video and "
    "IoU ≥ the number beside it; in VR times are ignored; in SVMR only the right video's "
    "predictions are counted. id: VCMR/0.5-r1, and so on"
)
WINDOWS_NOTE = (
    "R1 = 100 · queries whose first window has IoU ≥ the number / queries. mAP = mean over queries "
    f"of interpolated AP of the first {MOST_WINDOWS} windows; alone, over IoU 0.5 to 0.95. "
    "id: full/MR-R1/0.5, and so on"
)
CLIPS_NOTE = (
    "HL: clips by predicted score, relevant if rated so or better. mAP = mean AP over queries and "
    "raters, Hit1 = 100 · queries whose first clip is relevant / queries. id: HL-min-Fair/HL-mAP, "
    "and so on"
)
_OF_WINDOWS = (
    *(("MR-R1", "0.5"), ("MR-R1", "0.7"), ("MR-mAP", "0.5"), ("MR-mAP", "0.75")),
    ("MR-mAP", "average"),
)


def build_number_tables(
    source: MomentsSource, official: Mapping[str, Any], whole: Mapping[str, Any] | None = None
) -> Iterator[ReportTable]:
    """The official numbers, each table with its formula as a note.

    whole  the numbers with the predictions that `nms` drops, to stand beside the others
    """
    if source.benchmark == "tvr":
        yield build_recall_table(source, official, whole)
    windows = build_window_table(official, source.request.nms, whole)
    for table in (windows, build_highlight_table(official)):
        if table is not None:
            yield table


def build_recall_table(
    source: MomentsSource, official: Mapping[str, Any], whole: Mapping[str, Any] | None = None
) -> ReportTable:
    """R@k of every task of TVR, at every IoU."""
    columns, rows = _recalls(source, official, "", [("", k) for k in source.request.ks], whole)
    return make_table(columns, rows, notes=[RECALLS_NOTE])


def build_type_table(
    source: MomentsSource,
    official: Mapping[str, Any],
    ks: Sequence[int],
    whole: Mapping[str, Any] | None = None,
) -> ReportTable:
    """The same by type of description, at some k."""
    ratio = next((official[f"{task}_by_type"][RATIO_KEY] for task in source.tasks), "")
    types = [(name, k) for name in TYPES for k in ks]
    columns, rows = _recalls(source, official, "_by_type", types, whole)
    left_out = [k for k in source.request.ks if k not in ks]
    hidden = (
        f"by type, R@{', R@'.join(map(str, left_out))}: a wider terminal, --json or --out F.csv"
    )
    caption = f"By type of description (% of them: {ratio})"
    return make_table(columns, rows, caption, notes=[hidden] if left_out else [])


def _recalls(
    source: MomentsSource,
    official: Mapping[str, Any],
    suffix: str,
    shown: Sequence[tuple[str, int]],
    whole: Mapping[str, Any] | None,
) -> tuple[list[Column], list[list[str]]]:
    """A row per task and IoU, a column for every (type or "", k) that is shown."""
    heads = [*_nms_head(whole), *(f"{type_} R@{k}".strip() for type_, k in shown)]
    rows = []
    for task in source.tasks:
        sides = _sides(official, source.request.nms, None if task == "VR" else whole)
        dropless = [NO_VALUE] if task == "VR" and whole is not None else []
        for iou in (None,) if task == "VR" else source.request.ious:
            names = [f"{type_}-{HitRule(iou, k)}".removeprefix("-") for type_, k in shown]
            for side, numbers in sides:
                cells = (format_official_percent(numbers[task + suffix][name]) for name in names)
                at = NO_VALUE if iou is None else f"{iou:g}"
                rows.append([task, at, *dropless, *side, *cells])
    return [Column("task", "left"), Column("IoU"), *map(Column, heads)], rows


def _nms_head(whole: Mapping[str, Any] | None) -> list[str]:
    return [] if whole is None else ["NMS"]


def _sides(
    official: Mapping[str, Any], nms: float | None, whole: Mapping[str, Any] | None
) -> list[tuple[list[str], Mapping[str, Any]]]:
    """The numbers that stand beside each other, and what their rows are called; VR knows no times,
    so that nothing is dropped from it."""
    if whole is None or nms is None:
        return [([], official)]
    return [(["none"], whole), ([f"{nms:g}"], official)]


def build_window_table(
    official: Mapping[str, Any], nms: float | None = None, whole: Mapping[str, Any] | None = None
) -> ReportTable | None:
    """MR of QVHighlights: all windows, then by their length; None without windows."""
    ranges = [name for name in (RANGES[-1], *RANGES[:-1]) if name in official]
    heads = [n.removeprefix("MR-") + (f"@{t}" if t != "average" else "") for n, t in _OF_WINDOWS]
    rows = [
        [
            f"MR {name}",
            *side,
            *(format_official_percent(numbers[name][by][iou]) for by, iou in _OF_WINDOWS),
        ]
        for name in ranges
        for side, numbers in _sides(official, nms, whole)
    ]
    columns = [Column("windows", "left"), *map(Column, [*_nms_head(whole), *heads])]
    return make_table(columns, rows, notes=[WINDOWS_NOTE]) if rows else None


def build_highlight_table(official: Mapping[str, Any]) -> ReportTable | None:
    """HL of QVHighlights, by the least rating; None without saliency."""
    levels = [name for name in official if name.startswith(HIGHLIGHT_PREFIX)]
    rows = [
        [
            name.replace(HIGHLIGHT_PREFIX, "HL "),
            *map(format_official_percent, official[name].values()),
        ]
        for name in levels
    ]
    columns = [Column("rated", "left"), Column("mAP"), Column("Hit1")]
    return make_table(columns, rows, notes=[CLIPS_NOTE]) if rows else None


def build_class_table(failures: Failures) -> ReportTable:
    """The classes of one task, and what they mean."""
    columns = [Column("class", "left"), Column("%"), Column("queries"), Column("", "left")]
    counts, shares = failures.counts().tolist(), failures.shares.tolist()
    rows = [
        [
            failures.names[code],
            format_official_percent(100 * shares[code]),
            f"{counts[code]:,}",
            failures.about(code),
        ]
        for code in failures.possible
    ]
    return make_table(columns, rows, write_class_title(failures))


def write_class_title(failures: Failures) -> str:
    return f"Why queries fail at {failures.at} ({failures.judged.task})"


def build_task_table(found: Sequence[TaskAnalysis]) -> ReportTable:
    """The share of every class in every task."""
    columns = [Column("task", "left"), Column("at", "left"), *map(Column, CLASSES)]
    rows = []
    for one in found:
        shares, possible = one.failures.shares.tolist(), one.failures.possible
        cells = (
            format_official_percent(100 * share) if code in possible else NO_VALUE
            for code, share in enumerate(shares)
        )
        rows.append([one.task, str(one.failures.at), *cells])
    return make_table(columns, rows, "All tasks, % of the queries")


def build_curve_table(found: Sequence[TaskAnalysis]) -> ReportTable | None:
    """Recall of the tasks with times; VR has no IoU, and its recall stands elsewhere."""
    timed = [one for one in found if one.task != "VR"]
    if not timed:
        return None
    ious = timed[0].curve.ious
    columns = [Column("task", "left"), Column("k"), *(Column(f"{iou:g}") for iou in ious)]
    rows = [
        [one.task, str(k), *(f"{100 * value:.1f}" for value in values)]
        for one in timed
        for k, values in zip(one.curve.ks, one.curve.values.tolist(), strict=True)
    ]
    return make_table(columns, rows, "Recall over k (down) and IoU (across), %")


def build_length_tables(found: Sequence[TaskAnalysis]) -> Iterator[ReportTable]:
    """Recall by length of the video and of the moment; one bin would only repeat the whole."""
    first = found[0]
    for title, own, bins in (
        ("video", first.by_video, [one.by_video for one in found]),
        ("moment", first.by_moment, [one.by_moment for one in found]),
    ):
        if len(own) < 2:
            continue
        heads = [f"{one.task} {one.failures.at}" for one in found]
        columns = [Column("seconds"), Column("queries"), *map(Column, heads)]
        columns.append(Column(f"{first.task} fails mostly by", "left"))
        rows = [
            [
                _span(one, last=place == len(own) - 1),
                f"{one.n:,}",
                *(format_official_percent(100 * of_task[place].recall) for of_task in bins),
                _mostly(one, first.failures.names),
            ]
            for place, one in enumerate(own)
        ]
        yield make_table(columns, rows, f"By length of the {title}, % of the queries")


def _span(one: LengthBin, last: bool) -> str:
    if not one.known:
        return "unknown"
    return f"{one.low:.1f} to {'' if last else '<'}{one.high:.1f}"


def _mostly(one: LengthBin, names: Sequence[str]) -> str:
    """The class that most misses are of, and its share of the bin."""
    misses = one.counts.copy()
    misses[HIT] = 0
    code = int(misses.argmax())
    return f"{names[code]} {100 * float(one.shares[code]):.1f}" if misses[code] else NO_VALUE


def format_official_percent(value: float) -> str:
    """A percentage as the official scripts round it.

    >>> format_official_percent(12.5), format_official_percent(float("nan"))
    ('12.50', '–')
    """
    return f"{value:.2f}" if math.isfinite(value) else NO_VALUE


def format_moments_markdown(
    source: MomentsSource,
    official: Mapping[str, Any],
    found: Sequence[TaskAnalysis],
    whole: Mapping[str, Any] | None = None,
) -> str:
    """The official numbers with their formulas, why queries fail and where, and the notes."""
    request = source.request
    files = escape_markdown(f"{request.predictions.name} against {request.truth.name}")
    parts = [f"# {BENCHMARKS[source.benchmark]}: {files}", f"{len(source.truth):,} queries."]
    parts += map(as_markdown, _tables(source, official, found, whole))
    notes = collect_moment_notes(source)
    if notes:
        parts.append(list_markdown(notes))
    return "\n\n".join(parts)


def _tables(
    source: MomentsSource,
    official: Mapping[str, Any],
    found: Sequence[TaskAnalysis],
    whole: Mapping[str, Any] | None,
) -> Iterator[ReportTable]:
    yield from build_number_tables(source, official, whole)
    if source.truth.types is not None and source.tasks:
        yield build_type_table(source, official, source.request.ks, whole)
    if not found or not len(source.truth):
        return
    for one in found:
        yield build_class_table(one.failures)
    if len(found) > 1:
        yield build_task_table(found)
    curve = build_curve_table(found)
    if curve is not None:
        yield curve
    yield from build_length_tables(found)
