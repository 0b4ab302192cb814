"""Arrays from .npy and .npz files, without ever running a pickle."""

from __future__ import annotations

import lzma
import math
import re
import struct
import sys
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tokenize import TokenError
from typing import IO, Any, NoReturn

import numpy as np
import numpy.typing as npt

from engine.base.arrays import AnyFloats
from engine.base.errors import InputError, Place
from engine.base.messages import list_names, quote
from engine.files.budget import require_room
from engine.files.reading import guard_reading

_CONVERT_NPY = "np.save(path, np.stack(np.load(path, allow_pickle=True)).astype('float32'))"
_NPY_MAGIC = b"\x93NUMPY"
_PICKLE_MAGIC = b"\x80"
_LEFT_ON_DISK = 2**31
_MOST_MEMBERS = 10_000
"""Of an archive: to look through more takes many seconds."""
_AS_NPY = "store the vectors as .npy with an ids file"
_QUOTED = re.compile(r": ['\"({\[].*", re.DOTALL)
"""The bytes that numpy quotes when it cannot read them."""
_COPIES = 2
"""An array, and the bytes that it is read from."""
_AS_VALUES = 120
"""Bytes that an entry takes as a value of Python, and as a text of it."""
# What numpy raises for damaged files, and zipfile for broken, encrypted or foreign archives.
_NPY_ERRORS = (
    ValueError,
    OSError,
    EOFError,
    OverflowError,
    TypeError,
    SyntaxError,
    UnicodeError,
    RecursionError,
    TokenError,
)
_NPZ_ERRORS = (
    *(*_NPY_ERRORS, RuntimeError, KeyError),
    *(zipfile.BadZipFile, zlib.error, lzma.LZMAError, struct.error),
)


@contextmanager
def reading_array(path: Path) -> Iterator[None]:
    """Check that there is an array file to read; see `reading`."""
    with guard_reading(path) as size:
        if not size:
            raise InputError("the file is empty", path, hint="write it again")
        try:
            yield
        except MemoryError as error:
            hint = "store it as .npy, which is memory-mapped"
            raise InputError("does not fit in memory", path, hint=hint) from error


def read_npy(path: Path, convert: str = _CONVERT_NPY) -> npt.NDArray[Any]:
    """The array of an .npy file in memory, or left on disk if it is large.

    What is in memory stays as it was, whoever writes to the file meanwhile.
    """
    array = map_npy(path, convert)
    if array.nbytes > _LEFT_ON_DISK:
        return array
    require_room(array.nbytes, path)
    return check_texts(np.array(array), path)


def check_texts(array: npt.NDArray[Any], path: Path) -> npt.NDArray[Any]:
    """The array of a file, if its texts, should it have any, are made of characters.

    numpy keeps a text as numbers, and looks at them when it makes a value of Python.
    """
    if array.dtype.kind != "U" or not array.nbytes:
        return array
    codes = np.ascontiguousarray(array).reshape(-1).view(np.uint32)
    codes = codes if array.dtype.isnative else codes.byteswap()
    wrong = (codes > sys.maxunicode) | ((codes >= 0xD800) & (codes < 0xE000))
    if wrong.any():
        at = int(wrong.argmax())
        raise InputError(
            f"text {at // (array.dtype.itemsize // 4)} (counted from 0) holds {int(codes[at]):#x}, "
            "which is no character",
            path,
            hint="write it again",
        )
    return array


def read_values(path: Path, array: npt.NDArray[Any]) -> list[Any]:
    """The entries of an array of a file as values of Python, each of which takes much more room."""
    require_room(array.nbytes + _AS_VALUES * array.size, path)
    return check_texts(array, path).tolist()  # type: ignore[no-any-return]


def map_npy(path: Path, convert: str = _CONVERT_NPY) -> npt.NDArray[Any]:
    """The array of an .npy file, left on disk; whatever is wrong with it is an InputError.

    `convert` is how to make a file of pickled objects readable.
    """
    with path.open("rb") as file:
        start = file.read(len(_NPY_MAGIC))
    if start[:1] == _PICKLE_MAGIC:
        _refuse_pickle(path, convert)
    try:
        array = np.lib.format.open_memmap(path, mode="r")
        _refuse_empty_entries(array.shape, array.dtype)
        return array
    except _NPY_ERRORS as error:
        if isinstance(error, PermissionError):
            raise
        if "Python objects" in str(error):
            _refuse_pickle(path, convert)
        raise corrupt_file_error(path, "a whole .npy file", error) from error


