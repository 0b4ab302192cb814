"""The network of the embedded encoder: BERT, then the mean of the tokens' vectors.

A batch is one array of tokens, a row each, in which texts of the same length lie together. Most of
the work is the product of all rows with a layer's weights. Only attention looks from one token of
a text to the others, and does so for all texts of one length at once: there is no padding, nothing
to be masked, and a text's vector does not depend on its neighbours.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from engine.files.array_file import ArrayFile

Array = npt.NDArray[np.float32]

LAYERS = 6
HEADS = 12
DIMENSION = 384

_WORDS = "embeddings.word_embeddings.weight"

_HEAD = DIMENSION // HEADS
_EPSILON = np.float32(1e-12)
_SCALE = np.float32(_HEAD**-0.5)


@dataclass(frozen=True, slots=True)
class Dense:
    """x W + b."""

    weights: Array
    bias: Array

    @classmethod
    def read(cls, file: ArrayFile, name: str) -> Dense:
        return cls(file[f"{name}.weight"].T, file[f"{name}.bias"])

    def apply(self, rows: Array) -> Array:
        result: Array = rows @ self.weights
        result += self.bias
        return result


@dataclass(frozen=True, slots=True)
class LayerNorm:
    """Each row with mean 0 and variance 1, then scaled and shifted."""

    scale: Array
    shift: Array

    @classmethod
    def read(cls, file: ArrayFile, name: str) -> LayerNorm:
        return cls(file[f"{name}.weight"], file[f"{name}.bias"])

    def apply(self, rows: Array) -> Array:
        """The same array, changed in place."""
        rows -= rows.mean(axis=1, keepdims=True)
        variance = np.einsum("ij,ij->i", rows, rows) / np.float32(rows.shape[1])
        rows /= np.sqrt(variance + _EPSILON)[:, None]
        rows *= self.scale
        rows += self.shift
        return rows


@dataclass(frozen=True, slots=True)
class Layer:
    """Attention between the tokens of a text, then two dense layers for each token."""

    query: Dense
    key: Dense
    value: Dense
    attended: Dense
    attended_norm: LayerNorm
    widen: Dense
    narrow: Dense
    norm: LayerNorm

    @classmethod
    def read(cls, file: ArrayFile, name: str) -> Layer:
        attention, output = f"{name}.attention", f"{name}.output"
        return cls(
            query=Dense.read(file, f"{attention}.self.query"),
            key=Dense.read(file, f"{attention}.self.key"),
            value=Dense.read(file, f"{attention}.self.value"),
            attended=Dense.read(file, f"{attention}.output.dense"),
            attended_norm=LayerNorm.read(file, f"{attention}.output.LayerNorm"),
            widen=Dense.read(file, f"{name}.intermediate.dense"),
            narrow=Dense.read(file, f"{output}.dense"),
            norm=LayerNorm.read(file, f"{output}.LayerNorm"),
        )

    def apply(self, rows: Array, stretches: Sequence[Stretch]) -> Array:
        attended = self.attended.apply(self._attend(rows, stretches))
        attended += rows
        rows = self.attended_norm.apply(attended)
        wide = self.widen.apply(rows)
        apply_gelu(wide)
        result = self.narrow.apply(wide)
        result += rows
        return self.norm.apply(result)

    def _attend(self, rows: Array, stretches: Sequence[Stretch]) -> Array:
        """softmax(q kᵀ / √d) v, in every head of every text."""
        query, key, value = self.query.apply(rows), self.key.apply(rows), self.value.apply(rows)
        query *= _SCALE
        result = np.empty_like(rows)
        for stretch in stretches:
            weights = stretch.heads(query) @ stretch.heads(key).swapaxes(-1, -2)
            weights -= weights.max(axis=-1, keepdims=True)
            np.exp(weights, out=weights)
            weights /= weights.sum(axis=-1, keepdims=True)
            np.matmul(weights, stretch.heads(value), out=stretch.heads(result))
        return result


@dataclass(frozen=True, slots=True)
class Stretch:
    """Texts of the same length that follow each other in a batch."""

    begin: int
    texts: int
    length: int

    @property
    def end(self) -> int:
        return self.begin + self.texts * self.length

    def heads(self, rows: Array) -> Array:
        """A view of the stretch's rows: texts × heads × tokens × dimensions of a head."""
        split = rows[self.begin : self.end].reshape(self.texts, self.length, HEADS, _HEAD)
        return split.transpose(0, 2, 1, 3)


