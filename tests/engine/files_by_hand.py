"""Writing the small JSON files of a test."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any


def write_json(path: Path, value: Any, **options: Any) -> Path:
    path.write_text(json.dumps(value, **options), encoding="utf-8")
    return path


def write_json_lines(path: Path, values: Iterable[Any]) -> Path:
    path.write_text("".join(f"{json.dumps(value)}\n" for value in values), encoding="utf-8")
    return path
