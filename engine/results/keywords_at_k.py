"""How well each keyword was found by itself, as a saved run says it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from engine.base.errors import InputError
from engine.files.fields import Field
from engine.metrics import Measure


@dataclass(frozen=True, slots=True)
class FoundKeyword:
    """P@k of one keyword alone, over the queries that ask for it.

    keyword  "group:name"
    clips    how many clips have it
    values   (metric, value, chance level), in the order of the cut-offs
    """

    mode: str
    keyword: str
    queries: int
    clips: int
    values: tuple[tuple[Measure, float, float], ...]


def read_found_keywords(document: Field) -> Iterator[FoundKeyword]:
    """Those of every mode; none of a document that was written before there were any."""
    for mode, rows in document.part("keywords_at_k").named():
        for row in rows.items():
            yield FoundKeyword(
                mode,
                row["keyword"].text(),
                row["queries"].count(),
                row["clips"].count(),
                tuple(_read_values(row["values"], row["chance"])),
            )


def _read_values(values: Field, chance: Field) -> Iterator[tuple[Measure, float, float]]:
    for name, value in values.named():
        try:
            measure = Measure.parse(name)
        except InputError as error:
            raise value.wrong(f"is of an {error.message}", hint=error.hint) from error
        yield measure, value.number(), chance[name].number()
