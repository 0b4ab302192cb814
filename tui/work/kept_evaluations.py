"""Evaluations that are kept from one program to the next, by their inputs and settings."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from engine.base.choices import Mode
    from engine.keywords.evaluated_run import EvaluatedRun
    from engine.keywords.run import RunRequest
    from engine.keywords.workbench import Workbench
    from tui.work.evaluation_store import EvaluationStore


class KeptEvaluations:
    """What was evaluated before; other files or settings make other evaluations."""

    def __init__(self, store: EvaluationStore) -> None:
        self._store = store

    def find(self, request: RunRequest, bench: Workbench, mode: Mode) -> EvaluatedRun | None:
        """The evaluation of the same files and settings, as it was; None: there is none. What is
        damaged can be done again, and what is wrong with the files is said by who reads them."""
        from engine.base.errors import InputError
        from engine.keywords.run_archive import RunArchiveError, load_run
        from engine.keywords.run_key import find_queries, find_run_key

        try:
            queries = find_queries(request, bench.dataset, mode)
            key = find_run_key(request, bench, mode, queries)
            data = None if key is None else self._store.get(key)
            return None if data is None else load_run(data, request, bench, queries)
        except (InputError, RunArchiveError):
            return None

    def begin(
        self, request: RunRequest, bench: Workbench, mode: Mode
    ) -> Callable[[EvaluatedRun], None]:
        """Before an evaluation: what keeps it afterwards, unless something was changed under it."""
        before = _find_key(request, bench, mode)
        return partial(self._keep, before, partial(_find_key, request, bench, mode))

    def _keep(
        self, before: str | None, find_key: Callable[[], str | None], evaluated: EvaluatedRun
    ) -> None:
        from engine.keywords.run_archive import dump_run

        if before is not None and find_key() == before:
            self._store.put(before, dump_run(evaluated, datetime.now(UTC)))


def _find_key(request: RunRequest, bench: Workbench, mode: Mode) -> str | None:
    from engine.base.errors import InputError
    from engine.keywords.run_key import find_queries, find_run_key

    try:
        queries = find_queries(request, bench.dataset, mode)
    except InputError:  # the run says so
        return None
    return find_run_key(request, bench, mode, queries)
