"""Level: one way to label the items, as numbers of names."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from engine.base.arrays import Ints
from engine.base.errors import InputError, Place
from engine.base.messages import quote
from engine.labels.data.array_files import as_plain


@dataclass(frozen=True, eq=False)
class LabelLevel:
    """Every item's label; `codes[i]` is the place of item i's label in `names`.

    Names are texts in order: numbers by their value, then texts by theirs.

    >>> level = LabelLevel.of("label", ["walk", "cook", "walk"])
    >>> level.names, level.codes.tolist(), level.support.tolist()
    (('cook', 'walk'), [1, 0, 1], [1, 2])
    """

    name: str
    names: tuple[str, ...]
    codes: Ints

    @classmethod
    def of(
        cls, name: str, labels: Sequence[object] | npt.NDArray[Any], place: Place | None = None
    ) -> LabelLevel:
        """The level of some labels: texts or whole numbers, one per item.

        7 and 7.0 are the same label; texts are compared as they are, without the space around.
        """
        labels = as_plain(labels, "labels", place)
        if isinstance(labels, np.ndarray) and labels.ndim != 1:
            raise InputError(
                f"has the shape {labels.shape}; one label per item is needed",
                place,
                hint="choose one column, or give each level its own array",
            )
        if isinstance(labels, np.ndarray) and labels.dtype.kind in "iufU":
            return cls._of_array(name, labels, place)
        plain = labels.tolist() if isinstance(labels, np.ndarray) else list(labels)
        texts = [format_label(label, row, place) for row, label in enumerate(_decoded(plain))]
        return cls.of_texts(name, texts)

    @classmethod
    def _of_array(cls, name: str, labels: npt.NDArray[Any], place: Place | None) -> LabelLevel:
        """Each distinct label becomes text once, however many items have it."""
        distinct, first, codes = np.unique(labels, return_index=True, return_inverse=True)
        texts = [
            format_label(label, int(row), place)
            for label, row in zip(distinct.tolist(), first, strict=True)
        ]
        known = cls.of_texts(name, texts)
        return cls(name, known.names, known.codes[codes.reshape(-1)])

    @classmethod
    def of_texts(cls, name: str, texts: Sequence[str]) -> LabelLevel:
        """The level of labels that are known to be good."""
        names = tuple(sorted(set(texts), key=_order))
        number = {text: code for code, text in enumerate(names)}
        return cls(name, names, np.fromiter((number[t] for t in texts), np.int64, len(texts)))

    def __len__(self) -> int:
        return len(self.codes)

    @cached_property
    def support(self) -> Ints:
        """How many items have each label."""
        return np.bincount(self.codes, minlength=len(self.names)).astype(np.int64)

    def codes_of(self, labels: Iterable[str]) -> Ints:
        """The numbers of labels by name; -1 for one that no item has."""
        number = {text: code for code, text in enumerate(self.names)}
        return np.array([number.get(label, -1) for label in labels], np.int64)


def format_label(label: object, row: int, place: Place | None = None) -> str:
    """A label as text; what is none is an InputError with its row.

    >>> format_label(7.0, 0), format_label(b"walk ", 0)
    ('7', 'walk')
    """
    if isinstance(label, np.generic):
        label = label.item()
    if isinstance(label, bytes):
        label = label.decode("utf-8", "replace")
    if isinstance(label, float) and label.is_integer():
        label = int(label)
    if _is_missing(label):
        raise InputError(
            f"row {row} (counted from 0) has no label",
            place,
            hint="leave the item out, or give it a label of its own",
        )
    if not isinstance(label, str | int):
        raise InputError(
            f"the label of row {row} (counted from 0) is {quote(str(label))}, neither text nor a "
            "whole number",
            place,
            hint="save labels as texts or integers",
        )
    return str(label).strip()


def _decoded(labels: list[object]) -> list[object]:
    """Bytes as texts: all as UTF-8, or else all as Latin-1, so that different ones stay so."""
    if not any(isinstance(label, bytes) for label in labels):
        return labels
    for encoding in ("utf-8", "latin-1"):
        try:
            return [x.decode(encoding) if isinstance(x, bytes) else x for x in labels]
        except UnicodeDecodeError:
            continue
    raise AssertionError("Latin-1 has a character for every byte")


def _is_missing(label: object) -> bool:
    if isinstance(label, float):
        return label != label
    return label is None or (isinstance(label, str) and not label.strip())


def _order(text: str) -> tuple[int, int, str]:
    try:
        return (0, int(text), text)
    except ValueError:
        return (1, 0, text)
