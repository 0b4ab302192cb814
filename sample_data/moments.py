"""The moment sample: when in which drive something happens, in the form of TVR.

A query is a caption of one clip; its moment is the run of clips in the drive of which the caption
holds. The predictions are alfa-0.2's: windows of all drives, ranked by cosine with the query.

`python -m sample_data.moments` makes these files alone, from the shipped embeddings: no clip is
rendered or looked at.
"""

import argparse
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from sample_data import folder
from sample_data.captions import captions_of, headlines_of, is_true_of
from sample_data.drives import CLIP, Drive, drives_csv, make_drives, make_trips
from sample_data.highlights import ask_trips, highlights_jsonl, predicted_jsonl
from sample_data.labels import MODEL, read_vectors
from sample_data.learn import encode_texts
from sample_data.scenes import Scene, shipped_scenes
from sample_data.shipped import SHIPPED_SEED, slice_ids
from sample_data.visible import visible_span
from sample_data.windows import Vectors, Window, best_first, similarities, windows_of

CAPTIONS = {"v": 0, "vt": 1, "t": 2}
"""Which caption a query of each type is: the view (who does what), the trip (where, and what the
ego vehicle does), or both."""

LONGEST = 3
"""Clips of a predicted window at most."""

MOST = 20
"""Predictions per query at most."""


@dataclass(frozen=True)
class Query:
    """A caption, the drive it is about, and when it holds there, in seconds."""

    text: str
    type: str
    drive: Drive
    start: float
    end: float


def _holds(kind: str, said: Scene, other: Scene) -> bool:
    """Whether the caption of `said` is true of `other`, too."""
    headline = headlines_of(said)[1 if kind == "vt" else 0]
    view = is_true_of(headline, other)
    trip = captions_of(said)[CAPTIONS["t"]] == captions_of(other)[CAPTIONS["t"]]
    return (view or kind == "t") and (trip or kind == "v")


def _in_view(kind: str, said: Scene, shown: Scene) -> tuple[float, float]:
    """From when to when a clip shows what the caption says: the setting always, actors not."""
    if kind == "t":
        return 0.0, float(CLIP)
    acts = {(actor.kind, actor.behavior) for actor in said.actors}
    meant = [actor for actor in shown.actors if (actor.kind, actor.behavior) in acts]
    spans = [visible_span(shown, actor) for actor in meant]
    return min(start for start, _ in spans), max(end for _, end in spans)


def _queries_of(kind: str, drive: Drive, scenes: Sequence[Scene]) -> Iterator[Query]:
    """The captions that hold of one run of clips in this drive and of nothing else in it."""
    for row in drive.clips:
        said = scenes[row]
        places = [i for i, other in enumerate(drive.clips) if _holds(kind, said, scenes[other])]
        first, last = places[0], places[-1]
        if places != list(range(first, last + 1)):
            continue
        start = CLIP * first + _in_view(kind, said, scenes[drive.clips[first]])[0]
        end = CLIP * last + _in_view(kind, said, scenes[drive.clips[last]])[1]
        text = captions_of(said)[CAPTIONS[kind]]
        yield Query(text, kind, drive, round(start, 2), round(end, 2))


def ask_drives(scenes: Sequence[Scene]) -> list[Query]:
    """Of every drive one query of each type, if it has one; no text is asked twice."""
    asked: dict[str, Query] = {}
    for number, drive in enumerate(make_drives(scenes)):
        for kind in CAPTIONS:
            new = [q for q in _queries_of(kind, drive, scenes) if q.text not in asked]
            if new:
                most = max(query.end - query.start for query in new)
                longest = [query for query in new if query.end - query.start > most - 1]
                query = longest[number % len(longest)]  # early and late moments alike
                asked[query.text] = query
    return list(asked.values())


