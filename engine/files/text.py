"""Small text files from users: decoded whatever they were saved as, refused when too large."""

from __future__ import annotations

import codecs
import json
from pathlib import Path
from typing import Any

from engine.base.errors import InputError, Place

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
    try:
        if path.is_dir():
            raise InputError("is a folder, not a file", Place(path), hint="name a file inside it")
        require_regular(path)
        size = path.stat().st_size
        if size > LARGEST:
            raise InputError(
                f"has {size >> 20} MB, more than the {LARGEST >> 20} MB such a file may have",
                Place(path),
            )
        return path.read_bytes()
    except FileNotFoundError as error:
        raise InputError("no such file", Place(path), hint="check the path") from error
    except OSError as error:
        raise InputError(f"cannot be read ({error.strerror})", Place(path)) from error


def is_folder(path: Path) -> bool:
    """Whether a path names a folder; one that names nothing at all, being too long, does not."""
    try:
        return path.is_dir()
    except OSError:
        return False


def require_regular(path: Path) -> Path:
    """Refuse pipes and devices: they may never end, and cannot be hashed or read twice."""
    try:
        if path.exists() and not path.is_file() and not path.is_dir():
            raise InputError("is not a regular file", Place(path), hint="copy it to a file first")
    except OSError as error:
        raise InputError(f"cannot be read ({error.strerror})", Place(path)) from error
    return path


def parse_json(text: str, place: Place) -> Any:
    """Parse JSON from a user's file; whatever is wrong with it has a place."""
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        line = place.line if place.line is not None else error.lineno
        where = Place(place.file, line, place.column)
        raise InputError(f"is not valid JSON ({error.msg})", where) from error
    except (ValueError, RecursionError) as error:  # numbers or nesting of absurd length
        raise InputError("is not valid JSON (too long or nested too deeply)", place) from error
