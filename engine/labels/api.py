"""Label Score@K of arrays, in a call: what scripts and notebooks use."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from engine.base.arrays import AnyFloats
from engine.base.errors import InputError, Place
from engine.files.npy import as_embeddings
from engine.labels.data.array_files import as_matrix, as_plain, check_embeddings
from engine.labels.data.directions import Direction, Modalities
from engine.labels.data.label_files import LABEL
from engine.labels.data.labelled_items import LabelledItems
from engine.labels.data.level import LabelLevel
from engine.labels.printing import show_progress
from engine.labels.prototypes.match_labels import match_prototypes
from engine.labels.prototypes.prototypes import Pooling, Prototypes
from engine.labels.scoring.label_run import MeansByDirection, score_labels

K_VALUES = (10, 50, 100)


def compute_label_recall_at_k(
    sensor_embeddings: npt.ArrayLike | None,
    text_embeddings: npt.ArrayLike | None,
    labels: Sequence[object] | npt.NDArray[Any],
    k_values: Sequence[int] = K_VALUES,
    directions: Sequence[str] | None = None,
    normalize: bool = True,
    verbose: bool = False,
) -> MeansByDirection:
    """LabelScore@K = same-label results among the first K, / K, averaged over all queries.

    Row i of both arrays and of `labels` is one item. Directions are text2sensor and sensor2text
    (the defaults), sensor2sensor and text2text, in which an item never finds itself. `normalize`
    compares by cosine, otherwise by inner product. Equal scores stand by row; the denominator
    stays K where there are fewer items. `verbose` reports on stderr what is done.

    >>> sensor = [[1, 0], [0.9, 0.1], [0, 1]]
    >>> text = [[1, 0.1], [1, 0.2], [0.1, 1]]
    >>> results = compute_label_recall_at_k(sensor, text, ["walk", "walk", "cook"], k_values=[1, 2])
    >>> results["text2sensor"][1], results["text2sensor"][2]
    (1.0, 0.8333333333333334)
    """
    data = _labelled(sensor_embeddings, text_embeddings, labels, normalize)
    chosen = _choose_directions(data, directions)
    with show_progress(verbose, data) as report:
        return score_labels(data, chosen, _cutoffs(k_values), report=report).results()


def compute_prototype_retrieval_metrics(
    prototype_embeddings: npt.ArrayLike,
    prototype_labels: Sequence[object] | npt.NDArray[Any],
    sensor_embeddings: npt.ArrayLike | None = None,
    text_embeddings: npt.ArrayLike | None = None,
    target_labels: Sequence[object] | npt.NDArray[Any] = (),
    k_values: Sequence[int] = K_VALUES,
    directions: Sequence[str] | None = None,
    normalize: bool = True,
    verbose: bool = False,
    pooling: Pooling = "mean",
) -> MeansByDirection:
    """Label Score@K where the queries stand for labels, averaged over the prototypes.

    Row i of `prototype_embeddings` stands for prototype_labels[i]. Several rows of one label are
    averaged ("mean"), count by the best of them ("max"), or are queries of their own ("each").
    Directions are prototype2sensor and prototype2text, as far as there are embeddings.

    >>> results = compute_prototype_retrieval_metrics(
    ...     [[1, 0], [0, 1]], ["walk", "cook"], sensor_embeddings=[[1, 0], [0.9, 0.1], [0, 1]],
    ...     target_labels=["walk", "walk", "cook"], k_values=[1],
    ... )
    >>> results["prototype2sensor"][1]
    1.0
    """
    data = _labelled(sensor_embeddings, text_embeddings, target_labels, normalize)
    vectors = _vectors(prototype_embeddings, Place("prototype_embeddings"), normalize)
    named = LabelLevel.of(LABEL, prototype_labels, Place("prototype_labels"))
    texts = tuple(named.names[code] for code in named.codes)
    prototypes = Prototypes(texts, vectors, None, "prototype_embeddings")
    chosen = _choose_directions(data, directions, has_prototypes=True)
    targets = {direction.targets for direction in chosen if direction.is_prototype}
    matched = match_prototypes(data, prototypes, pooling=pooling, targets=targets)
    with show_progress(verbose, data) as report:
        run = score_labels(data, chosen, _cutoffs(k_values), prototypes=matched, report=report)
    return run.results()


def _labelled(
    sensor: npt.ArrayLike | None,
    text: npt.ArrayLike | None,
    labels: Sequence[object] | npt.NDArray[Any],
    normalize: bool,
) -> LabelledItems:
    level = LabelLevel.of(LABEL, labels, Place("labels"))
    given = {"sensor": sensor, "text": text}
    vectors = {}
    for name, array in given.items():
        if array is not None:
            place = Place(f"{name}_embeddings")
            vectors[name] = _vectors(array, place, normalize)
            if len(vectors[name]) != len(level):
                raise InputError(
                    f"{len(vectors[name]):,} rows for {len(level):,} labels",
                    place,
                    hint="row i is item i in both",
                )
    if not vectors:
        raise InputError("there are no embeddings", hint="give sensor_embeddings=…")
    ids = tuple(map(str, range(len(level))))
    return LabelledItems(vectors, (level,), ids, "cosine" if normalize else "ip")


def _vectors(array: npt.ArrayLike, place: Place, normalize: bool) -> AnyFloats:
    vectors = as_embeddings(as_matrix(array, "embeddings", place), place)
    check_embeddings(vectors, directions=normalize, place=place)
    return vectors


def _choose_directions(
    data: LabelledItems, names: Sequence[str] | None, has_prototypes: bool = False
) -> tuple[Direction, ...]:
    """Those that are named, a single one may stand alone; or the defaults."""
    there = Modalities(
        has_a="sensor" in data.vectors,
        has_b="text" in data.vectors,
        has_prototypes=has_prototypes,
    )
    one = [names] if isinstance(names, str) else names
    return there.choose(None if one is None else list(map(str, one)))


def _cutoffs(k_values: Any) -> list[Any]:
    """The K as a list; a single one may stand alone."""
    if isinstance(k_values, int | np.integer):
        return [k_values]
    return list(as_plain(k_values, "k_values", Place("k_values")))
