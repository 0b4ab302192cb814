"""The query bar: a text or a clip id, with history and completion."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, TypeAlias

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal
from textual.message import Message
from textual.suggester import Suggester
from textual.widgets import Input, Static

from engine.base.choices import Mode
from engine.sessions import QueryDraft
from tui.keys.commands import make_bindings
from tui.look.nouns import OF_CLIPS, Nouns
from tui.widgets.safe_input import SafeInput, make_typable
from tui.work.completion import NOTHING_YET

if TYPE_CHECKING:
    from engine.keywords.query_keywords import QueryKeywords

_LABELS: dict[Mode, str] = {"text": "Text", "video": "Clip"}
FieldHints: TypeAlias = Mapping[Mode, str]
"""What stands in the empty field."""

CLIP_HINTS: FieldHints = {
    "text": "describe a scene, e.g. cyclist entering ego lane",
    "video": "the id of a clip, e.g. urban_bicyclist_0002",
}
ITEM_HINTS: FieldHints = {
    "text": "describe what you look for",
    "video": "the id of an item, or the number of its row",
}


class QueryBar(Horizontal):
    """One line: what kind of query, and the field it is typed into."""

    @dataclass
    class Asked(Message):
        """The user wants this query answered."""

        mode: Mode
        query: str

    def __init__(self, nouns: Nouns = OF_CLIPS, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.hints = ITEM_HINTS if nouns.has_labels else CLIP_HINTS
        self._nouns = nouns
        self.completer = NOTHING_YET
        self._mode: Mode = "text"
        self.history: dict[Mode, Sequence[str]] = {"text": (), "video": ()}
        """The queries asked before, the newest last."""
        self._meant: dict[str, str] = {}
        """What a shown text stands for, where showing it as it is would be dangerous."""

    def compose(self) -> ComposeResult:
        yield Static(_LABELS["text"], id="query-mode", markup=False)
        yield QueryField(self)

    @property
    def field(self) -> QueryField:
        return self.query_one(QueryField)

    @property
    def mode(self) -> Mode:
        return self._mode

    @mode.setter
    def mode(self, mode: Mode) -> None:
        self._mode = mode
        self.query_one("#query-mode", Static).update(self._nouns.spell(_LABELS[mode]))
        self.field.placeholder = self.hints[mode]
        self.field.placed = None

    def show(self, mode: Mode, query: str) -> None:
        """Put a query into the field, as if it had been typed."""
        self.mode = mode
        self.field.value = self.shown(query)
        self.field.cursor_position = len(self.field.value) if self.field.has_focus else 0

    def shown(self, query: str) -> str:
        """The query as it may stand in the field."""
        text = make_typable(query)
        if text != query:
            self._meant[text] = query
        return text

    def meant(self, text: str) -> str:
        """The query that the text in the field stands for."""
        return self._meant.get(text, text)

    def begin(self, mode: Mode) -> None:
        """Let the user type a query of this kind."""
        if mode != self._mode:
            self.mode = mode
            self.field.value = ""
        self.take_focus()

    def find_draft(self, answered: QueryKeywords | None) -> QueryDraft | None:
        """The query in the field, unless it is the one that is answered."""
        mode, query = self._mode, self.meant(self.field.value)
        if not query or (answered and (answered.mode, answered.query) == (mode, query)):
            return None
        return QueryDraft(mode, query)

    def go_on_with(self, draft: QueryDraft, *, takes_focus: bool) -> None:
        """Let the user type a query to its end."""
        is_asked = self.find_draft(None) == draft
        self.show(draft.mode, draft.text)
        if takes_focus and not is_asked:
            self.take_focus()
            # Once the focus is there it selects all: the next key would wipe that out.
            self.field.call_later(self.field.action_end)

    def take_focus(self) -> None:
        """At once, not in the next message: what is typed behind "/" may be here already."""
        self.screen.set_focus(self.field)

    def complete(self, typed: str) -> str | None:
        if self._mode == "video":
            found = self.completer.clip(typed)
        else:
            found = self.completer.text(typed, self.history["text"])
        return None if found is None else self.shown(found)


class _Completing(Suggester):
    def __init__(self, bar: QueryBar) -> None:
        super().__init__(use_cache=False, case_sensitive=True)
        self._bar = bar

    async def get_suggestion(self, value: str) -> str | None:
        return self._bar.complete(value)


class QueryField(SafeInput):
    """The field itself. Printable keys are typed, whatever else they are bound to."""

    BINDINGS: ClassVar[list[BindingType]] = [*make_bindings("query")]
    jump_key = "q"
    pane = "query"

    def __init__(self, bar: QueryBar) -> None:
        super().__init__(
            placeholder=bar.hints["text"],
            suggester=_Completing(bar),
            compact=True,
            select_on_focus=True,
            id="query-field",
        )
        self._bar = bar
        self.placed: int | None = None
        """Where in the history the shown query stands, if it was taken from there."""
        self._draft = ""

    def on_blur(self) -> None:
        """What is longer than the field is read from its beginning."""
        self.cursor_position = 0

    def on_input_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self.placed = None
        query = " ".join(event.value.split()) if self._bar.mode == "text" else event.value.strip()
        if query:
            self._bar.post_message(QueryBar.Asked(self._bar.mode, self._bar.meant(query)))

    def action_complete(self) -> None:
        # Without a completion one stays: what is typed next is meant for the field.
        if self._suggestion and self.cursor_position == len(self.value):
            self.action_cursor_right()
        elif not self.value:
            self.screen.focus_next()

    def action_older(self) -> None:
        history = self._bar.history[self._bar.mode]
        if self.placed is None:
            self._draft = self.value
            self.placed = len(history)
            if history and history[-1] == self.value:
                self.placed -= 1
        self._show_place(self.placed - 1)

    def action_newer(self) -> None:
        if self.placed is not None:
            self._show_place(self.placed + 1)

    def _show_place(self, place: int) -> None:
        history = self._bar.history[self._bar.mode]
        if not 0 <= place <= len(history):
            return
        self.placed = None if place == len(history) else place
        older = place < len(history)
        self.value = self._bar.shown(history[place]) if older else self._draft
        self.cursor_position = len(self.value)

    def action_toggle_mode(self) -> None:
        self._bar.begin("video" if self._bar.mode == "text" else "text")
