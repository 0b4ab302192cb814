"""The registry: every metric there is. A new family is a new file and one line here."""

from __future__ import annotations

import re
from collections.abc import Iterable
from difflib import get_close_matches
from typing import TypeAlias

from engine.base.errors import InputError
from engine.metrics.cutoff_metrics import CUTOFF_DEFINITIONS
from engine.metrics.definition import Definition, IdParts, Params, split_id
from engine.metrics.list_metrics import LIST_DEFINITIONS, RANK_DEFINITIONS

DEFINITIONS: tuple[Definition, ...] = (*CUTOFF_DEFINITIONS, *LIST_DEFINITIONS, *RANK_DEFINITIONS)

_Key: TypeAlias = tuple[str, bool, Params]


def _key(parts: IdParts) -> _Key:
    params = tuple((key.lower(), value.lower()) for key, value in parts.params)
    return parts.name.lower(), parts.cutoff is not None, params


def _index(definitions: Iterable[Definition]) -> dict[_Key, Definition]:
    found: dict[_Key, Definition] = {}
    for definition in definitions:
        spellings = [definition.pattern]
        if definition.implied:
            spellings.append(f"{definition.pattern}({definition.implied})")
        for parts in map(split_id, spellings):
            if parts is None or _key(parts) in found:
                raise ValueError(f"{definition.pattern!r} is no id, or is there already")
            found[_key(parts)] = definition
    return found


_BY_KEY = _index(DEFINITIONS)


def find_definition(text: str) -> tuple[Definition, int | None]:
    """The definition and cutoff that an id names, whatever its case.

    >>> definition, k = find_definition("ndcg@10(gain=EXP)")
    >>> definition.pattern, k
    ('nDCG@k(gain=exp)', 10)
    """
    parts = split_id(text)
    definition = None if parts is None else _BY_KEY.get(_key(parts))
    if parts is None or definition is None:
        raise unknown_metric_error(text, list_patterns())
    if parts.cutoff is None:
        return definition, None
    if not re.fullmatch(r"[1-9][0-9]{0,8}", parts.cutoff):
        raise unknown_metric_error(text, list_patterns())
    return definition, int(parts.cutoff)


def list_patterns() -> tuple[str, ...]:
    """Every valid id, with k for its cutoff."""
    return tuple(definition.pattern for definition in DEFINITIONS)


def unknown_metric_error(text: str, valid: Iterable[str]) -> InputError:
    """The error for an id that is not there: the nearest one, and all that are.

    >>> str(unknown_metric_error("P@5x", ["P@k", "R@k"]))
    "unknown metric 'P@5x'; did you mean P@5? Valid: P@k, R@k (k = 1, 2, …)"
    """
    valid = tuple(valid)
    near = _nearest(text.strip().lower()[:60], valid)
    hint = f"did you mean {near}? " if near else ""
    shown = text if len(text) <= 60 else f"{text[:60]}…"
    return InputError(
        f"unknown metric {shown!r}", hint=f"{hint}Valid: {', '.join(valid)} (k = 1, 2, …)"
    )


def _nearest(text: str, valid: Iterable[str]) -> str | None:
    """The valid id most like the text, with a number from the text for its k."""
    number = re.search(r"[1-9][0-9]{0,8}", text)
    k = number.group() if number else "10"
    filled = {id_.lower(): id_ for id_ in (pattern.replace("@k", f"@{k}") for pattern in valid)}
    name = re.split(r"[@(]", text)[0].strip()
    same_name = [id_ for id_ in filled if re.split(r"[@(]", id_)[0] == name]
    near = get_close_matches(text, same_name or filled, n=1, cutoff=0.0 if same_name else 0.5)
    return filled[near[0]] if near else None
