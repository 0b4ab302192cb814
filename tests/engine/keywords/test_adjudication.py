"""Metrics as published and as adjudicated: by hand, and by trec_eval with corrected judgements."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from math import log2
from typing import get_args

import numpy as np
import pytest
import pytrec_eval
from hypothesis import given
from hypothesis import strategies as st

from engine.dataset.ground_truth import GroundTruth
from engine.keywords.inspection import Inspection, MetricPair, adjudicate, pair_metrics
from engine.keywords.judgement import REASONS, Judgement, Mark
from engine.keywords.question import Question
from engine.metrics.policies import Policies
from tests.engine.keywords.workbench_by_hand import MEASURES, asked_of, workbench
from tests.examples import examples

EXACT = 1e-9
RELEVANT, NOT_RELEVANT = Judgement("relevant"), Judgement("not relevant")

TREC = {
    **{f"P@{k}": f"P_{k}" for k in (1, 3, 5)},
    **{f"R@{k}": f"recall_{k}" for k in (1, 3, 5)},
    **{f"AP@{k}": f"map_cut_{k}" for k in (1, 3, 5)},
    **{f"nDCG@{k}": f"ndcg_cut_{k}" for k in (1, 3, 5)},
    "AP": "map",
    "RR": "recip_rank",
    "nDCG": "ndcg",
}
"""Our ids and trec_eval's. It has no RR@5."""


def marked(**marks: Judgement) -> dict[str, Judgement]:
    return marks


def adjudicated(inspection: Inspection, judgements: Mapping[str, Judgement]) -> dict[str, float]:
    pairs = pair_metrics(inspection, judgements)
    return {str(pair.measure): pair.adjudicated for pair in pairs}


def published(inspection: Inspection, judgements: Mapping[str, Judgement]) -> dict[str, float]:
    return {str(p.measure): p.published for p in pair_metrics(inspection, judgements)}


def without_change(pair: MetricPair) -> bool:
    return pair.published == pair.adjudicated


@pytest.fixture
def six() -> Inspection:
    """Six results, of which the first, the third and the sixth are relevant: R = 3."""
    return asked_of({"g": [["x"], ["x"], ["y"], ["x"], ["y"], [], ["x"]]})


def test_the_published_numbers_by_hand(six: Inspection) -> None:
    ideal = 1 + 1 / log2(3) + 1 / log2(4)

    assert published(six, {}) == pytest.approx(
        {
            "P@1": 1,
            "P@3": 2 / 3,
            "P@5": 2 / 5,
            "R@1": 1 / 3,
            "R@3": 2 / 3,
            "R@5": 2 / 3,
            "AP@1": 1 / 3,
            "AP@3": (1 + 2 / 3) / 3,
            "AP@5": (1 + 2 / 3) / 3,
            "RR@5": 1,
            "nDCG@1": 1,
            "nDCG@3": (1 + 1 / log2(4)) / ideal,
            "nDCG@5": (1 + 1 / log2(4)) / ideal,
            "AP": (1 + 2 / 3 + 3 / 6) / 3,
            "RR": 1,
            "nDCG": (1 + 1 / log2(4) + 1 / log2(7)) / ideal,
        },
        abs=EXACT,
    )


def test_a_second_result_that_is_relevant_after_all_by_hand(six: Inspection) -> None:
    """Hits at 1, 2, 3 and 6 of R = 4."""
    top = 1 + 1 / log2(3) + 1 / log2(4)
    ideal = top + 1 / log2(5)

    assert adjudicated(six, marked(c2=RELEVANT)) == pytest.approx(
        {
            "P@1": 1,
            "P@3": 1,
            "P@5": 3 / 5,
            "R@1": 1 / 4,
            "R@3": 3 / 4,
            "R@5": 3 / 4,
            "AP@1": 1 / 4,
            "AP@3": 3 / 4,
            "AP@5": 3 / 4,
            "RR@5": 1,
            "nDCG@1": 1,
            "nDCG@3": 1,
            "nDCG@5": top / ideal,
            "AP": (1 + 1 + 1 + 4 / 6) / 4,
            "RR": 1,
            "nDCG": (top + 1 / log2(7)) / ideal,
        },
        abs=EXACT,
    )


