"""A small file that would become huge is refused, at once, by every reader that could open it.

What is measured is the memory of this process while the reader is at work.
"""

from __future__ import annotations

import gzip
import resource
import time
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from engine.dataset.annotations.read import read_annotations
from engine.dataset.embeddings.keys import CLIP_KEYS, read_keys_file
from engine.dataset.embeddings.read import read_embeddings
from engine.dataset.vocabulary import read_vocabulary
from engine.files.budget import TooLargeError
from engine.files.toml import parse_toml
from engine.labels.data.array_files import read_array
from engine.moments.tvr.truth import read_tvr_truth
from engine.rankings.formats.registry import read_qrels, read_run
from engine.results.read_results import read_results

MB = 1 << 20
MOST_GROWTH = 300 * MB
MOST_SECONDS = 2.0
"""Of computing; most are refused within some milliseconds, gzip has to be unpacked for a while."""

Make = Callable[[Path], None]
Read = Callable[[Path], object]


def repeat(text: str, times: int) -> Any:
    """One text again and again, of which a file holds a single copy."""
    return pa.DictionaryArray.from_arrays(pa.array(np.zeros(times, np.int8)), pa.array([text]))


def write_parquet(path: Path, groups: int = 1, **columns: Any) -> None:
    """The same rows as so many groups of rows."""
    table = pa.table(columns)
    with pq.ParquetWriter(path, table.schema, compression="zstd") as writer:
        for _ in range(groups):
            writer.write_table(table)


def make_dictionary_of_annotations(path: Path) -> None:
    write_parquet(path, slice_id=repeat("a" * 4000, 10**6), pv_object_type=repeat("b", 10**6))


def make_dictionary_of_a_run(path: Path) -> None:
    scores = pa.array(np.zeros(10**6))
    write_parquet(path, q_id=repeat("q" * 9000, 10**6), doc_id=repeat("d", 10**6), score=scores)


def make_nulls_of_results(path: Path) -> None:
    """A hundred million values that are not there."""
    names = ("mode", "query", "keywords", "relevant", "P@5")
    write_parquet(path, groups=4, **{name: pa.nulls(5 * 10**6) for name in names})


def make_lists_of_embeddings(path: Path) -> None:
    """Vectors of a million zeros."""
    zeros = pa.array(np.zeros(5 * 10**6, np.float32))
    vectors = pa.FixedSizeListArray.from_arrays(zeros, 10**6)
    ids = pa.array([f"clip_{number}" for number in range(5)])
    write_parquet(path, groups=20, slice_id=ids, embedding=vectors)


