"""What of a text no keyword explains, and which keywords come near: said in a line or two."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.cells import cell_len

from tui.look.glyphs import Glyphs
from tui.widgets.line_layout import fit
from tui.widgets.lines_view import Line, TextSpan

if TYPE_CHECKING:
    from engine.keywords.query_keywords import QueryKeywords
    from engine.text.mapping.mapper import MappedKeyword

_BEGINNING = "not understood: "
_GAP = "   "
_WORD = re.compile(r"\w+")


def list_unexplained(known: QueryKeywords) -> tuple[str, ...]:
    """The words of a text that no keyword explains; a clip has none."""
    return known.mapping.unexplained if known.mapping is not None else ()


def list_near(known: QueryKeywords) -> tuple[MappedKeyword, ...]:
    """The keywords that come nearest to what was not understood, the nearest first."""
    if known.mapping is None:
        return ()
    words = {word.casefold() for word in known.mapping.unexplained}
    return tuple(
        item
        for item in known.mapping.near
        if item.keyword in known.selection
        and words.intersection(_WORD.findall(item.ngram.casefold()))
    )


def list_offers(known: QueryKeywords) -> tuple[MappedKeyword, ...]:
    """Those of the nearest that the query does not have already."""
    return tuple(item for item in list_near(known) if item.keyword not in known.keywords)


def describe_not_understood(known: QueryKeywords, width: int, glyphs: Glyphs) -> list[Line]:
    """On one line if the width allows, else on two; what is left out of either is counted."""
    words, offers = list_unexplained(known), list_offers(known)
    if not words:
        return []
    dot = f" {glyphs.dot} "
    said = (f"{_BEGINNING}{dot.join(words)}", "part")
    taken = len(offers) < len(list_near(known))
    near = _describe_offers(offers, len(offers), taken)
    if _count_cells((said, *near)) + len(_GAP) <= width:
        return [Line.of(said, _GAP, *near)]
    room = width - len(_BEGINNING)
    said = (f"{_BEGINNING}{join_fitting(words, dot, room, glyphs.ellipsis)}", "part")
    for shown in range(len(offers), 0, -1):
        near = _describe_offers(offers, shown, taken)
        if _count_cells(near) <= width:
            break
    return [Line.of(said), Line.of(*near)]


def join_fitting(items: Sequence[str], between: str, width: int, ellipsis: str) -> str:
    """As many items as fit, and how many more there are; the first one is cut if it must be.

    >>> join_fitting(["red", "turning", "left"], " · ", 30, "…")
    'red · turning · left'
    >>> join_fitting(["red", "turning", "left"], " · ", 12, "…")
    'red +2 more'
    """
    for shown in range(len(items), 1, -1):
        text = between.join(items[:shown]) + _count_rest(len(items) - shown)
        if cell_len(text) <= width:
            return text
    rest = _count_rest(len(items) - 1)
    room = max(width - cell_len(rest), 1)
    first = items[0]
    return (first if cell_len(first) <= room else fit(first, room, ellipsis=ellipsis)) + rest


def _count_rest(rest: int) -> str:
    return f" +{rest:,} more" if rest else ""


def _describe_offers(offers: Sequence[MappedKeyword], shown: int, taken: bool) -> list[TextSpan]:
    """So many of the nearest keywords, the first with the key that takes it."""
    if not offers:
        return [(f"nothing {'else ' if taken else ''}near: e, then a adds one", "dim")]
    first, *others = (f"{item.keyword.name} {item.score:.2f}" for item in offers[:shown])
    rest = "".join(f", {other}" for other in others) + _count_rest(len(offers) - shown)
    return [("near: ", "dim"), (first, ""), (" (E takes it)", "dim"), (rest, "dim")]


def _count_cells(spans: Sequence[TextSpan]) -> int:
    return sum(cell_len(text) for text, _ in spans)
