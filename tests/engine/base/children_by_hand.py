"""What the children of the tests do: a module that is imported, and then answers."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Sequence
from typing import Any

from engine.base.channel import Channel

if "import forever" in sys.argv:
    end = time.monotonic() + 60
    while time.monotonic() < end:  # as an import of torch: busy, and in no mood to look around
        sum(range(1_000_000))


def serve(channel: Channel, arguments: Sequence[str]) -> None:
    while (request := channel.receive(most_payload=1_000_000, takes_file=True)) is not None:
        header, payload, file = request
        channel.send(*_answer(header, payload, file))


def _answer(header: dict[str, Any], payload: bytes, file: int | None) -> tuple[Any, bytes]:
    what = header["do"]
    if what == "echo":
        return header, payload
    if what == "read":
        assert file is not None
        with os.fdopen(file, "rb") as opened:
            return {}, opened.read()
    if what == "describe":
        open_files = sorted(map(int, os.listdir("/dev/fd")))  # noqa: PTH208
        return {"variables": sorted(os.environ), "files": open_files}, b""
    if what == "say":
        sys.stderr.write("a warning\n" * header["times"] + "the \x1b[31mlast\x07 word\n")
        os._exit(3)
    if what == "hang":
        time.sleep(60)
    os.kill(os.getpid(), signal.Signals[what])
    return {}, b""
