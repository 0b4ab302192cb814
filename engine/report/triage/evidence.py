"""The queries behind findings, result by result: what each lacks, and what it has in its place."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from engine.base.json_text import nan_to_none
from engine.base.ranking import NO_ITEM, shorten_scores
from engine.triage.finding import Finding
from engine.triage.mode_queries import ModeQueries
from engine.triage.study import Study

MOST_QUERIES = 200
"""Described, those of the worst findings first."""

_MISSED = 3
"""Relevant clips named that are not among the first results."""


def dump_evidence(study: Study, findings: Iterable[Finding]) -> list[dict[str, Any]]:
    """Every query that a finding names, once, as plain values."""
    wanted: dict[tuple[str, str], None] = {}
    for finding in findings:
        for mode in [finding.mode] if finding.mode else [one.mode for one in study.asked]:
            wanted.update(dict.fromkeys((mode, name) for name in finding.evidence.queries))
    shown: list[dict[str, Any]] = []
    for asked in study.asked:
        rows = {name: row for row, name in enumerate(asked.queries.names)}
        names = [name for mode, name in list(wanted)[:MOST_QUERIES] if mode == asked.mode]
        shown += [_dump_query(study, asked, rows[name]) for name in names if name in rows]
    return shown


def _dump_query(study: Study, asked: ModeQueries, row: int) -> dict[str, Any]:
    return {
        "mode": asked.mode,
        "query": asked.queries.names[row],
        "keywords": [str(word) for word in study.truth.words.named(asked.queries.bits[row])],
        "value": nan_to_none(float(asked.values[row])),
        "relevant": int(asked.judged.relevant[row]),
        "results": list(_dump_results(study, asked, row)),
        "missed": _find_missed(study, asked, row),
    }


def _dump_results(study: Study, asked: ModeQueries, row: int) -> Iterator[dict[str, Any]]:
    truth, k = study.truth, study.settings.k
    wanted = truth.words.named(asked.queries.bits[row])
    ranking = asked.judged.ranking
    scores = shorten_scores(ranking.scores[row, :k])
    for place, clip in enumerate(ranking.indices[row, :k].tolist()):
        if clip == NO_ITEM:
            return
        own = truth.keywords_of(clip, study.selection)
        missing = [word for word in wanted if word not in own]
        groups = {word.group for word in missing}
        yield {
            "clip": truth.ids[clip],
            "score": scores[place],
            "hit": bool(asked.judged.hits[row, place]),
            "missing": [str(word) for word in missing],
            "instead": [str(w) for w in own if w.group in groups and w not in wanted],
        }


def _find_missed(study: Study, asked: ModeQueries, row: int) -> list[str]:
    """The nearest relevant clips that are not among the first k."""
    k, ranking = study.settings.k, asked.judged.ranking
    later = np.flatnonzero(asked.judged.hits[row, k:])[:_MISSED] + k
    return [study.truth.ids[clip] for clip in ranking.indices[row, later].tolist()]
