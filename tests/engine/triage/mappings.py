"""What a mapper makes of texts, made by hand."""

from __future__ import annotations

from collections.abc import Sequence

from engine.base.keyword import Keyword
from engine.text.mapping.mapper import KeywordMapping, MappedKeyword

Reading = Sequence[tuple[str, float]]
"""Keywords as "group:name", each with how likely it is meant."""


def make_mapping(text: str, reading: Reading, unexplained: Sequence[str] = ()) -> KeywordMapping:
    """What a mapper would make of a text: what is likely enough counts, the rest is near."""
    found = [
        MappedKeyword(Keyword(*name.split(":")), score, text, (0, len(text)), "similar")
        for name, score in reading
    ]
    return KeywordMapping(
        text,
        tuple(one for one in found if one.score >= 0.5),
        (),
        unexplained=tuple(unexplained),
        rejected=tuple((one.keyword, one.score) for one in found if one.score < 0.5),
    )
