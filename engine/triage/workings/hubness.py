"""How unevenly the places among the first k results are shared by the clips.

N_k(x) is the number of queries that have x among their first k. It is the more skewed, the fewer
queries and the more clips there are, also where every result is drawn at random: so it is compared
with results that are.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from engine.base.arrays import Floats, Ints
from engine.base.progress import split_range
from engine.base.ranking import NO_ITEM
from engine.triage.study import Study

SIMULATED = 100
"""Sets of random results."""

_PLACES_AT_ONCE = 2**20


@dataclass(frozen=True, slots=True, eq=False)
class Hubness:
    """N_k of every clip, and what is said of it.

    counts     (clips,) N_k
    misses     (clips,) of these the queries that the clip does not answer
    skewness   mean of ((N_k − mean) / standard deviation)³
    robin_hood share of the places that would have to move for all clips to have as many:
               ½ Σ|N_k − mean| / Σ N_k
    hubs       clips with N_k ≥ 2k
    antihubs   clips with N_k = 0
    top_share  share of the places that the 1 % of clips with most of them have, at least one clip
    by_chance  (4,) skewness, Robin Hood index, antihubs and top share, means of random results
    p          of so skewed random results
    """

    counts: Ints
    misses: Ints
    k: int
    skewness: float
    robin_hood: float
    top_share: float
    by_chance: Floats
    p: float

    @property
    def hubs(self) -> int:
        return int((self.counts >= 2 * self.k).sum())

    @property
    def hub_share(self) -> float:
        """The share of all places that the hubs have."""
        own = float(self.counts[self.counts >= 2 * self.k].sum())
        return own / max(1.0, float(self.counts.sum()))

    @property
    def antihubs(self) -> int:
        return int((self.counts == 0).sum())

    def find_worst(self, most: int) -> Ints:
        """The clips that most queries get without being answered, the worst first; those that no
        more queries get than clips do on average are none of them."""
        order = np.lexsort((np.arange(len(self.counts)), -self.counts, -self.misses))[:most]
        worst: Ints = order[(self.misses[order] > 0) & (self.counts[order] > self.counts.mean())]
        return worst


def measure_hubness(study: Study, mode: int) -> Hubness:
    """Over all queries of a mode."""
    asked = study.asked[mode]
    clips, k = len(study.collection), min(study.settings.hub_depth, len(study.collection))
    indices, hits = asked.top(k)
    there = indices != NO_ITEM
    counts = np.bincount(indices[there], minlength=clips)
    misses = np.bincount(indices[there & ~hits & asked.counted[:, None]], minlength=clips)
    found = _summarise(counts)
    rng = study.make_rng(f"hubness {asked.mode}")
    random = np.empty((SIMULATED, 4))
    for turn in range(SIMULATED):
        study.beat()
        random[turn] = _summarise(draw_counts_at_random(rng, clips, indices.shape[1], len(asked)))
    noise = 1e-9 * max(1.0, abs(found[0]))
    extreme = int((random[:, 0] >= found[0] - noise).sum())
    return Hubness(
        counts=counts,
        misses=misses,
        k=k,
        skewness=found[0],
        robin_hood=found[1],
        top_share=found[3],
        by_chance=random.mean(axis=0),
        p=(extreme + 1) / (SIMULATED + 1),
    )


def compute_skewness(counts: Ints) -> float:
    """The third standardised moment; 0 where all are the same.

    >>> round(compute_skewness(np.array([0, 0, 0, 4])), 6)
    1.154701
    """
    deviations = counts - counts.mean()
    spread = float(np.sqrt((deviations**2).mean()))
    cubes = deviations * deviations * deviations  # powers of arrays take ten times as long
    return float(cubes.mean()) / spread**3 if spread > 0 else 0.0


def compute_robin_hood(counts: Ints) -> float:
    """The share of all places that the clips above the mean have beyond it.

    >>> compute_robin_hood(np.array([0, 0, 0, 4])), compute_robin_hood(np.array([1, 1]))
    (0.75, 0.0)
    """
    total = float(counts.sum())
    return float(np.abs(counts - counts.mean()).sum()) / (2 * total) if total else 0.0


def compute_top_share(counts: Ints, share: float = 0.01) -> float:
    """The share of all places that so many of the clips have, those with most of them.

    >>> compute_top_share(np.array([0, 0, 1, 3]))
    0.75
    """
    most, total = max(1, round(share * len(counts))), float(counts.sum())
    return float(np.sort(counts)[-most:].sum()) / total if total else 0.0


def draw_counts_at_random(rng: np.random.Generator, clips: int, k: int, queries: int) -> Ints:
    """N_k where the first k results of every query are k different clips at random.

    >>> draw_counts_at_random(np.random.default_rng(0), clips=3, k=3, queries=5).tolist()
    [5, 5, 5]
    """
    counts = np.zeros(clips, np.int64)
    for part in split_range(queries, max(1, _PLACES_AT_ONCE // max(1, k))):
        chosen = np.full((part.stop - part.start, k), NO_ITEM, np.int64)
        # Floyd's sample without replacement, one place of all queries at a time.
        for place in range(k):
            last = clips - k + place
            drawn = rng.integers(0, last + 1, len(chosen))
            taken = (chosen[:, :place] == drawn[:, None]).any(axis=1)
            chosen[:, place] = np.where(taken, last, drawn)
        counts += np.bincount(chosen.ravel(), minlength=clips)
    return counts


def _summarise(counts: Ints) -> tuple[float, float, float, float]:
    """What is compared with random results."""
    return (
        compute_skewness(counts),
        compute_robin_hood(counts),
        float((counts == 0).sum()),
        compute_top_share(counts),
    )
