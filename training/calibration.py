"""What probability the mapper gave to every keyword of every query, and whether it was meant."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

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


def measure_calibration_error(pairs: Sequence[tuple[float, float]], least: float = 0.0) -> float:
    """Expected calibration error in ten bins, over the probabilities of at least so much."""
    chance, meant = np.array([pair for pair in pairs if pair[0] >= least]).T
    bins = np.minimum((chance * 10).astype(int), 9)
    return float(
        sum(
            (bins == number).mean()
            * abs(chance[bins == number].mean() - meant[bins == number].mean())
            for number in np.unique(bins)
        )
    )
