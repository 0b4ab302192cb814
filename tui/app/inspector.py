"""The inspector: the app that owns the screens, and what they share. Wiring only."""

from __future__ import annotations

import os
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from textual.screen import Screen

from engine.base.choices import Mode
from engine.keywords.question import Question
from tui.app.change_history import ChangeHistory
from tui.app.model_choice import ModelChoice
from tui.app.session_switch import SessionSwitch
from tui.frames.images import choose_images
from tui.inspect.host import Origin
from tui.inspect.screen import InspectScreen
from tui.look.nouns import choose_nouns
from tui.opening.frame_choices import FrameView
from tui.opening.starts import InspectorStart
from tui.shell.base_app import BaseApp
from tui.work.bench import Bench, OpenModel
from tui.work.lanes import SETTLE_PATIENCE
from tui.work.place_record import PLACE_PAUSE
from tui.work.recorder import LOOK_AFTER, Recorder
from tui.work.services import Services
from tui.work.throttle import Delay

if TYPE_CHECKING:
    from engine.dataset.ground_truth import GroundTruth
    from engine.sessions import TableView
    from tui.app.compare import SavedHost
    from tui.compare.screen import CompareScreen
    from tui.evaluate.screen import EvaluateScreen
    from tui.sessions.screen import SessionsScreen
    from tui.work.scope import Scope


LOOK_AT_ENCODER = 0.5
"""Seconds between two looks at what loads; only what changed is painted, once a second."""


