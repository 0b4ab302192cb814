"""Arrays that users hand over: from .npy, by their key from .npz, or as lists, tensors, columns."""

from __future__ import annotations

from collections.abc import Mapping, Set
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from engine.base.arrays import AnyFloats
from engine.base.errors import InputError, Place
from engine.base.messages import suggest
from engine.files.npy import (
    as_embeddings,
    check_texts,
    list_arrays,
    open_npz,
    read_npy,
    reading_array,
)
from engine.files.reader import reads
from engine.files.reading import name_kind

_CHECKED_ROWS = 8192


@reads("an array")
def read_array(
    path: Path, key: str | None, option: str, *, convert: str, preferred: str | None = None
) -> npt.NDArray[Any]:
    """The array of an .npy, or the one that `key` names in an .npz.

    A sole array needs no key; of several, the one called `preferred` is taken. `option` is how to
    give a key, `convert` an expression that makes an `array` of pickled objects a plain one.
    """
    suffix = path.suffix.lower()
    if suffix == ".npy":
        if key is not None:
            raise InputError(
                f"an .npy holds one array, and {option} {key} names one of several",
                Place(path),
                hint=f"leave {option} out",
            )
        with reading_array(path):
            loaded = "array = np.load(path, allow_pickle=True)"
            return read_npy(path, f"{loaded}; np.save(path, {convert})")
    if suffix != ".npz":
        raise InputError(
            f"cannot read an array from {name_kind(path)}",
            Place(path),
            hint="accepted are .npy and .npz",
        )
    with reading_array(path), open_npz(path, convert) as archive:
        name = _chosen(archive.files, key, preferred, option, path)
    with reading_array(path), open_npz(path, _converted_archive(name, convert)) as archive:
        array: npt.NDArray[Any] = np.asarray(archive[name])
    return check_texts(array, path)


def _converted_archive(name: str, convert: str) -> str:
    return (
        f"arrays = dict(np.load(path, allow_pickle=True)); array = arrays[{name!r}]; "
        f"arrays[{name!r}] = {convert}; np.savez(path, **arrays)"
    )


def _chosen(
    names: list[str], key: str | None, preferred: str | None, option: str, path: Path
) -> str:
    if key is None and preferred in names:
        key = preferred
    if key is None and len(names) == 1:
        return names[0]
    if key is None:
        raise InputError(
            f"holds {len(names)} arrays: {list_arrays(names)}" if names else "holds no array",
            Place(path),
            hint=f"say which with {option} NAME" if names else "write it again",
        )
    if key not in names:
        near = suggest(key, names)
        raise InputError(
            f"has no array {key!r}; it holds {list_arrays(names)}",
            Place(path),
            hint=near or f"say which with {option} NAME",
        )
    return key


def read_embeddings_array(path: Path, key: str | None, option: str) -> AnyFloats:
    """Embeddings from a file: rows × dimensions, of numbers. See `as_embeddings`."""
    convert = "np.stack(array).astype('float32')"
    return as_embeddings(read_array(path, key, option, convert=convert), Place(path))


def check_embeddings(vectors: AnyFloats, *, directions: bool, place: Place | None = None) -> None:
    """Refuse NaN, infinite and huge values, and zero vectors where `directions` are compared.

    Looks at a few thousand rows at a time, so that a mapped file is never loaded whole.
    """
    largest = float(np.finfo(np.float32).max)
    for start in range(0, len(vectors), _CHECKED_ROWS):
        block = np.asarray(vectors[start : start + _CHECKED_ROWS])
        fine = (np.abs(block) <= largest).all(axis=1)  # NaN is not
        if not fine.all():
            raise InputError(
                f"row {start + int(fine.argmin())} (counted from 0) has a value that is NaN, "
                "infinite or too large for float32",
                place,
                hint="encode it again, or leave the item out",
            )
        empty = ~block.any(axis=1)
        if directions and empty.any():
            raise InputError(
                f"row {start + int(empty.argmax())} (counted from 0) is all zeros, which has no "
                "direction and so no cosine",
                place,
                hint="leave the item out, or compare lengths too with --no-normalize",
            )


def as_plain(values: Any, what: str, place: Place | None = None) -> Any:
    """An array, or a list that becomes one: tensors and columns of tables are unwrapped.

    What has no order, or only one value, is an InputError.

    >>> as_plain((1, 2), "labels")
    (1, 2)
    """
    if callable(getattr(values, "detach", None)):  # a torch tensor, which need not be imported
        values = _of_tensor(values, what, place)
    elif callable(getattr(values, "to_numpy", None)):  # a column of pandas
        values = values.to_numpy()
    if isinstance(values, np.ma.MaskedArray):
        if np.ma.getmaskarray(values).any():
            raise InputError(f"{what} are masked in places", place, hint="leave those items out")
        values = values.data
    unordered = isinstance(values, str | bytes | Mapping | Set)
    if unordered or not (hasattr(values, "__len__") and hasattr(values, "__getitem__")):
        raise InputError(
            f"{what} are given as {type(values).__name__}",
            place,
            hint="give a list or an array with one entry per item",
        )
    return values


def as_matrix(values: Any, what: str, place: Place | None = None) -> np.ndarray[Any, Any]:
    """The same as an array."""
    try:
        return np.asarray(as_plain(values, what, place))
    except (ValueError, TypeError) as error:
        raise InputError(
            f"{what} are no array ({str(error)[:80]})",
            place,
            hint="give rows of equal length, as float32",
        ) from error


def _of_tensor(values: Any, what: str, place: Place | None) -> np.ndarray[Any, Any]:
    try:
        array: np.ndarray[Any, Any] = values.detach().cpu().numpy()
    except (TypeError, RuntimeError) as error:
        raise InputError(
            f"{what} are a tensor that numpy does not know ({str(error)[:80]})",
            place,
            hint="convert it with .float()",
        ) from error
    return array
