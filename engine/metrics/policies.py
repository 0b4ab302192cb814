"""Policies: what is done in the cases where definitions differ."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, TypeAlias

from engine.base.errors import InputError
from engine.metrics.relevance import Short
from engine.metrics.scoring import NoRelevant
from engine.metrics.ties import Ties

NoKeyword: TypeAlias = Literal["skip", "error"]
SelfClip: TypeAlias = Literal["remove", "keep"]


@dataclass(frozen=True, slots=True)
class Policies:
    """What is done in the cases where definitions differ. Written into every result."""

    ties: Ties = "insertion"
    no_relevant: NoRelevant = "skip"
    no_keyword: NoKeyword = "skip"
    short: Short = "fixed"
    self_clip: SelfClip = "remove"
    min_similarity: float | None = None

    def __post_init__(self) -> None:
        if self.min_similarity is not None and not math.isfinite(self.min_similarity):
            raise InputError(
                f"the least similarity is {self.min_similarity}", hint="give a finite number"
            )


DEFAULT_POLICIES = Policies()
