"""Where the mapper went wrong, keyword by keyword, and why."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from engine.base.keyword import Keyword
from engine.text.learning.labelled import LabelledMapping
from engine.text.mapping.denials import find_denials
from engine.text.mapping.mapper import NEAR_FLOOR, MappedKeyword, Mapper
from engine.text.mapping.reading import Interpretation
from engine.text.wordnet.lemmas import is_listed

FaultReason = Literal[
    "denied",
    "never means",
    "another is likelier",
    "below the threshold",
    "no word is left",
    "words are unknown",
    "no word is near",
    "in place of another",
    "beside the right one",
    "nothing is meant",
]


@dataclass(frozen=True, slots=True)
class MappingFault:
    """A keyword that a query means and that was missed, or that was found and is not meant.

    number  the place of the query
    words   those of the query that speak for the keyword, or that are unknown
    why     the kind of evidence; empty: there was none
    rival   the keyword that was found in its place or beside it, or that it stands for
    """

    number: int
    query: str
    keyword: Keyword
    missed: bool
    reason: FaultReason
    probability: float
    words: str = ""
    why: str = ""
    rival: Keyword | None = None


def find_faults(mapper: Mapper, mapped: LabelledMapping) -> Iterator[MappingFault]:
    """What is missing of a query, in the order of the vocabulary, then what is too much."""
    missing = mapped.asked.meant - mapped.found
    for keyword in mapper.vocabulary:
        if keyword in missing:
            yield _explain_miss(mapper, mapped, keyword)
    for item in mapped.mapping.keywords:
        if item.keyword not in mapped.asked.meant:
            yield _explain_false(mapped, item)


def _explain_miss(mapper: Mapper, mapped: LabelledMapping, keyword: Keyword) -> MappingFault:
    number = mapper.vocabulary.index(keyword)
    own = next((e for e in mapped.estimates if e.keyword == number), None)
    chance = own.probability if own else 0.0
    rival = max(
        (item for item in mapped.mapping.keywords if item.keyword.group == keyword.group),
        key=lambda item: item.score,
        default=None,
    )
    words = _text(mapped.reading, own.positions) if own else ""

    def fault(
        reason: FaultReason, words: str = words, rival: Keyword | None = None
    ) -> MappingFault:
        why = own.why if own and chance >= NEAR_FLOOR else ""
        asked = mapped.asked.text
        return MappingFault(mapped.number, asked, keyword, True, reason, chance, words, why, rival)

    if denied := _find_denied(mapper, mapped, keyword):
        return fault("denied", denied)
    if vetoed := sorted(p for p, k in mapped.reading.open.vetoes if k == number):
        return fault("never means", _text(mapped.reading, vetoed))
    if rival is not None and rival.score > chance and (chance >= NEAR_FLOOR or not _open(mapped)):
        return fault("another is likelier", words or rival.ngram, rival.keyword)
    if chance >= NEAR_FLOOR:
        return fault("below the threshold")
    if not _open(mapped):
        return fault("no word is left", "")
    forms = [mapped.reading.words[position].form for position in _open(mapped)]
    if not any(is_listed([form]) for form in forms):
        return fault("words are unknown", " ".join(forms))
    return fault("no word is near")


def _open(mapped: LabelledMapping) -> tuple[int, ...]:
    return mapped.reading.open.open.content


def _find_denied(mapper: Mapper, mapped: LabelledMapping, keyword: Keyword) -> str:
    """The words that would mean the keyword if the query did not deny them."""
    for denial in find_denials(mapped.reading.words):
        if denial.scope and not mapped.reading.denied.isdisjoint(denial.scope):
            text = _text(mapped.reading, denial.scope)
            found = mapper.map(text, [keyword.group]).keywords
            if any(item.keyword == keyword for item in found):
                return text
    return ""


def _explain_false(mapped: LabelledMapping, item: MappedKeyword) -> MappingFault:
    meant = sorted(k for k in mapped.asked.meant if k.group == item.keyword.group)
    missing = [keyword for keyword in meant if keyword not in mapped.found]
    reason: FaultReason = "nothing is meant"
    if meant:
        reason = "in place of another" if missing else "beside the right one"
    return MappingFault(
        number=mapped.number,
        query=mapped.asked.text,
        keyword=item.keyword,
        missed=False,
        reason=reason,
        probability=item.score,
        words=item.ngram,
        why=item.why,
        rival=next(iter(missing or meant), None),
    )


def _text(reading: Interpretation, positions: Sequence[int]) -> str:
    first, last = reading.words[positions[0]], reading.words[positions[-1]]
    return reading.query[first.start : last.end]
