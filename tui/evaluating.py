"""The Evaluate screen's run: the same as `tui-eval run`, as a table of queries."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from engine.progress import Report
from engine.question import Mode

if TYPE_CHECKING:
    from engine.query_table import QueryTable
    from engine.workbench import Workbench
    from tui.services import Scope


def evaluate_set(bench: Workbench, mode: Mode, scope: Scope, report: Report) -> QueryTable:
    """Evaluate the dataset's query set; an exception that `report` raises ends it."""
    from engine.query_table import QueryTable
    from engine.run import RunRequest, carry_out
    from engine.workbench import select

    collection = bench.collection(scope.model)
    selection = select(collection.truth, scope.groups, tuple(scope.left_out))
    # A group of which nothing was left out is named by itself: it has all of its keywords.
    touched = {name.partition(":")[0] for name in scope.left_out}
    kept = tuple(str(word) for word in selection.keywords if word.group in touched)
    request = RunRequest(
        modes=mode,
        groups=selection.groups,
        keywords=kept or None,
        model=scope.model,
        policies=replace(bench.policies, min_similarity=scope.min_similarity),
    )
    run = carry_out(request, bench, report)
    (evaluation,) = run.evaluations
    return QueryTable.of(evaluation, collection, run.profile)
