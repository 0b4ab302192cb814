"""The base of every screen with a table: rows that are filtered, sorted, opened and written."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, Generic

from textual import on
from textual.screen import Screen
from textual.widget import Widget

from engine.base.choices import Mode
from tui.keys.keymap import Keymap, find_keymap
from tui.look.glyphs import UNICODE, Glyphs
from tui.look.nouns import Nouns, find_nouns
from tui.shell.filter_field import FilterField
from tui.shell.listing import D, K, R, RememberedRows
from tui.widgets.fitted_rows import FittedRows, Sort
from tui.widgets.line_table import LineTable
from tui.work.throttle import DETAIL_PAUSE, Throttle

if TYPE_CHECKING:  # the first paint does without numpy
    from engine.base.arrays import Bools, Ints
    from engine.keywords.query_filter import Filter


class TableScreen(Screen[None], Generic[R, K, D]):
    """Lists the rows of a result, with one further pane at a time beside them.

    A screen composes a `LineTable` called "queries" and the `filter_field`, and says what is its
    own: which rows there are, how they look, and what is said of them. What is remembered of the
    rows is the listing's; there is one for each mode.

    R, K, D  the result that is listed, what it is sorted by, what can be dived into
    """

    AUTO_FOCUS = "#queries"
    rows_class: ClassVar[type[FittedRows[Any, Any]]]
    """How rows look."""
    on_rows: ClassVar = frozenset("filter sort reverse next_match previous_match".split())
    """Commands that need the rows in view."""
    on_a_result: ClassVar[frozenset[str]] = frozenset()
    """Commands that need something to be listed."""

    def __init__(self, mode: Mode = "text") -> None:
        super().__init__()
        self.mode: Mode = mode
        self.side = ""
        """The pane that is open beside the rows, as the class that shows it; empty: none is."""
        self._side_pane: Widget | None = None
        self.filter_field: FilterField[Filter] = FilterField(
            self._parse, self._use_filter, self._focus_rows
        )
        self._listings: defaultdict[Mode, RememberedRows[R, K, D]] = defaultdict(RememberedRows)
        self._paint_detail = Throttle(self, DETAIL_PAUSE, self._show_detail)

    # What a screen says of its own

    def _arrangement(self, result: R, sort: Sort[K]) -> tuple[Ints, Bools]:
        """Every row in its order, and which of them are kept."""
        raise NotImplementedError

    def _usual_sort(self, result: R) -> Sort[K]:
        """The order as long as none was chosen."""
        raise NotImplementedError

    def _table(self, result: R) -> Any:
        """What the rows are rows of."""
        return result

    def _parsed(self, result: R, text: str) -> Filter:
        """What a filter means; `InputError`: it cannot be read."""
        raise NotImplementedError

    def _faulty(self, result: R, where: str) -> tuple[Bools, str]:
        """The rows that one goes to by one key, and what is said if none is `where` one looks."""
        raise NotImplementedError

    def _signs(self) -> Mapping[str, str]:
        """What stands before the names of rows that a person said something about."""
        return {}

    def lists(self, mode: Mode, query: str) -> bool:
        """Whether a query is a row of this table, be it one that a filter hides."""
        return False

    def go_to_query(self, mode: Mode, query: str) -> None:
        """Show again what was judged, with the cursor on a query, if it is listed."""
        self.show()

    def _show_title(self) -> None:
        raise NotImplementedError

    def _show_summary(self) -> None:
        raise NotImplementedError

    def _empty_text(self) -> str:
        """What stands in place of rows."""
        raise NotImplementedError

    def _show_detail(self) -> None:
        """Show what is to be said of the row under the cursor."""

    def _fill_side(self, result: R, on: Any = None) -> None:
        """Show the result in the pane that is open beside the rows."""

    def _remember_place(self) -> None:
        """Keep what is listed, how, and on which row one is."""

    def _surface(self, dived: D) -> None:
        """Go back from what was dived into."""

    def _go_home(self) -> Callable[[], object] | None:
        """What goes to the screen that this one lies on; None: it lies on none."""
        return None

    @property
    def _filter_help(self) -> str:
        raise NotImplementedError

    @property
    def _busy(self) -> bool:
        return False

    def _stop(self) -> None:
        """Cancel what is under way."""

    # Parts

    @property
    def listing(self) -> RememberedRows[R, K, D]:
        return self._listings[self.mode]

    @property
    def queries(self) -> LineTable:
        return self.query_one("#queries", LineTable)

    @property
    def row(self) -> int | None:
        """The row under the cursor, as the result counts them."""
        return self.listing.row_at(self.queries.cursor)

    @property
    def _nouns(self) -> Nouns:
        return find_nouns(self.app)

    @property
    def _keymap(self) -> Keymap:
        return find_keymap(self.app)

    @property
    def _glyphs(self) -> Glyphs:
        return getattr(self.app, "glyphs", UNICODE)

    def on_mount(self) -> None:
        self._focus_rows()
        self.show()

    def on_resize(self) -> None:
        self.call_after_refresh(self._show_summary)  # its words depend on the width

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action == "back":
            return self._way_back() is not None
        if action == "filter" and self.filter_field.is_open:
            return False  # one types it already
        if action in self.on_rows:
            return self.listing.result is not None and not self.side
        return action not in self.on_a_result or self.listing.result is not None

    # Rows

    def show(self) -> None:
        """List the rows in their order; the cursor stays on its query."""
        listing = self.listing
        result, queries = listing.result, self.queries
        if result is None:
            queries.clear()
        else:
            sort = self._sort(result)
            place = listing.arrange(*self._arrangement(result, sort))
            look = self._glyphs, lambda: queries.line_width, self._nouns
            rows = self.rows_class(self._table(result), listing.rows, sort, *look)
            rows.signs = self._signs()
            queries.show(rows, place)
        self.show_state()

    def _sort(self, result: R) -> Sort[K]:
        return self.listing.sort or self._usual_sort(result)

    def show_state(self) -> None:
        """Say again what there is, and which keys work."""
        self._show_title()
        self._show_summary()
        self.queries.empty = self._empty_text()
        self.set_class(self.listing.result is None, "-empty")
        self.refresh_bindings()
        self._remember_place()

    @on(LineTable.Moved, "#queries")
    def _row_changed(self, event: LineTable.Moved) -> None:
        self.listing.follow(event.row)
        self._remember_place()
        self._paint_detail()

    def _focus_rows(self) -> None:
        self.set_focus(self.queries)

    # Order

    @property
    def listed(self) -> FittedRows[Any, K] | None:
        source = self.queries.source
        return source if isinstance(source, FittedRows) else None

    def action_sort(self) -> None:
        if self.listed is not None:
            self._sort_by(self.listed.next_sort())

    def action_reverse(self) -> None:
        if self.listed is not None and self.listed.sort is not None:
            self._sort_by(self.listed.sort.reversed)

    @on(LineTable.HeaderClicked, "#queries")
    def _title_clicked(self, event: LineTable.HeaderClicked) -> None:
        if self.listed is not None:
            self._sort_by(self.listed.sort_by_column(event.column))

    def _sort_by(self, sort: Sort[K] | None) -> None:
        if sort is not None:
            self.listing.sort = sort
            self.show()

    # Filter

    def action_filter(self) -> None:
        self.filter_field.open(self.listing.filter_text, self._filter_help)

    def _parse(self, text: str) -> Filter | None:
        return None if self.listing.result is None else self._parsed(self.listing.result, text)

    def _use_filter(self, text: str, chosen: Filter) -> None:
        self.listing.filter_text, self.listing.filter = text, chosen
        self.show()

    # Steps

    def action_next_match(self) -> None:
        self._go_to_faulty(1)

    def action_previous_match(self) -> None:
        self._go_to_faulty(-1)

    def _go_to_faulty(self, step: int) -> None:
        listing, here = self.listing, self.queries.cursor
        if listing.result is None:
            return
        faulty, none = self._faulty(listing.result, "below" if step > 0 else "above")
        places = faulty[listing.rows].nonzero()[0]
        ahead = places[places > here] if step > 0 else places[places < here][::-1]
        if len(ahead):
            self.queries.cursor = int(ahead[0])
        else:
            self.notify(none, markup=False)

    # A pane beside the rows, and one level back

    def _toggle_side(self, side: str, pane: Widget, on: object = None) -> None:
        if self.side == side:
            self._leave_side()
        else:
            self._open_side(side, pane, on)

    def _open_side(self, side: str, pane: Widget, on: object = None) -> None:
        """Open a pane, with the cursor on something if it has rows."""
        if self.listing.result is not None:
            self._leave_side()
            self.side, self._side_pane = side, pane
            self.add_class(f"-{side}")
            self.set_focus(pane)
            self._fill_side(self.listing.result, on)
            self.show_state()

    def _leave_side(self) -> None:
        if self.side:
            self.remove_class(f"-{self.side}")
            self.side = ""
            self._focus_rows()
            self.show_state()

    def _way_back(self) -> Callable[[], object] | None:
        """What Escape does: it leaves the field, the work under way, the pane beside the rows, what
        was dived into, the filter, the screen."""
        if self.filter_field.is_open:
            return self.filter_field.give_up
        if self._busy:
            return self._stop
        if self.side:
            return self._leave_side
        if self.listing.dived is not None:
            return partial(self._surface, self.listing.dived)
        if self.listing.filter_text:
            return partial(self.filter_field.keep, "")
        return self._go_home()

    def action_back(self) -> None:
        back = self._way_back()
        if back is not None:
            back()
            self.refresh_bindings()
