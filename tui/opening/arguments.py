"""What the command line was given, as values."""

from __future__ import annotations

from engine.base.errors import InputError

MOST_K = 1_000_000


def parse_ks(text: str) -> tuple[int, ...]:
    """The cut-offs, ascending and each once.

    >>> parse_ks("5,1,3,1")
    (1, 3, 5)
    """
    try:
        ks = sorted({int(part) for part in text.split(",") if part.strip()})
    except ValueError:
        ks = []
    if not ks or ks[0] < 1 or ks[-1] > MOST_K:
        raise InputError(
            f"--k {text!r} is not a list of whole numbers from 1 to {MOST_K:,}",
            hint="write --k 1,3,5",
        )
    return tuple(ks)
