"""Annotations as delimited text: fast through pyarrow, with physical line numbers on errors."""

from __future__ import annotations

import codecs
import csv
import io
import mmap
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from engine.base.errors import InputError, Place
from engine.dataset.annotations.layout import (
    Layout,
    empty_file_error,
    no_clips_error,
    normalise_column,
)
from engine.files.large_files import is_gzip, unpack_gzip
from engine.files.text import BrokenRowError, read_long_rows
from engine.files.text_cost import TextCost

_DELIMITERS = (",", ";", "\t")
_BOMS = (  # UTF-32 first: its little-endian mark begins with that of UTF-16
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_BLANK = " \r\n\t,;"
_START = 1 << 20  # the header stands within these first bytes
_LINE_END = re.compile(r"\r\n|\r|\n")
_BLOCK = 1 << 22
_BYTES_PER_BYTE, _LINE_BYTES, _CELL_BYTES = 6, 120, 80
"""What reading takes of memory: for each byte of a file, each line, and each cell in use."""


@dataclass(frozen=True, slots=True, eq=False)
class CsvFile:
    """A delimited file whose header was read: UTF-8 bytes, and how they were written on disk.

    `header_end` is the physical line on which the header ends, `blank` the lines before it.
    """

    path: Path
    data: memoryview
    encoding: str
    delimiter: str
    header: tuple[str, ...]
    blank: int
    header_end: int

    @classmethod
    def open(cls, path: Path, raw: memoryview) -> CsvFile:
        """Find encoding, delimiter and header; raises `InputError` if there is no header."""
        if is_gzip(raw):
            raw = memoryview(unpack_gzip(path, raw))
        encoding = next((name for bom, name in _BOMS if bytes(raw[: len(bom)]) == bom), "utf-8")
        if encoding == "utf-8-sig":
            raw = raw[len(codecs.BOM_UTF8) :]
        elif encoding != "utf-8":
            raw = _transcode(path, raw, encoding)
        if b"\0" in bytes(raw[:_START]):
            raise InputError("is not a text file", path, hint="export the table as CSV in UTF-8")
        return cls._with_header(path, raw, encoding)

    @classmethod
    def _with_header(cls, path: Path, data: memoryview, encoding: str) -> CsvFile:
        try:
            start = codecs.getincrementaldecoder("utf-8")().decode(bytes(data[:_START]))
        except UnicodeDecodeError:
            data, encoding = _from_single_bytes(data)
            start = bytes(data[:_START]).decode("utf-8", errors="ignore")
        delimiter, header, blank, end = _header(path, start)
        ends = islice(_LINE_END.finditer(start), end)  # of the header alone
        if len(data) > _START and len([*ends]) < end:
            raise InputError(
                f"has a header of more than {_START >> 20} MB",
                Place(path, end),
                hint="leave out columns, or save it as parquet",
            )
        return cls(path, data, encoding, delimiter, header, blank, end)

    def read(self, layout: Layout) -> tuple[CsvFile, dict[int, Any]]:
        """Columns by position as text, those of groups dictionary-encoded.

        Also the file as it was finally read: text that turns out not to be UTF-8 is cp1252.
        """
        import pyarrow as pa

        a_line = _LINE_BYTES + _CELL_BYTES * len(layout.positions)
        TextCost(_BYTES_PER_BYTE, {self._line_end: a_line}).require(self.data, self.path)
        try:
            columns = self._arrow(layout, spanning=False)
            if self._one_line_per_record(len(columns[layout.slice_id])):
                return self, columns
        except pa.ArrowInvalid:
            if not _is_utf8(self.data):
                data, encoding = _from_single_bytes(self.data)
                return self._with_header(self.path, data, encoding).read(layout)
        return self, self._read_carefully(layout)

    @property
    def _line_end(self) -> str:
        return "\n" if b"\n" in bytes(self.data[:_START]) else "\r"

    def _read_carefully(self, layout: Layout) -> dict[int, Any]:
        """For files with cells that span lines: an open quote in one swallows clips in silence."""
        import pyarrow as pa

        self.check_records()
        if next(self.records(strict=True), None) is None:
            raise no_clips_error(self.path)
        try:
            return self._arrow(layout, spanning=True)
        except pa.ArrowInvalid as error:
            raise InputError(
                f"cannot be read as CSV: {error}", self.path, hint="export it again"
            ) from error

    def _arrow(self, layout: Layout, *, spanning: bool) -> dict[int, Any]:
        import pyarrow as pa
        import pyarrow.csv as pc

        kinds = {str(i): pa.string() for i in layout.positions}
        kinds |= {str(i): pa.dictionary(pa.int32(), pa.string()) for _, i in layout.groups}
        table = pc.read_csv(
            pa.BufferReader(pa.py_buffer(self.data)),
            read_options=pc.ReadOptions(
                block_size=_BLOCK,
                column_names=[str(position) for position in range(len(self.header))],
                skip_rows=self.blank,
                skip_rows_after_names=1,
            ),
            # Looking for line ends inside quotes costs a third more: only where there are any.
            parse_options=pc.ParseOptions(delimiter=self.delimiter, newlines_in_values=spanning),
            convert_options=pc.ConvertOptions(
                column_types=kinds,
                include_columns=list(kinds),
                strings_can_be_null=False,
            ),
        )
        return {i: table[str(i)] for i in layout.positions}

    def records(self, *, strict: bool) -> Iterator[tuple[int, list[str]]]:
        """First physical line and fields of every record after the header; slow, for errors."""
        text = io.TextIOWrapper(
            io.BytesIO(self.data), encoding="utf-8", errors="replace", newline=""
        )
        reader = csv.reader(text, delimiter=self.delimiter, strict=strict)
        try:
            for line, fields in read_long_rows(reader, len(self.data)):
                if fields and line > self.header_end:
                    yield line, fields
        except BrokenRowError as error:
            raise _broken_quotes(self.path, error.line) from error

    def check_records(self) -> None:
        """Raise the `InputError` of the first record that is malformed, if there is one."""
        expected = len(self.header)
        for line, fields in self.records(strict=True):
            if len(fields) != expected:
                raise InputError(
                    f"{len(fields)} fields where the header has {expected}",
                    Place(self.path, line),
                    hint=f'put a cell that holds "{_shown(self.delimiter)}" in double quotes, '
                    "with no space before the quote"
                    if len(fields) > expected
                    else "write a delimiter for every empty cell",
                )

    def lines(self, rows: Sequence[int]) -> list[int | None]:
        """The physical lines on which these clips (counted from 0) begin."""
        found: dict[int, int] = {}
        for row, (line, _) in enumerate(self.records(strict=False)):
            if row in rows:
                found[row] = line
                if len(found) == len(set(rows)):
                    break
        return [found.get(row) for row in rows]

    def _one_line_per_record(self, rows: int) -> bool:
        """Whether no cell spans lines and the last line, which could hide it, has no open quote."""
        end = self._line_end.encode()
        size = len(self.data)
        while size and self.data[size - 1] in b"\r\n":
            size -= 1
        if _count(self.data[:size], end[0]) != rows + self.header_end - 1:
            return False
        tail = bytes(self.data[max(0, size - _START) : size])
        if end not in tail:  # where the line begins, and with what quote, is not known
            return False
        last = tail[tail.rfind(end) + 1 :].decode("utf-8", errors="replace")
        reader = csv.reader([last], delimiter=self.delimiter, strict=True)
        try:
            list(read_long_rows(reader, _START))
        except BrokenRowError:
            return False
        return True


def map_file(path: Path) -> memoryview:
    """The bytes of a file, without reading what is not looked at."""
    with path.open("rb") as file:
        if not file.seek(0, io.SEEK_END):
            return memoryview(b"")
        return memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))


