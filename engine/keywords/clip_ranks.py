"""Where the clips of a model stand for one query."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from engine.dataset.ground_truth import GroundTruth


@dataclass(frozen=True, slots=True)
class ClipRanks:
    """Where every clip stands for one query in one model; ranks count from 1, 0 is unknown."""

    model: str
    truth: GroundTruth
    ranks: npt.NDArray[np.int64]

    def rank(self, clip: str) -> int | None:
        """The clip's rank; None if the model does not know it, or ranks it below the cut."""
        row = int(self.truth.rows_of([clip])[0])
        return (int(self.ranks[row]) or None) if row >= 0 else None
