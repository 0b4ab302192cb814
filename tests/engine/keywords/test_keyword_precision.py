"""Each keyword by itself: held against brute force, and against trec_eval's P_k."""

from __future__ import annotations

import numpy as np
import pytest
import pytrec_eval

from engine.base.ranking import NO_ITEM, Ranking
from engine.dataset.ground_truth import GroundTruth
from engine.keywords.judge import judge
from engine.keywords.keyword_precision import measure_keywords
from engine.metrics.policies import Policies

KS = (1, 3, 8)


def make_case(seed: int) -> tuple[GroundTruth, list[list[str]], np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    own = [[f"k{n}" for n in np.flatnonzero(rng.random(9) < 0.25)] for _ in range(29)]
    own.append(["alone"])
    truth = GroundTruth.from_columns([f"c{n}" for n in range(30)], {"g": own})
    clips = rng.permutation(30)
    asked = [[word.name for word in truth.keywords_of(row)] for row in clips.tolist()]
    order = np.stack([rng.permutation(np.delete(np.arange(30), row))[:10] for row in clips])
    return truth, asked, clips, order


@pytest.mark.parametrize("short", ["fixed", "adaptive"])
@pytest.mark.parametrize("no_relevant", ["skip", "zero"])
@pytest.mark.parametrize("removed", [True, False])
def test_brute_force_counts_the_same(removed: bool, no_relevant: str, short: str) -> None:
    policies = Policies(no_relevant=no_relevant, fewer_than_k=short)  # type: ignore[arg-type]
    truth, asked, clips, order = make_case(4)
    scores = np.tile(np.linspace(1, 0, 10, dtype=np.float32), (30, 1))
    order[3, 2:] = NO_ITEM
    own = clips if removed else None
    judged = judge(
        Ranking(order, scores), truth, truth.query_bits(asked), own_rows=own, min_similarity=0.4
    )
    found = {
        one.keyword.name: one
        for one in measure_keywords(truth, judged, KS, own_rows=own, policies=policies)
    }
    has = [{word.name for word in truth.keywords_of(row)} for row in range(30)]
    expected: dict[str, list[list[tuple[float, float]]]] = {}
    for query, names in enumerate(asked):
        others = [row for row in range(30) if not removed or row != clips[query]]
        listed = [
            row
            for row, score in zip(order[query].tolist(), scores[query], strict=True)
            if row != NO_ITEM and score >= np.float32(0.4)
        ]
        for name in names:
            share = sum(name in has[row] for row in others) / len(others)
            if not share and no_relevant == "skip":
                continue
            line = []
            for k in KS:
                size = min(k, len(listed)) if short == "adaptive" else k
                value = sum(name in has[row] for row in listed[:k]) / size
                line.append((value, min(k, len(listed)) / size * share))
            expected.setdefault(name, []).append(line)
    assert set(found) == set(expected)
    assert ("alone" in found) is (not removed or no_relevant == "zero")
    for name, lines in expected.items():
        means = np.mean(lines, axis=0)
        assert found[name].values == pytest.approx(means[:, 0].tolist(), abs=1e-12)
        assert found[name].chance == pytest.approx(means[:, 1].tolist(), abs=1e-12)
        assert found[name].queries == len(lines)
        assert found[name].clips == sum(name in own for own in has)


def test_trec_eval_finds_the_same_with_judgements_of_one_keyword() -> None:
    truth, asked, clips, order = make_case(7)
    scores = np.tile(np.linspace(1, 0, 10, dtype=np.float32), (30, 1))
    judged = judge(Ranking(order, scores), truth, truth.query_bits(asked), own_rows=clips)
    run = {
        f"q{query}": {truth.ids[row]: -float(rank) for rank, row in enumerate(rows)}
        for query, rows in enumerate(order.tolist())
    }
    found = measure_keywords(truth, judged, KS, own_rows=clips)
    assert len(found) > 5
    for one in found:
        having = set(truth.relevant([one.keyword]).indices().tolist())
        qrels = {
            f"q{query}": {truth.ids[row]: 1 for row in having - {int(clips[query])}}
            for query, names in enumerate(asked)
            if one.keyword.name in names
        }
        measures = {f"P.{','.join(map(str, KS))}"}
        theirs = pytrec_eval.RelevanceEvaluator(qrels, measures).evaluate(run)
        assert len(theirs) == one.queries
        for k, value in zip(KS, one.values, strict=True):
            mean = np.mean([values[f"P_{k}"] for values in theirs.values()])
            assert value == pytest.approx(mean, abs=1e-9)


def test_random_rankings_are_at_chance() -> None:
    """Also for keywords of queries that ask for more, whatever makes a clip relevant."""
    truth, asked, clips, _ = make_case(9)
    values = []
    for seed in range(300):
        rng = np.random.default_rng(seed)
        order = np.stack([rng.permutation(np.delete(np.arange(30), row))[:8] for row in clips])
        ranking = Ranking(order, np.zeros(order.shape, np.float32))
        judged = judge(ranking, truth, truth.query_bits(asked), own_rows=clips, relevance="any")
        found = measure_keywords(truth, judged, (8,), own_rows=clips)
        values.append([one.values[0] for one in found])
    error = np.std(values, axis=0) / np.sqrt(300)
    chance = np.array([one.chance[0] for one in found])
    assert (abs(np.mean(values, axis=0) - chance) <= 4 * error).all()


def test_no_query_has_no_keyword() -> None:
    truth = GroundTruth.from_columns(["a"], {"g": [["x"]]})
    ranking = Ranking(np.zeros((1, 1), np.int64), np.zeros((1, 1), np.float32))
    assert measure_keywords(truth, judge(ranking, truth, truth.query_bits([[]])), (1,)) == ()
