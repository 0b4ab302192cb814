"""The highlight sample: which seconds of a trip answer a query, in the form of QVHighlights.

Queries are those of `queries.csv`; a clip is relevant if it has all keywords of the query. Nobody
rated anything: three measures of how well a clip shows what is asked stand where QVHighlights
has three raters.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from sample_data.drives import CLIP, Drive
from sample_data.keywords import VOCABULARY, keywords_of
from sample_data.queries import QUERIES
from sample_data.scenes import Scene
from sample_data.visible import visible_span
from sample_data.windows import Vectors, best_first, similarities, standing_out, thinned, windows_of

WINDOWS = 10
LONGEST = 60
OVERLAP = 0.5


@dataclass(frozen=True)
class TripQuery:
    """A query, the trip it is asked of, and the clips of the trip that answer it."""

    text: str
    trip: Drive
    relevant: tuple[int, ...]
    """Places in the trip, from 0."""
    ratings: tuple[tuple[int, int, int], ...]
    """Of each relevant clip: `focus`, `in_view` and `clear`."""

    @property
    def windows(self) -> list[list[int]]:
        """Runs of relevant clips, in seconds."""
        breaks = [0] + [
            i for i, (a, b) in enumerate(pairwise(self.relevant), start=1) if b != a + 1
        ]
        ends = [*breaks[1:], len(self.relevant)]
        return [
            [CLIP * self.relevant[a], CLIP * (self.relevant[b - 1] + 1)]
            for a, b in zip(breaks, ends, strict=True)
        ]


def focus(scene: Scene, asked: Sequence[str]) -> int:
    """0–4: the share of asked keywords among the clip's own, in the groups that the query names."""
    named = {group for group, words in VOCABULARY.items() if set(words) & set(asked)}
    own = [word for group, words in keywords_of(scene).items() if group in named for word in words]
    return round(4 * sum(word in asked for word in own) / len(own))


def in_view(scene: Scene) -> int:
    """0–4: the share of the clip in which the main actor is in view."""
    start, end = visible_span(scene)
    return round(4 * (end - start) / CLIP)


def clear(scene: Scene) -> int:
    """4 in a dry day, 3 in rain, 2 in a dry night, 1 in a rainy one."""
    return 4 - 2 * scene.night - (scene.weather == "rainy")


def ask_trips(scenes: Sequence[Scene], trips: Sequence[Drive]) -> list[TripQuery]:
    """Each text query that has an answer, of the trip with most clips that answer it."""
    found = []
    own = [{word for words in keywords_of(s).values() for word in words} for s in scenes]
    for text, asked in QUERIES:
        answers = {
            trip: tuple(i for i, row in enumerate(trip.clips) if own[row] >= set(asked))
            for trip in trips
        }
        trip, relevant = max(answers.items(), key=lambda answer: len(answer[1]))
        if relevant:
            shown = [scenes[trip.clips[i]] for i in relevant]
            ratings = tuple((focus(s, asked), in_view(s), clear(s)) for s in shown)
            found.append(TripQuery(text, trip, relevant, ratings))
    return found


def highlights_jsonl(queries: Sequence[TripQuery]) -> str:
    """The ground truth in the form of QVHighlights, one query per line."""
    lines = [
        {
            "qid": number,
            "query": query.text,
            "duration": query.trip.seconds,
            "vid": query.trip.name,
            "relevant_clip_ids": query.relevant,
            "saliency_scores": query.ratings,
            "relevant_windows": query.windows,
        }
        for number, query in enumerate(queries, start=1)
    ]
    return "".join(json.dumps(line) + "\n" for line in lines)


def predicted_jsonl(queries: Sequence[TripQuery], vectors: Vectors, videos: Vectors) -> str:
    """What alfa-0.2 answers: a cosine per clip, and the windows that stand out."""
    lines = []
    for number, (query, vector) in enumerate(zip(queries, vectors, strict=True), start=1):
        cosines = similarities(vector, videos[list(query.trip.clips)])
        windows = standing_out(windows_of(0, cosines, LONGEST), usual=float(cosines.mean()))
        kept = thinned(best_first(windows), WINDOWS, OVERLAP)
        line = {
            "qid": number,
            "query": query.text,
            "vid": query.trip.name,
            "pred_relevant_windows": [[*w.span, round(w.score, 4)] for w in kept],
            "pred_saliency_scores": [round(float(c), 4) for c in cosines],
        }
        lines.append(json.dumps(line) + "\n")
    return "".join(lines)
