"""Every metric against an independent implementation, on random rankings."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import ir_measures
import numpy as np
import numpy.typing as npt
import pytest
import pytrec_eval
import ranx
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import confusion_matrix, f1_score, ndcg_score

from engine.base.ranking import NO_ITEM, Ranking
from engine.metrics import Measure, Relevance, Scores, gains_from_sets, ideal_from_sets, score
from engine.metrics.relevance import count_returned
from tests.examples import examples

EXACT = 1e-9

PYTREC_EVAL = """
    P@k = P_k, R@k = recall_k, Success@k = success_k, AP = map, AP@k = map_cut_k,
    RR = recip_rank, Rprec = Rprec, nDCG = ndcg, nDCG@k = ndcg_cut_k
"""
RANX = """
    P@k = precision@k, R@k = recall@k, Success@k = hit_rate@k, TP@k = hits@k, F1@k = f1@k,
    AP = map, AP@k = map@k, RR = mrr, RR@k = mrr@k, Rprec = r-precision, nDCG = ndcg,
    nDCG@k = ndcg@k, nDCG(gain=exp) = ndcg_burges, nDCG@k(gain=exp) = ndcg_burges@k
"""


def at_cutoff(k: int, table: str) -> dict[str, str]:
    """Our ids and the names that a peer has for them."""
    pairs = (pair.strip().split(" = ") for pair in table.split(","))
    return {
        ours.replace("@k", f"@{k}"): re.sub(r"([@_])k$", rf"\g<1>{k}", theirs)
        for ours, theirs in pairs
    }


@dataclass(frozen=True)
class Case:
    """Random rankings (scores differ, also as float32) with graded judgements, and a cutoff."""

    ranking: Ranking
    judged: tuple[dict[int, int], ...]
    items: int
    k: int

    @property
    def relevance(self) -> Relevance:
        relevant = [{i: g for i, g in grades.items() if g > 0} for grades in self.judged]
        indptr = np.cumsum([0, *map(len, relevant)])
        indices = np.array([i for grades in relevant for i in grades], dtype=np.int64)
        grades = np.array([g for grades in relevant for g in grades.values()], dtype=np.float64)
        gains = gains_from_sets(self.ranking.indices, indptr, indices, grades)
        return Relevance(
            gains,
            self.ranking.scores,
            count_returned(self.ranking),
            np.diff(indptr),
            self.items,
            ideal=ideal_from_sets(indptr, grades),
            complete=True,
        )

    @property
    def qrels(self) -> dict[str, dict[str, int]]:
        return {
            f"q{q}": {f"d{i}": g for i, g in grades.items()} for q, grades in enumerate(self.judged)
        }

    @property
    def run(self) -> dict[str, dict[str, float]]:
        pairs = zip(self.ranking.indices, self.ranking.scores, strict=True)
        return {
            f"q{q}": {f"d{i}": float(s) for i, s in zip(items, scores, strict=True) if i != NO_ITEM}
            for q, (items, scores) in enumerate(pairs)
        }

    def score(self, *ids: str) -> Scores:
        return score(self.relevance, [Measure.parse(i) for i in ids], no_relevant="zero")

    def returned(self, query: int) -> list[int]:
        return [int(i) for i in self.ranking.indices[query] if i != NO_ITEM]

    def relevant(self, query: int) -> set[int]:
        return {i for i, grade in self.judged[query].items() if grade > 0}

    def labels(self, query: int) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.bool_]]:
        """Whether each item is relevant, and whether it is among the first k."""
        everything = np.arange(self.items)
        top = self.returned(query)[: self.k]
        return np.isin(everything, sorted(self.relevant(query))), np.isin(everything, top)


@st.composite
def cases(draw: st.DrawFn, full: bool = False, some_relevant: bool = False) -> Case:
    items = draw(st.integers(3, 20))
    queries = draw(st.integers(1, 3))
    depth = items if full else draw(st.integers(1, items))
    indices = np.full((queries, depth), NO_ITEM, dtype=np.int64)
    judged = []
    for query in range(queries):
        length = depth if full else draw(st.integers(1, depth))
        indices[query, :length] = draw(st.permutations(range(items)))[:length]
        grades = draw(st.dictionaries(st.integers(0, items - 1), st.integers(0, 3), min_size=1))
        if some_relevant:
            grades[draw(st.integers(0, items - 1))] = draw(st.integers(1, 3))
        judged.append(grades)
    scores = np.tile(np.linspace(0.9, 0.1, depth, dtype=np.float32), (queries, 1))
    return Case(Ranking(indices, scores), tuple(judged), items, draw(st.integers(1, items)))


def assert_equal(case: Case, ids: Sequence[str], theirs: Sequence[Sequence[float]]) -> None:
    np.testing.assert_allclose(case.score(*ids).values, theirs, rtol=0, atol=EXACT)


@given(cases())
@examples(150)
def test_equals_pytrec_eval(case: Case) -> None:
    names = at_cutoff(case.k, PYTREC_EVAL)
    wanted = {re.sub(r"_(\d+)$", r".\1", name) for name in names.values()}

    result = pytrec_eval.RelevanceEvaluator(case.qrels, wanted).evaluate(case.run)

    theirs = [[result[query][name] for name in names.values()] for query in case.qrels]
    assert_equal(case, list(names), theirs)


@given(cases())
@examples(60)
def test_equals_ir_measures(case: Case) -> None:
    ids = [*at_cutoff(case.k, PYTREC_EVAL), f"RR@{case.k}"]
    asked = {i: ir_measures.parse_measure(i) for i in ids}

    found = ir_measures.iter_calc(list(asked.values()), case.qrels, case.run)
    values = {(m.query_id, m.measure): m.value for m in found}

    theirs = [[values[query, measure] for measure in asked.values()] for query in case.qrels]
    assert_equal(case, ids, theirs)


@given(cases())
@examples(60)
def test_confusion_counts_equal_sklearn(case: Case) -> None:
    ids = [f"{name}@{case.k}" for name in ("TN", "FP", "FN", "TP")]

    theirs = [
        confusion_matrix(*case.labels(query), labels=[False, True]).ravel()
        for query in range(len(case.judged))
    ]

    assert_equal(case, ids, theirs)


@given(cases(full=True, some_relevant=True))
@examples(60)
def test_f1_equals_sklearn(case: Case) -> None:
    theirs = [[f1_score(*case.labels(query))] for query in range(len(case.judged))]

    assert_equal(case, [f"F1@{case.k}"], theirs)


@given(cases(full=True, some_relevant=True), st.sampled_from(["", "(gain=exp)"]))
@examples(60)
def test_graded_ndcg_equals_sklearn(case: Case, variant: str) -> None:
    worth = (lambda g: 2**g - 1) if variant else (lambda g: g)
    theirs = []
    for query, grades in enumerate(case.judged):
        true = [[worth(grades.get(item, 0)) for item in range(case.items)]]
        shown = [[-case.returned(query).index(item) for item in range(case.items)]]
        cut = ndcg_score(true, shown, k=case.k, ignore_ties=True)
        theirs.append([cut, ndcg_score(true, shown, ignore_ties=True)])

    assert_equal(case, [f"nDCG@{case.k}{variant}", f"nDCG{variant}"], theirs)


@given(cases())
@examples(60)
def test_shares_of_the_relevant_items_equal_plain_python(case: Case) -> None:
    """TopK%, BEIR's capped recall, and the average precision of sentence-transformers."""
    theirs = []
    for query in range(len(case.judged)):
        relevant, top = case.relevant(query), case.returned(query)[: case.k]
        found = len(relevant & set(top))
        reachable = min(len(relevant), case.k)
        precisions, seen = [], 0
        for rank, item in enumerate(top, start=1):
            if item in relevant:
                seen += 1
                precisions.append(seen / rank)
        theirs.append(
            [
                100 * found / len(relevant) if relevant else 0.0,
                found / reachable if relevant else 0.0,
                sum(precisions) / reachable if relevant else 0.0,
            ]
        )

    assert_equal(case, [f"TopK%@{case.k}", f"Rcap@{case.k}", f"AP@{case.k}(norm=min)"], theirs)


