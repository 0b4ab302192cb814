"""One query looked at closely: its keywords, its ranked results, and why each is a hit or not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from engine.collection import Collection
from engine.dataset import Dataset, text_encoder
from engine.encoder import SentenceEncoder
from engine.evaluate import DEFAULT_POLICIES, Evaluation, Mode, Policies, Queries, evaluate
from engine.judge import Breakdown, breakdown, judge
from engine.mapper import Mapping
from engine.metrics import Measure
from engine.ranking import Ranking
from engine.search import search_excluding
from engine.selection import Keyword, Selection


@dataclass(frozen=True, slots=True, eq=False)
class Inspection:
    """What there is to see about one query.

    `mapping` is None for a clip, whose keywords are its own; `evaluation` is None if the query
    has no keyword, and then its results are not judged.
    """

    mode: Mode
    query: str
    keywords: tuple[Keyword, ...]
    mapping: Mapping | None
    relevant: int
    results: tuple[Breakdown, ...]
    evaluation: Evaluation | None


def inspect_text(
    text: str,
    dataset: Dataset,
    collection: Collection,
    selection: Selection,
    encoder: SentenceEncoder,
    measures: Sequence[Measure],
    *,
    k: int,
    policies: Policies = DEFAULT_POLICIES,
) -> Inspection:
    """Map a text to keywords, search by its embedding, and judge the results."""
    mapping = dataset.mapper(encoder).map(text, selection.groups)
    keywords = tuple(m.keyword for m in mapping.keywords if m.keyword in selection)
    queries = Queries.of("text", collection.truth, [text], [keywords])
    with text_encoder(collection.model, encoder) as speaker:
        if not keywords:
            ranking = collection.index.search(speaker.encode([text]), k)
            return _inspection(collection, selection, queries, ranking, None, mapping, policies)
        evaluation = evaluate(
            collection, queries, measures, k=k, encoder=speaker, policies=policies
        )
    return _inspection(
        collection, selection, queries, evaluation.top, evaluation, mapping, policies
    )


def inspect_video(
    clip: str,
    collection: Collection,
    selection: Selection,
    measures: Sequence[Measure],
    *,
    k: int,
    policies: Policies = DEFAULT_POLICIES,
) -> Inspection:
    """Search by a clip's stored embedding and judge the others by its own keywords."""
    row = collection.truth.row_of(clip)
    rows = np.array([row], np.int64)
    keywords = collection.truth.keywords_of(row, selection)
    queries = Queries.of("video", collection.truth, [clip], [keywords], rows)
    if not keywords:
        ranking = search_excluding(collection.index, collection.vectors[rows], k, rows)
        return _inspection(collection, selection, queries, ranking, None, None, policies)
    evaluation = evaluate(collection, queries, measures, k=k, policies=policies)
    return _inspection(collection, selection, queries, evaluation.top, evaluation, None, policies)


def _inspection(
    collection: Collection,
    selection: Selection,
    queries: Queries,
    ranking: Ranking,
    evaluation: Evaluation | None,
    mapping: Mapping | None,
    policies: Policies,
) -> Inspection:
    truth = collection.truth
    removed = queries.rows if policies.self_clip == "remove" else None
    judged = judge(
        ranking,
        truth,
        queries.bits,
        own_rows=removed,
        min_similarity=policies.min_similarity,
    )
    return Inspection(
        mode=queries.mode,
        query=queries.names[0],
        keywords=truth.words.named(queries.bits[0]),
        mapping=mapping,
        relevant=int(judged.relevant[0]),
        results=tuple(
            breakdown(judged, truth, selection, 0, place) for place in range(ranking.depth)
        ),
        evaluation=evaluation,
    )
