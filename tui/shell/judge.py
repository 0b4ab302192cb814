"""Judging: a bias case with its reason, and a note that is not lost on the way."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

from engine.keywords.judgement import Judgement, JudgementContext, Mark, Reason, Target
from engine.sessions import NoteDraft
from tui.look.nouns import Nouns
from tui.work.recorder import Recorder

if TYPE_CHECKING:
    from textual.app import App


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
        """Show what is said now, and by which key that is undone."""
        raise NotImplementedError

    def _keep_draft(self, draft: NoteDraft | None) -> None:
        """A note that is not finished is there again after a lost connection."""
        self._recorder.place.remember_note(draft)

    # Marks

    def _mark(self, here: S, mark: Mark | None, reason: Reason | None = None) -> bool:
        # The note stays.
        judgement = replace(here.judgement, mark=mark, reason=reason, seen=here.seen)
        return self._judge(here, judgement, judgement.mark_in_words or "unmarked")

    def _ask_why(self, here: S, then: Callable[[], None] = _go_nowhere) -> None:
        """Ask why it is a bias case, then mark it, whatever is under the cursor by now."""
        from tui.dialogs.reasons import ask_for_reason

        def chosen(reason: Reason, wants_note: bool) -> None:
            if not self._mark(here, "bias", reason):
                return
            if wants_note:
                marked = self._look_again(here)
                self._ask_for_note(marked, marked.judgement.note, then)
            else:
                then()

        mode, current = here.target.mode, here.judgement.reason
        ask_for_reason(self._app, self._nouns, mode, current, chosen)

    # Notes

    def _note(self, here: S) -> None:
        """Ask for a note, or go on with one that is not finished."""
        draft = self._recorder.place.note_draft
        goes_on = draft is not None and draft.target == here.target
        self._ask_for_note(here, draft.text if draft and goes_on else here.judgement.note)

    def _ask_for_note(self, here: S, text: str, then: Callable[[], None] = _go_nowhere) -> None:
        """Ask for the note of this very one, wherever the cursor is by now; `then` go on."""
        from tui.dialogs.basic_dialogs import NoteEditor

        before = here.judgement

        def written(note: str | None) -> None:
            if note is not None and note.strip() != before.note:
                # The mark stays, and what was seen when it was made.
                judgement = replace(before, note=note.strip(), seen=before.seen or here.seen)
                if not self._judge(here, judgement, "note" if judgement.note else "no note"):
                    self._ask_for_note(here, note, then)  # what was typed is not lost
                    return
            self._keep_draft(None)  # last: until it is saved the note is a draft
            then()

        def typed(text: str) -> None:
            self._keep_draft(NoteDraft(here.target, text))

        typed(text)
        self._app.push_screen(NoteEditor(f"Note on {here.name}", text, typed), written)

    def _judge(self, here: S, judgement: Judgement, done: str) -> bool:
        """Whether it is so now; what was so before is no change."""
        if judgement == replace(here.judgement, seen=judgement.seen):
            return True
        saved = self._recorder.judge(here.target, judgement)
        if saved:
            self._tell(here, done)
        return saved
