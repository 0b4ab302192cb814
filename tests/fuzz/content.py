"""What lies at a path: bytes, or something that is no plain file at all."""

from __future__ import annotations

import base64
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeAlias, get_args

SpecialKind: TypeAlias = Literal["fifo", "folder", "missing", "device", "loop", "sparse"]
SPECIAL_KINDS: tuple[SpecialKind, ...] = get_args(SpecialKind)
_SPARSE_BYTES = 1 << 36


@dataclass(frozen=True, slots=True)
class Special:
    """No plain file: a pipe, a folder, nothing, an endless device, a link to itself, a hole."""

    kind: SpecialKind


Content: TypeAlias = bytes | Special
Files: TypeAlias = Mapping[str, Content]
"""What lies in a folder, by the names relative to it."""


def lay_out(files: Files, folder: Path) -> None:
    """Put files into a folder that has none of them."""
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(content, bytes):
            path.write_bytes(content)
        else:
            _lay_out_special(content.kind, path)


def _lay_out_special(kind: SpecialKind, path: Path) -> None:
    if kind == "fifo":
        os.mkfifo(path)
    elif kind == "folder":
        path.mkdir()
    elif kind == "device":
        path.symlink_to("/dev/zero")
    elif kind == "loop":
        path.symlink_to(path)
    elif kind == "sparse":
        with path.open("wb") as file:
            file.truncate(_SPARSE_BYTES)


def measure(content: Content) -> int:
    """Bytes on disk."""
    return len(content) if isinstance(content, bytes) else 0


def dump_files(files: Files) -> dict[str, Any]:
    """As plain values, ready for JSON.

    >>> load_files(dump_files({"a": b"\\0", "b": Special("fifo")}))
    {'a': b'\\x00', 'b': Special(kind='fifo')}
    """
    return {
        name: {"special": content.kind}
        if isinstance(content, Special)
        else {"base64": base64.b64encode(content).decode()}
        for name, content in files.items()
    }


def load_files(dumped: Mapping[str, Any]) -> dict[str, Content]:
    """What `dump_files` was given."""
    return {
        name: Special(one["special"]) if "special" in one else base64.b64decode(one["base64"])
        for name, one in dumped.items()
    }
