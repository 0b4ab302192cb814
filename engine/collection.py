"""Collection: the clips that are annotated and embedded, aligned row by row, with their index."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import numpy.typing as npt

from engine.dataset import ModelSpec
from engine.embeddings import Alignment, align, read_embeddings
from engine.errors import InputError, Place
from engine.groundtruth import GroundTruth
from engine.once import Once
from engine.search import Index, build_index


@dataclass(frozen=True, eq=False)
class Collection:
    """What is searched. Row i of `truth`, `vectors` and `index` is the same clip."""

    model: ModelSpec
    truth: GroundTruth
    vectors: npt.NDArray[np.float32]
    alignment: Alignment
    _index: Once[None, Index] = field(init=False, repr=False)
    _written: tuple[int, int] | None = field(init=False, repr=False)

    @classmethod
    def open(cls, model: ModelSpec, truth: GroundTruth) -> Collection:
        embeddings = read_embeddings(
            model.embeddings, ids_path=model.ids, name=model.name, metric=model.metric
        )
        alignment = align(embeddings, truth.ids)
        return cls(
            model=model,
            truth=truth.take(alignment.truth_rows),
            vectors=alignment.take(embeddings),
            alignment=alignment,
        )

    def __len__(self) -> int:
        return len(self.truth)

    def __post_init__(self) -> None:
        # Not a cached_property: on some Pythons that has one lock for all collections, on others
        # none.
        made: Once[None, Index] = Once(lambda _: build_index(self.vectors, self.model.metric))
        object.__setattr__(self, "_index", made)
        object.__setattr__(self, "_written", _written(self.model.embeddings))

    @property
    def index(self) -> Index:
        """What searches the clips, built when it is first asked for."""
        return self._index[None]

    def check_unchanged(self) -> None:
        """Refuse to go on with embeddings that are mapped from a file which was written since.

        They are read from it as they are needed: what is written there now are other numbers, and
        where it has become shorter, reading would end the process. Those in memory stay as they
        were.
        """
        if not _is_mapped(self.vectors):
            return
        now = _written(self.model.embeddings)
        if now is not None and now != self._written:
            raise InputError(
                "has changed since it was opened",
                Place(self.model.embeddings),
                hint="start again to read it anew",
            )


def _is_mapped(vectors: npt.NDArray[np.float32]) -> bool:
    """Whether an array, or what it is a view of, lies in a file."""
    array: object = vectors
    while isinstance(array, np.ndarray):
        if isinstance(array, np.memmap):
            return True
        array = array.base
    return False


def _written(file: Path) -> tuple[int, int] | None:
    """When the file was last written and how long it is; None: it is gone, and what was mapped
    of it stays as it was."""
    try:
        found = file.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size
