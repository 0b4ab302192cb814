"""RaggedLists: one list per query or entry, each as long as it is."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from engine.base.arrays import AnyFloats, AnyInts


@dataclass(frozen=True, eq=False)
class RaggedLists:
    """One list per query: that of query i is values[offsets[i]:offsets[i + 1]]."""

    offsets: AnyInts
    values: AnyFloats

    @cached_property
    def counts(self) -> AnyInts:
        return np.diff(self.offsets)

    @cached_property
    def queries(self) -> AnyInts:
        """The query of every value."""
        return np.repeat(np.arange(len(self.offsets) - 1), self.counts)

    @cached_property
    def places(self) -> AnyInts:
        """Where every value stands in the list of its query, from 0."""
        return np.arange(len(self.values)) - np.repeat(self.offsets[:-1], self.counts)

    @classmethod
    def of(cls, counts: Iterable[int], values: AnyFloats) -> RaggedLists:
        return cls(np.concatenate([[0], np.cumsum(np.fromiter(counts, np.int64))]), values)
