"""Keywords edited by hand, and what is learned from that."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from engine.keywords.question import Question
from tui.inspect.asker import Asker
from tui.inspect.keyword_bar import KeywordBar
from tui.inspect.lessons import Lesson
from tui.inspect.picker import Picker
from tui.look.safe import escape

if TYPE_CHECKING:
    from engine.dataset.remember import RememberedPhrase
    from tui.inspect.host import InspectHost

_LISTED = 30
"""Phrases that are offered to choose from."""


@dataclass(frozen=True, slots=True)
class _Learned:
    """What was learned, in words and on disk.

    question  what was asked, with the keywords as they were edited
    position  after which judgement of the session it was learned
    """

    said: str
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
        self._learned: list[_Learned] = []

    def edit(self, keyword: str, wanted: bool | None) -> None:
        """Add a keyword ("group:name"), or drop it; None: the other way round."""
        self._bar.note_edit(self._asker.talk.question.query, keyword)
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

    def learn(self) -> None:
        """Remember what the last edit says; of several phrases the user chooses one."""
        lesson = self._bar.lesson
        if lesson is None:
            return
        if len(lesson.phrases) == 1:
            self._remember(lesson, lesson.phrases[0])
        else:
            self._choose_phrase(lesson)

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

    def _remember(self, lesson: Lesson, phrase: str) -> None:
        said = lesson.describe(phrase, self._host.glyphs.ellipsis)
        self._host.services.phrases.remember(
            lesson.keyword,
            phrase,
            never=lesson.never,
            done=lambda remembered: self._remembered(said, remembered),
            failed=self._host.show_error,
        )

    def _remembered(self, said: str, remembered: RememberedPhrase) -> None:
        now, position = self._asker.talk.question, self._host.recorder.position
        self._learned.append(_Learned(said, remembered, now, position))
        self._tell(f"Remembered: {said}. It is in {remembered.file}; u takes it back.")
        self._ask_again(now)

    # Taking it back

    @property
    def can_forget(self) -> bool:
        """Whether the last thing that was done is that something was learned."""
        return bool(self._learned) and self._learned[-1].position == self._host.recorder.position

    def forget(self) -> None:
        """Take back what was learned last."""
        last = self._learned.pop()
        self._host.services.phrases.forget(
            last.remembered, lambda _: self._forgotten(last), self._host.show_error
        )

    def _forgotten(self, last: _Learned) -> None:
        """Back to the keywords as they were edited, if the same is asked."""
        self._tell(f"Undid: {last.said}")
        now = self._asker.talk.question
        same = self._asker.talk.is_about(last.question)
        self._ask_again(replace(now, keywords=last.question.keywords) if same else now)

    def _tell(self, said: str) -> None:
        self._bar.app.clear_notifications()  # of what was learned or undone before
        self._bar.notify(escape(said), markup=False, timeout=10)

    def _ask_again(self, question: Question) -> None:
        """What is asked now may mean something else."""
        if question.mode == "text" and question.query:
            self._asker.ask(question)
