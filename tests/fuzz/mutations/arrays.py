"""Mutations of .npy files: what the header says, and what then follows or does not."""

from __future__ import annotations

import ast
import io
import struct
from random import Random
from typing import Any

import numpy as np

MAGIC = b"\x93NUMPY"
_DTYPES = ("<f4", ">f8", "<f2", "<i8", "|u1", "|b1", "<U1", "<U0", "<U7", "|S3", "|S0", "<c16",
           "|O", "<M8[s]",
           "<m8", "|V0", "|V8", "<f16", "<U1000000000", "x", "", "<f4,<f4", "|i9")  # fmt: skip
_SIDES = (0, 1, 2, 3, -1, 7, 10**6, 10**9, 2**31, 2**62, 2**63, 10**40)
_NOT_CHARACTERS = (0x110000, 0xD800, 0xFFFFFFFF, 0x7FFFFFFF)


def mutate_npy(data: bytes, rng: Random) -> bytes:
    try:
        head, body, order = _split(data)
    except (ValueError, SyntaxError, struct.error, IndexError, RecursionError):
        return data[: rng.randrange(len(data) + 1)]
    how = rng.randrange(10)
    if how < 4:
        return _join(_change_head(head, rng), body, rng)
    if how == 4:
        return _damage_head(data, rng)
    if how == 5:
        return _join(head, body[: rng.randrange(len(body) + 1)], rng)
    if how == 6:
        return data[:6] + bytes([rng.choice((0, 1, 2, 3, 4, 255)), rng.randrange(3)]) + data[8:]
    return _change_values(head, body, order, rng)


def _split(data: bytes) -> tuple[Any, bytes, str]:
    """The header as a value, what follows it, and whether its length has two bytes or four."""
    layout = "<H" if data[6] == 1 else "<I"
    size = struct.calcsize(layout)
    (length,) = struct.unpack_from(layout, data, 8)
    begin = 8 + size
    head = ast.literal_eval(data[begin : begin + length].decode("latin-1").strip())
    return head, data[begin + length :], layout


def _join(head: Any, body: bytes, rng: Random) -> bytes:
    text = f"{head!r}\n".encode("utf-8", "surrogatepass")
    layout, major = ("<I", rng.choice((2, 3))) if len(text) > 65000 else ("<H", 1)
    return MAGIC + bytes([major, 0]) + struct.pack(layout, len(text)) + text + body


def _change_head(head: Any, rng: Random) -> Any:
    changed = dict(head) if isinstance(head, dict) else {}
    shape = changed.get("shape", ())
    how = rng.randrange(8)
    if how < 3:
        changed["descr"] = rng.choice(_DTYPES)
    elif how < 6:
        sides = [rng.choice(_SIDES) for _ in range(rng.choice((0, 1, 1, 2, 2, 3, 64)))]
        changed["shape"] = rng.choice((tuple(sides), sides, None, "x", (1.5,), (True, 2)))
        if rng.random() < 0.6:
            changed["shape"] = tuple(rng.choice((side, rng.choice(_SIDES))) for side in shape)
    elif how == 6:
        changed["fortran_order"] = rng.choice((True, 1, None, "yes"))
    else:
        changed.pop(rng.choice(list(changed) or ["a"]), None)
        changed.update(rng.choice(({}, {"extra": 1}, {b"shape": (1,)})))
    return changed


def _damage_head(data: bytes, rng: Random) -> bytes:
    """The literal of the header is no literal any more, of the same length."""
    place = 10 + rng.randrange(min(118, max(1, len(data) - 10)))
    put = rng.choice((b"(", b"}", b"'", b"\0", b"\xff", b"#", b"{", b"[" * 40, b"\n", b"1**9"))
    return data[:place] + put + data[place + len(put) :]


def _change_values(head: Any, body: bytes, order: str, rng: Random) -> bytes:
    """Entries that their type allows and nobody expects: NaN, infinite, no character."""
    try:
        array = np.load(io.BytesIO(_join(head, body, rng)), allow_pickle=False).copy()
    except (ValueError, OSError, EOFError, TypeError, SyntaxError, MemoryError, OverflowError):
        return _join(head, body, rng)
    if array.dtype.kind == "U" and array.size and array.itemsize:
        codes = array.reshape(-1).view(np.uint32)
        codes[rng.randrange(codes.size)] = rng.choice(_NOT_CHARACTERS)
    elif array.dtype.kind == "f" and array.size:
        odd = (np.nan, np.inf, -np.inf, 3e38, 1e-45, 0.0)
        array.reshape(-1)[rng.randrange(array.size)] = rng.choice(odd)
        if rng.random() < 0.3:
            array = np.zeros_like(array)
    elif array.size:
        array = array.astype(rng.choice(("<f8", "<i8", "<U5", "|S5", "<c8", "|b1")))
    if rng.random() < 0.4:
        array = rng.choice((array[:0], array[..., None], array.reshape(-1), array[:1], array.T))
    out = io.BytesIO()
    np.lib.format.write_array(out, np.asarray(array), allow_pickle=False)
    return out.getvalue()
