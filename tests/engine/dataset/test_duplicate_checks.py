"""What validation says of sources, and of clips that are there twice."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from engine.dataset import duplicate_checks as module
from engine.dataset.settings_file import open_dataset
from engine.dataset.validation import DatasetFault, validate

CLIPS = 60


def write(folder: Path, *, sources: bool = True, copies: int = 2, **files: bytes) -> Path:
    """Clips d00_a, d00_b, d01_a …, of two drives each; the last ones are copies of the first."""
    rng = np.random.default_rng(0)
    ids = [f"d{n // 2:02}_{'ab'[n % 2]}" for n in range(CLIPS)]
    vectors = rng.normal(size=(CLIPS, 16)).astype(np.float32)
    vectors[CLIPS - copies :] = vectors[:copies]
    np.savez(folder / "m.npz", ids=np.array(ids), embeddings=vectors)
    lines = [f"{clip},{clip}.mp4,car" for clip in ids]
    (folder / "clips.csv").write_text("\n".join(["slice_id,video_path,pv_object_type", *lines]))
    for name, data in files.items():
        (folder / f"{name}.mp4").write_bytes(data)
    settings = 'annotations = "clips.csv"\n[models.m]\nembeddings = "m.npz"\n'
    settings += "[source]\npattern = '^(d\\d+)_'\n" if sources else ""
    (folder / "dataset.toml").write_text(settings)
    return folder


def find(folder: Path, part: str) -> list[DatasetFault]:
    return [fault for fault in validate(open_dataset(folder)) if fault.part == part]


def test_sources_are_counted_with_where_they_are_known_from(tmp_path: Path) -> None:
    (fault,) = find(write(tmp_path), "sources")

    assert fault.level == "info"
    assert fault.message == (
        r"30 sources of 60 clips, known from pattern ^(d\d+)_; the largest is 'd00' with 2"
    )


def test_by_their_own_videos_all_clips_are_sources(tmp_path: Path) -> None:
    (fault,) = find(write(tmp_path, sources=False), "sources")

    assert "known from video_path; each clip is one of its own" in fault.message


@pytest.mark.parametrize(
    ("column", "said"),
    [
        (["", "", ""], ["warning: of no clip it is known what it is cut from"]),
        (["x", "x", "x"], ["info: 1 source of 3 clips", "warning: all clips are of one source"]),
        (["x", "x", ""], ["info: 1 source of 2 clips", "warning: all", "warning: of 1 clip the"]),
    ],
)
def test_sources_that_are_unknown_or_useless_are_a_warning(
    tmp_path: Path, column: list[str], said: list[str]
) -> None:
    lines = [f"{clip},{source},car" for clip, source in zip("abc", column, strict=True)]
    (tmp_path / "clips.csv").write_text("\n".join(["slice_id,drive,pv_object_type", *lines]))
    (tmp_path / "dataset.toml").write_text('annotations="clips.csv"\n[source]\ncolumn="drive"')

    found = [f"{fault.level}: {fault.message}" for fault in find(tmp_path, "sources")]

    assert len(found) == len(said)
    assert all(one.startswith(start) for one, start in zip(found, said, strict=True))


def test_clips_whose_embeddings_are_copies_are_listed(tmp_path: Path) -> None:
    fault = find(write(tmp_path), "model m")[-1]

    assert fault.level == "warning" and fault.pairs is not None and fault.pairs.found == 2
    assert fault.message.startswith("2 pairs of clips are nearly the same (cosine ≥ 0.9")
    assert fault.message.endswith(
        "calibrated on 56 clips), 2 of different sources: 'd00_a' = 'd29_a', 'd00_b' = 'd29_b'"
    )
    first = fault.pairs.listed[0]
    assert (first.clip, first.other, first.same_source) == ("d00_a", "d29_a", False)
    assert first.similarity == pytest.approx(1, abs=1e-6)


def test_where_nothing_is_a_copy_that_is_said(tmp_path: Path) -> None:
    fault = find(write(tmp_path, copies=0), "model m")[-1]

    assert fault.level == "info" and fault.pairs is None
    assert fault.message.startswith("no pair of clips is nearly the same")


def test_of_many_pairs_those_of_different_sources_are_listed_first_and_the_rest_is_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MOST_LISTED", 3)
    folder = write(tmp_path, copies=2)
    np.savez(
        folder / "m.npz",
        ids=np.load(folder / "m.npz")["ids"],
        embeddings=np.repeat(
            np.random.default_rng(1).normal(size=(CLIPS // 2, 16)), 2, axis=0
        ).astype(np.float32)[[*range(CLIPS - 2), 0, 0]],
    )

    fault = find(folder, "model m")[-1]

    # 29 drives are one clip twice, and the last two clips are copies of the first two: 4 pairs.
    assert fault.pairs is not None and fault.pairs.found == 29 + 1 + 4
    assert [pair.same_source for pair in fault.pairs.listed] == [False] * 3
    assert (
        fault.message.endswith("…; --json lists the first 3") and "4 of different" in fault.message
    )


def test_clips_of_the_same_bytes_are_listed(tmp_path: Path) -> None:
    folder = write(tmp_path, d00_a=b"one", d00_b=b"one", d07_a=b"one", d08_a=b"other")

    (fault,) = find(folder, "media")

    assert fault.level == "warning" and fault.pairs is not None
    assert fault.message == (
        "2 pairs of clips are the same bytes of media, 1 of different sources: "
        "'d00_a' = 'd07_a', 'd00_a' = 'd00_b'"
    )
    assert [pair.similarity for pair in fault.pairs.listed] == [None, None]


def test_copies_within_a_source_are_no_warning(tmp_path: Path) -> None:
    (fault,) = find(write(tmp_path, d00_a=b"one", d00_b=b"one"), "media")

    assert fault.level == "info" and fault.message.endswith("media: 'd00_a' = 'd00_b'")
