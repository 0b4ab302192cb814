"""FaultRow: what was done to the program, how often, and what came of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any

HARM = ("lost", "half", "stray", "traceback", "unclear", "late")
"""What must not happen: the fields of a row that have to be 0."""


@dataclass(frozen=True)
class FaultRow:
    """Faults of one kind.

    acknowledged  what had been said to be saved by then
    coped         the command went on to its end: it can do without the file
    lost          inputs that were changed, outputs that are gone, marks that were acknowledged
    half          outputs that are neither as they were nor as they should be
    stray         files that nobody asked for
    unclear       not one line that names the file and the reason, or not the usual result
    late          more than a second after Ctrl+C
    what          was lost, in words

    >>> FaultRow("kill -9", 3, 7) + FaultRow("kill -9", 1, 1, lost=1, what=("a mark",))
    FaultRow(fault='kill -9', times=4, acknowledged=8, coped=0, lost=1, half=0, stray=0, \
traceback=0, unclear=0, late=0, what=('a mark',))
    """

    fault: str
    times: int
    acknowledged: int = 0
    coped: int = 0
    lost: int = 0
    half: int = 0
    stray: int = 0
    traceback: int = 0
    unclear: int = 0
    late: int = 0
    what: tuple[str, ...] = ()

    @property
    def is_fine(self) -> bool:
        return not any(getattr(self, kind) for kind in HARM)

    def __add__(self, other: FaultRow) -> FaultRow:
        assert self.fault == other.fault
        names = [field.name for field in fields(self) if field.name != "fault"]
        return FaultRow(self.fault, *(getattr(self, n) + getattr(other, n) for n in names))

    def as_document(self) -> dict[str, Any]:
        return asdict(self)


def print_rows(rows: Sequence[FaultRow]) -> None:
    heads = [field.name for field in fields(FaultRow)][1:-1]
    width = max(len(row.fault) for row in rows)
    print(f"\n{'fault':{width}}", *heads, sep="  ")  # noqa: T201
    for row in rows:
        counts = (f"{getattr(row, head):>{len(head)}}" for head in heads)
        print(f"{row.fault:{width}}", *counts, sep="  ")  # noqa: T201
        for what in row.what:
            print(f"  lost: {what}")  # noqa: T201
