"""Frames → files: H.264 in MP4 for players, animated WebP for terminals, and back."""

from pathlib import Path

import av
import numpy as np
from PIL import Image

from sample_data.render import FPS, Frames


def write_mp4(path: Path, frames: Frames, crf: int = 24) -> None:
    """H.264, one thread and no timestamps of today: the same frames give the same bytes."""
    # x264's mbtree gives other bytes from time to time, also in one thread.
    options = {"crf": str(crf), "preset": "slow", "threads": "1", "x264-params": "mbtree=0"}
    with av.open(str(path), "w", options={"movflags": "faststart", "fflags": "+bitexact"}) as out:
        stream = out.add_stream("libx264", rate=FPS, options=options)
        stream.width, stream.height = frames.shape[2], frames.shape[1]
        stream.pix_fmt = "yuv420p"
        stream.thread_count = 1
        for frame in frames:
            out.mux(stream.encode(av.VideoFrame.from_ndarray(frame, format="rgb24")))
        out.mux(stream.encode(None))


def write_webp(path: Path, frames: Frames, quality: int = 42) -> None:
    """An endless loop at the clip's own speed."""
    first, *rest = [Image.fromarray(frame) for frame in frames]
    first.save(
        path,
        format="WEBP",
        save_all=True,
        append_images=rest,
        duration=round(1000 / FPS),
        loop=0,
        quality=quality,
        method=4,
    )


def read_mp4(path: Path) -> Frames:
    """Every frame of a clip as RGB, as a player would show it."""
    with av.open(str(path)) as clip:
        frames = [frame.to_ndarray(format="rgb24") for frame in clip.decode(video=0)]
    return np.stack(frames)
