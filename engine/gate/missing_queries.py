"""Missing: a run that lost queries of the baseline is not compared with it as if it had not."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from engine.base.errors import InputError, Place
from engine.metrics import Measure
from engine.results.results import QueryKey, Results

_SHOWN = 80
"""Characters of a query that the message quotes."""


def require_all(baseline: Results, run: Results, measures: Sequence[Measure]) -> None:
    """InputError if a query that counts for the baseline is not in the run, or counts not there.

    A query without a value in the baseline is no loss, nor is one that the run alone has.
    """
    for mode in baseline.modes:
        for lost in _lost(baseline.of_mode(mode), run, mode, measures):
            raise InputError(
                lost,
                Place(run.name),
                hint="evaluate the same query set, or compare what both have with --allow-missing",
            )


def _lost(before: Results, run: Results, mode: str, measures: Sequence[Measure]) -> Iterator[str]:
    """What the run lacks of the queries of one mode, in words."""
    columns = {measure: ~np.isnan(before.column(measure)) for measure in measures}
    counts = np.any([*columns.values()], axis=0)
    absent = [key for key in before.keys if key not in run.places]
    first = next((key for key in absent if counts[before.places[key]]), None)
    if first is not None:
        whose = f"{mode} queries of {before.name}"
        yield f"lacks {_share(len(absent), len(before), whose)} ({_quoted(first)})"
    for measure, counted in columns.items():
        after = run.column(measure)
        own = [key for key, has in zip(before.keys, counted, strict=True) if has]
        lost = [key for key in own if key in run.places and np.isnan(after[run.places[key]])]
        if lost:
            whose = f"{mode} queries that count in {before.name}"
            yield f"has no {measure} for {_share(len(lost), len(own), whose)} ({_quoted(lost[0])})"


def _share(part: int, whole: int, what: str) -> str:
    """
    >>> _share(26, 52, "text queries of a.json"), _share(52, 52, "text queries of a.json")
    ('26 of the 52 text queries of a.json', 'all 52 text queries of a.json')
    >>> _share(1, 1, "text queries of a.json")
    'the only one of the text queries of a.json'
    """
    if part < whole:
        return f"{part:,} of the {whole:,} {what}"
    return f"all {whole:,} {what}" if whole > 1 else f"the only one of the {what}"


def _quoted(key: QueryKey) -> str:
    text = key.query if len(key.query) <= _SHOWN else f"{key.query[: _SHOWN - 1]}…"
    return f'first: "{text}"'
