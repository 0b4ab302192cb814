"""HL-mAP and HL-Hit1 of QVHighlights: every rule by hand, and against scikit-learn."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import precision_recall_curve

from engine.moments.qvh.highlights import HighlightScores, Ratings, score_highlights
from engine.moments.ragged_lists import RaggedLists
from tests.examples import examples

FAIR, GOOD, VERY_GOOD = 0, 1, 2


def ratings_of(clips: Sequence[int], rated: Sequence[dict[int, Sequence[float]]]) -> Ratings:
    """How many clips each video has, and its ratings by clip."""
    ids = [float(clip) for query in rated for clip in query]
    scores = [list(row) for query in rated for row in query.values()]
    return Ratings(
        np.array(clips),
        RaggedLists.of(map(len, rated), np.array(ids)),
        np.array(scores, np.float64),
    )


def saliency_of(*lists: Sequence[float]) -> RaggedLists:
    return RaggedLists.of(map(len, lists), np.array([value for each in lists for value in each]))


def one(
    clips: int, rated: dict[int, Sequence[float]], saliency: Sequence[float]
) -> HighlightScores:
    return score_highlights(ratings_of([clips], [rated]), saliency_of(saliency))


def agreed(*clips: int) -> dict[int, Sequence[float]]:
    """Clips that all three raters find very good."""
    return dict.fromkeys(clips, (4, 4, 4))


# Average precision ---------------------------------------------------------------------------


def test_average_precision_is_the_mean_precision_where_recall_grows() -> None:
    # Highlights at places 1 and 3: (1/1 + 2/3) / 2 = 5/6.
    found = one(4, agreed(0, 2), [0.9, 0.8, 0.7, 0.6])

    assert found.ap[0].tolist() == pytest.approx([5 / 6] * 3)


def test_precision_is_the_best_at_this_saliency_or_lower() -> None:
    # Highlights at places 2 and 3: precisions 1/2 and 2/3; the first becomes 2/3 too.
    assert one(4, agreed(1, 2), [0.9, 0.8, 0.7, 0.6]).ap[0, FAIR] == pytest.approx(2 / 3)


def test_clips_of_equal_saliency_are_found_together() -> None:
    # Two highlights among the three clips of 0.5: one step, precision 2/3.
    assert one(4, agreed(0, 1), [0.5, 0.5, 0.5, 0.1]).ap[0, FAIR] == pytest.approx(2 / 3)


def test_zero_and_minus_zero_are_equal() -> None:
    assert one(2, agreed(0), [0.0, -0.0]).ap[0, FAIR] == 0.5


def test_a_list_that_is_too_short_is_filled_up_with_zeros() -> None:
    # Clips 2 and 3 get 0, more than −1: the highlight is found with clip 1, after them: 1 of 4.
    assert one(4, agreed(0), [-1.0, -1.0]).ap[0, FAIR] == 0.25


def test_a_list_that_is_too_long_is_cut() -> None:
    # Without the cut, clip 4 would push the highlight to place 2.
    assert one(4, agreed(0), [0.5, 0.1, 0.1, 0.1, 0.9]).ap[0, FAIR] == 1.0


def test_without_a_highlight_average_precision_is_zero() -> None:
    assert one(3, {0: (1, 1, 1)}, [0.3, 0.2, 0.1]).ap[0].tolist() == [0.0, 0.0, 0.0]


def test_when_all_clips_are_highlights_average_precision_is_one() -> None:
    assert one(3, agreed(0, 1, 2), [0.1, 0.3, 0.2]).ap[0].tolist() == [1.0, 1.0, 1.0]


def test_a_level_takes_ratings_from_its_own_on() -> None:
    # Clip 0 is rated 2, clip 1 is rated 3, clip 2 is rated 4 by everybody, found in this order.
    found = one(3, {0: (2,) * 3, 1: (3,) * 3, 2: (4,) * 3}, [0.9, 0.8, 0.7])

    # Fair: all. Good: places 2 and 3, 2/3 for both. Very good: place 3.
    assert found.ap[0].tolist() == pytest.approx([1.0, 2 / 3, 1 / 3])
    assert found.levels == ("Fair", "Good", "VeryGood")


def test_every_rater_has_an_average_precision_and_ap_is_their_mean() -> None:
    # Rater 1 likes place 1, rater 2 place 2, rater 3 nothing: 1, 1/2 and 0.
    found = one(4, {0: (4, 0, 0), 1: (0, 4, 0)}, [0.9, 0.8, 0.7, 0.6])

    assert found.rater_ap[VERY_GOOD, 0].tolist() == [1.0, 0.5, 0.0]
    assert found.ap[0, VERY_GOOD] == 0.5


def test_a_clip_that_is_rated_twice_has_the_last_rating() -> None:
    twice = Ratings(
        np.array([2]),
        RaggedLists.of([3], np.array([1.0, 0.0, 1.0])),
        np.array([[4.0] * 3, [4.0] * 3, [0.0] * 3]),
    )

    found = score_highlights(twice, saliency_of([0.1, 0.9]))

    assert found.ap[0, FAIR] == 0.5  # clip 0 at place 2; clip 1 is no highlight any more
    assert found.hit1[0, FAIR] == 0.0


# Hit1 ----------------------------------------------------------------------------------------


def test_one_rater_is_enough_for_a_hit() -> None:
    found = one(3, {1: (0, 3, 0)}, [0.1, 0.9, 0.2])

    assert found.best_clips.tolist() == [1]
    assert found.hit1[0].tolist() == [1.0, 1.0, 0.0]  # rated 3: fair and good


def test_the_first_of_several_best_clips_counts() -> None:
    assert one(3, agreed(1), [0.1, 0.9, 0.9]).hit1[0, FAIR] == 1.0
    assert one(3, agreed(2), [0.1, 0.9, 0.9]).hit1[0, FAIR] == 0.0


def test_a_best_clip_behind_the_end_of_the_video_is_a_miss() -> None:
    found = one(3, agreed(0, 1, 2), [0.1, 0.2, 0.3, 0.9])

    assert found.best_clips.tolist() == [3]
    assert found.hit1[0].tolist() == [0.0, 0.0, 0.0]


def test_a_clip_that_nobody_rated_is_a_miss() -> None:
    assert one(3, agreed(0), [0.1, 0.9, 0.2]).hit1[0].tolist() == [0.0, 0.0, 0.0]


# All queries at once -------------------------------------------------------------------------


def test_videos_of_different_lengths_do_not_disturb_each_other() -> None:
    clips, rated = [2, 5, 3], [agreed(1), agreed(0, 4), agreed(2)]
    lists = [[0.9, 0.1], [0.1, 0.2, 0.3, 0.4, 0.5], [0.5, 0.5]]

    together = score_highlights(ratings_of(clips, rated), saliency_of(*lists))

    for row in range(3):
        alone = one(clips[row], rated[row], lists[row])
        assert together.ap[row].tolist() == alone.ap[0].tolist()
        assert together.hit1[row].tolist() == alone.hit1[0].tolist()


def test_long_videos_are_treated_in_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    clips, rated = [4, 4, 4, 4, 4], [agreed(i % 4) for i in range(5)]
    lists = [[0.4, 0.3, 0.2, 0.1]] * 5
    whole = score_highlights(ratings_of(clips, rated), saliency_of(*lists))

    monkeypatch.setattr("engine.moments.qvh.highlights._BLOCK", 8)  # two videos at a time
    in_blocks = score_highlights(ratings_of(clips, rated), saliency_of(*lists))

    assert in_blocks.rater_ap.tolist() == whole.rater_ap.tolist()
    assert whole.ap[:, FAIR].tolist() == pytest.approx([1, 1 / 2, 1 / 3, 1 / 4, 1])


def oracle_ap(highlights: list[bool], saliency: list[float]) -> float:
    """From scikit-learn's curve: best precision at every growth of recall."""
    if not any(highlights):
        return 0.0
    precision, recall, _ = precision_recall_curve(highlights, saliency)
    best = np.maximum.accumulate(precision)
    return float(np.mean(best[np.flatnonzero(np.diff(recall.astype(np.float32)))]))


