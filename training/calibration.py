"""What probability the mapper gave to every keyword of every query, and whether it was meant."""

from __future__ import annotations

from engine.text.mapping.mapper import Mapper
from training.fields import Field


def measure_calibration(field: Field, mapper: Mapper) -> list[tuple[float, float]]:
    """(probability, meant) of each keyword of the groups asked for."""
    chances = mapper.chances([q.text for q in field.queries], [q.groups for q in field.queries])
    return [
        (given.get(keyword, 0.0), float(keyword.name in query.keywords))
        for query, given in zip(field.queries, chances, strict=True)
        for keyword in field.vocabulary
        if keyword.group in query.groups
    ]
