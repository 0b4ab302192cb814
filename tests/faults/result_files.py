"""The result of a campaign as a file: when it was found, and with which version of the program."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from engine.files.envelope import find_tool_version

ROOT = Path(__file__).parents[2]
MEASURED = ROOT / "build" / "reliability"
"""Where campaigns leave their results."""
KEPT = ROOT / "tests" / "faults" / "results"
"""The results that docs/reliability.md is written from."""


def write_result(path: Path, fields: Mapping[str, Any]) -> None:
    """Write what was found, when, and with which version."""
    path.parent.mkdir(parents=True, exist_ok=True)
    today = datetime.now(UTC).date().isoformat()
    document = {"version": find_tool_version(), "date": today, **fields}
    text = json.dumps(document, indent=2, ensure_ascii=False) + "\n"
    path.write_text(text, encoding="utf-8")


def write_rows(path: Path, rows: Sequence[Mapping[str, Any]]) -> None:
    """The same for a table."""
    write_result(path, {"rows": rows})


def read_result(name: str, folder: Path = KEPT) -> dict[str, Any]:
    """A result that must be there.

    >>> read_result("naps")
    Traceback (most recent call last):
    FileNotFoundError: naps.json is missing: run its campaign, see docs/reliability.md
    """
    file = folder / f"{name}.json"
    if not file.exists():
        raise FileNotFoundError(
            f"{file.name} is missing: run its campaign, see {_PAGE.relative_to(ROOT)}"
        )
    found: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return found


_PAGE = ROOT / "docs" / "reliability.md"
