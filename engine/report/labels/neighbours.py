"""Neighbours of single queries as a JSON document."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from engine.base.similarity import Metric
from engine.files.envelope import enclose
from engine.files.input_file import InputFile
from engine.labels.scoring.one_query import QueryNeighbours


def neighbours_document(
    shown: Sequence[QueryNeighbours],
    k: int,
    similarity: Metric,
    inputs: Mapping[str, InputFile] | None = None,
) -> dict[str, Any]:
    """Every query with what it found, level by level `same` or not."""
    queries = [_entry(one) for one in shown]
    fields = {"k": k, "similarity": similarity, "queries": queries}
    return enclose("label-neighbours", fields, inputs=inputs)


def _entry(one: QueryNeighbours) -> dict[str, Any]:
    return {
        "direction": one.direction.name,
        "query": one.query,
        "labels": dict(zip(one.levels, one.labels, strict=True)),
        "hits": {level: one.hits(place) for place, level in enumerate(one.levels)},
        "found": [
            {
                "rank": rank,
                "id": found.id,
                "row": found.row,
                "similarity": found.similarity,
                "labels": dict(zip(one.levels, found.labels, strict=True)),
                "same": {
                    level: found.labels[place] == one.labels[place]
                    for place, level in enumerate(one.levels)
                },
            }
            for rank, found in enumerate(one.found, start=1)
        ],
    }
