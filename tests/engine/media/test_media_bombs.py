"""Small files that want to be huge, and paths that are none: shown or refused, in one line."""

from __future__ import annotations

import os
import struct
import time
from pathlib import Path

import av
import numpy as np
import pytest

from engine.dataset.annotations.read import Annotations
from engine.media import decoder_process
from engine.media.clip import MediaError, find_media, read_clip, read_strip
from engine.media.decoder_worker import MOST_MEMORY
from engine.media.decoding import decode
from tests.engine.media.media_by_hand import (
    animation,
    clip,
    gif,
    patched,
    png,
    shades,
    video,
    webp,
)

PATIENCE = 10.0
"""Seconds within which any file is shown or refused, also where others use the machine."""


def look_at(path: Path) -> str:
    """Why a file is refused, or how many frames are shown; the same for a strip and for playing."""
    said = []
    for read in (lambda: read_strip(clip(path), 3, 24, 14), lambda: read_clip(clip(path), 24, 14)):
        began = time.monotonic()
        try:
            frames = read()
        except MediaError as error:
            assert "\n" not in error.message and len(error.message) < 120
            said.append(error.message)
        else:
            said.append("shown")
            assert frames.pixels.shape[1:3] <= (14, 24)
        assert time.monotonic() - began < PATIENCE
    assert said[0] == said[1]
    return said[0]


