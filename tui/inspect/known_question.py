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
        fit = self._host.services.questions.fit(question)
        complaint = fit.complaint(self._host.nouns)
        if complaint:
            self._warn(complaint, timeout=10)
        if fit.clip is not None:
            self._bar.show("text", "")
        return fit.question

    def keep_model(self, question: Question, now: str) -> Question:
        """Of a model that the dataset has; `now` is asked in place of one that is gone."""
        if question.model in self._host.models:
            return question
        none = self._host.nouns.spell("The dataset has no model")
        self._warn(f"{none} {question.model} any more: {now} is asked.")
        return replace(question, model=now)

    def _warn(self, text: str, timeout: float | None = None) -> None:
        self._bar.notify(spell_message(text), severity="warning", markup=False, timeout=timeout)
