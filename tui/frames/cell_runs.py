"""Runs of cells that share their two colours: a picture in as many bytes as the line allows.

A change of colours costs some thirty bytes, a cell within a run one to four. Neighbours are joined
where that adds least to the squared error, until the picture is small enough: the two colours of
each are four, and the best way to make two of them is found by trying all seven.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tui.frames.area import FloatPixels
from tui.frames.two_colours import ColourSums, measure_explained

_JOINS = ((np.arange(1, 8)[:, None] >> np.arange(4)) & 1).astype(np.float32)
"""(7, 4): which of four colours become the ink; the last one is never among them."""

_ROUNDS = 40

_TIE = 0.5
"""Squared error that nobody can tell from none."""


@dataclass(frozen=True, slots=True)
class CellRuns:
    """Cells of a picture, row by row, as runs.

    starts   (R,): the first cell of each run
    colours  what the runs' colours stand for
    """

    starts: npt.NDArray[np.intp]
    colours: ColourSums

    def __len__(self) -> int:
        return len(self.starts)

    def spread(self, cells: int) -> npt.NDArray[np.intp]:
        """(cells,): the run of each cell."""
        return np.repeat(np.arange(len(self)), np.diff(self.starts, append=cells))


def join_runs(cells: ColourSums, columns: int, most: int, free: float) -> CellRuns:
    """At most so many runs, if there can be so few, for cells in rows of `columns`.

    free  what joining may add to the squared error even where there is room
    """
    starts, counts, sums = np.arange(len(cells.counts)), cells.counts, cells.sums
    for _ in range(_ROUNDS):
        added, new_counts, new_sums = _try_joins(starts, counts, sums, columns)
        chosen = _choose_joins(added, len(starts) - most, free)
        if not chosen.any():
            break
        first = np.flatnonzero(chosen)
        counts[first], sums[first] = new_counts[first], new_sums[first]
        keep = np.append(True, ~chosen)
        starts, counts, sums = starts[keep], counts[keep], sums[keep]
    return CellRuns(starts, ColourSums(counts, sums))


def _try_joins(
    starts: npt.NDArray[np.intp],
    counts: npt.NDArray[np.float32],
    sums: FloatPixels,
    columns: int,
) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32], FloatPixels]:
    """What joining each run with the next adds to the squared error, and the two colours then."""
    four_counts = np.concatenate([counts[:-1], counts[1:]], axis=1)
    four_sums = np.concatenate([sums[:-1], sums[1:]], axis=1)
    ink_counts = four_counts @ _JOINS.T
    ink_sums = np.matmul(_JOINS, four_sums)
    all_counts, all_sums = four_counts.sum(axis=1), four_sums.sum(axis=1)
    ground_counts, ground_sums = all_counts[:, None] - ink_counts, all_sums[:, None] - ink_sums
    explained = measure_explained(ink_counts, ink_sums)
    explained += measure_explained(ground_counts, ground_sums)
    best, each = explained.argmax(axis=1), np.arange(len(explained))
    before = measure_explained(counts, sums).sum(axis=1)
    added = np.maximum(before[:-1] + before[1:] - explained[each, best], 0)
    added[starts[1:] % columns == 0] = np.inf  # the next run begins another line
    return (
        added,
        np.stack([ground_counts[each, best], ink_counts[each, best]], axis=1),
        np.stack([ground_sums[each, best], ink_sums[each, best]], axis=1),
    )


def _choose_joins(
    added: npt.NDArray[np.float32], excess: int, free: float
) -> npt.NDArray[np.bool_]:
    """Which runs are joined with their next: no two that overlap, the cheapest first."""
    # Where all cost the same, as in a plain sky, every second one is the lowest.
    ranked = added + np.float32(_TIE) * (np.arange(len(added)) % 2)
    around = np.concatenate([[np.inf], ranked, [np.inf]])
    lowest = (ranked < around[:-2]) & (ranked <= around[2:]) & np.isfinite(added)
    chosen = lowest & (added <= free)
    if excess > chosen.sum():
        # Half of what is left, so that what is dear now may turn out to be avoidable.
        wanted = min(int(lowest.sum()), max(1, (excess + 1) // 2))
        if wanted:
            limit = np.partition(added[lowest], wanted - 1)[wanted - 1]
            chosen |= lowest & (added <= limit)
    return chosen
