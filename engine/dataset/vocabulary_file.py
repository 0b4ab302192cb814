"""A vocabulary from a JSON file, in place of a dataset's."""

from __future__ import annotations

from pathlib import Path

from engine.base.errors import InputError, Place
from engine.base.keyword import Keyword
from engine.dataset.annotations.cells import clean_keyword
from engine.dataset.annotations.layout import normalise_group
from engine.dataset.vocabulary import Vocabulary
from engine.files.text import parse_json, read_text

_HINT = 'write {"object_type": ["pedestrian", "bicyclist"], …}'


def read_vocabulary(path: Path) -> Vocabulary:
    """The vocabulary of a file `{group: [keyword, …]}`; groups with or without `pv_`."""
    table = parse_json(read_text(path), Place(path))
    if not isinstance(table, dict) or not table:
        raise InputError("is not a vocabulary", Place(path), hint=_HINT)
    keywords: dict[Keyword, None] = {}
    for group, names in table.items():
        if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
            raise InputError("must be a list of keywords", Place(path, column=group), hint=_HINT)
        named = (clean_keyword(name) for name in names)
        keywords |= {Keyword(normalise_group(group), name): None for name in named if name}
    if not keywords:
        raise InputError("has no keyword", Place(path), hint=_HINT)
    return Vocabulary(tuple(dict.fromkeys(map(normalise_group, table))), tuple(keywords))
