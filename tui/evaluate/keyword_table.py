"""The count by keyword: how many queries ask for each, how they do, and what they get instead."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from rich.cells import cell_len
from textual.content import Content
from textual.message import Message

from engine.base.keyword import Keyword
from tui.evaluate.rows import FrequencyRows
from tui.look.glyphs import Glyphs
from tui.look.instead_text import describe_absence, name_best
from tui.look.nouns import Nouns
from tui.shell.progress_text import describe_failure
from tui.widgets.fitted_rows import SubjectTable
from tui.widgets.line_layout import COLUMN_GAP, GUTTER, LineCell, LineColumn, fit

if TYPE_CHECKING:
    from engine.base.arrays import Ints
    from engine.keywords.evaluated_run import EvaluatedRun
    from engine.keywords.instead import Absence
    from tui.work.services import Services

_NUMBERS = len(" 100 % 1.2× ?")
_LEAST, _MOST = 26, 48
"""Cells of the column of stand-ins."""

_GROUP, _MEAN, _BAR = 1, 3, 4
"""Columns that give way."""

_MEAN_LEAST = len("12.34")


class KeywordRows(FrequencyRows):
    """One row per keyword, the worst mean first, with what is retrieved in its place."""

    absences: Mapping[Keyword, Absence] | None = None
    """What is known of each keyword; None: it is still counted."""
    _left_out: Sequence[int] = ()

    def _lay_out(self, width: int) -> Iterable[LineColumn]:
        columns = list(super()._lay_out(width))
        longest = max((cell_len(row.keyword.name) for row in self.rows), default=0)
        wanted = min(_MOST, longest + _NUMBERS)

        def measure_room() -> int:
            """Cells for the keyword and what is retrieved instead."""
            fixed = sum(column.width or 0 for column in columns)
            return width - GUTTER - COLUMN_GAP * len(columns) - fixed

        # Where room is scarce the bar goes first (the number says the same), then of the mean the
        # metric, which stands in the title, then the group.
        left_out: list[int] = []
        if measure_room() < longest + wanted:
            del columns[_BAR]
            left_out.append(_BAR)
        if measure_room() < longest + wanted:
            columns[_MEAN] = LineColumn("mean", _MEAN_LEAST, right=True)
        if measure_room() < longest + _LEAST:
            del columns[_GROUP]
            left_out.append(_GROUP)
        self._left_out = left_out
        room = measure_room()
        keyword = min(longest, max(room - wanted, room // 2))
        return (*columns, LineColumn("instead", max(_LEAST, min(_MOST, room - keyword))))

    def cells(self, row: int) -> Sequence[LineCell]:
        self._fit()
        cells = list(super().cells(row))
        for place in self._left_out:
            del cells[place]
        return (*cells, self._instead(self.rows[row].keyword))

    def _instead(self, keyword: Keyword) -> LineCell:
        if self.absences is None:
            return self._glyphs.ellipsis, "dim"
        width = self.columns[-1].width or 0
        return draw_instead(self.absences.get(keyword), width, self._glyphs)


def draw_instead(absence: Absence | None, width: int, glyphs: Glyphs) -> LineCell:
    """What is retrieved instead of a keyword; of its name as much as there is room for."""
    if absence is None or not absence.results:
        return glyphs.dash, "dim"
    name, numbers = name_best(absence, glyphs)
    room = width - cell_len(numbers) - 1
    name = fit(name, min(cell_len(name), room), ellipsis=glyphs.ellipsis)
    return f"{name} {numbers}", "" if absence.proven else "dim"


class KeywordTable(SubjectTable):
    """The keywords of an evaluation's queries; the cursor's keyword can be dived into."""

    class Counted(Message):
        """It is known what is retrieved instead of the keywords that are listed."""

    def count(
        self,
        services: Services,
        evaluated: EvaluatedRun,
        rows: Ints,
        nouns: Nouns,
        on: Keyword | None = None,
    ) -> None:
        """Count the queries of these rows by keyword; the cursor goes to the keyword `on`."""
        counts = evaluated.table.frequency(rows)
        shown = KeywordRows(
            evaluated.table, counts, None, self._glyphs, lambda: self.line_width, nouns
        )
        self.show_subjects(shown, on)

        def counted(absences: Sequence[Absence]) -> None:
            if self.source is shown:
                shown.absences = {absence.keyword: absence for absence in absences}
                self.refresh()
                self.post_message(self.Counted())

        def failed(error: Exception) -> None:
            counted(())
            self.notify(describe_failure(error), severity="warning", markup=False)

        services.evaluations.instead(evaluated, rows, counted, failed)

    def summary(self, width: int) -> Content:
        """What is retrieved instead of the keyword under the cursor."""
        shown = self.source
        if not isinstance(shown, KeywordRows) or shown.absences is None or self.subject is None:
            return Content(self._glyphs.ellipsis)
        absence = shown.absences.get(self.subject)
        if absence is None:
            return Content("")
        words = describe_absence(absence, self._glyphs, width)
        return Content(fit(words, min(cell_len(words), width), ellipsis=self._glyphs.ellipsis))
