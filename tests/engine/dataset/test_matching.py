"""Clips that match a query: all of its keywords, any of them, how many; held against plain sets."""

from __future__ import annotations

import numpy as np
import pytest

from engine.base.choices import RelevancePolicy
from engine.dataset.ground_truth import GroundTruth
from engine.dataset.matching import (
    count_by_matched,
    count_matched,
    count_relevant_clips,
    find_gains,
    find_relevant,
    list_relevant,
)

RULES: tuple[RelevancePolicy, ...] = ("all", "any", "graded")


def is_relevant(rule: RelevancePolicy, own: set[str], asked: set[str]) -> bool:
    return bool(asked) and (asked <= own if rule == "all" else bool(asked & own))


@pytest.mark.parametrize("clips", [1, 63, 64, 65, 200])
@pytest.mark.parametrize("keywords", [3, 70, 200])
def test_batches_count_what_plain_sets_have(clips: int, keywords: int) -> None:
    rng = np.random.default_rng(clips * keywords)
    names = [f"k{n}" for n in range(keywords)]
    own = [
        {names[n] for n in np.flatnonzero(rng.random(keywords) < rng.random() * 0.5)}
        for _ in range(clips)
    ]
    own[0] = set(names)  # so that every keyword is known
    truth = GroundTruth.from_columns(
        [f"c{n}" for n in range(clips)], {"g": [sorted(one) for one in own]}
    )
    asked = [set(rng.choice(names, n, replace=False).tolist()) for n in (0, 1, 2, 3, 3, 3, 2)]
    asked += [asked[-1], own[-1], set(names)]
    bits = truth.query_bits(asked)
    _hold_against_sets(truth, own, asked, bits)


def _hold_against_sets(
    truth: GroundTruth, own: list[set[str]], asked: list[set[str]], bits: np.ndarray
) -> None:
    rng = np.random.default_rng(1)
    rows = rng.integers(-1, len(own), (len(asked), 12))
    matched = [
        [len(own[r] & one) if r >= 0 else 0 for r in line]
        for line, one in zip(rows, asked, strict=True)
    ]
    np.testing.assert_array_equal(count_matched(truth, rows, bits), matched)
    shares = [
        [n / max(1, len(one)) for n in line] for line, one in zip(matched, asked, strict=True)
    ]
    np.testing.assert_array_equal(find_gains(truth, rows, bits, "graded"), shares)
    without = rng.integers(-1, len(own), len(asked))
    for rule in RULES:
        expected = [
            [r >= 0 and is_relevant(rule, own[r], one) for r in line]
            for line, one in zip(rows, asked, strict=True)
        ]
        np.testing.assert_array_equal(find_relevant(truth, rows, bits, rule), expected)
        having = [
            [row for row, has in enumerate(own) if is_relevant(rule, has, one)] for one in asked
        ]
        assert count_relevant_clips(truth, bits, rule).tolist() == list(map(len, having))
        assert count_relevant_clips(truth, bits, rule, without).tolist() == [
            len(set(rows) - {int(left)}) for rows, left in zip(having, without, strict=True)
        ]
        for one, rows_of_one in zip(bits, having, strict=True):
            assert list_relevant(truth, one, rule).tolist() == rows_of_one
    most = max(map(len, asked))
    for left_out in (None, without):
        by_count = np.zeros((len(asked), most + 1), int)
        for query, one in enumerate(asked):
            for row, has in enumerate(own):
                if left_out is None or row != left_out[query]:
                    by_count[query, len(has & one)] += 1
        found = count_by_matched(truth, bits, left_out)
        np.testing.assert_array_equal(found, by_count[:, 1:])


def test_without_any_query_or_keyword_there_is_nothing() -> None:
    truth = GroundTruth.from_columns(["a"], {"g": [["x"]]})
    none, empty = truth.query_bits([]), truth.query_bits([[]])
    for rule in RULES:
        assert count_relevant_clips(truth, none, rule).tolist() == []
        assert count_relevant_clips(truth, empty, rule).tolist() == [0]
        assert list_relevant(truth, empty[0], rule).tolist() == []
    assert count_by_matched(truth, none).shape == (0, 0)
    assert count_by_matched(truth, empty).shape == (1, 0)
