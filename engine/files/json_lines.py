"""JSON lines: one object per line, each with its place when something is wrong with it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from engine.base.errors import InputError, Place
from engine.files.lines import read_filled_lines
from engine.files.text import parse_json

HINT = "write one JSON object per line"


def read_json_objects(
    path: Path, text: str, hint: str = HINT
) -> Iterator[tuple[int, dict[str, Any]]]:
    """The objects of a text, each with the number of its line; blank lines are passed over.

    >>> list(read_json_objects(Path("x.jsonl"), '{"a": 1}\\n\\n{"a": 2}\\n'))
    [(1, {'a': 1}), (3, {'a': 2})]
    """
    for number, line in read_filled_lines(text):
        try:
            found = json.loads(line)
        except (ValueError, RecursionError):
            found = parse_json(line, Place(path, number), hint)  # again, only to say why
        if not isinstance(found, dict):
            raise InputError("is not a JSON object", Place(path, number), hint=hint)
        yield number, found
