"""Items as people name them: by their id, or by the number of their row."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.base.errors import InputError
from engine.base.messages import suggest

if TYPE_CHECKING:
    from engine.dataset.ground_truth import GroundTruth

_MOST_COMPARED = 20_000
"""Ids among which a similar one is looked for."""


def find_item(text: str, truth: GroundTruth) -> str:
    """The id of the item that a text means: an id, or else a row, counted from 0.

    >>> from engine.dataset.ground_truth import GroundTruth
    >>> truth = GroundTruth.from_columns(["a", "b", "0"], {"room": [["x"], ["x"], ["y"]]})
    >>> find_item("b", truth), find_item("1", truth), find_item("0", truth)
    ('b', 'b', '0')
    """
    if truth.rows_of([text])[0] >= 0:
        return text
    # A row has few digits; a text of many is no number that anyone could mean.
    if text.isascii() and text.isdecimal() and len(text) <= len(str(len(truth))):
        row = int(text)
        if row < len(truth):
            return truth.ids[row]
    near = suggest(text, truth.ids) if len(truth) <= _MOST_COMPARED else ""
    rows = f"type an id, or the number of a row from 0 to {len(truth) - 1:,}"
    raise InputError(f'no item "{text}"', hint=f"{near} {rows}".strip())
