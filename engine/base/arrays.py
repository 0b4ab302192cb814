"""The arrays that rooms hand to each other, by what they hold."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

Floats: TypeAlias = npt.NDArray[np.float64]
Ints: TypeAlias = npt.NDArray[np.int64]
Bools: TypeAlias = npt.NDArray[np.bool_]

AnyFloats: TypeAlias = npt.NDArray[np.floating]
AnyInts: TypeAlias = npt.NDArray[np.integer]
"""Of whatever width: as a file has them, or as a benchmark computes with them."""

Vectors: TypeAlias = npt.NDArray[np.float32]

ROUNDING = 1e-12
"""Differences of float64 numbers below this are noise."""
