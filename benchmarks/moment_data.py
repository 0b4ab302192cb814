"""Moment retrieval files of the size of the public benchmarks, from a seed.

`python -m benchmarks.moment_data tvr 10895 GT PREDICTIONS` writes TVR's form, with `qvh 1550` that
of QVHighlights. The environment variable TVR_GT may name a ground truth of TVR to take the
queries from, TVR_VIDEOS the file with every video's length and index. Without them queries are made
up with the numbers of TVR's validation split: 5 queries per video, 74 % of type v.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

SEED = 20
PREDICTIONS = 100
WORDS = (
    "she he picks up the phone and tells them that a door is open while walking into room "
    "takes cup puts down on table looks at friend before leaving with coat in hand says goodbye"
).split()


@dataclass(frozen=True)
class Corpus:
    """The queries of a ground truth, and all videos that a prediction may name."""

    queries: list[dict[str, Any]]
    videos: list[str]
    durations: Any
    indices: Any


def tvr_corpus(count: int) -> Corpus:
    """The first queries of the ground truth in TVR_GT, or as many that are made up."""
    given = os.environ.get("TVR_GT")
    if not given:
        return _made_up(count)
    with Path(given).open(encoding="utf-8") as file:
        queries = [json.loads(line) for line in file]
    lengths = {query["vid_name"]: query["duration"] for query in queries}
    indices = {name: index for index, name in enumerate(lengths)}
    if videos := os.environ.get("TVR_VIDEOS"):
        splits = json.loads(Path(videos).read_text(encoding="utf-8"))
        own = next(split for split in splits.values() if lengths.keys() <= split.keys())
        lengths = {name: length for name, (length, _) in own.items()}
        indices = {name: index for name, (_, index) in own.items()}
    return Corpus(
        queries[:count],
        list(lengths),
        np.array(list(lengths.values())),
        np.array([indices[name] for name in lengths]),
    )


def _made_up(count: int) -> Corpus:
    rng = np.random.default_rng(SEED)
    videos = [
        f"show_s{i // 100:02d}e{i // 10 % 10:02d}_clip_{i:04d}" for i in range(-(-count // 5))
    ]
    # Two kinds of shows: scenes of about a minute, and of a minute and a half.
    durations = np.round(rng.choice([60.0, 90.5], len(videos)) + rng.normal(0, 2, len(videos)), 2)
    of_query = rng.permutation(np.repeat(np.arange(len(videos)), 5))[:count]
    lengths = np.clip(rng.lognormal(1.65, 0.85, count), 0.3, durations[of_query])
    starts = rng.beta(0.7, 1.2, count) * (durations[of_query] - lengths)
    types = rng.choice(["v", "t", "vt"], count, p=[0.743, 0.089, 0.168])
    queries = [
        {
            "vid_name": videos[video],
            "duration": float(durations[video]),
            "ts": [round(float(start), 2), round(float(start + length), 2)],
            "desc": " ".join(rng.choice(WORDS, 12)).capitalize() + ".",
            "type": str(kind),
            "desc_id": 50_000 + number,
        }
        for number, (video, start, length, kind) in enumerate(
            zip(of_query.tolist(), starts, lengths, types, strict=True)
        )
    ]
    return Corpus(queries, videos, durations, np.arange(len(videos)) + 19_614)


def write_tvr(count: int, truth: Path, predictions: Path) -> None:
    """A ground truth, and a submission with 100 predictions per query in each of three tasks."""
    corpus = tvr_corpus(count)
    _write_lines(truth, corpus.queries)
    video2idx = dict(zip(corpus.videos, corpus.indices.tolist(), strict=True))
    with predictions.open("w", encoding="utf-8") as file:
        file.write(f'{{"video2idx": {json.dumps(video2idx)}')
        for number, task in enumerate(("VCMR", "SVMR", "VR")):
            rng = np.random.default_rng((SEED, number))
            file.write(f', "{task}": [')
            for place, entry in enumerate(_tvr_entries(rng, corpus, task)):
                file.write((", " if place else "") + json.dumps(entry))
            file.write("]")
        file.write("}")


def _tvr_entries(rng: np.random.Generator, corpus: Corpus, task: str) -> Iterator[dict[str, Any]]:
    """Early ranks are right more often, as those of a system that has learned something."""
    place_of = {name: place for place, name in enumerate(corpus.videos)}
    odds = 0.35 / np.sqrt(np.arange(1, PREDICTIONS + 1))
    for query in corpus.queries:
        right = (rng.random(PREDICTIONS) < odds) | (task == "SVMR")
        videos = rng.integers(0, len(corpus.videos), PREDICTIONS)
        videos[right] = place_of[query["vid_name"]]
        if task == "VR":
            spans = np.zeros((PREDICTIONS, 2), np.int64)
        else:
            near = right & (rng.random(PREDICTIONS) < 0.4)
            spans = _spans(rng, corpus.durations[videos], query["ts"], near)
        scores = np.sort(np.round(rng.normal(size=PREDICTIONS), 4))[::-1]
        columns = (corpus.indices[videos], *spans.T, scores)
        rows = zip(*(column.tolist() for column in columns), strict=True)
        yield {"desc_id": query["desc_id"], "desc": query["desc"], "predictions": list(rows)}


def _spans(rng: np.random.Generator, durations: Any, moment: list[float], near: Any) -> Any:
    """Anywhere in the video, or near the moment: both ends some seconds off, inside the video."""
    count = len(durations)
    starts = rng.random(count) * durations * 0.9
    ends = starts + 1 + 20 * rng.random(count)
    off = rng.normal(0, 3, (2, count))
    starts = np.where(near, np.maximum(0, np.minimum(moment[0] + off[0], durations - 0.5)), starts)
    ends = np.where(near, np.maximum(starts + 0.5, moment[1] + off[1]), ends)
    rounded = np.round(np.stack([starts, ends], axis=1), 2)
    return np.minimum(rounded, durations[:, None])


# QVHighlights

CLIPS, CLIP = 75, 2
WINDOWS = 10
WINDOWS_PER_QUERY = {1: 0.66, 2: 0.18, 3: 0.08, 4: 0.04, 5: 0.04}
"""As in the validation split, where a few queries have more."""


def write_qvh(count: int, truth: Path, predictions: Path) -> None:
    """Videos of 150 seconds, ten windows and 75 saliency scores per query."""
    rng = np.random.default_rng((SEED, 3))
    wanted = [_qvh_query(rng, number) for number in range(count)]
    _write_lines(truth, wanted)
    _write_lines(predictions, [_qvh_answer(rng, query) for query in wanted])


def _qvh_query(rng: np.random.Generator, number: int) -> dict[str, Any]:
    """Windows that neither overlap nor touch; three raters, 0 to 4, who mostly agree."""
    count = int(rng.choice(list(WINDOWS_PER_QUERY), p=list(WINDOWS_PER_QUERY.values())))
    while True:
        starts = np.sort(rng.integers(0, CLIPS, count))
        ends = starts + np.clip(rng.lognormal(1.9, 0.9, count).astype(int), 1, CLIPS)
        if ends[-1] <= CLIPS and (ends[:-1] < starts[1:]).all():
            break
    clips = [c for a, b in zip(starts.tolist(), ends.tolist(), strict=True) for c in range(a, b)]
    agreed = rng.normal(3, 0.8, (len(clips), 1)) + rng.normal(0, 0.7, (len(clips), 3))
    return {
        "qid": 1000 + number,
        "query": " ".join(rng.choice(WORDS, 10)).capitalize(),
        "duration": CLIPS * CLIP,
        "vid": f"video_{number:05d}_0.0_150.0",
        "relevant_clip_ids": clips,
        "saliency_scores": np.clip(np.round(agreed), 0, 4).astype(int).tolist(),
        "relevant_windows": (CLIP * np.stack([starts, ends], axis=1)).tolist(),
    }


def _qvh_answer(rng: np.random.Generator, query: dict[str, Any]) -> dict[str, Any]:
    """Windows around the wanted ones, some off by a little, and saliency that leans to them."""
    wanted = np.array(query["relevant_windows"])
    aimed = wanted[rng.integers(0, len(wanted), WINDOWS)] / CLIP + rng.normal(0, 2, (WINDOWS, 2))
    random = np.sort(rng.random((WINDOWS, 2)) * CLIPS, axis=1)
    spans = np.where(rng.random((WINDOWS, 1)) < 0.5, aimed, random)
    starts = np.clip(np.round(spans[:, 0]), 0, CLIPS - 1)
    ends = np.clip(np.round(spans[:, 1]), starts + 1, CLIPS)
    scores = np.sort(np.round(rng.random(WINDOWS), 4))[::-1]
    inside = np.isin(np.arange(CLIPS), query["relevant_clip_ids"])
    # Half precision, as a network writes it: long decimals, and now and then the same number.
    saliency = (0.5 * inside + rng.normal(0, 0.5, CLIPS)).astype(np.float16).astype(float)
    return {
        "qid": query["qid"],
        "query": query["query"],
        "vid": query["vid"],
        "pred_relevant_windows": np.stack([CLIP * starts, CLIP * ends, scores], axis=1).tolist(),
        "pred_saliency_scores": saliency.tolist(),
    }


def _write_lines(path: Path, lines: list[dict[str, Any]]) -> None:
    with path.open("w", encoding="utf-8") as file:
        file.writelines(json.dumps(line) + "\n" for line in lines)


if __name__ == "__main__":
    write = {"tvr": write_tvr, "qvh": write_qvh}[sys.argv[1]]
    write(int(sys.argv[2]), Path(sys.argv[3]), Path(sys.argv[4]))
