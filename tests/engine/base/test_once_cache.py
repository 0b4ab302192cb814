"""Once: each value is made once, and only whoever wants that one waits for it."""

from __future__ import annotations

import threading

import pytest

from engine.base.caches import OnceCache

LIMIT = 120.0


def test_several_threads_that_ask_for_one_value_get_the_same_one() -> None:
    made: list[str] = []
    begin = threading.Barrier(8)

    def make(key: str) -> object:
        made.append(key)
        return object()

    values = OnceCache(make)
    found: list[object] = []

    def ask() -> None:
        begin.wait(LIMIT)
        found.append(values["one"])

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(LIMIT)

    assert made == ["one"]
    assert len(found) == 8 and len(set(map(id, found))) == 1


def test_a_value_that_takes_long_holds_up_no_other() -> None:
    held = threading.Event()
    values = OnceCache(lambda key: key if key == "quick" else held.wait(LIMIT) and key)
    slow = threading.Thread(target=lambda: values["slow"], daemon=True)
    slow.start()

    assert values["quick"] == "quick"
    assert values.made == ("quick",)

    held.set()
    slow.join(LIMIT)
    assert set(values.made) == {"quick", "slow"}


def test_what_could_not_be_made_is_tried_again() -> None:
    answers = iter([ValueError("not yet"), "now"])

    def make(_: None) -> str:
        answer = next(answers)
        if isinstance(answer, Exception):
            raise answer
        return answer

    values = OnceCache(make)
    with pytest.raises(ValueError, match="not yet"):
        values[None]

    assert values[None] == "now"
