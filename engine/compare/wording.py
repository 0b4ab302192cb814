"""How a comparison was decided, in the same sentences wherever it is shown."""

from __future__ import annotations

from engine.compare.compare_settings import CompareSettings

SLICE_FAMILY = "Slices: p corrected by Holm over the slices of a mode."


def describe_families(main: str, others: int, pairs: int = 1) -> str:
    """Which p-values are corrected together; `main` is the label of the primary metric.

    >>> describe_families("AP", others=1)
    'Primary metric: AP; its p is not corrected. The p of the other metric is not corrected either.'
    >>> print(describe_families("AP", others=2, pairs=3))
    Primary metric: AP; p corrected by Holm over the 3 pairs. The 2 other metrics: p corrected by \
Holm over all 6.
    """
    own = (
        "its p is not corrected" if pairs == 1 else f"p corrected by Holm over the {pairs:,} pairs"
    )
    said = f"Primary metric: {main}; {own}."
    if not others:
        return said
    tests = others * pairs
    if tests == 1:
        return f"{said} The p of the other metric is not corrected either."
    rest = "The other metric" if others == 1 else f"The {others:,} other metrics"
    return f"{said} {rest}: p corrected by Holm over all {tests:,}."


def describe_test(settings: CompareSettings) -> str:
    """What p is, and when there is a verdict.

    >>> print(describe_test(CompareSettings(clusters="keywords")))
    p: two-sided sign-flip permutation test of paired differences (10,000 resamples, seed 0, \
clusters: keywords); better or worse at p < 0.05.
    """
    how = f"{settings.resamples:,} resamples, seed {settings.seed}"
    if settings.clusters != "none":
        how += f", clusters: {settings.clusters_in_words}"
    return (
        f"p: two-sided sign-flip permutation test of paired differences ({how}); "
        f"better or worse at p < {settings.alpha:.2g}."
    )


def describe_intervals(settings: CompareSettings) -> str:
    """What the intervals of differences are.

    >>> print(describe_intervals(CompareSettings()))
    Interval of a difference: all that the test does not reject, at 95 % or at the stricter level \
of Holm's step; it leaves 0 out exactly where the verdict is better or worse.
    """
    return (
        f"Interval of a difference: all that the test does not reject, at {100 * settings.level:g} "
        "% or at the stricter level of Holm's step; it leaves 0 out exactly where the verdict is "
        "better or worse."
    )
