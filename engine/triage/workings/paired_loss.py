"""How much of m is lost to something that can be undone: the same queries as they are, and with it
undone."""

from __future__ import annotations

import zlib
from dataclasses import dataclass

import numpy as np

from engine.base.arrays import Bools, Floats, Ints
from engine.stats import sign_flip
from engine.triage.effect import Effect
from engine.triage.mode_queries import ModeQueries
from engine.triage.study import Study
from engine.triage.wording import format_confidence, format_points


@dataclass(frozen=True, slots=True, eq=False)
class PairedLoss:
    """The mean over queries of m as it could be, minus m as it is.

    effect   positive where something is lost
    p        of nothing lost: queries of a cluster change sides together, one-sided
    permutations  that it is of
    gains    (q,) what each query would gain; NaN: it was not compared
    """

    effect: Effect
    p: float
    gains: Floats
    permutations: int = 0

    @property
    def support(self) -> int:
        """How many queries were compared."""
        return int(np.isfinite(self.gains).sum())

    def find_losers(self, most: int) -> Ints:
        """The queries that lose most, the worst first; none that loses nothing."""
        lost = np.nan_to_num(self.gains, nan=-np.inf)
        order: Ints = np.argsort(-lost, kind="stable")[:most]
        return order[lost[order] > 0]


def measure_paired_loss(
    study: Study, asked: ModeQueries, now: Floats, instead: Floats, name: str, tests: int
) -> PairedLoss:
    """What is lost now; a query without one of the two values (NaN) is left out.

    `name` is that of the random signs; of `tests` such p the analysis makes its own.
    """
    gains = instead - now
    compared: Bools = np.isfinite(gains)
    effect = study.resamples(asked).mean(gains)
    if not compared.any():
        return PairedLoss(effect, 1.0, gains)
    flips = study.choose_permutations(tests)
    clusters = asked.clusters[compared]
    test = sign_flip(
        gains[compared],
        resamples=flips,
        seed=study.settings.seed + zlib.crc32(name.encode()),
        alternative="greater",
        clusters=clusters,
    )
    # Of few clusters there are no more patterns of signs, the observed one among them.
    patterns = 2 ** min(len(np.unique(clusters)), 60)
    return PairedLoss(effect, test.p, gains, min(flips, patterns - 1))


def format_loss(loss: PairedLoss) -> str:
    """What is lost, with its interval."""
    return f"{format_points(loss.effect.value)}, {format_confidence(loss.effect.interval)}"


def describe_no_loss(subject: str, loss: PairedLoss, verb: str = "cost") -> tuple[str, str]:
    """What is said if nothing is lost, and if nobody can tell.

    >>> from engine.stats import Interval
    >>> effect = Effect(-0.001, Interval(-0.006, 0.004, 0.95), np.zeros(0))
    >>> nothing, unsure = describe_no_loss("Hubs", PairedLoss(effect, 0.9, np.zeros(40)))
    >>> nothing
    'Hubs cost nothing: −0.001, 95 % CI −0.006 to 0.004.'
    >>> unsure
    'Whether hubs cost anything cannot be told: −0.001, 95 % CI −0.006 to 0.004.'
    """
    lowered = subject[:1].lower() + subject[1:]
    return (
        f"{subject} {verb} nothing: {format_loss(loss)}.",
        f"Whether {lowered} {verb} anything cannot be told: {format_loss(loss)}.",
    )
