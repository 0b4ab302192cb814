"""How well the mapper does on queries whose keywords are known."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from engine.text.learning.faults import MappingFault, find_faults
from engine.text.learning.labelled import (
    LabelledMapping,
    LabelledText,
    map_labelled,
    measure_mapped,
    pair_probabilities,
)
from engine.text.mapping.accuracy import Accuracy
from engine.text.mapping.calibration import (
    ReliabilityBin,
    bin_probabilities,
    measure_calibration_error,
)
from engine.text.mapping.mapper import NEAR_FLOOR, Mapper
from engine.text.mapping.unexplained import UnexplainedWords, count_unexplained

KINDS = ("exact", "synonym", "wordnet", "partial", "similar", "none")
"""The kinds of evidence, the surest first; `none` is that of a keyword no word speaks for."""


@dataclass(frozen=True, slots=True)
class MapperTrial:
    """What came out.

    by_kind      keywords by their evidence: mapped ones, and missed ones whose evidence was too
                 weak; `queries` are those with such a keyword, `exact` how many of these are right
    error        expected calibration error of the probabilities of all keywords asked for
    error_near   the same of those that are near at least, for most keywords are rightly at 0
    """

    threshold: float
    accuracy: Accuracy
    by_kind: dict[str, Accuracy]
    bins: tuple[ReliabilityBin, ...]
    error: float
    error_near: float
    unexplained: UnexplainedWords
    faults: tuple[MappingFault, ...]


def try_mapper(mapper: Mapper, asked: Sequence[LabelledText]) -> MapperTrial:
    """Map labelled queries, and compare."""
    mapped = map_labelled(mapper, asked)
    faults = tuple(fault for one in mapped for fault in find_faults(mapper, one))
    pairs = pair_probabilities(mapper.vocabulary, mapped)
    return MapperTrial(
        threshold=mapper.threshold,
        accuracy=measure_mapped(mapped),
        by_kind=_split_by_kind(mapped, faults),
        bins=bin_probabilities(pairs),
        error=measure_calibration_error(pairs),
        error_near=measure_calibration_error(pairs, NEAR_FLOOR),
        unexplained=count_unexplained(one.mapping.unexplained for one in mapped),
        faults=faults,
    )


def _split_by_kind(
    mapped: Sequence[LabelledMapping], faults: Sequence[MappingFault]
) -> dict[str, Accuracy]:
    rows = [
        (one.number, item.why, "right" if item.keyword in one.asked.meant else "false")
        for one in mapped
        for item in one.mapping.keywords
    ]
    rows += [(fault.number, fault.why or "none", "missed") for fault in faults if fault.missed]
    exact = {one.number for one in mapped if one.found == one.asked.meant}
    split = {}
    for kind in KINDS:
        own = [(number, outcome) for number, why, outcome in rows if why == kind]
        queries = {number for number, _ in own}
        if own:
            outcomes = [outcome for _, outcome in own]
            counts = (outcomes.count(name) for name in ("right", "false", "missed"))
            split[kind] = Accuracy(len(queries), len(queries & exact), *counts)
    return split
