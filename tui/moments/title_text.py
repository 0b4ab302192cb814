"""What is said of the queries that are listed: in the first line, and where there are none."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tui.look.words import counted
from tui.moments.query_rows import WORDS, Key

if TYPE_CHECKING:
    from tui.moments.explained import Explained
    from tui.shell.listing import Listing
    from tui.widgets.fitted_rows import Sort


def title_parts(explained: Explained, listing: Listing[Explained, Key, int]) -> list[str]:
    """Which queries are listed."""
    listed, count = len(listing.rows), counted(len(explained), "query")
    parts = [explained.source.format.upper(), explained.task]
    parts.append(count if listed == len(explained) else f"{listed:,} of {count}")
    if listing.dived is not None:
        parts.append(explained.shown(listing.dived).name)
    if listing.filter_text:
        parts.append(f"filter {listing.filter_text}")
    return parts


def title_states(explained: Explained, sort: Sort[Key]) -> list[str]:
    """In which order they are, and what was done to the predictions."""
    nms = explained.source.request.nms
    return [WORDS[sort.key][not sort.descending], *([] if nms is None else [f"NMS {nms:g}"])]


def nothing_listed(explained: Explained, listing: Listing[Explained, Key, int]) -> str:
    parts = []
    if listing.dived is not None:
        parts.append(f"is of the class {explained.shown(listing.dived).name}")
    if listing.filter_text:
        parts.append(f"matches {listing.filter_text}")
    if not parts:
        return "The ground truth has no queries."
    return f"No query {' and '.join(parts)}.\n\nEscape goes one level back, to more queries."
