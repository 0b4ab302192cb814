"""Asking again: what is the same, what is different, and what fails now."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime

import numpy as np
import pytest

from engine.base.errors import InputError
from engine.dataset.ground_truth import GroundTruth
from engine.keywords.inspection import pair_metrics
from engine.keywords.question import Question
from engine.keywords.workbench import Workbench
from engine.report.session.document import build_replay_document
from engine.sessions import Answer, DatedAnswer
from engine.sessions.build_answer import build_answer, replay_on_workbench
from engine.sessions.records import SessionContent
from engine.sessions.replay import ClipAtRank, RankShift, compare_answers, replay
from tests.engine.keywords.workbench_by_hand import MEASURES, at_cosine, workbench
from tests.engine.sessions.sessions_by_hand import CLIP, CYCLIST, answer

METRIC = answer().metrics[0]


def answering(*answers: Answer) -> Callable[[Question], Answer]:
    return {item.question: item for item in answers}.__getitem__


def test_the_same_answers_are_no_change() -> None:
    saved = (answer(CYCLIST), answer(CLIP))

    found = replay(saved, answering(*saved))

    assert [item.question for item in found.questions] == [CYCLIST, CLIP]
    assert [item.status for item in found.questions] == ["same", "same"]
    assert found.verdict == "2 queries replayed: nothing changed"


def test_clips_that_entered_left_and_moved_are_named_with_their_ranks() -> None:
    found = compare_answers(answer(clips="a b c d"), answer(clips="b a d x"))

    assert found.entered == (ClipAtRank("x", 4),)
    assert found.left == (ClipAtRank("c", 3),)
    assert found.moved == (RankShift("a", 1, 2), RankShift("b", 2, 1), RankShift("d", 4, 3))


def test_scores_may_differ_by_rounding_but_not_by_more() -> None:
    before = answer(clips="a b", scores=(0.9, 0.8))
    rounding = compare_answers(before, answer(clips="a b", scores=(0.90005, 0.8)))
    drift = compare_answers(before, answer(clips="a b", scores=(0.9002, 0.8)))

    assert rounding.drifted == 0 and not rounding.anything
    assert drift.drifted == 1 and drift.anything and not drift.ranking
    assert drift.largest_drift == pytest.approx(0.0002)


def test_keywords_and_counts_are_compared() -> None:
    now = answer(keywords=("object_type:car",), relevant=5, collection=11)

    found = compare_answers(answer(), now)

    assert found.keywords_added == ("object_type:car",)
    assert found.keywords_dropped == ("object_type:bicyclist",)
    assert (found.relevant, found.collection) == ((2, 5), (10, 11))


@pytest.mark.parametrize(
    "now",
    [
        (replace(METRIC, published=0.5),),
        (replace(METRIC, adjudicated=0.7),),
        (replace(METRIC, published=None),),
        (),
    ],
)
def test_a_metric_with_another_value_or_none_is_a_change(now: tuple[object, ...]) -> None:
    (change,) = compare_answers(answer(), answer(metrics=now)).metrics

    assert change.before == METRIC
    assert change.after == (now[0] if now else None)


def test_a_metric_that_is_new_is_no_change() -> None:
    more = (METRIC, replace(METRIC, id="AP"))

    assert not compare_answers(answer(), answer(metrics=more)).anything


def test_a_question_that_fails_now_does_not_stop_the_others() -> None:
    def ask(question: Question) -> Answer:
        if question == CYCLIST:
            raise InputError("no model 'alfa'", hint="models: beta")
        return answer(question, clips="b a c")

    found = replay((answer(CYCLIST), answer(CLIP)), ask)

    assert [item.status for item in found.questions] == ["failed", "changed"]
    assert found.questions[0].error == "no model 'alfa'; models: beta"
    assert found.verdict == "2 queries replayed: 1 changed, 1 failed, 0 as before"


def test_the_document_says_the_same_as_the_values() -> None:
    now = answer(CYCLIST, clips="b a x", metrics=(replace(METRIC, published=0.2),))
    found = replay((answer(CYCLIST), answer(CLIP)), answering(now, answer(CLIP)))

    document = json.loads(json.dumps(build_replay_document(found, session="s", dataset="sample")))

    assert document["schema"] == "tui-eval/replay@2"
    assert (document["queries"], document["changed"], document["failed"]) == (2, 1, 0)
    first, second = document["results"]
    assert (first["status"], second["status"]) == ("changed", "same")
    assert first["question"]["query"] == "a cyclist"
    assert first["difference"]["ranking"]["entered"] == [{"clip": "x", "rank": 3}]
    assert first["difference"]["ranking"]["moved"][0] == {"clip": "a", "before": 1, "after": 2}
    assert first["difference"]["metrics"] == [
        {
            "id": "P@5",
            "label": "Recall@5",
            "formula": "hits@5 / 5",
            "published": {"before": 0.4, "after": 0.2},
            "adjudicated": {"before": 0.6, "after": 0.6},
        }
    ]


def bench_of(clips: int) -> Workbench:
    """The clips c0, c1, … of one keyword, each less similar to the first than the one before."""
    names = [f"c{number}" for number in range(clips)]
    truth = GroundTruth.from_columns(names, {"g": [["x"]] * clips})
    falling = np.linspace(1.0, 0.1, 10).tolist()
    return workbench(truth, {"m": dict(zip(names, map(at_cosine, falling), strict=False))})


def test_a_dataset_that_lost_clips_is_reported_by_what_changed() -> None:
    found = bench_of(10).ask_whole(Question("video", "c0", "m", ("g",)), MEASURES, 5)
    before = build_answer(found, 9, pair_metrics(found, {}))
    now = datetime(2026, 11, 16, tzinfo=UTC)
    saved = SessionContent("s", "d", "/d", now, None, (DatedAnswer(before, now, 1),), ())

    (item,) = replay_on_workbench(bench_of(6), saved).questions

    assert (item.status, item.error) == ("changed", None)
    assert item.difference is not None
    assert item.difference.collection == (9, 5)
    assert item.difference.left == tuple(ClipAtRank(f"c{rank}", rank) for rank in (6, 7, 8, 9))
    assert not item.difference.entered and not item.difference.moved
