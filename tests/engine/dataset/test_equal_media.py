"""Clips that are one recording twice, told by the bytes of their media."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from engine.dataset import equal_media as module
from engine.dataset.annotations.read import Annotations, read_annotations
from engine.dataset.equal_media import find_equal_media


def annotate(folder: Path, *lines: str) -> Annotations:
    file = folder / "clips.csv"
    head = "slice_id,video_path,gif_path,span_start,span_end,pv_object_type"
    file.write_text("\n".join([head, *(f"{line},car" for line in lines)]))
    return read_annotations(file)


def test_files_of_the_same_bytes_are_equal_whatever_they_are_called(tmp_path: Path) -> None:
    long = b"x" * 200_000
    for name, data in {
        "a.mp4": long + b"1",
        "b.mp4": long + b"1",
        "c.mp4": long + b"2",  # differs at the end alone
        "d.mp4": b"short",
        "e.webp": b"short",
        "f.mp4": b"",
        "g.mp4": b"",
    }.items():
        (tmp_path / name).write_bytes(data)
    lines = ["a,a.mp4,,,", "b,b.mp4,,,", "c,c.mp4,,,", "d,d.mp4,,,", "e,,e.webp,,"]
    lines += ["f,f.mp4,,,", "g,g.mp4,,,", "h,gone.mp4,,,", "i,s3://x/a.mp4,,,", "j,,,,"]

    found = find_equal_media(annotate(tmp_path, *lines))

    assert found.sets == ((0, 1), (3, 4))
    assert (found.clips, found.files, found.unread) == (2, 7, 0)


def test_other_moments_of_one_file_are_other_clips(tmp_path: Path) -> None:
    (tmp_path / "a.mp4").write_bytes(b"drive")
    (tmp_path / "copy.mp4").write_bytes(b"drive")
    lines = ["a,a.mp4,,0,2", "b,a.mp4,,2,4", "c,copy.mp4,,0,2", "d,a.mp4,,2,4"]

    assert find_equal_media(annotate(tmp_path, *lines)).sets == ((0, 2), (1, 3))


def test_no_more_is_read_than_allowed_and_what_was_not_is_counted(tmp_path: Path) -> None:
    for name in "abcd":
        (tmp_path / f"{name}.mp4").write_bytes(b"y" * 100_000)
    annotations = annotate(tmp_path, *(f"{name},{name}.mp4,,," for name in "abcd"))

    found = find_equal_media(annotations, most=4 * module._BEGINNING + 250_000)

    assert found.sets == ((0, 1),) and found.unread == 2
    assert find_equal_media(annotations, most=10).unread == 4


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes")
def test_a_pipe_is_no_file(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "a.mp4")
    (tmp_path / "b.mp4").write_bytes(b"z")

    assert find_equal_media(annotate(tmp_path, "a,a.mp4,,,", "b,b.mp4,,,")).files == 1
