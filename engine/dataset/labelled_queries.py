"""Queries of a file with the keywords that they mean, as keywords of a vocabulary."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from engine.base.errors import InputError
from engine.base.keyword import Keyword
from engine.dataset.query_files import TextQuery, read_queries
from engine.dataset.vocabulary import Vocabulary
from engine.text.learning.labelled import LabelledText


@dataclass(frozen=True, slots=True)
class LabelledQueries:
    """The queries that have keywords, and how many have none and say nothing."""

    queries: tuple[LabelledText, ...]
    unlabelled: int


def read_labelled_queries(
    path: Path, words: Vocabulary, groups: Sequence[str] | None = None
) -> LabelledQueries:
    """Labelled queries of a file; keywords outside a query's groups do not count.

    `groups` are those of queries that name none of their own; None: all.
    """
    read = read_queries(path)
    default = words.groups if groups is None else words.select(groups).groups
    labelled = [label_query(query, words, default) for query in read if query.keywords is not None]
    if not labelled:
        raise InputError(
            "no query says which keywords it means",
            path,
            hint='write a column keywords, or {"q": "…", "kw": ["…"]}',
        )
    return LabelledQueries(tuple(labelled), len(read) - len(labelled))


def find_groups(query: TextQuery, words: Vocabulary, default: tuple[str, ...]) -> tuple[str, ...]:
    """The groups that a query asks for."""
    if query.groups is None:
        return default
    try:
        return words.select(query.groups).groups
    except InputError as error:
        raise error.at(query.place) from error


def label_query(query: TextQuery, words: Vocabulary, default: tuple[str, ...]) -> LabelledText:
    """A query with the keywords of its groups that it means."""
    groups = find_groups(query, words, default)
    meant = {_find(name, query, words, groups) for name in query.keywords or ()}
    return LabelledText(query.text, groups, frozenset(meant - {None}))  # type: ignore[arg-type]


def _find(
    name: str, query: TextQuery, words: Vocabulary, groups: tuple[str, ...]
) -> Keyword | None:
    """The keyword that is meant; None if it lies outside the groups."""
    named = words.find_named(name)
    inside = [keyword for keyword in named if keyword.group in groups]
    if named and len(inside) < 2:
        return inside[0] if inside else None
    try:
        return words.find(name, groups)
    except InputError as error:
        raise error.at(query.place) from error
