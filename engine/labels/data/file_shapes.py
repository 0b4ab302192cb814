"""A first look at array files: their shapes, without numpy and without reading any array.

It is a look and no check: what it cannot tell is None, and what is wrong is said by the reader.
"""

from __future__ import annotations

import ast
import csv
import io
import lzma
import math
import re
import struct
import zipfile
import zlib
from pathlib import Path
from typing import IO

from engine.base.errors import InputError
from engine.files.points import reach
from engine.files.reader import reads
from engine.files.text import split_lines
from engine.files.text_cost import CSV_COST
from engine.labels.data.label_files import LabelFiles, LevelFile

_MAGIC = b"\x93NUMPY"
_LONGEST_HEAD = 1 << 16
_MOST_TEXT = 64 << 20
"""Bytes of a text file whose lines are counted before the first paint."""


ArrayShape = tuple[int, ...]


@reads("an array")
def read_shape(
    path: Path, key: str | None = None, preferred: str | None = None
) -> ArrayShape | None:
    """The shape of the array that `engine.labels.data.array_files.read_array` would take.

    >>> read_shape(Path("missing.npy")) is None
    True
    """
    try:
        reach("read", path)
        if path.suffix.lower() == ".npy" and key is None and path.is_file():
            with path.open("rb") as file:
                return _head(file, path.stat().st_size)
        if path.suffix.lower() == ".npz" and path.is_file():
            return _in_archive(path, key, preferred)
    except (OSError, EOFError, ValueError, SyntaxError, LookupError, RecursionError, MemoryError):
        return None
    except (struct.error, zipfile.BadZipFile, zlib.error, lzma.LZMAError, RuntimeError):
        return None
    return None


def _in_archive(path: Path, key: str | None, preferred: str | None) -> ArrayShape | None:
    with zipfile.ZipFile(path) as archive:
        names = [name.removesuffix(".npy") for name in archive.namelist()]
        wanted = key or (preferred if preferred in names else None)
        if wanted is None and len(names) == 1:
            wanted = names[0]
        if wanted not in names:
            return None
        with archive.open(f"{wanted}.npy") as file:
            return _head(file)


def _head(file: IO[bytes], whole: int | None = None) -> ArrayShape | None:
    """The shape in the head of an .npy: a magic, a version, a length, and a literal of Python.

    None too if the file, of `whole` bytes, is shorter than its head says.
    """
    start = file.read(8)
    if start[:6] != _MAGIC:
        return None
    size, layout = (2, "<H") if start[6] == 1 else (4, "<I")
    (length,) = struct.unpack(layout, file.read(size))
    if length > _LONGEST_HEAD:
        return None
    head = ast.literal_eval(file.read(length).decode("latin-1").strip())
    if not isinstance(head, dict) or "O" in str(head.get("descr")):  # pickled objects
        return None
    shape = head.get("shape")
    if not isinstance(shape, tuple) or not all(isinstance(side, int) for side in shape):
        return None
    if whole is not None and whole < 8 + size + length + math.prod(shape) * _item_size(head):
        return None
    return shape


def _item_size(head: dict[str, object]) -> int:
    """Bytes of one entry: "<f4" has 4, a text "<U7" has 28; 0 where that is not entry so."""
    entry = re.fullmatch(r"[<>|=]?([a-zA-Z])(\d+)", str(head.get("descr")))
    if entry is None:
        return 0
    return int(entry[2]) * (4 if entry[1] == "U" else 1)


def have_matching_rows(files: LabelFiles) -> bool:
    """Whether the files look as if they belonged together: as many rows everywhere.

    False is a suspicion only; the reader then says what is wrong, or that all is well.
    """
    first = read_shape(files.a, files.a_key)
    if first is None or len(first) != 2:
        return False
    if files.b is not None:
        second = read_shape(files.b, files.b_key)
        if second is None or len(second) != 2 or second[0] != first[0]:
            return False
    return all(_fits(level, first[0]) for level in files.levels)


def _fits(level: LevelFile, rows: int) -> bool:
    suffix = level.path.suffix.lower()
    if suffix in (".npy", ".npz"):
        shape = read_shape(level.path, level.key, level.name if level.named else None)
        return shape is not None and shape == (rows,)
    table = _table(level.path, suffix)
    if not table:
        return False
    if suffix == ".txt" or (len(table[0]) == 1 and len(table) == rows and level.key is None):
        return len(table) == rows and (suffix == ".txt" or _has_no_header(level, table))
    # A column that is named is there, or the reader must say which one is meant.
    column = level.key or (level.name if level.named else None)
    return len(table) == rows + 1 and column in [name.strip() for name in table[0]]


def _has_no_header(level: LevelFile, column: list[list[str]]) -> bool:
    """As the reader sees it; imported here, for it brings numpy along."""
    from engine.labels.data.level_files import _is_bare

    return _is_bare(level, list(enumerate(column, start=1)), len(column))


def _table(path: Path, suffix: str) -> list[list[str]] | None:
    try:
        reach("read", path)
        if not path.is_file() or path.stat().st_size > _MOST_TEXT:  # a pipe would be waited for
            return None
        text = path.read_text(encoding="utf-8-sig")
        CSV_COST.require(text, path)
        if suffix == ".txt":
            return [[line] for line in split_lines(text.rstrip("\r\n"))]
        delimiter = "\t" if suffix == ".tsv" else ","
        rows = list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter))
        filled = [row for row in rows if any(row)]
        # In a single column a blank line is a missing label: the reader says where.
        gaps = len(filled) < len(rows) and len(rows[0]) <= 1
        return None if gaps else filled
    except (OSError, ValueError, csv.Error, InputError):
        return None
