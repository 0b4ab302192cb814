"""Small text files from users: decoded whatever they were saved as, refused when too large."""

from __future__ import annotations

import codecs
import json
from pathlib import Path
from typing import Any

from engine.base.errors import InputError, Place
from engine.files.reading import guard_reading

LARGEST = 256 << 20
"""Query sets, vocabularies and settings are small; a larger file is a mistake."""

_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


def read_text(path: Path) -> str:
    """The text of a file: UTF-8 with or without a mark, UTF-16 with one, else cp1252."""
    data = _read_bytes(path)
    encoding = next((name for mark, name in _MARKS if data.startswith(mark)), "utf-8")
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError:
        text = data.decode("cp1252", errors="replace")
    if "\0" in text:
        raise InputError("is not a text file", Place(path), hint="save it as UTF-8 text")
    if not text.strip():
        raise InputError("is empty", Place(path))
    return text


def _read_bytes(path: Path) -> bytes:
    with guard_reading(path) as size:
        if size > LARGEST:
            raise InputError(
                f"has {size >> 20} MB, more than the {LARGEST >> 20} MB such a file may have",
                Place(path),
            )
        return path.read_bytes()


def parse_json(text: str, place: Place, hint: str = "") -> Any:
    """Parse JSON from a user's file; whatever is wrong with it has a place."""
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        line = place.line if place.line is not None else error.lineno
        where = Place(place.file, line, place.column)
        raise InputError(f"is not valid JSON ({error.msg})", where, hint=hint) from error
    except (ValueError, RecursionError) as error:  # numbers or nesting of absurd length
        message = "is not valid JSON (too long or nested too deeply)"
        raise InputError(message, place, hint=hint) from error
