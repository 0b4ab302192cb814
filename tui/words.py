"""Small words that screens and commands share."""

from __future__ import annotations


def counted(count: int, noun: str) -> str:
    """A number with its noun.

    >>> counted(1, "model"), counted(1200, "clip"), counted(2, "query")
    ('1 model', '1,200 clips', '2 queries')
    """
    if count == 1:
        return f"1 {noun}"
    return f"{count:,} {noun[:-1]}ies" if noun.endswith("y") else f"{count:,} {noun}s"


def score_text(score: float) -> str:
    """A similarity in few characters: three decimals as far as they mean something.

    >>> score_text(0.8712), score_text(-123.456), score_text(-1234567.0)
    ('0.871', '-123.5', '-1.235e+06')
    """
    size = abs(score)
    if size < 100:
        return f"{score:.3f}"
    return f"{score:.1f}" if size < 100_000 else f"{score:.4g}"
