"""Asking in Inspect: a question goes out, and its answer, or why there is none, comes back."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from engine.keywords.question import Question
from tui.inspect.change_text import describe_question_change
from tui.inspect.conversation import Conversation, Edit
from tui.inspect.encoder_wait import EncoderWait
from tui.inspect.keyword_bar import KeywordBar, describe_relevant
from tui.inspect.known_question import QuestionFitter
from tui.inspect.least_similarity import ask_for_least_similarity
from tui.inspect.panes import AnswerPanes
from tui.inspect.picker import KeywordChoice, Picker
from tui.inspect.query_bar import QueryBar
from tui.look.safe import escape
from tui.work.questions import list_own_keywords
from tui.work.throttle import Debounce

if TYPE_CHECKING:
    from engine.base.choices import Mode
    from engine.dataset.ground_truth import GroundTruth
    from engine.keywords.inspection import Inspection
    from engine.keywords.judgement import Target
    from engine.keywords.query_keywords import QueryKeywords
    from engine.sessions import QuestionChange, SessionView
    from tui.inspect.host import InspectHost
    from tui.work.bench import OpenModel
    from tui.work.questions import QueryAnswer

SLOW = 0.15
"""Seconds after which a question that is still open is said to take its time."""


class _Unanswered(NamedTuple):
    """A change of the question that is not answered yet: where the log stands after it, and what
    takes it back there."""

    position: tuple[int, int]
    revert: Callable[[], object]


class Asker:
    """Owns the conversation, and shows it in the query bar, the keyword bar and the picker.

    truth    the clips of the model that is asked; None: the annotations are not read yet
    changed  is called when the title may be another, and with an answer once it is shown
    """

    def __init__(
        self,
        question: Question,
        bars: tuple[QueryBar, KeywordBar, Picker],
        panes: AnswerPanes,
        host: InspectHost,
        changed: Callable[[Inspection | None], None],
    ) -> None:
        self.talk = Conversation(question)
        self.truth: GroundTruth | None = None
        self._bar, self._keywords, self._picker = bars
        self._panes = panes
        self._host = host
        self._changed = changed
        self._fitter = QuestionFitter(self._bar, host)
        self.waiting = EncoderWait(self._keywords, panes, host)
        self._unanswered: list[_Unanswered] = []
        """The changes since the last answer."""
        self._reveals: str | None = None
        """A clip that is to be seen when the answer comes, whatever would hide it."""
        self._is_typed = True
        """Whether what is asked can be mended in the query bar; an undo asks what was not typed."""
        self._resumes = False
        """A session is resumed as soon as the annotations are read."""
        self._take_long = Debounce(self._bar, SLOW, self._say_that_it_takes_long)

    # Reading

    def opened(self, model: OpenModel) -> None:
        """The files are read."""
        before = self.talk.question
        self._use(model)
        if self._resumes:
            self._resumes = False
            self.talk.question = self._fitter.fit(before)
        else:  # what is wrong with a query that was typed is for the engine to report
            groups = self._fitter.fit(Question("text", "", before.model, before.groups)).groups
            self.talk.question = replace(before, groups=groups)
        question = self.talk.question
        from tui.work.fitting import find_known_groups

        defaults = find_known_groups(self._host.default_groups, model.truth)[0]
        self._picker.open(model.truth, defaults, self._choice)
        if not question.query:
            self.say_what_counts()
        waits = self._panes.shown is None and not self._host.services.questions.pending
        if question.query and (waits or question != before):
            self._send()
        self._changed(None)

    def switch_model(self, name: str, model: OpenModel) -> None:
        """Ask another model, whose files are read."""
        before = self.talk.question
        self.talk.question = replace(before, model=name)
        self.opened(model)
        after, self.talk.question = self.talk.question, before
        self.change(after)

    def _use(self, model: OpenModel) -> None:
        """Show the clips of a model: counts, completion and title are about those it knows."""
        if self.truth is model.truth:
            return
        first, self.truth = self.truth is None, model.truth
        self._bar.completer = model.completer
        self._bar.model = self.talk.question.model
        self._bar.show_examples(model)
        self._panes.show_examples(model)
        self._bar.list_clips()
        if not first:
            self._picker.use(model.truth)
        self._changed(None)

    # Asking

    def ask(
        self,
        question: Question,
        clip: str | None = None,
        *,
        unpins: bool = False,
        is_typed: bool = True,
    ) -> None:
        """Ask, and put the cursor on a clip: the one named, or the one it is on.

        unpins    keywords that were edited or given are not kept as such if they turn out to be
                  what the query means anyway
        is_typed  it can be mended in the query bar, if it cannot be answered; by an undo it is not
        """
        self._reveals, self._is_typed = None, is_typed
        question = self._fitter.find_item(question, self.truth)
        here = self._panes.results.clip if self.talk.is_about(question) else None
        self.talk.ask(question, clip or here)
        self._picker.show_choice(self._choice)  # at once: the next key may change it
        if question.query:
            self._bar.show(question.mode, question.query)
        if question.query and question.groups:
            self._send(unpins=unpins)
        else:
            # Without groups the annotations are not read yet: it is asked when they are.
            self.say_what_counts()

    def find_question(self, mode: Mode, query: str) -> Question:
        """What is asked, about another query; a vector by its name, if it was asked before."""
        question = self.talk.about(mode, query)
        if mode == "vector" and question.vector is None:
            before = self._host.recorder.last_question(mode, query)
            return replace(question, vector=None if before is None else before.vector)
        return question

    def change(self, question: Question, said: str = "") -> None:
        """Ask otherwise about the same query, as something that can be undone; `said`: what that
        is, if not by its differences."""
        made = self._keep_change(self.talk.question, question, self._panes.results.clip)
        self.ask(question)
        if made:
            self._host.say_done(said or made)

    def ask_of_table(self, question: Question, model: str) -> None:
        """Ask a query of a table, of the model that the table is about: where that is another one,
        it is a change like any other."""
        asked = replace(question, model=model)
        made = self._keep_change(question, asked, None)
        self.ask(asked, unpins=True)
        if made:
            self._host.say_done(made)

    def _keep_change(self, before: Question, after: Question, clip: str | None) -> str:
        """Keep that something is asked otherwise now, if it is; what that is, in words."""
        if before == after:
            return ""
        from engine.sessions import QuestionChange

        recorder, change = self._host.recorder, QuestionChange(before, after, clip)
        forget = recorder.change_question(change)
        if forget is not None:
            self._unanswered.append(_Unanswered(recorder.position, forget))
        return describe_question_change(change, self.find_own_keywords(before))

    def make_again(self, change: QuestionChange, back: Callable[[], object]) -> None:
        """Ask what was asked before a change that is undone, or after one that is made again.

        back  takes that back in the log, if the question cannot be answered
        """
        self._unanswered.append(_Unanswered(self._host.recorder.position, back))
        after = change.after
        if after.query:
            # Of the model that is asked: the one of the change may be gone.
            self.talk.ask(replace(change.before, model=self.talk.question.model))
            self.talk.follow(change.before, after)
        else:  # before anything was asked; it goes for what is asked by now
            after = replace(
                self.talk.question,
                model=after.model,
                groups=after.groups,
                left_out=after.left_out,
                min_similarity=after.min_similarity,
                relevance=after.relevance,
                one_per=after.one_per,
            )
        self.ask(self._fit(after), change.clip, is_typed=False)

    def go_back_to(self, question: Question, target: Target) -> None:
        """Ask a query again, and go to one of its results."""
        self.ask(self._fit(question), target.clip, is_typed=False)
        self._reveals = target.clip

    def _fit(self, question: Question) -> Question:
        """As far as the dataset still knows what it is about."""
        now = self.talk.question.model
        if self.truth is None:
            return self._fitter.keep_model(question, now)
        return self._fitter.fit_saved(question, now)

    def edit_keywords(self, edits: Sequence[Edit]) -> None:
        """Add or drop some; until the query's own keywords are known, that waits for them."""
        before, counted = self.talk.question, self._keywords_now
        if counted is None or self.truth is None:
            self.talk.wait(edits)
            return
        own = self.find_own_keywords(before)
        named = own if before.keywords is None else before.keywords
        resting = [name for name in named or () if name not in counted]
        question = self.talk.edit(edits, counted, self.truth.words.groups, resting)
        new = [group.replace("_", " ") for group in question.groups if group not in before.groups]
        if new:  # they count from now on, for every query
            self._bar.notify(escape(f"Counts now, too: {', '.join(new)}."), markup=False)
        elif own is not None and set(own) == set(question.keywords or ()):
            # As if none had ever been edited.
            question = replace(question, keywords=None)
        self.change(question)

    def restore_keywords(self) -> None:
        """Back to the query's own keywords, without the groups that others brought."""
        self.change(self.talk.restore(), "back to the query's own keywords")

    def ask_for_least_similarity(self) -> None:
        """Ask below which similarity results do not count."""
        ask_for_least_similarity(self._bar.app, self._host, lambda: self.talk.question, self.change)

    def _send(self, *, unpins: bool = False) -> None:
        question = self.talk.question
        judgements = self._host.recorder.judgements(question.mode, question.query)
        self.waiting.end()
        hooks = partial(self._answered, unpins=unpins), self._not_answered, self._waits
        self._host.services.questions.ask(question, judgements, *hooks, unpins=unpins)
        self._take_long()

    def give_up(self) -> None:
        """Wait no longer: back to the answer that is shown. The encoder goes on loading."""
        self._take_back_changes()
        self._host.services.questions.cancel()
        self.waiting.end()
        found, asked = self._panes.inspection, self.talk.question
        if found is None:  # what was typed stays in the field, to be asked again
            self.talk.question = asked.about("text", "")
            self.say_what_counts()
            self._picker.show_choice(self._choice)
        else:
            self.talk.return_to(found.question)
            self._bar.show(found.mode, found.query)
            self._show_again(found)
            self._panes.find_standing()
        self._changed(None)

    # What becomes of it

    def _waits(self, known: QueryKeywords) -> None:
        """The answer takes seconds; the query's keywords can be seen and edited already."""
        self._show_what_was_meant(known)
        self.talk.question = known.question
        self.waiting.begin(known)
        self._picker.border_subtitle = ""
        self._picker.show_choice(self._choice)
        self._changed(None)
        self._bar.screen.refresh_bindings()  # Escape gives up
        edits = self.talk.take_edits()
        if edits:
            self.edit_keywords(edits)

    def _answered(self, answer: QueryAnswer, *, unpins: bool) -> None:
        self.waiting.end()
        found = answer.inspection
        self._show_what_was_meant(found)
        self.talk.question = found.question
        if answer.judgements != self._host.recorder.judgements(found.mode, found.query):
            # Judged meanwhile, or asked by its row: its numbers would be others.
            self._send(unpins=unpins)
            return
        self._unanswered.clear()
        self._use(self._host.services.bench.model(found.question.model))
        self._panes.show(answer, self.talk.go_to)
        if self._reveals is not None:
            self._panes.go_to(self._reveals)
            self._reveals = None
        self._show_keywords(found)
        self._picker.show_choice(self._choice)
        self._bar.history[found.mode] = self._host.recorder.history(found.mode)
        self._changed(found)
        edits = self.talk.take_edits()
        if edits:
            self.edit_keywords(edits)

    def _show_what_was_meant(self, found: QueryKeywords) -> None:
        """An item that was asked by its row before the files were read has an id."""
        asked = self.talk.question
        if found.mode == asked.mode and found.query != asked.query:
            self.talk.trail.rename(found.mode, found.query)
            if self._bar.field.value == self._bar.shown(asked.query):
                self._bar.show(found.mode, found.query)

    def _not_answered(self, error: Exception) -> None:
        """What stood here before stays, and what was typed can be mended."""
        self.waiting.end()
        self.talk.take_edits()
        self._take_back_changes()
        found = self._panes.inspection
        if found is not None:
            another = found.query != self.talk.question.query
            self.talk.question = found.question
            self._show_again(found)
            if another and not self._is_typed:  # the next key may be the next undo
                self.talk.trail.return_to(found.mode, found.query)
                self._bar.show(found.mode, found.query)
            elif another:
                self._bar.take_focus()
                below = f"below is still “{escape(found.query)}”, Escape goes back to it"
                self._keywords.say((f"not answered; {below}", "miss"))
        else:
            self._keywords.say(("the query could not be answered", "miss"))
        self._host.show_error(error)
        self._changed(None)

    def _take_back_changes(self) -> None:
        """What could not be answered is asked no longer, and its changes are none; up to one after
        which something else was changed."""
        changes, self._unanswered = self._unanswered, []
        for change in reversed(changes):
            if change.position != self._host.recorder.position:
                return
            change.revert()

    def _show_again(self, found: Inspection) -> None:
        """The bars are about what is shown, as they were before something else was asked."""
        self._use(self._host.services.bench.model(found.question.model))
        self._show_keywords(found)
        self._picker.show_choice(self._choice)

    def _say_that_it_takes_long(self) -> None:
        if self._host.services.questions.pending and self.waiting.known is None:
            self._keywords.say(("searching …", "part"))

    # What the bars show

    @property
    def _choice(self) -> KeywordChoice:
        question = self.talk.question
        return KeywordChoice(question.groups, question.left_out, self._keywords_now or ())

    @property
    def _keywords_now(self) -> tuple[str, ...] | None:
        """The keywords of what is asked, answered or not; None while they are not known."""
        for found in (self._panes.inspection, self.waiting.known):
            if found is not None and found.question == self.talk.question:
                return tuple(map(str, found.keywords))
        asked = self.talk.question
        named = asked.given if asked.keywords is None else asked.keywords
        if named is None:
            return None
        counts = {*asked.groups}
        return tuple(
            name
            for name in named
            if name.partition(":")[0] in counts and name not in asked.left_out
        )

    def find_own_keywords(self, asked: Question) -> tuple[str, ...] | None:
        """What its query means by itself, of whatever groups; None while that is not known."""
        about = asked.mode, asked.query
        for found in (self._panes.inspection, self.waiting.known):
            if found is not None and (found.question.mode, found.question.query) == about:
                return list_own_keywords(found)
        return None

    @property
    def is_shown(self) -> bool:
        """Whether the query that is asked is the one that is shown, with whatever settings."""
        found = self._panes.inspection
        return found is not None and self.talk.is_about(found.question)

    def say_what_counts(self) -> None:
        """Before anything is asked: by which groups it will be judged."""
        self._keywords.say_what_counts(self.talk.question.groups)

    def say_unread(self) -> None:
        """The annotations or the embeddings could not be read."""
        self._keywords.say(("the clips could not be read", "miss"))

    def forget_typed(self) -> None:
        """What was typed and not asked goes."""
        self._bar.show(self.talk.question.mode, self.talk.question.query)
        if self._panes.inspection is not None and not self._host.services.questions.pending:
            self._show_keywords(self._panes.inspection)

    def _show_keywords(self, found: Inspection) -> None:
        self._keywords.show(found)
        self._picker.border_subtitle = describe_relevant(found)

    # Sessions

    def resume(self, view: SessionView) -> None:
        """Go on where a session stood."""
        question = view.question
        if question is None:
            return
        now = self.talk.question.model
        self._panes.list_missed = view.view == "missed"
        for mode in self._bar.history:
            self._bar.history[mode] = self._host.recorder.history(mode)
        if self.truth is not None:
            self.ask(self._fitter.fit_saved(question, now), view.clip)
        else:
            # What of it there is still is known when the annotations are read: then it is asked.
            self._resumes = True
            question = self._fitter.keep_model(question, now)
            self.talk.ask(question, view.clip)
            self._bar.show(question.mode, question.query)

    def start_over(self) -> None:
        """Clear the panes for a new session."""
        self._unanswered, self._reveals = [], None
        self._host.services.questions.cancel()
        self.waiting.end()
        self.talk.forget()
        self._bar.show("text", "")
        self._bar.history = dict.fromkeys(self._bar.history, ())
        self._panes.clear()
        self.say_what_counts()
        self._picker.border_subtitle = ""
        self._picker.show_choice(self._choice)
