"""Policies: what is done in the cases where definitions differ, in every evaluation."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from engine.base.choices import (
    Duplicates,
    MissingQueryPolicy,
    NoKeywordPolicy,
    NoRelevantPolicy,
    OnePerPolicy,
    RelevancePolicy,
    SelfClipPolicy,
    ShortListPolicy,
    TiePolicy,
)
from engine.base.errors import InputError


@dataclass(frozen=True, slots=True)
class Policies:
    """What is done in the cases where definitions differ. Written into every result.

    ties            results of equal score: in which order they count
    no_relevant     a query without a relevant item: is left out, counts 0, or is an error
    no_keyword      a query without a keyword of the chosen groups
    fewer_than_k    fewer results than k: the denominator stays k, or is their number
    self_clip       whether a clip may find itself
    min_similarity  what is less similar counts as not retrieved
    missing         a judged query that a run does not answer: counts 0, is left out, or is an error
    duplicates      an item that a run or judgements name twice for a query
    one_per         what has one place in a ranking: a clip, or the source that clips are cut from
    relevance       a clip is relevant if it has all keywords of the query, or any of them; graded:
                    any, and nDCG counts the share of the keywords that it has
    """

    ties: TiePolicy = "insertion"
    no_relevant: NoRelevantPolicy = "skip"
    no_keyword: NoKeywordPolicy = "skip"
    fewer_than_k: ShortListPolicy = "fixed"
    self_clip: SelfClipPolicy = "remove"
    min_similarity: float | None = None
    missing: MissingQueryPolicy = "zero"
    duplicates: Duplicates = "error"
    one_per: OnePerPolicy = "clip"
    relevance: RelevancePolicy = "all"

    def __post_init__(self) -> None:
        if self.min_similarity is not None and not math.isfinite(self.min_similarity):
            raise InputError(
                f"the least similarity is {self.min_similarity}", hint="give a finite number"
            )
        if self.one_per == "source" and self.ties == "expected":
            # Which clip stands for a source would depend on the order of its ties.
            raise InputError(
                "ties cannot be averaged where one clip of each source stays",
                hint="order them instead: insertion or docid_desc",
            )


KEYWORD_POLICIES = Policies()
RANKING_POLICIES = Policies()
LABEL_POLICIES = Policies(no_relevant="zero")
"""Label Score@K averages over all queries: one whose label nobody else has scores 0."""

EvaluationName: TypeAlias = Literal["keywords", "rankings", "labels"]

_APPLYING: dict[EvaluationName, tuple[Policies, tuple[str, ...]]] = {
    "keywords": (
        KEYWORD_POLICIES,
        (
            *("ties", "no_relevant", "no_keyword", "fewer_than_k", "self_clip", "min_similarity"),
            *("one_per", "relevance"),
        ),
    ),
    "rankings": (
        RANKING_POLICIES,
        ("ties", "no_relevant", "missing", "fewer_than_k", "duplicates"),
    ),
    "labels": (LABEL_POLICIES, ("ties", "no_relevant", "fewer_than_k")),
}
"""What an evaluation does unless it is asked otherwise, and which policies it has at all."""


def dump_policies(policies: Policies, evaluation: EvaluationName) -> dict[str, Any]:
    """The policies that an evaluation has, by name, as its results name them.

    >>> dump_policies(LABEL_POLICIES, "labels")
    {'ties': 'insertion', 'no_relevant': 'zero', 'fewer_than_k': 'fixed'}
    """
    return {name: getattr(policies, name) for name in _APPLYING[evaluation][1]}


def collect_policy_notes(policies: Policies, evaluation: EvaluationName) -> list[str]:
    """The policies that are not the evaluation's usual ones, one note each.

    >>> collect_policy_notes(Policies(missing="skip", self_clip="keep"), "rankings")
    ['policy missing: skip']
    """
    usual = dump_policies(_APPLYING[evaluation][0], evaluation)
    given = dump_policies(policies, evaluation)
    return [f"policy {name}: {value}" for name, value in given.items() if value != usual[name]]
