"""What is lost of a damaged store, in words."""

from __future__ import annotations

from collections.abc import Mapping

from engine.base.messages import pluralise
from engine.sessions.salvage import SavedCount

_KINDS = ("judgement", "session", "answer")
"""What nobody can compute again comes first. The undo history is not counted: what was judged is in
the judgements."""


def describe_loss(counts: Mapping[str, SavedCount], bad_pages: int) -> str:
    """What is known to be lost, by kind; empty if nothing is.

    >>> counts = {"judgement": SavedCount(3, 0, 2), "session": SavedCount(1, 0, 0)}
    >>> describe_loss({**counts, "answer": SavedCount(1, 0, 1)}, 1)
    '2 judgements, 1 answer, and what was on 1 damaged page and nowhere else'
    """
    lost = [_describe_count(kind, counts[kind]) for kind in _KINDS if counts[kind].lost]
    if bad_pages:
        pages = pluralise(bad_pages, "damaged page")
        lost.append(f"{'and ' if lost else ''}what was on {pages} and nowhere else")
    return ", ".join(lost)


def _describe_count(kind: str, count: SavedCount) -> str:
    """
    >>> _describe_count("judgement", SavedCount(3, 0, 4, is_guess=True))
    'an unknown number of judgements (the undo history lacks 4; imported ones were never in it)'
    """
    if not count.is_guess:
        return pluralise(count.lost, kind)
    lacking = f"the undo history lacks {count.lost:,}; imported ones were never in it"
    return f"an unknown number of {kind}s ({lacking})"