def make_gzip(piece: bytes) -> Make:
    """Several gzip files in a row are one."""

    def make(path: Path) -> None:
        path.write_bytes(gzip.compress(piece * (16 * MB // len(piece)), 6) * 40)

    return make


def make_archive(path: Path) -> None:
    zeros = bytes(16 * MB)
    header = b"\x93NUMPY\x01\x00\x76\x00"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        with archive.open("ids.npy", "w") as member:
            np.save(member, np.array(["a"]))
        with archive.open("embeddings.npy", "w", force_zip64=True) as member:
            member.write(header)
            for _ in range(36):
                member.write(zeros)


def make_promise(path: Path) -> None:
    """A header that promises more than all memory, and nothing behind it."""
    np.save(path, np.zeros((1, 1), np.float32))
    shape = b"(1, 1), }" + b" " * 20
    promised = b"(900000000, 1024), }".ljust(len(shape))
    path.write_bytes(path.read_bytes().replace(shape, promised))


def make_braces(path: Path) -> None:
    path.write_text('{"object_type": [' + "{}," * (8 * MB) + "1]}")


def make_tensors_of_annotations(path: Path) -> None:
    """Lists of a fixed size that are not there, by another name."""
    tensors = pa.fixed_shape_tensor(pa.int8(), [200_000])
    missing = pa.ExtensionArray.from_storage(tensors, pa.nulls(200, tensors.storage_type))
    write_parquet(path, groups=75, slice_id=["a"] * 200, pv_object_type=missing)


def make_annotations_with_a_dot(path: Path) -> None:
    """Such lists in a column whose name looks like the inside of another."""
    columns = {
        "slice_id": ["a"] * 200,
        "pv_object_type": ["car"] * 200,
        "pv_object_type.x": pa.nulls(200, pa.list_(pa.int8(), 200_000)),
    }
    write_parquet(path, groups=75, **columns)


def make_returns(path: Path) -> None:
    path.write_bytes(b"a\r" * (14 * MB))


def make_headers(path: Path) -> None:
    path.write_text("".join(f"[{number:x}{'.a' * 60}]\n" for number in range(60_000)))


def read_ids(path: Path) -> object:
    return read_keys_file(path, CLIP_KEYS)


def read_toml(path: Path) -> object:
    return parse_toml(path.read_text(), path)


BOMBS: dict[str, tuple[str, Make, Read]] = {
    "a dictionary of annotations": ("a.parquet", make_dictionary_of_annotations, read_annotations),
    "a dictionary of a run": ("r.parquet", make_dictionary_of_a_run, read_run),
    "values that are not there": ("q.parquet", make_nulls_of_results, read_results),
    "long lists": ("e.parquet", make_lists_of_embeddings, read_embeddings),
    "a run of line ends": ("r.trec.gz", make_gzip(b"\n"), read_run),
    "qrels of braces": ("q.json.gz", make_gzip(b"{"), read_qrels),
    "a truth of zeros": ("t.jsonl", make_gzip(b"\0"), read_tvr_truth),
    "annotations of commas": ("a.csv", make_gzip(b"a,"), read_annotations),
    "a packed array": ("e.npz", make_archive, read_embeddings),
    "objects without keys": ("v.json", make_braces, read_vocabulary),
    "tensors": ("a.parquet", make_tensors_of_annotations, read_annotations),
    "a name with a dot": ("a.parquet", make_annotations_with_a_dot, read_annotations),
    "lines that end in returns": ("ids.txt", make_returns, read_ids),
    "headers of headers": ("k.toml", make_headers, read_toml),
}


@contextmanager
def a_machine_with(free: int) -> Iterator[None]:
    """Let this process take so many bytes more, and no more."""
    before = resource.getrlimit(resource.RLIMIT_AS)
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    resource.setrlimit(resource.RLIMIT_AS, (pages * resource.getpagesize() + free, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)


def measure(name: str) -> int:
    status = Path("/proc/self/status").read_text()
    return int(status.partition(f"{name}:")[2].split(None, 1)[0]) << 10


@pytest.mark.slow
@pytest.mark.parametrize("bomb", BOMBS)
def test_a_bomb_is_refused_before_it_goes_off(bomb: str, tmp_path: Path) -> None:
    name, make, read = BOMBS[bomb]
    make(tmp_path / name)
    assert (tmp_path / name).stat().st_size < 30 * MB

    with a_machine_with(3 << 30):
        Path("/proc/self/clear_refs").write_text("5")  # forget the peak so far
        held, begin = measure("VmRSS"), time.process_time()
        with pytest.raises(TooLargeError, match=r"needs (about|more than) [\d.,]+ [MG]B of memory"):
            read(tmp_path / name)

    assert time.process_time() - begin < MOST_SECONDS
    assert measure("VmHWM") - held < MOST_GROWTH


def test_a_promise_that_is_not_kept_takes_no_memory(tmp_path: Path) -> None:
    make_promise(tmp_path / "a.npy")

    with a_machine_with(3 << 30), pytest.raises(Exception, match=r"a\.npy: is not a whole"):
        read_array(tmp_path / "a.npy", None, "--key", convert="array")


def test_more_may_be_allowed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    columns = {"slice_id": [f"clip_{n}" for n in range(200_000)], "scene": repeat("x", 200_000)}
    write_parquet(tmp_path / "a.parquet", **columns)

    monkeypatch.setenv("TUI_EVAL_MEMORY", "33MB")
    with pytest.raises(TooLargeError, match="TUI_EVAL_MEMORY allows 33MB"):
        read_annotations(tmp_path / "a.parquet", ["scene"])

    monkeypatch.setenv("TUI_EVAL_MEMORY", "1GB")
    assert len(read_annotations(tmp_path / "a.parquet", ["scene"]).ids) == 200_000


def test_sound_files_of_the_size_of_a_bomb_are_read(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    ids = [f"clip_{number}" for number in range(3000)]
    vectors = rng.standard_normal((3000, 64)).astype(np.float32)
    write_parquet(tmp_path / "e.parquet", slice_id=ids, embedding=list(vectors))
    np.savez_compressed(tmp_path / "e.npz", ids=np.array(ids), embeddings=vectors)
    lines = "".join(f"q{n // 100} Q0 d{n} {n % 100 + 1} {-n} tag\n" for n in range(100_000))
    (tmp_path / "r.trec.gz").write_bytes(gzip.compress(lines.encode()))

    with a_machine_with(3 << 30):
        assert len(read_embeddings(tmp_path / "e.parquet").ids) == 3000
        assert len(read_embeddings(tmp_path / "e.npz").ids) == 3000
        assert len(read_run(tmp_path / "r.trec.gz").queries) == 1000
