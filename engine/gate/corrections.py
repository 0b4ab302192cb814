"""Corrections: how the hypotheses of a gate share its α. `engine.gate.regressions` has the rule."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from engine.base.arrays import Floats, Ints
from engine.compare import AlignedSystems
from engine.gate.checks import CorrectionMethod
from engine.gate.gate_settings import GateSettings
from engine.gate.samples import Sample
from engine.stats import find_holm_levels, holm, paired_differences
from engine.stats.flipped_slices import SliceFlips, flip_slices

_LEAST_FLIPS, _MOST_FLIPS = 1_000, 10_000
"""Of all slices together: the maximum is compared with α itself, however many slices there are."""


@dataclass(frozen=True, slots=True)
class Correction:
    """p, corrected, and the level that the uncorrected one was held against."""

    p: float
    level: float
    method: CorrectionMethod


def correct_tests(
    samples: Sequence[Sample], p_values: Sequence[float], settings: GateSettings
) -> tuple[Correction, ...]:
    """The correction of each sample's p: means over slices together, all others by Holm."""
    p, alpha = np.array(p_values, np.float64), settings.alpha
    in_slices = np.array([one.slice is not None and one.statistic == "mean" for one in samples])
    slices = int(np.count_nonzero(in_slices))
    alone = p[~in_slices]
    corrected, levels = np.empty_like(p), np.empty_like(p)
    corrected[~in_slices] = holm(alone, others=slices)
    levels[~in_slices] = find_holm_levels(alone, alpha, others=slices)
    if slices:
        rest = len(samples) - int(np.count_nonzero(corrected[~in_slices] < alpha))
        own = [one for one, is_slice in zip(samples, in_slices, strict=True) if is_slice]
        found = _flip_together(own, settings, alpha * slices / rest)
        # Never below the slice's own p, of which more patterns are known; of one slice, that p.
        adjusted = np.maximum(found.adjusted, p[in_slices]) if slices > 1 else p[in_slices]
        corrected[in_slices] = _share(adjusted, np.sort(corrected[~in_slices]), len(samples))
        level = found.levels if slices > 1 else np.full(1, alpha / rest)
        # What was found in a later step had its p below a level that was larger then.
        level = np.where(corrected[in_slices] < alpha, np.maximum(level, p[in_slices]), level)
        levels[in_slices] = level
    return tuple(
        Correction(float(own), float(level), "max-t" if is_slice else "holm")
        for own, level, is_slice in zip(corrected, levels, in_slices.tolist(), strict=True)
    )


def _share(adjusted: Floats, before: Floats, hypotheses: int) -> Floats:
    """The smallest α at which each would be found: with r of the others found before, the slices
    have s of the m − r shares that are left.

    >>> _share(np.array([0.01, 0.2]), np.array([0.02, 0.5]), hypotheses=10).round(4).tolist()
    [0.0125, 0.225]
    """
    slices = hypotheses - len(before)
    steps = [
        np.maximum(adjusted * (hypotheses - r) / slices, 0.0 if r == 0 else before[r - 1])
        for r in range(len(before) + 1)
    ]
    found: Floats = np.minimum(np.min(steps, axis=0), 1.0)
    return found


def _flip_together(own: Sequence[Sample], settings: GateSettings, alpha: float) -> SliceFlips:
    """All slices: those of one mode are of the same queries, whose signs flip together."""
    parts = list({id(one.part): one.part for one in own}.values())
    places = [[n for n, one in enumerate(own) if one.part is part] for part in parts]
    blocks = [
        _sum_clusters(part, [own[n] for n in members], settings)
        for part, members in zip(parts, places, strict=True)
    ]
    flips = max(_LEAST_FLIPS, min(_MOST_FLIPS, settings.compare.resamples))
    found = flip_slices(blocks, alpha=alpha, flips=flips, seed=settings.compare.seed)
    back = np.argsort(np.concatenate(places), kind="stable")
    return SliceFlips(found.t[back], found.adjusted[back], found.levels[back])


def _sum_clusters(
    part: AlignedSystems, samples: Sequence[Sample], settings: GateSettings
) -> Floats:
    """(u, s) the sums of d + ε of each slice over each cluster of the mode's queries."""
    labels = part.clusters(settings.compare.clusters)
    unit: Ints = np.arange(len(part.keys)) if labels is None else labels
    count = int(unit.max()) + 1
    return np.stack(
        [
            np.bincount(
                unit[one.rows],
                weights=paired_differences(one.gains, np.full(one.n, -settings.epsilon)),
                minlength=count,
            )
            for one in samples
        ],
        axis=1,
    )
