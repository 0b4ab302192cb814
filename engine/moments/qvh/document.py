"""The document of QVHighlights' own script: percentages with two decimals, keys in its order."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np

from engine.base.arrays import AnyInts
from engine.moments.qvh.highlights import HighlightScores
from engine.moments.qvh.moments import IOUS, RANGES, MomentScores

OfficialScores: TypeAlias = dict[str, dict[str, float]]


def build_qvh_document(
    moments: MomentScores | None, highlights: HighlightScores | None, order: AnyInts
) -> dict[str, Any]:
    """Brief scores first, then those of every level and range.

    order  the queries in the order of the predictions. Means are taken in it: what is added first
           can decide about the last digit.
    """
    brief: dict[str, float] = {}
    parts: dict[str, Any] = {}
    if moments is not None:
        ranges = {name: _range(moments, row, order) for row, name in enumerate(RANGES)}
        brief |= _brief_moments(ranges)
        parts |= ranges
    if highlights is not None:
        levels = _levels(highlights, order)
        brief |= {
            f"{name}-{key.removeprefix('HL-')}": value
            for name, scores in levels.items()
            for key, value in scores.items()
        }
        parts |= levels
    return {"brief": brief} | {name: parts[name] for name in sorted(parts)}


def to_percent(share: float) -> float:
    """A share as the script writes it.

    >>> to_percent(1 / 3)
    33.33
    """
    return float(f"{100 * share:.2f}")


def _range(moments: MomentScores, row: int, order: AnyInts) -> OfficialScores:
    """Scores over the queries with a span in the range; NaN if there are none."""
    queries = order[moments.asked[row][order]]
    names = [str(iou) for iou in IOUS]
    if not len(queries):
        undefined = dict.fromkeys(names, float("nan"))
        return {"MR-mAP": {**undefined, "average": float("nan")}, "MR-R1": undefined}
    ap = moments.ap[row][queries].mean(axis=0)
    first = moments.first[row][queries]
    return {
        "MR-mAP": {
            **{name: to_percent(value) for name, value in zip(names, ap, strict=True)},
            "average": to_percent(np.mean(ap)),
        },
        "MR-R1": {
            name: to_percent(np.mean(first >= iou)) for name, iou in zip(names, IOUS, strict=True)
        },
    }


def _brief_moments(ranges: dict[str, OfficialScores]) -> dict[str, float]:
    full = ranges["full"]
    return {
        "MR-full-R1@0.5": full["MR-R1"]["0.5"],
        "MR-full-R1@0.7": full["MR-R1"]["0.7"],
        "MR-full-mAP": full["MR-mAP"]["average"],
        "MR-full-mAP@0.5": full["MR-mAP"]["0.5"],
        "MR-full-mAP@0.75": full["MR-mAP"]["0.75"],
        "MR-long-mAP": ranges["long"]["MR-mAP"]["average"],
        "MR-middle-mAP": ranges["middle"]["MR-mAP"]["average"],
        "MR-short-mAP": ranges["short"]["MR-mAP"]["average"],
    }


def _levels(highlights: HighlightScores, order: AnyInts) -> OfficialScores:
    return {
        f"HL-min-{name}": {
            "HL-mAP": to_percent(np.mean(highlights.rater_ap[level][order])),
            "HL-Hit1": to_percent(float(highlights.hit1[:, level].mean())),
        }
        for level, name in enumerate(highlights.levels)
    }
