"""WordNet's relations as one small file of arrays: `python -m training.wordnet_table FOLDER`.

FOLDER holds the database files of WordNet 3.0 (data.noun, index.noun, noun.exc, …), for example
/usr/share/wordnet of the Debian package wordnet-base. Glosses, examples and frames are left out.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from safetensors.numpy import save_file

from engine.text.wordnet.table import PARTS, TABLE, Relation

_SYMBOLS = {
    "@": Relation.KIND_OF,
    "@i": Relation.KIND_OF,
    "&": Relation.LIKE,
    "+": Relation.DERIVED,
    "\\": Relation.PERTAINS,
    ";c": Relation.TOPIC,
    "#p": Relation.PART_OF,
    "#m": Relation.PART_OF,
    "#s": Relation.PART_OF,
    "$": Relation.VERB_GROUP,
    "*": Relation.ENTAILS,
    ">": Relation.CAUSES,
    "=": Relation.ATTRIBUTE,
    "^": Relation.SEE_ALSO,
}

_FILES = {"n": "noun", "v": "verb", "a": "adj", "r": "adv"}

SynsetKey = tuple[str, str]
"""Part of speech and offset in its data file: what names a synset in WordNet's own files."""


@dataclass
class Database:
    """What is read of WordNet's files."""

    members: dict[SynsetKey, list[str]] = field(default_factory=dict)
    relations: dict[SynsetKey, list[tuple[Relation, SynsetKey]]] = field(default_factory=dict)
    senses: dict[str, list[SynsetKey]] = field(default_factory=dict)
    irregular: list[tuple[str, str]] = field(default_factory=list)


def read_database(folder: Path) -> Database:
    database = Database()
    for part in PARTS:
        name = _FILES[part]
        for fields in _lines(folder / f"data.{name}"):
            _read_synset(database, part, fields)
        for fields in _lines(folder / f"index.{name}"):
            senses = fields[-int(fields[2]) :]
            database.senses.setdefault(fields[0], []).extend((part, o) for o in senses)
    for name in _FILES.values():
        for line in (folder / f"{name}.exc").read_text(encoding="latin1").splitlines():
            form, lemma, *_ = line.split()
            if form not in database.senses and lemma in database.senses:
                database.irregular.append((form, lemma))
    return database


def _lines(file: Path) -> Iterator[list[str]]:
    for line in file.read_text(encoding="latin1").split("\n"):
        if line and not line.startswith("  "):  # the licence stands there
            yield line.split("|", 1)[0].split()


def _read_synset(database: Database, part: str, fields: list[str]) -> None:
    key = (part, fields[0])
    words = int(fields[3], 16)
    # "galore(ip)" says where an adjective may stand.
    names = (fields[4 + 2 * word].split("(")[0].lower() for word in range(words))
    database.members[key] = list(dict.fromkeys(names))
    pointers = fields[5 + 2 * words : 5 + 2 * words + 4 * int(fields[4 + 2 * words])]
    found = database.relations.setdefault(key, [])
    for start in range(0, len(pointers), 4):
        symbol, offset, other = pointers[start : start + 3]
        if symbol in _SYMBOLS:
            target = ("a" if other == "s" else other, offset)
            found.append((_SYMBOLS[symbol], target))


def build_arrays(database: Database) -> dict[str, npt.NDArray[Any]]:
    """The arrays of the table; `engine.text.wordnet.table` says what each is."""
    lemmas = sorted(database.senses, key=str.encode)
    lemma_number = {lemma: number for number, lemma in enumerate(lemmas)}
    keys = sorted(database.members, key=lambda key: (PARTS.index(key[0]), key[1]))
    number = {key: place for place, key in enumerate(keys)}
    members = [[lemma_number[m] for m in database.members[k] if m in lemma_number] for k in keys]
    relations = [
        list(dict.fromkeys((number[t] << 4) | r.value for r, t in database.relations[k]))
        for k in keys
    ]
    senses = [[number[key] for key in database.senses[lemma]] for lemma in lemmas]
    parts = [sum(key[0] == part for key in keys) for part in PARTS]
    return {
        "lemmas": np.frombuffer("".join(lemmas).encode(), np.uint8),
        "lemma_lengths": np.array([len(lemma.encode()) for lemma in lemmas], np.uint8),
        "senses": _flat(senses),
        "sense_counts": _counts(senses),
        "members": _flat(members),
        "member_counts": _counts(members),
        "relations": _flat(relations),
        "relation_counts": _counts(relations),
        "parts": np.cumsum(parts).astype(np.uint32),
        "irregular": np.frombuffer(
            "\n".join(f"{form} {lemma}" for form, lemma in database.irregular).encode(), np.uint8
        ),
    }


def _flat(rows: list[list[int]]) -> npt.NDArray[Any]:
    return np.array([value for row in rows for value in row], np.uint32)


def _counts(rows: list[list[int]]) -> npt.NDArray[Any]:
    assert max(len(row) for row in rows) < 256
    return np.array([len(row) for row in rows], np.uint8)


if __name__ == "__main__":
    save_file(build_arrays(read_database(Path(sys.argv[1]))), TABLE)
    print(f"{TABLE.name}: {TABLE.stat().st_size / 1e6:.2f} MB")