@given(cases(full=True, some_relevant=True))
@examples(60)
def test_ranks_and_similarities_equal_numpy(case: Case) -> None:
    median, mean, pooled, similarity = map(
        Measure.parse, ("MedR", "MnR", "MedR(all)", f"AvgSim@{case.k}")
    )
    ranks = [
        [rank for rank, item in enumerate(case.returned(q), 1) if item in case.relevant(q)]
        for q in range(len(case.judged))
    ]
    first = [own[0] for own in ranks]

    scores = score(case.relevance, [median, mean, pooled, similarity])

    assert scores.aggregate(median) == np.median(first)
    assert scores.aggregate(mean) == pytest.approx(np.mean(first), abs=EXACT)
    assert scores.aggregate(pooled) == np.median(np.concatenate(ranks))
    assert scores.column(pooled).tolist() == [np.median(own) for own in ranks]
    averages = case.ranking.scores[:, : case.k].astype(np.float64).mean(axis=1)
    np.testing.assert_allclose(scores.column(similarity), averages, rtol=0, atol=EXACT)


@given(cases(some_relevant=True))
@examples(100)
def test_equals_ranx(case: Case) -> None:
    names = at_cutoff(case.k, RANX)

    result = ranx.evaluate(
        ranx.Qrels(case.qrels), ranx.Run(case.run), list(names.values()), return_mean=False
    )

    theirs = np.stack([np.atleast_1d(result[name]) for name in names.values()], axis=1)
    assert_equal(case, list(names), theirs)
