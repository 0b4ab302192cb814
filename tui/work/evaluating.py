"""The Evaluate screen's run: the same as `tui-eval run`, as a table of queries and as curves."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from engine.base.mode import Mode
from engine.base.progress import Report

if TYPE_CHECKING:
    from engine.compare.saved_side import SavedSide
    from engine.keywords.evaluated import Evaluated
    from engine.keywords.workbench import Workbench
    from engine.results.curves import Histogram
    from tui.work.scope import Scope

OTHERS = ("R@k", "nDCG@k")
"""What is drawn by k beside the main measure: patterns of measures."""


def evaluate_set(bench: Workbench, mode: Mode, scope: Scope, report: Report) -> Evaluated:
    """Evaluate the scope's query set, else the dataset's; what `report` raises ends it."""
    from engine.keywords.evaluated import Evaluated
    from engine.keywords.run import RunRequest, carry_out
    from engine.keywords.workbench import select

    collection = bench.collection(scope.model)
    selection = select(collection.truth, scope.groups, tuple(scope.left_out))
    # A group of which nothing was left out is named by itself: it has all of its keywords.
    touched = {name.partition(":")[0] for name in scope.left_out}
    kept = tuple(str(word) for word in selection.keywords if word.group in touched)
    asked = scope.request or RunRequest(
        ks=bench.dataset.ks, profile=bench.dataset.profile, policies=bench.policies
    )
    request = replace(
        asked,
        modes=mode,
        groups=selection.groups,
        keywords=kept or None,
        model=scope.model,
        policies=replace(asked.policies, min_similarity=scope.min_similarity),
    )
    return Evaluated.of(carry_out(request, bench, report))


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


def curves_of(evaluated: Evaluated | SavedSide) -> Curves:
    """Means by k over the results that were kept, and the similarities of hits and misses."""
    from engine.metrics import Measure
    from engine.results.curves import metric_by_k, similarity_histogram

    table, results, mode = evaluated.table, evaluated.results(), evaluated.mode
    families = (table.main.definition.pattern, *OTHERS)
    found = metric_by_k(
        results, mode, families, short=results.short, min_similarity=evaluated.min_similarity
    )
    ks = tuple(map(int, found.ks))
    by_k = []
    for family, values in zip(found.families, found.values, strict=True):
        measure = Measure.parse(family.replace("@k", "@1"))
        formula = measure.definition.formula_at(None, results.short).replace("None", "k")
        label = table.label(measure).replace("@1", "@k")
        by_k.append(MeanByK(label, formula, ks, tuple(map(float, values))))
    return Curves(
        model=table.model,
        n=table.scores.n,
        by_k=tuple(by_k),
        similarities=similarity_histogram(results, mode),
    )
