"""The summary of moment retrieval as Markdown: what `moments --out F.md` writes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from engine.moments.failures.task_findings import TaskFindings
from engine.moments.source import MomentsSource
from engine.report.moments.document import moments_notes
from engine.report.moments.tables import (
    class_table,
    curve_table,
    length_tables,
    number_tables,
    task_table,
    type_table,
)
from engine.report.tables.markdown import escaped
from engine.report.tables.tabular import Tabular, as_markdown

BENCHMARKS = {"tvr": "TVR", "qvh": "QVHighlights"}


def moments_markdown(
    source: MomentsSource, official: Mapping[str, Any], found: Sequence[TaskFindings]
) -> str:
    """The official numbers with their formulas, why queries fail and where, and the notes."""
    request = source.request
    files = f"{escaped(request.predictions.name)} against {escaped(request.truth.name)}"
    parts = [f"# {BENCHMARKS[source.format]}: {files}", f"{len(source.truth):,} queries."]
    parts += map(as_markdown, _tables(source, official, found))
    notes = moments_notes(source)
    if notes:
        parts.append("\n".join(f"- {escaped(note)}" for note in notes))
    return "\n\n".join(parts)


def _tables(
    source: MomentsSource, official: Mapping[str, Any], found: Sequence[TaskFindings]
) -> Iterator[Tabular]:
    yield from number_tables(source, official)
    if source.truth.types is not None and source.tasks:
        yield type_table(source, official, source.request.ks)
    if not found or not len(source.truth):
        return
    for one in found:
        yield class_table(one.failures)
    if len(found) > 1:
        yield task_table(found)
    curve = curve_table(found)
    if curve is not None:
        yield curve
    yield from length_tables(found)
