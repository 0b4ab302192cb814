"""A screen of queries that are filtered as one types, and written to a file."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Protocol

from textual import on, work
from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.content import Content
from textual.screen import Screen
from textual.widgets import Input, Static

from engine.base.errors import InputError
from engine.files.csv_cells import harmless
from tui.look.nouns import Nouns, nouns_in
from tui.look.safe import safe
from tui.widgets.line_table import LineTable
from tui.widgets.safe_input import SafeInput
from tui.work.files import file_name, write_cells

if TYPE_CHECKING:  # the first paint does without numpy
    from engine.base.arrays import Ints
    from engine.keywords.query_filter import Filter

FILTER_HELP = 'words  kw:NAME  kw:"TWO WORDS"  {measure}<0.4  R>=10  -TERM'


class Writable(Protocol):
    """A table whose rows can be written."""

    def __len__(self) -> int: ...
    def as_cells(self, rows: Ints) -> Iterator[list[str]]: ...


@dataclass(frozen=True, slots=True)
class InMode:
    """A table whose rows are written with another mode."""

    table: Writable
    mode: str

    def __len__(self) -> int:
        return len(self.table)

    def as_cells(self, rows: Ints) -> Iterator[list[str]]:
        written = self.table.as_cells(rows)
        yield next(written)  # the header
        yield from ([harmless(self.mode), *cells[1:]] for cells in written)


class FilterScreen(Screen[None]):
    """The filter's field below a table of queries."""

    DEFAULT_CSS: ClassVar[str] = """
    FilterScreen {
        #filter-line { display: none; height: 1; padding: 0 1; }
        &.-filtering #filter-line { display: block; }
        #filter-label { width: auto; text-style: bold; }
        #filter { width: 1fr; }
        #filter-note {
            display: none;
            height: auto;
            max-height: 3;
            padding: 0 1;
            color: $text-error;
        }
    }
    """

    def __init__(self) -> None:
        super().__init__()
        self._filter_before = ""

    # What a screen says of its table

    @property
    def _queries(self) -> LineTable:
        return self.query_one("#queries", LineTable)

    @property
    def _filter_text(self) -> str:
        """The filter that holds now."""
        raise NotImplementedError

    def _parsed(self, text: str) -> Filter | None:
        """What a filter means for the table; None: there is none."""
        raise NotImplementedError

    def _use_filter(self, text: str, chosen: Filter) -> None:
        """Keep the rows that match."""
        raise NotImplementedError

    @property
    def _main_measure(self) -> str:
        """What the main measure of the table is called."""
        return self._nouns.measure

    @property
    def _nouns(self) -> Nouns:
        return nouns_in(self.app)

    @property
    def _filter_help(self) -> str:
        return FILTER_HELP.format(measure=self._main_measure)

    # The field

    def _compose_filter(self) -> ComposeResult:
        with Horizontal(id="filter-line"):
            yield Static("Filter ", id="filter-label")
            yield SafeInput(id="filter", placeholder=self._filter_help, compact=True)
        yield Static(id="filter-note", markup=False)

    @property
    def _filter(self) -> Input:
        return self.query_one("#filter", Input)

    @property
    def _filtering(self) -> bool:
        return self.has_class("-filtering")

    def action_filter(self) -> None:
        self._filter_before = self._filter_text
        self.add_class("-filtering")
        self._filter.value = self._filter_text
        self._filter.placeholder = self._filter_help
        self.set_focus(self._filter)  # at once: the filter may be typed already

    @on(Input.Changed, "#filter")
    def _filter_as_typed(self, event: Input.Changed) -> None:
        if self._filtering:
            self._keep_matching(event.value)

    @on(Input.Submitted, "#filter")
    def _take_filter(self, event: Input.Submitted) -> None:
        # A filter that cannot be read stays open, with what is wrong below it.
        if self._filter_text == event.value.strip():
            self._close_filter()

    def _leave_filter(self) -> None:
        """As it was before it was typed."""
        self._keep_matching(self._filter_before)
        self._close_filter()

    def _close_filter(self) -> None:
        if self._filtering:
            self.remove_class("-filtering")
            self._say_of_filter("")
            self.set_focus(self._queries)

    def _keep_matching(self, text: str) -> None:
        """Keep the rows that match; of a text that cannot be read, what stands before the error."""
        problem = ""
        while True:
            try:
                chosen = self._parsed(text)
                break
            except InputError as error:
                problem = problem or str(error)
                text = text.strip().rpartition(" ")[0]
        if chosen is not None:
            self._say_of_filter(problem)
            self._use_filter(text.strip(), chosen)

    def _say_of_filter(self, text: str) -> None:
        note = self.query_one("#filter-note", Static)
        note.update(Content(safe(text)))
        note.display = bool(text)

    # Files

    @work(thread=True, group="write")
    def _write_rows(self, name: str, table: Writable, rows: Ints, what: str = "queries") -> None:
        """Write rows as CSV to a new file in the current folder, and tell which one it became."""
        try:
            path = write_cells(Path.cwd() / f"{file_name(name)}.csv", table.as_cells(rows))
        except InputError as error:
            self.app.call_from_thread(self.notify, safe(str(error)), severity="error", markup=False)
            return
        said = f"{len(rows):,} of {len(table):,} {what} written to {path.name}"
        self.app.call_from_thread(self.notify, safe(said), markup=False)
