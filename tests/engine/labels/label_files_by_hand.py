"""Labelled embeddings in a folder, as a test wants them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from engine.labels.data.label_files import LabelFiles, LevelFile
from engine.labels.dataset import LabelDataset, build_label_dataset

ROOMS = ["Kitchen", "Bath", "Kitchen", "Hall", "Bath", "Kitchen"]
DAYS = [7, 7, 1, 1, 10, 10]


def vectors(rows: int, seed: int, width: int = 5) -> npt.NDArray[np.float32]:
    return np.random.default_rng(seed).standard_normal((rows, width)).astype(np.float32)


def label_files(
    folder: Path,
    rooms: Sequence[object] = ROOMS,
    days: Sequence[object] | None = DAYS,
    *,
    width_b: int = 5,
    **options: Any,
) -> LabelFiles:
    """A sensor and a text embedding of every item, with the room and the day as labels."""
    np.save(folder / "sensor.npy", vectors(len(rooms), 1))
    np.save(folder / "text.npy", vectors(len(rooms), 2, width_b))
    levels = [LevelFile("room", folder / "room.npy", named=True)]
    np.save(folder / "room.npy", np.array(rooms))
    if days is not None:
        levels.append(LevelFile("day", folder / "day.npy", named=True))
        np.save(folder / "day.npy", np.array(days))
    return LabelFiles(folder / "sensor.npy", tuple(levels), folder / "text.npy", **options)


def rooms_dataset(folder: Path, **options: Any) -> LabelDataset:
    """Six items in three rooms on three days."""
    return build_label_dataset(label_files(folder), **options)
