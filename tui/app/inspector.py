"""The inspector: the app that owns the screens, and what they share. Wiring only."""

from __future__ import annotations

import gc
import os
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from textual.screen import Screen

from engine.base.mode import Mode
from engine.base.progress import Report
from engine.sessions import Change
from tui.dialogs.too_small import watch_size
from tui.frames.images import choose_images
from tui.inspect.inquiry import Inquiry
from tui.inspect.judging import change_in_words
from tui.inspect.screen import InspectScreen
from tui.look.nouns import nouns_of
from tui.look.safe import safe
from tui.look.words import counted
from tui.opening.start import Start
from tui.shell.base_app import BaseApp
from tui.widgets.title_bar import TitleBar
from tui.work.recorder import LOOK_AFTER, Recorder
from tui.work.scope import Scope
from tui.work.services import ModelReport, Opened, Services

if TYPE_CHECKING:
    from engine.base.arrays import Ints
    from engine.compare.saved_side import SavedSide
    from engine.compare.table import CompareTable
    from engine.dataset.ground_truth import GroundTruth
    from engine.keywords.evaluated import Evaluated
    from engine.labels.confused import Confused
    from engine.text.encoder import State
    from tui.compare.screen import CompareScreen
    from tui.evaluate.screen import EvaluateScreen
    from tui.sessions.screen import SessionsScreen
    from tui.work.evaluating import Curves


