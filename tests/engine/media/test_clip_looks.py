"""How clips look: taken from their media once, kept by content, and never an error."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO

import numpy as np
import pytest

import sample_data
from engine.base.progress import Step
from engine.dataset.annotations.read import Annotations, read_annotations
from engine.files.data_folder import find_cache_folder
from engine.media import look_cache
from engine.media.decoder_process import decode_apart
from engine.media.decoding import decode
from engine.media.look_cache import LookCache
from engine.media.looks import NOT_ANNOTATED, ClipLooks, LookGap, describe_clips
from engine.media.pictures import FrameRequest, Frames
from engine.text.vector_cache import VectorCache
from tests.engine.media.media_by_hand import animation, shades, video


@pytest.fixture(autouse=True)
def empty_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TUI_EVAL_CACHE", str(tmp_path / "cache"))


class Decoder:
    """Decodes here, and counts how often."""

    def __init__(self) -> None:
        self.calls = 0

    def __call__(self, file: BinaryIO, request: FrameRequest) -> Frames:
        self.calls += 1
        return decode(file, request)


def block(left: int) -> list[np.ndarray]:
    """A square on grey that moves a little."""
    pictures = [np.full((36, 64, 3), 90, np.uint8) for _ in range(10)]
    for step, picture in enumerate(pictures):
        picture[10:20, left + step : left + step + 10] = (220, 40, 40)
    return pictures


def clips(tmp_path: Path, videos: list[str], **columns: list[str]) -> Annotations:
    filled = {name: tuple(texts) for name, texts in columns.items()}
    ids = tuple(f"clip-{place}" for place in range(len(videos)))
    file = tmp_path / "clips.csv"
    return Annotations(file, ids, (), "utf-8", ",", video_path=tuple(videos), **filled)  # type: ignore[arg-type]


@pytest.fixture
def three(tmp_path: Path) -> Annotations:
    """Two squares side by side, and a picture that grows brighter, as a gif."""
    video(tmp_path / "left.mp4", block(5))
    video(tmp_path / "near.mp4", block(6))
    animation(tmp_path / "shades.gif", shades(10))
    return clips(tmp_path, ["left.mp4", "near.mp4", ""], gif_path=["", "none.gif", "shades.gif"])


def look(annotations: Annotations) -> tuple[ClipLooks, int]:
    decoder = Decoder()
    looks = describe_clips(annotations, annotations.ids, decode=decoder)
    return looks, decoder.calls


def test_what_looks_alike_has_a_higher_cosine(three: Annotations) -> None:
    looks, _ = look(three)

    likeness = looks.vectors @ looks.vectors.T
    assert np.diag(likeness) == pytest.approx(1.0, abs=1e-5)
    assert likeness[0, 1] > 0.5 > 0.0 > likeness[0, 2]
    assert (looks.known.tolist(), looks.gaps) == ([True] * 3, ())


def test_rows_are_in_the_order_of_the_clips_that_were_asked_for(three: Annotations) -> None:
    forwards, _ = look(three)

    backwards = describe_clips(three, three.ids[::-1], decode=decode)

    assert backwards.vectors[::-1] == pytest.approx(forwards.vectors, abs=1e-5)


# Kept by content.


def test_a_second_call_decodes_nothing(three: Annotations) -> None:
    first, calls = look(three)
    again, calls_again = look(three)

    assert (calls, calls_again) == (3, 0)
    assert again.vectors.tobytes() == first.vectors.tobytes()


def test_looks_are_the_same_without_a_cache(
    three: Annotations, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    first, _ = look(three)
    monkeypatch.setenv("TUI_EVAL_CACHE", str(tmp_path / "another"))

    again, calls = look(three)

    assert calls == 3
    assert again.vectors.tobytes() == first.vectors.tobytes()


def test_a_file_that_was_copied_is_known_by_its_bytes(three: Annotations, tmp_path: Path) -> None:
    look(three)
    shutil.copyfile(tmp_path / "left.mp4", tmp_path / "copy.mp4")

    _, calls = look(clips(tmp_path, ["copy.mp4"]))

    assert calls == 0


@pytest.mark.parametrize("settled", [2.0, -1.0], ids=["just written", "written long ago"])
def test_changed_content_is_decoded_again_whatever_its_size_and_time(
    tmp_path: Path, settled: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(look_cache, "_SETTLED", settled)
    file = animation(tmp_path / "a.gif", block(5))
    before, was = file.read_bytes(), file.stat()
    look(clips(tmp_path, ["a.gif"]))

    file.write_bytes(before[:-1] + b"\0")  # its last byte says that it ends
    os.utime(file, ns=(was.st_atime_ns, was.st_mtime_ns))
    changed = file.stat()
    _, calls = look(clips(tmp_path, ["a.gif"]))

    assert (changed.st_size, changed.st_mtime_ns) == (was.st_size, was.st_mtime_ns)
    assert calls == 1


def test_a_file_that_has_settled_need_not_be_read_again(
    three: Annotations, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(look_cache, "_SETTLED", -1.0)
    first, _ = look(three)
    monkeypatch.setattr(look_cache, "_hash_open_file", lambda _: pytest.fail("it was read"))

    again, calls = look(three)

    assert calls == 0
    assert again.vectors.tobytes() == first.vectors.tobytes()


def test_a_huge_file_is_not_read_for_its_digest(
    three: Annotations, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(look_cache, "MOST_HASHED", 10)
    monkeypatch.setattr(look_cache, "_hash_open_file", lambda _: pytest.fail("it was read"))

    looks, calls = look(three)

    assert (looks.known.all(), calls) == (True, 3)


def test_another_moment_of_the_same_file_is_another_look(tmp_path: Path) -> None:
    video(tmp_path / "a.mp4", shades(30))
    spans = {"span_start": ["0", "2", "0"], "span_end": ["1", "3", "1"]}

    looks, calls = look(clips(tmp_path, ["a.mp4"] * 3, **spans))

    assert calls == 2
    assert np.array_equal(looks.vectors[0], looks.vectors[2])
    assert looks.vectors[0] @ looks.vectors[1] < 0


def test_a_file_of_many_moments_is_read_once_for_its_digest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(look_cache, "_SETTLED", -1.0)
    read: list[object] = []
    hash_file: Callable[[BinaryIO], str] = look_cache._hash_open_file
    monkeypatch.setattr(
        look_cache, "_hash_open_file", lambda file: read.append(file) or hash_file(file)
    )
    video(tmp_path / "a.mp4", shades(30))

    look(clips(tmp_path, ["a.mp4"] * 3, span_start=["0", "1", "2"], span_end=["1", "2", "3"]))

    assert len(read) == 1


def test_the_cache_is_its_owners_alone_and_names_no_file(three: Annotations) -> None:
    look(three)

    (file,) = find_cache_folder().glob("vectors-*.sqlite")
    assert file.stat().st_mode & 0o777 == 0o600
    assert find_cache_folder().stat().st_mode & 0o777 == 0o700
    assert b"left" not in file.read_bytes()


@pytest.mark.parametrize("damage", [b"", b"no database", bytes(9000)], ids=len)
def test_a_damaged_cache_is_made_again(three: Annotations, damage: bytes) -> None:
    first, _ = look(three)
    (file,) = find_cache_folder().glob("vectors-*.sqlite")
    file.write_bytes(damage)

    again, calls = look(three)

    assert calls == 3
    assert again.vectors.tobytes() == first.vectors.tobytes()
    assert look(three)[1] == 0


def test_a_cache_that_cannot_be_written_costs_time_alone(
    three: Annotations, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("TUI_EVAL_CACHE", str(tmp_path / "file/cache"))

    looks, calls = look(three)

    assert (looks.known.all(), calls) == (True, 3)


def test_a_vector_of_another_length_is_computed_again(three: Annotations) -> None:
    class Foreign(VectorCache):
        """As if somebody had put other vectors under every key."""

        def get(self, texts: object) -> dict[str, np.ndarray]:
            return {str(text): np.ones(7, np.float32) for text in texts}  # type: ignore[attr-defined]

    decoder = Decoder()
    looks = describe_clips(three, three.ids, decode=decoder, cache=LookCache(Foreign(None)))

    assert (looks.known.all(), decoder.calls) == (True, 3)


# Broken media.


def test_media_that_cannot_be_read_are_unknown_and_counted(
    three: Annotations, tmp_path: Path
) -> None:
    (tmp_path / "broken.mp4").write_bytes(b"no video at all")
    (tmp_path / "folder.mp4").mkdir()
    videos = ["left.mp4", "broken.mp4", "none.mp4", "s3://b/a.mp4", "", "broken.mp4", "folder.mp4"]
    annotations = clips(tmp_path, [*videos, "near.mp4"])

    looks = describe_clips(annotations, (*annotations.ids, "unheard of"), decode=decode_apart)

    assert np.flatnonzero(looks.known).tolist() == [0, 7]
    assert not looks.vectors[~looks.known].any()
    assert looks.gaps == (
        LookGap("not a video or image that can be read", 2, "clip-1"),
        LookGap("is a folder, not a file", 1, "clip-6"),
        LookGap("no such file", 1, "clip-2"),
        LookGap("not a local file: s3://b/a.mp4", 1, "clip-3"),
        LookGap(NOT_ANNOTATED, 1, "unheard of"),
        LookGap("the annotations name no media file", 1, "clip-4"),
    )


def test_clips_that_are_not_known_do_not_move_the_others(
    three: Annotations, tmp_path: Path
) -> None:
    first, _ = look(three)

    more = clips(tmp_path, ["left.mp4", "near.mp4", "shades.gif", "none.mp4"])
    looks, _ = look(more)

    assert looks.vectors[:3].tobytes() == first.vectors.tobytes()


def test_a_gif_stands_in_for_a_video_that_is_broken(three: Annotations, tmp_path: Path) -> None:
    (tmp_path / "broken.mp4").write_bytes(b"no video at all")
    videos = ["left.mp4", "broken.mp4", "shades.gif"]

    looks, _ = look(clips(tmp_path, videos, gif_path=["", "shades.gif", ""]))

    assert looks.known.all()
    assert np.array_equal(looks.vectors[1], looks.vectors[2])


def test_a_file_that_was_mended_is_found(three: Annotations, tmp_path: Path) -> None:
    file = tmp_path / "a.mp4"
    file.write_bytes(b"no video at all")
    assert not look(clips(tmp_path, ["a.mp4"]))[0].known.any()

    shutil.copyfile(tmp_path / "left.mp4", file)

    assert look(clips(tmp_path, ["a.mp4"]))[0].known.all()


def test_a_dataset_without_media_has_no_looks(tmp_path: Path) -> None:
    looks, calls = look(Annotations(tmp_path / "clips.csv", ("a", "b"), (), "utf-8", ","))

    assert (looks.vectors.any(), looks.known.any(), calls) == (False, False, 0)
    assert looks.gaps == (LookGap("the annotations name no media file", 2, "a"),)


def test_no_clips_have_no_looks(three: Annotations) -> None:
    looks = describe_clips(three, ())

    assert (len(looks.vectors), len(looks.known), looks.gaps) == (0, 0, ())


# Progress.


def test_the_steps_go_from_none_to_all(three: Annotations) -> None:
    steps: list[Step] = []

    describe_clips(three, three.ids * 7, steps.append, decode)

    assert steps == [Step("", "looks", done, 21) for done in (0, 16, 21)]


def test_who_cancels_keeps_what_was_seen(three: Annotations) -> None:
    class CancelError(Exception):
        pass

    def cancel(step: Step) -> None:
        if step.done:
            raise CancelError

    with pytest.raises(CancelError):
        describe_clips(three, (*three.ids[:2] * 8, three.ids[2]), cancel, decode)

    assert look(three)[1] == 1


# On the sample.


def test_scenes_of_one_time_of_day_look_alike() -> None:
    shipped = read_annotations(sample_data.folder() / "unified_annotation.csv")
    rows = range(0, len(shipped.ids), 7)
    (scenes,) = (group for group in shipped.groups if group.group == "scene_type")

    looks = describe_clips(shipped, [shipped.ids[row] for row in rows], decode=decode)

    dark = np.array(["nighttime" in scenes.of(row) for row in rows])
    likeness = looks.vectors @ looks.vectors.T
    np.fill_diagonal(likeness, np.nan)
    assert looks.known.all()
    assert np.nanmean(likeness[np.ix_(dark, dark)]) > 0.2
    assert np.nanmean(likeness[np.ix_(dark, ~dark)]) < 0.0
