"""Fault: one kind of thing that a submission does, how often, and where it does so first."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from engine.base.arrays import AnyInts
from engine.base.errors import Severity
from engine.moments.check.fault_kinds import TVR_TERMS, BenchmarkTerms, FaultKind
from engine.moments.judged_predictions import QueryId


@dataclass(frozen=True, slots=True)
class FaultPlace:
    """A place in a submission; every part is optional, numbers count from 1.

    number  that of an entry or a line, whatever `words` call it

    >>> str(FaultPlace(part="VCMR", number=12, id=90200, prediction=5))
    'VCMR, entry 12 (desc_id 90200), prediction 5'
    >>> from engine.moments.check.fault_kinds import QVH_TERMS
    >>> str(FaultPlace("hl_val_submission.jsonl", number=3, id=2579, prediction=1, words=QVH_TERMS))
    'hl_val_submission.jsonl, line 3 (qid 2579), window 1'
    >>> str(FaultPlace(part="VR", id=90200))
    'VR, desc_id 90200'
    """

    file: str = ""
    part: str = ""
    number: int | None = None
    id: QueryId | None = None
    prediction: int | None = None
    words: BenchmarkTerms = TVR_TERMS

    def __str__(self) -> str:
        return ", ".join(self._parts())

    def _parts(self) -> Iterator[str]:
        yield from filter(None, (self.file, self.part))
        shown_id = f'"{self.id}"' if isinstance(self.id, str) else self.id
        name = None if self.id is None else f"{self.words.id} {shown_id}"
        about = "" if name is None else f" ({name})"
        if self.number is not None:
            yield f"{self.words.entry} {self.number}{about}"
        elif name is not None:
            yield name
        if self.prediction is not None:
            yield f"{self.words.prediction} {self.prediction}"


@dataclass(frozen=True, slots=True)
class FaultExample:
    """One place at which something was found, and what is there."""

    where: FaultPlace
    message: str

    def __str__(self) -> str:
        place = str(self.where)
        return f"{place}: {self.message}" if place else self.message


@dataclass(frozen=True, slots=True)
class SubmissionFault:
    """All that is alike in one part of a file.

    file      the name inside a zip; "" for a file of its own
    part      the task, `video2idx`, or what else it is about
    count     how many there are, shown or not
    detail    what the kind's sentence leaves open
    examples  the first of them
    """

    kind: FaultKind
    file: str
    part: str
    count: int
    detail: str = ""
    examples: tuple[FaultExample, ...] = ()
    words: BenchmarkTerms = TVR_TERMS

    @property
    def level(self) -> Severity:
        return self.kind.level

    @property
    def message(self) -> str:
        return self.kind.sentence(self.count, self.detail, self.words)

    @property
    def more(self) -> int:
        """How many are not among the examples; 0 for what has none at all."""
        return self.count - len(self.examples) if self.examples else 0


@dataclass
class FaultLog:
    """Gathers the faults of one file; of each kind only the first `limit` places are kept.

    limit  0 keeps all
    """

    limit: int
    file: str = ""
    words: BenchmarkTerms = TVR_TERMS
    faults: list[SubmissionFault] = field(default_factory=list)

    def where(self, part: str = "") -> FaultPlace:
        return FaultPlace(self.file, part, words=self.words)

    def note(self, kind: FaultKind, part: str, detail: str = "") -> None:
        """Something about the file or a part of it as a whole."""
        self.faults.append(SubmissionFault(kind, self.file, part, 1, detail, words=self.words))

    def note_each(
        self,
        kind: FaultKind,
        part: str,
        places: Sequence[Any] | AnyInts,
        example: Callable[[Any], FaultExample],
        detail: str = "",
    ) -> None:
        """Something that has places; of them only the first are made examples."""
        tally = PlaceCounter(self.limit, len(places))
        tally.examples += map(example, places[: self.limit or None])
        self.note_tally(kind, part, tally, detail)

    def note_tally(self, kind: FaultKind, part: str, tally: PlaceCounter, detail: str = "") -> None:
        if tally.count:
            kept = tuple(tally.examples)
            found = SubmissionFault(kind, self.file, part, tally.count, detail, kept, self.words)
            self.faults.append(found)

    def tally(self) -> PlaceCounter:
        return PlaceCounter(self.limit)


@dataclass
class PlaceCounter:
    """Counts places as they come along, and keeps the first."""

    limit: int
    count: int = 0
    examples: list[FaultExample] = field(default_factory=list)

    def add(self, example: Callable[[], FaultExample]) -> None:
        self.count += 1
        if not self.limit or len(self.examples) < self.limit:
            self.examples.append(example())
