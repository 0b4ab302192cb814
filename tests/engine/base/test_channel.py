"""Messages are whole or none, and never longer than whoever reads them allows."""

from __future__ import annotations

import json
import os
import socket
import struct
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.base.channel import Channel, ChannelError, Patience


@pytest.fixture
def ends() -> Iterator[tuple[Channel, Channel]]:
    ours, theirs = map(Channel, socket.socketpair())
    yield ours, theirs
    ours.close()
    theirs.close()


def written(header: bytes, payload: bytes = b"") -> bytes:
    return struct.pack(">II", len(header), len(payload)) + header + payload


def reader_of(sent: bytes) -> Channel:
    """The end of a channel whose other end said this, and hung up."""
    ours, theirs = socket.socketpair()
    with theirs:
        theirs.sendall(sent)
    return Channel(ours)


def test_a_message_that_is_cut_short_is_the_end_of_the_stream() -> None:
    whole = written(b'{"shape": [2]}', b"12345678")
    for size in range(len(whole)):
        assert reader_of(whole[:size]).receive(most_payload=8) is None
        assert reader_of(whole[:size]).receive(most_payload=8, takes_file=True) is None

    assert reader_of(whole).receive(most_payload=8) == ({"shape": [2]}, b"12345678", None)


@pytest.mark.parametrize(
    "sent",
    [
        struct.pack(">II", 0xFFFFFFFF, 0),
        struct.pack(">II", 2, 0xFFFFFFFF) + b"{}",
        written(b"{}", b"123456789"),
        written(b"no JSON"),
        written(b"[1]"),
        written(b"\xff\xfe"),
        written(b"[" * 100_000),
    ],
)
def test_nonsense_and_what_is_longer_than_allowed_is_refused_unread(sent: bytes) -> None:
    with pytest.raises(ChannelError):
        reader_of(sent).receive(most_header=200_000, most_payload=8)


def test_a_message_larger_than_any_buffer_goes_through(ends: tuple[Channel, Channel]) -> None:
    ours, theirs = ends
    payload = os.urandom(3_000_000)
    thread = threading.Thread(target=ours.send, args=({"many": "ä" * 300_000}, payload))
    thread.start()
    message = theirs.receive(most_payload=len(payload))
    thread.join()

    assert message == ({"many": "ä" * 300_000}, payload, None)


def test_a_file_goes_only_to_whom_takes_it(ends: tuple[Channel, Channel], tmp_path: Path) -> None:
    ours, theirs = ends
    (tmp_path / "a").write_text("read me")
    with (tmp_path / "a").open() as opened:
        for _ in range(2):
            ours.send({}, b"x", file=opened.fileno())

    before = len(os.listdir("/dev/fd"))  # noqa: PTH208
    assert theirs.receive(most_payload=1) == ({}, b"x", None)
    assert len(os.listdir("/dev/fd")) == before  # noqa: PTH208
    message = theirs.receive(most_payload=1, takes_file=True)
    assert message is not None and message.file is not None
    with os.fdopen(message.file) as received:
        assert received.read() == "read me"


def test_waiting_ends_with_the_time_or_when_nobody_waits(ends: tuple[Channel, Channel]) -> None:
    ours, _ = ends
    with pytest.raises(TimeoutError):
        ours.receive(patience=Patience.of(0.01))

    def give_up() -> None:
        raise KeyError("nobody waits")

    with pytest.raises(KeyError):
        ours.receive(patience=Patience.of(None, give_up))
    with pytest.raises(TimeoutError):  # nobody reads: the buffers are full some time
        ours.send({}, bytes(10_000_000), patience=Patience.of(0.05))


def test_the_header_is_plain_json(ends: tuple[Channel, Channel]) -> None:
    ours, theirs = ends
    ours.send({"text": "\ud800 \x00 ü"})
    message = theirs.receive()
    assert message is not None
    assert json.dumps(message.header) == json.dumps({"text": "\ud800 \x00 ü"})
