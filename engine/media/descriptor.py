"""How a clip looks, as numbers: where which colours are, which way edges run, what moves.

Nothing is learned and nothing is known of what is shown: two clips are alike here if their pictures
are, and for no other reason. That is what looks are held against meaning for.

Each frame is brought to 48 × 32 pixels by averaging areas, whatever its size and aspect ratio, and
seen in OKLab (L lightness from 0 to 1, a and b colour), where equal distances look equal. The
frame is laid out in 6 × 4 cells of 8 × 8 pixels, and the descriptor has three blocks:

    colours  24 × 3  of the mean colour of a cell over all frames: L − ½, a, b
    edges    24 × 8  √(mean over the cell and all frames of the gradient's length, shared between
                     the two nearest of eight directions, 22.5° apart; opposite ways are one)
    motion   24      √(mean over the cell of |L(next frame) − L(frame)|, over all pairs)

The mean colour of a cell is that of its pixels as they are stored, so that it does not matter
whether a decoder or we have made them smaller. A root keeps a few strong edges from being all that
counts. Every block is divided by the root of its number of cells, so that its length does not
depend on the layout. One frame has no motion.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

import numpy as np
import numpy.typing as npt

from engine.base.arrays import Floats, Vectors

DESCRIPTOR_VERSION: Final = 1
"""Of the formula and of the frames it is given: what was kept of another one is not used."""

COLUMNS: Final = 6
LINES: Final = 4
DIRECTIONS: Final = 8
_CELL: Final = 8  # pixels of a cell, each way
_WIDTH: Final = COLUMNS * _CELL
_HEIGHT: Final = LINES * _CELL
_CELLS: Final = COLUMNS * LINES

COLOUR_BLOCK: Final = slice(0, 3 * _CELLS)
EDGE_BLOCK: Final = slice(COLOUR_BLOCK.stop, COLOUR_BLOCK.stop + DIRECTIONS * _CELLS)
MOTION_BLOCK: Final = slice(EDGE_BLOCK.stop, EDGE_BLOCK.stop + _CELLS)
DESCRIPTOR_BLOCKS: Final = (COLOUR_BLOCK, EDGE_BLOCK, MOTION_BLOCK)
DESCRIPTOR_SIZE: Final = MOTION_BLOCK.stop

_FLAT: Final = 1e-6
"""A block that differs less than this from clip to clip does not differ: it is rounding."""

_NO_EDGE: Final = 1e-9
"""A gradient this small is rounding, which the root would make large."""

# OKLab (Björn Ottosson, 2020): linear sRGB to the responses of three cones, their cube roots to L,
# a and b.
_TO_CONES: Final = np.array(
    [
        [0.4122214708, 0.5363325363, 0.0514459929],
        [0.2119034982, 0.6806995451, 0.1073969566],
        [0.0883024619, 0.2817188376, 0.6299787005],
    ]
)
_TO_LAB: Final = np.array(
    [
        [0.2104542553, 0.7936177850, -0.0040720468],
        [1.9779984951, -2.4285922050, 0.4505937099],
        [0.0259040371, 0.7827717662, -0.8086757660],
    ]
)


def describe_frames(frames: npt.NDArray[np.uint8]) -> Vectors:
    """The descriptor of frames (n, height, width, 3): 288 numbers, whatever n and the size.

    >>> still = np.full((5, 90, 160, 3), 200, np.uint8)
    >>> described = describe_frames(still)
    >>> described.shape, bool(described[COLOUR_BLOCK.stop :].any())
    ((288,), False)
    >>> bool(np.allclose(described, describe_frames(still[:1, :36, :64]), atol=1e-6))
    True
    """
    if frames.ndim != 4 or frames.shape[-1] != 3 or 0 in frames.shape:
        raise ValueError(f"frames are (n, height, width, 3), not {frames.shape}")
    stored = np.stack([_average_areas(frame) for frame in frames])
    lightness = convert_to_oklab(stored)[..., 0]
    blocks = [part.ravel() for part in (_colours(stored), _edges(lightness), _motion(lightness))]
    return np.asarray(np.concatenate(blocks) / np.sqrt(_CELLS), np.float32)


def standardise_descriptors(descriptors: Vectors) -> Vectors:
    """Rows of length 1 whose dot product says how alike two clips look, among these.

    What all of them share (sky above, road below) would make every pair alike. So the mean of these
    descriptors is taken away, each block is divided by its root mean square length, which lets the
    three count the same, and then each row by its own length. A block in which they do not differ
    is zero, and so is a row that is the mean.

    >>> one, other = np.zeros((2, DESCRIPTOR_SIZE), np.float32)
    >>> other[0] = 1.0
    >>> rows = standardise_descriptors(np.stack([one, one, other, other]))
    >>> (rows @ rows[0]).tolist()
    [1.0, 1.0, -1.0, -1.0]
    """
    rows = descriptors.astype(np.float32)
    if not len(rows):
        return rows
    rows -= rows.mean(axis=0, dtype=np.float64).astype(np.float32)
    for block in DESCRIPTOR_BLOCKS:
        length = float(np.sqrt(np.mean(_squared_lengths(rows[:, block]))))
        rows[:, block] *= 1.0 / length if length > _FLAT else 0.0
    lengths = np.sqrt(_squared_lengths(rows))[:, None]
    return np.divide(rows, lengths, out=np.zeros_like(rows), where=lengths > _FLAT)


def convert_to_oklab(stored: npt.NDArray[np.floating]) -> Floats:
    """L, a and b of sRGB colours from 0 to 255.

    >>> white, red = convert_to_oklab(np.array([[255.0, 255, 255], [255, 0, 0]])).round(3)
    >>> (white + 0.0).tolist(), red.tolist()
    ([1.0, 0.0, 0.0], [0.628, 0.225, 0.126])
    """
    share = np.asarray(stored, np.float64) / 255.0
    linear = np.where(share <= 0.04045, share / 12.92, ((share + 0.055) / 1.055) ** 2.4)
    return np.asarray(np.cbrt(linear @ _TO_CONES.T) @ _TO_LAB.T)


def _colours(stored: Floats) -> Floats:
    return convert_to_oklab(_average_cells(stored.mean(axis=0))) - (0.5, 0.0, 0.0)


def _edges(lightness: Floats) -> Floats:
    down, across = np.gradient(lightness, axis=(1, 2))
    length = np.hypot(down, across)
    length[length < _NO_EDGE] = 0.0
    place = np.mod(np.arctan2(down, across), np.pi) * (DIRECTIONS / np.pi)
    lower = np.floor(place)
    upper_share = place - lower
    first = lower.astype(np.intp) % DIRECTIONS  # rounding may have made it π, which is 0
    shares = np.zeros((*lightness.shape, DIRECTIONS))
    for direction, share in ((first, 1.0 - upper_share), ((first + 1) % DIRECTIONS, upper_share)):
        np.put_along_axis(shares, direction[..., None], (length * share)[..., None], axis=-1)
    return np.sqrt(_average_cells(shares.mean(axis=0)))


def _motion(lightness: Floats) -> Floats:
    if len(lightness) < 2:
        return np.zeros((LINES, COLUMNS))
    change = np.abs(np.diff(lightness, axis=0)).mean(axis=0)
    return np.sqrt(_average_cells(change))


def _average_cells(picture: Floats) -> Floats:
    """The mean of each cell of (height, width, …)."""
    cells = picture.reshape(LINES, _CELL, COLUMNS, _CELL, *picture.shape[2:])
    return np.asarray(cells.mean(axis=(1, 3)))


def _average_areas(frame: npt.NDArray[np.uint8]) -> Floats:
    """A frame at the one size that is looked at; a pixel on a border counts for both sides, by
    what lies on each."""
    height, width, _ = frame.shape
    lines = np.tensordot(_share_out(height, _HEIGHT), frame.astype(np.float64), axes=(1, 0))
    return np.asarray(np.tensordot(lines, _share_out(width, _WIDTH), axes=(1, 1)).swapaxes(1, 2))


@lru_cache(maxsize=64)
def _share_out(pixels: int, parts: int) -> Floats:
    """Row i: which share each of the pixels has in the i-th of so many equal parts of a line."""
    starts = np.arange(parts)[:, None] * (pixels / parts)
    ends = starts + pixels / parts
    left = np.arange(pixels)[None, :]
    overlap = np.clip(np.minimum(ends, left + 1) - np.maximum(starts, left), 0.0, None)
    return np.asarray(overlap / overlap.sum(axis=1, keepdims=True))


def _squared_lengths(rows: Vectors) -> Floats:
    return np.asarray(np.einsum("ij,ij->i", rows, rows, dtype=np.float64))
