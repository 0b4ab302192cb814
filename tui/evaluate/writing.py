"""The rows of an evaluation as they are written to a file."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from engine.base.arrays import Ints
from engine.files.csv_cells import escape_formula
from engine.keywords.evaluated_run import EvaluatedRun
from engine.keywords.query_table import QueryTable
from tui.look.nouns import Nouns
from tui.shell.writing import Writable


@dataclass(frozen=True, slots=True)
class RenamedMode:
    """A table whose rows are written with another mode."""

    table: QueryTable
    mode: str

    def __len__(self) -> int:
        return len(self.table)

    def as_cells(self, rows: Ints) -> Iterator[list[str]]:
        written = self.table.as_cells(rows)
        yield next(written)  # the header
        yield from ([escape_formula(self.mode), *cells[1:]] for cells in written)


def written_table(evaluated: EvaluatedRun, nouns: Nouns) -> Writable:
    """Of items, the direction is the mode, as `tui-eval labels --per-query` writes it."""
    table = evaluated.table
    if not nouns.has_labels or table.mode == "text":
        return table
    several = len(evaluated.truth.words.groups) > 1
    levels = "+".join(evaluated.run.selection.groups)
    return RenamedMode(table, f"{levels}/{table.model}" if several else table.model)
