"""Labelled queries of many fields: NAME_vocab.json, NAME_queries.jsonl, NAME_types.json.

A line of queries is {"q": text, "groups": [asked for], "kw": [meant]}. The types, one letter per
query: L names its keywords, P paraphrases them, N denies one, Z asks for what no keyword says.
NAME_short.jsonl has queries of one to three words; there each line says its "kind".
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

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
    """A vocabulary, queries with the keywords that they mean, and very short ones."""

    name: str
    vocabulary: tuple[Keyword, ...]
    queries: tuple[LabelledQuery, ...]
    short: tuple[LabelledQuery, ...] = ()


def list_fields(folder: Path = _FOLDER) -> list[str]:
    return sorted(p.name.removesuffix("_vocab.json") for p in folder.glob("*_vocab.json"))


def read_field(name: str, folder: Path = _FOLDER) -> Field:
    groups = json.loads((folder / f"{name}_vocab.json").read_text(encoding="utf-8"))
    records = _read_lines(folder / f"{name}_queries.jsonl")
    kinds = folder / f"{name}_types.json"
    types = json.loads(kinds.read_text(encoding="utf-8")) if kinds.exists() else "?" * len(records)
    short = folder / f"{name}_short.jsonl"
    return Field(
        name,
        tuple(Keyword(group, word) for group, words in groups.items() for word in words),
        tuple(_label(*pair) for pair in zip(records, types, strict=True)),
        tuple(_label(r, r["kind"]) for r in _read_lines(short)) if short.exists() else (),
    )


def _read_lines(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def _label(record: dict[str, Any], kind: str) -> LabelledQuery:
    return LabelledQuery(record["q"], tuple(record["groups"]), frozenset(record["kw"]), kind)