class NpzArchive:
    """The arrays of an .npz file, by name, each checked when it is read.

    An archive may have thousands, of which one is wanted: the others are not opened.
    """

    def __init__(self, archive: zipfile.ZipFile, path: Path) -> None:
        names = archive.namelist()
        self.files = [name.removesuffix(".npy") for name in names]
        self._archive, self._path = archive, path
        self._members = {**dict(zip(self.files, names, strict=True)), **{n: n for n in names}}

    def __getitem__(self, name: str) -> npt.NDArray[Any] | bytes:
        """As numpy has it: what is no array is given as bytes."""
        member = self._archive.getinfo(self._members[name])
        require_room(_COPIES * member.file_size, self._path, hint=_AS_NPY)
        is_array = self.read_shape(name) is not None
        with self._archive.open(member) as file:
            if not is_array:
                return file.read()
            return np.lib.format.read_array(file, allow_pickle=False)

    def read_shape(self, name: str) -> tuple[int, ...] | None:
        """The shape of an array, by its header alone; None: it is no array."""
        member = self._archive.getinfo(self._members[name])
        with self._archive.open(member) as file:
            return _read_header(file, member)


@contextmanager
def open_npz(path: Path, convert: str) -> Iterator[NpzArchive]:
    """The archive; whatever goes wrong while it is read is an InputError.

    `convert` is how to make an archive with pickled objects readable.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            _check_members(archive, path)
            yield NpzArchive(archive, path)
    except _NPZ_ERRORS as error:
        if isinstance(error, PermissionError):
            raise
        if "Object arrays" in str(error):
            _refuse_pickle(path, convert)
        raise corrupt_file_error(path, "a whole .npz file", error) from error


def list_arrays(names: Iterable[str], limit: int = 12) -> str:
    """Names of arrays or columns for a message.

    >>> list_arrays(["a", "b", "c"], limit=2)
    "'a', 'b' and 1 more"
    """
    return list_names(map(quote, names), limit) or "nothing"


def _check_members(archive: zipfile.ZipFile, path: Path) -> None:
    """Refuse an archive of too many members, or of some that have no name."""
    members = [member for member in archive.infolist() if not member.filename.endswith("/")]
    if len(members) > _MOST_MEMBERS:
        hint = "store what belongs together as one array"
        raise InputError(f"has {len(members):,} members", path, hint=hint)
    if not all(member.filename for member in members):
        raise ValueError("a member has no name")


def _read_header(file: IO[bytes], member: zipfile.ZipInfo) -> tuple[int, ...] | None:
    """The shape of a member, None if it is no array; one that is larger than what is there of it is
    refused.

    numpy makes room for what a header promises before it looks what follows.
    """
    if file.read(len(_NPY_MAGIC)) != _NPY_MAGIC:
        return None
    major, _ = file.read(2)
    long = np.lib.format.read_array_header_2_0
    read = {1: np.lib.format.read_array_header_1_0, 2: long, 3: long}
    if major not in read:
        return ()  # numpy says which versions it knows
    shape, _, kind = read[major](file)
    _refuse_empty_entries(shape, kind)
    if not kind.hasobject and math.prod(shape) * kind.itemsize > member.file_size:
        raise ValueError(f"{member.filename} is shorter than its header says")
    return shape


def _refuse_empty_entries(shape: tuple[int, ...], kind: np.dtype[Any]) -> None:
    """Thousands of millions of entries without a byte each take no room, and for ever."""
    if not kind.itemsize and 0 not in shape:
        raise ValueError("its entries have no bytes")


def _refuse_pickle(path: Path, convert: str) -> NoReturn:
    raise InputError(
        "holds pickled Python objects, which can run code and are not read",
        path,
        hint=f"convert it once, where you trust it: {convert}",
    )


def corrupt_file_error(path: Path, wanted: str, error: Exception) -> InputError:
    """The error for a file that is not what its name says."""
    parsing = isinstance(error, TokenError | SyntaxError)
    reason = "its header is damaged" if parsing else _QUOTED.sub("", str(error))[:120]
    return InputError(f"is not {wanted} ({reason})", path, hint="write or copy it again")


def as_embeddings(array: npt.NDArray[Any], place: Place | None = None) -> AnyFloats:
    """The array as float32 or float64 rows, without a copy where it is that already."""
    if array.dtype.kind not in "fiu":
        raise InputError(f"holds {array.dtype}, not numbers", place, hint="save it as float32")
    if array.ndim != 2 or 0 in array.shape:
        raise InputError(
            f"has the shape {array.shape}; rows × dimensions is needed",
            place,
            hint="save a two-dimensional array, one row per item",
        )
    wide = array.dtype.kind in "iu" or array.dtype.itemsize > 4
    return np.ascontiguousarray(array, dtype=np.float64 if wide else np.float32)
