"""How alike two vectors are: the metrics by name."""

from __future__ import annotations

from typing import Literal, TypeAlias, get_args

from engine.base.errors import InputError

Similarity: TypeAlias = Literal["cosine", "ip", "l2"]

SIMILARITIES: tuple[Similarity, ...] = get_args(Similarity)

_ALIASES: dict[str, Similarity] = {
    "cos": "cosine",
    "cosine similarity": "cosine",
    "inner product": "ip",
    "dot": "ip",
    "dot product": "ip",
    "euclidean": "l2",
}


def parse_similarity(text: str) -> Similarity:
    """The metric that a user's word stands for.

    >>> parse_similarity("Inner-Product"), parse_similarity("euclidean")
    ('ip', 'l2')
    """
    word = " ".join(text.lower().replace("_", " ").replace("-", " ").split())
    for metric in SIMILARITIES:
        if word == metric:
            return metric
    if word in _ALIASES:
        return _ALIASES[word]
    raise InputError(f"unknown metric {text!r}", hint=f"choose one of {', '.join(SIMILARITIES)}")
