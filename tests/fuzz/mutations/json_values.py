"""Mutations of JSON documents and JSON lines: a value at any path becomes another."""

from __future__ import annotations

import json
from collections.abc import Iterator
from random import Random
from typing import Any

from tests.fuzz.mutations.values import Raw, choose_value, dump_json, nest


def parse(text: str) -> Any:
    """The document, or None; None itself is not worth mutating."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def mutate_document(text: str, rng: Random) -> str:
    """One document in which something has another value, type, key or length."""
    return dump_json(_mutate(parse(text), rng), rng)


def mutate_lines(text: str, rng: Random) -> str:
    """The same for a line among others; or lines doubled, joined, left out."""
    lines = text.splitlines()
    number = rng.randrange(len(lines))
    how = rng.randrange(6)
    if how == 0:
        lines.insert(number, lines[rng.randrange(len(lines))])
    elif how == 1:
        lines[number] = rng.choice(
            ("[]", "null", "1", '""', nest(rng), "{}", "{", '{"a":1}{"b":2}')
        )
    elif parse(lines[number]) is not None:
        lines[number] = mutate_document(lines[number], rng)
    return "\n".join(lines) + "\n"


def _paths(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield path
    if isinstance(value, dict):
        for key, one in value.items():
            yield from _paths(one, (*path, key))
    elif isinstance(value, list):
        for number, one in enumerate(value[:50]):
            yield from _paths(one, (*path, number))


def _mutate(document: Any, rng: Random) -> Any:
    path = rng.choice(list(_paths(document)))
    return _change(document, path, rng)


def _change(value: Any, path: tuple[Any, ...], rng: Random) -> Any:
    """The value with what stands at the path changed."""
    if path:
        copy = dict(value) if isinstance(value, dict) else list(value)
        copy[path[0]] = _change(value[path[0]], path[1:], rng)
        return copy
    how = rng.randrange(10)
    if how == 0:
        return Raw(nest(rng))
    if isinstance(value, dict) and value and how < 6:
        return _change_keys(value, rng)
    if isinstance(value, list) and how < 4:
        return _change_length(value, rng)
    return choose_value(rng)


def _change_keys(value: dict[str, Any], rng: Random) -> dict[str, Any]:
    key = rng.choice(list(value))
    copy = {name: one for name, one in value.items() if name != key}
    how = rng.randrange(4)
    if how == 0:
        copy[str(choose_value(rng))[:100]] = value[key]
    elif how == 1:
        copy[key.upper()] = copy[f" {key}"] = value[key]
    elif how == 2:
        copy[key] = value[rng.choice(list(value))]
    return copy


def _change_length(value: list[Any], rng: Random) -> list[Any]:
    how = rng.randrange(4)
    if how == 0:
        return value * rng.choice((2, 3, 2000 if len(value) < 10 else 5))
    if how == 1:
        return value[: rng.randrange(len(value) + 1)]
    if how == 2:
        return [*value, choose_value(rng)]
    return [value]
