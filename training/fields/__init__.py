"""Labelled queries of many fields: NAME_vocab.json, NAME_queries.jsonl, NAME_types.json.

A line of queries is {"q": text, "groups": [asked for], "kw": [meant]}. The types, one letter per
query: L names its keywords, P paraphrases them, N denies one, Z asks for what no keyword says.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from engine.base.keyword import Keyword

_FOLDER = Path(__file__).parent


@dataclass(frozen=True, slots=True)
class LabelledQuery:
    text: str
    groups: tuple[str, ...]
    keywords: frozenset[str]
    kind: str


@dataclass(frozen=True, slots=True)
class Field:
    """A vocabulary and queries with the keywords that they mean."""

    name: str
    vocabulary: tuple[Keyword, ...]
    queries: tuple[LabelledQuery, ...]


def list_fields(folder: Path = _FOLDER) -> list[str]:
    return sorted(p.name.removesuffix("_vocab.json") for p in folder.glob("*_vocab.json"))


def read_field(name: str, folder: Path = _FOLDER) -> Field:
    groups = json.loads((folder / f"{name}_vocab.json").read_text(encoding="utf-8"))
    lines = (folder / f"{name}_queries.jsonl").read_text(encoding="utf-8").splitlines()
    records = [json.loads(line) for line in lines]
    kinds = folder / f"{name}_types.json"
    types = json.loads(kinds.read_text(encoding="utf-8")) if kinds.exists() else "?" * len(lines)
    return Field(
        name,
        tuple(Keyword(group, word) for group, words in groups.items() for word in words),
        tuple(
            LabelledQuery(r["q"], tuple(r["groups"]), frozenset(r["kw"]), kind)
            for r, kind in zip(records, types, strict=True)
        ),
    )
