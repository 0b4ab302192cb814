"""Relevance: all that a measure may know about the ranked results of a batch of queries."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from engine.base.arrays import Bools, Floats, Ints
from engine.base.choices import ShortListPolicy
from engine.base.ranking import NO_ITEM, Ranking
from engine.metrics.gain_levels import GainLevels


@dataclass(frozen=True, slots=True, eq=False)
class Relevance:
    """What is known about q queries whose rankings are d results deep; rank 1 is column 0.

    gains       (q, d) bool, or float for graded relevance; 0 is not relevant
    scores      (q, d) in the order of the ranking; ties are decided in float32
    returned    (q,) results that count as retrieved; columns from there on are ignored
    relevant    (q,) R, the number of relevant items in the whole collection
    collection  N, one number or (q,); without the query clip where that is removed
    ideal       (q, m) gains of all judged items, descending; None: binary, the ideal follows from R
    complete    nothing ranks below the list: it holds all that the system would ever return
    short       the policy for fewer than k results
    levels      in place of `ideal`: how many items have which gain
    """

    gains: Bools | npt.NDArray[np.floating]
    scores: npt.NDArray[np.floating]
    returned: Ints
    relevant: Ints
    collection: int | Ints
    ideal: Floats | None = None
    complete: bool = False
    short: ShortListPolicy = "fixed"
    levels: GainLevels | None = None

    def __post_init__(self) -> None:
        if self.gains.ndim != 2 or self.gains.shape != self.scores.shape:
            raise ValueError(
                f"gains {self.gains.shape} and scores {self.scores.shape} must be one "
                "queries × depth shape"
            )
        for name in ("returned", "relevant", "collection"):
            shape = np.shape(getattr(self, name))
            if shape not in ((len(self),), ()):
                raise ValueError(f"{name} has shape {shape}, there are {len(self)} queries")
        if self.ideal is not None and self.ideal.shape[:1] != (len(self),):
            raise ValueError(f"ideal has shape {self.ideal.shape}, there are {len(self)} queries")

    def __len__(self) -> int:
        return int(self.gains.shape[0])

    @property
    def depth(self) -> int:
        return int(self.gains.shape[1])

    @property
    def graded(self) -> bool:
        return bool(self.gains.dtype != np.bool_)

    @classmethod
    def of_hits(
        cls,
        hits: npt.ArrayLike,
        relevant: npt.ArrayLike,
        *,
        collection: int = 0,
        ideal: npt.ArrayLike | None = None,
        complete: bool = False,
        short: ShortListPolicy = "fixed",
    ) -> Relevance:
        """Hits or gains typed by hand, all returned, scores strictly falling.

        >>> Relevance.of_hits([[1, 0, 1]], relevant=[4]).gains
        array([[ True, False,  True]])
        """
        gains = np.atleast_2d(np.asarray(hits))
        if ideal is None:
            gains = gains.astype(np.bool_)
        queries, depth = gains.shape
        scores = np.broadcast_to(-np.arange(depth, dtype=np.float32), gains.shape)
        return cls(
            gains=gains,
            scores=scores,
            returned=np.full(queries, depth, dtype=np.int64),
            relevant=np.atleast_1d(np.asarray(relevant, dtype=np.int64)),
            collection=collection,
            ideal=None if ideal is None else np.atleast_2d(np.asarray(ideal, dtype=np.float64)),
            complete=complete,
            short=short,
        )


def count_returned(ranking: Ranking, min_similarity: float | None = None) -> Ints:
    """How many results of each query count as retrieved: real items, scored high enough.

    >>> scores = np.array([[0.9, 0.3, 0.1]], dtype=np.float32)
    >>> count_returned(Ranking(np.array([[4, 7, 2]]), scores), min_similarity=0.15)
    array([2])
    """
    counted = ranking.indices != NO_ITEM
    if min_similarity is not None:
        # Scores are float32: a threshold of 0.15 must admit a score of 0.15.
        with np.errstate(over="ignore"):  # beyond float32 is infinity: no score reaches it
            least = np.float32(min_similarity)
        counted &= ranking.scores >= least
    returned: Ints = counted.sum(axis=1, dtype=np.int64)
    return returned
