"""What dialogs stand on. A dialog is answered once: a key that was pressed twice must not close
what lies below."""

from __future__ import annotations

from typing import ClassVar, TypeVar

from textual import on
from textual.await_complete import AwaitComplete
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.widget import Widget
from textual.widgets import OptionList

from tui.look.safe import escape

Result = TypeVar("Result")


class OneAnswerScreen(ModalScreen[Result]):
    """A modal screen of which only the first answer counts."""

    _answered = False

    def dismiss(self, result: Result | None = None) -> AwaitComplete:
        if self._answered or not self.is_current:
            return AwaitComplete()  # nothing to wait for
        self._answered = True
        return super().dismiss(result)


class ScrollingScreen(OneAnswerScreen[None]):
    """Something long to read: the same keys scroll its one `VerticalScroll` wherever it is."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("j,down", "move('down')", "Down"),
        Binding("k,up", "move('up')", "Up"),
        Binding("ctrl+d,space,pagedown", "move('page_down')", "Page down"),
        Binding("ctrl+u,pageup", "move('page_up')", "Page up"),
        Binding("g,home", "move('home')", "First"),
        Binding("G,end", "move('end')", "Last"),
    ]

    def action_move(self, where: str) -> None:
        getattr(self.query_one(VerticalScroll), f"scroll_{where}")(animate=False)


class Dialog(OneAnswerScreen[Result]):
    """A box with a title above and its keys below; Escape leaves without an answer."""

    CSS_PATH = "dialogs.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "dismiss(None)", "Back")]

    def _box(self, title: str, keys: str, *children: Widget) -> Vertical:
        box = Vertical(*children, classes="box")
        box.border_title = Content(escape(title))
        box.border_subtitle = Content(keys)
        return box


class ListDialog(Dialog[str]):
    """One of a list, also where the list does not have the focus."""

    def action_pick(self, number: int) -> None:
        raise NotImplementedError

    def action_move(self, where: str) -> None:
        getattr(self.query_one(OptionList), f"action_cursor_{where}")()

    @on(OptionList.OptionSelected)
    def _picked(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        self.action_pick(event.option_index)
