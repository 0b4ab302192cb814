"""A question as far as the dataset knows what it is about; what is not known any more is said."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from engine.base.errors import InputError
from engine.base.visible import spell_message
from engine.keywords.question import Question
from tui.inspect.query_bar import QueryBar

if TYPE_CHECKING:
    from engine.dataset.ground_truth import GroundTruth
    from tui.inspect.host import InspectHost


class QuestionFitter:
    """Fits questions that were typed or saved to the files that are read."""

    def __init__(self, bar: QueryBar, host: InspectHost) -> None:
        self._bar, self._host = bar, host

    def find_item(self, question: Question, truth: GroundTruth | None) -> Question:
        """About the item that was meant, if that is known already; what cannot be found is for
        the engine to report."""
        if truth is None:
            return question
        try:
            return self._host.services.questions.resolve_item(question, truth)
        except InputError:
            return question

    def fit(self, question: Question) -> Question:
        """Without what the annotations do not know."""
        return self._say(*self._find_known(question))

    def keep_model(self, question: Question, now: str) -> Question:
        """Of a model that the dataset has; `now` is asked in place of one that is gone."""
        return self._say(*self._find_model(question, now))

    def fit_saved(self, question: Question, now: str) -> Question:
        """Without what the annotations do not know, and of a model that the dataset has; all that
        is gone is said at once."""
        question, no_model = self._find_model(question, now)
        question, complaint = self._find_known(question)
        return self._say(question, " ".join(filter(None, (no_model, complaint))))

    def _find_model(self, question: Question, now: str) -> tuple[Question, str]:
        if question.model in self._host.models:
            return question, ""
        none = self._host.nouns.spell("The dataset has no model")
        said = f"{none} {question.model} any more: {now} is asked."
        return replace(question, model=now), said

    def _find_known(self, question: Question) -> tuple[Question, str]:
        fit = self._host.services.questions.fit(question)
        if fit.clip is not None:
            self._bar.show("text", "")
        return fit.question, fit.complaint(self._host.nouns)

    def _say(self, question: Question, complaint: str) -> Question:
        if complaint:
            self._bar.notify(spell_message(complaint), severity="warning", markup=False, timeout=10)
        return question
