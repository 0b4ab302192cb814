"""What scripts hand over as arrays: lists, tensors, columns of tables."""

from __future__ import annotations

from collections.abc import Mapping, Set
from typing import Any

import numpy as np

from engine.base.errors import InputError, Place


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
