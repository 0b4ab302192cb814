"""Collection: the clips that are annotated and embedded, aligned row by row, with their index."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

import numpy as np
import numpy.typing as npt

from engine.base.caches import OnceCache
from engine.dataset.embeddings.read import Alignment, align_rows, read_embeddings
from engine.dataset.ground_truth import GroundTruth
from engine.dataset.model_spec import ModelSpec
from engine.files.input_file import FileSet
from engine.search import Index, build_index
from engine.text import EMBEDDED, EMBEDDED_DIMENSION


@dataclass(frozen=True, eq=False)
class Collection:
    """What is searched. Row i of `truth`, `vectors` and `index` is the same clip.

    other  the clips as they ask, where that is another modality than the one that is searched:
           row i is still the same clip, but no result is the query's own vector
    shared what makes the index, where another collection searches the same vectors
    files  those that the vectors were read from
    """

    model: ModelSpec
    truth: GroundTruth
    vectors: npt.NDArray[np.floating]
    alignment: Alignment
    other: npt.NDArray[np.floating] | None = None
    shared: Callable[[], Index] | None = None
    files: FileSet = field(default_factory=FileSet)
    _index: OnceCache[None, Index] = field(init=False, repr=False)

    @classmethod
    def open(cls, model: ModelSpec, truth: GroundTruth) -> Collection:
        embeddings = read_embeddings(
            model.embeddings, ids_path=model.ids, name=model.name, metric=model.metric
        )
        alignment = align_rows(embeddings, truth.ids)
        return cls(
            model=model,
            truth=truth.take(alignment.truth_rows),
            vectors=alignment.take(embeddings),
            alignment=alignment,
            files=embeddings.files,
        )

    def for_model(self, model: ModelSpec) -> Collection:
        """The same clips, vectors and index for a model that differs in its texts alone."""
        return replace(self, model=model, shared=self.shared or self._take_index)

    def _take_index(self) -> Index:
        return self.index

    def __len__(self) -> int:
        return len(self.truth)

    def __post_init__(self) -> None:
        # Not a cached_property: on some Pythons that has one lock for all collections, on others
        # none. And nothing that refers back to this: vectors are freed when nobody needs them, not
        # when the garbage collector finds a circle.
        build = self.shared or partial(
            build_index, self.vectors, self.model.metric, self.model.index
        )
        made: OnceCache[None, Index] = OnceCache(lambda _: build())
        object.__setattr__(self, "_index", made)

    @property
    def asking(self) -> npt.NDArray[np.floating]:
        """The clips' vectors as they ask."""
        return self.vectors if self.other is None else self.other

    @property
    def asks_itself(self) -> bool:
        """Whether clips ask with the vectors that are searched: then each finds itself first."""
        return self.other is None

    @property
    def index(self) -> Index:
        """What searches the clips, built when it is first asked for."""
        return self._index[None]

    @property
    def lacks_text_encoder(self) -> bool:
        """Whether no text can be asked: nothing but the embedded encoder is named, and its vectors
        are of another space. What another encoder makes is known only once it is loaded."""
        named = self.model.encoder != EMBEDDED or self.model.query_vectors is not None
        return not named and self.vectors.shape[1] != EMBEDDED_DIMENSION

    def check_unchanged(self) -> None:
        """Refuse to go on with embeddings that are mapped from a file which was written since.

        They are read from it as they are needed: what is written there now are other numbers, and
        where it has become shorter, reading would end the process. Those in memory stay as they
        were.
        """
        for file in self._mapped:
            self.files.check_unchanged(file)

    @property
    def _mapped(self) -> list[Path]:
        """The files that are read as they are needed."""
        files = [self.model.embeddings] if _is_mapped(self.vectors) else []
        if self.other is not None and self.model.asked is not None and _is_mapped(self.other):
            files.append(self.model.asked)
        return files


def _is_mapped(vectors: npt.NDArray[np.floating]) -> bool:
    """Whether an array, or what it is a view of, lies in a file."""
    array: object = vectors
    while isinstance(array, np.ndarray):
        if isinstance(array, np.memmap):
            return True
        array = array.base
    return False
