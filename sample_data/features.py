"""Frames → features, the way a one-layer convolution network sees them.

Small patches of training pictures, whitened and clustered, become filters; how strongly each filter
answers is averaged over a coarse grid. Nothing but pixels goes in: no label, no caption.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from sample_data.render import Frames

SEEN = (0, 4, 6, 10)
"""The frames that are looked at, out of twelve."""
MIDDLE = 2
"""Which of `SEEN` stands for the clip when only one may."""
PATCH, STRIDE = 6, 2
GRID = (5, 8)

Floats = NDArray[np.float32]


def glance(frames: Frames) -> Frames:
    """Half-size copies of the frames `SEEN`: (4, 45, 80, 3)."""
    chosen = frames if len(frames) == len(SEEN) else frames[list(SEEN)]
    count, high, wide, channels = chosen.shape
    blocks = chosen.reshape(count, high // 2, 2, wide // 2, 2, channels)
    small: Frames = np.rint(blocks.mean(axis=(2, 4))).astype(np.uint8)
    return small


def appearance(glances: Frames) -> Floats:
    """The middle frame in colour: (clips, 45, 80, 3)."""
    return glances[:, MIDDLE].astype(np.float32)


def motion(glances: Frames) -> Floats:
    """Grey differences of frames in a row as three channels: (clips, 45, 80, 3)."""
    grey = glances.astype(np.float32).mean(axis=-1)
    return np.moveaxis(np.diff(grey, axis=1), 1, -1)


@dataclass(frozen=True)
class View:
    """One way to look at clips, with how many filters to learn for it."""

    look: Callable[[Frames], Floats]
    filters: int
    faint: float
    """Patches are brought to one contrast, but those of less variance than this stay faint."""


APPEARANCE = View(appearance, filters=96, faint=10.0)
# Noise and rain make small differences everywhere: what moves for real makes large ones.
MOTION = View(motion, filters=128, faint=400.0)


def _patches(pictures: Floats, faint: float) -> Floats:
    """Every patch at the stride, flattened and brought to the same contrast."""
    windows = sliding_window_view(pictures, (PATCH, PATCH), axis=(1, 2))
    windows = windows[:, ::STRIDE, ::STRIDE]
    rows = windows.reshape(*windows.shape[:3], -1)
    return _even(rows, faint)


def _even(rows: Floats, faint: float) -> Floats:
    centred = rows - rows.mean(axis=-1, keepdims=True)
    even: Floats = centred / np.sqrt(centred.var(axis=-1, keepdims=True) + faint)
    return even


@dataclass(frozen=True)
class Filters:
    """What to look for: patches minus `centre`, times `bank`."""

    centre: Floats
    bank: Floats
    faint: float


def _clusters(points: Floats, count: int, rng: np.random.Generator, rounds: int = 12) -> Floats:
    """Directions around which the points gather (spherical k-means)."""
    centres = rng.normal(size=(count, points.shape[1])).astype(np.float32)
    centres /= np.linalg.norm(centres, axis=1, keepdims=True)
    for _ in range(rounds):
        strength = points @ centres.T
        own = strength.argmax(axis=1)
        pull = points * strength[np.arange(len(points)), own][:, None]
        order = np.argsort(own, kind="stable")
        present, first = np.unique(own[order], return_index=True)
        centres[present] = np.add.reduceat(pull[order], first, axis=0)
        centres /= np.linalg.norm(centres, axis=1, keepdims=True) + 1e-9
    return centres


def learn_filters(pictures: Floats, count: int, faint: float, seed: int = 0) -> Filters:
    """Filters from patches of random places in random pictures."""
    rng = np.random.default_rng(seed)
    samples = 60_000
    _, high, wide, _ = pictures.shape
    which = rng.integers(len(pictures), size=samples)
    top = rng.integers(high - PATCH + 1, size=samples)
    left = rng.integers(wide - PATCH + 1, size=samples)
    windows = sliding_window_view(pictures, (PATCH, PATCH), axis=(1, 2))
    rows = _even(windows[which, top, left].reshape(samples, -1), faint)
    centre = rows.mean(axis=0)
    spread, axes = np.linalg.eigh(np.cov((rows - centre).T))
    whiten = ((axes / np.sqrt(spread + 0.1)) @ axes.T).astype(np.float32)
    bank = whiten @ _clusters((rows - centre) @ whiten, count, rng).T
    return Filters(centre, bank, faint)


def responses(pictures: Floats, filters: Filters, threshold: float = 0.25) -> Floats:
    """Pooled answers of the filters, both signs: (clips, grid × filters × 2)."""
    parts = [
        _pooled(_patches(pictures[i : i + 32], filters.faint), filters, threshold)
        for i in range(0, len(pictures), 32)
    ]
    return np.concatenate(parts)


def _pooled(patches: Floats, filters: Filters, threshold: float) -> Floats:
    answer = (patches - filters.centre) @ filters.bank
    both = np.concatenate([answer - threshold, -answer - threshold], axis=-1)
    np.maximum(both, 0, out=both)
    for axis, cells in ((1, GRID[0]), (2, GRID[1])):
        edges = np.linspace(0, both.shape[axis], cells + 1).astype(int)
        sizes = np.diff(edges).astype(np.float32)
        shape = [-1 if i == axis else 1 for i in range(both.ndim)]
        both = np.add.reduceat(both, edges[:-1], axis=axis) / sizes.reshape(shape)
    return both.reshape(len(both), -1)
