"""The vector of a query that is neither a text nor a clip alone."""

from __future__ import annotations

import math

import numpy as np

from engine.base.arrays import AnyFloats, Floats, Ints, Vectors
from engine.base.errors import InputError
from engine.dataset.collection import Collection
from engine.keywords.question import Question
from engine.keywords.searching import encode_texts
from engine.keywords.vector_query import VectorQuery
from engine.text.encoder import TextEncoder

_VANISHED = 1e-6
"""Shorter than this, a mixture of two unit vectors is what rounding left of it."""


def make_query_vector(
    question: Question, collection: Collection, rows: Ints | None, encoder: TextEncoder | None
) -> Vectors:
    """A text and a clip, mixed as they ask; or the vector that was given.

    rows     the row of the clip
    encoder  of the text
    """
    if question.vector is not None:
        return _check_given(VectorQuery(question.query, question.vector), collection)
    joint = question.joint
    if joint is None or rows is None or encoder is None:
        raise InputError(
            "the numbers of the vector are not known",
            hint="ask with tui-eval search --vector FILE",
        )
    encoder.check([joint.text])
    text = encode_texts(collection, encoder, [joint.text])[0]
    return mix_vectors(text, collection.asking[int(rows[0])], joint.alpha).astype(np.float32)


def _check_given(asked: VectorQuery, collection: Collection) -> Vectors:
    vector, own = asked.vector, collection.vectors.shape[1]
    if len(vector) != own:
        name = collection.model.name
        raise InputError(
            f"the vector {asked.name} has {len(vector)} dimensions, the embeddings of {name} "
            f"have {own}",
            hint="choose the --model whose space it is of",
        )
    return vector


def mix_vectors(text: AnyFloats, clip: AnyFloats, alpha: float) -> Floats:
    """normalise(α · normalise(text) + (1 − α) · normalise(clip)), whatever the similarity is.

    Unit vectors are mixed, so that α says what it says whatever lengths an encoder makes.

    >>> mix_vectors(np.array([2.0, 0.0]), np.array([0.0, 5.0]), 0.5).round(3).tolist()
    [0.707, 0.707]
    """
    mixed = alpha * _to_unit(text, "the text") + (1 - alpha) * _to_unit(clip, "the clip")
    length = math.sqrt(float(mixed @ mixed))
    if length < _VANISHED:
        raise InputError(
            "the vectors of the text and the clip are opposite: they cancel out",
            hint="give another --alpha",
        )
    unit: Floats = mixed / length
    return unit


def _to_unit(vector: AnyFloats, whose: str) -> Floats:
    wide = np.asarray(vector, np.float64)
    length = math.sqrt(float(wide @ wide))
    if not (math.isfinite(length) and length > 0):
        raise InputError(
            f"the vector of {whose} is all zeros or not finite: it has no direction",
            hint="ask with something else",
        )
    unit: Floats = wide / length
    return unit
