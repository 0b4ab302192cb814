"""What a process that loads a model has for itself, and what the system can take back from it."""

from __future__ import annotations

import mmap
import os
from pathlib import Path

from engine.text.child_memory import measure_own_memory

MB = 1 << 20


def test_what_is_made_counts_and_mapped_weights_do_not(tmp_path: Path) -> None:
    weights = tmp_path / "weights"
    weights.write_bytes(bytes(range(256)) * (64 * MB // 256))
    before = measure_own_memory(os.getpid())

    with weights.open("rb") as file:
        mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    assert sum(mapped[:: mmap.PAGESIZE]) == 0
    while_mapped = measure_own_memory(os.getpid())
    made = bytearray(mapped)

    assert while_mapped - before < 16 * MB
    assert measure_own_memory(os.getpid()) - while_mapped > 48 * MB
    assert len(made) == len(mapped)


def test_a_process_that_has_ended_has_none() -> None:
    assert measure_own_memory(2**30) == 0
