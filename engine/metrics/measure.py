"""Measure: a metric as a value, with an id that people can read and write."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from engine.base.choices import ShortListPolicy
from engine.metrics.definition import Aggregate, Definition, Params
from engine.metrics.registry import find_definition


@dataclass(frozen=True, slots=True)
class Measure:
    """A definition of the registry with its cutoff filled in.

    cutoff  how many results it needs to see; None: the full ranking

    >>> measure = Measure.parse("ndcg@10(gain=exp)")
    >>> measure
    Measure(name='nDCG', cutoff=10, params=(('gain', 'exp'),))
    >>> str(measure)
    'nDCG@10(gain=exp)'
    >>> Measure.parse("P@5").formula
    'hits@5 / 5'
    """

    name: str
    cutoff: int | None = None
    params: Params = ()

    def __post_init__(self) -> None:
        canonical = self.definition.parts
        if (canonical.name, canonical.params) != (self.name, self.params):
            raise ValueError(f"{self} is not in canonical form; use Measure.parse")

    @classmethod
    def parse(cls, text: str) -> Measure:
        """The measure that an id names, in any case; InputError with the nearest id if none."""
        definition, k = find_definition(text)
        return cls(definition.parts.name, k, definition.parts.params)

    def __str__(self) -> str:
        cutoff = "" if self.cutoff is None else f"@{self.cutoff}"
        written = ",".join(f"{key}={value}" if value else key for key, value in self.params)
        return f"{self.name}{cutoff}" + (f"({written})" if written else "")

    @property
    def definition(self) -> Definition:
        return find_definition(str(self))[0]

    @property
    def formula(self) -> str:
        return self.formula_for("fixed")

    def formula_for(self, short: ShortListPolicy) -> str:
        """The formula under a policy for short lists.

        >>> Measure.parse("P@5").formula_for("adaptive")
        'hits@5 / min(5, n)'
        """
        return self.definition.formula_at("k" if self.cutoff is None else self.cutoff, short)

    @property
    def aggregate(self) -> Aggregate:
        return self.definition.aggregate

    @property
    def lower_is_better(self) -> bool:
        return self.definition.lower_is_better

    @property
    def needs_truth(self) -> bool:
        return self.definition.needs_truth


def choose_main_measure(
    measures: Sequence[Measure], leads_at: Literal["largest", "smallest"] | None = None
) -> Measure:
    """The first measure's family at the cut-off that speaks for it; None: as its definition says.

    >>> str(choose_main_measure([Measure.parse(i) for i in ("P@1", "P@5", "R@10")]))
    'P@5'
    >>> str(choose_main_measure([Measure.parse(i) for i in ("LabelScore@50", "LabelScore@10")]))
    'LabelScore@10'
    """
    family = find_family(measures)
    chosen = min if (leads_at or family[0].definition.leads_at) == "smallest" else max
    return chosen(family, key=lambda measure: measure.cutoff or 0)


def find_family(measures: Sequence[Measure]) -> tuple[Measure, ...]:
    """The first measure at every cut-off."""
    first = measures[0]
    return tuple(m for m in measures if (m.name, m.params) == (first.name, first.params))
