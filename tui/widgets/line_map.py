"""Which row of a table stands on which of its lines, where a rule takes a line of its own."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class LineMap:
    """Rows and lines, both from 0. Every row has one line; the line of the rule has no row.

    rule  how many rows stand above the rule; None: there is none

    >>> lines = LineMap(4, rule=2)
    >>> [lines.line_of(row) for row in range(4)], [lines.row_at(line) for line in range(6)]
    ([0, 1, 3, 4], [0, 1, None, 2, 3, None])
    """

    rows: int
    rule: int | None = None

    @property
    def count(self) -> int:
        """All lines; without rows there is nothing to rule off."""
        return self.rows + (self.rule is not None and self.rows > 0)

    def line_of(self, row: int) -> int:
        return row + (self.rule is not None and row >= self.rule)

    def row_at(self, line: int) -> int | None:
        """The row of a line; None on the rule, and beyond the ends."""
        if line == self.rule:
            return None
        row = line - (self.rule is not None and line > self.rule)
        return row if 0 <= row < self.rows else None

    def rows_between(self, first: int, end: int) -> range:
        """The rows on the lines from the first to before the end.

        >>> LineMap(4, rule=2).rows_between(1, 4)
        range(1, 3)
        """
        start, stop = (line - (self.rule is not None and line > self.rule) for line in (first, end))
        return range(max(0, start), max(0, min(stop, self.rows)))
