"""In words: what a random ranking would score, and at which cutoffs a query does better."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from engine.metrics import Measure
from engine.metrics.chance import ABOVE, NOT_ABOVE, is_above_chance


class ChanceText(NamedTuple):
    """What stands beside a measure at several cutoffs.

    level    what a random ranking would score, once if it is the same at each; "": there is none
    verdict  at which cutoffs the query does better; "": that cannot be told
    brief    the same in fewer words
    kind     how it is painted
    """

    level: str = ""
    verdict: str = ""
    brief: str = ""
    kind: str = ""

    @classmethod
    def of(
        cls, family: Sequence[Measure], levels: Sequence[str], chance_p: Sequence[float]
    ) -> ChanceText:
        """Of one measure at every cutoff, with each level as it is written.

        >>> family = [Measure.parse(text) for text in ("P@1", "P@3", "P@5")]
        >>> ChanceText.of(family, ["0.039"] * 3, [0.9, 0.03, 0.001])[:3]
        ('chance 0.039', ': above chance at K = 3, 5', ': above at 3, 5')
        >>> ChanceText.of(family, ["0.039"] * 3, [0.9, 0.3, 0.2])[1:]
        (': not above chance at any K', ': above at no K', 'part')
        >>> ChanceText.of(family[2:], ["0.039"], [0.001]).verdict
        ': above chance'
        """
        level = f"chance {', '.join(dict.fromkeys(levels))}"
        if any(map(math.isnan, chance_p)):
            return cls(level, kind="dim")
        above = [
            str(one.cutoff) for one, p in zip(family, chance_p, strict=True) if is_above_chance(p)
        ]
        kind = "dim" if above else "part"
        if len(family) == 1:
            said = ABOVE if above else NOT_ABOVE
            return cls(level, said, said, kind)
        if not above:
            return cls(level, f"{NOT_ABOVE} at any K", ": above at no K", kind)
        if len(above) == len(family):
            return cls(level, f"{ABOVE} at every K", ": above at every K", kind)
        at = ", ".join(above)
        return cls(level, f"{ABOVE} at K = {at}", f": above at {at}", kind)
