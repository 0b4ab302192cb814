"""The official numbers of moment retrieval one by one, each with its id and formula."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from engine.base.json_text import dump_attributes, nan_to_none
from engine.files.csv_cells import to_csv
from engine.moments.judged_predictions import TYPES, MomentTruth
from engine.moments.moments_source import Benchmark
from engine.moments.qvh.highlights import LEAST_RATINGS
from engine.moments.qvh.moments import LENGTHS, MOST_WINDOWS
from engine.moments.tasks import TVR_TASKS, HitRule

NUMBER_COLUMNS = ("task", "type", "iou", "k", "id", "formula", "value", "n")
WITHOUT_NMS = "value_without_nms"
RATIO_KEY = "desc_type_ratio"
"""The one entry of the official document of TVR that is a text."""

HIGHLIGHT_PREFIX = "HL-min-"
"""How the keys of highlights begin in the official document of QVHighlights."""


@dataclass(frozen=True, slots=True)
class OfficialNumber:
    """One number, a percentage.

    type   what the queries are of: a description type, or short, middle, long; of highlights the
           least rating; empty: all
    id     the keys under which the official document has it, joined by /
    n      the queries behind it
    value  NaN where it is not defined
    """

    task: str
    type: str
    iou: float | None
    k: int | None
    id: str
    formula: str
    value: float
    n: int


def collect_official_numbers(
    document: Mapping[str, Any], benchmark: Benchmark, truth: MomentTruth
) -> tuple[OfficialNumber, ...]:
    """Every number of the official document once, in its order; `brief` only repeats others."""
    found = _tvr(document, truth) if benchmark == "tvr" else _qvh(document, truth)
    return tuple(found)


def format_numbers_csv(
    numbers: Sequence[OfficialNumber], whole: Sequence[OfficialNumber] | None = None
) -> str:
    """One row per number; what is not defined is empty. `whole`: the values without nms, too."""
    if whole is None:
        return to_csv(NUMBER_COLUMNS, ([*dump_number(number).values()] for number in numbers))
    pairs = dump_number_pairs(numbers, whole)
    return to_csv((*NUMBER_COLUMNS, WITHOUT_NMS), ([*pair.values()] for pair in pairs))


def dump_number(number: OfficialNumber) -> dict[str, Any]:
    """Ready for JSON."""
    return dump_attributes(number, *NUMBER_COLUMNS)


def dump_number_pairs(
    numbers: Sequence[OfficialNumber], whole: Sequence[OfficialNumber]
) -> list[dict[str, Any]]:
    """The same, each with its value without nms: both lists are of the same files."""
    values = {number.id: number.value for number in whole}
    return [
        {**dump_number(number), WITHOUT_NMS: nan_to_none(values[number.id])} for number in numbers
    ]


def write_recall_formula(task: str, at: HitRule, type: str = "") -> str:
    """What a recall counts.

    >>> write_recall_formula("VCMR", HitRule(0.5, 5))
    '100 · queries with a hit among the first 5 / queries; hit: right video, IoU ≥ 0.5'
    """
    queries = f"queries of type {type}" if type else "queries"
    if task == "VR":
        return f"100 · {queries} with the right video among the first {at.k} / {queries}"
    those = f"first {at.k} of the right video" if task == "SVMR" else f"first {at.k}"
    hit = f"IoU ≥ {at.iou}" if task in ("SVMR", "MR") else f"right video, IoU ≥ {at.iou}"
    return f"100 · {queries} with a hit among the {those} / {queries}; hit: {hit}"


def _tvr(document: Mapping[str, Any], truth: MomentTruth) -> Iterator[OfficialNumber]:
    counts = {"": len(truth)}
    if truth.types is not None:
        by_code = np.bincount(truth.types, minlength=len(TYPES)).tolist()
        counts |= dict(zip(TYPES, by_code, strict=True))
    for key, numbers in document.items():
        task = key.removesuffix("_by_type")
        if task not in TVR_TASKS:
            continue
        for name, value in numbers.items():
            if name == RATIO_KEY:
                continue
            type_, recall = name.split("-", 1) if key != task else ("", name)
            at = HitRule.parse(recall)
            yield OfficialNumber(
                *(task, type_, at.iou, at.k, f"{key}/{name}"),
                *(write_recall_formula(task, at, type_), float(value), counts.get(type_, 0)),
            )


def _qvh(document: Mapping[str, Any], truth: MomentTruth) -> Iterator[OfficialNumber]:
    for key, numbers in document.items():
        if key == "brief":
            continue
        if key.startswith(HIGHLIGHT_PREFIX):
            level = key.removeprefix(HIGHLIGHT_PREFIX)
            for name, value in numbers.items():
                hit = name == "HL-Hit1"
                yield OfficialNumber(
                    *("HL", level, None, 1 if hit else None, f"{key}/{name}"),
                    *(_highlight_formula(level, hit), float(value), len(truth)),
                )
            continue
        n = _with_windows(truth, key)
        for name, by_iou in numbers.items():
            first = name == "MR-R1"
            for text, value in by_iou.items():
                iou = None if text == "average" else float(text)
                yield OfficialNumber(
                    *("MR", key, iou, 1 if first else None, f"{key}/{name}/{text}"),
                    *(_window_formula(key, iou, first), float(value), n),
                )


def _with_windows(truth: MomentTruth, length: str) -> int:
    """How many queries have a true window of that length."""
    if length not in LENGTHS:
        return len(truth)
    low, high = LENGTHS[length]
    lengths = truth.spans[:, 1] - truth.spans[:, 0]
    inside = np.concatenate([[0], np.cumsum((low < lengths) & (lengths <= high))])
    return int(np.count_nonzero(np.diff(inside[truth.span_offsets])))


def _window_formula(length: str, iou: float | None, first: bool) -> str:
    low, high = LENGTHS.get(length, (0, 0))
    of = f"; only true windows of more than {low} to {high} s" if high else ""
    if first:
        return f"100 · queries whose first window has IoU ≥ {iou} with a true one / queries{of}"
    if iou is None:
        return f"mean of MR-mAP over IoU 0.5, 0.55, …, 0.95{of}"
    ap = f"interpolated AP, first {MOST_WINDOWS} windows, hit: IoU ≥ {iou}"
    return f"100 · mean over queries of {ap}{of}"


def _highlight_formula(level: str, hit: bool) -> str:
    least = f"rated {level} ({LEAST_RATINGS[level]}) or better"
    if hit:
        return f"100 · queries whose highest-scored clip is {least} by a rater / queries"
    return f"100 · mean over queries and raters of AP of the clips by score, relevant: {least}"
