"""Inspect: ask a query, step through its results, see why each was returned, and judge them."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

from textual import on
from textual.binding import BindingType
from textual.widgets import Input

from engine.base.errors import InputError
from tui.frames.frames_row import FramesRow
from tui.inspect.asking import InspectAsking
from tui.inspect.files import Files
from tui.inspect.inquiry import Inquiry, similarity_of
from tui.inspect.keyword_bar import KeywordBar
from tui.inspect.marks import Marks
from tui.inspect.picker import Picker
from tui.inspect.query_bar import QueryBar
from tui.inspect.results import Results
from tui.keys.commands import bindings


class InspectScreen(InspectAsking):
    """The home screen."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings("inspect")]
    pane = "inspect"

    def __init__(self, inquiry: Inquiry) -> None:
        super().__init__(inquiry)
        self._marks = Marks(self)
        self._files = Files(self)

    def on_mount(self) -> None:
        self.results.act = self._act

    # Keywords and groups

    @on(Picker.Chose)
    def _chose_groups(self, event: Picker.Chose) -> None:
        self.ask(self.inquiry.with_groups(event.groups, event.left_out))

    @on(Picker.Toggled)
    def _toggled_keyword(self, event: Picker.Toggled) -> None:
        if self.inquiry.query:
            self.edit_keywords([(event.keyword, None)])
        else:
            first = self.host.nouns.spell("Ask a query first: / for a text, c for a clip.")
            self.notify(first, markup=False)

    @on(KeywordBar.Dropped)
    def _dropped(self, event: KeywordBar.Dropped) -> None:
        self.edit_keywords([(event.keyword, not event.dropped)])

    @on(KeywordBar.Restored)
    def _restored(self) -> None:
        self.restore_keywords()

    @on(KeywordBar.AddWanted)
    def _add_wanted(self) -> None:
        """Find a keyword by its name, and add it."""
        add = lambda keyword: self.edit_keywords([(keyword, True)])  # noqa: E731
        self.query_one(Picker).find(self.host.nouns.spell("Add a keyword"), "adds it", add)

    def action_pick(self) -> None:
        self.add_class("-picking")
        self.set_focus(self.query_one(Picker))

    # Judging

    def _act(self, action: str) -> None:
        """The commands of the list, by the name of their action."""
        {
            "mark_bias": self._marks.mark_bias,
            "mark_relevant": lambda: self._marks.mark("relevant"),
            "mark_not_relevant": lambda: self._marks.mark("not relevant"),
            "clear_mark": lambda: self._marks.mark(None),
            "note": self._marks.note,
            "more_like_this": self._more_like_this,
            "play": self._play,
            "open_clip": self._files.open_clip,
        }[action]()

    # The other commands

    def action_ask_text(self) -> None:
        self.query_one(QueryBar).begin("text")

    def action_ask_clip(self) -> None:
        self.query_one(QueryBar).begin("video")

    def action_edit_keywords(self) -> None:
        self.set_focus(self.query_one(KeywordBar))

    def action_toggle_missed(self) -> None:
        if self.inspected is not None:
            self._list_missed = not self.inspected.missed
            self.inspected = replace(self.inspected, missed=self._list_missed)
            self._show_list(self.results.clip)

    def action_least_similarity(self) -> None:
        from tui.dialogs.dialogs import Ask

        def typed(text: str | None) -> None:
            if text is None:
                return
            try:
                self.ask(self.inquiry.with_least(similarity_of(text)))
            except InputError as error:
                self.host.tell(error)

        now = self.inquiry.min_similarity
        hint = "results below it are shown, but do not count; empty: all count"
        asking = Ask(
            "Least similarity", "" if now is None else f"{now:g}", hint, does="sets it", longest=20
        )
        self.app.push_screen(asking, typed)

    def action_all_metrics(self) -> None:
        from engine.metrics import SYMBOLS
        from tui.dialogs.dialogs import Shown
        from tui.inspect.metric_lines import metric_table

        if self.inspected is not None:
            language = self.host.services.language
            lines = metric_table(self.inspected.pairs, language, SYMBOLS, self.host.glyphs)
            self.app.push_screen(Shown("Metrics of this query", lines))

    def action_toggle_frames(self) -> None:
        if self.host.images.drawing == "off":
            self.notify(f"No frames here: {self.host.images.reason}", markup=False)
        elif self.truth is not None and not self.host.services.has_media:
            self.notify(NO_MEDIA, markup=False)
        else:
            self.host.frames_wanted = not self.query_one(FramesRow).display
            self._show_frames(self.host.frames_wanted)

    def action_copy(self) -> None:
        self._files.copy()

    def action_write(self) -> None:
        self._files.write()

    def _more_like_this(self) -> None:
        clip = self.results.clip
        if clip is not None:
            self.dived = ""
            self.ask(self.inquiry.about("video", clip))

    def _play(self) -> None:
        row = self.query_one(FramesRow)
        if not row.display:
            self.action_toggle_frames()
        if row.display:
            self._show_result_frames()
            self.call_after_refresh(row.play)

    def action_next_query(self) -> None:
        self._step_query(1)

    def action_previous_query(self) -> None:
        self._step_query(-1)

    def _step_query(self, step: int) -> None:
        """Through the evaluated set if the query came from there, else back and forth through
        what was asked."""
        if self.dived:
            self.host.open_neighbour(step)
            return
        found = self._trail.step(step)
        if found is not None:
            self.ask(self.inquiry.about(*found))
        else:
            self.notify(f"No {'later' if step > 0 else 'earlier'} query.", markup=False)

    def action_back(self) -> None:
        """One level back."""
        if not isinstance(self.focused, Results):
            if isinstance(self.focused, Input):  # what was typed and not asked goes
                self.query_one(QueryBar).show(self.inquiry.mode, self.inquiry.query)
                if self.inspection is not None and not self.host.services.asking:
                    self._show_keywords(self.inspection)
            self.set_focus(self.results)
        elif self.inspected is not None and self.inspected.missed:
            self.action_toggle_missed()
        elif self.dived:
            self.host.surface()

    def on_descendant_focus(self) -> None:
        self.set_class(isinstance(self.focused, Picker), "-picking")

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action in ("ask_text", "ask_clip"):
            # In a field one types already; the picker has a search of its own.
            return not isinstance(self.focused, Input | Picker)
        if action == "all_metrics":
            return self.inspected is not None and bool(self.inspected.pairs)
        if action in _ABOUT_AN_ANSWER:
            return self.inspected is not None
        if action == "toggle_missed":
            return self.inspection is not None and self.inspection.relevant > 0
        if action == "back":
            missed = self.inspected is not None and self.inspected.missed
            return not isinstance(self.focused, Results) or missed or bool(self.dived)
        return True


NO_MEDIA = (
    "No item has media: a column video_path or gif_path in the table of labels would name it."
)
_ABOUT_AN_ANSWER = frozenset("edit_keywords copy write next_query previous_query".split())
