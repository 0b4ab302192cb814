"""What of an answer goes into a saved session, and comes out again."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.keywords.inspection import pair_metrics
from engine.keywords.judgement import Judgement
from engine.metrics import find_profile
from engine.metrics.policies import Policies
from engine.sessions import SessionStore
from engine.sessions.build_answer import build_answer
from tests.engine.keywords.workbench_by_hand import MEASURES, asked_of

SIX = {"g": [["x"], ["x"], ["y"], ["x"], ["y"], [], ["x"]]}


def test_the_first_results_are_saved_as_plain_values() -> None:
    found = asked_of(SIX)

    answer = build_answer(found, 3)

    assert answer.question == found.question
    assert answer.keywords == ("g:x",)
    assert answer.clips == ("c1", "c2", "c3")
    assert answer.scores == pytest.approx((0.9, 0.74, 0.58), abs=1e-6)
    assert all(type(score) is float for score in answer.scores)
    assert (answer.relevant, answer.collection, answer.metrics) == (3, 6, ())


@pytest.mark.parametrize(("clips", "saved"), [(0, 0), (1, 1), (6, 6), (1000, 6)])
def test_as_many_results_are_saved_as_there_are(clips: int, saved: int) -> None:
    answer = build_answer(asked_of(SIX), clips)

    assert len(answer.clips) == len(answer.scores) == saved


def test_every_metric_is_saved_with_its_label_and_its_formula_both_ways() -> None:
    found = asked_of(SIX)
    pairs = pair_metrics(found, {"c2": Judgement("relevant")})

    answer = build_answer(found, 5, pairs)

    assert [metric.id for metric in answer.metrics] == [str(measure) for measure in MEASURES]
    by_label = {metric.label: metric for metric in answer.metrics}
    recall, precision = by_label["Recall@5"], by_label["Precision@5"]
    assert (recall.id, recall.formula) == ("P@5", "hits@5 / 5")
    assert (recall.published, recall.adjudicated) == pytest.approx((0.4, 0.6))
    assert (precision.id, precision.formula) == ("R@5", "hits@5 / R")
    assert (precision.published, precision.adjudicated) == pytest.approx((2 / 3, 3 / 4))


def test_a_label_is_that_of_the_chosen_language() -> None:
    found = asked_of(SIX)

    answer = build_answer(found, 5, pair_metrics(found, {}), find_profile("ir"))

    assert answer.metrics[2].label == "P@5"


def test_the_formula_is_that_of_the_policy() -> None:
    found = asked_of(SIX, policies=Policies(fewer_than_k="adaptive"))

    answer = build_answer(found, 5, pair_metrics(found, {}))

    assert answer.metrics[2].formula == "hits@5 / min(5, n)"


def test_what_is_not_defined_is_saved_as_nothing() -> None:
    found = asked_of({"g": [["x"], ["y"], ["y"]]})
    pairs = pair_metrics(found, {"c2": Judgement("relevant")})

    answer = build_answer(found, 5, pairs)

    assert {metric.published for metric in answer.metrics} == {None}
    assert answer.metrics[-2].adjudicated == 0.5


def test_a_query_without_keyword_is_saved_without_metrics() -> None:
    found = asked_of({"g": [[], ["y"], ["y"]]})

    answer = build_answer(found, 5, pair_metrics(found, {}))

    assert (answer.keywords, answer.relevant, answer.metrics) == ((), 0, ())


def test_what_is_saved_comes_out_of_the_store_as_it_went_in(tmp_path: Path) -> None:
    found = asked_of(SIX)
    answer = build_answer(found, 4, pair_metrics(found, {"c1": Judgement("not relevant")}))

    with SessionStore(tmp_path / "sessions.sqlite") as store:
        session = store.create("by hand", str(tmp_path))
        session.record(answer)
        assert session.answers() == (answer,)
