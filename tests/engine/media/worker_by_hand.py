"""A decoder that does what the file says: crash, hang, take memory, or look around."""

from __future__ import annotations

import os
import signal
import socket
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from engine.base.channel import Channel
from engine.media import decoder_worker
from engine.media.pictures import DecodeError, FrameRequest, Frames


def serve(channel: Channel, arguments: Sequence[str]) -> None:
    decoder_worker.decode = _obey  # type: ignore[attr-defined]
    decoder_worker.serve(channel, arguments)


def _obey(file: BinaryIO, request: FrameRequest) -> Frames:
    word = file.read().decode()
    if word.startswith("SIG"):
        os.kill(os.getpid(), signal.Signals[word])
    if word == "hang":
        time.sleep(60)
    if word == "compute":
        os.kill(os.getpid(), signal.SIGXCPU)  # as the system does after so many seconds
    tried = {"eat": _eat, "open": _open, "socket": socket.socket}
    if word in tried:
        _try(tried[word])
    shown = {"many": request.count + 1, "wide": 1}.get(word, 1)
    width = request.box.width + 1 if word == "wide" else 1
    pixels = np.full((shown, 1, width, 3), 7, np.uint8)
    rate = float("nan") if word == "nan" else 1.0
    return Frames(pixels, tuple(map(float, range(shown))), rate)


def _try(act: Callable[[], Any]) -> None:
    try:
        act()
    except (OSError, MemoryError) as error:
        raise DecodeError(type(error).__name__) from error


def _eat() -> None:
    held = [np.empty(10_000_000) for _ in range(100)]
    del held


def _open() -> None:
    Path("/etc/passwd").open().close()
