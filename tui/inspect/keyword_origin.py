"""Where the keywords of a query come from."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from tui.work.questions import find_original_keywords

if TYPE_CHECKING:
    from engine.base.choices import Mode
    from engine.base.keyword import Keyword
    from engine.keywords.query_keywords import QueryKeywords

KeywordSource: TypeAlias = Literal[
    "mapped from the text",
    "the clip's own",
    "the text's and the clip's own",
    "none: a vector says none",
    "from the query set",
]
_SOURCES: Mapping[Mode, KeywordSource] = {
    "text": "mapped from the text",
    "video": "the clip's own",
    "joint": "the text's and the clip's own",
    "vector": "none: a vector says none",
}


class KeywordOrigin(NamedTuple):
    """Where the keywords came from, before a person changed them.

    keywords  those that it gave
    edited    a person has dropped or added some since
    """

    source: KeywordSource
    keywords: tuple[Keyword, ...]
    edited: bool


def find_keyword_origin(known: QueryKeywords) -> KeywordOrigin:
    """What the query's keywords were at first."""
    source = _SOURCES[known.mode]
    if known.question.given is not None:
        source = "from the query set"
    keywords = find_original_keywords(known)
    edited = known.question.keywords is not None and set(keywords) != set(known.keywords)
    return KeywordOrigin(source, keywords, edited)