def megapixels(number: str, most: int = 64) -> str:
    return f"has {number} megapixels; at most {most} are decoded"


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (png(50_000, 50_000, rows=3), megapixels("2,500")),
        (png(0x7FFFFFFF, 0x7FFFFFFF, rows=0), megapixels("4.61169e+12")),
        (gif((1, 1), canvas=(65_535, 65_535)), megapixels("4,294.9")),
        (gif((65_535, 65_535)), "has a frame of more than 64 megapixels"),
        (gif((9_000, 9_000)), megapixels("81")),
        (gif((1, 1), (65_535, 65_535)), "shown"),
        (gif((1, 1), (9_000, 9_000)), "shown"),
        (gif((1, 1), times=1_000_000), "shown"),
        (webp(b"VP8X", 16_384, 16_384), megapixels("268.5", 24)),
        (webp(b"VP8X", 1 << 24, 1 << 24), megapixels("2.81475e+08", 24)),
        (webp(b"VP8L", 16_383, 16_383), megapixels("268.5", 24)),
        (webp(b"VP8 ", 16_383, 16_383), megapixels("268.5", 24)),
        (webp(b"VP8X", 100, 100), "not a video or image that can be read"),
        (webp(b"VP8 ", 0, 0), "has no frame"),
    ],
    ids=lambda given: given if isinstance(given, str) else "",
)
def test_an_image_is_measured_before_it_is_unpacked(data: bytes, said: str, tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(data)

    assert look_at(tmp_path / "file") == said


def test_what_was_decoded_took_no_more_memory_than_allowed(tmp_path: Path) -> None:
    """64 megapixels from a file of 35 KB, and all that this child has read before."""
    (tmp_path / "file").write_bytes(png(8_000, 8_000))
    assert len(read_strip(clip(tmp_path / "file"), 1, 24, 14)) == 1

    status = Path(f"/proc/{decoder_process._shared.pid}/status").read_text()
    peak = next(line for line in status.splitlines() if line.startswith("VmHWM"))
    assert 1_000 * int(peak.split()[1]) < MOST_MEMORY


def test_the_frames_of_an_animation_are_bounded_in_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.media.image.MOST_UNPACKED", 5 * 64 * 36)
    path = animation(tmp_path / "a.gif", shades(9))

    frames = read_clip(clip(path), 24, 14, decode=decode)

    assert len(frames) == 5 and frames.unpacked == 5 * 64 * 36
    assert read_strip(clip(path), 3, 24, 14).unpacked == 9 * 64 * 36, "also from the child"


def liar(path: Path, packet: bytes) -> Path:
    """A video that says 64 × 64 pixels, and whose only frame is this PNG."""
    with av.open(str(path), "w", format="mov") as container:
        stream = container.add_stream("png", rate=10)
        stream.width, stream.height, stream.pix_fmt = 64, 64, "rgb24"
        stream.encode(av.VideoFrame.from_ndarray(np.zeros((64, 64, 3), np.uint8), format="rgb24"))
        frame = av.Packet(packet)
        frame.stream, frame.pts, frame.dts, frame.is_keyframe = stream, 0, 0, True
        container.mux(frame)
    return path


def test_a_frame_larger_than_its_video_says_is_refused(tmp_path: Path) -> None:
    assert look_at(liar(tmp_path / "a.mov", png(9_000, 9_000))) == megapixels("81")
    assert look_at(liar(tmp_path / "b.mov", png(50_000, 50_000, rows=3))) == "has no frame"


U32 = struct.Struct(">I").pack
MOST = U32(0xFFFFFFFF)


@pytest.mark.parametrize(
    ("box", "fields"),
    [
        (b"mvhd", [(12, U32(1)), (16, MOST)]),  # timescale, duration
        (b"mvhd", [(12, MOST), (16, MOST)]),
        (b"mdhd", [(12, U32(1))]),
        (b"mdhd", [(12, MOST)]),
        (b"mdhd", [(12, U32(1)), (16, MOST)]),
        (b"mdhd", [(12, U32(0))]),
        (b"tkhd", [(20, MOST)]),
        (b"elst", [(8, MOST), (12, U32(0x7FFFFFFF))]),  # duration, start
        (b"elst", [(4, MOST)]),  # number of entries
        (b"stts", [(4, MOST), (8, MOST), (12, MOST)]),
        (b"stts", [(12, MOST)]),
        (b"stsz", [(8, MOST)]),
        (b"stsz", [(4, MOST)]),
        (b"stco", [(8, MOST)]),
        (b"avc1", [(24, b"\xff\xff\xff\xff")]),  # width and height
        (b"avcC", [(5, b"\xff" * 8)]),
    ],
    ids=lambda given: given.decode() if isinstance(given, bytes) else "",
)
def test_numbers_in_a_video_that_cannot_be_cost_nothing(
    box: bytes, fields: list[tuple[int, bytes]], tmp_path: Path
) -> None:
    whole = video(tmp_path / "whole.mp4", shades(12)).read_bytes()
    (tmp_path / "a.mp4").write_bytes(patched(whole, box, *fields))
    began = time.monotonic()
    for read in (read_strip, read_clip):
        arguments = (3, 8, 8) if read is read_strip else (8, 8)
        try:
            assert len(read(clip(tmp_path / "a.mp4"), *arguments)) >= 1
        except MediaError as error:
            assert "\n" not in str(error)
            assert "the decoder ended" not in error.message

    assert time.monotonic() - began < PATIENCE


@pytest.mark.parametrize("seed", range(30))
def test_a_damaged_or_cut_file_never_ends_the_decoder(tmp_path: Path, seed: int) -> None:
    random = np.random.default_rng(seed)
    make, name = [(video, "a.mp4"), (animation, "a.gif"), (animation, "a.webp")][seed % 3]
    path = make(tmp_path / name, shades(8))
    data = bytearray(path.read_bytes())
    for place in random.integers(0, min(len(data), 2_000), 1 + seed):
        data[place] = random.integers(256)
    path.write_bytes(data[: random.integers(len(data) // 2, len(data))])
    read_strip(clip(animation(tmp_path / "whole.gif", shades(2))), 1, 8, 8)
    before = decoder_process._shared.pid
    try:
        assert len(read_strip(clip(path), 3, 8, 8)) >= 1
    except MediaError as error:
        assert "\n" not in str(error)

    assert decoder_process._shared.pid == before


# Paths.


def annotated(folder: Path, text: str, column: str) -> Annotations:
    return Annotations(folder / "clips.csv", ("a",), (), "utf-8", ",", **{column: (text,)})  # type: ignore[arg-type]


@pytest.mark.parametrize("column", ["video_path", "gif_path"])
@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("x" * 300, "cannot be read (file name too long)"),
        ("x/" * 3000, "cannot be read (file name too long)"),
        ("a\0b.mp4", "no such file"),
        ("a\ud800.mp4", "no such file"),
        (".", "is a folder, not a file"),
        ("..", "is a folder, not a file"),
        ("/dev/zero", "is not an ordinary file"),
        ("/dev/tty", "is not an ordinary file"),
        ("pipe", "is not an ordinary file"),
        ("loop", "cannot be read (too many levels of symbolic links)"),
        ("text.mp4/a.mp4", "no such file"),
        ("text.mp4", "not a video or image that can be read"),
        ("http://127.0.0.1:9/a.mp4", "not a local file: http://127.0.0.1:9/a.mp4"),
        ("HTTPS:a.mp4", "not a local file: HTTPS:a.mp4"),
        ("concat:text.mp4|text.mp4", "no such file"),
        ("file:text.mp4", "no such file"),
        ("subfile,,start,0,end,9,,:text.mp4", "no such file"),
        ("tcp:127.0.0.1:9", "no such file"),
        ("udp://127.0.0.1:9", "not a local file: udp://127.0.0.1:9"),
        ("pipe:0", "no such file"),
        ("s3://" + "x" * 999, f"not a local file: s3://{'x' * 94}…{'x' * 100}"),
    ],
    ids=lambda text: ascii(text[:30]),
)
def test_a_path_that_leads_nowhere_is_one_line(
    text: str, said: str, column: str, tmp_path: Path
) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    (tmp_path / "text.mp4").write_text("no video")
    media = find_media(annotated(tmp_path, text, column), "a")

    with pytest.raises(MediaError) as refused:
        read_strip(media, 1, 8, 8)

    assert refused.value.message == said
