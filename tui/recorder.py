"""Saving as it happens. The session begins with the first question; an empty one is never kept."""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic
from typing import TypeVar

from engine.errors import InputError
from engine.judgement import Judgement, Target
from engine.question import Mode
from engine.sessions import Answer, Change, Session, SessionStore, View

T = TypeVar("T")

RESTING = 5.0
"""Seconds for which the cursor is not saved after that failed: each try would hold up a key."""


class Recorder:
    """The session that the app writes to. A write that fails is told once, and work goes on."""

    def __init__(
        self,
        store: SessionStore,
        dataset: str,
        source: str,
        warn: Callable[[str], None],
        session: Session | None = None,
    ) -> None:
        self.store = store
        self._dataset = dataset
        self._source = source
        self._warn = warn
        self._warned: set[str] = set()
        self._resting_until = 0.0
        self.session = session

    @property
    def name(self) -> str:
        """The session's name, for the title."""
        session = self.session
        return self._try(lambda: session.name, "not saved") if session else "new session"

    def begin(self, session: Session | None) -> None:
        """Go on with another session; None: with a new one, from the next question on."""
        self.session = session

    def _open(self) -> Session:
        """The session to write to. If another window deleted it, a new one begins."""
        if self.session is not None and not self.store.exists(self.session.id):
            self._warn("The session was deleted elsewhere: a new one begins here.")
            self.session = None
        if self.session is None:
            self.session = self.store.create(self._dataset, self._source)
        return self.session

    def _try(self, write: Callable[[], T], otherwise: T) -> T:
        """Do it; what goes wrong is told once, until something goes well again."""
        try:
            value = write()
        except InputError as error:
            if str(error) not in self._warned:
                self._warned.add(str(error))
                self._warn(f"Not saved: {error}")
            return otherwise
        self._warned.clear()
        return value

    def record(self, answer: Answer) -> None:
        """Keep what a question got."""
        self._try(lambda: self._open().record(answer), None)

    def remember(self, view: View) -> None:
        """Keep where the user is. While the store cannot be written, keys are not held up by it."""
        session = self.session
        if session is None or monotonic() < self._resting_until:
            return

        def write() -> bool:
            session.remember(view)
            return True

        if not self._try(write, False):
            self._resting_until = monotonic() + RESTING

    def judge(self, target: Target, judgement: Judgement) -> bool:
        """Keep a judgement; False, and the user is told each time, if it could not be kept."""
        try:
            self._open().judge(target, judgement)
        except InputError as error:
            self._warn(f"Not saved: {error}")
            return False
        self._warned.clear()
        return True

    def judgements(self, mode: Mode, query: str) -> dict[str, Judgement]:
        session = self.session
        if session is None:
            return {}
        return self._try(lambda: session.judgements(mode, query), {})

    def history(self, mode: Mode) -> tuple[str, ...]:
        session = self.session
        return self._try(lambda: session.history(mode), ()) if session else ()

    @property
    def can_undo(self) -> bool:
        session = self.session
        return session is not None and self._try(lambda: session.can_undo, False)

    @property
    def can_redo(self) -> bool:
        session = self.session
        return session is not None and self._try(lambda: session.can_redo, False)

    def undo(self) -> Change | None:
        session = self.session
        return self._try(session.undo, None) if session else None

    def redo(self) -> Change | None:
        session = self.session
        return self._try(session.redo, None) if session else None
