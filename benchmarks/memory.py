"""Peaks of memory in this process, in bytes, and what can be said about their growth.

A process that another one started as usual has the peak of that other as its own from the
beginning, on Linux. Start it with `benchmarks.process.measured`.
"""

from __future__ import annotations

import resource
import sys
import tracemalloc
from collections.abc import Callable

RESOLUTION = 2**20
"""Growth below this is noise: pages are added up in batches, and allocators take them in blocks."""


def peak_resident() -> int:
    """The most that this process has ever had in memory."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


def peak_allocated(call: Callable[[], object]) -> int:
    """The most that Python and numpy hold during a call, beyond what they held before."""
    tracemalloc.start()
    try:
        call()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def growth_ratio(one: int, other: int) -> float | None:
    """One growth over another; None if either is below what can be resolved.

    >>> growth_ratio(220 * 2**20, 100 * 2**20)
    2.2
    >>> growth_ratio(220 * 2**20, 0) is None
    True
    """
    return None if min(one, other) < RESOLUTION else one / other


def growth_text(growth: int) -> str:
    """
    >>> growth_text(110 * 2**20)
    '110 MB'
    >>> growth_text(4096)
    'below what can be resolved (1 MB)'
    """
    if growth < RESOLUTION:
        return f"below what can be resolved ({RESOLUTION >> 20} MB)"
    return f"{growth / 2**20:.0f} MB"
