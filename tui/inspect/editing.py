"""Keywords edited by hand, and what is learned from that."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from engine.base.visible import spell_message
from engine.keywords.question import Question
from tui.inspect.asker import Asker
from tui.inspect.keyword_bar import KeywordBar
from tui.inspect.lessons import Lesson
from tui.inspect.picker import Picker
from tui.keys.keymap import find_keymap

if TYPE_CHECKING:
    from engine.dataset.remember import RememberedPhrase
    from tui.inspect.host import InspectHost

T = TypeVar("T")

_LISTED = 30
"""Phrases that are offered to choose from."""


class _Learned(NamedTuple):
    """What was learned, and where it is on disk.

    question  what was asked, with the keywords as they were edited
    position  after which change of the session it was learned
    """

    lesson: Lesson
    phrase: str
    remembered: RememberedPhrase
    question: Question
    position: tuple[int, int]


class KeywordEditor:
    """Adds and drops keywords of the query, and has remembered what they say of its words."""

    def __init__(self, bar: KeywordBar, picker: Picker, asker: Asker, host: InspectHost) -> None:
        self._bar = bar
        self._picker = picker
        self._asker = asker
        self._host = host
        self._edited = ""
        """The query whose keywords were edited last."""
        self._learned: list[_Learned] = []
        self._taken_back: list[_Learned] = []
        """What was taken back, and can be learned again."""
        self._made_then = 0
        """How many changes had been made by then: any further one forgets it."""
        self._is_told = False
        self._is_writing = False
        self._next: list[Callable[[], None]] = []
        """What is to be done once the phrases are written."""

    def edit(self, keyword: str, wanted: bool | None) -> None:
        """Add a keyword ("group:name"), or drop it; None: the other way round."""
        self._edited = self._asker.talk.question.query
        self._bar.note_edit(self._edited, keyword)
        self._asker.edit_keywords([(keyword, wanted)])

    def add(self) -> None:
        """Find a keyword by its name, and add it."""
        title = self._host.nouns.spell("Add a keyword")
        self._picker.find(title, "adds it", lambda keyword: self.edit(keyword, True))

    def take_nearest(self) -> None:
        """Add the nearest keyword that is offered and was not taken already."""
        taken = self._asker.talk.question.keywords or ()
        names = (str(item.keyword) for item in self._bar.offers)
        nearest = next((name for name in names if name not in taken), None)
        if nearest is not None:
            self.edit(nearest, True)
        else:
            add = "{inspect.edit_keywords}, then {keywords.add} adds one"
            self._say_why_not("no keyword is near", find_keymap(self._host).spell(add))

    def learn(self) -> None:
        """Remember what the last edit says; of several phrases the user chooses one."""
        lesson = self._bar.lesson
        if lesson is None:
            self._say_why_not("nothing to remember", self._explain_no_lesson())
        elif len(lesson.phrases) == 1:
            self._remember(lesson, lesson.phrases[0])
        else:
            self._choose_phrase(lesson)

    def _explain_no_lesson(self) -> str:
        question = self._asker.talk.question
        if self._host.nouns.has_labels:
            return "label files learn nothing"
        if question.keywords is not None and self._edited == question.query:
            return "no words of the text could mean it"
        return "add or drop a keyword first"

    def _say_why_not(self, nothing: str, remedy: str) -> None:
        question = self._asker.talk.question
        if not question.query or question.text is None:
            remedy = "ask a text first"
        said = self._host.nouns.spell(f"{nothing}: {remedy}")
        self._bar.notify(f"{said[0].upper()}{said[1:]}.", markup=False)

    def _choose_phrase(self, lesson: Lesson) -> None:
        from tui.dialogs.basic_dialogs import Choice, ChoiceDialog

        listed = lesson.phrases[:_LISTED]
        more = f" ({_LISTED} of {len(lesson.phrases):,})" if len(lesson.phrases) > _LISTED else ""
        options = [
            Choice(str(number) if number < 10 else "", phrase)
            for number, phrase in enumerate(listed, start=1)
        ]

        def chosen(phrase: str | None) -> None:
            if phrase is not None:
                self._remember(lesson, phrase)

        title = f"Which words mean {lesson.keyword.name}?{more}"
        self._bar.app.push_screen(ChoiceDialog(title, options), chosen)

    def _remember(self, lesson: Lesson, phrase: str, *, again: bool = False) -> None:
        self.do_in_turn(lambda: self._write(lesson, phrase, again=again))

    def _write(self, lesson: Lesson, phrase: str, *, again: bool) -> None:
        def remembered(kept: RememberedPhrase) -> None:
            if not kept.is_new:
                self._tell(f"Known already: {self._describe(lesson, phrase)}, from {kept.file}.")
                return
            self._learned.append(_Learned(lesson, phrase, kept, question, position))
            done = "Redone" if again else "Remembered"
            undo = find_keymap(self._host).say("app.undo")
            what = self._describe(lesson, phrase)
            self._tell(f"{done}: {what}. It is in {kept.file}; {undo} undoes it.")
            self._ask_again(self._asker.talk.question)

        if not again:
            self._taken_back.clear()
        # As of now: what is done while it is written comes after it.
        question, position = self._asker.talk.question, self._host.recorder.position
        self._is_writing = True
        self._host.services.phrases.remember(
            lesson.keyword,
            phrase,
            never=lesson.never,
            done=self._then_go_on(remembered),
            failed=self._then_go_on(self._host.show_error),
        )

    def _describe(self, lesson: Lesson, phrase: str) -> str:
        return lesson.describe(phrase, self._host.glyphs.ellipsis)

    # Taking it back, and doing it again

    def do_in_turn(self, do: Callable[[], None]) -> None:
        """Do it now; or, while a phrase is written, as soon as that is done."""
        if self._is_writing:
            self._next.append(do)
        else:
            do()

    def _then_go_on(self, end: Callable[[T], None]) -> Callable[[T], None]:
        """End what is written, then do what has waited for it, until that writes something."""

        def ended(result: T) -> None:
            self._is_writing = False
            end(result)
            while self._next and not self._is_writing:
                self._next.pop(0)()

        return ended

    @property
    def can_forget(self) -> bool:
        """Whether the last thing that was done is that something was learned."""
        return bool(self._learned) and self._learned[-1].position == self._host.recorder.position

    def forget(self) -> bool:
        """Take back what was learned last; False: something else was done since."""
        if not self.can_forget:
            return self._tell_of_earlier()
        last = self._learned.pop()

        def failed(error: Exception) -> None:
            from engine.files.change import ChangedSinceError

            if not isinstance(error, ChangedSinceError):
                self._learned.append(last)  # so that it can be tried again
            self._host.show_error(error)

        self._is_writing = True
        self._host.services.phrases.forget(
            last.remembered,
            self._then_go_on(lambda _: self._forgotten(last)),
            self._then_go_on(failed),
        )
        return True

    def _tell_of_earlier(self) -> bool:
        """Say once, in place of undoing an older change, that what was learned after it cannot be
        undone: it was before the app was started, and how the files were then is not known."""
        earlier = None if self._is_told else self._host.services.phrases.earlier_change
        changed = self._host.recorder.changed_earlier if earlier is not None else None
        if earlier is None or changed is None or earlier[0] <= changed:
            return False
        self._is_told = True
        undo = find_keymap(self._host).say("app.undo")
        self._tell(
            f"{earlier[1]} was changed after all that is still to undo: phrases remembered there"
            f" before this start are taken out there, no longer by {undo}. {undo} again undoes what"
            " was done before."
        )
        return True

    def _forgotten(self, last: _Learned) -> None:
        """Back to the keywords as they were edited, if the same is asked."""
        self._forget_what_is_void()
        self._taken_back.append(last)
        self._tell(f"Undone: {self._describe(last.lesson, last.phrase)}")
        now = self._asker.talk.question
        same = self._asker.talk.is_about(last.question)
        self._ask_again(replace(now, keywords=last.question.keywords) if same else now)

    @property
    def can_learn_again(self) -> bool:
        """Whether the last thing that was taken back is what was learned."""
        self._forget_what_is_void()
        here = self._host.recorder.position
        return bool(self._taken_back) and self._taken_back[-1].position == here

    def _forget_what_is_void(self) -> None:
        """What was taken back before something new was done cannot be done again any more."""
        made, self._made_then = self._made_then, self._host.recorder.made
        if made != self._made_then:
            self._taken_back.clear()

    @property
    def learned(self) -> int:
        """How much was learned here and stands."""
        return len(self._learned)

    def learn_again(self) -> bool:
        """Remember anew what was taken back last; False: that was something else."""
        if not self.can_learn_again:
            return False
        last = self._taken_back.pop()
        self._remember(last.lesson, last.phrase, again=True)
        return True

    def _tell(self, said: str) -> None:
        self._bar.app.clear_notifications()  # of what was learned or undone before
        self._bar.notify(spell_message(said), markup=False, timeout=10)

    def _ask_again(self, question: Question) -> None:
        """What is asked now may mean something else."""
        if question.query and question.text is not None:
            self._asker.ask(question, unpins=True)
