"""Prototypes that were encoded elsewhere: their vectors, and what each row stands for."""

from __future__ import annotations

from pathlib import Path
from typing import TypeAlias

from engine.base.errors import InputError, Place
from engine.files.npy import as_embeddings, open_npz, reading_array
from engine.labels.data.array_files import read_array
from engine.labels.data.label_files import LABEL, LevelFile
from engine.labels.data.level_files import read_level
from engine.labels.prototypes.metadata import LabelTexts, labels_and_texts
from engine.labels.prototypes.prototypes import Prototypes

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
    labels, texts = labels_and_texts(label_to_text)
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
