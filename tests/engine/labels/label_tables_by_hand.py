"""Files of embeddings and labels, as users write them, and how they are refused."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from engine.base.errors import InputError
from engine.labels.data.label_files import LevelFile
from engine.labels.data.level import LabelLevel
from engine.labels.data.level_files import LevelTable, read_level

ROWS = 3


def refusal(call: Callable[[], object]) -> InputError:
    with pytest.raises(InputError) as caught:
        call()
    assert "\n" not in str(caught.value)
    return caught.value


def labels_of(level: LabelLevel) -> list[str]:
    return [level.names[code] for code in level.codes]


def read(path: Path, rows: int | None = ROWS, **given: Any) -> LevelTable:
    return read_level(LevelFile(given.pop("name", "label"), path, **given), rows)


def written(path: Path, text: str, encoding: str = "utf-8") -> Path:
    path.write_bytes(text.encode(encoding))
    return path


def saved(path: Path, *arrays: npt.ArrayLike, **named: npt.ArrayLike) -> Path:
    if path.suffix == ".npy":
        np.save(path, *arrays)
    else:
        np.savez(path, *arrays, **named)
    return path
