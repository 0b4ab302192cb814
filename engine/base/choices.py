"""What settings choose from: what a query is, and what is done in the cases where definitions
differ (`engine.metrics.policies` says when)."""

from __future__ import annotations

from typing import Literal, TypeAlias

Mode: TypeAlias = Literal["text", "video", "joint", "vector"]
"""What a query is: a text, a clip of the dataset, both together, or a vector of whatever made it.
Query sets have texts and clips."""

ProfileName: TypeAlias = Literal["alfa", "ir", "video", "label", "tvr", "qvh"]
"""How metrics are named (`engine.metrics` says what each profile reports)."""

LARGEST_CUTOFF = 1_000_000
"""The largest cut-off."""

MOST_KS = 50
"""How many cut-offs there may be at once: each is a column of every table."""

CUTOFFS_ALLOWED = f"whole numbers from 1 to {LARGEST_CUTOFF:,}, {MOST_KS} at most"
"""What `sort_cutoffs` takes, for whoever has to refuse the rest."""


def sort_cutoffs(given: object) -> tuple[int, ...] | None:
    """The cut-offs that a number or a list names, ascending and each once; None: they cannot be.

    >>> sort_cutoffs([5, 1, 3, 1]), sort_cutoffs(10), sort_cutoffs([0, 5]), sort_cutoffs("5")
    ((1, 3, 5), (10,), None, None)
    >>> sort_cutoffs([*range(1, 3_001)]) is None
    True
    """
    listed = given if isinstance(given, list) else [given]
    ks = [k for k in listed if type(k) is int and 1 <= k <= LARGEST_CUTOFF]
    is_fine = len(ks) == len(listed) and 1 <= len(set(ks)) <= MOST_KS
    return tuple(sorted(set(ks))) if is_fine else None


TiePolicy: TypeAlias = Literal["insertion", "docid_desc", "expected"]

NoRelevantPolicy: TypeAlias = Literal["skip", "zero", "error"]
"""A query with no relevant item: left out of the means, counts 0, or is an error.

Under "zero" every share of R is 0; counts and similarities are what they are, and ranks, which
have no zero, stay left out.
"""

ShortListPolicy: TypeAlias = Literal["fixed", "adaptive"]
"""Fewer than k results: the denominator stays k (fixed), or is what was returned (adaptive)."""

NoKeywordPolicy: TypeAlias = Literal["skip", "error"]
SelfClipPolicy: TypeAlias = Literal["remove", "keep"]
OnePerPolicy: TypeAlias = Literal["clip", "source"]
"""What has at most one place in a ranking: each clip; or each source, of which the best-ranked clip
stays, and none of a query clip's own."""

RelevancePolicy: TypeAlias = Literal["all", "any", "graded"]
"""A clip is relevant if it has all keywords of the query, or any of them; graded: any, and its gain
is the share of the query's keywords that it has."""

MissingQueryPolicy: TypeAlias = Literal["zero", "skip", "error"]
Duplicates: TypeAlias = Literal["error", "keep_best"]