def _transcode(path: Path, raw: memoryview, encoding: str) -> memoryview:
    try:
        return memoryview(bytes(raw).decode(encoding).encode())
    except UnicodeError as error:
        raise InputError(
            f"is not valid {encoding.upper()} text", path, hint="save it as UTF-8"
        ) from error


def _from_single_bytes(data: memoryview) -> tuple[memoryview, str]:
    """Text that is not UTF-8, as cp1252, or as latin-1 where cp1252 has no such character."""
    for encoding in ("cp1252", "latin-1"):
        try:
            return memoryview(bytes(data).decode(encoding).encode()), encoding
        except UnicodeDecodeError:
            continue
    raise AssertionError("latin-1 decodes every byte")


def _is_utf8(data: memoryview) -> bool:
    try:
        codecs.utf_8_decode(data, "strict", True)
    except UnicodeDecodeError:
        return False
    return True


def _header(path: Path, start: str) -> tuple[str, tuple[str, ...], int, int]:
    """Delimiter, fields, blank lines before, and last line of the header.

    The delimiter is the one that splits off a `slice_id`, or else the one that splits most.
    """
    found = [header for delimiter in _DELIMITERS for header in _headers(start, delimiter)]
    if not found and start.strip(_BLANK):
        raise _broken_quotes(path, 1)
    if not found:
        raise empty_file_error(path)

    def splits(header: tuple[str, tuple[str, ...], int, int]) -> tuple[bool, int]:
        return "slice_id" in map(normalise_column, header[1]), len(header[1])

    best = max(found, key=splits)
    if not splits(best)[0] and "".join(best[1]).count('"') % 2:
        raise _broken_quotes(path, best[3])
    return best


def _headers(start: str, delimiter: str) -> Iterator[tuple[str, tuple[str, ...], int, int]]:
    reader = csv.reader(io.StringIO(start, newline=""), delimiter=delimiter, strict=True)
    blank = 0
    try:
        for _, fields in read_long_rows(reader, _START, at_once=1):
            if any(field.strip(_BLANK) for field in fields):
                names = tuple(" ".join(field.split()) for field in fields)
                yield delimiter, names, blank, reader.line_num
                return
            blank = reader.line_num
    except BrokenRowError:  # quotes that only make sense with another delimiter
        return


def _broken_quotes(path: Path, line: int) -> InputError:
    return InputError(
        "a quoted cell is broken or never closed",
        Place(path, line),
        hint='close it with ", and write "" for a quote mark inside it',
    )


def _count(data: memoryview, byte: int) -> int:
    values = np.frombuffer(data, np.uint8)
    return sum(
        int(np.count_nonzero(values[start : start + _BLOCK] == byte))
        for start in range(0, len(values), _BLOCK)
    )


def _shown(delimiter: str) -> str:
    return "tab" if delimiter == "\t" else delimiter
