"""Non-maximum suppression against a loop over every pair."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from engine.moments.spans import find_survivors
from tests.engine.moments.tvr_by_hand import entry, opened, query, submission
from tests.examples import examples


def overlap(one: Any, two: Any) -> float:
    inside = max(0.0, min(one[1], two[1]) - max(one[0], two[0]))
    hull = max(one[1], two[1]) - min(one[0], two[0])
    return inside / hull if hull else 0.0


def one_by_one(queries: Any, videos: Any, spans: Any, threshold: float) -> list[bool]:
    """The ranking from the top: one that overlaps a survivor by more than the threshold goes."""
    kept: list[int] = []
    for own in range(len(queries)):
        better = [k for k in kept if (queries[k], videos[k]) == (queries[own], videos[own])]
        if all(overlap(spans[own], spans[k]) <= threshold for k in better):
            kept.append(own)
    return [own in kept for own in range(len(queries))]


@given(
    st.lists(
        st.tuples(st.integers(0, 2), st.integers(0, 2), st.integers(0, 12), st.integers(0, 12)),
        max_size=30,
    ),
    st.sampled_from([0.0, 0.3, 0.5, 1.0]),
)
@examples(200)
def test_survivors_are_those_of_a_loop_over_every_pair(rows: Any, threshold: float) -> None:
    rows = sorted(rows, key=lambda row: row[0])
    queries = np.array([row[0] for row in rows], int)
    videos = np.array([row[1] for row in rows], int)
    spans = np.array([row[2:] for row in rows], float).reshape(-1, 2)

    found = find_survivors(queries, videos, spans, threshold)

    assert found.tolist() == one_by_one(queries, videos, spans.tolist(), threshold)


def test_an_overlap_of_exactly_the_threshold_stays() -> None:
    spans = np.array([[0.0, 10.0], [0.0, 5.0]])

    assert find_survivors(np.zeros(2, int), np.zeros(2, int), spans, 0.5).all()


def test_what_overlaps_only_a_dropped_prediction_stays() -> None:
    # The second goes because of the first; the third overlaps the second by 0.8, the first by 0.43.
    spans = np.array([[0.0, 10.0], [2.0, 12.0], [4.0, 14.0]])

    found = find_survivors(np.zeros(3, int), np.zeros(3, int), spans, 0.5)

    assert found.tolist() == [True, False, True]


def test_copies_give_up_their_places_before_k_and_the_first_hundred_are_counted(
    tmp_path: Path,
) -> None:
    copies = [(0, 20, 30)] * 120
    sent = submission(
        VCMR=[entry(1, *copies, (0, 0, 10))], VR=[entry(1, *[(1, 0, 0)] * 2, (0, 0, 0))]
    )
    truth = [query(1)]

    before = opened(tmp_path, sent, truth).official()
    after = opened(tmp_path, sent, truth, nms=0.5, ks=(1, 2)).official()

    assert before["VCMR"]["0.5-r100"] == 0.0
    assert (after["VCMR"]["0.5-r1"], after["VCMR"]["0.5-r2"]) == (0.0, 100.0)
    # VR has no times: nothing overlaps.
    assert after["VR"]["r2"] == 0.0
