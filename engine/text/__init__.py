"""From text to vectors and keywords: encoders, their cache, checkpoints, mapping and learning."""

from pathlib import PurePath

EMBEDDED = "embedded"
"""Name of the text encoder that comes with the install: all-MiniLM-L6-v2."""

EMBEDDED_DIMENSION = 384
"""Of the vectors that it makes."""

MAPPER_THRESHOLD = 0.5
"""Least probability of a keyword: what is likelier than not counts."""


def shorten_encoder(name: str) -> str:
    """The name of an encoder without the folders that it lies in.

    >>> shorten_encoder("/models/mpnet-v2/"), shorten_encoder("all-mpnet-base-v2")
    ('mpnet-v2', 'all-mpnet-base-v2')
    """
    return PurePath(name).name or name
