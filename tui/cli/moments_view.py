"""Moment retrieval for the eye: the official numbers first, then why queries fail and where."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from engine.moments.failures import CLASSES, HIT
from engine.moments.truth import TYPES
from engine.report.moments import moments_notes
from engine.report.moments_numbers import RATIO
from engine.report.numbers import NONE
from engine.report.tabular import Column, Tabular, tabular
from tui.cli.class_bars import ClassBars
from tui.cli.metric_table import FirstThatFits, note_lines, painted
from tui.glyphs import ASCII, UNICODE, Glyphs
from tui.safe import safe
from tui.words import counted

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.text import Text

    from engine.moments.findings import Findings
    from engine.moments.lengths import LengthBin
    from engine.moments.source import MomentsSource

_BENCHMARKS = {"tvr": "TVR", "qvh": "QVHighlights"}


def summary_view(
    source: MomentsSource, official: Mapping[str, Any], found: Sequence[Findings], ascii: bool
) -> list[RenderableType]:
    """The numbers, why queries fail, recall over k and IoU, by length, and the notes."""
    glyphs = ASCII if ascii else UNICODE
    numbers = _tvr_numbers if source.format == "tvr" else _qvh_numbers
    parts: list[RenderableType] = [_head(source), *numbers(source, official, glyphs)]
    if found and len(source.truth):
        parts += [*_why(found, glyphs), *_curves(found), *_lengths(found)]
    notes = moments_notes(source)
    return [*parts, *note_lines(notes)]


def _head(source: MomentsSource) -> Text:
    from rich.text import Text

    request = source.request
    about = f" · {_BENCHMARKS[source.format]} · {', '.join(source.tasks)}"
    files = f" · {request.predictions.name} against {request.truth.name}"
    return Text.assemble(
        (counted(len(source.truth), "query"), "bold"), safe(about), (safe(files), "dim")
    )


def _tvr_numbers(
    source: MomentsSource, official: Mapping[str, Any], glyphs: Glyphs
) -> Iterator[RenderableType]:
    from rich.text import Text

    formula = (
        "R@k = 100 · queries with a hit among the first k / queries. A hit has the right video and "
        "IoU ≥ the number beside it; in VR times are ignored; in SVMR only the right video's "
        "predictions are counted. id: VCMR/0.5-r1, and so on"
    )
    yield Text(glyphs.spell(formula), style="dim")
    ks = source.request.ks
    heads = [Column("task", "left"), Column("IoU"), *(Column(f"R@{k}") for k in ks), Column("")]
    rows = [
        [task, _iou(iou), *(_percent(official[task][_name(iou, k)]) for k in ks), ""]
        for task, iou in _rows(source)
    ]
    yield painted(tabular(heads, rows))
    if source.truth.types is not None:
        ratio = next((official[f"{task}_by_type"][RATIO] for task in source.tasks), "")
        yield _bold(f"By type of description (% of them: {ratio})")
        yield FirstThatFits(
            *(_by_type(source, official, chosen) for chosen in (ks, ks[:2], ks[:1]))
        )
        yield Text("")


def _by_type(source: MomentsSource, official: Mapping[str, Any], ks: Sequence[int]) -> Tabular:
    columns = [Column("task", "left"), Column("IoU")]
    columns += [Column(f"{name} R@{k}") for name in TYPES for k in ks]
    rows = [
        [
            task,
            _iou(iou),
            *(
                _percent(official[f"{task}_by_type"][f"{name}-{_name(iou, k)}"])
                for name in TYPES
                for k in ks
            ),
            "",
        ]
        for task, iou in _rows(source)
    ]
    left_out = [k for k in source.request.ks if k not in ks]
    told = f"by type, R@{', R@'.join(map(str, left_out))}: a wider terminal, --json or --out F.csv"
    return tabular([*columns, Column("")], rows, notes=[told] if left_out else [])


def _rows(source: MomentsSource) -> Iterator[tuple[str, float | None]]:
    for task in source.tasks:
        for iou in (None,) if task == "VR" else source.request.ious:
            yield task, iou


def _qvh_numbers(
    source: MomentsSource, official: Mapping[str, Any], glyphs: Glyphs
) -> Iterator[RenderableType]:
    from rich.text import Text

    moments = [name for name in ("full", "short", "middle", "long") if name in official]
    if moments:
        formula = (
            "R1 = 100 · queries whose first window has IoU ≥ the number / queries. mAP = mean "
            "over queries of interpolated AP of the first 10 windows; alone, over IoU 0.5 to 0.95. "
            "id: full/MR-R1/0.5, and so on"
        )
        yield Text(glyphs.spell(formula), style="dim")
        shown = (
            *(("MR-R1", "0.5"), ("MR-R1", "0.7"), ("MR-mAP", "0.5"), ("MR-mAP", "0.75")),
            ("MR-mAP", "average"),
        )
        heads = [n.removeprefix("MR-") + (f"@{t}" if t != "average" else "") for n, t in shown]
        rows = [
            [f"MR {name}", *(_percent(official[name][metric][iou]) for metric, iou in shown), ""]
            for name in moments
        ]
        columns = [Column("windows", "left"), *map(Column, heads), Column("")]
        yield painted(tabular(columns, rows))
    highlights = [name for name in official if name.startswith("HL-min-")]
    if highlights:
        formula = (
            "HL: clips by predicted score, relevant if rated so or better. mAP = mean AP over "
            "queries and raters, Hit1 = 100 · queries whose first clip is relevant / queries. "
            "id: HL-min-Fair/HL-mAP, and so on"
        )
        yield Text(glyphs.spell(formula), style="dim")
        rows = [
            [name.replace("HL-min-", "HL "), *map(_percent, official[name].values()), ""]
            for name in highlights
        ]
        columns = [Column("rated", "left"), Column("mAP"), Column("Hit1"), Column("")]
        yield painted(tabular(columns, rows))


def _why(found: Sequence[Findings], glyphs: Glyphs) -> Iterator[RenderableType]:
    first = found[0].failures
    yield _bold(f"Why queries fail at {first.at} ({found[0].task})")
    yield ClassBars(first, glyphs)
    if len(found) > 1:
        yield _bold("All tasks, % of the queries")
        yield painted(_all_tasks(found))


def _all_tasks(found: Sequence[Findings]) -> Tabular:
    columns = [Column("task", "left"), Column("at", "left"), *map(Column, CLASSES), Column("")]
    rows = []
    for one in found:
        counts, n = one.failures.counts().tolist(), len(one.failures)
        cells = [
            _percent(100 * counts[code] / n) if code in one.failures.possible else NONE
            for code in range(len(CLASSES))
        ]
        rows.append([one.task, str(one.failures.at), *cells, ""])
    return tabular(columns, rows)


def _curves(found: Sequence[Findings]) -> Iterator[RenderableType]:
    """Recall of the tasks with times; VR has no IoU, and its recall stands above."""
    timed = [one for one in found if one.task != "VR"]
    if not timed:
        return
    yield _bold("Recall over k (down) and IoU (across), %")
    ious = timed[0].curve.ious
    columns = [Column("task", "left"), Column("k"), *(Column(f"{iou:g}") for iou in ious)]
    rows = [
        [one.task, str(k), *(f"{100 * value:.1f}" for value in values), ""]
        for one in timed
        for k, values in zip(one.curve.ks, one.curve.values.tolist(), strict=True)
    ]
    yield painted(tabular([*columns, Column("")], rows))


def _lengths(found: Sequence[Findings]) -> Iterator[RenderableType]:
    first = found[0]
    for title, own, bins in (
        ("video", first.by_video, [one.by_video for one in found]),
        ("moment", first.by_moment, [one.by_moment for one in found]),
    ):
        if len(own) < 2:  # it would only repeat what stands above
            continue
        yield _bold(f"By length of the {title}, % of the queries")
        heads = [f"{one.task} {one.failures.at}" for one in found]
        columns = [Column("seconds"), Column("queries"), *map(Column, heads)]
        columns.append(Column(f"{first.task} fails mostly by", "left"))
        rows = [
            [
                _span(one, last=place == len(own) - 1),
                f"{one.n:,}",
                *(_percent(100 * of_task[place].recall) for of_task in bins),
                _mostly(one),
            ]
            for place, one in enumerate(own)
        ]
        yield painted(tabular(columns, rows))


def _span(one: LengthBin, last: bool) -> str:
    if not one.known:
        return "unknown"
    return f"{one.low:.1f} to {'' if last else '<'}{one.high:.1f}"


def _mostly(one: LengthBin) -> str:
    """The class that most misses are of, and its share of the bin."""
    misses = one.counts.copy()
    misses[HIT] = 0
    code = int(misses.argmax())
    if not misses[code]:
        return NONE
    return f"{CLASSES[code]} {100 * int(misses[code]) / one.n:.1f}"


def _name(iou: float | None, k: int) -> str:
    return f"r{k}" if iou is None else f"{iou}-r{k}"


def _iou(iou: float | None) -> str:
    return NONE if iou is None else f"{iou:g}"


def _percent(value: float) -> str:
    return f"{value:.2f}" if math.isfinite(value) else NONE


def _bold(text: str) -> Text:
    from rich.text import Text

    return Text(safe(text), style="bold")
