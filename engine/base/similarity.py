"""How alike two vectors are: the metrics by name."""

from __future__ import annotations

from typing import Literal, TypeAlias, get_args

from engine.base.errors import InputError

Metric: TypeAlias = Literal["cosine", "ip", "l2"]

METRICS: tuple[Metric, ...] = get_args(Metric)

_ALIASES: dict[str, Metric] = {
    "cos": "cosine",
    "cosine similarity": "cosine",
    "inner product": "ip",
    "dot": "ip",
    "dot product": "ip",
    "euclidean": "l2",
}


def parse_metric(text: str) -> Metric:
    """The metric that a user's word stands for.

    >>> parse_metric("Inner-Product"), parse_metric("euclidean")
    ('ip', 'l2')
    """
    word = " ".join(text.lower().replace("_", " ").replace("-", " ").split())
    for metric in METRICS:
        if word == metric:
            return metric
    if word in _ALIASES:
        return _ALIASES[word]
    raise InputError(f"unknown metric {text!r}", hint=f"choose one of {', '.join(METRICS)}")
