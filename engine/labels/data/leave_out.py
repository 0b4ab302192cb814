"""Labels whose items are left out, such as "Other": which rows remain, and what is said of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from engine.base.arrays import Ints
from engine.base.errors import InputError
from engine.base.messages import list_names, pluralise, quote, suggest
from engine.labels.data.level import LabelLevel

_SHOWN = 8


@dataclass(frozen=True, eq=False)
class LabelExclusion:
    """The rows that remain, the (level, label) of those that do not, and a note about them."""

    rows: Ints
    labels: frozenset[tuple[str, str]]
    note: str

    def keep(self, level: LabelLevel) -> LabelLevel:
        """The level of the rows that remain; a label that none of them has is no label of it."""
        used, codes = np.unique(level.codes[self.rows], return_inverse=True)
        names = tuple(level.names[code] for code in used.tolist())
        return LabelLevel(level.name, names, codes.reshape(-1))


def exclude_labels(levels: Sequence[LabelLevel], exclude: Sequence[str]) -> LabelExclusion:
    """Leave out every item that has one of these labels.

    A text is a label of any level, LEVEL=LABEL, or several of them separated by commas.

    >>> levels = LabelLevel.of("room", ["hall", "other", "hall"]), LabelLevel.of("age", [1, 1, 2])
    >>> left = exclude_labels(levels, ["other"])
    >>> left.rows.tolist(), [left.keep(level).names for level in levels]
    ([0, 2], [('hall',), ('1', '2')])
    >>> left.note
    "1 of 3 items is left out, neither asked nor found: label 'other'"
    """
    named = [*dict.fromkeys(one for text in exclude for one in _find(text, levels))]
    items = len(levels[0])
    kept = np.ones(items, np.bool_)
    for level, label in named:
        kept &= level.codes != level.names.index(label)
    if not kept.any():
        raise InputError("no item is left", hint="name fewer labels with --exclude")
    rows = np.flatnonzero(kept)
    labels = frozenset((level.name, label) for level, label in named)
    return LabelExclusion(rows, labels, _describe(items - len(rows), items, named))


def _find(text: str, levels: Sequence[LabelLevel]) -> Iterator[tuple[LabelLevel, str]]:
    """The labels that a text names, with their levels; a label may hold a comma or a = itself."""
    found = [*_match(text, levels)]
    parts = [part for part in text.split(",") if part.strip()]
    if not found and len(parts) > 1:
        found = [one for part in parts for one in _find(part, levels)]
    if not found:
        raise _refuse(text, levels)
    yield from found


def _match(text: str, levels: Sequence[LabelLevel]) -> Iterator[tuple[LabelLevel, str]]:
    name, equals, own = (part.strip() for part in text.partition("="))
    for level in levels:
        if text.strip() in level.names:
            yield level, text.strip()
        elif equals and name == level.name and own in level.names:
            yield level, own


def _refuse(text: str, levels: Sequence[LabelLevel]) -> InputError:
    name, _, own = (part.strip() for part in text.partition("="))
    asked = [level for level in levels if level.name == name and own] or levels
    label = own if asked is not levels else text.strip()
    known = [label for level in asked for label in level.names]
    where = f" at level {quote(name)}" if asked is not levels else ""
    return InputError(
        f"--exclude: no item has the label {quote(label)}{where}",
        hint=f"{suggest(label, known)} the labels are {list_names(known, _SHOWN)}".strip(),
    )


def _describe(count: int, items: int, named: Sequence[tuple[LabelLevel, str]]) -> str:
    verb = "is" if count == 1 else "are"
    labels = list_names((quote(label) for _, label in named), _SHOWN)
    noun = "label" if len(named) == 1 else "labels"
    return (
        f"{count:,} of {pluralise(items, 'item')} {verb} left out, neither asked nor found: "
        f"{noun} {labels}"
    )
