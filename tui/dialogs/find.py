"""Find one of many by typing a part of its name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Final, NamedTuple

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.widgets import Input, OptionList
from textual.widgets.option_list import Option

from tui.dialogs.dialog import ListDialog
from tui.look.safe import escape
from tui.widgets.safe_input import SafeInput

MOST_SHOWN: Final = 200
"""Lines of the list; who needs more types another letter."""


class FindEntry(NamedTuple):
    """What can be found: its name, a few words about it, and what the dialog answers."""

    name: str
    about: str
    answer: str


def find_matches(choices: Sequence[FindEntry], typed: str) -> list[FindEntry]:
    """Those whose name holds the text, the ones that begin with it first.

    >>> names = [FindEntry(name, "", name) for name in ("large vehicle", "vehicle", "bus")]
    >>> [found.name for found in find_matches(names, "VE")]
    ['vehicle', 'large vehicle']
    """
    wanted = typed.strip().lower()
    holds = [found for found in choices if wanted in found.name.lower()]
    return sorted(holds, key=lambda found: not found.name.lower().startswith(wanted))


class FindDialog(ListDialog):
    """A field and the names that match it; Enter answers with the one that is highlighted."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("down", "move('down')", "Down"),
        Binding("up", "move('up')", "Up"),
    ]

    def __init__(self, title: str, does: str, choices: Sequence[FindEntry]) -> None:
        """`does`: what Enter does, for the frame."""
        super().__init__()
        self._title, self._does, self._choices = title, does, choices
        self._matching: list[FindEntry] = []

    def compose(self) -> ComposeResult:
        field = SafeInput(placeholder="a part of its name")
        listed = OptionList(markup=False, classes="found")
        listed.can_focus = False
        yield self._box(self._title, f"Enter {self._does}, Escape leaves", field, listed)

    def on_mount(self) -> None:
        self._show("")

    @on(Input.Changed)
    def _typed(self, event: Input.Changed) -> None:
        self._show(event.value)

    def _show(self, typed: str) -> None:
        self._matching = find_matches(self._choices, typed)
        listed = self.query_one(OptionList)
        listed.clear_options()
        listed.add_options([Option(_line(found)) for found in self._matching[:MOST_SHOWN]])
        listed.highlighted = 0 if self._matching else None

    def action_pick(self, number: int) -> None:
        self.dismiss(self._matching[number].answer)

    @on(Input.Submitted)
    def _taken(self, event: Input.Submitted) -> None:
        event.stop()
        # What is typed counts, also if the list has not caught up with it yet.
        place = self.query_one(OptionList).highlighted or 0
        found = find_matches(self._choices, event.value)
        same = found == self._matching
        if found:
            self.dismiss(found[place if same else 0].answer)
        else:
            self.notify("Nothing has that name.", severity="warning", markup=False)


def _line(found: FindEntry) -> Content:
    return Content.assemble(escape(found.name), ("  " + escape(found.about), "$quiet"))
