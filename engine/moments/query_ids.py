"""What queries are called, and whether predictions are about those of the ground truth."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from engine.moments.judged_predictions import QueryId

_SHOWN = 40


def parse_id(value: Any) -> QueryId | None:
    """A text or a whole number, as ids are; None for anything else.

    >>> parse_id(7), parse_id("a"), parse_id(7.0), parse_id("")
    (7, 'a', None, None)
    """
    return value if type(value) is int or (isinstance(value, str) and value) else None


def shorten_id(id_: QueryId) -> str:
    """An id for a message: whatever is in it, short and without control characters.

    >>> shorten_id(7803), shorten_id("q" * 60)
    ('7803', "'qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqq…")
    """
    text = ascii(id_) if isinstance(id_, str) or abs(id_) < 10**_SHOWN else "a huge number"
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"


class OtherQueries(NamedTuple):
    """How predictions differ from the ground truth; `extra`: the first query that is not there."""

    message: str
    hint: str
    extra: QueryId | None


def find_other_queries(
    predicted: Sequence[QueryId], asked: Sequence[QueryId], truth: Path
) -> OtherQueries | None:
    """What is wrong if predictions are about other queries than those that are asked.

    >>> find_other_queries([7, 8], [7, 9, 10], Path("gt.jsonl")).message
    'lacks 2 of the 3 queries of gt.jsonl, first 9, and has 1 that are not in it, first 8'
    """
    here, there = set(predicted), set(asked)
    lacking = [id_ for id_ in asked if id_ not in here]
    extra = [id_ for id_ in predicted if id_ not in there]
    if not lacking and not extra:
        return None
    parts = []
    if lacking:
        of = f"{len(set(lacking)):,} of the {len(there):,} queries of {truth.name}"
        parts.append(f"lacks {of}, first {shorten_id(lacking[0])}")
    if extra:
        where = "it" if lacking else truth.name
        what = f"{len(set(extra)):,} that are not in {where}"
        parts.append(f"has {what}, first {shorten_id(extra[0])}")
    hint = "give the ground truth of the same split, and predict for exactly its queries"
    if set(map(str, lacking)) & set(map(str, extra)):  # a text "7" is not the number 7
        hint = "write ids as numbers in both files or as texts in both"
    return OtherQueries(", and ".join(parts), hint, extra[0] if extra else None)