@st.composite
def video(draw: st.DrawFn) -> tuple[dict[int, tuple[float, ...]], list[float]]:
    clips = draw(st.integers(1, 30))
    raters = st.tuples(*[st.integers(0, 4)] * 3)
    rated = draw(st.dictionaries(st.integers(0, clips - 1), raters, min_size=1))
    values = st.one_of(st.sampled_from([-1.0, 0.0, 0.25, 0.5]), st.floats(-1, 1))
    return rated, draw(st.lists(values, min_size=clips, max_size=clips))


@pytest.mark.slow
@examples(50)
@given(st.lists(video(), min_size=1, max_size=5))
def test_average_precision_is_that_of_the_curve_of_scikit_learn(
    videos: list[tuple[dict[int, tuple[float, ...]], list[float]]],
) -> None:
    clips = [len(saliency) for _, saliency in videos]

    found = score_highlights(
        ratings_of(clips, [rated for rated, _ in videos]),
        saliency_of(*(saliency for _, saliency in videos)),
    )

    for level, least in enumerate((2, 3, 4)):
        for row, (rated, saliency) in enumerate(videos):
            for rater in range(3):
                highlights = [
                    clip in rated and rated[clip][rater] >= least for clip in range(clips[row])
                ]
                # Equal to the last bit: the official mean depends on it.
                assert found.rater_ap[level, row, rater] == oracle_ap(highlights, saliency)
