"""A small driving dataset: clips, keyword annotations, queries, two embeddings, labels and moments.

It ships inside the wheel, so that the first command works with no network and no files of
one's own. `README.md` says how it is made; `generate.py` makes it again.
"""

from pathlib import Path

__all__ = ["folder"]


def folder() -> Path:
    """The folder that holds `dataset.toml` and everything it names.

    >>> (folder() / "dataset.toml").name
    'dataset.toml'
    """
    return Path(__file__).resolve().parent
