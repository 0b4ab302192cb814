"""The analyses there are, in the order in which a person would ask: a new one is a file and a
line."""

from __future__ import annotations

from collections.abc import Sequence

from engine.base.errors import InputError
from engine.base.messages import fit_on_line, list_names, suggest
from engine.triage.analyses import (
    blame,
    ceiling,
    doubts,
    gap,
    hubs,
    index,
    leakage,
    looks,
    mapper,
    pairs,
    readable,
    slices,
    substitutions,
    used,
)
from engine.triage.analysis import Analysis

ANALYSES: tuple[Analysis, ...] = (
    slices.SLICES,
    blame.BLAME,
    looks.LOOKS,
    substitutions.SUBSTITUTIONS,
    hubs.HUBS,
    mapper.MAPPER_COST,
    gap.MODALITY_GAP,
    doubts.DOUBTS,
    readable.READABLE_KEYWORDS,
    used.USED,
    index.INDEX_LOSS,
    pairs.MINIMAL_PAIRS,
    leakage.LEAKAGE,
    ceiling.CEILING,
)


def find_analyses(names: Sequence[str] | None = None) -> tuple[Analysis, ...]:
    """Those of these names, in the order of the registry; all if none are named.

    >>> [analysis.name for analysis in find_analyses(["used", "hubs"])]
    ['hubs', 'used']
    """
    known = {analysis.name: analysis for analysis in ANALYSES}
    for name in names or ():
        if name not in known:
            near = suggest(name, known)
            raise InputError(
                f'no analysis "{fit_on_line(name)}"',
                hint=f"{near} analyses: {list_names(known)}".strip(),
            )
    return tuple(one for one in ANALYSES if names is None or one.name in names)
