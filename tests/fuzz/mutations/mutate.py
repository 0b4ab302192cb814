"""Which mutations suit a content: its type decides, not who reads it."""

from __future__ import annotations

import gzip
from collections.abc import Sequence
from random import Random

from tests.fuzz.content import SPECIAL_KINDS, Content, Special
from tests.fuzz.mutations import json_values
from tests.fuzz.mutations.archives import make_bomb, mutate_gzip, mutate_zip
from tests.fuzz.mutations.byte_noise import BYTE_MUTATIONS, splice
from tests.fuzz.mutations.cells import mutate_table
from tests.fuzz.mutations.settings import mutate_toml
from tests.fuzz.mutations.text_noise import TEXT_MUTATIONS, encode

LARGEST = 1 << 20
"""Bytes of an input that is mutated further; a larger one is large enough."""


def mutate(name: str, data: bytes, others: Sequence[bytes], rng: Random) -> Content:
    """Something else than the content of a sound file.

    others  contents of sound files, to be mixed with it
    """
    draw = rng.random()
    if draw < 0.01:
        return Special(rng.choice(SPECIAL_KINDS))
    if draw < 0.02:
        return rng.choice(others)
    if draw < 0.04:
        return splice(data, rng.choice(others), rng)
    if draw < 0.05:
        return gzip.compress(data, 1, mtime=0)
    if draw < 0.052:
        return make_bomb(rng)
    data = _mutate_once(name, data, rng)
    for _ in range(rng.choice((0, 0, 0, 0, 1, 2))):
        if len(data) < LARGEST and not data.startswith(_BINARY):
            data = _mutate_once(name, data, rng)
        elif data:
            data = rng.choice(BYTE_MUTATIONS)(data, rng)
    return data


_BINARY = (b"PAR1", b"\x1f\x8b", b"PK\x03\x04")
"""What is no longer sound of these is not opened again here: it might be a bomb."""


def _mutate_once(name: str, data: bytes, rng: Random) -> bytes:
    try:
        return mutate_bytes(data, rng, is_toml=name.endswith(".toml"))
    except Exception:  # what was mutated before may be too odd even for us
        return rng.choice(BYTE_MUTATIONS)(data, rng)


def mutate_bytes(data: bytes, rng: Random, *, is_toml: bool = False) -> bytes:
    """One mutation, by what the bytes are."""
    if not data or rng.random() < 0.25:
        return rng.choice(BYTE_MUTATIONS)(data, rng)
    if data.startswith(b"\x1f\x8b"):
        return mutate_gzip(data, rng, mutate_bytes)
    if data.startswith(b"PK\x03\x04"):
        return mutate_zip(data, rng, mutate_bytes)
    if data.startswith(b"\x93NUMPY"):
        from tests.fuzz.mutations.arrays import mutate_npy

        return mutate_npy(data, rng)
    if data.startswith(b"PAR1"):
        from tests.fuzz.mutations.columns import mutate_parquet

        return mutate_parquet(data, rng)
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return rng.choice(BYTE_MUTATIONS)(data, rng)
    return encode(_mutate_text(text, rng, is_toml), rng)


def _mutate_text(text: str, rng: Random, is_toml: bool) -> str:
    """Half of the mutations know what kind of text it is."""
    if rng.random() < 0.4:
        return rng.choice(TEXT_MUTATIONS)(text, rng)
    if is_toml:
        return mutate_toml(text, rng)
    if text.lstrip()[:1] in ("{", "["):
        if json_values.parse(text) is not None:
            return json_values.mutate_document(text, rng)
        return json_values.mutate_lines(text, rng)
    return mutate_table(text, rng)