class Network:
    """From tokens to one vector of length 1 per text."""

    def __init__(self, file: ArrayFile) -> None:
        self._file = file
        self._words = file[_WORDS]
        # Every token is of the first type: sentences come alone, not in pairs.
        first_type = file["embeddings.token_type_embeddings.weight"][0]
        self._positions: Array = file["embeddings.position_embeddings.weight"] + first_type
        self._norm = LayerNorm.read(file, "embeddings.LayerNorm")
        self._layers = [Layer.read(file, f"encoder.layer.{number}") for number in range(LAYERS)]

    def encode(self, tokens: npt.NDArray[np.int64], lengths: npt.NDArray[np.int64]) -> Array:
        """One row per text. `tokens` of all texts follow each other, `lengths` says how many."""
        stretches = find_stretches(lengths)
        rows = self._words[tokens]
        rows += self._positions[np.concatenate([np.arange(length) for length in lengths])]
        rows = self._norm.apply(rows)
        for layer in self._layers:
            rows = layer.apply(rows, stretches)
        begins = np.cumsum(lengths) - lengths
        means: Array = np.add.reduceat(rows, begins)
        means /= lengths[:, None].astype(np.float32)
        means /= np.maximum(np.linalg.norm(means, axis=1, keepdims=True), _EPSILON)
        return means

    def forget_words(self) -> None:
        """Keep none of the vocabulary in memory: every text has other words, so that all of its
        47 MB would be there in the end, of which hardly anything is needed again soon."""
        self._file.give_back(_WORDS)


def find_stretches(lengths: npt.NDArray[np.int64]) -> list[Stretch]:
    """
    >>> find_stretches(np.array([5, 5, 3]))
    [Stretch(begin=0, texts=2, length=5), Stretch(begin=10, texts=1, length=3)]
    """
    stretches: list[Stretch] = []
    begin = 0
    for part in np.split(lengths, np.flatnonzero(np.diff(lengths)) + 1):
        stretches.append(Stretch(begin, len(part), int(part[0])))
        begin = stretches[-1].end
    return stretches


# erf(x) = x P(x²) / Q(x²) for |x| ≤ 4, beyond which it is ±1 in float32; within 3e-7 of the exact
# function. The coefficients are those of Eigen and XLA, highest power first.
_P = (
    *(-2.72614225801306e-10, 2.77068142495902e-08, -2.10102402082508e-06, -5.69250639462346e-05),
    *(-7.34990630326855e-04, -2.95459980854025e-03, -1.60960333262415e-02),
)
_Q = (
    *(-1.45660718464996e-05, -2.13374055278905e-04, -1.68282697438203e-03),
    *(-7.37332916720468e-03, -1.42647390514189e-02),
)
_BOUND = np.float32(4 * 2**0.5)


def _halve_argument(coefficients: tuple[float, ...], factor: float) -> list[np.float32]:
    """The coefficients of a polynomial in x² as those of one in x²/2, times a factor."""
    powers = range(len(coefficients) - 1, -1, -1)
    return [np.float32(c * factor / 2**p) for c, p in zip(coefficients, powers, strict=True)]


_GELU_P = _halve_argument(_P, 0.5 * 2**-0.5)
_GELU_Q = _halve_argument(_Q, 1.0)
_ROWS_AT_ONCE = 32  # with all that is computed of them, they stay in the processor's cache


def apply_gelu(rows: Array) -> None:
    """x Φ(x) = x (½ + ½ erf(x / √2)), in place.

    >>> values = np.array([[-1.0, 0.0, 1.0]], dtype=np.float32)
    >>> apply_gelu(values)
    >>> [round(float(value), 6) for value in values[0]]
    [-0.158655, 0.0, 0.841345]
    """
    for begin in range(0, len(rows), _ROWS_AT_ONCE):
        part = rows[begin : begin + _ROWS_AT_ONCE]
        bounded = np.minimum(part, _BOUND)
        np.maximum(bounded, -_BOUND, out=bounded)
        square = bounded * bounded
        share = _evaluate(_GELU_P, square)
        share *= bounded
        share /= _evaluate(_GELU_Q, square)
        share += np.float32(0.5)
        part *= share


def _evaluate(coefficients: Sequence[np.float32], values: Array) -> Array:
    """A polynomial, by Horner's rule."""
    result: Array = values * coefficients[0]
    for coefficient in coefficients[1:-1]:
        result += coefficient
        result *= values
    result += coefficients[-1]
    return result
