"""Columns of Arrow without pandas.

Arrow imports pandas whenever it converts to numpy, or takes a value of Python, which takes longer
than reading most files.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt


def view_numbers(array: Any) -> npt.NDArray[Any]:
    """The same memory as an array of numpy; there must be no gap in it.

    >>> import pyarrow
    >>> view_numbers(pyarrow.array([1, 2, 3])[1:])
    array([2, 3])
    """
    return np.from_dlpack(array) if len(array) else np.zeros(0, np.int64)


def fill_gaps(array: Any, value: object) -> Any:
    """The array with a value in its gaps.

    >>> import pyarrow
    >>> fill_gaps(pyarrow.array(["a", None]), "").to_pylist()
    ['a', '']
    """
    return array.fill_null(value) if array.null_count else array