class InspectorApp(BaseApp):
    """tui-eval's screens over one dataset."""

    # A style sheet of the screen alone would not be read.
    CSS_PATH = Path(__file__).parents[1] / "inspect" / "inspect.tcss"
    places = ("inspect", "evaluate", "sessions", "compare")

    def __init__(self, start: Start) -> None:
        super().__init__(start.theme, start.keymap, ascii=start.ascii)
        self._start = start
        self.nouns = nouns_of(start.dataset)
        self.images = choose_images(
            start.images, os.environ, is_ascii=start.ascii, no_color=self.no_color
        )
        policies = start.request.policies if start.request is not None else None
        self.services = Services(start.dataset, start.encoder, self.soon, policies)
        self.recorder = Recorder(
            start.store, start.dataset.name, start.source, self.warn, start.session
        )
        asked_for = start.images not in ("auto", "off") and self.images.drawing != "off"
        self.frames_wanted: bool | None = True if asked_for else None
        """Whether the user wants frames; None: they have not said."""
        self._encoder_shown = ""
        self._held_against: dict[str, str] = {}
        """Of two models that were compared, the one that each is held against."""

    # Starting and ending

    @property
    def inspect_screen(self) -> InspectScreen:
        screen = self.get_screen("inspect")
        assert isinstance(screen, InspectScreen)
        return screen

    @property
    def truth(self) -> GroundTruth | None:
        """The clips of the model that is asked; None: they are not read yet."""
        return self.inspect_screen.truth

    @property
    def default_groups(self) -> tuple[str, ...]:
        return self._start.groups or self._start.dataset.default_groups or ()

    def get_default_screen(self) -> Screen[None]:
        model = self._start.dataset.model(self._start.model).name
        asked = Inquiry(
            model,
            self.default_groups,
            left_out=self._start.left_out,
            min_similarity=self._start.min_similarity,
        )
        screen = InspectScreen(asked)
        self.install_screen(screen, "inspect")
        return screen

    def on_mount(self) -> None:
        watch_size(self)
        self.show_title()

    def on_ready(self) -> None:
        """The first paint is done; now everything else may begin."""
        if not gc.isenabled():  # what was made until now stays, and is never looked through again
            gc.freeze()
            gc.enable()
        self.show_title()
        for notice in filter(None, (*self._start.keymap.at_start(), self._start.notice)):
            self.warn(notice)
        screen = self.inspect_screen
        view = self._start.session.view if self._start.session else None
        if view is not None:
            screen.resume(view)  # first: it says which model is read
        elif self._start.query is not None:
            screen.ask(screen.inquiry.about(*self._start.query))
        self.services.open(screen.inquiry.model, self._opened, self.tell)
        self.services.warm(lambda _: self._encoder_changed(), self._encoder_failed)
        self.set_interval(0.5, self._encoder_changed)
        if self._start.request is not None:
            self.action_show_evaluate()
        self._look_after_store()
        self.set_interval(LOOK_AFTER, self._look_after_store)

    def _opened(self, opened: Opened) -> None:
        self.inspect_screen.opened(opened)
        self.show_title()

    def _look_after_store(self) -> None:
        self.recorder.look_after_store()
        if self.recorder.was_changed_elsewhere():  # another window may have judged the same results
            self.inspect_screen.judged_anew(save=False)
            self.show_title()

    def _encoder_changed(self) -> None:
        if self.services.encoder_state != self._encoder_shown:
            self._encoder_shown = self.services.encoder_state
            self.show_title()

    def _encoder_failed(self, error: Exception) -> None:
        self._encoder_changed()
        self.tell(error)

    def end_services(self) -> None:
        self.services.close()

    async def action_quit(self) -> None:
        self.recorder.try_again()
        self.end_services()
        self.exit()

    # What the screens share

    def show_title(self) -> None:
        inquiry = self.inspect_screen.inquiry
        models = tuple(self._start.dataset.models)
        truth = self.truth
        clips = "reading …" if truth is None else self.nouns.spell(f"{len(truth):,} clips")
        which = f" ({models.index(inquiry.model) + 1}/{len(models)})" if len(models) > 1 else ""
        left = f"{self._start.dataset.name} · {inquiry.model}{which} · {clips}"
        if truth is not None:
            left += f" · {len(inquiry.groups)} of {counted(len(truth.groups), 'group')}"
        right = f"encoder {self.services.encoder_state}"
        for bar in self.inspect_screen.query(TitleBar):
            bar.show(left, right, self.recorder.name)

    # Screens

    def action_show_inspect(self) -> None:
        self.show_inspect()

    def show_inspect(self) -> None:
        self.inspect_screen.dived = ""
        self.switch_to(self.inspect_screen)

    def action_show_evaluate(self) -> None:
        self.switch_to(self.evaluate_screen)

    def action_show_sessions(self) -> None:
        self.switch_to(self.sessions_screen)

    def action_show_compare(self) -> None:
        self.switch_to(self.compare_screen)

    @property
    def evaluate_screen(self) -> EvaluateScreen:
        from tui.evaluate.screen import EvaluateScreen

        if not self.is_screen_installed("evaluate"):
            modes = self._modes_at_once
            first = modes[0] if modes else self._start.dataset.first_mode
            self.install_screen(EvaluateScreen(first, modes), "evaluate")
        screen = self.get_screen("evaluate")
        assert isinstance(screen, EvaluateScreen)
        return screen

    @property
    def compare_screen(self) -> CompareScreen:
        from tui.compare.screen import CompareScreen

        if not self.is_screen_installed("compare"):
            self.install_screen(CompareScreen(self._start.dataset.first_mode), "compare")
        screen = self.get_screen("compare")
        assert isinstance(screen, CompareScreen)
        return screen

    @property
    def sessions_screen(self) -> SessionsScreen:
        from tui.sessions.screen import SessionsScreen

        if not self.is_screen_installed("sessions"):
            self.install_screen(SessionsScreen(), "sessions")
        screen = self.get_screen("sessions")
        assert isinstance(screen, SessionsScreen)
        return screen

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action == "undo":
            return self.recorder.can_undo
        if action == "redo":
            return self.recorder.can_redo
        if action == "next_model":
            return len(self._start.dataset.models) > 1
        return True

    # Models

    @property
    def models(self) -> tuple[str, ...]:
        return tuple(self._start.dataset.models)

    def other_model(self, model: str) -> str | None:
        """The model that the ranking is held against: the one it was compared with, or the next."""
        if model in self._held_against:
            return self._held_against[model]
        models = self.models
        return models[(models.index(model) + 1) % len(models)] if len(models) > 1 else None

    def action_next_model(self) -> None:
        now = self.inspect_screen.inquiry.model
        if len(self.models) == 2:
            self._use_model(self.other_model(now))
        else:
            self.choose_model(self.nouns.spell("Which model?"), now, self._use_model)

    def choose_model(self, title: str, now: str, chosen: Callable[[str | None], None]) -> None:
        """Ask which of the models; None: none was chosen."""
        from tui.dialogs.dialogs import Choose

        options = [
            (str(n) if n < 10 else "", name, spec.description)
            for n, (name, spec) in enumerate(self._start.dataset.models.items(), start=1)
        ]
        self.push_screen(Choose(title, options, now), chosen)

    def _use_model(self, model: str | None) -> None:
        """Ask with another model, once its embeddings are read; else stay with this one."""
        if model is not None and model != self.inspect_screen.inquiry.model:
            self.services.open(model, partial(self._switched, model), self.tell)

    def _switched(self, model: str, opened: Opened) -> None:
        screen = self.inspect_screen
        screen.inquiry = screen.inquiry.with_model(model)
        self._opened(opened)
        screen.ask(screen.inquiry)
        if self.is_screen_installed("evaluate"):
            self.evaluate_screen.scope_changed()
        if self.is_screen_installed("compare"):
            self.compare_screen.scope_changed()

    # Undo and redo

    def action_undo(self) -> None:
        change = self.recorder.undo()
        if change is not None:
            self._changed(change, "Undid")

    def action_redo(self) -> None:
        change = self.recorder.redo()
        if change is not None:
            self._changed(change, "Did again")

    def _changed(self, change: Change, done: str) -> None:
        asked = self.inspect_screen.inquiry
        elsewhere = (change.target.mode, change.target.query) != (asked.mode, asked.query)
        where = f", asked as “{change.target.query}”" if elsewhere else ""
        self.clear_notifications()  # of the undo before
        self.notify(safe(change_in_words(change, done) + where), timeout=3, markup=False)
        self.inspect_screen.judged_anew()

    # What the Evaluate and Compare screens ask for

    @property
    def _modes_at_once(self) -> tuple[Mode, ...]:
        """The modes that a command asked to evaluate."""
        if self._start.request is None:
            return ()
        modes = self._start.request.modes
        return ("text", "video") if modes == "both" else (modes,)

    @property
    def evaluation_scope(self) -> Scope:
        asked = self.inspect_screen.inquiry
        left_out = frozenset(asked.left_out)
        request = self._start.request
        return Scope(asked.model, asked.groups, left_out, asked.min_similarity, request)

    @property
    def dataset_name(self) -> str:
        return self._start.dataset.name

    @property
    def encoder_state(self) -> State:
        return self.services.encoder_state

    def query_count(self, mode: Mode) -> int | None:
        if self.truth is None:
            return None
        return len(self.truth) if mode == "video" else None

    def start_evaluation(
        self,
        mode: Mode,
        on_progress: Report,
        on_done: Callable[[Evaluated], None],
        on_failed: Callable[[Exception], None],
    ) -> Callable[[], None]:
        return self.services.evaluate(mode, self.evaluation_scope, on_progress, on_done, on_failed)

    def start_comparison(
        self,
        mode: Mode,
        scopes: tuple[Scope, Scope],
        on_progress: ModelReport,
        on_done: Callable[[CompareTable], None],
        on_failed: Callable[[Exception], None],
    ) -> Callable[[], None]:
        return self.services.compare(mode, scopes, on_progress, on_done, on_failed)

    def start_curves(
        self,
        evaluations: Sequence[Evaluated | SavedSide],
        on_done: Callable[[tuple[Curves, ...]], None],
        on_failed: Callable[[Exception], None],
    ) -> None:
        self.services.curves(evaluations, on_done, on_failed)

    def start_confusion(
        self,
        evaluated: Evaluated,
        group: str,
        rows: Ints,
        on_done: Callable[[Confused], None],
        on_failed: Callable[[Exception], None],
    ) -> None:
        self.services.confusion(evaluated, group, rows, on_done, on_failed)

    def open_query(self, mode: Mode, query: str, keywords: tuple[str, ...]) -> None:
        self._dive("evaluate", self.inspect_screen.inquiry, mode, query, keywords)

    def open_compared(
        self, models: tuple[str, str], mode: Mode, query: str, keywords: tuple[str, ...]
    ) -> None:
        """A query of the model after, with the ranks of the model before."""
        before, after = models
        self._held_against = {after: before, before: after}
        self._dive("compare", self.inspect_screen.inquiry.with_model(after), mode, query, keywords)

    def _dive(
        self, origin: str, inquiry: Inquiry, mode: Mode, query: str, keywords: tuple[str, ...]
    ) -> None:
        screen = self.inspect_screen
        self.show_inspect()
        screen.dived = origin
        # A clip's keywords are its own; a text's may be others than the mapper would find.
        pinned = keywords if mode == "text" else None
        screen.ask(inquiry.about(mode, query).with_keywords(pinned))

    def surface(self) -> None:
        """Back to the table that a query was opened from."""
        if self.inspect_screen.dived == "compare":
            self.action_show_compare()
        else:
            self.action_show_evaluate()

    def open_neighbour(self, step: int) -> None:
        """The next or previous query of the table that this one came from."""
        if self.inspect_screen.dived == "compare":
            found = self.compare_screen.open_neighbour(step)
        else:
            question = self.evaluate_screen.neighbour(step)
            found = question is not None
            if question is not None:
                self.open_query(*question)
        if not found:
            self.notify("No further query in the table.", markup=False)

    # What the Sessions screen asks for

    def resume_session(self, session_id: int) -> None:
        """Go on with a session of this dataset where it stood."""

        def resume() -> None:
            from tui.opening.resume import elsewhere
            from tui.opening.source import place_of

            session = self._start.store.open(session_id)
            if place_of(session.dataset_source) != place_of(self._start.source):
                raise elsewhere(session)
            self.recorder.begin(session)
            self.show_inspect()
            self.inspect_screen.start_anew()
            view = session.view
            if view is not None:
                self.inspect_screen.resume(view)
            self.show_title()

        self.attempt(resume)

    def new_session(self) -> None:
        """Begin anew: the session is made with the first query."""
        self.recorder.begin(None)
        self.show_inspect()
        self.inspect_screen.start_anew()
        self.show_title()

    def forget_session(self, session_id: int) -> None:
        """A session was deleted; if it was this one, the next query begins another."""
        if self.recorder.session is not None and self.recorder.session.id == session_id:
            self.recorder.begin(None)
            self.inspect_screen.judged_anew(save=False)
            self.show_title()
