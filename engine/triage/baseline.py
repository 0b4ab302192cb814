"""What became of each finding from one model to the next.

The same question to both models has the same id, and its effects were drawn in the same resamples:
the interval of their difference is that of the differences of the draws. Where the draws do not
belong together (other queries, other clips) the two are taken to be independent, which for models
of the same clips is too wide rather than too narrow.

Whether a difference is sure is tested on the normal scale, p = 2 Φ(−|d| / s) with s the standard
deviation of the draws, by Holm over all findings of both models.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from engine.base.arrays import ROUNDING, Floats
from engine.stats import Interval, holm
from engine.stats.distributions import normal_cdf, normal_quantile
from engine.triage.effect import Effect
from engine.triage.finding import UNDEFINED, Finding
from engine.triage.settings import TriageSettings

ChangeKind: TypeAlias = Literal["new", "gone", "worse", "better", "same"]
"""new and gone: proven in one model only; worse and better: a sure difference otherwise."""


@dataclass(frozen=True, slots=True, eq=False)
class FindingChange:
    """One finding in two models.

    before, after  None: that model's analysis has no such finding
    difference     after − before, in the unit of the effect
    paired         whether both were drawn in the same resamples
    corrected      p of no difference, over all changes
    """

    id: str
    kind: ChangeKind
    before: Finding | None
    after: Finding | None
    difference: float = math.nan
    interval: Interval = UNDEFINED
    paired: bool = False
    corrected: float = math.nan

    @property
    def is_sure(self) -> bool:
        """Whether the difference itself is proven: a finding may come and go by chance."""
        return self.corrected <= 1 - self.interval.level + ROUNDING

    @property
    def added_harm(self) -> float:
        """Points of m that the difference costs each affected query; negative where it gains
        some."""
        return self.either.cost * self.difference

    @property
    def either(self) -> Finding:
        """The finding, where it is about what both models share."""
        found = self.after or self.before
        assert found is not None
        return found


def compare_findings(
    before: Sequence[Finding], after: Sequence[Finding], settings: TriageSettings
) -> tuple[FindingChange, ...]:
    """Every finding of either model; what changed comes first, the worst of it at the top."""
    old = {one.id: one for one in before if one.outcome != "unknown"}
    new = {one.id: one for one in after if one.outcome != "unknown"}
    ids = [*new, *(id for id in old if id not in new)]
    pairs = [_subtract(old.get(id), new.get(id), settings.level) for id in ids]
    corrected = holm([p for _, p, _ in pairs])
    changes = [
        _describe(id, old.get(id), new.get(id), effect, paired, float(p))
        for id, (effect, _, paired), p in zip(ids, pairs, corrected, strict=True)
    ]
    return tuple(sorted(changes, key=_rank))


def _rank(change: FindingChange) -> tuple[int, float, str]:
    order = {"new": 0, "worse": 1, "gone": 2, "better": 3, "same": 4}
    cost = abs(change.either.cost * change.difference) * change.either.share
    return order[change.kind], -(0.0 if math.isnan(cost) else cost), change.id


def _subtract(
    before: Finding | None, after: Finding | None, level: float
) -> tuple[Effect | None, float, bool]:
    """The difference of the effects, its p, and whether their draws belong together."""
    if before is None or after is None or math.isnan(before.effect) or math.isnan(after.effect):
        return None, math.nan, False
    value = after.effect - before.effect
    ours, theirs = after.draws, before.draws
    if ours is not None and theirs is not None and len(ours) == len(theirs):
        draws: Floats = ours - theirs
        known = draws[np.isfinite(draws)]
        if len(known) > 1:
            effect = Effect.of_draws(value, draws, level)
            return effect, _test(value, float(known.std(ddof=1))), True
    spread = math.hypot(_spread(before.interval), _spread(after.interval))
    if math.isnan(spread):
        return None, math.nan, False
    half = normal_quantile((1 + level) / 2) * spread
    interval = Interval(value - half, value + half, level)
    return Effect(value, interval, np.empty(0)), _test(value, spread), False


def _spread(interval: Interval) -> float:
    """The standard error that an interval stands for."""
    if math.isnan(interval.level):
        return math.nan
    return (interval.high - interval.low) / 2 / normal_quantile((1 + interval.level) / 2)


def _test(value: float, spread: float) -> float:
    if spread <= ROUNDING:
        return 1.0 if abs(value) <= ROUNDING else 0.0
    return 2 * normal_cdf(-abs(value) / spread)


def _describe(
    id: str,
    before: Finding | None,
    after: Finding | None,
    effect: Effect | None,
    paired: bool,
    corrected: float,
) -> FindingChange:
    was = before is not None and before.outcome == "found"
    has = after is not None and after.outcome == "found"
    found = after or before
    assert found is not None
    kind: ChangeKind = "same"
    if has != was:
        kind = "new" if has else "gone"
    elif effect is not None and corrected <= 1 - effect.interval.level and found.cost:
        kind = "worse" if found.cost * effect.value > 0 else "better"
    if effect is None:
        return FindingChange(id, kind, before, after)
    return FindingChange(id, kind, before, after, effect.value, effect.interval, paired, corrected)
