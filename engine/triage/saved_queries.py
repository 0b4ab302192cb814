"""Queries behind findings, as documents of a triage have them."""

from __future__ import annotations

from dataclasses import dataclass

from engine.files.fields import Field
from engine.triage.saved_numbers import read_number


@dataclass(frozen=True, slots=True)
class ShownResult:
    """A result of a query: whether it is a hit, what it lacks, and what it has instead."""

    clip: str
    score: float
    hit: bool
    missing: tuple[str, ...]
    instead: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ShownQuery:
    """A query behind findings, with its first results and relevant clips beyond them."""

    mode: str
    query: str
    keywords: tuple[str, ...]
    value: float
    relevant: int
    results: tuple[ShownResult, ...]
    missed: tuple[str, ...]


def read_shown_query(field: Field) -> ShownQuery:
    """A query with its results."""
    return ShownQuery(
        mode=field["mode"].text(),
        query=field["query"].text(),
        keywords=field["keywords"].texts(),
        value=read_number(field["value"]),
        relevant=field["relevant"].count(),
        results=tuple(
            ShownResult(
                clip=one["clip"].text(),
                score=one["score"].number(),
                hit=one["hit"].flag(),
                missing=one["missing"].texts(),
                instead=one["instead"].texts(),
            )
            for one in field["results"].items()
        ),
        missed=field["missed"].texts(),
    )
