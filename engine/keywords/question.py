"""Question: what is asked of a dataset, in plain values that can be saved and asked again."""

from __future__ import annotations

from dataclasses import dataclass, replace

from engine.base.choices import Mode, OnePerPolicy, RelevancePolicy


@dataclass(frozen=True, slots=True)
class Question:
    """A text or a clip, searched with one model and judged by keywords of the chosen groups.

    left_out  keywords ("group:name") of the chosen groups that do not count
    keywords  the query's keywords ("group:name") as edited by hand; None: its own
    given     its own keywords where a query set says them, of whatever groups; None: they are what
              the mapper finds in the text, or the clip's
    min_similarity  results below it count as not retrieved; None: as the policies say
    relevance  what makes a clip relevant; None: as the policies say
    one_per  what has one place in the ranking; None: as the policies say

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
    one_per: OnePerPolicy | None = None

    def about(self, mode: Mode, query: str) -> Question:
        """Another query; keywords that were edited or given were those of the one before."""
        if (mode, query) == (self.mode, self.query):
            return self
        return replace(self, mode=mode, query=query, keywords=None, given=None)
