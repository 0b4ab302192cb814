"""How far long work has got, as whoever does it reports it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Literal, NamedTuple, TypeAlias

Stage: TypeAlias = Literal["mapping", "evaluating", "comparing", "models", "looks", "triage"]
"""Texts are mapped to keywords first; then all queries are encoded, searched and judged. Two models
are compared measure by measure. Many models are evaluated one after another. Clips are looked at
frame by frame. One analysis after another asks what fails."""


class Step(NamedTuple):
    """`done` of `total` queries (or measures, models, clips) have been through a stage.

    `mode` says which queries: texts, videos, or a direction between modalities; empty where it is
    not about queries.
    """

    mode: str
    stage: Stage
    done: int
    total: int


ProgressHook: TypeAlias = Callable[[Step], None]
"""Gets every step. An exception that it raises ends the work: that is how to cancel."""


def split_range(total: int, size: int) -> Iterator[slice]:
    """Slices of at most `size` that cover `total`, in order.

    >>> list(split_range(5, 2))
    [slice(0, 2, None), slice(2, 4, None), slice(4, 5, None)]
    """
    for start in range(0, total, size):
        yield slice(start, min(start + size, total))
