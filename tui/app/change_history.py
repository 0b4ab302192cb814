"""Undo and redo: one stack for all that a person changes, and back to where it was changed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Protocol

from engine.base.choices import Mode
from tui.inspect.change_text import describe_change
from tui.inspect.screen import InspectScreen
from tui.look.safe import escape
from tui.shell.just_done import SaysDone
from tui.work.recorder import Recorder

if TYPE_CHECKING:
    from textual.screen import Screen

    from engine.sessions import Change, JudgementChange, QuestionChange


class ChangeHost(Protocol):
    """What of the app knows what is shown."""

    recorder: Recorder
    models: tuple[str, ...]

    @property
    def inspect_screen(self) -> InspectScreen: ...

    @property
    def screen(self) -> Screen[object]: ...

    def show_inspect(self) -> None: ...

    def show_query(self, mode: Mode, query: str) -> None: ...

    def scope_changed(self) -> None: ...

    def clear_notifications(self) -> None: ...

    def notify(self, message: str, *, timeout: float, markup: bool) -> None: ...


class ChangeHistory:
    """Takes back what was done last, whatever it was, and makes it again.

    Phrases that were remembered are in the dataset's files, not in the session: the editor of
    keywords knows them, and after which change each was made.
    """

    def __init__(self, app: ChangeHost) -> None:
        self._app = app

    @property
    def can_undo(self) -> bool:
        return self._app.recorder.can_undo or self._app.inspect_screen.editor.can_forget

    @property
    def can_redo(self) -> bool:
        return self._app.recorder.can_redo or self._app.inspect_screen.editor.can_learn_again

    def undo(self) -> None:
        self._app.inspect_screen.editor.do_in_turn(self._undo)

    def redo(self) -> None:
        self._app.inspect_screen.editor.do_in_turn(self._redo)

    def _undo(self) -> None:
        if not self._app.inspect_screen.editor.forget():
            recorder = self._app.recorder
            self._follow(recorder.undo(), recorder.redo, undone=True)

    def _redo(self) -> None:
        if not self._app.inspect_screen.editor.learn_again():
            recorder = self._app.recorder
            self._follow(recorder.redo(), recorder.undo, undone=False)

    def _follow(self, change: Change | None, back: Callable[[], object], *, undone: bool) -> None:
        """Go where it happened, and show it; `back` takes the step back in the log."""
        if change is None:
            return
        from engine.sessions import JudgementChange, QuestionChange

        app, said = self._app, self._describe(change, "Undone" if undone else "Redone")
        is_elsewhere = isinstance(change, QuestionChange) and not self._was_so_here(change)
        app.clear_notifications()  # of the undo before
        if isinstance(change, JudgementChange):
            self._go_to_judged(change)
        elif not is_elsewhere:
            self._ask_otherwise(change, back)
        if is_elsewhere:
            self._notify(f"{said} (it was not so in this window: what is asked here stays)")
        elif isinstance(app.screen, SaysDone):
            app.screen.say_done(said, undone=undone)  # last: it is said of what is asked now
        else:
            self._notify(said)

    def _describe(self, change: Change, done: str) -> str:
        from engine.sessions import QuestionChange

        screen = self._app.inspect_screen
        own = None
        if isinstance(change, QuestionChange):
            own = screen.asker.find_own_keywords(change.after)
        return describe_change(change, done, screen.question, own)

    def _notify(self, said: str) -> None:
        self._app.notify(escape(said), timeout=3, markup=False)

    def _go_to_judged(self, change: JudgementChange) -> None:
        """Where the judgement was made: the query, and the cursor on the clip."""
        app, target = self._app, change.target
        screen = app.inspect_screen
        if target.is_query:
            app.show_query(target.mode, target.query)
            return
        if app.screen is not screen and not app.screen.is_modal:
            app.show_inspect()
        if (screen.question.mode, screen.question.query) == (target.mode, target.query):
            screen.panes.judge_again()
            screen.panes.go_to(target.clip)
            return
        # Its keywords as they were; what every query is asked with has an order of its own here.
        question = screen.question.about(target.mode, target.query)
        asked = app.recorder.last_question(target.mode, target.query)
        if asked is not None:
            question = replace(
                question, keywords=asked.keywords, given=asked.given, vector=asked.vector
            )
        screen.asker.go_back_to(question, target)

    def _was_so_here(self, change: QuestionChange) -> bool:
        """Whether what every query is asked with is here as the change left it. Several windows
        share the log of a session, but each asks for itself."""
        now, left, goal = self._app.inspect_screen.question, change.before, change.after
        truth = self._app.inspect_screen.truth
        known = {*left.groups} if truth is None else {*truth.words.groups}
        is_lost = left.model not in self._app.models  # what is asked now is asked in its place
        return (
            (is_lost or left.model in (goal.model, now.model))
            and (left.groups == goal.groups or {*left.groups} & known == {*now.groups})
            and (left.left_out == goal.left_out or left.left_out == now.left_out)
            and (left.min_similarity in (goal.min_similarity, now.min_similarity))
            and (left.relevance in (goal.relevance, now.relevance))
            and (left.one_per in (goal.one_per, now.one_per))
        )

    def _ask_otherwise(self, change: QuestionChange, back: Callable[[], object]) -> None:
        """The same query as it was asked before. What every query is asked with, and every
        evaluation too, needs no other screen."""
        app = self._app
        from tui.shell.table_screen import TableScreen

        of_query = change.before.keywords != change.after.keywords
        if app.screen is not app.inspect_screen and (
            of_query or not isinstance(app.screen, TableScreen)
        ):
            app.show_inspect()
        app.inspect_screen.asker.make_again(change, back)
        app.scope_changed()
