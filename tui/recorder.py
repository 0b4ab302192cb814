"""Saving as it happens. The session begins with the first question; an empty one is never kept."""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic
from typing import TypeVar

from engine.errors import InputError
from engine.judgement import Judgement, Target
from engine.question import Mode, Question
from engine.sessions import Answer, Change, LockedError, Session, SessionStore, View

T = TypeVar("T")

RESTING = 5.0
"""Seconds for which the cursor is not saved after a write failed: each try would hold up a key."""


LOOK_AFTER = 2.0
"""Seconds between two looks whether the store is still there: before another program is started
that would begin a new one."""


class Recorder:
    """The session that the app writes to. A write that fails is told, and work goes on.

    While another program has locked the store, one key waits for it once at most, and answers are
    kept to be saved with the next write that goes well.
    """

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
        self._told: set[str] = set()
        self._failing = False
        self._resting_until = 0.0
        self._unsaved: dict[Question, Answer] = {}
        self.session = session

    @property
    def name(self) -> str:
        """The session's name, for the title."""
        session = self.session
        return self._read(lambda: session.name, "not saved") if session else "new session"

    def look_after_store(self) -> None:
        """See that the store is still there; to be called now and then."""
        self._read(lambda: self.store.look_after(self._warn), None)

    def begin(self, session: Session | None) -> None:
        """Go on with another session; None: with a new one, from the next question on."""
        if self._unsaved:
            self._write(lambda _: None)
            self._unsaved.clear()  # if not even now, then never: they are of the session before
        self.session = session

    def _open(self) -> Session:
        """The session to write to. If another window deleted it, a new one begins."""
        if self.session is not None and not self.store.exists(self.session.id):
            self._warn("The session was deleted elsewhere: a new one begins here.")
            self.session = None
        if self.session is None:
            self.session = self.store.create(self._dataset, self._source)
        return self.session

    def _read(self, read: Callable[[], T], otherwise: T) -> T:
        """Do it; what goes wrong is told once, until something goes well again."""
        try:
            value = read()
        except InputError as error:
            if str(error) not in self._told:
                self._told.add(str(error))
                self._warn(str(error))
            return otherwise
        self._told.clear()
        return value

    def _write(
        self, write: Callable[[Session], T], *, each: bool = False, begins: bool = False
    ) -> T | None:
        """Do it, after what is still to be saved; None if it failed.

        That is told `each` time, or else once, until something can be saved again. `begins`: it is
        worth a session of its own, if there is none.
        """
        session = self.session
        if session is None and not begins and not self._unsaved:
            return None
        try:
            if session is None or begins or self._unsaved:
                session = self._open()
            # First the answers: a mark makes those void that are adjudicated without it.
            self._catch_up(session)
            value = write(session)
        except InputError as error:
            if each or not self._failing:
                self._warn(f"Not saved: {error}")
            self._failing = True
            self._resting_until = monotonic() + RESTING
            return None
        if self._failing:
            self._warn("Saving works again.")
        self._failing, self._resting_until = False, 0.0
        return value

    def _catch_up(self, session: Session) -> None:
        for question, answer in list(self._unsaved.items()):
            try:
                session.record(answer)
            except LockedError:
                raise
            except InputError:
                del self._unsaved[question]  # it would stand in the way of all that follows
                raise
            del self._unsaved[question]

    def record(self, answer: Answer) -> None:
        """Keep what a question got."""
        self._unsaved.pop(answer.question, None)
        self._unsaved[answer.question] = answer
        self._write(lambda _: None)

    def remember(self, view: View) -> None:
        """Keep where the user is. While the store cannot be written, keys are not held up by it."""
        if monotonic() >= self._resting_until:
            self._write(lambda session: session.remember(view))

    def judge(self, target: Target, judgement: Judgement) -> bool:
        """Keep a judgement; False, and the user is told each time, if it could not be kept."""

        def write(session: Session) -> bool:
            session.judge(target, judgement)
            return True

        return self._write(write, each=True, begins=True) or False

    def judgements(self, mode: Mode, query: str) -> dict[str, Judgement]:
        session = self.session
        if session is None:
            return {}
        return self._read(lambda: session.judgements(mode, query), {})

    def history(self, mode: Mode) -> tuple[str, ...]:
        session = self.session
        return self._read(lambda: session.history(mode), ()) if session else ()

    @property
    def can_undo(self) -> bool:
        session = self.session
        return session is not None and self._read(lambda: session.can_undo, False)

    @property
    def can_redo(self) -> bool:
        session = self.session
        return session is not None and self._read(lambda: session.can_redo, False)

    def undo(self) -> Change | None:
        """Take the last judgement back; None, and the user is told, if that could not be kept."""
        return self._write(lambda session: session.undo(), each=True)

    def redo(self) -> Change | None:
        return self._write(lambda session: session.redo(), each=True)
