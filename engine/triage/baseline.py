"""What became of each finding from one model to the next.

The same question to both models has the same id, and its effects were drawn in the same resamples:
the interval of their difference is that of the differences of the draws. An effect without draws is
taken to be independent of the other model's, which for models of the same clips is too wide rather
than too narrow. Of other clips or other queries there is no difference: the effects are of other
tasks.

Whether a difference is sure is tested on the normal scale, p = 2 Φ(−|d| / s). The draws are spread
about d, and those of no difference would be about 0, which for c clusters is

    s² = variance of the draws + d² / c

the spread of sign flips: few clusters, which resampling takes for alike, prove little.

What is listed as one of the worst of many in either model differs from the other model by that
choice alone. So Holm's procedure runs over all that could have been listed,

    m = Σ over analyses, modes and kinds of topics of max(listed, chosen from)

with p = 1 for those that were not: that is never less than their own p, so the chance of even one
false change stays below 1 − level, whatever was chosen and why.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from engine.base.arrays import ROUNDING, Floats
from engine.base.choices import Mode
from engine.stats import Interval, holm
from engine.stats.distributions import normal_cdf, normal_quantile
from engine.triage.effect import Effect
from engine.triage.finding import UNDEFINED, Finding, TopicKind
from engine.triage.settings import TriageSettings

ChangeKind: TypeAlias = Literal["new", "gone", "worse", "better", "same"]
"""new and gone: proven in one model only; worse and better: a sure difference otherwise."""

SharedTasks: TypeAlias = Collection[Mode | None]
"""What two models were both asked: modes of the same queries; None: the same clips."""

EVERY_TASK: SharedTasks = (None, "text", "video")

_LEAST_P = 1e-6
"""The tails of resampled means are not known to be normal further out than this."""


@dataclass(frozen=True, slots=True, eq=False)
class FindingChange:
    """One finding in two models.

    before, after  None: that model's analysis has no such finding
    difference     after − before, in the unit of the effect
    paired         whether both were drawn in the same resamples
    corrected      p of no difference, over all that could have been listed
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
    before: Sequence[Finding],
    after: Sequence[Finding],
    settings: TriageSettings,
    shared: SharedTasks = EVERY_TASK,
) -> tuple[FindingChange, ...]:
    """Every finding of either model but summaries, which are of others in each model; what changed
    comes first, the worst of it at the top. Of tasks that are not shared there is no difference."""
    old = {one.id: one for one in before if one.outcome != "unknown" and not one.summary}
    new = {one.id: one for one in after if one.outcome != "unknown" and not one.summary}
    ids = [*new, *(id for id in old if id not in new)]
    either = [new.get(id) or old[id] for id in ids]
    pairs = [
        _subtract(old.get(id), new.get(id), settings)
        if one.mode in shared
        else (None, math.nan, False)
        for id, one in zip(ids, either, strict=True)
    ]
    p = np.array([p for _, p, _ in pairs])
    listed = np.count_nonzero(np.isfinite(p))
    corrected = holm(p, others=_count_possible(old, new, shared) - int(listed))
    changes = [
        _describe(id, old.get(id), new.get(id), effect, paired, float(p))
        for id, (effect, _, paired), p in zip(ids, pairs, corrected, strict=True)
    ]
    return tuple(sorted(changes, key=_rank))


def _count_possible(old: dict[str, Finding], new: dict[str, Finding], shared: SharedTasks) -> int:
    """How many differences could have been listed and tested."""
    every = [
        one for one in (*old.values(), *new.values()) if one.mode in shared and _can_differ(one)
    ]
    most = Counter(_name_family(one) for one in {one.id: one for one in every}.values())
    for one in every:
        family = _name_family(one)
        most[family] = max(most[family], one.chosen_from)
    return most.total()


def _can_differ(one: Finding) -> bool:
    return one.draws is not None or not math.isnan(_spread(one.interval))


def _name_family(one: Finding) -> tuple[str, Mode | None, TopicKind]:
    return one.analysis, one.mode, one.subject.kind


def _rank(change: FindingChange) -> tuple[int, float, str]:
    order = {"new": 0, "worse": 1, "gone": 2, "better": 3, "same": 4}
    cost = abs(change.either.cost * change.difference) * change.either.share
    return order[change.kind], -(0.0 if math.isnan(cost) else cost), change.id


def _subtract(
    before: Finding | None, after: Finding | None, settings: TriageSettings
) -> tuple[Effect | None, float, bool]:
    """The difference of the effects, its p, and whether their draws belong together."""
    if before is None or after is None or math.isnan(before.effect) or math.isnan(after.effect):
        return None, math.nan, False
    value, level = after.effect - before.effect, settings.level
    clusters = min(before.clusters, after.clusters) or math.inf
    ours, theirs = after.draws, before.draws
    if ours is not None and theirs is not None and len(ours) == len(theirs):
        draws: Floats = ours - theirs
        known = draws[np.isfinite(draws)]
        if len(known) > 1:
            effect = Effect.of_draws(value, draws, level)
            p = _test(value, float(known.std(ddof=1)), len(known), clusters)
            return effect, p, True
    spread = math.hypot(_spread(before.interval), _spread(after.interval))
    if math.isnan(spread):
        return None, math.nan, False
    half = normal_quantile((1 + level) / 2) * spread
    interval = Interval(value - half, value + half, level)
    p = _test(value, spread, settings.resamples, clusters)
    return Effect(value, interval, np.empty(0)), p, False


def _spread(interval: Interval) -> float:
    """The standard error that an interval stands for."""
    if math.isnan(interval.level):
        return math.nan
    return (interval.high - interval.low) / 2 / normal_quantile((1 + interval.level) / 2)


def _test(value: float, spread: float, draws: int, clusters: float) -> float:
    """p of no difference. Draws that are all alike tell no scale, only that none of so many is 0:
    their p is no less than 1 / (draws + 1)."""
    if abs(value) <= ROUNDING:
        return 1.0
    least = _LEAST_P if spread > ROUNDING else 1 / (draws + 1)
    whole = math.hypot(spread, value * math.sqrt(1 / clusters))
    return max(least, 2 * normal_cdf(-abs(value) / whole) if whole > ROUNDING else 0.0)


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
