"""What is said of the queries that are listed: in the first line, and where there are none."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from tui.look.score_text import pluralise
from tui.moments.query_rows import ORDER_NAMES, Key

if TYPE_CHECKING:
    from tui.moments.explained import ExplainedTask
    from tui.shell.listing import RememberedRows
    from tui.widgets.fitted_rows import Sort

MomentListing: TypeAlias = "RememberedRows[ExplainedTask, Key, int]"


def title_parts(explained: ExplainedTask, listing: MomentListing) -> list[str]:
    """Which queries are listed."""
    listed, count = len(listing.rows), pluralise(len(explained), "query")
    parts = [explained.source.format.upper(), explained.task]
    parts.append(count if listed == len(explained) else f"{listed:,} of {count}")
    if listing.dived is not None:
        parts.append(explained.shown(listing.dived).name)
    if listing.filter_text:
        parts.append(f"filter {listing.filter_text}")
    return parts


def title_states(explained: ExplainedTask, sort: Sort[Key]) -> list[str]:
    """In which order they are, and what was done to the predictions."""
    nms = explained.source.request.nms
    return [ORDER_NAMES[sort.key][not sort.descending], *([] if nms is None else [f"NMS {nms:g}"])]


def nothing_listed(explained: ExplainedTask, listing: MomentListing) -> str:
    parts = []
    if listing.dived is not None:
        parts.append(f"is of the class {explained.shown(listing.dived).name}")
    if listing.filter_text:
        parts.append(f"matches {listing.filter_text}")
    if not parts:
        return "The ground truth has no queries."
    return f"No query {' and '.join(parts)}.\n\nEscape goes one level back, to more queries."
