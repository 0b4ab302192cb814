"""Examples for hints, in the dataset's own words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from engine.base.messages import fit_on_line
from engine.dataset.ground_truth import GroundTruth

_LOOKED_AT = 1_000
"""Clips among which the example is looked for."""


@dataclass(frozen=True, slots=True)
class Examples:
    """What one could ask: a text and a clip; empty where the dataset has no words for one."""

    text: str = ""
    clip: str = ""


def find_examples(truth: GroundTruth, groups: Sequence[str]) -> Examples:
    """The first clip that has one keyword of each of the first two groups, and those in words.

    Where no clip has both, the one that has the most of them.

    >>> truth = GroundTruth.from_columns(
    ...     ["a", "b"], {"animal": [["otter", "heron"], ["otter"]], "does": [[], ["swimming"]]}
    ... )
    >>> find_examples(truth, ["animal", "does"])
    Examples(text='otter swimming', clip='b')
    """
    known = [group for group in groups if group in truth.words.groups][:2]
    if not len(truth):
        return Examples()
    best = 0
    if known:
        parts = [truth.bits[:_LOOKED_AT] & truth.words.select([group]).mask for group in known]
        counts = np.stack([np.bitwise_count(own).sum(axis=1) for own in parts])
        # One keyword reads best, several are better than none.
        merit = (counts == 1) * 2 + (counts > 1)
        best = int(np.argmax(merit.sum(axis=0)))
    own = truth.keywords_of(best)
    first = [next((word.name for word in own if word.group == group), "") for group in known]
    return Examples(fit_on_line(" ".join(filter(None, first))), fit_on_line(truth.ids[best]))
