"""The scores of QVHighlights from their rules, one query after the other: slow and literal.

Nothing here is shared with the engine. Files are written by `written`, scored by `document`.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

Entry = dict[str, Any]
IOUS = [0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95]


def truth_entry(qid: int | str, spans: Sequence[Sequence[float]], **more: Any) -> Entry:
    """A query of a video of 20 seconds: clips 0 to 9."""
    entry = {"qid": qid, "query": f"what {qid} asks", "vid": f"video {qid}", "duration": 20}
    entry |= {"relevant_windows": [list(span) for span in spans]}
    return entry | more


def rated(clips: dict[int, Sequence[float]]) -> Entry:
    """Ratings by clip, as the ground truth writes them."""
    scores = [list(ratings) for ratings in clips.values()]
    return {"relevant_clip_ids": list(clips), "saliency_scores": scores}


def prediction(
    qid: int | str,
    windows: Sequence[Sequence[float]] | None = None,
    saliency: Sequence[float] | None = None,
) -> Entry:
    entry: Entry = {"qid": qid, "query": f"what {qid} asks", "vid": f"video {qid}"}
    if windows is not None:
        entry["pred_relevant_windows"] = [list(window) for window in windows]
    if saliency is not None:
        entry["pred_saliency_scores"] = list(saliency)
    return entry


def written(path: Path, entries: Sequence[Entry]) -> Path:
    path.write_text("".join(json.dumps(entry) + "\n" for entry in entries), encoding="utf-8")
    return path


def percent(share: float) -> float:
    return float(f"{100 * share:.2f}")


def true_iou(window: Sequence[float], span: Sequence[float]) -> float:
    shared = max(0.0, min(window[1], span[1]) - max(window[0], span[0]))
    covered = (window[1] - window[0]) + (span[1] - span[0]) - shared
    return shared / covered if covered else math.nan


def hull_iou(window: Sequence[float], span: Sequence[float]) -> float:
    shared = max(0.0, min(window[1], span[1]) - max(window[0], span[0]))
    hull = max(window[1], span[1]) - min(window[0], span[0])
    return shared / hull if hull else 0.0


def overlap_at_one(window: Sequence[float], spans: Sequence[Sequence[float]]) -> float:
    """Chosen by true IoU, compared by hull IoU. 0 divided by 0 beats everything."""
    chosen, most = spans[0], -1.0
    for span in spans:
        iou = true_iou(window, span)
        iou = math.inf if math.isnan(iou) else iou
        if iou > most:
            chosen, most = span, iou
    return hull_iou(window, chosen)


def hits_of(windows: list[list[float]], spans: list[list[float]], least: float) -> list[bool]:
    """Windows in the order of scores, each takes the best free span; the later of equal ones."""
    taken: set[int] = set()
    hits = []
    for window in windows:
        best, most = None, -1.0
        for index, span in enumerate(spans):
            iou = true_iou(window, span)
            iou = math.inf if math.isnan(iou) else iou
            if index not in taken and iou >= least and iou >= most:
                best, most = index, iou
        if best is not None:
            taken.add(best)
        hits.append(best is not None)
    return hits


def window_ap(hits: list[bool], positives: int) -> float:
    """The area under the stair of recall and the best precision from there on."""
    found, recalls, precisions = 0, [0.0], [0.0]
    for place, hit in enumerate(hits, 1):
        found += hit
        recalls.append(found / positives)
        precisions.append(found / place)
    recalls.append(1.0)
    precisions.append(0.0)
    terms = [
        (recalls[i] - recalls[i - 1]) * max(precisions[i:])
        for i in range(1, len(recalls))
        if recalls[i] != recalls[i - 1]
    ]
    return float(np.sum(np.array(terms)))


def moment_scores(predictions: list[Entry], truth: dict[Any, Entry]) -> dict[str, Any]:
    bounds = {"short": (0, 10), "middle": (10, 30), "long": (30, 150), "full": None}
    return {name: _range_scores(predictions, truth, bound) for name, bound in bounds.items()}


def _range_scores(
    predictions: list[Entry], truth: dict[Any, Entry], bound: tuple[int, int] | None
) -> dict[str, Any]:
    firsts, aps = [], []
    for entry in predictions:
        spans = truth[entry["qid"]]["relevant_windows"]
        if bound is not None:
            spans = [span for span in spans if bound[0] < span[1] - span[0] <= bound[1]]
        if not spans:
            continue
        windows = entry["pred_relevant_windows"]
        firsts.append(overlap_at_one(windows[0], spans) if windows else 0.0)
        ranked = sorted(windows[:10], key=lambda window: -window[2])
        aps.append([window_ap(hits_of(ranked, spans, iou), len(spans)) for iou in IOUS])
    if not aps:
        nothing = dict.fromkeys(map(str, IOUS), math.nan)
        return {"MR-mAP": nothing | {"average": math.nan}, "MR-R1": nothing}
    means = np.array(aps).mean(0)
    return {
        "MR-mAP": {str(iou): percent(mean) for iou, mean in zip(IOUS, means, strict=True)}
        | {"average": percent(float(np.mean(means)))},
        "MR-R1": {str(iou): percent(float(np.mean(np.array(firsts) >= iou))) for iou in IOUS},
    }


def clip_ap(highlights: Sequence[bool], saliency: Sequence[float]) -> float:
    """Clips of equal saliency are found together; the mean over growths of recall."""
    if not any(highlights):
        return 0.0
    recalls, precisions = [0.0], [0.0]
    for least in sorted(set(saliency), reverse=True):
        above = [hit for hit, value in zip(highlights, saliency, strict=True) if value >= least]
        recalls.append(float(np.float32(sum(above) / sum(highlights))))
        precisions.append(sum(above) / len(above))
    steps = [
        max(precisions[i:]) for i in range(len(recalls) - 1, 0, -1) if recalls[i] != recalls[i - 1]
    ]
    return float(np.mean(np.array(steps)))


def highlight_scores(predictions: list[Entry], truth: dict[Any, Entry]) -> dict[str, Any]:
    document = {}
    for name, least in (("Fair", 2), ("Good", 3), ("VeryGood", 4)):
        hits, aps = [], []
        for entry in predictions:
            ratings = _ratings(truth[entry["qid"]])
            saliency = entry["pred_saliency_scores"]
            best = saliency.index(max(saliency))
            hits.append(float(best < len(ratings) and max(ratings[best]) >= least))
            cut = (saliency + [0.0] * len(ratings))[: len(ratings)]
            aps.append([clip_ap([row[i] >= least for row in ratings], cut) for i in range(3)])
        document[f"HL-min-{name}"] = {
            "HL-mAP": percent(float(np.mean(np.array(aps)))),
            "HL-Hit1": percent(float(np.mean(np.array(hits)))),
        }
    return document


def _ratings(entry: Entry) -> list[list[float]]:
    ratings = [[0.0, 0.0, 0.0] for _ in range(int(entry["duration"] / 2))]
    for clip, scores in zip(entry["relevant_clip_ids"], entry["saliency_scores"], strict=True):
        ratings[clip] = scores
    return ratings


def document(predictions: list[Entry], truth: list[Entry]) -> dict[str, Any]:
    """Everything, in the official order."""
    by_id = {entry["qid"]: entry for entry in truth}
    last = list({entry["qid"]: entry for entry in predictions}.values())
    moments, highlights = {}, {}
    if "pred_relevant_windows" in predictions[0]:
        moments = moment_scores(last, by_id)
    if "pred_saliency_scores" in predictions[0]:
        highlights = highlight_scores(last, by_id)
    brief = {}
    if moments:
        brief = {f"MR-full-R1@{iou}": moments["full"]["MR-R1"][str(iou)] for iou in (0.5, 0.7)}
        brief["MR-full-mAP"] = moments["full"]["MR-mAP"]["average"]
        brief |= {f"MR-full-mAP@{i}": moments["full"]["MR-mAP"][str(i)] for i in (0.5, 0.75)}
        for name in ("long", "middle", "short"):
            brief[f"MR-{name}-mAP"] = moments[name]["MR-mAP"]["average"]
    for name, scores in highlights.items():
        brief |= {f"{name}-mAP": scores["HL-mAP"], f"{name}-Hit1": scores["HL-Hit1"]}
    everything = moments | highlights
    return {"brief": brief} | {name: everything[name] for name in sorted(everything)}
