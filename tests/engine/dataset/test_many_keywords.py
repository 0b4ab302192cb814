"""Thousands of keywords and groups: the same answers, and work that grows as they do.

Work is counted, not timed: how often a name is put into the form in which names are compared, and
how many bits are compared.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.base.keyword import Keyword
from engine.dataset import clip_set, phrase_checks, phrase_tables, vocabulary
from engine.dataset.annotations import layout
from engine.dataset.clip_set import find_bits, pack_bits, transpose_bits
from engine.dataset.ground_truth import GroundTruth
from engine.dataset.phrase_tables import PhraseTables
from engine.dataset.vocabulary import Vocabulary
from tests.examples import examples

LINEAR = 2.3
"""Twice as much to do may cost this many times as much work."""

places = st.sets(st.tuples(st.integers(0, 149), st.integers(0, 499)), max_size=60)


def wide_truth(count: int, group: str = "keywords") -> GroundTruth:
    """As many clips as keywords, two of them on each clip."""
    own = [[f"k{n:05d}", f"k{(7 * n + 1) % count:05d}"] for n in range(count)]
    return GroundTruth.from_columns([f"c{n}" for n in range(count)], {group: own})


@examples(30)
@given(places)
def test_rare_bits_are_found_and_transposed_as_all_are(places: set[tuple[int, int]]) -> None:
    matrix = np.zeros((150, 500), bool)
    matrix[tuple(np.array(sorted(places), int).reshape(-1, 2).T)] = True
    bits = np.array([pack_bits(row) for row in matrix])

    rows, columns = find_bits(bits)
    turned = transpose_bits(bits, 500)

    assert list(zip(rows.tolist(), columns.tolist(), strict=True)) == sorted(places)
    assert (turned == np.array([pack_bits(column) for column in matrix.T])).all()


@examples(20)
@given(places, st.integers(0, 499))
def test_of_many_keywords_each_clip_has_its_own(places: set[tuple[int, int]], asked: int) -> None:
    own: list[list[str]] = [[] for _ in range(150)]
    for row, column in places:
        own[row].append(f"k{column:03d}")
    truth = GroundTruth.from_columns(map(str, range(150)), {"first": [["x"]] * 150, "wide": own})

    assert [[word.name for word in truth.keywords_of(row)] for row in range(150)] == [
        ["x", *sorted(names)] for names in own
    ]
    words = truth.words.of(["wide"])
    for word in words[:1]:
        with_it = [names for names in own if word.name in names]
        assert truth.counts_with([word]).tolist() == [
            len(with_it),
            *(sum(other.name in names for names in with_it) for other in words),
        ]


def test_counts_with_a_common_keyword_are_those_of_each_intersection() -> None:
    own = [["every", f"k{n % 40}"] for n in range(300)]
    truth = GroundTruth.from_columns(map(str, range(300)), {"g": own})

    together = [truth.relevant(["every", word]).count for word in truth.words.keywords]

    assert truth.counts_with(["every"]).tolist() == together


def test_comparing_queries_grows_as_clips_and_keywords_do(monkeypatch: pytest.MonkeyPatch) -> None:
    compared = 0
    compare = clip_set._compare

    def counted(rows: Any, queries: Any) -> Any:
        nonlocal compared
        compared += rows.shape[0] * queries.shape[0] * queries.shape[1]
        return compare(rows, queries)

    def work(count: int) -> int:
        nonlocal compared
        truth, compared = wide_truth(count), 0
        assert truth.relevant_counts(truth.bits).min() == 1
        return compared

    monkeypatch.setattr(clip_set, "_compare", counted)

    assert work(2000) <= LINEAR * work(1000)


class Calls:
    """Counts the calls of functions that stand in modules."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.count = 0
        self._patch = monkeypatch

    def of(self, module: Any, name: str) -> None:
        real: Callable[..., Any] = getattr(module, name)

        def counted(*arguments: Any) -> Any:
            self.count += 1
            return real(*arguments)

        self._patch.setattr(module, name, counted)

    def during(self, work: Callable[[], object]) -> int:
        before = self.count
        work()
        return self.count - before


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> Iterator[Calls]:
    yield Calls(monkeypatch)


def test_asking_for_every_group_grows_as_the_groups_do(calls: Calls) -> None:
    calls.of(vocabulary, "normalise_group")

    def ask(count: int) -> None:
        groups = tuple(f"g{n}" for n in range(count))
        words = Vocabulary(groups, tuple(Keyword(group, "x") for group in groups))
        assert all(words.of([group]) == (Keyword(group, "x"),) for group in groups)

    assert calls.during(lambda: ask(200)) <= LINEAR * calls.during(lambda: ask(100))


def test_naming_the_columns_of_groups_grows_as_they_do(calls: Calls) -> None:
    calls.of(layout, "normalise_column")

    def choose(count: int) -> None:
        names = [f"g{n}" for n in range(count)]
        chosen = layout.choose_layout(["slice_id", *names], Path("clips.csv"), names)
        assert len(chosen.groups) == count

    assert calls.during(lambda: choose(200)) <= LINEAR * calls.during(lambda: choose(100))


def test_checking_and_joining_phrases_grows_as_they_do(calls: Calls) -> None:
    for module in (phrase_tables, phrase_checks):
        calls.of(module, "normalise_keyword")

    def check(count: int) -> None:
        keywords = [Keyword("g", f"word{n}x") for n in range(count)]
        tables = PhraseTables(
            {word.name: [f"phrase{word.name}"] for word in keywords},
            {word.name: [f"other{word.name}"] for word in keywords},
        )
        assert list(phrase_checks.check_phrase_tables(tables, keywords)) == []
        assert tables.overlaid(tables).synonyms == tables.synonyms

    assert calls.during(lambda: check(200)) <= LINEAR * calls.during(lambda: check(100))
