"""A cache of vectors that may hold so many bytes forgets some, and works on."""

from __future__ import annotations

import hashlib
from pathlib import Path

import numpy as np

from engine.text.vector_cache import VectorCache


def name(number: int) -> str:
    return hashlib.sha256(str(number).encode()).hexdigest()


def fill(path: Path, most_bytes: int | None) -> int:
    """How many of 2,000 vectors, put by tens, are there when the file is opened again."""
    cache = VectorCache(path, most_bytes)
    for start in range(0, 2_000, 10):
        cache.put({name(n): np.full(300, n, np.float32) for n in range(start, start + 10)})
    cache.close()
    again = VectorCache(path, most_bytes)
    found = again.get([name(n) for n in range(2_000)])
    again.close()
    assert all(found[name(n)][0] == n for n in range(2_000) if name(n) in found)
    return len(found)


def test_a_file_with_a_limit_stays_below_it(tmp_path: Path) -> None:
    most = 1_000_000

    kept = fill(tmp_path / "limited.sqlite", most)

    assert 300 < kept < 800
    assert (tmp_path / "limited.sqlite").stat().st_size < 1.2 * most


def test_a_file_without_a_limit_forgets_nothing(tmp_path: Path) -> None:
    assert fill(tmp_path / "whole.sqlite", None) == 2_000


def test_what_was_just_put_is_there_though_the_file_forgets(tmp_path: Path) -> None:
    cache = VectorCache(tmp_path / "tiny.sqlite", 1)
    cache.put({name(n): np.full(300, n, np.float32) for n in range(50)})

    assert len(cache.get([name(n) for n in range(50)])) == 50
