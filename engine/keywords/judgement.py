"""What a person says about a result: a mark, a reason, a note."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, TypeAlias, get_args

from engine.base.choices import Mode

Mark: TypeAlias = Literal["bias", "relevant", "not relevant"]
"""A case of embedding bias; relevant after all; not relevant, whatever its keywords say."""

Reason: TypeAlias = Literal[
    "look-alike", "missing keyword", "wrong ground truth", "mapper error", "hub", "other"
]
"""Why a result is a bias case."""

REASONS: tuple[Reason, ...] = get_args(Reason)

REASON_MEANINGS: dict[Reason, str] = {
    "look-alike": "looks like the query, means something else",
    "missing keyword": "lacks a keyword that the embedding ignores",
    "wrong ground truth": "the annotation is wrong, not the result",
    "mapper error": "the text was mapped to the wrong keywords",
    "hub": "this clip is close to every query",
    "other": "anything else; say it in a note",
}
"""What each reason says about the result; the same words everywhere."""

QUERY_REASON_MEANINGS: dict[Reason, str] = REASON_MEANINGS | {
    "look-alike": "results look alike but mean something else",
    "missing keyword": "results lack a keyword the embedding ignores",
    "wrong ground truth": "annotations are wrong, not the results",
    "hub": "results are close to every query",
}
"""What each reason says where a query is judged, with all its results."""

MARK_NAMES: dict[Mark, str] = {
    "bias": "bias case",
    "relevant": "relevant after all",
    "not relevant": "not relevant",
}
"""What each mark is called; the same words everywhere."""


OF_QUERY: Final = ""
"""In place of a clip: the query itself is judged, with all its results."""


@dataclass(frozen=True, slots=True)
class Target:
    """What is judged: one clip as an answer to one query, whatever model returned it; or, where the
    clip is OF_QUERY, the query itself."""

    mode: Mode
    query: str
    clip: str

    @property
    def is_query(self) -> bool:
        return self.clip == OF_QUERY

    @property
    def clip_in_words(self) -> str:
        """
        >>> Target("text", "a bus", "clip_7").clip_in_words, Target("text", "a bus", "").is_query
        ('clip_7', True)
        """
        return "the query itself" if self.is_query else self.clip


@dataclass(frozen=True, slots=True)
class JudgementContext:
    """What the judge saw.

    keywords  "group:name", those of the query that counted
    rank      0: the query itself is judged, and there is no score either
    lacking   those of them that the result does not have; None: not known
    """

    model: str
    groups: tuple[str, ...]
    keywords: tuple[str, ...]
    rank: int
    score: float
    lacking: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class Judgement:
    """A mark, a note, or both; `reason` belongs to the mark "bias" alone."""

    mark: Mark | None = None
    reason: Reason | None = None
    note: str = ""
    seen: JudgementContext | None = None

    @property
    def empty(self) -> bool:
        return self.mark is None and not self.note

    @property
    def decides(self) -> bool:
        """Whether the mark says what is relevant, so that adjudicated metrics follow it."""
        return self.mark in ("relevant", "not relevant")

    @property
    def mark_in_words(self) -> str:
        """The mark with its reason; empty if there is none.

        >>> Judgement("bias", "hub").mark_in_words, Judgement("relevant").mark_in_words
        ('bias case (hub)', 'relevant after all')
        """
        if self.mark is None:
            return ""
        name = MARK_NAMES[self.mark]
        return f"{name} ({self.reason})" if self.reason else name
