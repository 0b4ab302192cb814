"""Recent: what was used last is kept, up to a size."""

from __future__ import annotations

import threading
from collections import OrderedDict

from hypothesis import given
from hypothesis import strategies as st

from engine.base.caches import RecentCache

STEPS = st.lists(
    st.tuples(st.sampled_from(["get", "put"]), st.sampled_from("abcde"), st.integers(0, 7)),
    max_size=40,
)


def test_what_was_not_asked_for_longest_is_forgotten_first() -> None:
    recent: RecentCache[str, int] = RecentCache(2)
    recent.put("a", 1)
    recent.put("b", 2)
    recent.get("a")

    recent.put("c", 3)

    assert (recent.get("a"), recent.get("b"), recent.get("c")) == (1, None, 3)


def test_putting_again_replaces_the_value_and_its_size() -> None:
    recent: RecentCache[str, int] = RecentCache(10)
    recent.put("a", 1, 9)
    recent.put("a", 2, 1)

    recent.put("b", 3, 9)

    assert (recent.get("a"), recent.get("b")) == (2, 3)


def test_a_value_larger_than_everything_allowed_is_kept_alone() -> None:
    recent: RecentCache[str, int] = RecentCache(10)
    recent.put("a", 1, 5)
    recent.put("huge", 2, 1000)
    assert (recent.get("a"), recent.get("huge")) == (None, 2)

    recent.put("b", 3, 1)

    assert (recent.get("huge"), recent.get("b")) == (None, 3)


@given(STEPS, st.integers(1, 12))
def test_it_equals_a_dictionary_that_is_cut_after_every_step(
    steps: list[tuple[str, str, int]], most: int
) -> None:
    recent: RecentCache[str, int] = RecentCache(most)
    naive: OrderedDict[str, tuple[int, int]] = OrderedDict()
    for number, (step, key, size) in enumerate(steps):
        if step == "get":
            assert recent.get(key) == (naive[key][0] if key in naive else None)
        else:
            recent.put(key, number, size)
            naive[key] = (number, size)
        if key in naive:
            naive.move_to_end(key)
        while sum(own for _, own in naive.values()) > most and len(naive) > 1:
            naive.popitem(last=False)
    assert {key: recent.get(key) for key in "abcde"} == {
        key: naive[key][0] if key in naive else None for key in "abcde"
    }


def test_many_threads_never_get_the_value_of_another_key() -> None:
    recent: RecentCache[int, int] = RecentCache(5)
    wrong: list[tuple[int, int]] = []
    together = threading.Barrier(4)

    def work(offset: int) -> None:
        together.wait()
        for step in range(2000):
            key = (step + offset) % 11
            recent.put(key, key)
            found = recent.get((key + 3) % 11)
            if found not in (None, (key + 3) % 11):
                wrong.append((key, found))

    threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert not wrong
    assert sum(recent.get(key) is not None for key in range(11)) == 5
