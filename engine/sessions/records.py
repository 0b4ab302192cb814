"""What a session holds, as plain values that can be built by hand."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Literal, NamedTuple, TypeAlias

from engine.base.choices import Mode
from engine.keywords.judgement import Judgement, Target
from engine.keywords.question import Question

RESULT_LISTS = ("ranking", "missed")
TableScreenName: TypeAlias = Literal["evaluate", "compare"]
SortDirection: TypeAlias = Literal["ascending", "descending"]


@dataclass(frozen=True, slots=True)
class TableSort:
    """The column that a table is sorted by, as its screen names it."""

    column: str
    direction: SortDirection


@dataclass(frozen=True, slots=True)
class TableRow:
    """A row by what it stands for, so that the cursor survives another order.

    place  where the query stood in the set: a set may have a query twice
    """

    query: str
    place: int


@dataclass(frozen=True, slots=True)
class TableView:
    """The screen that lies over the results, and what is listed there.

    mode    of the queries that are listed
    run     modes of which there was something to list: it is computed again
    filter  as it was typed
    sort    None: the usual order
    row     the one that the user was last on; None: the cursor was never moved
    models  those that are compared, in their order; None: they were not chosen here
    """

    screen: TableScreenName
    mode: Mode
    run: tuple[Mode, ...]
    filter: str
    sort: TableSort | None = None
    row: TableRow | None = None
    models: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class NoteDraft:
    """A note that is being typed: it says nothing of the result until it is finished."""

    target: Target
    text: str


@dataclass(frozen=True, slots=True)
class QueryDraft:
    """A query that is being typed, or was asked and is not answered yet."""

    mode: Mode
    text: str


@dataclass(frozen=True, slots=True)
class SessionView:
    """Where the user is. The cursor is a clip's id, so that it survives another order.

    question     None, or one with an empty query: nothing was asked yet
    view         one of RESULT_LISTS: the ranking, or the relevant clips below its top
    table        None: the results themselves are looked at
    note_draft   None: no note is being typed
    query_draft  None: no query is being typed
    """

    question: Question | None
    clip: str | None
    view: str = "ranking"
    table: TableView | None = None
    note_draft: NoteDraft | None = None
    query_draft: QueryDraft | None = None


@dataclass(frozen=True, slots=True)
class MetricValue:
    """One number of an answer; None where it is not defined.

    published    by the keywords alone
    adjudicated  with the marks of the session in place of the keywords, where there are any
    """

    id: str
    label: str
    formula: str
    published: float | None
    adjudicated: float | None


@dataclass(frozen=True, slots=True)
class Answer:
    """What a question got.

    keywords    "group:name", those that counted
    relevant    clips of the whole collection that have all keywords
    collection  clips that could be found
    clips       the top of the ranking, best first, each with its score
    """

    question: Question
    keywords: tuple[str, ...]
    relevant: int
    collection: int
    clips: tuple[str, ...]
    scores: tuple[float, ...]
    metrics: tuple[MetricValue, ...]

    def __post_init__(self) -> None:
        if len(self.clips) != len(self.scores):
            raise ValueError(f"{len(self.clips)} clips have {len(self.scores)} scores")
        if len(set(self.clips)) < len(self.clips):
            raise ValueError("a clip is named twice")
        if not all(map(math.isfinite, self.scores)):
            raise ValueError("a score is not finite")

    def not_adjudicated(self) -> Answer:
        """The answer without numbers that came from other marks than there are now."""
        return replace(self, metrics=tuple(replace(m, adjudicated=None) for m in self.metrics))


@dataclass(frozen=True, slots=True)
class DatedAnswer:
    """An answer, when its question was last asked, and the place of that among the last uses."""

    answer: Answer
    time: datetime
    used: int


@dataclass(frozen=True, slots=True)
class JudgementChange:
    """A judgement that was set, taken back, or set again: what stood there before and after."""

    target: Target
    before: Judgement
    after: Judgement


@dataclass(frozen=True, slots=True)
class QuestionChange:
    """Something else was asked about the same query: other keywords, groups, another model or least
    similarity.

    clip  the result on which the cursor was
    """

    before: Question
    after: Question
    clip: str | None


Change: TypeAlias = JudgementChange | QuestionChange
"""What a person changed, and can take back."""


class SavedJudgement(NamedTuple):
    """A judgement as it is saved."""

    target: Target
    judgement: Judgement
    time: datetime


@dataclass(frozen=True, slots=True)
class SessionSummary:
    """One session in a list of them."""

    id: int
    name: str
    dataset_name: str
    dataset_source: str
    created: datetime
    updated: datetime
    queries: int
    judgements: int
    bias_cases: int
    notes: int
    last_query: str | None


@dataclass(frozen=True, slots=True)
class SessionContent:
    """A whole session as a document holds it."""

    name: str
    dataset_name: str
    dataset_source: str
    created: datetime
    view: SessionView | None
    asked: tuple[DatedAnswer, ...]
    judged: tuple[SavedJudgement, ...]

    @property
    def answers(self) -> tuple[Answer, ...]:
        return tuple(item.answer for item in self.asked)
