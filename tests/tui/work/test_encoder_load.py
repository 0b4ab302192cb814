"""Loading goes on when nobody waits for it, and all who wait hear the same."""

from __future__ import annotations

import threading

import pytest

from engine.base.errors import InputError
from tests.tui.piloted import LIMIT
from tui.work.encoder_load import EncoderLoad
from tui.work.lanes import CancelledError, Ticket


def ticket() -> Ticket[None]:
    return Ticket(lambda _: None, lambda _: None, lambda _: None)


def test_who_gives_up_does_not_wait_and_the_load_goes_on() -> None:
    free = threading.Event()

    def wait_for_it() -> None:
        free.wait(LIMIT)

    load = EncoderLoad(wait_for_it)
    given_up = ticket()
    given_up.cancel()

    with pytest.raises(CancelledError):
        load.wait(given_up)

    assert load.is_under_way
    free.set()
    load.wait(ticket())
    assert not load.is_under_way


def test_all_who_wait_for_a_load_that_fails_get_the_same_error() -> None:
    def fail() -> None:
        raise InputError("no memory")

    load = EncoderLoad(fail)
    errors = []
    for _ in range(2):
        with pytest.raises(InputError, match="no memory") as raised:
            load.wait(ticket())
        errors.append(raised.value)

    assert errors[0] is errors[1]