class InspectorApp(BaseApp):
    """tui-eval's screens over one dataset."""

    # A style sheet of the screen alone would not be read.
    CSS_PATH = Path(__file__).parents[1] / "inspect" / "inspect.tcss"
    places: tuple[str, ...] = ("inspect", "evaluate", "sessions", "compare")

    def __init__(self, start: InspectorStart) -> None:
        super().__init__(start)
        self._start = start
        self.nouns = choose_nouns(start.dataset)
        self.dataset_name = start.dataset.name
        self.default_groups = start.groups or start.dataset.default_groups or ()
        model, least = start.dataset.model(start.model).name, start.min_similarity
        self._first = Question(
            *("text", "", model, self.default_groups, start.left_out),
            min_similarity=least,
            relevance=start.relevance,
            one_per=start.one_per,
        )
        self.images = choose_images(
            start.images, os.environ, is_ascii=start.ascii, no_color=self.no_color
        )
        request = start.request
        # These are the question's: they may be changed, and a saved question has its own.
        policies = None
        if request is not None:
            policies = replace(
                request.policies, min_similarity=None, relevance="all", one_per="clip"
            )
        bench = Bench(start.dataset, start.encoder, self.lanes, policies)
        metrics = None if request is None else request.metrics
        self.services = Services(bench, self.lanes, metrics, start.cache)
        self._models = ModelChoice(start.dataset, self.push_screen)
        if start.against is not None:
            self._models.hold_against(start.against, model)
        self.models, self.other_model = self._models.names, self._models.other
        self.is_earlier_model = self._models.is_earlier
        self.choose_model = self._models.choose
        if len(self.models) < 2 and start.comparison is None:
            self.places = tuple(place for place in self.places if place != "compare")
        self.recorder = Recorder(
            start.store, start.dataset.name, start.source, self.warn, start.session
        )
        place = self.recorder.place
        place.save_soon = Delay(self, PLACE_PAUSE, place.save)
        self.frames: FrameView = start.frames or "large"
        self._history = ChangeHistory(self)
        self.action_undo, self.action_redo = self._history.undo, self._history.redo
        sessions = SessionSwitch(self)
        self.resume_session, self.new_session = sessions.resume, sessions.begin_anew
        self.forget_session = sessions.forget
        self._warmed = ""
        self._told: Exception | None = None
        self._saved: SavedHost | None = None
        if start.comparison is not None:
            from tui.app.compare import SavedHost

            pair, dive = start.comparison, self.open_compared
            self._saved = SavedHost(pair, self.lanes, dive, self.show_inspect, self.recorder)

    # Starting and ending

    @property
    def truth(self) -> GroundTruth | None:
        """The clips of the model that is asked; None: they are not read yet."""
        return self.inspect_screen.truth

    def get_default_screen(self) -> Screen[None]:
        return self.inspect_screen

    def on_mount(self) -> None:
        self.show_title()

    def say_done(self, text: str) -> None:
        self.inspect_screen.say_done(text)

    def show_title(self) -> None:
        self.saving = self.recorder.saving
        self.inspect_screen.show_title()

    def begin(self) -> None:
        self.show_title()
        if self._start.notice:
            self.warn(self._start.notice)
        screen = self.inspect_screen
        view = self._start.session.view if self._start.session else None
        if view is not None:
            screen.resume(view)  # first: it says which model is read
        elif self._start.query is not None:
            asked = screen.question.about(*self._start.query)
            screen.asker.ask(replace(asked, keywords=self._start.keywords))
        opened = partial(self._opened, None if view is None else view.table)
        self.services.bench.open(screen.question.model, opened, self._not_opened)
        self._look_after_encoder()
        self.set_interval(LOOK_AT_ENCODER, self._look_after_encoder)
        if self._start.evaluates_at_once:
            self.action_show_evaluate()
        if self._saved is not None:
            self.action_show_compare()
        self._look_after_store()
        self.set_interval(LOOK_AFTER, self._look_after_store)

    def _opened(self, table: TableView | None, model: OpenModel) -> None:
        """The annotations are read; a session that is resumed says what was listed."""
        self.inspect_screen.asker.opened(model)
        if table is not None and self.screen is self.inspect_screen:
            is_compared = table.screen == "compare"
            screen = self.compare_screen if is_compared else self.evaluate_screen
            screen.take_up(table)
            self.switch_to(screen)

    def _not_opened(self, error: Exception) -> None:
        self.inspect_screen.say_unread()
        self.show_error(error)

    def _look_after_store(self) -> None:
        self.recorder.look_after_store()
        if self.recorder.was_changed_elsewhere():  # another window may have judged the same results
            self.services.questions.settle()
            self.inspect_screen.panes.judge_again(save=False)
            self.show_title()

    def _look_after_encoder(self) -> None:
        """Load what the model in view needs before a text is asked, and say how long it takes."""
        model = self.inspect_screen.question.model
        if model != self._warmed:
            self._warmed = model
            self.services.bench.warm(model, lambda _: self.show_title(), self.show_error)
        self.inspect_screen.tick()

    def show_error(self, error: Exception) -> None:
        """An engine error, once: an encoder that cannot be loaded fails all who wait for it."""
        if error is not self._told:
            self._told = error
            super().show_error(error)
        self.show_title()

    def end_services(self) -> None:
        super().end_services()
        self.services.bench.close()

    def leave(self, code: int = 0, patience: float = SETTLE_PATIENCE) -> None:
        self.services.questions.settle(patience)  # numbers that are still to be saved
        self.recorder.try_again()
        if code:  # a signal
            self.save_unfinished()
        else:
            self.recorder.place.save(at_any_cost=True)
        super().leave(code, patience)

    def save_unfinished(self) -> None:
        """Save, in whichever thread, what is for one who did not want to leave."""
        self.recorder.save_unfinished(self.inspect_screen.question.about("text", ""))

    # Screens

    def action_show_inspect(self) -> None:
        self.show_inspect()

    def show_inspect(self) -> None:
        if not self.screen.is_modal:  # over a dialog nothing is switched, and the way back stays
            self.inspect_screen.dived = None
        self.switch_to(self.inspect_screen)

    def show_query(self, mode: Mode, query: str) -> None:
        """A query that was judged, in its row: of the table that is shown, of another that lists
        it, or else of Evaluate."""
        if self.screen.is_modal:
            return
        from tui.shell.table_screen import TableScreen

        names = [name for name in ("evaluate", "compare") if self.is_screen_installed(name)]
        tables = [self.screen, *map(self.get_screen, names)]
        found = (one for one in tables if isinstance(one, TableScreen) and one.lists(mode, query))
        screen = next(found, None) or self.evaluate_screen
        self.switch_to(screen)
        screen.go_to_query(mode, query)

    def switch_to(self, screen: Screen[None]) -> None:
        from tui.shell.table_screen import TableScreen

        super().switch_to(screen)
        if not isinstance(screen, TableScreen):
            self.recorder.place.remember_table(None)

    def remember_table(self, table: TableView) -> None:
        self.recorder.place.remember_table(table)

    def action_show_evaluate(self) -> None:
        self.switch_to(self.evaluate_screen)

    def action_show_sessions(self) -> None:
        self.switch_to(self.sessions_screen)

    def action_show_compare(self) -> None:
        self.switch_to(self.compare_screen)

    @property
    def inspect_screen(self) -> InspectScreen:
        return self.installed("inspect", InspectScreen, self._first, self)

    @property
    def _first_mode(self) -> Mode:
        """The queries that a table lists at first: those that can be asked."""
        takes_texts = self.services.takes_texts(self.inspect_screen.question.model)
        return self._start.dataset.first_mode if takes_texts else "video"

    @property
    def evaluate_screen(self) -> EvaluateScreen:
        from tui.evaluate.screen import EvaluateScreen

        modes = self._modes_at_once
        first = modes[0] if modes else self._first_mode
        return self.installed("evaluate", EvaluateScreen, first, at_once=modes)

    @property
    def compare_screen(self) -> CompareScreen:
        from tui.compare.screen import CompareScreen

        first = (self._first_mode,)
        settings = first if self._saved is None else self._saved.screen_settings
        return self.installed("compare", CompareScreen, *settings)

    @property
    def sessions_screen(self) -> SessionsScreen:
        from tui.sessions.screen import SessionsScreen

        return self.installed("sessions", SessionsScreen)

    @property
    def quiet_actions(self) -> frozenset[str]:
        """What nothing offers: with one model there is none to change to or to compare with."""
        several = len(self.models) > 1 or self._saved is not None
        return frozenset() if several else frozenset({"show_compare", "next_model"})

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action == "undo":
            return self._history.can_undo
        if action == "redo":
            return self._history.can_redo
        if action == "next_model":
            return len(self.models) > 1
        return super().check_action(action, parameters)

    # Models

    def action_next_model(self) -> None:
        now = self.inspect_screen.question.model
        self._models.choose_next(self.nouns.spell("Which model?"), now, self._use_model)

    def _use_model(self, model: str | None) -> None:
        """Ask with another model, once its embeddings are read; else stay with this one."""
        if model is not None and model != self.inspect_screen.question.model:
            self.services.bench.open(model, partial(self._switched, model), self.show_error)

    def _switched(self, name: str, model: OpenModel) -> None:
        self.inspect_screen.asker.switch_model(name, model)
        self.scope_changed()

    def scope_changed(self) -> None:
        """What evaluations are about is another."""
        if self.is_screen_installed("evaluate"):
            self.evaluate_screen.scope_changed()
        if self.is_screen_installed("compare"):
            self.compare_screen.scope_changed()

    # What the Evaluate and Compare screens ask for

    @property
    def _modes_at_once(self) -> tuple[Mode, ...]:
        """The modes that a command asked to evaluate."""
        if self._start.request is None or not self._start.evaluates_at_once:
            return ()
        modes = self._start.request.modes
        return ("text", "video") if modes == "both" else (modes,)

    @property
    def evaluation_scope(self) -> Scope:
        from tui.work.scope import Scope

        asked = self.inspect_screen.question
        left_out, request = frozenset(asked.left_out), self._start.request
        learned = self.services.phrases.learned
        least, relevance = asked.min_similarity, asked.relevance or "all"
        one_per = asked.one_per or "clip"
        return Scope(
            *(asked.model, asked.groups, left_out, least, request, learned), relevance, one_per
        )

    def query_count(self, mode: Mode) -> int | None:
        return len(self.truth) if self.truth is not None and mode == "video" else None

    def open_query(self, mode: Mode, query: str, keywords: tuple[str, ...]) -> None:
        self.show_inspect()
        origin = Origin(self.evaluate_screen.open_neighbour, self.action_show_evaluate)
        self.inspect_screen.dive(origin, mode, query, keywords)

    def open_compared(
        self, models: tuple[str, str], mode: Mode, query: str, keywords: tuple[str, ...]
    ) -> None:
        """A query of the model after, with the ranks of the model before."""
        self._models.hold_against(*models)
        self.show_inspect()
        origin = Origin(self.compare_screen.open_neighbour, self.action_show_compare)
        self.inspect_screen.dive(origin, mode, query, keywords, model=models[1])
