"""Systems for gates, written by hand or drawn from a seed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from engine.base.arrays import Floats
from engine.metrics import Measure, find_profile
from engine.results.results import Results, number_queries

Words = Sequence[tuple[str, ...]]


def system(
    values: Sequence[float] | Floats | Mapping[str, Sequence[float] | Floats],
    keywords: Words | None = None,
    name: str = "new",
    mode: str = "text",
    queries: Sequence[str] | None = None,
    language: str = "alfa",
) -> Results:
    """Values of P@5, or of each measure that is named; NaN: the query does not count."""
    columns = values if isinstance(values, Mapping) else {"P@5": values}
    table = np.array([list(column) for column in columns.values()], np.float64).T
    n = len(table)
    return Results(
        name=name,
        language=find_profile(language),
        measures=tuple(Measure.parse(text) for text in columns),
        keys=number_queries([mode] * n, list(queries or [f"query {i}" for i in range(n)])),
        values=table,
        keywords=tuple(keywords or [()] * n),
        relevant=np.full(n, -1),
    )


def joined(*parts: Results) -> Results:
    """One system with the queries of all."""
    first = parts[0]
    return Results(
        name=first.name,
        language=first.language,
        measures=first.measures,
        keys=tuple(key for part in parts for key in part.keys),
        values=np.concatenate([part.values for part in parts]),
        keywords=tuple(words for part in parts for words in part.keywords),
        relevant=np.concatenate([part.relevant for part in parts]),
    )


def drawn_keywords(rng: np.random.Generator, n: int, count: int = 10) -> Words:
    """Each query has some of the keywords: slices that overlap, a tenth to half of all queries."""
    shares = np.linspace(0.1, 0.5, count)
    has = rng.random((n, count)) < shares
    return [tuple(f"g{j % 3}:w{j}" for j in range(count) if row[j]) for row in has]


def interchangeable(rng: np.random.Generator, n: int) -> tuple[Floats, Floats]:
    """Recall@5 of two systems that are equally good: fifths, correlated by each query's ease and by
    results that both share."""
    ease = rng.beta(2, 2, (n, 1))
    first = rng.random((n, 5)) < ease
    second = np.where(rng.random((n, 5)) < 0.6, first, rng.random((n, 5)) < ease)
    return first.mean(axis=1), second.mean(axis=1)
