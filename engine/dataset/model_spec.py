"""ModelSpec: one embedding set of a dataset, before it is read."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from pathlib import Path

from engine.base.similarity import Similarity
from engine.text import EMBEDDED


@dataclass(frozen=True, slots=True)
class ModelSpec:
    """One embedding set: its files, its similarity, and what encodes text into its space.

    asked  the embeddings with which clips ask, where those are others than the ones searched
    index  the kind of index that searches; see `engine.search`
    remedy what to do where the encoder's texts do not fit the embeddings
    """

    name: str
    embeddings: Path
    ids: Path | None = None
    metric: Similarity = "cosine"
    encoder: str = EMBEDDED
    query_vectors: Path | None = None
    description: str = ""
    asked: Path | None = None
    index: str = "faiss"
    remedy: str = (
        "name the model's own text encoder (--encoder FOLDER), give --query-vectors FILE, or "
        "evaluate --mode video"
    )

    @property
    def files(self) -> dict[str, Path]:
        named = {
            "embeddings": self.embeddings,
            "ids": self.ids,
            "query_vectors": self.query_vectors,
            "asked": self.asked,
        }
        return {role: path for role, path in named.items() if path is not None}

    @property
    def searched(self) -> Hashable:
        """What is searched, and how: models of which this is the same need their files read once.

        >>> one, two = ModelSpec("a", Path("a.npy")), ModelSpec("b", Path("a.npy"), encoder="clip")
        >>> one.searched == two.searched
        True
        """
        return self.embeddings, self.ids, self.metric, self.asked, self.index


def collect_model_files(models: Sequence[ModelSpec]) -> dict[str, Path]:
    """The files of models by role; those of several also say whose they are.

    >>> two = ModelSpec("a", Path("a.npy")), ModelSpec("b", Path("b.npy"))
    >>> list(collect_model_files(two)), list(collect_model_files(two[:1]))
    (['embeddings of a', 'embeddings of b'], ['embeddings'])
    """
    several = len(models) > 1
    return {
        f"{role} of {model.name}" if several else role: path
        for model in models
        for role, path in model.files.items()
    }
