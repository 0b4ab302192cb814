"""What probability the mapper gave to every keyword of every query, and whether it was meant."""

from __future__ import annotations

from engine.text.learning.labelled import LabelledText, map_labelled, pair_probabilities
from engine.text.mapping.mapper import Mapper
from training.fields import Field


def measure_calibration(field: Field, mapper: Mapper) -> list[tuple[float, float]]:
    """(probability, meant) of each keyword of the groups asked for."""
    asked = [
        LabelledText(
            query.text,
            query.groups,
            frozenset(
                keyword
                for keyword in field.vocabulary
                if keyword.group in query.groups and keyword.name in query.keywords
            ),
        )
        for query in field.queries
    ]
    return pair_probabilities(field.vocabulary, map_labelled(mapper, asked))
