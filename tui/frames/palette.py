"""The 256 colours of a terminal: which of them is nearest to a colour."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from rich.color import Color, ColorSystem

Rgb: TypeAlias = tuple[int, int, int]

_LIGHT = np.array([0.30, 0.59, 0.11])


def find_nearest_of_256(rgb: Sequence[int]) -> Color:
    """The colour that Rich turns into the nearest one of the terminal's palette.

    Rich's own way there is made for text: it turns dark tones into loud ones and light greys too
    dark. So the nearest of the palette is chosen here, and passed in a form that Rich maps on it.

    >>> find_nearest_of_256((16, 20, 40)).downgrade(ColorSystem.EIGHT_BIT).get_truecolor()
    ColorTriplet(red=18, green=18, blue=18)
    """
    palette, spoken = _palette()
    return spoken[int(_measure_distance(np.array(rgb)[None], palette).argmin())]


def quantise(colours: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    """Each colour (..., 3) as the terminal's palette shows it.

    >>> quantise(np.float32([[16, 20, 40]])).tolist()
    [[18.0, 18.0, 18.0]]
    """
    palette, _ = _palette()
    flat = colours.reshape(-1, 3)
    nearest = _measure_distance(flat, palette).argmin(axis=1)
    shown: npt.NDArray[np.float32] = palette[nearest].astype(np.float32).reshape(colours.shape)
    return shown


def _measure_distance(
    colours: npt.NDArray[Any], palette: npt.NDArray[np.int64]
) -> npt.NDArray[np.float64]:
    """(colours, palette): with less weight on the hue, every dark or pale colour becomes a grey."""
    # 3·light² + 2·|away - light|² as one sum of squares: a turn of the axes, made once.
    away = (colours @ _AXES)[:, None, :] - (palette @ _AXES)[None, :, :]
    distance: npt.NDArray[np.float64] = np.square(away).sum(axis=2)
    return distance


def _make_axes() -> npt.NDArray[np.float64]:
    """A matrix A with |vA|² = 3·light(v)² + 2·|v - light(v)|²."""
    hue = np.eye(3) - _LIGHT[:, None]
    return np.linalg.cholesky(3 * np.outer(_LIGHT, _LIGHT) + 2 * hue @ hue.T)


_AXES = _make_axes()


@cache
def _palette() -> tuple[npt.NDArray[np.int64], list[Color]]:
    """The 240 fixed colours as numbers, and for each a true colour that Rich turns into it."""
    fixed = [Color.from_ansi(number) for number in range(16, 256)]
    numbers = np.array([colour.get_truecolor() for colour in fixed])
    candidates = [*map(tuple, numbers.tolist()), *((grey,) * 3 for grey in range(256))]
    turned = {
        Color.from_rgb(*rgb).downgrade(ColorSystem.EIGHT_BIT).number: Color.from_rgb(*rgb)
        for rgb in reversed(candidates)
    }
    known = [place for place, colour in enumerate(fixed) if colour.number in turned]
    return numbers[known], [turned[fixed[place].number] for place in known]
