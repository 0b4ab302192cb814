"""From one session to another: what the Sessions screen asks of the inspector."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Protocol

from tui.inspect.screen import InspectScreen
from tui.work.recorder import Recorder
from tui.work.services import Services

if TYPE_CHECKING:
    from engine.sessions import Session


class SessionHost(Protocol):
    """What of the app knows in which session it is."""

    recorder: Recorder
    services: Services

    @property
    def inspect_screen(self) -> InspectScreen: ...

    def show_inspect(self) -> None: ...

    def show_title(self) -> None: ...

    def attempt(self, work: Callable[[], object]) -> bool: ...


class SessionSwitch:
    """Leaves the session that is open for another one, a new one, or none."""

    def __init__(self, app: SessionHost) -> None:
        self._app = app

    def resume(self, session_id: int) -> None:
        """Go on with a session of this dataset where it stood."""
        self._app.attempt(lambda: self._begin(self._app.recorder.find(session_id)))

    def begin_anew(self) -> None:
        """Begin again: the session is made with the first query."""
        self._begin(None)

    def _begin(self, session: Session | None) -> None:
        app = self._app
        app.services.questions.settle()  # its numbers are of the session before
        app.recorder.begin(session)
        app.show_inspect()
        app.inspect_screen.start_over()
        view = None if session is None else session.view
        if view is not None:
            # The table is for who comes back to the app, not for who is in it.
            app.inspect_screen.resume(replace(view, table=None))
        app.show_title()

    def forget(self, session_id: int) -> None:
        """A session was deleted; if it was this one, the next query begins another."""
        app = self._app
        if app.recorder.session is not None and app.recorder.session.id == session_id:
            app.recorder.place.take_up(None)  # there is nothing any more to save it in
            app.recorder.begin(None)
            app.inspect_screen.panes.judge_again(save=False)
            app.show_title()