def test_a_first_result_that_is_not_relevant_by_hand(six: Inspection) -> None:
    """Hits at 3 and 6 of R = 2."""
    ideal = 1 + 1 / log2(3)

    assert adjudicated(six, marked(c1=NOT_RELEVANT)) == pytest.approx(
        {
            "P@1": 0,
            "P@3": 1 / 3,
            "P@5": 1 / 5,
            "R@1": 0,
            "R@3": 1 / 2,
            "R@5": 1 / 2,
            "AP@1": 0,
            "AP@3": 1 / 6,
            "AP@5": 1 / 6,
            "RR@5": 1 / 3,
            "nDCG@1": 0,
            "nDCG@3": 1 / log2(4) / ideal,
            "nDCG@5": 1 / log2(4) / ideal,
            "AP": (1 / 3 + 2 / 6) / 2,
            "RR": 1 / 3,
            "nDCG": (1 / log2(4) + 1 / log2(7)) / ideal,
        },
        abs=EXACT,
    )


def test_both_at_once_by_hand(six: Inspection) -> None:
    """Hits at 2, 3 and 6 of R = 3."""
    numbers = adjudicated(six, marked(c1=NOT_RELEVANT, c2=RELEVANT))

    assert numbers["P@3"] == pytest.approx(2 / 3)
    assert numbers["R@5"] == pytest.approx(2 / 3)
    assert numbers["RR"] == pytest.approx(1 / 2)
    assert numbers["AP"] == pytest.approx((1 / 2 + 2 / 3 + 3 / 6) / 3)


def test_the_published_numbers_do_not_hear_of_marks(six: Inspection) -> None:
    assert six.evaluation is not None
    judgements = marked(c1=NOT_RELEVANT, c2=RELEVANT, c4=Judgement("bias", "hub"))

    values = list(published(six, judgements).values())

    assert values == six.evaluation.scores.values[0].tolist()


@pytest.mark.parametrize(
    "judgements",
    [
        {},
        marked(c1=RELEVANT),  # it is relevant already
        marked(c2=NOT_RELEVANT),  # it was not relevant anyway
        marked(c1=Judgement(note="odd"), c2=Judgement(note="odder")),
        {"no such clip": RELEVANT, "": NOT_RELEVANT},
        *(marked(c1=Judgement("bias", reason), c2=Judgement("bias", reason)) for reason in REASONS),
    ],
)
def test_what_changes_nothing(six: Inspection, judgements: dict[str, Judgement]) -> None:
    assert all(map(without_change, pair_metrics(six, judgements)))
    corrected = adjudicate(six.judged, six.collection.truth, judgements)
    assert corrected.relevant.tolist() == [3]


def test_a_marked_clip_below_the_cut_still_counts_in_r() -> None:
    cut = asked_of({"g": [["x"], ["x"], *[["y"]] * 7]}, depth=5)

    numbers = adjudicated(cut, marked(c7=RELEVANT))

    assert (numbers["P@5"], numbers["R@5"], numbers["AP"]) == (0.2, 0.5, 0.5)


def test_without_its_only_relevant_clip_a_query_has_no_metric() -> None:
    one = asked_of({"g": [["x"], ["y"], ["x"], ["y"]]})

    pairs = pair_metrics(one, marked(c2=NOT_RELEVANT))

    assert len(pairs) == len(MEASURES)
    assert not any(math.isnan(pair.published) for pair in pairs)
    assert all(math.isnan(pair.adjudicated) for pair in pairs)


def test_a_mark_can_give_a_query_its_first_relevant_clip() -> None:
    none = asked_of({"g": [["x"], ["y"], ["y"]]})

    pairs = pair_metrics(none, marked(c2=RELEVANT))

    assert all(math.isnan(pair.published) for pair in pairs)
    assert {str(p.measure): p.adjudicated for p in pairs}["RR"] == 0.5


def test_a_query_without_keyword_has_no_metric_whatever_is_marked() -> None:
    nothing = asked_of({"g": [[], ["x"]]})

    assert pair_metrics(nothing, marked(c1=RELEVANT)) == ()


def test_what_is_below_the_least_similarity_is_relevant_but_not_found() -> None:
    found = asked_of({"g": [["x"], ["x"], ["y"], ["y"]]}, policies=Policies(min_similarity=0.6))

    numbers = adjudicated(found, marked(c2=RELEVANT))

    assert (numbers["P@3"], numbers["R@3"], numbers["AP"]) == pytest.approx((1 / 3, 1 / 2, 1 / 2))


