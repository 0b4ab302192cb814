"""Judging in Inspect: marks, reasons and notes for the result under the cursor."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tui.inspect.panes import AnswerPanes
from tui.keys.keymap import find_keymap
from tui.look.safe import escape
from tui.shell.judge import Judge

if TYPE_CHECKING:
    from textual.app import App

    from engine.keywords.judgement import Mark
    from engine.keywords.question import Question
    from engine.sessions import NoteDraft
    from tui.inspect.host import InspectHost
    from tui.inspect.shown_answer import SelectedResult


class ResultJudge(Judge["SelectedResult"]):
    """Asks what there is to say about a result, and goes on to the next."""

    def __init__(
        self, panes: AnswerPanes, host: InspectHost, asked: Callable[[], Question]
    ) -> None:
        """`asked`: what is asked now."""
        super().__init__(host.recorder, host.nouns)
        self._panes = panes
        self._host = host
        self._asked = asked
        self._told_of: NoteDraft | None = None
        """The note that is not finished, if the user knows of it."""
        self._said = ""
        """What was done last."""

    def begin_anew(self) -> None:
        """Another session is looked at: of a note that is not finished there one has to hear."""
        self._told_of = None

    # Of its own

    @property
    def _app(self) -> App[Any]:
        return self._panes.results.app

    def _look_again(self, here: SelectedResult) -> SelectedResult:
        return self._panes.find(here.target) or here

    def _tell(self, here: SelectedResult, done: str) -> None:
        self._panes.judge_again()
        self._said = f"{done} on #{here.place + 1:,} {here.clip}"
        asked = self._asked()
        if (asked.mode, asked.query) != (here.target.mode, here.target.query):
            # Its answer stands while another query waits, below whose name this is read.
            self._said += f" for “{here.target.query}”"
        self._host.say_done(self._said)

    def _keep_draft(self, draft: NoteDraft | None) -> None:
        self._told_of = draft
        super()._keep_draft(draft)

    # Commands

    def mark(self, mark: Mark | None) -> None:
        """Mark the result and go on to the next unjudged miss; None takes the mark off."""
        here = self._panes.selected
        if here is not None and self._mark(here, mark) and mark is not None:
            self._go_on(here)

    def _go_on(self, here: SelectedResult) -> None:
        """To what is to be judged next, unless the user is elsewhere by now; where there is
        nothing, say so."""
        now = self._panes.selected
        if now is None or now.target != here.target:
            return
        if not self._panes.results.go_to_unjudged() and self._said:
            self._host.say_done(f"{self._said}, none left below")

    def mark_bias(self) -> None:
        """Ask why, then mark."""
        here = self._panes.selected
        if here is not None:
            self._ask_why(here, lambda: self._go_on(here))

    def note(self) -> None:
        """Ask for a note; the cursor stays."""
        here = self._panes.selected
        if here is not None:
            self._note(here)

    def go_on_with_note(self, can_open: bool) -> None:
        """Open the editor again that was open when the session was left, once its result is there;
        if one does something else by then, only say that it waits."""
        place = self._recorder.place
        draft = place.note_draft
        if draft is None or draft == self._told_of:
            return
        target = draft.target
        if target.is_query and place.has_table:
            return  # it is for the table, which lies over the results
        here = self._panes.find(target)
        if here is not None and can_open:
            self._ask_for_note(here, draft.text)
            return
        self._told_of = draft
        keymap = find_keymap(self._host)
        if target.is_query:
            where = f"{keymap.say('evaluate.note')} on the row of “{target.query}” in Evaluate"
        else:
            where = f"{keymap.say('results.note')} on {target.clip}, found for “{target.query}”,"
        self._host.warn(escape(f"A note is not finished; {where} goes on with it: {draft.text}"))
