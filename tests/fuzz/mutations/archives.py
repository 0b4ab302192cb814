"""Mutations of gzip and zip: of what is inside, of what the directory says, and bombs."""

from __future__ import annotations

import gzip
import io
import zipfile
import zlib
from collections.abc import Callable
from functools import cache
from random import Random
from typing import TypeAlias

Inner: TypeAlias = Callable[[bytes, Random], bytes]
"""How to mutate what is packed."""

_BOMBS = (b"\0", b"\n", b"{", b"[[", b"{},", b"a\t", b"1,", b" ", b"q d 1\n")
_BOMB_BYTES = 1 << 22
_NAMES = (
    "",
    "/",
    "../x.npy",
    "a/b.npy",
    ".npy",
    "x" * 300,
    "\u202egnp",
    "__MACOSX/._x",
    "a\\b",
    "C:x",
)


def mutate_gzip(data: bytes, rng: Random, inner: Inner) -> bytes:
    try:
        plain = gzip.decompress(data)
    except (OSError, EOFError, zlib.error):
        return data[: rng.randrange(len(data) + 1)]
    how = rng.randrange(20)
    if how == 0:
        return make_bomb(rng)
    if how == 1:
        return data + data
    if how == 2:
        return gzip.compress(data, 1, mtime=0)
    if how == 3:
        return data[: rng.randrange(len(data))]
    return gzip.compress(inner(plain, rng), 1, mtime=0)


def make_bomb(rng: Random) -> bytes:
    """Megabytes that become gigabytes, as several gzip files in a row, which are one."""
    return _pack(rng.choice(_BOMBS)) * rng.choice((16, 64, 320))


@cache
def _pack(piece: bytes) -> bytes:
    return gzip.compress(piece * (_BOMB_BYTES // len(piece)), 9, mtime=0)


def mutate_zip(data: bytes, rng: Random, inner: Inner) -> bytes:
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            members = [(info.filename, archive.read(info)) for info in archive.infolist()]
    except (
        zipfile.BadZipFile,
        OSError,
        ValueError,
        RuntimeError,
        NotImplementedError,
        zlib.error,
        EOFError,
    ):
        return data[: rng.randrange(len(data) + 1)]
    if not members:
        return data + b"\0"
    which = rng.randrange(len(members))
    name, content = members[which]
    how = rng.randrange(10)
    if how < 4:
        members[which] = name, inner(content, rng)
    elif how == 4:
        members[which] = rng.choice(_NAMES), content
    elif how == 5:
        members.append((rng.choice((name, name.upper(), "extra.txt")), content))
    elif how == 6:
        del members[which]
    elif how == 7:
        bomb = rng.choice(_BOMBS) * (rng.choice((10, 1 << 20, 1 << 23)) // 2)
        members[which] = name, rng.choice((content, b"")) + bomb
    if how == 8:
        return _lie_in_directory(data, rng)
    return _write_zip(members, rng, is_link=how == 9)


def _write_zip(members: list[tuple[str, bytes]], rng: Random, is_link: bool) -> bytes:
    out = io.BytesIO()
    kinds = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_DEFLATED, zipfile.ZIP_LZMA)
    with zipfile.ZipFile(out, "w") as archive:
        for name, content in members:
            info = zipfile.ZipInfo(name)
            info.compress_type = (
                rng.choice(kinds) if len(content) < 1 << 20 else zipfile.ZIP_DEFLATED
            )
            if is_link:
                info.external_attr = 0o120777 << 16
            archive.writestr(info, content)
    return out.getvalue()


def _lie_in_directory(data: bytes, rng: Random) -> bytes:
    """Sizes, flags and methods that are not those of the member."""
    place = data.find(b"PK\x01\x02", rng.choice((0, len(data) // 2)))
    place = data.find(b"PK\x01\x02") if place < 0 else place
    if place < 0:
        return data
    at, size, value = rng.choice(
        ((8, 2, 1), (10, 2, 99), (10, 2, 14), (20, 4, 1), (24, 4, 0xFFFFFFFE), (24, 4, 1 << 30),
         (24, 4, 0), (28, 2, 0), (28, 2, 0xFFFF), (16, 4, 0), (42, 4, 0xFFFFFFFF), (24, 4,
         0xFFFFFFFF))
    )  # fmt: skip
    begin = place + at
    changed = data[:begin] + value.to_bytes(size, "little") + data[begin + size :]
    if rng.random() < 0.5:  # also in the local head
        local = changed.find(b"PK\x03\x04")
        if at in (8, 10) and local >= 0:
            begin = local + at - 2
            changed = changed[:begin] + value.to_bytes(size, "little") + changed[begin + size :]
    return changed
