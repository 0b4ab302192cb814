"""What a query means, before anything is searched: its keywords, and where they come from."""

from __future__ import annotations

from dataclasses import dataclass

from engine.base.choices import Mode
from engine.base.keyword import Keyword
from engine.dataset.collection import Collection
from engine.dataset.query_set import QuerySet
from engine.dataset.vocabulary import Selection
from engine.keywords.question import Question
from engine.text.mapping.mapper import KeywordMapping


@dataclass(frozen=True, eq=False)
class QueryKeywords:
    """What a query means.

    selection  the groups and keywords that count
    mapping    how a text became keywords; None for a clip, whose keywords are its own
    queries    the query with its keywords, as a set of one
    """

    question: Question
    collection: Collection
    selection: Selection
    mapping: KeywordMapping | None
    queries: QuerySet

    @property
    def mode(self) -> Mode:
        return self.question.mode

    @property
    def query(self) -> str:
        return self.question.query

    @property
    def keywords(self) -> tuple[Keyword, ...]:
        """Those that decide what is relevant."""
        return self.collection.truth.words.named(self.queries.bits[0])
