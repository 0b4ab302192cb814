"""Frames come out of real files, and no file can hang the reader or fill the memory.

Here they are decoded in the process of the tests; `test_decoder_process.py` has it done in another.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

import av
import numpy as np
import pytest
from PIL import Image

import sample_data
from engine.base.errors import InputError
from engine.dataset.annotations.read import Annotations, read_annotations
from engine.media import clip as media_clip
from engine.media.cache import FrameCache
from engine.media.clip import MediaError, find_media
from engine.media.decoding import decode
from engine.media.video import Video
from tests.engine.media.media_by_hand import animation, clip, png, shades, video

read_strip = partial(media_clip.read_strip, decode=decode)
read_clip = partial(media_clip.read_clip, decode=decode)

RED = (255, 0, 0)


def brightness(frames: object) -> list[int]:
    return [round(float(picture.mean())) for picture in frames.pixels]  # type: ignore[attr-defined]


def annotations(tmp_path: Path, **columns: str) -> Annotations:
    filled = {name: (text,) for name, text in columns.items()}
    return Annotations(tmp_path / "clips.csv", ("a",), (), "utf-8", ",", **filled)  # type: ignore[arg-type]


# Where the media lies.


def test_the_video_comes_before_the_gif_and_both_start_at_the_annotations(tmp_path: Path) -> None:
    media = find_media(
        annotations(
            tmp_path,
            video_path="v/a.mp4",
            gif_path="/else/a.gif",
            span_start="1.5",
            span_end="3",
        ),
        "a",
    )
    assert media.paths == (tmp_path / "v/a.mp4", Path("/else/a.gif"))
    assert (media.start, media.end, media.problem) == (1.5, 3.0, "")


@pytest.mark.parametrize("text", ["", "soon", "nan", "inf", "00:12"])
def test_a_span_that_is_no_number_is_none(tmp_path: Path, text: str) -> None:
    assert find_media(annotations(tmp_path, span_start=text), 0).start is None


def test_annotations_without_media_say_so(tmp_path: Path) -> None:
    media = find_media(annotations(tmp_path, video_path=""), 0)
    assert (media.paths, media.problem) == ((), "the annotations name no media file")
    with pytest.raises(MediaError, match="name no media file"):
        read_strip(media, 1, 8, 8)


@pytest.mark.parametrize("url", ["https://host/a.mp4", "s3://bucket/a.mp4", "http:a.mp4"])
def test_an_address_on_the_network_is_no_local_file(tmp_path: Path, url: str) -> None:
    media = find_media(annotations(tmp_path, video_path=url), 0)
    assert (media.paths, media.problem) == ((), f"not a local file: {url}")


def test_a_local_gif_stands_in_for_a_video_on_the_network(tmp_path: Path) -> None:
    media = find_media(annotations(tmp_path, video_path="s3://b/a.mp4", gif_path="a.gif"), 0)
    assert (media.paths, media.problem) == ((tmp_path / "a.gif",), "")


def test_a_clip_that_is_not_there_is_an_input_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match='no clip "b"'):
        find_media(annotations(tmp_path), "b")


# Which frames.


def test_every_shipped_clip_gives_frames() -> None:
    shipped = read_annotations(sample_data.folder() / "unified_annotation.csv")
    for row in range(0, len(shipped.ids), 20):
        media = find_media(shipped, row)
        frames = read_strip(media, 4, 24, 14)
        assert frames.pixels.shape == (4, 14, 24, 3)
        assert frames.path.suffix == ".mp4"
        webp = read_strip(replace(media, paths=media.paths[1:]), 4, 24, 14)
        assert webp.path.suffix == ".webp"
        difference = np.abs(webp.pixels.astype(int) - frames.pixels)
        assert difference.mean() < 12, "the preview shows the same scene"


@pytest.mark.parametrize("name", ["a.mp4", "a.gif", "a.webp"])
def test_a_strip_spreads_from_the_first_frame_to_the_last(tmp_path: Path, name: str) -> None:
    make = video if name.endswith("mp4") else animation
    frames = read_strip(clip(make(tmp_path / name, shades(11))), 3, 32, 18)
    assert frames.times == pytest.approx((0.0, 0.5, 1.0))
    assert brightness(frames) == pytest.approx([0, 127, 255], abs=4)
    assert frames.pixels.shape == (3, 18, 32, 3)


def test_the_span_selects_the_moment_inside_a_long_video(tmp_path: Path) -> None:
    path = video(tmp_path / "long.mp4", shades(200), gop=25)
    frames = read_strip(clip(path, start=12.0, end=14.1), 3, 32, 18)
    assert frames.times == pytest.approx((12.0, 13.0, 14.0))
    assert brightness(frames) == pytest.approx([round(255 * t / 19.9) for t in frames.times], abs=4)
    played = read_clip(clip(path, start=12.0, end=14.1), 32, 18)
    assert (len(played), played.times[0], played.fps) == (21, pytest.approx(12), pytest.approx(10))


def test_a_file_no_longer_than_its_span_is_the_cut_clip(tmp_path: Path) -> None:
    path = video(tmp_path / "cut.mp4", shades(20))
    assert read_strip(clip(path, start=72.0, end=74.0), 2, 8, 8).times == pytest.approx((0.0, 1.9))


def test_a_span_behind_the_end_of_a_longer_file_is_refused(tmp_path: Path) -> None:
    path = video(tmp_path / "short.mp4", shades(50))
    with pytest.raises(MediaError, match="has no frame at 72 s"):
        read_strip(clip(path, start=72.0, end=74.0), 2, 8, 8)


def test_a_span_turned_around_runs_to_the_end(tmp_path: Path) -> None:
    path = video(tmp_path / "a.mp4", shades(20))
    assert read_strip(clip(path, start=1.0, end=0.5), 2, 8, 8).times == pytest.approx((1.0, 1.9))


def test_more_frames_than_there_are_gives_all_of_them(tmp_path: Path) -> None:
    path = video(tmp_path / "a.mp4", shades(3))
    assert len(read_strip(clip(path), 9, 8, 8)) == 3


@pytest.mark.parametrize("name", ["still.png", "still.jpg", "still.webp"])
def test_a_still_is_one_frame_whatever_the_span(tmp_path: Path, name: str) -> None:
    Image.new("RGB", (40, 20), RED).save(tmp_path / name)
    frames = read_strip(clip(tmp_path / name, start=5, end=6), 4, 20, 20)
    assert frames.pixels.shape == (1, 10, 20, 3)
    assert frames.pixels[0, 5, 10].tolist() == pytest.approx(RED, abs=3)


def test_pictures_shrink_by_averaging_and_never_grow(tmp_path: Path) -> None:
    checks = np.indices((16, 16)).sum(axis=0) % 2 * 255
    Image.fromarray(np.repeat(checks[..., None], 3, 2).astype(np.uint8)).save(tmp_path / "c.png")
    assert set(np.unique(read_strip(clip(tmp_path / "c.png"), 1, 8, 8).pixels)) <= {127, 128}
    assert read_strip(clip(tmp_path / "c.png"), 1, 99, 99).pixels.shape == (1, 16, 16, 3)


def test_what_is_transparent_is_black(tmp_path: Path) -> None:
    Image.new("RGBA", (4, 4), (255, 255, 255, 0)).save(tmp_path / "t.png")
    assert not read_strip(clip(tmp_path / "t.png"), 1, 4, 4).pixels.any()


def test_pixels_that_are_not_square_are_shown_in_their_shape(tmp_path: Path) -> None:
    path = tmp_path / "wide.mp4"
    with av.open(str(path), "w") as container:
        stream = container.add_stream("libx264", rate=10)
        stream.width, stream.height, stream.pix_fmt = 32, 36, "yuv420p"
        stream.codec_context.sample_aspect_ratio = Fraction(2)
        for picture in shades(3, 32, 36):
            container.mux(stream.encode(av.VideoFrame.from_ndarray(picture, format="rgb24")))
        container.mux(stream.encode())
    assert read_strip(clip(path), 1, 32, 99).pixels.shape == (1, 18, 32, 3)


@pytest.mark.parametrize("name", ["a.mp4", "a.gif"])
def test_a_long_clip_plays_with_fewer_frames_in_the_same_time(tmp_path: Path, name: str) -> None:
    make = video if name.endswith("mp4") else animation
    frames = read_clip(clip(make(tmp_path / name, shades(100))), 8, 8, most=30)
    assert 15 <= len(frames) <= 30
    assert len(frames) / frames.fps == pytest.approx(10, rel=0.1)
    assert np.allclose(np.diff(frames.times), 1 / frames.fps)


def test_hours_of_video_are_played_by_key_frames_and_nothing_else_is_decoded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = video(tmp_path / "hours.mp4", shades(9000, 16, 16), rate=1, gop=60)
    decoded: list[bool] = []
    real = Video.frames

    def counted(reader: Video) -> Iterator[tuple[Any, float]]:
        for frame, at in real(reader):
            decoded.append(frame.key_frame)
            yield frame, at

    monkeypatch.setattr(Video, "frames", counted)
    frames = read_clip(clip(path), 8, 8, most=40)
    assert decoded == [True] * 40
    assert len(frames) == 40
    assert frames.times[-1] > 8900


# What goes wrong.


def test_the_first_path_that_can_be_read_wins(tmp_path: Path) -> None:
    (tmp_path / "broken.mp4").write_bytes(b"no video" * 99)
    gif = animation(tmp_path / "a.gif", shades(2))
    frames = read_strip(clip(tmp_path / "gone.mp4", tmp_path / "broken.mp4", gif), 2, 8, 8)
    assert frames.path == gif


def test_the_reason_is_that_of_the_video(tmp_path: Path) -> None:
    (tmp_path / "a.gif").write_bytes(b"GIF89a")
    with pytest.raises(MediaError) as caught:
        read_strip(clip(tmp_path / "gone.mp4", tmp_path / "a.gif"), 2, 8, 8)
    assert caught.value.message == "no such file"
    assert str(caught.value) == f"{tmp_path / 'gone.mp4'}: no such file"


def empty(path: Path) -> Path:
    path.write_bytes(b"")
    return path


def playlist(path: Path) -> Path:
    """A list of other files and addresses under the name of a video."""
    path.write_text("#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\nhttp://127.0.0.1:9/a.ts\n")
    return path


def concat(path: Path) -> Path:
    path.write_text("ffconcat version 1.0\nfile /etc/passwd\n")
    return path


def sound(path: Path) -> Path:
    with av.open(str(path), "w", format="mp4") as container:
        stream = container.add_stream("aac", rate=8000)
        frame = av.AudioFrame.from_ndarray(np.zeros((1, 1024), np.float32), "fltp", "mono")
        frame.sample_rate = 8000
        container.mux(stream.encode(frame))
        container.mux(stream.encode())
    return path


def no_frames(path: Path) -> Path:
    with av.open(str(path), "w", format="mp4") as container:
        stream = container.add_stream("libx264", rate=8)
        stream.width, stream.height, stream.pix_fmt = 16, 16, "yuv420p"
        container.start_encoding()
    return path


def bomb(path: Path) -> Path:
    """Less than a hundred bytes that claim to be 60,000 × 60,000 pixels."""
    path.write_bytes(png(60_000, 60_000, rows=1))
    return path


def large(path: Path) -> Path:
    Image.new("1", (9_000, 9_000)).save(path, format="PNG")
    return path


def fifo(path: Path) -> Path:
    os.mkfifo(path)
    return path


def folder(path: Path) -> Path:
    path.mkdir()
    return path


@pytest.mark.parametrize(
    ("make", "reason"),
    [
        (empty, "not a video or image that can be read"),
        (playlist, "not a video or image that can be read"),
        (concat, "not a video or image that can be read"),
        (sound, "has no frame"),
        (no_frames, "has no frame"),
        (bomb, "has 3,600 megapixels; at most 64 are decoded"),
        (large, "has 81 megapixels; at most 64 are decoded"),
        (fifo, "is not an ordinary file"),
        (folder, "is a folder, not a file"),
    ],
)
def test_a_bad_file_is_refused_with_its_reason(tmp_path: Path, make: object, reason: str) -> None:
    path = make(tmp_path / "a.mp4")  # type: ignore[operator]
    for read in (lambda: read_strip(clip(path), 3, 8, 8), lambda: read_clip(clip(path), 8, 8)):
        with pytest.raises(MediaError) as caught:
            read()
        assert caught.value.message == reason


@pytest.mark.parametrize("name", ["/dev/zero", "/dev/tty", "a\0b", "x" * 5000])
def test_a_device_or_an_impossible_name_is_refused(name: str) -> None:
    with pytest.raises(MediaError):
        read_strip(clip(Path(name)), 1, 8, 8)


def test_a_file_that_breaks_off_shows_what_it_has(tmp_path: Path) -> None:
    whole = video(tmp_path / "a.mp4", shades(60), options="+faststart").read_bytes()
    (tmp_path / "cut.mp4").write_bytes(whole[: len(whole) * 2 // 3])
    frames = read_strip(clip(tmp_path / "cut.mp4"), 3, 8, 8)
    assert 1 <= len(frames) <= 3
    assert frames.times[-1] < 5
    whole = animation(tmp_path / "a.gif", shades(30)).read_bytes()
    (tmp_path / "cut.gif").write_bytes(whole[: len(whole) // 2])
    assert 1 < len(read_clip(clip(tmp_path / "cut.gif"), 8, 8)) < 30


def test_a_gif_without_end_stops_at_the_limit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = animation(tmp_path / "a.gif", shades(40))
    data = path.read_bytes()
    first = data.index(b"\x21\xf9")
    path.write_bytes(data[:first] + data[first:-1] * 400)  # 16,000 frames and no end
    monkeypatch.setattr("engine.media.image.MOST_IMAGE_FRAMES", 3_000)
    assert len(read_clip(clip(path), 8, 8, most=50)) <= 50


def test_the_time_limit_gives_what_was_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.media.pictures.Deadline.over", True)
    path = animation(tmp_path / "a.gif", shades(20))
    assert len(read_strip(clip(path), 4, 8, 8)) == 1


@pytest.mark.parametrize("seed", range(40))
def test_damaged_files_give_frames_or_a_media_error(tmp_path: Path, seed: int) -> None:
    random = np.random.default_rng(seed)
    make, name = [(video, "a.mp4"), (animation, "a.gif"), (animation, "a.webp")][seed % 3]
    path = make(tmp_path / name, shades(12))
    data = bytearray(path.read_bytes())
    for place in random.integers(0, len(data), 30):
        data[place] = random.integers(256)
    path.write_bytes(data)
    try:
        frames = read_strip(clip(path, start=0.2, end=0.9), 3, 8, 8)
    except MediaError as error:
        assert "\n" not in str(error)
    else:
        assert frames.pixels.dtype == np.uint8
        assert len(frames) == len(frames.times) >= 1


def test_threads_read_at_the_same_time(tmp_path: Path) -> None:
    path = video(tmp_path / "a.mp4", shades(30))
    with ThreadPoolExecutor(8) as pool:
        strips = list(pool.map(lambda _: read_strip(clip(path), 3, 8, 8), range(24)))
    assert all((strip.pixels == strips[0].pixels).all() for strip in strips)


def test_importing_loads_no_decoder() -> None:
    code = "import sys, engine.media; print([m for m in ('av', 'PIL') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


# The cache.


def test_the_cache_reads_a_file_once_until_it_changes(tmp_path: Path) -> None:
    path = animation(tmp_path / "a.gif", shades(3))
    cache = FrameCache()
    first = cache.strip(clip(path), 2, 8, 8, decode)
    assert cache.strip(clip(path), 2, 8, 8, decode) is first
    assert cache.strip(clip(path), 1, 8, 8, decode) is not first
    assert cache.clip(clip(path), 8, 8, decode=decode) is cache.clip(
        clip(path), 8, 8, decode=decode
    )
    animation(path, shades(5))
    assert cache.strip(clip(path), 2, 8, 8, decode) is not first


def test_the_cache_drops_what_was_not_used_for_longest(tmp_path: Path) -> None:
    clips = [clip(animation(tmp_path / f"{i}.gif", shades(2))) for i in range(3)]
    cache = FrameCache(most_bytes=2 * (1_000 + 2 * 8 * 8 * 3))
    kept = cache.strip(clips[0], 2, 8, 8, decode)
    dropped = cache.strip(clips[1], 2, 8, 8, decode)
    assert cache.strip(clips[0], 2, 8, 8, decode) is kept
    cache.strip(clips[2], 2, 8, 8, decode)
    assert cache.strip(clips[0], 2, 8, 8, decode) is kept
    assert cache.strip(clips[1], 2, 8, 8, decode) is not dropped
    assert cache.bytes <= 2 * (1_000 + 2 * 8 * 8 * 3)


def test_frames_larger_than_the_cache_are_kept_alone(tmp_path: Path) -> None:
    cache = FrameCache(most_bytes=100)
    first = clip(animation(tmp_path / "a.gif", shades(2)))
    second = clip(animation(tmp_path / "b.gif", shades(2)))
    assert cache.strip(first, 2, 8, 8, decode) is cache.strip(first, 2, 8, 8, decode)
    alone = cache.bytes
    cache.strip(second, 2, 8, 8, decode)
    assert cache.bytes == alone


def test_a_failure_is_remembered_for_a_short_time(tmp_path: Path) -> None:
    now = [0.0]
    cache = FrameCache(failure_seconds=5, clock=lambda: now[0])
    path = tmp_path / "a.gif"
    path.write_bytes(b"GIF89a nothing")
    errors = []
    for now[0] in (0.0, 4.0, 6.0):
        with pytest.raises(MediaError) as caught:
            cache.strip(clip(path), 2, 8, 8, decode)
        errors.append(caught.value)
    assert errors[0] is errors[1]
    assert errors[2] is not errors[0]
    animation(path, shades(2))
    assert len(cache.strip(clip(path), 2, 8, 8, decode)) == 2, "a mended file is read at once"
