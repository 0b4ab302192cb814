"""A line ends at a line feed, a carriage return, or both, and nowhere else, in every text file."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from engine.base.errors import InputError
from engine.compare.compare_settings import read_clusters
from engine.dataset.embeddings.keys import CLIP_KEYS, read_keys_file
from engine.dataset.query_files import read_queries
from engine.keywords.typed_relevance import read_typed_clips
from engine.labels.data.file_shapes import have_matching_rows
from engine.labels.data.label_files import LabelFiles, LevelFile
from engine.labels.data.level_files import read_level
from engine.rankings.matrix_files import read_ids

NOT_AN_END = ["\u2028", "\u2029", "\x85", "\x0c", "\x0b", "\x1c", "\x1e"]
"""Where `str.splitlines` would break a line."""

ENDS = ["\n", "\r\n", "\r"]

READERS: dict[str, tuple[str, str, Callable[[Path], list[str]]]] = {
    "queries.txt": ("", "", lambda path: [one.text for one in read_queries(path)]),
    "queries.csv": ("query", "", lambda path: [one.text for one in read_queries(path)]),
    "clusters.csv": ("query,cluster", ",c", lambda path: list(read_clusters(path))),
    "typed.txt": ("", "", lambda path: [one.text for one in read_typed_clips(path)]),
    "scored.txt": ("", "", lambda path: list(read_ids(path, 2, "rows", path))),
    "keys.txt": ("", "", lambda path: list(read_keys_file(path, CLIP_KEYS))),
    "keys.csv": ("slice_id", "", lambda path: list(read_keys_file(path, CLIP_KEYS))),
    "labels.txt": ("", "", lambda path: list(read_level(LevelFile("l", path)).level.names)),
    "labels.csv": ("label", "", lambda path: list(read_level(LevelFile("l", path)).level.names)),
}
"""How the lines of each file begin and end, and what reads two of them."""


def write(folder: Path, name: str, lines: list[str], end: str = "\n") -> Path:
    first, after, _ = READERS[name]
    path = folder / name
    whole = [*([first] if first else []), *(line + after for line in lines)]
    path.write_bytes("".join(line + end for line in whole).encode())
    return path


@pytest.mark.parametrize("name", READERS)
@pytest.mark.parametrize("end", ENDS)
@pytest.mark.parametrize("inside", NOT_AN_END)
def test_a_text_is_not_broken_where_no_line_ends(
    tmp_path: Path, name: str, end: str, inside: str
) -> None:
    lines = [f"a bus{inside}at night", "car"]

    assert READERS[name][2](write(tmp_path, name, lines, end)) == lines


@pytest.mark.parametrize("end", ENDS)
@pytest.mark.parametrize("inside", NOT_AN_END)
def test_what_follows_has_the_number_of_its_line(tmp_path: Path, end: str, inside: str) -> None:
    texts = [f"a{inside}b", "", "car"]
    plain = write(tmp_path, "queries.txt", texts, end)
    table = write(tmp_path, "queries.csv", texts, end)
    typed = write(tmp_path, "typed.txt", texts, end)

    def lines(*found: object) -> list[int | None]:
        return [one.place.line for one in found]  # type: ignore[attr-defined]

    assert lines(*read_queries(plain)) == [1, 3]
    assert lines(*read_queries(table)) == [2, 4]
    assert lines(*read_typed_clips(typed)) == [1, 3]
    with pytest.raises(InputError, match="line 2: has no id"):
        read_ids(write(tmp_path, "scored.txt", texts, end), 3, "rows", plain)


def test_a_query_that_spans_lines_is_reported_by_its_first_one(tmp_path: Path) -> None:
    path = tmp_path / "q.csv"
    path.write_text('query\n"a\nbus"\ncar\n')

    assert [(one.text, one.place.line) for one in read_queries(path) if one.place] == [
        ("a\nbus", 2),
        ("car", 4),
    ]


@pytest.mark.parametrize("inside", NOT_AN_END)
def test_json_lines_end_at_line_ends(tmp_path: Path, inside: str) -> None:
    path = tmp_path / "q.jsonl"
    text = f"a bus{inside}at night"
    # Whatever is no control character may stand in a JSON string as it is.
    record = json.dumps({"q": text}, ensure_ascii=False)
    path.write_text(f'{record}\r\n\r\n{{"q": "car"}}\r\n', newline="")

    assert [one.text for one in read_queries(path)] == [text, "car"]


@pytest.mark.parametrize("suffix", ["txt", "csv"])
@pytest.mark.parametrize("inside", NOT_AN_END)
def test_a_first_look_at_labels_counts_the_lines_that_the_reader_counts(
    tmp_path: Path, suffix: str, inside: str
) -> None:
    np.save(tmp_path / "a.npy", np.eye(2))
    level = LevelFile(
        "label", write(tmp_path, f"labels.{suffix}", [f"a{inside}b", "c"]), named=True
    )

    assert have_matching_rows(LabelFiles(tmp_path / "a.npy", (level,)))


# One reader of keys, with the limits of every other


@pytest.mark.parametrize("name", ["keys.txt", "keys.json", "keys.csv", "keys.npy"])
def test_keys_are_read_from_a_file_that_is_one(tmp_path: Path, name: str) -> None:
    (tmp_path / name).mkdir()
    with pytest.raises(InputError, match="is a folder, not a file"):
        read_keys_file(tmp_path / name, CLIP_KEYS)
    with pytest.raises(InputError, match="no such file; check the path"):
        read_keys_file(tmp_path / "none" / name, CLIP_KEYS)


def test_keys_larger_than_the_memory_are_refused_at_once(tmp_path: Path) -> None:
    file = tmp_path / "keys.txt"
    with file.open("wb") as sparse:
        sparse.truncate(1 << 40)

    with pytest.raises(InputError, match=r"needs about 6,144 GB of memory, .* are free"):
        read_keys_file(file, CLIP_KEYS)


def test_a_line_of_keys_that_is_no_text_is_named(tmp_path: Path) -> None:
    (tmp_path / "keys.txt").write_bytes(b"a\n\xff\n")

    with pytest.raises(InputError, match=r"line 2: is not UTF-8 \(byte 0xff\)"):
        read_keys_file(tmp_path / "keys.txt", CLIP_KEYS)
