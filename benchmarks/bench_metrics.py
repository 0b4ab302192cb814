"""Metrics of 5,000 queries × top 100, beside pytrec_eval and warm ranx, on the same rankings.

Our time runs from arrays of ranked item indices and the relevant sets to per-query values, hit
lookup included. The peers get their objects ready-made; what building those costs is reported,
not counted. All must give the same numbers to 1e-9.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from time import perf_counter

import numpy as np
import numpy.typing as npt

from benchmarks.claim import Claim
from benchmarks.timing import best_of
from engine.metrics import Measure, Relevance, gains_from_sets, score

QUERIES, DEPTH, ITEMS = 5_000, 100, 20_000
MEASURES = tuple(map(Measure.parse, ("P@5", "R@5", "AP", "RR", "nDCG@10")))
PYTREC_EVAL = ("P_5", "recall_5", "map", "recip_rank", "ndcg_cut_10")
RANX = ("precision@5", "recall@5", "map", "mrr", "ndcg@10")


@dataclass(frozen=True)
class Collection:
    """Rankings with falling scores, and CSR relevant sets of which about half are retrieved."""

    ranking: npt.NDArray[np.int64]
    scores: npt.NDArray[np.float32]
    indptr: npt.NDArray[np.int64]
    indices: npt.NDArray[np.int64]

    @classmethod
    def make(cls, seed: int = 7) -> Collection:
        rng = np.random.default_rng(seed)
        rankings = [rng.choice(ITEMS, DEPTH, replace=False) for _ in range(QUERIES)]
        sets = []
        for ranked in rankings:
            size = int(rng.integers(2, 30))
            found = rng.choice(ranked, size // 2, replace=False)
            sets.append(np.union1d(found, rng.integers(0, ITEMS, size - size // 2)))
        scores = np.tile(np.linspace(1, 0, DEPTH, dtype=np.float32), (QUERIES, 1))
        indptr = np.concatenate(([0], np.cumsum([len(s) for s in sets])))
        return cls(np.stack(rankings), scores, indptr, np.concatenate(sets))

    def qrels(self) -> dict[str, dict[str, int]]:
        spans = zip(self.indptr[:-1], self.indptr[1:], strict=True)
        return {
            f"q{i:05d}": {f"d{item}": 1 for item in self.indices[start:stop]}
            for i, (start, stop) in enumerate(spans)
        }

    def run(self) -> dict[str, dict[str, float]]:
        scores = [float(value) for value in self.scores[0]]
        return {
            f"q{i:05d}": {f"d{item}": s for item, s in zip(ranked, scores, strict=True)}
            for i, ranked in enumerate(self.ranking)
        }


def ours(data: Collection) -> npt.NDArray[np.float64]:
    gains = gains_from_sets(data.ranking, data.indptr, data.indices)
    relevance = Relevance(
        gains=gains,
        scores=data.scores,
        returned=np.full(len(gains), gains.shape[1]),
        relevant=np.diff(data.indptr),
        collection=ITEMS,
    )
    return score(relevance, MEASURES).values


def require_equal(peer: str, theirs: npt.ArrayLike, values: npt.NDArray[np.float64]) -> None:
    difference = float(np.max(np.abs(np.asarray(theirs) - values)))
    if not difference <= 1e-9:
        raise AssertionError(f"{peer} differs by {difference}")


def beside_pytrec_eval(data: Collection, seconds: float) -> Claim:
    import pytrec_eval

    qrels, run = data.qrels(), data.run()
    start = perf_counter()
    evaluator = pytrec_eval.RelevanceEvaluator(
        qrels, {"P.5", "recall.5", "map", "recip_rank", "ndcg_cut.10"}
    )
    building = perf_counter() - start
    result = evaluator.evaluate(run)
    theirs = [[result[query][name] for name in PYTREC_EVAL] for query in run]
    require_equal("pytrec_eval", theirs, ours(data))
    peer = best_of(5, lambda: evaluator.evaluate(run))
    detail = (
        f"ours {seconds * 1e3:.1f} ms, pytrec_eval {peer * 1e3:.0f} ms "
        f"(+ {building * 1e3:.0f} ms to build its evaluator, not counted)"
    )
    return Claim("metrics: faster than pytrec_eval", peer / seconds, 5.0, "at least", detail)


def beside_ranx(data: Collection, seconds: float) -> Claim:
    import ranx

    start = perf_counter()
    qrels, run = ranx.Qrels(data.qrels()), ranx.Run(data.run())
    building = perf_counter() - start

    def evaluate() -> dict[str, npt.NDArray[np.float64]]:
        return ranx.evaluate(qrels, run, list(RANX), return_mean=False, save_results_in_run=False)

    start = perf_counter()
    result = evaluate()
    cold = perf_counter() - start
    require_equal("ranx", np.stack([result[name] for name in RANX], axis=1), ours(data))
    peer = best_of(5, evaluate)
    detail = (
        f"ours {seconds * 1e3:.1f} ms, warm ranx {peer * 1e3:.0f} ms (+ {building:.0f} s to build "
        f"its objects and {cold:.0f} s for the first call, not counted)"
    )
    return Claim("metrics: faster than warm ranx", peer / seconds, 4.0, "at least", detail)


def run() -> Iterator[Claim]:
    data = Collection.make()
    seconds = best_of(9, lambda: ours(data))
    yield beside_pytrec_eval(data, seconds)
    yield beside_ranx(data, seconds)
