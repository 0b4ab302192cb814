"""Asking a session's questions again, and what is different now.

A pure comparison: `ask` answers a question, whatever stands behind it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from engine.base.errors import InputError
from engine.base.messages import pluralise
from engine.keywords.question import Question
from engine.sessions.records import Answer, MetricValue

SCORE_DRIFT = 1e-4
"""A similarity that differs by less is the same: other processors round otherwise."""

_SAME_METRIC = 1e-9


@dataclass(frozen=True, slots=True)
class ClipAtRank:
    """A clip that is at the top in one of the two answers only, with its rank there."""

    clip: str
    rank: int


@dataclass(frozen=True, slots=True)
class RankShift:
    """A clip that stands at another rank."""

    clip: str
    before: int
    after: int


@dataclass(frozen=True, slots=True)
class MetricChange:
    """A metric of the saved answer that has another value; `after` is None if it is gone."""

    before: MetricValue
    after: MetricValue | None


@dataclass(frozen=True, slots=True)
class AnswerChange:
    """What one question gets now, beside what it got.

    entered, left   clips that are new among the saved number of results, and that are gone
    drifted         clips of both whose scores differ by more than SCORE_DRIFT
    largest_drift   the largest difference of any clip's scores
    """

    relevant: tuple[int, int]
    collection: tuple[int, int]
    keywords_added: tuple[str, ...] = ()
    keywords_dropped: tuple[str, ...] = ()
    entered: tuple[ClipAtRank, ...] = ()
    left: tuple[ClipAtRank, ...] = ()
    moved: tuple[RankShift, ...] = ()
    drifted: int = 0
    largest_drift: float = 0.0
    metrics: tuple[MetricChange, ...] = ()

    @property
    def anything(self) -> bool:
        return bool(
            self.relevant[0] != self.relevant[1]
            or self.collection[0] != self.collection[1]
            or self.keywords_added
            or self.keywords_dropped
            or self.ranking
            or self.drifted
            or self.metrics
        )

    @property
    def ranking(self) -> bool:
        """Whether other clips are at the top, or the same ones in another order."""
        return bool(self.entered or self.left or self.moved)


@dataclass(frozen=True, slots=True)
class QuestionReplay:
    """One question asked again: its difference, or the error that it gives now."""

    question: Question
    difference: AnswerChange | None = None
    error: str | None = None

    @property
    def status(self) -> str:
        if self.difference is None:
            return "failed"
        return "changed" if self.difference.anything else "same"


@dataclass(frozen=True, slots=True)
class SessionReplay:
    """All questions of a session, asked again in their order."""

    questions: tuple[QuestionReplay, ...]

    @property
    def changed(self) -> int:
        return sum(item.status == "changed" for item in self.questions)

    @property
    def failed(self) -> int:
        return sum(item.status == "failed" for item in self.questions)

    @property
    def verdict(self) -> str:
        """In one line.

        >>> SessionReplay(()).verdict
        'nothing to replay: no question was asked'
        >>> SessionReplay(
        ...     (QuestionReplay(Question("text", "a car", "m", ()), error="no model"),)
        ... ).verdict
        '1 query replayed: 0 changed, 1 failed, 0 as before'
        """
        total = len(self.questions)
        if not total:
            return "nothing to replay: no question was asked"
        count = f"{pluralise(total, 'query')} replayed"
        if not self.changed and not self.failed:
            return f"{count}: nothing changed"
        same = total - self.changed - self.failed
        return f"{count}: {self.changed:,} changed, {self.failed:,} failed, {same:,} as before"


def replay(answers: Iterable[Answer], ask: Callable[[Question], Answer]) -> SessionReplay:
    """Ask every question again, in order; one that fails does not stop the others."""
    replayed = []
    for saved in answers:
        try:
            current = ask(saved.question)
        except InputError as error:
            replayed.append(QuestionReplay(saved.question, error=str(error)))
        else:
            replayed.append(QuestionReplay(saved.question, compare_answers(saved, current)))
    return SessionReplay(tuple(replayed))


def compare_answers(before: Answer, after: Answer) -> AnswerChange:
    """What is different between two answers to the same question."""
    old = {clip: rank for rank, clip in enumerate(before.clips, start=1)}
    new = {clip: rank for rank, clip in enumerate(after.clips, start=1)}
    both = [clip for clip in before.clips if clip in new]
    metrics = {metric.id: metric for metric in after.metrics}
    drifts = [abs(before.scores[old[c] - 1] - after.scores[new[c] - 1]) for c in both]
    return AnswerChange(
        relevant=(before.relevant, after.relevant),
        collection=(before.collection, after.collection),
        keywords_added=tuple(k for k in after.keywords if k not in before.keywords),
        keywords_dropped=tuple(k for k in before.keywords if k not in after.keywords),
        entered=tuple(ClipAtRank(clip, new[clip]) for clip in after.clips if clip not in old),
        left=tuple(ClipAtRank(clip, old[clip]) for clip in before.clips if clip not in new),
        moved=tuple(RankShift(c, old[c], new[c]) for c in both if old[c] != new[c]),
        drifted=sum(drift > SCORE_DRIFT for drift in drifts),
        largest_drift=max(drifts, default=0.0),
        metrics=tuple(
            MetricChange(metric, metrics.get(metric.id))
            for metric in before.metrics
            if _differ(metric, metrics.get(metric.id))
        ),
    )


def _differ(old: MetricValue, new: MetricValue | None) -> bool:
    if new is None:
        return True
    values = [(old.published, new.published)]
    if old.adjudicated is not None:  # else the marks changed after it was computed
        values.append((old.adjudicated, new.adjudicated))
    return any(
        (a is None) != (b is None)
        or (a is not None and b is not None and abs(a - b) > _SAME_METRIC)
        for a, b in values
    )
