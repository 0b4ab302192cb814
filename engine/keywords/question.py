"""Question: what is asked of a dataset, in plain values that can be saved and asked again."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

from engine.base.choices import Mode, OnePerPolicy, RelevancePolicy
from engine.keywords.joint_query import JointQuery


class AskedQuery(NamedTuple):
    """What a question is about, without how it is asked: see `Question`."""

    mode: Mode
    query: str
    vector: str | None = None


@dataclass(frozen=True, slots=True)
class Question:
    """A text, a clip, both together or a vector, searched with one model and judged by keywords of
    the chosen groups.

    query     the text; the id of the clip; the two as `JointQuery` writes them; the vector's name
    left_out  keywords ("group:name") of the chosen groups that do not count
    keywords  the query's keywords ("group:name") as edited by hand; None: its own
    given     its own keywords where a query set says them, of whatever groups; None: they are what
              the mapper finds in the text, or the clip's
    min_similarity  results below it count as not retrieved; None: as the policies say
    relevance  what makes a clip relevant; None: as the policies say
    vector    the numbers of a vector as `VectorQuery` holds them; None: it is none
    one_per   what has one place in the ranking; None: as the policies say

    >>> red = Question("text", "red car", "alfa", ("object",), keywords=("object:car",))
    >>> red.about("text", "red car").keywords, red.about("text", "blue car").keywords
    (('object:car',), None)
    """

    mode: Mode
    query: str
    model: str
    groups: tuple[str, ...]
    left_out: tuple[str, ...] = ()
    keywords: tuple[str, ...] | None = None
    min_similarity: float | None = None
    given: tuple[str, ...] | None = None
    relevance: RelevancePolicy | None = None
    vector: str | None = None
    one_per: OnePerPolicy | None = None

    def __post_init__(self) -> None:
        if self.mode == "joint":
            JointQuery.parse(self.query)  # or it says how to write one

    def about(self, mode: Mode, query: str, vector: str | None = None) -> Question:
        """Another query; keywords that were edited or given were those of the one before."""
        if (mode, query) == (self.mode, self.query):
            return self
        return replace(self, mode=mode, query=query, keywords=None, given=None, vector=vector)

    @property
    def asked(self) -> AskedQuery:
        return AskedQuery(self.mode, self.query, self.vector)

    @property
    def joint(self) -> JointQuery | None:
        """The text and the clip that are asked together; None: it is something else."""
        return JointQuery.parse(self.query) if self.mode == "joint" else None

    @property
    def text(self) -> str | None:
        """The text in it, for which an encoder is needed; None: there is none.

        >>> Question("joint", '"at night" + "clip_7", alpha 0.5', "alfa", ()).text
        'at night'
        """
        if self.mode == "joint":
            return JointQuery.parse(self.query).text
        return self.query if self.mode == "text" else None

    @property
    def clip(self) -> str | None:
        """The clip in it, which is no answer to itself; None: there is none."""
        if self.mode == "joint":
            return JointQuery.parse(self.query).clip
        return self.query if self.mode == "video" else None
