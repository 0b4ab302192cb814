"""Prototypes: vectors that stand for labels, encoded from texts or read from a file.

>>> class Lengths:
...     def encode(self, texts):
...         return [[len(text), 1.0] for text in texts]
>>> found = encode_prototypes({"Sleep": ["zz", "zzzz"], "Eat": "yum"}, Lengths(), normalize=False)
>>> found.labels, found.vectors.tolist()
(('Sleep', 'Sleep', 'Eat'), [[2.0, 1.0], [4.0, 1.0], [3.0, 1.0]])
>>> pool_prototypes(found, "mean", normalize=False).vectors.tolist()
[[3.0, 1.0], [3.0, 1.0]]
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
import numpy.typing as npt

from engine.base.arrays import AnyFloats
from engine.base.errors import InputError, Place
from engine.base.messages import quote
from engine.files.npy import as_embeddings, open_npz, reading_array
from engine.files.reader import reads
from engine.labels.data.array_files import check_embeddings, read_array
from engine.labels.data.label_files import LABEL, LevelFile
from engine.labels.data.level_files import read_level
from engine.labels.prototypes.metadata import LabelTexts, list_labels_and_texts
from engine.text.vector_checks import normalise_rows, require_vectors

Pooling: TypeAlias = Literal["mean", "max", "each"]
POOLINGS: tuple[Pooling, ...] = get_args(Pooling)

_VANISHED = 1e-6  # of the length of its rows: what rounding leaves of opposite vectors is less


@dataclass(frozen=True, eq=False)
class Prototypes:
    """Row i of `vectors` stands for labels[i]; a label may have several rows.

    `texts` are what the rows were encoded from, where that is known; `source` names the encoder
    or the file.
    """

    labels: tuple[str, ...]
    vectors: AnyFloats
    texts: tuple[str, ...] | None
    source: str

    def __post_init__(self) -> None:
        place = Place(self.source or None)
        object.__setattr__(self, "vectors", as_embeddings(self.vectors, place))
        for what, names in (("labels", self.labels), ("texts", self.texts)):
            if names is not None and len(names) != len(self.vectors):
                raise InputError(
                    f"{len(names)} {what} for {len(self.vectors)} rows of prototypes", place
                )
        check_embeddings(self.vectors, directions=False, place=place)

    def __len__(self) -> int:
        return len(self.labels)


@dataclass(frozen=True, eq=False)
class PrototypeQueries:
    """Query i stands for labels[i] and is rows starts[i]:starts[i + 1] of `vectors`.

    A query of several rows ranks an item by the best of them.
    """

    labels: tuple[str, ...]
    vectors: AnyFloats
    starts: npt.NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.labels)


@dataclass(frozen=True, slots=True)
class PrototypeSet:
    """Prototypes as queries, the level whose labels they stand for, and what each is called.

    notes  what a reader must know of them
    """

    queries: PrototypeQueries
    level: str
    names: tuple[str, ...]
    notes: tuple[str, ...] = ()


def encode_text_prototypes(
    label_to_text: LabelTexts,
    text_encoder: Any = None,
    device: Any = None,
    normalize: bool = True,
) -> tuple[AnyFloats, list[str]]:
    """Embeddings (texts × dimensions) and the label of every row.

    `text_encoder` is anything with `encode_texts_clip(texts, device)` or `encode(texts)` that gives
    an array or a torch tensor; without one, the embedded model, which ends afterwards. `device`
    is for `encode_texts_clip` alone. `normalize` makes the length of every row 1.
    """
    found = encode_prototypes(label_to_text, text_encoder, device, normalize)
    return found.vectors, list(found.labels)


def encode_prototypes(
    label_to_text: LabelTexts,
    text_encoder: Any = None,
    device: Any = None,
    normalize: bool = True,
) -> Prototypes:
    """What `encode_text_prototypes` does, with the texts and the encoder's name."""
    labels, texts = list_labels_and_texts(label_to_text)
    if text_encoder is None:
        from engine.text.opening import open_encoder

        with open_encoder() as embedded:
            return encode_prototypes(label_to_text, embedded, device, normalize)
    vectors = require_vectors(_encode(text_encoder, texts, device), texts)
    if normalize:
        vectors = normalise_rows(vectors, labels, Place())
    source = getattr(text_encoder, "name", type(text_encoder).__name__)
    return Prototypes(tuple(labels), vectors, tuple(texts), str(source))


def _encode(encoder: Any, texts: list[str], device: Any) -> Any:
    """Prefers the method whose vectors lie in the space that is shared with the items."""
    if callable(getattr(encoder, "encode_texts_clip", None)):
        return encoder.encode_texts_clip(texts, "cpu" if device is None else device)
    if callable(getattr(encoder, "encode", None)):
        return encoder.encode(texts)
    raise InputError(
        f"a {type(encoder).__name__} is no text encoder",
        hint="give an object with encode(texts) or encode_texts_clip(texts, device)",
    )


