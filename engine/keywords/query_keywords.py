"""What a query means, before anything is searched: its keywords, and where they come from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from engine.base.arrays import Ints
from engine.base.choices import Mode
from engine.base.keyword import Keyword
from engine.dataset.annotations.cells import clean_keyword
from engine.dataset.collection import Collection
from engine.dataset.ground_truth import GroundTruth
from engine.dataset.query_set import QuerySet
from engine.dataset.vocabulary import Selection
from engine.keywords.question import Question
from engine.text.mapping.mapper import KeywordMapping


@dataclass(frozen=True, eq=False)
class QueryKeywords:
    """What a query means.

    selection  the groups and keywords that count
    mapping    how a text became keywords; None where none is asked: the keywords of a clip are its
               own, a vector has none
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


def make_query(
    question: Question,
    collection: Collection,
    selection: Selection,
    mapping: KeywordMapping | None,
    rows: Ints | None,
) -> QuerySet:
    """The query with the keywords that were edited by hand, else with its own; those that count.

    What of them lies outside the selection is not lost: it counts again once its group does.

    `rows` is the row of a clip that asks, alone or with a text; None: none does.
    """
    truth = collection.truth
    keywords: Sequence[Keyword]
    named = question.given if question.keywords is None else question.keywords
    if named is not None:
        keywords = [truth.words.find(name) for name in named]
    else:
        keywords = list_meant_keywords(truth, mapping, rows)
    counted = [keyword for keyword in keywords if keyword in selection]
    return QuerySet.of(question.mode, truth, [question.query], [counted], rows)


def list_meant_keywords(
    truth: GroundTruth, mapping: KeywordMapping | None, rows: Ints | None
) -> tuple[Keyword, ...]:
    """What a query means by itself, of whatever groups; a vector means nothing.

    In "this clip, but at night" the text decides the groups that it speaks of, the clip all others:
    with the keywords of both, one would ask for a clip of day and night. What the text denies by
    its name ("this clip, but without rain") is not asked for either.
    """
    said: tuple[Keyword, ...] = ()
    denied: set[str] = set()
    if mapping is not None:
        said = tuple(item.keyword for item in (*mapping.keywords, *mapping.outside))
        denied = {clean_keyword(words) for words in mapping.set_aside.denied}
    spoken_of = {keyword.group for keyword in said}
    own = () if rows is None else truth.keywords_of(int(rows[0]))
    kept = (word for word in own if word.group not in spoken_of and word.name not in denied)
    return (*said, *kept)