def test_a_mark_on_the_removed_query_clip_is_ignored(six: Inspection) -> None:
    assert all(map(without_change, pair_metrics(six, marked(query=NOT_RELEVANT))))


@dataclass(frozen=True)
class Case:
    """A random answer with random marks, and its truth in plain sets."""

    inspection: Inspection
    judgements: dict[str, Judgement]
    published: set[str]

    @property
    def corrected(self) -> set[str]:
        known = set(self.inspection.collection.truth.ids)
        added = {clip for clip, said in self.judgements.items() if said.mark == "relevant"}
        taken = {clip for clip, said in self.judgements.items() if said.mark == "not relevant"}
        return (self.published | added & known) - taken

    def by_trec_eval(self, relevant: set[str]) -> dict[str, float]:
        found = self.inspection
        retrieved = int(found.judged.retrieved[0].sum())
        run = {found.clip(place): float(-place) for place in range(retrieved)}
        qrels = {"q": dict.fromkeys(relevant, 1)}
        wanted = {"P.1,3,5", "recall.1,3,5", "map_cut.1,3,5", "ndcg_cut.1,3,5"}
        evaluator = pytrec_eval.RelevanceEvaluator(qrels, wanted | {"map", "recip_rank", "ndcg"})
        values = evaluator.evaluate({"q": run})["q"]
        first = values["recip_rank"]
        named = {ours: values[theirs] for ours, theirs in TREC.items()}
        return {**named, "RR@5": first if first >= 1 / 5 else 0.0}


@st.composite
def cases(draw: st.DrawFn) -> Case:
    clips = draw(st.integers(6, 20))
    ids = [f"c{n}" for n in range(clips)]
    some = st.frozensets(st.sampled_from("xyz"))
    own = draw(st.lists(some, min_size=clips, max_size=clips))
    own[0] = own[0] | {"x"}
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    vectors = rng.standard_normal((clips, 4)).tolist()
    least = draw(st.none() | st.floats(-0.5, 0.5))
    bench = workbench(
        GroundTruth.from_columns(ids, {"g": own}),
        {"m": dict(zip(ids, vectors, strict=True))},
        Policies(min_similarity=least),
    )
    depth = draw(st.integers(5, clips))
    inspection = bench.ask(Question("video", "c0", "m", ("g",)), MEASURES, k=5, depth=depth)
    marks: st.SearchStrategy[Mark | None] = st.none() | st.sampled_from(get_args(Mark))
    clip = st.sampled_from([*ids[1:], "unknown", "elsewhere"])
    marked = draw(st.dictionaries(clip, st.builds(Judgement, marks)))
    relevant = {name for name, has in zip(ids[1:], own[1:], strict=True) if own[0] <= has}
    return Case(inspection, marked, relevant)


def assert_equal(ours: dict[str, float], case: Case, relevant: set[str]) -> None:
    if not relevant:
        assert all(map(math.isnan, ours.values()))
        return
    assert ours == pytest.approx(case.by_trec_eval(relevant), abs=EXACT)


@given(cases())
@examples(300)
def test_equals_trec_eval_with_corrected_judgements(case: Case) -> None:
    assert_equal(published(case.inspection, case.judgements), case, case.published)
    assert_equal(adjudicated(case.inspection, case.judgements), case, case.corrected)


@given(cases())
@examples(100)
def test_the_counts_equal_sets(case: Case) -> None:
    found = case.inspection
    before = found.judged.hits.copy()

    corrected = adjudicate(found.judged, found.collection.truth, case.judgements)

    retrieved = int(found.judged.retrieved[0].sum())
    hits = [found.clip(p) in case.corrected and p < retrieved for p in range(found.depth)]
    assert corrected.relevant.tolist() == [len(case.corrected)]
    assert corrected.hits[0].tolist() == hits
    np.testing.assert_array_equal(found.judged.hits, before)


@given(cases())
@examples(50)
def test_taking_every_mark_back_returns_to_the_published_numbers(case: Case) -> None:
    pair_metrics(case.inspection, case.judgements)

    cleared = {clip: Judgement(note=said.note) for clip, said in case.judgements.items()}

    for pair in pair_metrics(case.inspection, cleared):
        np.testing.assert_equal(pair.adjudicated, pair.published)
