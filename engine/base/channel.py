"""Messages between a process and its child: a JSON header, bytes, and maybe an open file.

On the wire: the lengths of header and payload (4 bytes each, big endian), the header, the payload.
Either side says how long both may be *before* it reads, and believes no other length.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import socket
import struct
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

MOST_HEADER = 64_000_000
"""Bytes of a header, unless its reader wants fewer: texts that are to be encoded stand in it."""

_LENGTHS = struct.Struct(">II")
_LOOKS = 0.05  # seconds between two looks at whether somebody still waits


class ChannelError(Exception):
    """What came from the other side is no message, or a larger one than was asked for."""


class Message(NamedTuple):
    """What was received; `file` is a descriptor that now belongs to the receiver."""

    header: dict[str, Any]
    payload: bytes = b""
    file: int | None = None


@dataclass(frozen=True, slots=True)
class Patience:
    """How long to wait for the other side: until a time is over, or until `check` raises.

    >>> Patience.of(None).left() is None, 0 < Patience.of(2.0).left() <= 2
    (True, True)
    """

    end: float | None = None
    check: Callable[[], None] | None = field(default=None)

    @classmethod
    def of(cls, seconds: float | None, check: Callable[[], None] | None = None) -> Patience:
        return cls(None if seconds is None else time.monotonic() + seconds, check)

    def left(self) -> float | None:
        """Seconds; None: for ever. TimeoutError when none are left."""
        if self.end is None:
            return None
        left = self.end - time.monotonic()
        if left <= 0:
            raise TimeoutError
        return left


FOREVER = Patience()


class Channel:
    """One end of a stream socket.

    >>> ours, theirs = map(Channel, socket.socketpair())
    >>> ours.send({"size": 3}, b"abc")
    >>> theirs.receive(most_payload=3)
    Message(header={'size': 3}, payload=b'abc', file=None)
    """

    def __init__(self, connection: socket.socket) -> None:
        connection.setblocking(False)
        self._connection = connection

    def fileno(self) -> int:
        return self._connection.fileno()

    def close(self) -> None:
        self._connection.close()

    def send(
        self,
        header: dict[str, Any],
        payload: bytes | memoryview = b"",
        *,
        file: int | None = None,
        patience: Patience = FOREVER,
    ) -> None:
        """Send a message; a `file` is sent with its first byte. OSError where nobody listens."""
        head = json.dumps(header).encode()
        start = memoryview(_LENGTHS.pack(len(head), len(payload)) + head)
        if file is not None:
            self._wait(select.POLLOUT, patience)
            start = start[socket.send_fds(self._connection, [start], [file]) :]
        for part in (start, memoryview(payload).cast("B")):
            left = part
            while left:
                self._wait(select.POLLOUT, patience)
                with contextlib.suppress(BlockingIOError):
                    left = left[self._connection.send(left) :]

    def receive(
        self,
        *,
        most_payload: int = 0,
        most_header: int = MOST_HEADER,
        takes_file: bool = False,
        patience: Patience = FOREVER,
    ) -> Message | None:
        """The next message; None at the end of the stream, also in the middle of a message.

        Only who `takes_file` gets one: no other descriptor is let into the process.
        """
        file: int | None = None
        first = b""
        if takes_file:
            self._wait(select.POLLIN, patience)
            first, file = self._receive_file()
        try:
            message = self._receive_rest(first, most_header, most_payload, patience)
        except BaseException:
            _close(file)
            raise
        if message is None:
            _close(file)
            return None
        return message._replace(file=file)

    def _receive_file(self) -> tuple[bytes, int | None]:
        try:
            first, files, *_ = socket.recv_fds(self._connection, _LENGTHS.size, 1)
        except ConnectionError:
            return b"", None
        return first, files[0] if files else None

    def _receive_rest(
        self, first: bytes, most_header: int, most_payload: int, patience: Patience
    ) -> Message | None:
        lengths = self._exactly(_LENGTHS.size, patience, first)
        if lengths is None:
            return None
        head_length, length = _LENGTHS.unpack(lengths)
        if head_length > most_header or length > most_payload:
            raise ChannelError(f"a message of {head_length:,} + {length:,} bytes")
        head = self._exactly(head_length, patience)
        payload = self._exactly(length, patience) if head is not None else None
        if head is None or payload is None:
            return None
        try:
            header = json.loads(head)
        except (ValueError, RecursionError) as error:
            raise ChannelError("a message without a header") from error
        if not isinstance(header, dict):
            raise ChannelError("a message without a header")
        return Message(header, bytes(payload))

    def _exactly(self, size: int, patience: Patience, first: bytes = b"") -> bytearray | None:
        """So many bytes; None if the stream ends before."""
        found = bytearray(size)
        found[: len(first)] = first
        view, place = memoryview(found), len(first)
        while place < size:
            self._wait(select.POLLIN, patience)
            try:
                count = self._connection.recv_into(view[place:])
            except BlockingIOError:
                continue
            except ConnectionError:
                return None
            if not count:
                return None
            place += count
        return found

    def _wait(self, event: int, patience: Patience) -> None:
        poll = select.poll()
        poll.register(self._connection, event)
        while True:
            left = patience.left()
            if patience.check is not None:
                patience.check()
                left = _LOOKS if left is None else min(left, _LOOKS)
            if poll.poll(None if left is None else 1_000 * left):
                return


def _close(file: int | None) -> None:
    if file is not None:
        os.close(file)
