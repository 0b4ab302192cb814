"""Saving as it happens. The session begins with the first question; an empty one is never kept."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from time import monotonic
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from engine.base.choices import Mode
from engine.base.errors import InputError
from engine.base.messages import pluralise
from engine.sessions.troubles import DeletedError, LockedError, UnwritableError
from tui.work.early_changes import EarlyChanges
from tui.work.place_record import PlaceRecord

if TYPE_CHECKING:
    from engine.keywords.judgement import Judgement, Target
    from engine.keywords.question import Question
    from engine.sessions import (
        Answer,
        Change,
        JudgementChange,
        QuestionChange,
        Session,
        SessionStore,
        SessionView,
        UndoneChanges,
    )

T = TypeVar("T")
C = TypeVar("C", bound="Change")

RESTING = 5.0
"""Seconds for which the cursor is not saved after a write failed: each try would hold up a key. So
long rests an answer too that could not be saved."""

MOST_UNSAVED = 200
"""Answers that are kept to be saved later; beyond them the oldest is given up."""

LOOK_AFTER = 2.0
"""Seconds between two looks whether the store is still there: before another program is started
that would begin a new one."""


NOT_SAVED = "NOT SAVED"
"""In the titles, while what is done is kept in memory only."""

IN_MEMORY = (
    "Marks and notes are kept in memory, and written to a private file when you leave, unless"
    " saving works again. The Sessions screen can export them right away."
)


_LATER = "with the next query or mark"


class _Unsaved(NamedTuple):
    answer: Answer
    rests_until: float = 0.0


class Recorder:
    """The session that the app writes to. A write that fails is reported, and work goes on.

    Where nothing can be written (a full disk, say) it goes on in memory: that is said once, and
    stands in the title. While another program has locked the store, one key waits for it once at
    most. Answers that could not be saved are kept and tried again; a mark is saved without them.
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
        self._reported: set[str] = set()
        self._failing = False
        self._resting_until = 0.0
        self._unsaved: dict[Question, _Unsaved] = {}
        self._version = 0
        self._is_told = False
        self.place = PlaceRecord(self._write_place)
        self._changes_before: int | None = None
        """How many changes there were before the first made here; None: none was."""
        self._early = EarlyChanges()
        self.made = 0
        """How many changes were made here, be they undone by now; each one forgets what was undone
        before it."""
        self.session = session

    @property
    def name(self) -> str:
        """The session's name, for the title."""
        name = self._of_session(lambda session: session.name, "not saved")
        return name if self.session else "new session"

    @property
    def saving(self) -> str:
        """For every title: that nothing is saved, as long as that is so."""
        return NOT_SAVED if self.store.unsaved else ""

    def was_changed_elsewhere(self) -> bool:
        """Whether another window has written since this was last asked."""
        before, self._version = self._version, self._read(lambda: self.store.version, self._version)
        return self._version != before

    def look_after_store(self) -> None:
        """See that the store is still there; to be called now and then."""
        self._read(lambda: self.store.look_after(self._warn), None)
        self._tell_of_memory()

    def _tell_of_memory(self) -> None:
        """Say once that nothing is saved, and again if that comes again."""
        why = self.store.unsaved
        if why is not None and not self._is_told:
            self._warn(f"Nothing can be saved: {why}. {IN_MEMORY}")
        self._is_told = why is not None

    def find(self, session_id: int) -> Session:
        """A saved session of this dataset."""
        from tui.opening.resume import other_dataset_error
        from tui.opening.source import name_place

        session = self.store.open(session_id)
        if name_place(session.dataset_source) != name_place(self._source):
            raise other_dataset_error(session)
        return session

    def begin(self, session: Session | None) -> None:
        """Go on with another session; None: with a new one, from the next question on."""
        self.try_again()
        if self._unsaved:  # if not even now, then never: they are of the session before
            self._warn(
                f"Not saved: {pluralise(len(self._unsaved), 'query')} of the session before."
            )
            self._unsaved.clear()
        self.place.save(at_any_cost=True)
        self.place.take_up(None)
        self.session, self._changes_before = session, None
        self._early = EarlyChanges()

    def try_again(self) -> None:
        """Save now what could not be saved before, however lately it was tried."""
        if self._unsaved:
            self._unsaved = {asked: _Unsaved(one.answer) for asked, one in self._unsaved.items()}
            self._write(lambda _: None)

    def _open(self) -> Session:
        """The session to write to. If another window deleted it, a new one begins."""
        if self.session is not None and not self.store.exists(self.session.id):
            self._forget_deleted("here")
        if self.session is None:
            self.session = self.store.create(self._dataset, self._source)
        for change in self._early.standing:  # one that cannot be written is there the next time
            self.session.change_question(change)
            self._early.drop_first()
        return self.session

    def _forget_deleted(self, beginning: str) -> None:
        """Another window deleted the session; say so once, and where a new one begins."""
        self._warn(f"The session was deleted elsewhere: a new one begins {beginning}.")
        self.session, self._changes_before = None, None

    def _read(self, read: Callable[[], T], otherwise: T) -> T:
        """Do it; what goes wrong is reported once, until something works again."""
        try:
            value = read()
        except DeletedError:
            self._forget_deleted(_LATER)
            return otherwise
        except InputError as error:
            if str(error) not in self._reported:
                self._reported.add(str(error))
                self._warn(str(error))
            return otherwise
        self._reported.clear()
        return value

    def _of_session(self, read: Callable[[Session], T], otherwise: T) -> T:
        """Read it, if there is a session."""
        session = self.session
        return self._read(lambda: read(session), otherwise) if session else otherwise

    def _write(
        self, write: Callable[[Session], T], *, each: bool = False, begins: bool = False
    ) -> T | None:
        """Do it, after the answers that are still to be saved; None if it failed.

        That is reported `each` time, or else once, until something can be saved again. `begins`: it
        is worth a session of its own, if there is none.
        """
        session = self.session
        due = self._due()
        if session is None and not begins and not due:
            return None
        try:
            try:
                value = self._write_all(write, due, begins)
            except UnwritableError as error:
                if self.store.unsaved or not self.store.keep_in_memory(error):
                    raise
                self._tell_of_memory()
                value = self._write_all(write, self._due(), begins)
        except DeletedError:
            self._forget_deleted(_LATER)
            return None
        except InputError as error:
            self._report_failure(error, each)
            self._resting_until = monotonic() + RESTING
            return None
        self._resting_until = 0.0
        if self._failing and not self._unsaved and not self.store.unsaved:
            self._warn("Saving works again.")
            self._failing = False
        return value

    def _write_all(self, write: Callable[[Session], T], due: list[Answer], begins: bool) -> T:
        session = self.session
        if session is None or begins or due or self._early.can_undo:
            session = self._open()
        # First the answers: a mark makes those void that are adjudicated without it.
        self._catch_up(session, due)
        return write(session)

    def _report_failure(self, error: InputError, each: bool = False) -> None:
        if each or not self._failing:
            self._warn(f"Not saved: {error}")
        self._failing = True

    def _due(self) -> list[Answer]:
        """The answers to be saved now, in the order asked."""
        now = monotonic()
        return [one.answer for one in self._unsaved.values() if one.rests_until <= now]

    def _catch_up(self, session: Session, due: list[Answer]) -> None:
        """Save answers. One that cannot be saved rests, and stands in the way of nothing."""
        for answer in due:
            try:
                session.record(answer)
            except (LockedError, UnwritableError):  # so is all that follows
                raise
            except InputError as error:
                self._unsaved[answer.question] = _Unsaved(answer, monotonic() + RESTING)
                self._report_failure(error)
            else:
                del self._unsaved[answer.question]

    def _change(self, change: Callable[[Session], C | None], **how: bool) -> C | None:
        """Change something. A judgement makes numbers void that were adjudicated before, as it
        does in the store: also those of answers that are not there yet."""
        from engine.sessions import JudgementChange

        made = self._write(change, each=True, **how)
        if isinstance(made, JudgementChange) and (made.before.decides or made.after.decides):
            about = (made.target.mode, made.target.query)
            for asked, one in self._unsaved.items():
                if (asked.mode, asked.query) == about:
                    self._unsaved[asked] = _Unsaved(one.answer.not_adjudicated(), one.rests_until)
        return made

    def record(self, answer: Answer) -> None:
        """Keep what a question got."""
        self._unsaved.pop(answer.question, None)
        # What failed just now would fail again, and hold up the same key twice.
        self._unsaved[answer.question] = _Unsaved(answer, self._resting_until)
        if self._due():
            self._write(lambda _: None)
        if len(self._unsaved) > MOST_UNSAVED:
            oldest = next(iter(self._unsaved))
            del self._unsaved[oldest]
            self._warn(f"Not saved, and given up: what was found for “{oldest.query}”.")

    def _write_place(self, view: SessionView, *, begins: bool, at_any_cost: bool) -> bool:
        """While the store cannot be written, keys are not held up by it."""
        if monotonic() < self._resting_until and not at_any_cost:
            return False

        def write(session: Session) -> bool:
            session.remember(view)
            return True

        return self._write(write, begins=begins and self.session is None) is not None

    def save_unfinished(self, settings: Question) -> None:
        """Save where the user is who did not want to leave, in whichever thread: there is no
        screen any more to say on that it failed."""
        self._warn = lambda _: None
        self.place.save_unfinished(settings)

    def judge(self, target: Target, change: Callable[[Judgement], Judgement]) -> bool:
        """Change what is said about a target, as it is saved by now: another window may have
        judged it too. False, and the user hears of it each time, if that could not be kept."""
        from engine.sessions import JudgementChange

        def judge(session: Session) -> JudgementChange:
            self._count_changes(session)
            before = session.judgement(target)
            session.judge(target, change(before))
            return JudgementChange(target, before, session.judgement(target))

        made = self._change(judge, begins=True)
        if made is not None and made.before != made.after:
            self.made += 1
        return made is not None

    def change_question(self, change: QuestionChange) -> Callable[[], None] | None:
        """Keep that something else is asked about a query, to be undone.

        Returns what forgets it as if it had never been made, for a change that comes to nothing and
        is the last one still; None: it could not be kept.
        """

        def log(session: Session) -> UndoneChanges:
            self._count_changes(session)
            return session.change_question(change)

        undone = None if self.session is None else self._write(log, each=True)
        if undone is None and self.session is not None:
            return None
        # Without a session, or if it was deleted elsewhere just now, it waits for the next one.
        early = self._early.add(change) if undone is None else None
        self.made += 1

        def forget() -> None:
            self.made -= 1
            if self.session is None:
                self._early.drop_last(early or ())
            else:
                self._write(lambda session: session.drop_last(undone or ()))

        return forget

    def _count_changes(self, session: Session) -> None:
        if self._changes_before is None:
            self._changes_before = session.changes

    def last_question(self, mode: Mode, query: str) -> Question | None:
        """How a query was asked last in this session."""
        return self._of_session(lambda session: session.last_question(mode, query), None)

    def judgements(self, mode: Mode, query: str) -> dict[str, Judgement]:
        return self._of_session(lambda session: session.judgements(mode, query), {})

    def read_judgement(self, target: Target, otherwise: Judgement) -> Judgement:
        """What is said about one target by now; `otherwise` if that cannot be read."""
        return self._of_session(lambda session: session.judgement(target), otherwise)

    def query_judgements(self, mode: Mode) -> dict[str, Judgement]:
        """What was said about queries themselves."""
        return self._of_session(lambda session: session.query_judgements(mode), {})

    def history(self, mode: Mode) -> tuple[str, ...]:
        return self._of_session(lambda session: session.history(mode), ())

    @property
    def position(self) -> tuple[int, int]:
        """Where the session stands: its id, and how many changes there are."""
        early = (0, len(self._early.standing))
        return self._of_session(lambda session: (session.id, session.changes), early)

    @property
    def changed_earlier(self) -> datetime | None:
        """When the newest change was made, if all that stand are from before this was begun."""
        before, done = self._changes_before, self.position[1]
        if before is not None and done > before:
            return None
        return self._of_session(lambda session: session.last_changed, None)

    @property
    def can_undo(self) -> bool:
        return self._of_session(lambda session: session.can_undo, self._early.can_undo)

    @property
    def can_redo(self) -> bool:
        return self._of_session(lambda session: session.can_redo, self._early.can_redo)

    def undo(self) -> Change | None:
        """Take the last change back; None, and the user hears of it, if that failed."""
        if self.session is None:
            return self._early.undo()
        return self._change(lambda session: session.undo())

    def redo(self) -> Change | None:
        """Make the last change again that was taken back."""
        if self.session is None:
            return self._early.redo()
        return self._change(lambda session: session.redo())
