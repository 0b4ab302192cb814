"""The evidence for every keyword in what no phrase explains of a query, as numbers.

Of each kind the strongest over the query's spans; what it is compared with stands in its line.
All are linear in the log-odds as they were measured; `engine.text.mapping.odds` weighs them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from engine.base.arrays import Floats, Ints
from engine.text.mapping.senses import LEAST_PART

FEATURES = (
    "wordnet",  # how surely a span means the keyword, is a kind of it or has to do with it
    "kind",  # how surely a noun names a kind of it: a stag is a deer
    "parts",  # of a keyword of several words: how surely each of them is said
    "span",  # z of the nearest span
    "span_other",  # by how much that span is nearer to a keyword of another group; at most 0
    "span_rival",  # by how much that span is nearer to another keyword of the group; at most 0
    "rest",  # z of all that is unexplained
    "rest_group",  # the same, with the keyword written beside its group
    "rest_other",  # by how much the unexplained is nearer to a keyword of another group; at most 0
    "whole_near",  # z of the whole query, as far as it is above 4
    "whole_rival",  # by how much the whole query is nearer to another keyword of the group
)
NONE_FEATURES = (
    "constant",
    "found",  # 1 if a phrase has found a keyword of the group already
    "open",  # the share of the query's words of content that is left
    "words",  # words of content that are left, in sixths; six at most
    "covered",  # 1 if the synonym table knows the group's keywords
)

_RELATED_FROM, _KIND_FROM, _WHOLE_FROM = 0.4, 0.6, 4.0
_WORDNET_IN_Z = 6.0
"""What full evidence by WordNet counts in deviations where spans compete."""

_FAR = -4.0  # what is said of spans where there is none
_MOST_WORDS = 6


@dataclass(frozen=True, slots=True)
class RawEvidence:
    """What was measured of one query, by span (rows) and keyword (columns), or by keyword.

    span, related, kind   (spans, keywords) z by vectors, and what WordNet says
    parts                 (keywords,)
    whole, whole_group, rest, rest_group   (keywords,) z of the query's texts
    """

    span: Floats
    related: Floats
    kind: Floats
    parts: Floats
    whole: Floats
    whole_group: Floats
    rest: Floats
    rest_group: Floats


@dataclass(frozen=True, slots=True, eq=False)
class KeywordFeatures:
    """Per keyword its features, and the span (-1: none) that speaks for it most.

    strength   (spans, keywords) how much each span speaks for each keyword
    """

    values: Floats
    best_span: Ints
    strength: Floats


def compute_features(raw: RawEvidence, groups: Ints) -> KeywordFeatures:
    """The features of every keyword; `groups` gives each keyword's group by number."""
    keywords = np.arange(len(groups))
    related = np.maximum(0.0, raw.related - _RELATED_FROM)
    strength = raw.span + _WORDNET_IN_Z * related
    if len(raw.span):
        best = strength.argmax(axis=0)
        span = raw.span.max(axis=0)
        wordnet = related.max(axis=0)
        other = strength[best, keywords] - best_of_other_groups(strength, groups)[best, keywords]
        span_other = np.minimum(0.0, other)
        rivals = np.stack([best_rival(row, groups) for row in strength])
        span_rival = np.minimum(0.0, strength[best, keywords] - rivals[best, keywords])
    else:
        best = np.full(len(groups), -1)
        span = wordnet = np.zeros(len(groups))
        span_other = span_rival = np.full(len(groups), _FAR)
    kind = raw.kind.max(axis=0, initial=0.0)
    columns = (
        wordnet,
        np.where(kind >= _KIND_FROM, kind, 0.0),
        np.maximum(0.0, raw.parts - LEAST_PART),
        span,
        span_other,
        span_rival,
        raw.rest,
        raw.rest_group,
        np.minimum(0.0, raw.rest - best_of_other_groups(raw.rest[None], groups)[0]),
        np.maximum(0.0, raw.whole - _WHOLE_FROM),
        np.minimum(0.0, raw.whole_group - best_rival(raw.whole_group, groups)),
    )
    return KeywordFeatures(np.stack(columns, axis=1), best, strength + _WORDNET_IN_Z * raw.kind)


def describe_none(found: bool, left: int, content: int, covered: bool) -> Floats:
    """The features of the answer that a group has no keyword; `left` of the `content` words."""
    words = min(left, _MOST_WORDS) / _MOST_WORDS
    return np.array([1.0, found, left / max(content, 1), words, covered], np.float64)


def best_of_other_groups(values: Floats, groups: Ints) -> Floats:
    """For each row and keyword the largest value among the keywords of other groups; else 0.

    >>> best_of_other_groups(np.array([[3.0, 1.0, 2.0]]), np.array([0, 0, 1]))
    array([[2., 2., 3.]])
    """
    count = int(groups.max()) + 1 if len(groups) else 0
    tops = np.full((len(values), count), -np.inf)
    for group in range(count):
        tops[:, group] = values[:, groups == group].max(axis=1, initial=-np.inf)
    if count < 2:
        return np.zeros_like(values)
    order = np.argsort(tops, axis=1)
    first, second = order[:, -1], order[:, -2]
    rows = np.arange(len(values))
    largest, next_largest = tops[rows, first][:, None], tops[rows, second][:, None]
    return np.where(groups[None] == first[:, None], next_largest, largest)


def best_rival(values: Floats, groups: Ints) -> Floats:
    """For each keyword the largest value among the others of its group; its own if it is alone.

    >>> best_rival(np.array([3.0, 1.0, 2.0]), np.array([0, 0, 1]))
    array([1., 3., 2.])
    """
    rivals = values.copy()
    for group in np.unique(groups):
        members = np.flatnonzero(groups == group)
        if len(members) > 1:
            order = members[np.argsort(values[members], kind="stable")]
            rivals[members] = values[order[-1]]
            rivals[order[-1]] = values[order[-2]]
    return rivals
