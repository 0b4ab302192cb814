"""Queries whose keywords are known, mapped: how often that is right, and how likely it was."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from engine.base.keyword import Keyword
from engine.text.mapping.accuracy import Accuracy, measure_accuracy
from engine.text.mapping.estimator import Estimate
from engine.text.mapping.mapper import KeywordMapping, Mapper
from engine.text.mapping.reading import Interpretation


@dataclass(frozen=True, slots=True)
class LabelledText:
    """A query, the groups that it asks for, and the keywords of these that it means."""

    text: str
    groups: tuple[str, ...]
    meant: frozenset[Keyword]


@dataclass(frozen=True, slots=True)
class LabelledMapping:
    """A labelled query and all that the mapper made of it."""

    number: int
    asked: LabelledText
    mapping: KeywordMapping
    reading: Interpretation
    estimates: Sequence[Estimate]

    @property
    def found(self) -> frozenset[Keyword]:
        return frozenset(item.keyword for item in self.mapping.keywords)


def map_labelled(mapper: Mapper, asked: Sequence[LabelledText]) -> list[LabelledMapping]:
    texts, groups = [query.text for query in asked], [query.groups for query in asked]
    return [
        LabelledMapping(number, query, mapper.report(*read), *read)
        for number, (query, read) in enumerate(zip(asked, mapper.read(texts, groups), strict=True))
    ]


def measure_mapped(mapped: Iterable[LabelledMapping]) -> Accuracy:
    """How well the keywords that were found agree with those that are meant."""
    return measure_accuracy(
        (frozenset(map(str, one.asked.meant)), frozenset(map(str, one.found))) for one in mapped
    )


def pair_probabilities(
    vocabulary: Sequence[Keyword], mapped: Iterable[LabelledMapping]
) -> list[tuple[float, float]]:
    """(probability, meant) of every keyword of the groups that a query asks for."""
    pairs = []
    for one in mapped:
        chances = {estimate.keyword: estimate.probability for estimate in one.estimates}
        chances |= {evidence.keyword: evidence.score for evidence in one.reading.picked}
        pairs += [
            (chances.get(number, 0.0), float(keyword in one.asked.meant))
            for number, keyword in enumerate(vocabulary)
            if keyword.group in one.asked.groups
        ]
    return pairs
