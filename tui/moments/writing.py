"""What the moment screen hands over: to the clipboard, and to files."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tui.look.safe import escape
from tui.moments.explained import ExplainedTask, MomentQuery

if TYPE_CHECKING:
    from engine.base.arrays import AnyInts


def copied(query: MomentQuery) -> str:
    """A query on one line, its parts separated by tabs."""
    return "\t".join(
        escape(part)
        for part in (query.id, query.text, query.video, query.explained.shown(query.code).name)
    )


def query_document(query: MomentQuery) -> str:
    """The query with all of its predictions, as `tui-eval moments --show ID --json` has them."""
    from engine.base.json_text import as_json
    from engine.report.moments.document import moments_policies
    from engine.report.moments.moment_detail import build_moment_document, find_moment_detail

    failures = query.explained.failures
    shown = find_moment_detail(failures, query.row, most=len(query))
    return as_json(
        build_moment_document(
            [shown], failures.near, policies=moments_policies(query.explained.source.request)
        )
    )


@dataclass(frozen=True, eq=False)
class QueryCells:
    """The queries as `tui-eval moments --per-query` writes them, at the metric that is shown."""

    explained: ExplainedTask

    def __len__(self) -> int:
        return len(self.explained)

    def as_cells(self, rows: AnyInts) -> Iterator[list[str]]:
        from engine.files.csv_cells import escape_formula, join_cell
        from engine.report.moments.per_query import collect_query_columns

        failures, source = self.explained.failures, self.explained.source
        ious = () if failures.at.iou is None else (failures.at.iou,)
        columns = collect_query_columns([failures], source.benchmark, ious, (failures.at.k,))
        columns["keywords"] = [join_cell(words) for words in columns["keywords"]]
        yield list(columns)
        for row in rows.tolist():
            cells = (values[row] for values in columns.values())
            yield ["" if cell is None else escape_formula(str(cell)) for cell in cells]
