"""What stands in place of results while there are none."""

from __future__ import annotations

from engine.base.mode import Mode

NOTHING_ASKED = (
    "Nothing is asked yet.\n\n"
    "/  ask with a text: cyclist entering ego lane\n"
    "c  ask with a clip\n"
    "2  evaluate all queries, the worst first\n"
    "3  go on with saved work\n"
    "4  compare two models, the worst regressions first\n"
    "?  help"
)
NOTHING_MISSED = "Every relevant clip is in the top {k}.\n\nt shows the ranking again"
NO_OTHER = "The dataset has no other clip to find."


def describe_label_start(first: Mode, *, several: bool) -> str:
    """What can be done with label files; `several`: there are directions to compare."""
    items = "2  evaluate all items, the worst first (C: confusion)"
    texts = "2  evaluate the texts that stand for labels, the worst first (t: all items)"
    compare = "4  compare two directions, the worst regressions first"
    lines = [
        "Nothing is asked yet.\n",
        items if first == "video" else texts,
        "c  ask with an item: type its id, or the number of its row",
        "/  ask with a text",
        "3  go on with saved work",
        *([compare] if several else []),
        "?  help",
    ]
    return "\n".join(lines)
