"""The filter of the results: the field it is typed into, and a line that says what it leaves."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Static

from tui.inspect.panes import AnswerPanes
from tui.keys.keymap import find_keymap
from tui.look.safe import escape
from tui.shell.filter_field import FilterField

if TYPE_CHECKING:
    from engine.keywords.result_filter import ResultFilter
    from tui.inspect.shown_answer import ShownAnswer

_HINT = "part of the id, kw:NAME has, -NAME lacks, hit, miss, part, unjudged"


class ResultFilterBar(Vertical):
    """Below the list. The filter itself belongs to what is shown."""

    DEFAULT_CSS: ClassVar[str] = """
    ResultFilterBar {
        height: auto;
        #filter-said { display: none; height: 1; padding: 0 1; color: $text-muted; }
    }
    """

    def __init__(self, panes: AnswerPanes) -> None:
        super().__init__()
        self._panes = panes
        self._field: FilterField[ResultFilter] = FilterField(
            self._parse, lambda text, _: panes.filter(text, self._clip), self._left
        )
        self._clip: str | None = None
        """The clip on which the cursor was before anything was typed: what is half typed may not
        leave its row."""
        self._said = Static(id="filter-said", markup=False)
        panes.listed = self._tell

    def compose(self) -> ComposeResult:
        yield self._field
        yield self._said

    @property
    def is_open(self) -> bool:
        """Whether it is being typed."""
        return self._field.is_open

    @property
    def text(self) -> str:
        """The filter that holds."""
        return self._panes.shown.filtered if self._panes.shown else ""

    def open(self) -> None:
        self._clip = self._panes.results.clip or self._clip
        self._field.open(self.text, _HINT)
        self._tell(self._panes.shown)

    def give_up(self) -> None:
        """The filter as it was before it was typed."""
        self._field.give_up()

    def clear(self) -> None:
        """Show all results again."""
        self._panes.filter("", self._panes.results.clip or self._clip)
        self.screen.refresh_bindings()

    def _parse(self, text: str) -> ResultFilter | None:
        if self._panes.shown is None:
            return None
        from engine.keywords.result_filter import parse_result_filter

        return parse_result_filter(text, self._panes.shown.inspection)

    def _left(self) -> None:
        self.screen.set_focus(self._panes.results)
        self._tell(self._panes.shown)
        self.screen.refresh_bindings()

    def _tell(self, shown: ShownAnswer | None) -> None:
        """How much of the list is left, wherever the list has no title that says so."""
        if not self._said.is_attached:
            return
        self._said.display = shown is not None and bool(shown.filtered)
        if shown is not None and shown.filtered:
            count = f"{len(shown.places):,} of {shown.listable:,} listed"
            key = find_keymap(self.app).say("inspect.back")
            typed = f"{count}: enter goes to the list, {key} cancels"
            kept = f"Filter {shown.filtered}: {count}, {key} shows all"
            self._said.update(Content(escape(typed if self.is_open else kept)))
