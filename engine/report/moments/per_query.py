"""Moments query by query, one row per task, IoU and query: what `moments --per-query FILE` writes.

The file is a per-query file like any other, so that systems are compared and gated by it, with
columns behind the metrics that say why a query failed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from engine.base.arrays import AnyFloats
from engine.base.errors import InputError, Place
from engine.moments.failures.failures import Failures, sort_into_classes
from engine.moments.judged_predictions import TYPES, MomentTruth
from engine.moments.moments_source import Benchmark
from engine.moments.tasks import HitRule
from engine.report.per_query.write import write_rows

ColumnValues: TypeAlias = dict[str, list[Any]]


def write_moments_per_query(
    found: Sequence[Failures],
    benchmark: Benchmark,
    ious: Sequence[float],
    ks: Sequence[int],
    path: Path,
) -> None:
    """Write the queries of every task; the file's extension says how.

    The class is that at the row's IoU and the k of `found`. A rank that there is not, and an
    overlap of VR, are empty.
    """
    if not found:
        raise InputError("no moments were predicted, so there are no rows to write", Place(path))
    columns = collect_query_columns(found, benchmark, ious, ks)
    rows = (dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True))
    write_rows(list(columns), rows, path)


def collect_query_columns(
    found: Sequence[Failures], benchmark: Benchmark, ious: Sequence[float], ks: Sequence[int]
) -> ColumnValues:
    """The table, column by column."""
    whole: ColumnValues = {}
    for part in _parts(found, benchmark, ious, ks):
        for name, values in part.items():
            whole.setdefault(name, []).extend(values)
    return whole


def _parts(
    found: Sequence[Failures], benchmark: Benchmark, ious: Sequence[float], ks: Sequence[int]
) -> Iterator[ColumnValues]:
    for failures in found:
        judged, at = failures.judged, failures.at
        lengths = _short(judged.truth.durations), _short(judged.truth.moment_lengths)
        for iou in (None,) if judged.task == "VR" else ious:
            mode = judged.task if iou is None else f"{judged.task}@{iou}"
            own = sort_into_classes(judged, HitRule(iou, at.k), failures.near)
            ranks = own.hit_ranks.tolist()
            yield {
                "mode": [mode] * len(own),
                "profile": [benchmark] * len(own),
                **_named(judged.truth),
                **{f"Success@{k}": [int(0 < rank <= k) for rank in ranks] for k in ks},
                "text": list(judged.truth.texts),
                "class": np.array(own.names)[own.classes].tolist(),
                "right_rank": [rank or None for rank in own.right_ranks.tolist()],
                "hit_rank": [rank or None for rank in ranks],
                "best_iou": _short(own.best),
                "best_iou_at_k": _short(own.best_at_k),
                "duration": lengths[0],
                "moment_length": lengths[1],
                "predictions": np.diff(judged.predictions.offsets).tolist(),
            }


def _named(truth: MomentTruth) -> ColumnValues:
    keywords: list[list[str]] = [[]] * len(truth)
    if truth.types is not None:
        names = [[f"type:{name}"] for name in TYPES]
        keywords = [names[code] for code in truth.types.tolist()]
    return {
        "query": list(map(str, truth.ids)),
        "keywords": keywords,
        "relevant": [1] * len(truth),
        "video": list(truth.videos),
    }


def _short(values: AnyFloats) -> list[float | None]:
    """The shortest decimals that mean the numbers: 0.7 of float32 is 0.7, not 0.69999998807."""
    exact = values.astype(np.str_).astype(np.float64) if values.dtype == np.float32 else values
    return [value if value == value else None for value in exact.tolist()]
