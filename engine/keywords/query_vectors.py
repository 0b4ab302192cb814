"""The vector of a query that is neither a text nor a clip alone."""

from __future__ import annotations

import numpy as np

from engine.base.arrays import Ints, Vectors
from engine.base.errors import InputError
from engine.dataset.collection import Collection
from engine.keywords.joint_query import mix_vectors
from engine.keywords.question import Question
from engine.keywords.searching import encode_texts
from engine.keywords.vector_query import VectorQuery
from engine.text.encoder import TextEncoder


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
