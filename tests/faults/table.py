"""Fault: what was done to the program, how often, and what it lost; as a table, and as JSON."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Fault:
    """Faults of one kind; `acknowledged` counts what had been said to be saved by then.

    >>> Fault("kill -9", 3, 7) + Fault("kill -9", 1, 1, ("a mark",))
    Fault(name='kill -9', times=4, acknowledged=8, lost=('a mark',))
    """

    name: str
    times: int
    acknowledged: int
    lost: tuple[str, ...] = ()

    def __add__(self, other: Fault) -> Fault:
        assert self.name == other.name
        both = self.times + other.times, self.acknowledged + other.acknowledged
        return Fault(self.name, *both, self.lost + other.lost)


def print_faults(faults: Sequence[Fault]) -> None:
    width = max(len(one.name) for one in faults)
    print(f"{'fault':{width}}  times  acknowledged  lost")  # noqa: T201
    for one in faults:
        counts = f"{one.times:5}  {one.acknowledged:12}  {len(one.lost):4}"
        print(f"{one.name:{width}}  {counts}")  # noqa: T201
        for what in one.lost:
            print(f"  lost: {what}")  # noqa: T201


def write_faults(faults: Sequence[Fault], path: Path) -> None:
    rows = [
        {"fault": one.name, "times": one.times, "acknowledged": one.acknowledged,
         "lost": len(one.lost), "what": list(one.lost)}
        for one in faults
    ]  # fmt: skip
    path.write_text(json.dumps(rows, indent=2) + "\n", encoding="utf-8")
