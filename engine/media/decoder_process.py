"""Files are decoded in a child process: one that breaks its decoder breaks nothing else.

The child is started with the first frame that is wanted, and kept. When it ends, the file at hand
has a reason why it is not shown, and the next file gets another child.
"""

from __future__ import annotations

import contextlib
import math
import os
import time
from collections.abc import Callable
from typing import Any, BinaryIO, TypeAlias

import numpy as np

from engine.base.channel import ChannelError, Message, Patience
from engine.base.child_process import ChildProcess
from engine.base.fair_lock import FairLock
from engine.base.messages import fit_on_line
from engine.media.pictures import DecodeError, FrameRequest, Frames

CheckHook: TypeAlias = Callable[[], None]
"""Raises when nobody waits for the frames any more."""

STARTING_SECONDS = 60.0
"""In which a child must have started; a fifth of one is usual."""

DECODING_SECONDS = 9.0
"""In which a file must be decoded. The readers stop after `READING_SECONDS` with what they have:
this is for what they cannot stop."""

GRACE = 0.3
"""Seconds for frames that nobody waits for any more: another child would not start sooner."""

STARTING_GRACE = 2.0
"""Seconds for a child to start that nobody waits for any more: the next file needs it as well."""

_MOST_HEADER = 1_000_000

_ONE_THREAD = {
    "OPENBLAS_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
    "MALLOC_ARENA_MAX": "1",
}
"""Nothing is computed here that more threads would speed up, and each takes memory."""


class _SlowStartError(OSError):
    """The child has not started in time: the file has nothing to do with it."""


class DecoderProcess:
    """`decode` in a process of its own; safe to share between threads, which take turns."""

    def __init__(
        self,
        worker: str = "engine.media.decoder_worker",
        *,
        decoding_seconds: float = DECODING_SECONDS,
        starting_seconds: float = STARTING_SECONDS,
    ) -> None:
        self._worker = worker
        self._starting_seconds = starting_seconds
        self._decoding_seconds = decoding_seconds
        self._child: ChildProcess | None = None
        self._talking = FairLock()

    @property
    def pid(self) -> int | None:
        """Of the child that runs now."""
        return self._child.pid if self._child is not None else None

    def decode(
        self, file: BinaryIO, request: FrameRequest, check: CheckHook | None = None
    ) -> Frames:
        """As `engine.media.decoding.decode`. What `check` raises is raised here, within moments."""
        with self._talking:
            if check is not None:
                check()  # others may have taken their turns for long
            try:
                child = self._child or self._start(check)
                return _read_frames(self._ask(child, file, request, check), request)
            except DecodeError:
                raise
            except (ChannelError, OSError) as error:
                why = self._describe_failure(error)
                self._end()
                raise DecodeError(f"cannot be decoded ({why})") from error
            except BaseException:
                self._end()  # its answer would be taken for that of the next question
                raise

    def close(self) -> None:
        """End the child; another is started when it is needed."""
        if (child := self._child) is not None:
            child.kill()  # a thread that waits for an answer now sees the stream end
        with self._talking:
            self._end()

    def _start(self, check: CheckHook | None) -> ChildProcess:
        self._child = ChildProcess(self._worker, variables=_ONE_THREAD)
        patience = Patience.of(self._starting_seconds, _grant(check, STARTING_GRACE))
        try:
            _receive(self._child, 0, patience)
        except TimeoutError as error:
            raise _SlowStartError from error
        return self._child

    def _ask(
        self, child: ChildProcess, file: BinaryIO, request: FrameRequest, check: CheckHook | None
    ) -> Message:
        patience = Patience.of(self._decoding_seconds, _grant(check, GRACE))
        box, span = request.box, request.span
        wanted = [request.count, box.width, box.height, span.start, span.end, request.plays]
        with contextlib.suppress(BrokenPipeError, ConnectionError):  # _receive says why it went
            child.channel.send({"wanted": wanted}, file=file.fileno(), patience=patience)
        return _receive(child, request.most_bytes, patience)

    def _describe_failure(self, error: Exception) -> str:
        if isinstance(error, _SlowStartError):
            return f"the decoder did not start within {self._starting_seconds:g} s"
        if isinstance(error, TimeoutError):
            return f"it takes longer than {self._decoding_seconds:g} s"
        if self._child is None:
            return f"no decoder can be started: {fit_on_line(str(error))}"
        if isinstance(error, ChannelError):
            return "the decoder answers nonsense"
        return f"the decoder ended: {self._child.describe_end()}"

    def _end(self) -> None:
        if self._child is not None:
            self._child.close()
        self._child = None


def _receive(child: ChildProcess, most: int, patience: Patience) -> Message:
    message = child.channel.receive(most_payload=most, most_header=_MOST_HEADER, patience=patience)
    if message is None:
        raise ConnectionError
    return message


def _grant(check: CheckHook | None, grace: float) -> CheckHook | None:
    """The same check, which raises so many seconds later."""
    if check is None:
        return None
    over: list[float] = []

    def check_later() -> None:
        try:
            check()
        except Exception:
            over.append(time.monotonic())
            if over[-1] - over[0] >= grace:
                raise

    return check_later


def _read_frames(answer: Message, request: FrameRequest) -> Frames:
    """The frames in an answer. A file may have taken the child over: nothing in it is believed."""
    header = answer.header
    if "refused" in header:
        raise DecodeError(fit_on_line(str(header["refused"])))
    try:
        count, height, width, colours = map(int, header["shape"])
        times = tuple(map(float, header["times"]))
        fps = float(header["fps"])
        unpacked = max(0, int(header.get("unpacked", 0)))
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        raise ChannelError("an answer without frames") from error
    fits = 0 < count <= request.count
    fits &= 0 < width <= request.box.width and 0 < height <= request.box.height and colours == 3
    fits &= len(answer.payload) == count * height * width * colours and len(times) == count
    fits &= all(map(math.isfinite, times)) and math.isfinite(fps) and fps > 0
    if not fits:
        raise ChannelError("frames that were not asked for")
    pixels: Any = np.frombuffer(answer.payload, np.uint8).reshape(count, height, width, colours)
    return Frames(pixels, times, fps, unpacked=unpacked)


_shared = DecoderProcess()


def decode_apart(file: BinaryIO, request: FrameRequest, check: CheckHook | None = None) -> Frames:
    """Decode in the one child that this process has for it."""
    return _shared.decode(file, request, check)


def _begin_after_fork() -> None:
    global _shared
    _shared = DecoderProcess()


os.register_at_fork(after_in_child=_begin_after_fork)
