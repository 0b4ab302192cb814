"""One query looked at closely: its keywords, its ranked results, and why each is a hit or not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from engine.collection import Collection
from engine.dataset import Dataset, text_encoder
from engine.encoder import SentenceEncoder, TextEncoder
from engine.evaluate import DEFAULT_POLICIES, Evaluation, Policies, encode_texts, evaluate
from engine.judge import Breakdown, Judged, breakdown, judge
from engine.mapper import Mapping
from engine.metrics import Measure
from engine.query_set import Mode, Queries
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
    selection: Selection
    keywords: tuple[Keyword, ...]
    mapping: Mapping | None
    relevant: int
    results: tuple[Breakdown, ...]
    evaluation: Evaluation | None
    policies: Policies


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
    keywords = tuple(item.keyword for item in mapping.keywords if item.keyword in selection)
    queries = Queries.of("text", collection.truth, [text], [keywords])
    with text_encoder(collection.model, encoder) as speaker:
        return _inspect(collection, selection, queries, measures, k, policies, mapping, speaker)


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
    keywords = collection.truth.keywords_of(row, selection)
    queries = Queries.of("video", collection.truth, [clip], [keywords], np.array([row], np.int64))
    return _inspect(collection, selection, queries, measures, k, policies, None, None)


def _inspect(
    collection: Collection,
    selection: Selection,
    queries: Queries,
    measures: Sequence[Measure],
    k: int,
    policies: Policies,
    mapping: Mapping | None,
    encoder: TextEncoder | None,
) -> Inspection:
    truth = collection.truth
    evaluation = None
    if queries.bits.any():
        evaluation = evaluate(
            collection, queries, measures, k=k, encoder=encoder, policies=policies
        )
        judged = evaluation.judged
    else:
        judged = _unjudged(collection, queries, k, policies, encoder)
    return Inspection(
        mode=queries.mode,
        query=queries.names[0],
        selection=selection,
        keywords=truth.words.named(queries.bits[0]),
        mapping=mapping,
        relevant=int(judged.relevant[0]),
        results=tuple(
            breakdown(judged, truth, selection, 0, place) for place in range(judged.ranking.depth)
        ),
        evaluation=evaluation,
        policies=policies,
    )


def _unjudged(
    collection: Collection,
    queries: Queries,
    k: int,
    policies: Policies,
    encoder: TextEncoder | None,
) -> Judged:
    """The results of a query without keywords: they can be looked at, not judged."""
    if queries.rows is not None and policies.self_clip == "remove":
        own = collection.vectors[queries.rows]
        ranking = search_excluding(collection.index, own, k, queries.rows)
    elif queries.rows is not None:
        ranking = collection.index.search(collection.vectors[queries.rows], k)
    else:
        assert encoder is not None
        ranking = collection.index.search(encode_texts(collection, encoder, queries.names), k)
    return judge(ranking, collection.truth, queries.bits, min_similarity=policies.min_similarity)
