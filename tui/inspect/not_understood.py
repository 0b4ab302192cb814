"""What of a text no keyword explains, and which keywords come near: said in a line or two."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.cells import cell_len

from engine.keywords.not_understood import (
    NOTHING_TO_READ,
    has_words,
    join_words,
    list_nearest,
)
from tui.keys.keymap import Keymap, load_keymap
from tui.look.glyphs import Glyphs
from tui.widgets.line_layout import fit
from tui.widgets.lines_view import Line, TextSpan

if TYPE_CHECKING:
    from engine.keywords.query_keywords import QueryKeywords
    from engine.text.mapping.mapper import MappedKeyword

_BEGINNING = join_words(())
_GAP = "   "


def list_unexplained(known: QueryKeywords) -> tuple[str, ...]:
    """The words of a text that no keyword explains; a clip has none."""
    return known.mapping.unexplained if known.mapping is not None else ()


def list_offers(known: QueryKeywords) -> tuple[MappedKeyword, ...]:
    """The nearest keywords that the query does not have already."""
    return tuple(item for item in _list_near(known) if item.keyword not in known.keywords)


def _list_near(known: QueryKeywords) -> tuple[MappedKeyword, ...]:
    nearest = list_nearest(known.mapping) if known.mapping is not None else ()
    return tuple(item for item in nearest if item.keyword in known.selection)


def describe_not_understood(
    known: QueryKeywords, width: int, glyphs: Glyphs, keymap: Keymap | None = None
) -> list[Line]:
    """On one line if the width allows, else on two; what is left out of either is counted."""
    words, offers = list_unexplained(known), list_offers(known)
    if not words:
        wordless = known.mapping is not None and not has_words(known.mapping.query)
        return [Line.of((NOTHING_TO_READ, "part"))] if wordless else []
    keymap = keymap or load_keymap("default")
    dot = f" {glyphs.dot} "
    said = (join_words(words, dot), "part")
    taken = len(offers) < len(_list_near(known))
    near = _describe_offers(offers, len(offers), taken, keymap)
    if _count_cells((said, *near)) + len(_GAP) <= width:
        return [Line.of(said, _GAP, *near)]
    room = width - len(_BEGINNING)
    said = (f"{_BEGINNING}{join_fitting(words, dot, room, glyphs.ellipsis)}", "part")
    for shown in range(len(offers), 0, -1):
        near = _describe_offers(offers, shown, taken, keymap)
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


def _describe_offers(
    offers: Sequence[MappedKeyword], shown: int, taken: bool, keymap: Keymap
) -> list[TextSpan]:
    """So many of the nearest keywords, the first with the key that takes it."""
    if not offers:
        which = "no other keyword" if taken else "no keyword"
        how = keymap.spell("add one with {inspect.edit_keywords}, {keywords.add}")
        return [(f"{which} near: {how}", "dim")]
    first, *others = (f"{item.keyword.name} {item.score:.2f}" for item in offers[:shown])
    rest = "".join(f", {other}" for other in others) + _count_rest(len(offers) - shown)
    key = keymap.say("inspect.take_nearest")
    return [("nearest: ", "dim"), (first, ""), (f" ({key} adds it)", "dim"), (rest, "dim")]


def _count_cells(spans: Sequence[TextSpan]) -> int:
    return sum(cell_len(text) for text, _ in spans)
