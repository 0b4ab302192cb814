"""Curves: what is drawn of an evaluation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from engine.compare.saved_side import SavedSide
    from engine.keywords.evaluated_run import EvaluatedRun
    from engine.results.curves import Histogram

OTHER_MEASURES = ("R@k", "nDCG@k")
"""What is drawn by k beside the main measure: patterns of measures."""


@dataclass(frozen=True, slots=True)
class MeanByK:
    """The mean of a measure at every k.

    label, formula  in the profile's language, with the letter k
    """

    label: str
    formula: str
    ks: tuple[int, ...]
    values: tuple[float, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Curves:
    """What is drawn of an evaluation.

    n  queries that count
    """

    model: str
    n: int
    by_k: tuple[MeanByK, ...]
    similarities: Histogram


def compute_curves(evaluated: EvaluatedRun | SavedSide) -> Curves:
    """Means by k over the results that were kept, and the similarities of hits and misses."""
    from engine.metrics import Measure
    from engine.results.curves import compute_metric_by_k, count_similarities

    table, results, mode = evaluated.table, evaluated.results(), evaluated.mode
    families = (table.main.definition.pattern, *OTHER_MEASURES)
    least = evaluated.min_similarity
    found = compute_metric_by_k(results, mode, families, min_similarity=least)
    ks = tuple(map(int, found.ks))
    by_k = []
    for family, values in zip(found.families, found.values, strict=True):
        measure = Measure.parse(family.replace("@k", "@1"))
        formula = measure.definition.formula_at("k", results.short)
        label = table.label(measure).replace("@1", "@k")
        by_k.append(MeanByK(label, formula, ks, tuple(map(float, values))))
    return Curves(
        model=table.model,
        n=table.scores.n,
        by_k=tuple(by_k),
        similarities=count_similarities(results, mode),
    )