def pool_prototypes(
    prototypes: Prototypes, pooling: Pooling = "mean", *, normalize: bool = True
) -> PrototypeQueries:
    """Prototypes as queries; labels are in the order of their first appearance.

    mean  one query per label: the mean of its rows, each of length 1 if `normalize`
    max   one query per label: all its rows, of which the best counts
    each  every row is a query
    """
    if pooling not in POOLINGS:
        raise InputError(f"no pooling {pooling!r}", hint=f"choose one of {', '.join(POOLINGS)}")
    if pooling == "each":
        starts = np.arange(len(prototypes) + 1, dtype=np.int64)
        return PrototypeQueries(prototypes.labels, prototypes.vectors, starts)
    rows_of = _rows_by_label(prototypes.labels)
    if pooling == "max":
        order = np.concatenate(list(rows_of.values()))
        starts = np.cumsum([0, *map(len, rows_of.values())], dtype=np.int64)
        return PrototypeQueries(tuple(rows_of), prototypes.vectors[order], starts)
    vectors: AnyFloats = prototypes.vectors.astype(np.float64)
    if normalize:
        vectors = normalise_rows(vectors, prototypes.labels, Place(prototypes.source or None))
    means = [_mean(label, vectors[rows], prototypes.source) for label, rows in rows_of.items()]
    starts = np.arange(len(rows_of) + 1, dtype=np.int64)
    return PrototypeQueries(tuple(rows_of), np.stack(means), starts)


def _rows_by_label(labels: Sequence[str]) -> dict[str, list[int]]:
    rows: dict[str, list[int]] = {}
    for row, label in enumerate(labels):
        rows.setdefault(label, []).append(row)
    return rows


def _mean(label: str, rows: AnyFloats, source: str) -> AnyFloats:
    mean: AnyFloats = rows.mean(axis=0)
    if np.abs(mean).max() <= _VANISHED * np.abs(rows).max():
        raise InputError(
            f"the {len(rows)} prototypes of {quote(label)} cancel out: their mean is zero",
            Place(source or None),
            hint="pool with max or each, or reword the texts",
        )
    return mean


PROTOTYPE_KEY_OPTION = "--prototype-key"
PROTOTYPE_LABELS_KEY_OPTION = "--prototype-labels-key"
PROTOTYPE_ARRAYS = ("prototypes", "prototype_embeddings", "embeddings", "vectors")
LABELS_ARRAY = "labels"

_CONVERT = "np.stack(array).astype('float32')"


_Named: TypeAlias = tuple[tuple[str, ...], tuple[str, ...] | None]
"""The label of every row, and its text where that is known."""


def read_prototype_embeddings(
    path: Path,
    *,
    key: str | None = None,
    labels_path: Path | None = None,
    labels_key: str | None = None,
    label_to_text: LabelTexts | None = None,
) -> Prototypes:
    """Vectors of prototypes, and the label of every row from the first of these that is there:

    1. `labels_path` (.npy, .npz, .csv, .tsv, .txt; `labels_key` is its array or column),
    2. the array `labels_key`, or else `labels`, of the same .npz,
    3. `label_to_text`, in its order: one row per text, or one row per label.
    """
    names = _array_names(path)
    array = read_array(
        path, _vectors_key(names, key, labels_key), PROTOTYPE_KEY_OPTION, convert=_CONVERT
    )
    vectors = as_embeddings(array, Place(path))
    labels, texts = _named(path, len(vectors), names, labels_path, labels_key, label_to_text)
    return Prototypes(labels, vectors, texts, str(path))


@reads("prototypes")
def _array_names(path: Path) -> list[str]:
    if path.suffix.lower() != ".npz":
        return []
    with reading_array(path), open_npz(path, _CONVERT) as archive:
        return list(archive.files)


def _vectors_key(names: list[str], key: str | None, labels_key: str | None) -> str | None:
    """The key as given, or the name that vectors usually have, or that of the only other array."""
    usual = [name for name in PROTOTYPE_ARRAYS if name in names]
    others = [name for name in names if name not in (labels_key, LABELS_ARRAY)]
    if key is None and (usual or len(others) == 1):
        return (usual or others)[0]
    return key


def _named(
    path: Path,
    rows: int,
    names: list[str],
    labels_path: Path | None,
    labels_key: str | None,
    label_to_text: LabelTexts | None,
) -> _Named:
    if labels_path is not None:
        return _read_labels(labels_path, labels_key, rows)
    if labels_key is not None:
        return _read_labels(path, labels_key, rows)
    if LABELS_ARRAY in names:
        # The labels of the items may lie in the same archive: if the texts are known, they decide.
        named = _read_labels(path, LABELS_ARRAY, None if label_to_text else rows)
        if len(named[0]) == rows:
            return named
    if label_to_text is not None:
        return _from_texts(label_to_text, rows, path)
    raise InputError(
        f"nothing says which labels its {rows} rows stand for",
        Place(path),
        hint="name their labels with --prototype-labels FILE, save an .npz with an array `labels` "
        "beside the vectors, or give the --metadata whose texts were encoded, in the same order",
    )


def _read_labels(path: Path, key: str | None, rows: int | None) -> _Named:
    level = read_level(LevelFile(LABEL, path, key), rows, option=PROTOTYPE_LABELS_KEY_OPTION).level
    return tuple(level.names[code] for code in level.codes), None


def _from_texts(label_to_text: LabelTexts, rows: int, path: Path) -> _Named:
    labels, texts = list_labels_and_texts(label_to_text)
    if rows == len(labels):
        return tuple(labels), tuple(texts)
    distinct = tuple(dict.fromkeys(labels))
    if rows == len(distinct):
        return distinct, None
    raise InputError(
        f"has {rows} rows, the metadata {len(labels)} texts of {len(distinct)} labels",
        Place(path),
        hint="encode every text in the order of the file, or name the rows' labels with "
        "--prototype-labels FILE",
    )
