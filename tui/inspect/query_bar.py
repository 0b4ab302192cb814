"""The query bar: a text or a clip id, with history and completion."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, TypeAlias

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal
from textual.message import Message
from textual.suggester import Suggester
from textual.widgets import Input, Static

from engine.base.choices import Mode
from engine.base.errors import InputError
from engine.base.visible import spell_message
from engine.keywords.joint_query import JointQuery
from tui.keys.commands import make_bindings
from tui.look.nouns import OF_CLIPS, Nouns
from tui.look.safe import escape
from tui.widgets.safe_input import SafeInput, make_typable
from tui.work.completion import NOTHING_YET

if TYPE_CHECKING:
    from engine.dataset.examples import Examples
    from engine.keywords.query_keywords import QueryKeywords
    from engine.sessions import QueryDraft
    from tui.inspect.clip_chooser import ClipChooser
    from tui.work.bench import OpenModel

_LABELS: dict[Mode, str] = {
    "text": "Text",
    "video": "Clip",
    "joint": "Both",
    "vector": "Vec",
}
_RARE_HINTS: Mapping[Mode, str] = {
    "joint": '"a text" + "the id of a clip", alpha 0.5',
    "vector": "vectors come from tui-eval search --vector FILE --inspect",
}
FieldHints: TypeAlias = Mapping[Mode, str]
"""What stands in the empty field."""

CLIP_HINTS: FieldHints = {
    "text": "describe a scene",
    "video": "a part of the id of a clip, or of its keywords",
    **_RARE_HINTS,
}
ITEM_HINTS: FieldHints = {
    "text": "describe what you look for",
    "video": "a part of the id of an item or of its label, or the number of its row",
    **_RARE_HINTS,
}

NO_TEXTS = "texts need an encoder of these embeddings' space: --encoder FOLDER"


def add_examples(hints: FieldHints, examples: Examples) -> FieldHints:
    """The hints with what one could type, in the dataset's own words."""
    typed: dict[Mode, str] = {"text": examples.text, "video": examples.clip}
    return {
        mode: f"{hint}, e.g. {escape(typed[mode])}" if typed.get(mode) else hint
        for mode, hint in hints.items()
    }


