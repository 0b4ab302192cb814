"""Result: what one benchmark has measured, kept as one JSON file.

The file is written again after each claim, so that a run that is interrupted keeps what it has.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from benchmarks.claim import Claim
from benchmarks.machine import Machine
from engine.files.atomic import write_whole

RESULTS = Path(__file__).parent / "results"
SCHEMA = "tui-eval/benchmark@1"


@dataclass(frozen=True)
class Result:
    """The claims of one benchmark so far.

    about    what the benchmark says of itself
    date     when it began, in UTC
    load     processes that wanted to run then, over the minute before
    failure  why it ended early; empty if it did not
    """

    benchmark: str
    about: str
    date: str
    load: float
    machine: Machine
    versions: Mapping[str, str]
    claims: tuple[Claim, ...] = ()
    failure: str = ""
    finished: bool = False

    @property
    def was_busy(self) -> bool:
        """Whether others kept the machine busy: more than what the benchmark before leaves."""
        return self.load > 1.5 * self.machine.cores

    @property
    def is_good(self) -> bool:
        """Whether it came to its end and missed no goal."""
        return self.finished and all(claim.verdict != "MISSED" for claim in self.claims)


def write_result(result: Result, folder: Path) -> None:
    document = {"schema": SCHEMA, **asdict(result)}
    text = json.dumps(document, indent=2, ensure_ascii=False)
    write_whole(f"{text}\n", folder / f"{result.benchmark}.json")


def read_results(folder: Path) -> dict[str, Result]:
    """All results of a folder by the name of their benchmark."""
    results = map(_read, sorted(folder.glob("*.json")))
    return {result.benchmark: result for result in results}


def _read(path: Path) -> Result:
    try:
        document: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        if document.pop("schema") != SCHEMA:
            raise ValueError("another schema")
        machine = Machine(**document.pop("machine"))
        claims = tuple(Claim(**claim) for claim in document.pop("claims"))
        return Result(machine=machine, claims=claims, **document)
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise ValueError(f"{path} is no result of a benchmark ({error}); delete it") from error
