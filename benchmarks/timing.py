"""Seconds of a call. The fastest of several counts: the one that was disturbed least."""

from __future__ import annotations

import gc
from collections.abc import Callable
from time import perf_counter


def seconds(call: Callable[[], object]) -> float:
    """How long a call takes; what it returns is given up after the time is taken."""
    start = perf_counter()
    result = call()
    taken = perf_counter() - start
    del result
    return taken


def best_of(times: int, call: Callable[[], object]) -> float:
    return best_in_turn(times, call)[0]


def best_in_turn(rounds: int, *contenders: Callable[[], object], calls: int = 1) -> list[float]:
    """The best time of each; they take turns, so that a busy machine slows all alike."""
    gc.collect()
    best = [float("inf")] * len(contenders)
    for _ in range(rounds):
        for place, contender in enumerate(contenders):
            best[place] = min(best[place], *(seconds(contender) for _ in range(calls)))
    return best
