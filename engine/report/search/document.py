"""The document of one search, and of mapped keywords."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

from engine.base.json_text import dump_attributes
from engine.dataset.collection import Collection
from engine.files.csv_cells import to_csv
from engine.files.envelope import enclose
from engine.files.input_file import InputFile
from engine.keywords.clip_ranks import ClipRanks
from engine.keywords.inspection import Inspection
from engine.keywords.judge import Breakdown
from engine.metrics import Profile
from engine.metrics.policies import dump_policies
from engine.report.run.document import collect_metric_rows
from engine.report.run.instead import dump_absences
from engine.results.results import CHANCE_COLUMNS, MetricRow
from engine.text.mapping.mapper import KeywordMapping, MappedKeyword

_MOST_MISSED = 1_000

_COLUMNS = (
    *("rank", "slice_id", "score", "retrieved", "hit", "matched", "total", "verdict"),
    *("relevance", "grade"),
)


_NOT_OF_ONE_QUERY = ("mode", "std", "chance_n", "chance_shuffles")


def collect_search_metrics(found: Inspection, language: Profile) -> list[MetricRow]:
    """The numbers of one search; without ground truth those that need none."""
    evaluation = found.evaluation or found.unjudged
    if evaluation is None:
        return []
    rows, measures = collect_metric_rows(evaluation, language), evaluation.scores.measures
    return [
        replace(row, chance_p=found.find_chance_p(measure))
        for row, measure in zip(rows, measures, strict=True)
    ]


def name_relevance_source(found: Inspection) -> Literal["typed", "keywords", "none"]:
    """What decides which clips are relevant."""
    if found.typed is not None:
        return "typed"
    return "keywords" if found.keywords else "none"


def build_search_document(
    found: Inspection,
    collection: Collection,
    language: Profile,
    standing: ClipRanks | None = None,
    inputs: Mapping[str, InputFile] | None = None,
) -> dict[str, Any]:
    """One search as plain values, ready for JSON.

    standing  adds to every result its rank in another model
    inputs    the files behind it
    """
    mapping, typed, joint = found.mapping, found.typed, found.question.joint
    fields = {
        "mode": found.mode,
        "query": found.query,
        "joint": None if joint is None else dump_attributes(joint, "text", "clip", "alpha"),
        "model": collection.model.name,
        "groups": list(found.selection.groups),
        "keywords": [str(keyword) for keyword in found.keywords],
        "mapping": None if mapping is None else dump_mapped_keywords(mapping.keywords),
        "near": None if mapping is None else dump_mapped_keywords(mapping.near),
        "outside": None if mapping is None else dump_mapped_keywords(mapping.outside),
        "unexplained": None if mapping is None else list(mapping.unexplained),
        **_dump_set_aside(mapping),
        "relevance": name_relevance_source(found),
        "typed": None
        if typed is None
        else [
            {"slice_id": clip, "grade": grade}
            for clip, grade in zip(typed.clips, typed.grades, strict=True)
        ],
        "relevant": found.relevant,
        "clips": len(collection),
        "sources": found.reachable if found.one_per_source else None,
        "profile": language.name,
        "instead": dump_absences(found.absences, found.looked_at),
        "similarity": {
            "best": round(float(found.similarities[0]), 6),
            "worst": round(float(found.similarities[-1]), 6),
            "ranked": found.depth,
        },
        "results": dump_results(found, collection, standing),
        "missed": _missed(found),
        "metrics": [
            {k: v for k, v in row.as_dict(CHANCE_COLUMNS).items() if k not in _NOT_OF_ONE_QUERY}
            for row in collect_search_metrics(found, language)
        ],
    }
    policies = dump_policies(found.policies, "keywords")
    return enclose("search", fields, inputs=inputs, policies=policies)


def _missed(found: Inspection) -> dict[str, Any]:
    """The relevant clips below the listed results: all ranks, and the first clips by name."""
    places = found.missed(found.shown).tolist()
    return {
        "below": found.shown,
        "count": len(places) + found.unranked,
        "not_ranked": found.unranked,
        "ranks": [place + 1 for place in places],
        "slice_ids": [found.clip(place) for place in places[:_MOST_MISSED]],
    }


def build_mapping_document(mapping: KeywordMapping, groups: Sequence[str]) -> dict[str, Any]:
    """What `map` says of one text, asked about these groups."""
    return {
        "query": mapping.query,
        "groups": list(groups),
        "keywords": dump_mapped_keywords(mapping.keywords),
        "near": dump_mapped_keywords(mapping.near),
        "outside": dump_mapped_keywords(mapping.outside),
        "unexplained": list(mapping.unexplained),
        **_dump_set_aside(mapping),
    }


def _dump_set_aside(mapping: KeywordMapping | None) -> dict[str, Any]:
    """What a text denies, and what never means a keyword; null for a clip."""
    if mapping is None:
        return {"denied": None, "never_means": None}
    return {
        "denied": list(mapping.set_aside.denied),
        "never_means": [
            {"phrase": one.phrase, "keyword": one.keyword.name, "group": one.keyword.group}
            for one in mapping.set_aside.silenced
        ],
    }


def dump_mapped_keywords(mapped: Sequence[MappedKeyword]) -> list[dict[str, Any]]:
    """Mapped keywords as plain values; the same shape everywhere."""
    return [
        {
            "keyword": item.keyword.name,
            "group": item.keyword.group,
            **dump_attributes(item, "score", "ngram", "span", "why"),
        }
        for item in mapped
    ]


def dump_results(
    found: Inspection, collection: Collection, standing: ClipRanks | None = None
) -> list[dict[str, Any]]:
    """The ranked results as plain values; with their ranks in another model, if one is given."""
    rows = [_result(n, result, collection) for n, result in enumerate(found.results, start=1)]
    if standing is not None:
        rows = [
            {**row, "rank_in": {standing.model: standing.rank(row["slice_id"])}} for row in rows
        ]
    return rows


def format_search_csv(found: Inspection, collection: Collection) -> str:
    """The ranked results as CSV."""
    by = {"relevance": name_relevance_source(found), "grade": None}
    rows = ({**by, **row} for row in dump_results(found, collection))
    return to_csv(_COLUMNS, ([row[name] for name in _COLUMNS] for row in rows))


def _result(rank: int, result: Breakdown, collection: Collection) -> dict[str, Any]:
    return {
        "rank": rank,
        "slice_id": collection.truth.ids[result.row],
        "score": round(result.score, 6),
        **dump_attributes(result, "retrieved", "hit", "matched", "total", "verdict"),
        **({} if result.grade is None else {"grade": result.grade}),
        "groups": {
            marks.group: [{"keyword": keyword.name, "has": has} for keyword, has in marks.marks]
            for marks in result.groups
        },
        "others": [str(keyword) for keyword in result.others],
    }
