"""The peer of `tui-eval moments`: the rules of both benchmarks as one would write them down.

One query after another, with numpy for the predictions of a query. It reads with the json module,
prints what the official scripts write, and uses nothing of this project.

python -m benchmarks.moment_loop tvr|qvh PREDICTIONS GT
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np

Line = dict[str, Any]

# TVR

IOUS, KS, MOST = (0.5, 0.7), (1, 5, 10, 100), 100


def tvr(submission: Line, truth: list[Line]) -> Line:
    """Share of queries with a hit among the first k, per task, and per type of query."""
    tasks = [task for task in ("VCMR", "SVMR", "VR") if task in submission]
    types = np.array([query["type"] for query in truth])
    overall: Line = {}
    by_type: Line = {}
    for task in tasks:
        answers = {entry["desc_id"]: entry["predictions"] for entry in submission[task]}
        hits: dict[str, list[bool]] = {}
        for query in truth:
            rows = [row[:3] for row in answers[query["desc_id"]][:MOST]]
            video = submission["video2idx"][query["vid_name"]]
            for name, hit in _tvr_hits(task, np.array(rows, np.float32), video, query["ts"]):
                hits.setdefault(name, []).append(hit)
        overall[task] = {name: _percent(np.mean(hit)) for name, hit in hits.items()}
        by_type[f"{task}_by_type"] = {
            f"{kind}-{name}": _percent(np.mean(np.array(hit)[types == kind]))
            for kind in ("v", "t", "vt")
            for name, hit in hits.items()
        }
        ratio = [f"{kind} {_percent(np.mean(types == kind))}" for kind in ("v", "t", "vt")]
        by_type[f"{task}_by_type"]["desc_type_ratio"] = " ".join(ratio)
    return overall | by_type


def _tvr_hits(task: str, rows: Any, video: int, moment: list[float]) -> list[tuple[str, bool]]:
    right = rows[:, 0] == video
    if task == "VR":
        return [(f"r{k}", bool(right[:k].any())) for k in KS]
    start, end = np.array(moment, np.float32)
    shared = np.maximum(0, np.minimum(rows[:, 2], end) - np.maximum(rows[:, 1], start))
    hull = np.maximum(rows[:, 2], end) - np.minimum(rows[:, 1], start)
    ious = np.divide(shared, hull, out=np.zeros_like(shared), where=hull != 0) * right
    if task == "SVMR":
        ious = ious[right]
    return [(f"{iou}-r{k}", bool((ious[:k] >= iou).any())) for iou in IOUS for k in KS]


def _percent(share: Any) -> float:
    return float(np.round(share * 100, 2))


# QVHighlights

THRESHOLDS = [round(0.5 + 0.05 * step, 2) for step in range(10)]
RANGES = {"short": (0, 10), "middle": (10, 30), "long": (30, 150), "full": (0, 150)}
WINDOWS, CLIP = 10, 2


def qvh(answers: list[Line], truth: list[Line]) -> Line:
    """Moments by length, highlights by how high a rating must be, and the numbers people quote."""
    found: Line = {}
    by_id = {query["qid"]: query for query in truth}
    for name, (low, high) in RANGES.items():
        wanted = {
            qid: [w for w in query["relevant_windows"] if low < w[1] - w[0] <= high]
            for qid, query in by_id.items()
        }
        asked = [answer for answer in answers if wanted[answer["qid"]]]
        found[name] = {"MR-mAP": _mean_ap(asked, wanted), "MR-R1": _first_recall(asked, wanted)}
    for name, least in {"Fair": 2, "Good": 3, "VeryGood": 4}.items():
        found[f"HL-min-{name}"] = _highlights(answers, by_id, least)
    return {"brief": _brief(found), **dict(sorted(found.items()))}


def _unions(one: Any, other: Any) -> tuple[Any, Any]:
    """Intersection and union of every pair of windows."""
    shared = np.minimum(one[:, None, 1], other[None, :, 1]) - np.maximum(
        one[:, None, 0], other[None, :, 0]
    )
    shared = np.maximum(shared, 0)
    lengths = (one[:, 1] - one[:, 0])[:, None] + (other[:, 1] - other[:, 0])[None, :]
    return shared, lengths - shared


def _mean_ap(answers: list[Line], wanted: dict[Any, Any]) -> dict[str, float]:
    per_query = []
    for answer in answers:
        rows = np.array(answer["pred_relevant_windows"][:WINDOWS], float)
        rows = rows[np.argsort(-rows[:, 2], kind="stable")]
        shared, union = _unions(rows, np.array(wanted[answer["qid"]], float))
        ious = shared / union
        per_query.append([_detection_ap(ious, threshold) for threshold in THRESHOLDS])
    means = np.mean(per_query, axis=0)
    values = dict(zip(map(str, THRESHOLDS), means, strict=True)) | {"average": np.mean(means)}
    return {name: _two_decimals(value) for name, value in values.items()}


def _detection_ap(ious: Any, threshold: float) -> float:
    """A prediction takes the best window that is still free; area under the interpolated curve."""
    taken = set()
    hits = np.zeros(len(ious))
    for rank, row in enumerate(ious):
        for window in np.argsort(row)[::-1]:
            if row[window] < threshold:
                break
            if window not in taken:
                taken.add(window)
                hits[rank] = 1
                break
    true = np.cumsum(hits)
    precision = np.concatenate([[0], true / np.arange(1, len(hits) + 1), [0]])
    recall = np.concatenate([[0], true / ious.shape[1], [1]])
    precision = np.maximum.accumulate(precision[::-1])[::-1]
    steps = np.flatnonzero(recall[1:] != recall[:-1]) + 1
    return float(np.sum((recall[steps] - recall[steps - 1]) * precision[steps]))


def _first_recall(answers: list[Line], wanted: dict[Any, Any]) -> dict[str, float]:
    """The first window against the one it shares most with; over the hull of both."""
    overlaps = []
    for answer in answers:
        first = np.array(answer["pred_relevant_windows"][:1], float)[:, :2]
        windows = np.array(wanted[answer["qid"]], float)
        shared, union = _unions(first, windows)
        best = int(np.argmax(shared / union))
        hull = max(first[0, 1], windows[best, 1]) - min(first[0, 0], windows[best, 0])
        overlaps.append(shared[0, best] / hull if hull else 0.0)
    return {str(t): _two_decimals(np.mean(np.array(overlaps) >= t)) for t in THRESHOLDS}


def _highlights(answers: list[Line], by_id: dict[Any, Line], least: int) -> dict[str, float]:
    precisions, first_hits = [], []
    for answer in answers:
        query = by_id[answer["qid"]]
        ratings = np.zeros((int(query["duration"] / CLIP), 3))
        ratings[query["relevant_clip_ids"]] = query["saliency_scores"]
        good = ratings >= least
        scores = np.array(answer["pred_saliency_scores"])
        best = int(np.argmax(scores))
        first_hits.append(best < len(good) and good[best].any())
        padded = np.zeros(len(good))
        padded[: len(scores)] = scores[: len(good)]
        precisions += [_ranking_ap(good[:, rater], padded) for rater in range(3)]
    return {
        "HL-mAP": _two_decimals(np.mean(precisions)),
        "HL-Hit1": _two_decimals(np.mean(first_hits)),
    }


def _ranking_ap(good: Any, scores: Any) -> float:
    """Mean interpolated precision at every score at which more of what is good has been seen."""
    if good.all() or not good.any():
        return float(good.all())
    order = np.argsort(-scores, kind="stable")
    ends = np.append(np.flatnonzero(np.diff(scores[order])), len(order) - 1)  # ties come together
    true = np.cumsum(good[order])[ends]
    precision = np.maximum.accumulate((true / (ends + 1))[::-1])
    return float(np.mean(precision[np.diff(true, prepend=0)[::-1] > 0]))


def _two_decimals(share: Any) -> float:
    return float(f"{100 * share:.2f}")


def _brief(found: Line) -> Line:
    full = found["full"]
    moments = {
        "MR-full-mAP": full["MR-mAP"]["average"],
        "MR-full-mAP@0.5": full["MR-mAP"]["0.5"],
        "MR-full-mAP@0.75": full["MR-mAP"]["0.75"],
        **{f"MR-{r}-mAP": found[r]["MR-mAP"]["average"] for r in ("short", "middle", "long")},
        "MR-full-R1@0.5": full["MR-R1"]["0.5"],
        "MR-full-R1@0.7": full["MR-R1"]["0.7"],
    }
    highlights = {
        f"{name}-{metric.split('-')[1]}": value
        for name, numbers in found.items()
        if name.startswith("HL")
        for metric, value in numbers.items()
    }
    return dict(sorted(moments.items())) | highlights


def lines(path: Path) -> list[Line]:
    """The JSON lines of a file."""
    with path.open(encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def score(form: str, predictions: Path, truth: Path) -> Line:
    """From the files to the numbers."""
    if form == "qvh":
        return qvh(lines(predictions), lines(truth))
    with predictions.open(encoding="utf-8") as file:
        return tvr(json.load(file), lines(truth))


if __name__ == "__main__":
    print(json.dumps(score(sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])), indent=4))
