"""How many permutations a test needs so that something can be found by it.

A p of B permutations is never below 1 / (B + 1). It is multiplied by the tests of its analysis, and
then by the analyses: with too few permutations nothing is ever found, however clear it is.
"""

from __future__ import annotations

import math

from engine.triage.settings import TriageSettings
from engine.triage.wording import format_p_value

MOST_ANALYSES = 14
"""Over which a p is corrected: how many there really are is not known before all are done."""

MOST_PERMUTATIONS = 50_000
"""More are not worth their time: whoever wants a smaller alpha is told that nothing reaches it."""

_BELOW_ALPHA = 20
_HOPE = 0.1


def choose_permutations(tests: int, settings: TriageSettings) -> int:
    """So many that 20 are beyond alpha / (tests · analyses), and no fewer than the settings say:

        B = max(resamples, min(50,000, 20 · tests · 14 / alpha))

    >>> choose_permutations(2, TriageSettings()), choose_permutations(4, TriageSettings(alpha=0.01))
    (11200, 50000)
    """
    wanted = math.ceil(round(_BELOW_ALPHA * tests * MOST_ANALYSES / settings.alpha, 6))
    return max(settings.resamples, min(MOST_PERMUTATIONS, wanted))


def leaves_hope(p: float, settings: TriageSettings) -> bool:
    """Whether p of few permutations is small enough to look again with many. Where it is not, it is
    far above alpha as it stands: looking twice finds nothing that looking once with many would not.

    >>> leaves_hope(0.06, TriageSettings()), leaves_hope(0.2, TriageSettings())
    (True, False)
    """
    return p <= max(_HOPE, settings.alpha)


def count_fewest_permutations(tests: int, settings: TriageSettings) -> int:
    """With fewer the smallest p there can be is above alpha: tests · 14 / (B + 1) > alpha.

    >>> count_fewest_permutations(2, TriageSettings())
    559
    """
    fewest = math.ceil(round(tests * MOST_ANALYSES / settings.alpha, 6)) - 1
    return min(MOST_PERMUTATIONS, max(1, fewest))


def note_permutations(tests: int, permutations: int, settings: TriageSettings) -> tuple[str, ...]:
    """What a reader must know where there were too few.

    >>> note_permutations(2, 559, TriageSettings())
    ()
    >>> note_permutations(2, 100, TriageSettings())
    ('Of 100 permutations no p can be small enough: the least is p = 0.28 over all analyses.',)
    """
    least = min(1.0, tests * MOST_ANALYSES / (permutations + 1))
    if not permutations or least <= settings.alpha + 1e-12:
        return ()
    return (
        f"Of {permutations:,} permutations no p can be small enough: the least is "
        f"{format_p_value(least)} over all analyses.",
    )
