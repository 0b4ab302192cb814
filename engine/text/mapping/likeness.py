"""How near texts are to keywords by their vectors, in deviations of unrelated phrases."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Protocol

import numpy as np

from engine.base.arrays import Vectors
from engine.base.keyword import Keyword
from engine.files.array_file import ArrayFile
from engine.text import EMBEDDED

NULL = Path(__file__).with_name("unrelated.safetensors")
PHRASES = Path(__file__).with_name("unrelated.txt")

_SYNONYM = 0.9
"""What the nearness to a synonym counts, compared with that to the keyword itself."""


class VectorSource(Protocol):
    """What the mapper asks of an encoder."""

    @property
    def name(self) -> str: ...

    def encode(self, texts: Sequence[str]) -> Vectors: ...

    def encode_phrases(self, phrases: Sequence[str]) -> Vectors: ...


@dataclass(frozen=True, slots=True)
class NullDistribution:
    """Mean and covariance of the vectors of phrases that have nothing to do with any vocabulary."""

    mean: Vectors
    covariance: Vectors

    @classmethod
    def of(cls, vectors: Vectors) -> NullDistribution:
        unit = unit_rows(vectors)
        return cls(unit.mean(axis=0), np.cov(unit.T).astype(np.float32))


@lru_cache(maxsize=1)
def _shipped() -> NullDistribution:
    file = ArrayFile(NULL)
    return NullDistribution(file["mean"], file["covariance"])


def load_unrelated(encoder: VectorSource) -> NullDistribution:
    """For the embedded encoder as it was measured; for another the same phrases are encoded."""
    if encoder.name == EMBEDDED:
        return _shipped()
    return NullDistribution.of(encoder.encode(PHRASES.read_text(encoding="utf-8").splitlines()))


def unit_rows(vectors: Vectors) -> Vectors:
    norms = np.linalg.norm(vectors, axis=-1, keepdims=True)
    unit: Vectors = vectors / np.maximum(norms, 1e-12)
    return unit


class KeywordTexts:
    """Texts that stand for keywords: z = (cosine − mean) / deviation over unrelated phrases."""

    def __init__(self, vectors: Vectors, unrelated: NullDistribution) -> None:
        self._vectors = unit_rows(vectors)
        self._means = self._vectors @ unrelated.mean
        spread = np.einsum("ij,ij->i", self._vectors @ unrelated.covariance, self._vectors)
        self._deviations = np.sqrt(np.maximum(spread, 1e-9))

    def compare(self, vectors: Vectors) -> Vectors:
        """z of every text (row) with every keyword's text (column)."""
        z: Vectors = (unit_rows(vectors) @ self._vectors.T - self._means) / self._deviations
        return z


class KeywordVectors:
    """The keywords of a vocabulary as texts: "a video of …", "… (group)", and their synonyms.

    Of all ways that were tried to write a keyword, "a video of …" came nearest to queries that mean
    it in other words; with the group's name a word of two meanings takes the right one.
    """

    def __init__(
        self,
        keywords: Sequence[Keyword],
        synonyms: Sequence[Sequence[str]],
        encoder: VectorSource,
        unrelated: NullDistribution,
    ) -> None:
        shown = [f"a video of {_spell(keyword.name)}" for keyword in keywords]
        grouped = [f"{_spell(k.name)} ({_spell(k.group)})" for k in keywords]
        pairs = [(number, word) for number, words in enumerate(synonyms) for word in words]
        texts = [*shown, *grouped, *(f"a video of {word}" for _, word in pairs)]
        count = len(keywords)
        vectors = encoder.encode(texts).reshape(len(texts), len(unrelated.mean))
        self._shown = KeywordTexts(vectors[:count], unrelated)
        self._grouped = KeywordTexts(vectors[count : 2 * count], unrelated)
        self._synonyms = KeywordTexts(vectors[2 * count :], unrelated) if pairs else None
        self._owners = np.array([number for number, _ in pairs], np.int64)

    def compare(self, vectors: Vectors) -> Vectors:
        """z of every text with every keyword, or with the nearest of its synonyms."""
        z = self._shown.compare(vectors)
        if self._synonyms is not None:
            near = _SYNONYM * self._synonyms.compare(vectors)
            np.maximum.at(z.T, self._owners, near.T)
        return z

    def compare_in_group(self, vectors: Vectors) -> Vectors:
        """z of every text with every keyword and the name of its group."""
        return self._grouped.compare(vectors)


def _spell(name: str) -> str:
    return name.replace("_", " ").replace("/", " or ")
