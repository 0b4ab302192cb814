"""How well each keyword is found by itself, as plain values."""

from __future__ import annotations

from typing import Any

from engine.base.json_text import nan_to_none
from engine.keywords.evaluate import Evaluation
from engine.keywords.keyword_precision import KeywordPrecision, measure_keywords
from engine.keywords.run import Run


def dump_keywords_at_k(run: Run, evaluation: Evaluation) -> list[dict[str, Any]]:
    """By keyword, at every cut-off of the run."""
    ks = run.request.ks
    removed = evaluation.policies.self_clip == "remove"
    found = measure_keywords(
        run.collection.truth,
        evaluation.judged,
        ks,
        own_rows=evaluation.queries.rows if removed else None,
        policies=evaluation.policies,
    )
    return [_dump_keyword(one, ks) for one in found]


def _dump_keyword(one: KeywordPrecision, ks: tuple[int, ...]) -> dict[str, Any]:
    ids = [f"P@{k}" for k in ks]
    return {
        "keyword": str(one.keyword),
        "queries": one.queries,
        "clips": one.clips,
        "values": dict(zip(ids, one.values, strict=True)),
        "chance": dict(zip(ids, map(nan_to_none, one.chance), strict=True)),
    }
