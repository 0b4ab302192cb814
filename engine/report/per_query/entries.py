"""Results as plain entries, one per query: the `per_query` list of saved results."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from engine.base.json_text import plain
from engine.results.results import Results


def query_entries(results: Results) -> Iterator[dict[str, Any]]:
    """One entry per query, ready for JSON; what is not known or does not count is null."""
    ids = [str(measure) for measure in results.measures]
    for row, key in enumerate(results.keys):
        relevant = int(results.relevant[row])
        entry: dict[str, Any] = {
            "mode": key.mode,
            "query": key.query,
            "keywords": list(results.keywords[row]),
            "relevant": None if relevant < 0 else relevant,
        }
        if results.videos and results.videos[row]:
            entry["video"] = results.videos[row]
        if results.ranked:
            kept = results.ranked[row]
            entry["retrieved"] = list(kept.ids)
            entry["scores"] = list(kept.scores)
            entry["hits"] = [int(gain) if gain.is_integer() else gain for gain in kept.gains]
        values = map(plain, results.values[row].tolist())
        entry["values"] = dict(zip(ids, values, strict=True))
        yield entry
