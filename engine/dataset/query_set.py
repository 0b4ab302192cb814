"""Queries with their keywords: texts as given or as mapped, clips with their own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from engine.base.arrays import Ints, Vectors
from engine.base.choices import Mode, NoKeywordPolicy
from engine.base.errors import InputError
from engine.base.keyword import Keyword
from engine.base.progress import ProgressHook, Step, split_range
from engine.dataset.annotations.layout import normalise_group
from engine.dataset.clip_set import BitWords
from engine.dataset.ground_truth import GroundTruth
from engine.dataset.query_files import TextQuery
from engine.dataset.vocabulary import Selection
from engine.text.mapping.mapper import KeywordMapping, Mapper
from engine.text.mapping.unexplained import UnexplainedWords, count_unexplained

TEXTS_PER_MAPPING = 200
"""Texts that are mapped between two reports: about a second for those full of new words."""


@dataclass(frozen=True, slots=True, eq=False)
class QuerySet:
    """Queries that have keywords, and those that had none and were left out.

    bits       (q, words) the keywords of each query
    places     (q,) where each query stood in the set as it was asked for
    rows       (q,) the rows of the clips that ask, which are no answers to themselves; None: none
    vectors    (q, d) what asks, where that is neither a text to encode nor a clip of the collection
               alone; None: it is one of those
    left_out   place and name of every query without a keyword
    mapped     how many texts got their keywords from the mapper
    narrowed   how many texts also name keywords of groups that were not chosen
    unexplained  what the mapped texts say that no keyword explains
    """

    mode: Mode
    names: tuple[str, ...]
    bits: BitWords
    places: Ints
    rows: Ints | None = None
    left_out: tuple[tuple[int, str], ...] = ()
    mapped: int = 0
    narrowed: int = 0
    unexplained: UnexplainedWords = field(default_factory=UnexplainedWords)
    vectors: Vectors | None = None

    def __len__(self) -> int:
        return len(self.names)

    @property
    def asked(self) -> int:
        """How many queries there were before any was left out."""
        return len(self) + len(self.left_out)

    @classmethod
    def of(
        cls,
        mode: Mode,
        truth: GroundTruth,
        names: Sequence[str],
        keywords: Sequence[Sequence[Keyword]],
        rows: Ints | None = None,
    ) -> QuerySet:
        """Queries with their keywords written out; none is left out."""
        bits = truth.query_bits(keywords)
        return cls(mode, tuple(names), bits, np.arange(len(bits)), rows)


def build_text_queries(
    queries: Sequence[TextQuery],
    truth: GroundTruth,
    selection: Selection,
    mapper: Callable[[], Mapper],
    policy: NoKeywordPolicy = "skip",
    report: ProgressHook | None = None,
) -> QuerySet:
    """Texts with their keywords: as given, cut down to the selection, or as the mapper finds them.

    A query's own groups cut the selection down further. `mapper` is called only if some query
    comes without keywords.
    """
    unknown = [query for query in queries if query.keywords is None]
    mappings = _map(unknown, selection, mapper, report) if unknown else []
    mapped = iter(mappings)
    read = [
        _from_mapping(next(mapped), selection)
        if query.keywords is None
        else _from_names(query, truth, selection)
        for query in queries
    ]
    every = QuerySet.of("text", truth, [q.text for q in queries], [found for found, _ in read])
    narrowed = sum(outside for _, outside in read)
    unexplained = count_unexplained(mapping.unexplained for mapping in mappings)
    counted = replace(every, mapped=len(unknown), narrowed=narrowed, unexplained=unexplained)
    return _leave_out(counted, policy)


def _map(
    queries: Sequence[TextQuery],
    selection: Selection,
    mapper: Callable[[], Mapper],
    report: ProgressHook | None,
) -> list[KeywordMapping]:
    opened, mappings = mapper(), list[KeywordMapping]()
    for part in split_range(len(queries), TEXTS_PER_MAPPING):
        some = queries[part]
        groups = [_wanted_groups(query, selection) for query in some]
        mappings += opened.map_batch([query.text for query in some], groups)
        if report:
            report(Step("text", "mapping", len(mappings), len(queries)))
    return mappings


def _wanted_groups(query: TextQuery, selection: Selection) -> Sequence[str]:
    if query.groups is None:
        return selection.groups
    wanted = set(map(normalise_group, query.groups))
    return [group for group in selection.groups if normalise_group(group) in wanted]


def _wants(query: TextQuery, group: str) -> bool:
    return query.groups is None or normalise_group(group) in map(normalise_group, query.groups)


def _from_mapping(
    mapping: KeywordMapping, selection: Selection
) -> tuple[tuple[Keyword, ...], bool]:
    """The keywords that count, and whether the text names others as well."""
    found = tuple(item.keyword for item in mapping.keywords if item.keyword in selection)
    return found, len(found) < len(mapping.keywords) or bool(mapping.outside)


def _from_names(
    query: TextQuery, truth: GroundTruth, selection: Selection
) -> tuple[tuple[Keyword, ...], bool]:
    found, outside = [], False
    for name in query.keywords or ():
        keyword = find_given_keyword(name, query, truth, selection)
        if keyword is not None and _wants(query, keyword.group):
            found.append(keyword)
        else:
            outside = True
    return tuple(dict.fromkeys(found)), outside


def find_given_keyword(
    name: str, query: TextQuery, truth: GroundTruth, selection: Selection
) -> Keyword | None:
    """The keyword of the selection that a query file names; None if it lies outside.

    A name that no group has is an `InputError` with the query's place.
    """
    inside = [keyword for keyword in truth.words.find_named(name) if keyword in selection]
    if len(inside) == 1:
        return inside[0]
    if not inside and truth.words.find_named(name):
        return None
    try:
        keyword = truth.words.find(name)
    except InputError as error:
        raise error.at(query.place) from error
    return keyword if keyword in selection else None


def build_video_queries(
    truth: GroundTruth, selection: Selection, rows: Ints, policy: NoKeywordPolicy = "skip"
) -> QuerySet:
    """Clips as queries, each with its own keywords of the selection."""
    names = tuple(truth.ids[row] for row in rows.tolist())
    bits = truth.bits_of(rows, selection)
    return _leave_out(QuerySet("video", names, bits, np.arange(len(rows)), rows), policy)


def _leave_out(queries: QuerySet, policy: NoKeywordPolicy) -> QuerySet:
    """The queries that have a keyword, remembering the others."""
    has_keyword = queries.bits.any(axis=1)
    if has_keyword.all():
        return queries
    empty = tuple((place, queries.names[place]) for place in np.flatnonzero(~has_keyword).tolist())
    if policy == "error":
        raise InputError(
            f"the query {empty[0][1]!r} has no keyword of the chosen groups",
            hint="choose other groups, or leave such queries out with --no-keyword skip",
        )
    kept = np.flatnonzero(has_keyword)
    return replace(
        queries,
        names=tuple(queries.names[place] for place in kept.tolist()),
        bits=queries.bits[kept],
        places=kept,
        rows=None if queries.rows is None else queries.rows[kept],
        vectors=None if queries.vectors is None else queries.vectors[kept],
        left_out=empty,
    )
