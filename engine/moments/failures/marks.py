"""What single predictions are: hits, near misses, wrong ones. For one query at a time."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from engine.moments.failures.classes import (
    HIT,
    NEARLY_RIGHT,
    NOT_COUNTED,
    RANKED_LOW,
    WRONG_TIME,
    WRONG_VIDEO,
)
from engine.moments.failures.failures import Failures


def marks(failures: Failures, where: slice) -> npt.NDArray[np.int8]:
    """Per prediction its place in MARKS, by the first rule that applies.

    Another video (wrong video); no rank (not counted); a hit among the first k, or after k (ranked
    low); an overlap of at least `near` (nearly right); else wrong time. VR has no times: what is in
    the right video is a hit.

    >>> from engine.moments.at import At
    >>> from engine.moments.failures.classes import MARKS
    >>> from engine.moments.failures.failures import explain
    >>> from engine.moments.from_lists import assess_lists
    >>> found = [("b", 10, 20), ("a", 10, 14), ("a", 10, 20)]
    >>> failures = explain(assess_lists("VCMR", [("a", [(10, 20)])], [found]), At(0.5, 1))
    >>> [MARKS[code] for code in marks(failures, slice(0, 3))]
    ['wrong video', 'nearly right', 'ranked low']
    """
    assessed, at = failures.assessed, failures.at
    ranks, ious = assessed.ranks[where], assessed.ious[where]
    hits = np.ones(len(ranks), np.bool_) if at.iou is None else ious >= float(at.iou)
    codes = np.select(
        [
            ~assessed.right[where],
            ranks == 0,
            hits & (ranks <= at.k),
            hits,
            ious >= float(failures.near),
        ],
        [WRONG_VIDEO, NOT_COUNTED, HIT, RANKED_LOW, NEARLY_RIGHT],
        WRONG_TIME,
    )
    return codes.astype(np.int8)
