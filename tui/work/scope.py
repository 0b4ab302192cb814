"""Scope: what an evaluation looks at."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING

from engine.base.messages import pluralise
from tui.look.nouns import spell_group

if TYPE_CHECKING:
    from engine.base.choices import Mode, OnePerPolicy, RelevancePolicy
    from engine.keywords.run import RunRequest


@dataclass(frozen=True, slots=True)
class Scope:
    """What an evaluation looks at.

    request  the run that a command asked for: its queries, cut-offs and policies; None: the
             dataset's own
    learned  how often the mapper was taught something: texts may mean something else since
    relevance  what makes a clip relevant
    one_per  what has one place in a ranking

    >>> Scope("alfa", ("object_type",), frozenset({"object_type:car"}), 0.15).describe(" · ")
    'alfa · object type · 1 keyword left out · similarity ≥ 0.15'
    """

    model: str
    groups: tuple[str, ...]
    left_out: frozenset[str] = frozenset()
    min_similarity: float | None = None
    request: RunRequest | None = None
    learned: int = 0
    relevance: RelevancePolicy = "all"
    one_per: OnePerPolicy = "clip"

    def of_mode(self, mode: Mode) -> Scope:
        """The same without what makes no difference to queries of this mode."""
        return self if mode == "text" else replace(self, learned=0)

    def describe(self, dot: str) -> str:
        """In words, with a sign between them."""
        parts = [self.model, *filter(None, [", ".join(map(spell_group, self.groups))])]
        if self.left_out:
            parts.append(f"{pluralise(len(self.left_out), 'keyword')} left out")
        if self.min_similarity is not None:
            parts.append(f"similarity ≥ {self.min_similarity:g}")
        if self.relevance != "all":
            parts.append(f"relevance {self.relevance}")
        if self.one_per != "clip":
            parts.append(f"one per {self.one_per}")
        if self.request is not None:
            parts += _asked(self.request)
        return dot.join(parts)


def _asked(request: RunRequest) -> list[str]:
    """What a run asks beside model, groups and keywords, where it is not the usual."""
    from engine.labels.dataset import LABEL_PROFILE
    from engine.metrics.policies import KEYWORD_POLICIES, LABEL_POLICIES

    parts = [] if request.queries is None else [Path(request.queries).name]
    if request.videos is not None:
        parts.append(pluralise(len(request.videos), "listed clip"))
    if request.sample is not None:
        parts.append(f"{pluralise(request.sample, 'clip')} drawn with seed {request.seed}")
    if request.limit is not None:
        parts.append(f"the first {pluralise(request.limit, 'query')}")
    usual = LABEL_POLICIES if request.profile == LABEL_PROFILE else KEYWORD_POLICIES
    for field in fields(usual):
        value = getattr(request.policies, field.name)
        is_own = field.name in ("min_similarity", "relevance", "one_per")
        if not is_own and value != getattr(usual, field.name):
            parts.append(f"{field.name.replace('_', ' ')} {value}")
    return parts