class QueryBar(Horizontal):
    """One line: what kind of query, and the field it is typed into."""

    @dataclass
    class Asked(Message):
        """The user wants this query answered."""

        mode: Mode
        query: str

    def __init__(
        self,
        make_chooser: Callable[[], ClipChooser],
        nouns: Nouns = OF_CLIPS,
        *,
        id: str | None = None,
    ) -> None:
        super().__init__(id=id)
        self.hints = ITEM_HINTS if nouns.has_labels else CLIP_HINTS
        self._nouns = nouns
        self.completer = NOTHING_YET
        self._make_chooser = make_chooser
        self.chooser: ClipChooser | None = None
        """Lists the clips that match while one is typed; None: none was typed yet."""
        self.model = ""
        """Whose clips these are."""
        self._mode: Mode = "text"
        self.history: dict[Mode, Sequence[str]] = dict.fromkeys(_LABELS, ())
        """The queries asked before, the newest last."""
        self._shown_query: str | None = None
        """What was put into the field, as long as nobody has begun to change it."""
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
        self.list_clips()

    def show_examples(self, model: OpenModel) -> None:
        """Say in the empty field what could be typed."""
        hints = ITEM_HINTS if self._nouns.has_labels else CLIP_HINTS
        self.hints = add_examples(hints, model.examples)
        if not model.takes_texts:
            self.hints = {**self.hints, "text": NO_TEXTS}
        self.field.placeholder = self.hints[self._mode]

    def show(self, mode: Mode, query: str) -> None:
        """Put a query into the field, as if it had been typed."""
        self._shown_query = self.shown(query)
        self.mode = mode
        self.field.value = self._shown_query
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
        from engine.sessions import QueryDraft

        return QueryDraft(mode, query)

    def go_on_with(self, draft: QueryDraft, *, takes_focus: bool) -> None:
        """Let the user type a query to its end."""
        is_asked = self.find_draft(None) == draft
        self.show(draft.mode, draft.text)
        self._shown_query = None
        if takes_focus and not is_asked:
            self.take_focus()
            # Once the focus is there it selects all: the next key would wipe that out.
            self.field.call_later(self.field.action_end)

    def list_clips(self) -> None:
        """List the clips that match what is typed, as long as one is typed; all of them where only
        the query before stands there, selected, to be typed over."""
        is_typed = self._mode == "video" and self.screen.focused is self.field
        if self.chooser is None:
            if not is_typed or not self.screen.is_attached:  # an app that ends lets go of it first
                return
            self.chooser = self._make_chooser()
            self.screen.mount(self.chooser)
        was_listed = self.chooser.display
        if is_typed:
            self.chooser.look_for(self._typed, self.model)
        else:
            self.chooser.leave()
        if self.chooser.display != was_listed:
            self.screen.refresh_bindings()

    @property
    def _typed(self) -> str:
        """What a list of clips is to match."""
        value = self.field.value
        return "" if value == self._shown_query else self.meant(value)

    async def choose_clip(self, typed: str) -> str | None:
        """The clip of the list that is meant; None: what is typed is the query itself."""
        if self.chooser is None or self._mode != "video":
            return None
        # Of the whole list beside the query before, a line is meant only if one was chosen.
        is_chosen = self.chooser.has_moved and typed == self.field.value
        return await self.chooser.choose(self._typed if is_chosen else self.meant(typed))

    def take_focus(self) -> None:
        """At once, not in the next message: what is typed behind "/" may be here already."""
        self.screen.set_focus(self.field)

    def complete(self, typed: str) -> str | None:
        if self._mode == "video":
            found = self.completer.clip(typed)
        elif self._mode != "text":
            return None
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

    @property
    def quiet_actions(self) -> tuple[str, ...]:
        """What the footer leaves out."""
        return () if self._moves_in_list else ("newer",)

    @property
    def titles_here(self) -> Mapping[str, str]:
        """What keys of the history do while clips are listed."""
        if not self._moves_in_list:
            return {}
        chooser = self._bar.chooser
        is_below = chooser is not None and chooser.is_below_first
        return {"newer": "Next", **({"older": "Previous"} if is_below else {})}

    @property
    def _moves_in_list(self) -> bool:
        chooser = self._bar.chooser
        return self.placed is None and chooser is not None and chooser.display

    def on_focus(self) -> None:
        self._bar.list_clips()

    def on_blur(self) -> None:
        """What is longer than the field is read from its beginning."""
        self.cursor_position = 0
        if self._bar.chooser is not None:
            self._bar.chooser.leave()

    def on_input_changed(self) -> None:
        self._bar.list_clips()

    async def on_input_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self.placed = None
        query = " ".join(event.value.split()) if self._bar.mode == "text" else event.value.strip()
        asked = await self._bar.choose_clip(event.value) or self._bar.meant(query)
        if asked and self._bar.mode == "joint":
            asked = self._tidy_joint(asked)
        if asked:
            self._bar.post_message(QueryBar.Asked(self._bar.mode, asked))

    def _tidy_joint(self, typed: str) -> str:
        """A text with a clip as it is always written; empty, and said, if it is none."""
        try:
            return str(JointQuery.parse(typed))
        except InputError as error:
            self.notify(spell_message(str(error)), severity="warning", markup=False)
            return ""

    def action_complete(self) -> None:
        # Without a completion one stays: what is typed next is meant for the field.
        if self._suggestion and self.cursor_position == len(self.value):
            self.action_cursor_right()
        elif not self.value:
            self.screen.focus_next()

    def action_older(self) -> None:
        """In a list of clips one up; above its first line is what was asked before."""
        chooser = self._bar.chooser
        if chooser is not None and chooser.is_below_first:
            chooser.move_by(-1)
            self.refresh_bindings()
            return
        history = self._bar.history[self._bar.mode]
        if self.placed is None:
            self._draft = self.value
            self.placed = len(history)
            if history and history[-1] == self.value:
                self.placed -= 1
        self._show_place(self.placed - 1)

    def action_newer(self) -> None:
        chooser = self._bar.chooser
        if chooser is not None and self._moves_in_list:
            chooser.move_by(1)
            self.refresh_bindings()
        elif self.placed is not None:
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
