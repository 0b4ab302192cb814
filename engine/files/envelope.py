"""The envelope of every JSON document: what it is, who wrote it, from which files, and how."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from engine.files.input_file import InputFile

SCHEMAS = {
    "compare": 3,
    "config": 1,
    "dataset": 1,
    "gate": 4,
    "keys": 2,
    "label-neighbours": 2,
    "labels": 2,
    "map": 1,
    "map-learn": 1,
    "map-test": 1,
    "moment": 2,
    "moments": 2,
    "moments-validate": 2,
    "pairs": 1,
    "replay": 2,
    "retrieval-metrics": 2,
    "run": 2,
    "score": 2,
    "scores": 2,
    "search": 2,
    "session": 2,
    "sessions": 2,
    "triage": 1,
    "triage-list": 1,
    "validate": 2,
}
"""Every document, and the version of it that is written; earlier ones are read as well."""


def name_schema(name: str) -> str:
    """What a document says that it is.

    >>> name_schema("run")
    'tui-eval/run@2'
    """
    return f"tui-eval/{name}@{SCHEMAS[name]}"


def is_schema(value: object, *names: str) -> bool:
    """Whether a value is the schema of one of these documents, in a version that can be read.

    >>> [is_schema(f"tui-eval/run@{version}", "run", "score") for version in (0, 1, 2, 3)]
    [False, True, True, False]
    """
    return any(
        value == f"tui-eval/{name}@{version}"
        for name in names
        for version in range(1, SCHEMAS[name] + 1)
    )


def enclose(
    name: str,
    fields: Mapping[str, Any],
    *,
    inputs: Mapping[str, InputFile] | None = None,
    policies: Mapping[str, Any] | None = None,
    notes: Sequence[str] = (),
) -> dict[str, Any]:
    """A document as plain values, ready for JSON: the envelope, then its own fields.

    inputs    the files behind it, by role
    policies  what was done where definitions differ
    notes     what a reader must know beside the rest, one sentence each

    >>> list(enclose("keys", {"keymap": "vim"}))
    ['schema', 'tool', 'inputs', 'policies', 'notes', 'keymap']
    """
    return {
        "schema": name_schema(name),
        "tool": {"name": "tui-eval", "version": find_tool_version()},
        "inputs": {role: file.as_document() for role, file in (inputs or {}).items()},
        "policies": dict(policies or {}),
        "notes": list(notes),
        **fields,
    }


def find_tool_version() -> str:
    """The version of this tool, as every document names it."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("tui-eval")
    except PackageNotFoundError:
        return "unknown"
