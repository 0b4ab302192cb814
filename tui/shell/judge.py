"""Judging: a bias case with its reason, and a note that is not lost on the way."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

from tui.look.nouns import Nouns
from tui.work.recorder import Recorder

if TYPE_CHECKING:
    from textual.app import App

    from engine.keywords.judgement import Judgement, JudgementContext, Mark, Reason, Target
    from engine.sessions import NoteDraft


class Subject(Protocol):
    """What is judged, what was said about it, what is seen meanwhile, and how it is called."""

    @property
    def target(self) -> Target: ...

    @property
    def judgement(self) -> Judgement: ...

    @property
    def seen(self) -> JudgementContext: ...

    @property
    def name(self) -> str: ...


S = TypeVar("S", bound=Subject)


def _go_nowhere() -> None:
    """After it the cursor stays."""


class Judge(Generic[S]):
    """Asks what there is to say about a result or a query, and writes it into the session."""

    def __init__(self, recorder: Recorder, nouns: Nouns) -> None:
        self._recorder = recorder
        self._nouns = nouns

    # What there is to say of its own

    @property
    def _app(self) -> App[Any]:
        raise NotImplementedError

    def _look_again(self, here: S) -> S:
        """The same with what is said about it by now."""
        raise NotImplementedError

    def _tell(self, here: S, done: str) -> None:
        """Show what is said now, and say so in the title."""
        raise NotImplementedError

    def _keep_draft(self, draft: NoteDraft | None) -> None:
        """A note that is not finished is there again after a lost connection."""
        self._recorder.place.remember_note(draft)

    # Marks

    def _mark(self, here: S, mark: Mark | None, reason: Reason | None = None) -> bool:
        from engine.keywords.judgement import Judgement

        def change(said: Judgement) -> Judgement:
            if (said.mark, said.reason) == (mark, reason):
                return said
            return replace(said, mark=mark, reason=reason, seen=here.seen)  # the note stays

        return self._judge(here, change, Judgement(mark, reason).mark_in_words or "unmarked")

    def _ask_why(self, here: S, then: Callable[[], None] = _go_nowhere) -> None:
        """Ask why it is a bias case, then mark it, whatever is under the cursor by now."""
        from tui.dialogs.reasons import ask_for_reason

        def chosen(reason: Reason, wants_note: bool) -> None:
            if not self._mark(here, "bias", reason):
                return
            if wants_note:
                marked = self._look_again(here)
                self._ask_for_note(marked, self._read_note(marked), then)
            else:
                then()

        current = here.judgement.reason
        ask_for_reason(self._app, self._nouns, here.target, current, chosen)

    # Notes

    def _note(self, here: S) -> None:
        """Ask for a note, or go on with one that is not finished."""
        draft = self._recorder.place.note_draft
        goes_on = draft is not None and draft.target == here.target
        self._ask_for_note(here, draft.text if draft and goes_on else self._read_note(here))

    def _read_note(self, here: S) -> str:
        """As it is in the session, where another window may have written it just now."""
        return self._recorder.read_judgement(here.target, here.judgement).note

    def _ask_for_note(self, here: S, text: str, then: Callable[[], None] = _go_nowhere) -> None:
        """Ask for the note of this very one, wherever the cursor is by now; `then` go on."""
        from tui.dialogs.basic_dialogs import NoteEditor

        before = self._read_note(here)

        def written(note: str | None) -> None:
            # What was not touched here is not written over what another window wrote meanwhile.
            is_new = note is not None and note.strip() != before
            if note is not None and is_new and not self._write_note(here, note.strip()):
                self._ask_for_note(here, note, then)  # what was typed is not lost
                return
            self._keep_draft(None)  # last: until it is saved the note is a draft
            then()

        def typed(text: str) -> None:
            from engine.sessions import NoteDraft

            self._keep_draft(NoteDraft(here.target, text))

        typed(text)
        self._app.push_screen(NoteEditor(f"Note on {here.name}", text, typed), written)

    def _write_note(self, here: S, note: str) -> bool:
        def change(said: Judgement) -> Judgement:
            if said.note == note:
                return said
            # The mark stays, and what was seen when it was made.
            return replace(said, note=note, seen=said.seen or here.seen)

        return self._judge(here, change, "note" if note else "no note")

    def _judge(self, here: S, change: Callable[[Judgement], Judgement], done: str) -> bool:
        """Whether it is so now; what was so before is no change.

        It is a change of what the session says by then: several windows may judge the same, and
        what was said when a dialog opened may be outdated.
        """
        said = self._recorder.read_judgement(here.target, here.judgement)
        if change(said) == said:
            return True
        saved = self._recorder.judge(here.target, change)
        if saved:
            self._tell(here, done)
        return saved