def truth_jsonl(queries: Sequence[Query]) -> str:
    """The ground truth in the form of TVR, one query per line."""
    lines = [
        {
            "desc_id": number,
            "desc": query.text,
            "vid_name": query.drive.name,
            "ts": [query.start, query.end],
            "duration": float(query.drive.seconds),
            "type": query.type,
        }
        for number, query in enumerate(queries, start=1)
    ]
    return "".join(json.dumps(line) + "\n" for line in lines)


def _numbers(windows: Sequence[Window]) -> list[list[float]]:
    return [[w.video, *w.span, round(w.score, 4)] for w in best_first(windows)[:MOST]]


def _predictions(
    query: Query, vector: Vectors, drives: Sequence[Drive], videos: Vectors
) -> dict[str, list[list[float]]]:
    """What the model answers in each of the three tasks."""
    cosines = similarities(vector, videos)
    windows = [
        windows_of(index, cosines[list(drive.clips)], LONGEST) for index, drive in enumerate(drives)
    ]
    best = best_first([best_first(own)[0] for own in windows])
    return {
        "VCMR": _numbers([window for own in windows for window in own]),
        "SVMR": _numbers(windows[drives.index(query.drive)]),
        "VR": [[w.video, 0, 0, round(w.score, 4)] for w in best],
    }


def submission_json(
    queries: Sequence[Query], vectors: Vectors, drives: Sequence[Drive], videos: Vectors
) -> str:
    """The submission in the form of TVR, one query per line."""
    answers = [_predictions(q, v, drives, videos) for q, v in zip(queries, vectors, strict=True)]
    video2idx = {drive.name: index for index, drive in enumerate(drives)}
    parts = [f'"video2idx": {json.dumps(video2idx)}']
    for task in ("VCMR", "SVMR", "VR"):
        entries: list[dict[str, Any]] = [
            {"desc_id": number, "desc": query.text, "predictions": answer[task]}
            for number, (query, answer) in enumerate(zip(queries, answers, strict=True), start=1)
        ]
        parts.append(f'"{task}": [\n' + ",\n".join(map(json.dumps, entries)) + "\n]")
    return "{" + ",\n".join(parts) + "}\n"


def asked_texts(scenes: Sequence[Scene]) -> list[str]:
    """The texts of all queries: those of the drives, then those of the trips."""
    trips = make_trips(make_drives(scenes))
    return [q.text for q in ask_drives(scenes)] + [q.text for q in ask_trips(scenes, trips)]


def moment_files(scenes: Sequence[Scene], videos: Vectors, texts: Vectors) -> dict[str, str]:
    """Every text file of the sample by name; `texts` has the vectors of `asked_texts`."""
    drives = make_drives(scenes)
    trips = make_trips(drives)
    queries, highlights = ask_drives(scenes), ask_trips(scenes, trips)
    about_drives, about_trips = texts[: len(queries)], texts[len(queries) :]
    return {
        "drives.csv": drives_csv(scenes),
        "ground_truth.jsonl": truth_jsonl(queries),
        "submission.json": submission_json(queries, about_drives, drives, videos),
        "highlights_truth.jsonl": highlights_jsonl(highlights),
        "highlights_predictions.jsonl": predicted_jsonl(highlights, about_trips, videos),
    }


def write_moments(out: Path, scenes: Sequence[Scene], videos: Vectors) -> None:
    """Write the moment sample into `out`; `videos` has one row per scene."""
    out.mkdir(parents=True, exist_ok=True)
    texts = encode_texts(asked_texts(scenes)).astype(np.float16)  # half the size, and enough
    np.save(out / "query_emb.npy", texts)
    for name, text in moment_files(scenes, videos, texts).items():
        (out / name).write_text(text, encoding="utf-8", newline="\n")


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description="Make the moment sample again, without rendering.")
    parser.add_argument("--out", type=Path, default=folder(), help='folder to write "moments" into')
    options = parser.parse_args()
    scenes = shipped_scenes(SHIPPED_SEED)
    stored = folder() / "embeddings" / f"{MODEL}.parquet"
    write_moments(options.out / "moments", scenes, read_vectors(stored, slice_ids(scenes)))


if __name__ == "__main__":
    main()
