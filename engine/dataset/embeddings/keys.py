"""The keys of embedding rows: clip ids or query texts, and the files that hold them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from engine.base.errors import InputError, Place
from engine.base.messages import quote
from engine.files.large_files import read_data
from engine.files.npy import read_npy, read_values, reading_array
from engine.files.reader import reads
from engine.files.reading import name_kind
from engine.files.text import parse_json, read_csv_rows, split_lines


@dataclass(frozen=True, slots=True)
class KeyKind:
    """What names a row, and where each format keeps it.

    `columns` of parquet and CSV, `arrays` of .npz, the first found counts; `word` makes the names
    of the file beside an .npy (X.ids.txt); `option` is the flag that names it outright.
    """

    noun: str
    columns: tuple[str, ...]
    arrays: tuple[str, ...]
    word: str
    option: str

    def file_names(self, stem: str) -> tuple[str, ...]:
        """Accepted names of the keys file of `stem`.npy.

        >>> CLIP_KEYS.file_names("alfa")[:3]
        ('alfa.ids.txt', 'alfa_ids.txt', 'ids.txt')
        """
        return (
            f"{stem}.{self.word}.txt",
            f"{stem}_{self.word}.txt",
            f"{self.word}.txt",
            f"{stem}.{self.word}.npy",
            f"{stem}.{self.word}.json",
            f"{stem}.{self.word}.csv",
        )


CLIP_KEYS = KeyKind("id", ("slice_id",), ("ids", "slice_id", "slice_ids"), "ids", "--ids")
QUERY_KEYS = KeyKind(
    "query", ("query", "text"), ("queries", "query", "texts", "text"), "queries", "--ids"
)


def find_keys_file(vectors_file: Path, kind: KeyKind) -> Path:
    """The keys file beside an .npy, by its name."""
    names = kind.file_names(vectors_file.stem)
    for name in names:
        beside = vectors_file.with_name(name)
        if beside.is_file():
            return beside
    raise InputError(
        f"an .npy needs a file that says which {kind.noun} each row belongs to, "
        "and there is none beside it",
        vectors_file,
        hint=f"name it with {kind.option} FILE, or as one of {', '.join(names)}",
    )


@reads("a file of ids")
def read_keys_file(path: Path, kind: KeyKind) -> tuple[str, ...]:
    """Keys from .txt (one per line), .json (a list), .csv (a column) or .npy (text)."""
    readers = {".txt": _from_txt, ".json": _from_json, ".csv": _from_csv, ".npy": _from_npy}
    suffix = path.suffix.lower()
    if suffix not in readers:
        raise InputError(
            f"cannot read {kind.noun}s from {name_kind(path)}",
            path,
            hint="accepted are .txt (one per line), .json (a list), .csv and .npy",
        )
    return clean_keys(readers[suffix](path, kind), kind, Place(path))


def clean_keys(values: Sequence[object], kind: KeyKind, place: Place) -> tuple[str, ...]:
    """Values as stripped text: 7 and 7.0 become "7". Each must be there, and only once.

    >>> clean_keys([" a ", 7, 8.0], CLIP_KEYS, Place())
    ('a', '7', '8')
    """
    keys = tuple(_as_text(value) for value in values)
    if "" in keys:
        raise InputError(
            f"row {keys.index('')} (counted from 0) has an empty {kind.noun}",
            place,
            hint=f"give every row its {kind.noun}",
        )
    if len(set(keys)) != len(keys):
        first_row: dict[str, int] = {}
        for row, key in enumerate(keys):
            if key in first_row:
                raise InputError(
                    f"rows {first_row[key]} and {row} (counted from 0) have the same {kind.noun} "
                    f"{quote(key)}",
                    place,
                    hint="keep one of them",
                )
            first_row[key] = row
    return keys


def _as_text(value: object) -> str:
    if isinstance(value, str):
        return value.strip()
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace").strip()
    if value is None or value != value:  # NaN stands where a number is missing
        return ""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value).strip()


def _from_txt(path: Path, kind: KeyKind) -> list[object]:
    return list(split_lines(read_data(path).decode().rstrip()))


def _from_json(path: Path, kind: KeyKind) -> list[object]:
    keys = parse_json(read_data(path).decode(), Place(path), hint="write a list")
    if not isinstance(keys, list) or not all(isinstance(key, str | int | float) for key in keys):
        raise InputError("is not a list of texts", path, hint='write ["first", "second", …]')
    return keys


def _from_csv(path: Path, kind: KeyKind) -> list[object]:
    rows = [row for _, row in read_csv_rows(read_data(path).decode(), path)]
    header = [name.strip().lower() for name in rows[0]] if rows else []
    column = next((header.index(name) for name in kind.columns if name in header), None)
    if column is None:
        raise InputError(
            f"has no column {' or '.join(kind.columns)}; its columns are "
            f"{', '.join(map(quote, header)) or 'none'}",
            Place(path, line=1),
            hint="write a header line",
        )
    return [row[column] if column < len(row) else "" for row in rows[1:]]


def _from_npy(path: Path, kind: KeyKind) -> list[object]:
    convert = "np.save(path, np.load(path, allow_pickle=True).astype(str))"
    with reading_array(path):
        array = read_npy(path, convert)
    if array.ndim != 1 or array.dtype.kind not in "USiu":
        raise InputError(
            f"holds {array.dtype} of shape {array.shape}, not a list of texts",
            path,
            hint=f"save the {kind.noun}s with np.save(path, np.array(list, dtype=str))",
        )
    return read_values(path, array)
