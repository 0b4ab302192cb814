"""The field below a table: rows are kept as one types, and what cannot be read is said."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar, Generic, TypeVar

from textual import on
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.widgets import Input, Static

from engine.base.errors import InputError
from engine.base.messages import fit_message
from tui.widgets.safe_input import SafeInput

F = TypeVar("F")

_LONGEST = 300
"""Characters of a filter: it is read again for every word that cannot be."""


class FilterField(Vertical, Generic[F]):
    """Owns the text while it is typed; the rows and the filter that holds are the screen's.

    Its screen hears of it at once, not by a message: the next key may be there already.

    F      what a text is read as: the filter of the rows
    parse  what a text means; None: there are no rows; `InputError`: it cannot be read
    use    keep the rows that match
    leave  the field was closed
    """

    DEFAULT_CSS: ClassVar[str] = """
    FilterField {
        height: auto;
        #filter-line { display: none; height: 1; padding: 0 1; }
        &.-open #filter-line { display: block; }
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

    def __init__(
        self,
        parse: Callable[[str], F | None],
        use: Callable[[str, F], None],
        leave: Callable[[], None],
    ) -> None:
        super().__init__()
        self._parse, self._use, self._leave = parse, use, leave
        self._before = self._now = ""
        self._note: Static | None = None
        """What is wrong; None: nothing was filtered yet, and none of this is there."""

    def _appear(self) -> Static:
        """Make the parts when they are first wanted: the first paint has no use for them."""
        if self._note is None:
            line = Horizontal(id="filter-line")
            self._note = Static(id="filter-note", markup=False)
            self.mount(line, self._note)
            label = Static("Filter ", id="filter-label")
            line.mount(label, SafeInput(id="filter", compact=True, longest=_LONGEST))
        return self._note

    @property
    def is_open(self) -> bool:
        return self.has_class("-open")

    def open(self, text: str, hint: str) -> None:
        """Type another filter in place of this one."""
        self._before = self._now = text
        self._appear()
        self.add_class("-open")
        field = self.query_one("#filter", Input)
        field.value, field.placeholder = text, hint
        self.screen.set_focus(field)  # at once: the filter may be typed already

    def keep(self, text: str) -> None:
        """Keep the rows that match; of a text that cannot be read, what stands before the error."""
        problem = ""
        while True:
            try:
                chosen = self._parse(text)
                break
            except InputError as error:
                problem = problem or str(error)
                text = text.strip().rpartition(" ")[0]
        if chosen is not None:
            self._say(problem)
            self._now = text.strip()
            self._use(self._now, chosen)

    def give_up(self) -> None:
        """As it was before it was typed."""
        self.keep(self._before)
        self.close()

    def close(self) -> None:
        if self.is_open:
            self.remove_class("-open")
            self._say("")
            self._leave()

    @on(Input.Changed, "#filter")
    def _typed(self, event: Input.Changed) -> None:
        if self.is_open:
            self.keep(event.value)

    @on(Input.Submitted, "#filter")
    def _submitted(self, event: Input.Submitted) -> None:
        # A filter that cannot be read stays open, with what is wrong below it.
        if self._now == event.value.strip():
            self.close()

    def _say(self, problem: str) -> None:
        if problem or self._note is not None:
            note = self._appear()
            note.update(Content(fit_message(problem)))
            note.display = bool(problem)
