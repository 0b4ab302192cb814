"""From text to vectors and keywords: encoders, their cache, checkpoints, and the mapping."""

from pathlib import PurePath

EMBEDDED = "embedded"
"""Name of the text encoder that comes with the install: all-MiniLM-L6-v2, 384 dimensions."""

MAPPER_THRESHOLD = 0.55
"""Least cosine of a "similar" keyword. Measured by leaving each synonym out of the table in turn:
65 % of those of two or three words are then found by similarity, 78 % of what is found is right."""


def shorten_encoder(name: str) -> str:
    """The name of an encoder without the folders that it lies in.

    >>> shorten_encoder("/models/mpnet-v2/"), shorten_encoder("all-mpnet-base-v2")
    ('mpnet-v2', 'all-mpnet-base-v2')
    """
    return PurePath(name).name or name
