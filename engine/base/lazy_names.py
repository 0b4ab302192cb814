"""Names of a package whose files are imported when one of their names is first asked for."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any


def load_name(package: str, homes: Mapping[str, str], name: str) -> Any:
    """What a package calls so, for its `__getattr__`; `homes`: the file of each name.

    >>> load_name("engine.base", {"pluralise": "messages"}, "pluralise")(2, "clip")
    '2 clips'
    """
    if name not in homes:
        raise AttributeError(f"module {package!r} has no attribute {name!r}")
    return getattr(import_module(f"{package}.{homes[name]}"), name)
