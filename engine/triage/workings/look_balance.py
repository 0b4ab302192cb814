"""What decides how similar clips are to the model: how they look, or what they mean.

Over pairs of clips of different sources, with s the similarity in the model, look that of another
one, and overlap the Jaccard of their chosen keywords:

    ρ_look = Spearman of s and look given overlap        ρ_mean = of s and overlap given look
    index  = (ρ_look − ρ_mean) / (|ρ_look| + |ρ_mean|)   −1: meaning alone, +1: looks alone

Of a group the overlap is that of its keywords, 0 where neither clip has one.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from engine.base.arrays import Bools, Floats, Ints
from engine.stats.distributions import normal_cdf
from engine.stats.mantel import PairCorrelation, correlate_pairs
from engine.stats.multiple import holm
from engine.stats.pair_resamples import hold_fast, resample_correlations
from engine.stats.ranks import rank_columns
from engine.triage.effect import Effect, Resamples
from engine.triage.permutations import count_fewest_permutations, leaves_hope
from engine.triage.study import Reference, Study

_MOST_CLIPS = 300
"""That are compared, each with each: 45,000 pairs."""

FEWEST_SOURCES = 20
"""Of fewer, hardly any permutation is another one."""

LOOK_TESTS = 2
"""What wrong results look like is a test of its own."""

_PER_SOURCE = 5
_MOST_SHOWN = 2_000
_MOST_DRAWS = 1_000
_MOST_PERMUTATIONS = 3_000
"""Of hundreds of clips, each with each: more take too long."""

_SIMILARITY, _LOOK, _OVERLAP, _FIRST_GROUP = range(4)


@dataclass(frozen=True, slots=True, eq=False)
class LookPairs:
    """Some pairs, drawn, for a picture; clips are rows of the study."""

    first: Ints
    second: Ints
    similarity: Floats
    look: Floats
    overlap: Floats

    def __len__(self) -> int:
        return len(self.first)


@dataclass(frozen=True, slots=True, eq=False)
class Balance:
    """Looks against meaning, the keywords of all chosen groups or of one.

    meaning  ρ_mean
    p        that the index is above 0 by chance, corrected for all balances; one-sided
    """

    group: str | None
    meaning: float
    index: Effect
    p: float


@dataclass(frozen=True, slots=True, eq=False)
class LookBalance:
    """Looks against meaning in a study.

    clips   the rows that were compared
    looks   ρ_look, with Mantel's p of a ρ as large where looks do not matter
    permutations  that this p is of, or would be, were there any hope
    whole   against the keywords of all groups
    groups  against those of each
    """

    reference: str
    clips: Ints
    looks: PairCorrelation
    permutations: int
    whole: Balance
    groups: tuple[Balance, ...]
    pairs: LookPairs


def measure_looks(study: Study) -> LookBalance | None:
    """None where no looks are known, or of too few sources."""
    if study.visual is None:
        return None
    clips = choose_clips(study, study.visual)
    source = np.unique(study.sources[clips], return_inverse=True)[1].reshape(-1)
    if int(source.max(initial=-1)) + 1 < FEWEST_SOURCES:
        return None
    pairs = list_pairs(source)
    values = _compare_pairs(study, study.visual, clips, pairs)
    study.beat()
    looks, permutations = _test_looks(study, values, pairs, source)
    study.beat()
    ranks = rank_columns(values)
    seen = np.ones((1, int(source.max()) + 1))
    observed = resample_correlations(ranks, pairs, source, seen)
    drawn = _draw_resamples(study, source)
    correlations = resample_correlations(ranks, pairs, source, drawn.counts)
    names = (None, *study.groups)
    found = [
        _balance(observed, correlations, 2 + place, drawn.level) for place in range(len(names))
    ]
    corrected = holm([p for _, _, p in found])
    balances = tuple(
        Balance(name, meaning, index, float(p))
        for name, (meaning, index, _), p in zip(names, found, corrected, strict=True)
    )
    shown = _draw_pairs(study, clips, pairs, values)
    return LookBalance(
        study.visual.name, clips, looks, permutations, balances[0], balances[1:], shown
    )


def choose_clips(study: Study, visual: Reference) -> Ints:
    """Clips with a look and a chosen keyword: all, or a sample of a few of each source."""
    asked = (study.truth.bits & study.selection.mask).any(axis=1)
    able = np.flatnonzero(visual.known & asked)
    if len(able) <= _MOST_CLIPS:
        return able
    mixed = study.make_rng("looks clips").permutation(able)
    number = np.unique(study.sources[mixed], return_inverse=True)[1].reshape(-1)
    most = max(_PER_SOURCE, -(-_MOST_CLIPS // (int(number.max()) + 1)))
    # Source by source in the order in which they came first, and of each the first few.
    order = np.argsort(number, kind="stable")
    starts = np.flatnonzero(np.diff(number[order], prepend=-1))
    turn = np.arange(len(order)) - np.repeat(starts, np.diff(starts, append=len(order)))
    kept = order[turn < most]
    first = order[starts]
    whole = kept[np.argsort(first[number[kept]], kind="stable")]
    return np.sort(mixed[whole[:_MOST_CLIPS]])


def list_pairs(source: Ints) -> tuple[Ints, Ints]:
    """Every two clips of different sources, once.

    >>> [side.tolist() for side in list_pairs(np.array([0, 0, 1]))]
    [[0, 1], [2, 2]]
    """
    first, second = np.triu_indices(len(source), 1)
    apart = source[first] != source[second]
    return first[apart], second[apart]


def compare_keywords(one: Bools, other: Bools) -> Floats:
    """(n, m) Jaccard of the keywords of every two clips, |A ∩ B| / |A ∪ B|; 0 where neither has
    one.

    >>> has = np.array([[True, True, False], [True, False, False], [False, False, False]])
    >>> compare_keywords(has, has).tolist()
    [[1.0, 0.5, 0.0], [0.5, 1.0, 0.0], [0.0, 0.0, 0.0]]
    """
    a, b = one.astype(np.float32), other.astype(np.float32)
    both = (a @ b.T).astype(np.float64)
    either = a.sum(axis=1, dtype=np.float64)[:, None] + b.sum(axis=1, dtype=np.float64) - both
    found: Floats = np.divide(both, either, out=np.zeros_like(both), where=either > 0)
    return found


def _compare_pairs(
    study: Study, visual: Reference, clips: Ints, pairs: tuple[Ints, Ints]
) -> Floats:
    """(pairs, 3 + groups) similarity, look, overlap, and the overlap in each group."""
    own, seen = study.vectors[clips], visual.vectors[clips].astype(np.float64)
    columns = [study.selection.columns, *(study.columns_of(group) for group in study.groups)]
    overlaps = (study.unpack(some, clips) for some in columns)
    tables = [study.score(own, own), seen @ seen.T]
    tables += [compare_keywords(has, has) for has in overlaps]
    # Sums in another order differ in the last digits: those of equal looks are to tie.
    return np.column_stack([table[pairs].round(9) for table in tables])


def _test_looks(
    study: Study, values: Floats, pairs: tuple[Ints, Ints], source: Ints
) -> tuple[PairCorrelation, int]:
    """With p of so many permutations: of few first, and of more only if they leave hope."""

    def fold(column: int) -> Floats:
        table = np.zeros((len(source), len(source)))
        table[pairs] = values[:, column]
        return table + table.T

    tables = [fold(column) for column in (_SIMILARITY, _LOOK, _OVERLAP)]

    def test(permutations: int) -> PairCorrelation:
        return correlate_pairs(
            *tables[:2],
            given=tables[2],
            sources=source,
            permutations=permutations,
            seed=int(study.make_rng("looks").integers(2**31)),
            alternative="greater",
        )

    few = min(study.settings.resamples, _MOST_DRAWS)
    many = min(count_fewest_permutations(LOOK_TESTS, study.settings), _MOST_PERMUTATIONS)
    found = test(few)
    if many <= few or not leaves_hope(found.p, study.settings):
        return found, max(few, many)
    study.beat()
    return test(many), many


def _draw_resamples(study: Study, source: Ints) -> Resamples:
    settings = study.settings
    resamples = min(settings.resamples, _MOST_DRAWS)
    return Resamples.draw(source, resamples, settings.seed, settings.level)


def _balance(
    observed: Floats, drawn: Floats, overlap: int, level: float
) -> tuple[float, Effect, float]:
    """ρ_mean, the index, and p: that ρ_look − ρ_mean, as normal as a resample knows, is not above
    0. It has the sign of the index, and is no ratio of small numbers."""
    looks, meaning = _correlate(observed, overlap)
    many_looks, many_meaning = _correlate(drawn, overlap)
    effect = Effect.of_draws(
        float(_weigh(looks, meaning)[0]), _weigh(many_looks, many_meaning), level
    )
    gaps = many_looks - many_meaning
    gaps = gaps[np.isfinite(gaps)]
    spread = float(gaps.std(ddof=1)) if len(gaps) > 1 else 0.0
    gap = float((looks - meaning)[0])
    p = normal_cdf(-gap / spread) if spread > 0 and np.isfinite(gap) else 1.0
    return float(meaning[0]), effect, p


def _correlate(correlations: Floats, overlap: int) -> tuple[Floats, Floats]:
    """ρ_look, given all keywords, and ρ_mean of these."""
    return (
        hold_fast(correlations, _SIMILARITY, _LOOK, _OVERLAP),
        hold_fast(correlations, _SIMILARITY, overlap, _LOOK),
    )


def _weigh(looks: Floats, meaning: Floats) -> Floats:
    """The index."""
    size = np.abs(looks) + np.abs(meaning)
    with np.errstate(invalid="ignore", divide="ignore"):
        found: Floats = np.where(size > 0, (looks - meaning) / size, np.nan)
    return found


def _draw_pairs(study: Study, clips: Ints, pairs: tuple[Ints, Ints], values: Floats) -> LookPairs:
    total = len(values)
    some = np.arange(total)
    if total > _MOST_SHOWN:
        some = np.sort(study.make_rng("looks pairs").choice(total, _MOST_SHOWN, replace=False))
    first, second = (clips[side[some]] for side in pairs)
    return LookPairs(first, second, *values[some, :_FIRST_GROUP].T)
