"""Clips that have all keywords of a query, any of them, or a share: by hand, by trec_eval and by
ir_measures, and as a person sees them."""

from __future__ import annotations

from itertools import permutations
from math import log2

import ir_measures
import numpy as np
import pytest
import pytrec_eval

from engine.base.choices import RelevancePolicy
from engine.base.ranking import Ranking
from engine.dataset.ground_truth import GroundTruth
from engine.keywords.evaluate import compute_judged_chance, evaluate, score_judged
from engine.keywords.inspection import Inspection, pair_metrics
from engine.keywords.judge import JudgedRanking, judge
from engine.keywords.judgement import Judgement
from engine.keywords.question import Question
from engine.keywords.typed_relevance import TypedClip, find_typed_clips
from engine.metrics import Measure, Scores
from engine.metrics.policies import Policies, collect_policy_notes, dump_policies
from tests.engine.keywords.workbench_by_hand import asked_of, at_cosine, workbench

PEERS = {
    **{f"P@{k}": f"P_{k}" for k in (1, 5)},
    **{f"R@{k}": f"recall_{k}" for k in (1, 5)},
    **{f"AP@{k}": f"map_cut_{k}" for k in (5, 10)},
    **{f"Success@{k}": f"success_{k}" for k in (1, 5)},
    **{f"nDCG@{k}": f"ndcg_cut_{k}" for k in (1, 5, 10)},
    "AP": "map",
    "RR": "recip_rank",
    "nDCG": "ndcg",
    "Rprec": "Rprec",
}
TREC = "P.1,5 recall.1,5 map_cut.5,10 success.1,5 ndcg_cut.1,5,10 map recip_rank ndcg Rprec"
MEASURES = tuple(map(Measure.parse, PEERS))


def keyword_sets(rng: np.random.Generator, clips: int) -> list[list[str]]:
    return [[f"k{n}" for n in np.flatnonzero(rng.random(6) < 0.3)] for _ in range(clips)]


def make_random(
    seed: int, rule: RelevancePolicy, depth: int = 40, mode: str = "text"
) -> tuple[GroundTruth, list[list[str]], JudgedRanking, list[int]]:
    """Random rankings of 40 clips for 30 queries of 1 to 4 keywords."""
    rng = np.random.default_rng(seed)
    truth = GroundTruth.from_columns(
        [f"c{n}" for n in range(40)], {"g": [["k0", "k1", "k2"], *keyword_sets(rng, 39)]}
    )
    names = [word.name for word in truth.words.keywords]
    asked = [rng.choice(names, rng.integers(1, 5), replace=False).tolist() for _ in range(30)]
    own = rng.integers(0, 40, 30)
    order = np.stack([rng.permutation(40) for _ in range(30)])
    if mode == "video":
        asked = [[word.name for word in truth.keywords_of(row)] or ["k0"] for row in own.tolist()]
        order = np.stack([line[line != row] for line, row in zip(order, own, strict=True)])
    order = order[:, :depth]
    scores = np.tile(np.linspace(1, 0, order.shape[1], dtype=np.float32), (30, 1))
    judged = judge(
        Ranking(order, scores),
        truth,
        truth.query_bits(asked),
        own_rows=own if mode == "video" else None,
        relevance=rule,
    )
    return truth, asked, judged, own.tolist() if mode == "video" else [-1] * 30


def make_qrels(
    truth: GroundTruth, asked: list[list[str]], own: list[int], rule: RelevancePolicy
) -> dict[str, dict[str, int]]:
    """Graded: how many keywords a clip has, in proportion to its gain."""
    has = [{word.name for word in truth.keywords_of(row)} for row in range(len(truth))]
    qrels: dict[str, dict[str, int]] = {}
    for query, names in enumerate(asked):
        shared = {row: len(has[row] & set(names)) for row in range(len(truth)) if row != own[query]}
        least = len(names) if rule == "all" else 1
        qrels[f"q{query}"] = {
            truth.ids[row]: count if rule == "graded" else 1
            for row, count in shared.items()
            if count >= least
        }
    return {query: found for query, found in qrels.items() if found}


def make_trec_run(truth: GroundTruth, judged: JudgedRanking) -> dict[str, dict[str, float]]:
    return {
        f"q{query}": {truth.ids[row]: -float(rank) for rank, row in enumerate(rows)}
        for query, rows in enumerate(judged.ranking.indices.tolist())
    }


def score_all(judged: JudgedRanking, measures: tuple[Measure, ...] = MEASURES) -> Scores:
    return score_judged(judged, measures, Policies(), complete=True)


@pytest.mark.parametrize("mode", ["text", "video"])
@pytest.mark.parametrize("rule", ["all", "any", "graded"])
def test_trec_eval_gives_the_same_numbers(rule: RelevancePolicy, mode: str) -> None:
    for seed in range(5):
        for depth in (39, 7):
            truth, asked, judged, own = make_random(seed, rule, depth, mode)
            qrels, run = make_qrels(truth, asked, own, rule), make_trec_run(truth, judged)
            peer = pytrec_eval.RelevanceEvaluator(qrels, set(TREC.split()))
            theirs = peer.evaluate(run)
            values = score_all(judged).values
            assert len(theirs) > 10
            for query in range(30):
                if f"q{query}" not in theirs:
                    assert np.isnan(values[query]).all()
                    continue
                expected = [theirs[f"q{query}"][name] for name in PEERS.values()]
                assert values[query] == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("rule", ["any", "graded"])
def test_ir_measures_gives_the_same_numbers(rule: RelevancePolicy) -> None:
    truth, asked, judged, own = make_random(11, rule)
    qrels, run = make_qrels(truth, asked, own, rule), make_trec_run(truth, judged)
    names = ["P@5", "R@5", "AP", "RR", "Success@5", "nDCG@10", "nDCG"]
    theirs: dict[tuple[str, str], float] = {}
    for found in ir_measures.iter_calc([ir_measures.parse_measure(n) for n in names], qrels, run):
        theirs[found.query_id, str(found.measure)] = found.value
    measures = tuple(map(Measure.parse, names))
    values = score_all(judged, measures).values
    for (query, name), value in theirs.items():
        place = names.index(name)
        assert values[int(query[1:]), place] == pytest.approx(value, abs=1e-9)
    assert len(theirs) == len(names) * len(qrels)


def test_with_all_keywords_nothing_is_new() -> None:
    """What `all` knows is what it knew before there was a choice, and one keyword is like all."""
    truth, asked, judged, _ = make_random(2, "all")
    assert judged.shares is None and judged.levels is None and judged.gains is judged.hits
    bits = truth.query_bits([names[:1] for names in asked])
    values = [
        score_all(judge(judged.ranking, truth, bits, relevance=rule)).values
        for rule in ("all", "any", "graded")
    ]
    np.testing.assert_array_equal(values[0], values[1])
    np.testing.assert_array_equal(values[0], values[2])


def test_two_clips_of_four_by_hand() -> None:
    """Of the keywords x, y and z the results have one, none, all three, and two."""
    truth = GroundTruth.from_columns(
        list("abcd"), {"g": [["x"], ["w"], ["x", "y", "z"], ["y", "z", "w"]]}
    )
    ranking = Ranking(np.arange(4)[None], np.array([[0.9, 0.8, 0.7, 0.6]], np.float32))
    bits = truth.query_bits([["x", "y", "z"]])
    measures = tuple(map(Measure.parse, ("P@3", "R@3", "RR@3", "nDCG@3", "nDCG@3(gain=exp)")))
    found = {
        rule: score_all(judge(ranking, truth, bits, relevance=rule), measures).values[0].tolist()
        for rule in ("all", "any", "graded")
    }
    d2, d3 = 1 / log2(3), 1 / log2(4)
    assert found["all"] == pytest.approx([1 / 3, 1, 1 / 3, d3, d3])
    binary = (1 + d3) / (1 + d2 + d3)
    assert found["any"] == pytest.approx([2 / 3, 2 / 3, 1, binary, binary])
    graded = (1 / 3 + d3) / (1 + 2 / 3 * d2 + 1 / 3 * d3)
    low, middle = 2 ** (1 / 3) - 1, 2 ** (2 / 3) - 1
    exponential = (low + d3) / (1 + middle * d2 + low * d3)
    assert found["graded"] == pytest.approx([2 / 3, 2 / 3, 1, graded, exponential])


def test_the_ideal_ranking_is_that_of_all_clips_and_a_perfect_one_has_exactly_1() -> None:
    rng = np.random.default_rng(5)
    truth = GroundTruth.from_columns(
        [f"c{n}" for n in range(300)],
        {"g": [[f"k{n}" for n in np.flatnonzero(rng.random(7) < 0.4)] for _ in range(300)]},
    )
    asked = [[f"k{n}" for n in range(size)] for size in (1, 2, 3, 5, 7)]
    bits = truth.query_bits(asked)
    shared = np.bitwise_count(truth.bits[:, 0] & bits[:, :1])
    order = np.argsort(-shared.astype(int), axis=1, kind="stable")
    scores = np.tile(np.linspace(1, 0, 300, dtype=np.float32), (5, 1))
    measures = tuple(map(Measure.parse, ("nDCG", "nDCG@10", "nDCG@100", "nDCG(gain=exp)")))
    perfect = judge(Ranking(order, scores), truth, bits, relevance="graded")
    assert (score_all(perfect, measures).values == 1.0).all()
    # Cut at 20, the ideal of the whole ranking still has all clips.
    cut = judge(Ranking(order[:, :20], scores[:, :20]), truth, bits, relevance="graded")
    found = score_judged(cut, measures[:2], Policies(), complete=False).values
    gains = -np.sort(-shared.astype(float), axis=1)
    discounts = 1 / np.log2(np.arange(2, 302))
    whole = (gains[:, :20] @ discounts[:20]) / (gains @ discounts)
    np.testing.assert_allclose(found[:, 0], whole, rtol=1e-12)
    assert (found[:, 1] == 1.0).all()


@pytest.mark.parametrize("rule", ["any", "graded"])
def test_chance_levels_are_the_means_over_all_orders(rule: RelevancePolicy) -> None:
    truth = GroundTruth.from_columns(
        list("abcde"), {"g": [["x"], ["x", "y"], [], ["y", "z"], ["x", "y", "z"]]}
    )
    asked = [["x"], ["x", "y"], ["x", "y", "z"], ["z", "y"]]
    names = ("P@2", "R@3", "Success@2", "AP", "RR", "nDCG@2", "nDCG", "nDCG@3(gain=exp)", "MnR")
    measures = tuple(map(Measure.parse, names))
    scores = np.tile(np.linspace(1, 0, 5, dtype=np.float32), (len(asked), 1))
    every = []
    for order in permutations(range(5)):
        ranking = Ranking(np.tile(np.array(order), (len(asked), 1)), scores)
        judged = judge(ranking, truth, truth.query_bits(asked), relevance=rule)
        every.append(score_all(judged, measures).values)
    policies = Policies(relevance=rule)
    chance = compute_judged_chance(judged, score_all(judged, measures), policies, complete=True)
    np.testing.assert_allclose(chance.values, np.mean(every, axis=0), rtol=1e-12)


# In an evaluation, and in the inspector

GROUPS = {"g": [["x", "y"], ["x"], ["y", "x"], ["w"], ["y", "w"], []]}
"""The query clip has x and y; c1 has x, c2 both, c3 none, c4 y, c5 none."""


def inspect(rule: RelevancePolicy) -> Inspection:
    return asked_of(GROUPS, policies=Policies(relevance=rule))


@pytest.mark.parametrize(
    ("rule", "hits", "relevant"), [("all", [1], 1), ("any", [0, 1, 3], 3), ("graded", [0, 1, 3], 3)]
)
def test_marks_and_numbers_are_of_one_mind(
    rule: RelevancePolicy, hits: list[int], relevant: int
) -> None:
    found = inspect(rule)
    assert found.evaluation is not None
    assert [place for place, one in enumerate(found.results) if one.hit] == hits
    assert np.flatnonzero(found.is_relevant).tolist() == hits
    assert found.relevant == relevant and found.unranked == 0
    assert found.hits(3) == sum(place < 3 for place in hits)
    assert found.missed(2).tolist() == [place for place in hits if place >= 2]
    values = found.evaluation.scores
    assert values.column(Measure.parse("P@3"))[0] == found.hits(3) / 3
    assert values.column(Measure.parse("R@5"))[0] == 1


def test_a_partial_match_says_that_it_counts() -> None:
    assert [one.verdict for one in inspect("any").results[:3]] == [
        "Partial match (1/2 keywords): relevant",
        "Full match (2/2 keywords)",
        "No match (0/2 keywords)",
    ]
    assert inspect("all").results[0].verdict == "Partial match (1/2 keywords)"


def test_marks_of_a_person_change_graded_numbers_by_hand() -> None:
    """c1 is not relevant, c3 is, in full: gains 0, 1, 1, 1/2 of two at 1 and one at 1/2."""
    found = inspect("graded")
    marks = {"c1": Judgement("not relevant"), "c3": Judgement("relevant")}
    pairs = {str(pair.measure): pair for pair in pair_metrics(found, marks)}
    d = [1 / log2(rank + 1) for rank in range(1, 6)]
    published = (0.5 * d[0] + d[1] + 0.5 * d[3]) / (d[0] + 0.5 * d[1] + 0.5 * d[2])
    adjudicated = (d[1] + d[2] + 0.5 * d[3]) / (d[0] + d[1] + 0.5 * d[2])
    assert pairs["nDCG@5"].published == pytest.approx(published)
    assert pairs["nDCG@5"].adjudicated == pytest.approx(adjudicated)
    assert pairs["R@3"].published == pytest.approx(2 / 3)
    assert pairs["R@3"].adjudicated == pytest.approx(2 / 3)
    assert pairs["nDCG"].adjudicated == pytest.approx(adjudicated)


def test_marks_under_any_change_what_was_relevant_by_any() -> None:
    marks = {"c4": Judgement("not relevant"), "c1": Judgement("relevant")}
    pairs = {str(pair.measure): pair for pair in pair_metrics(inspect("any"), marks)}
    assert (pairs["R@3"].published, pairs["R@3"].adjudicated) == (2 / 3, 1)


def test_a_question_says_it_before_the_policies() -> None:
    truth = GroundTruth.from_columns(["q", "a", "b"], {"g": [["x", "y"], ["x"], ["x", "y"]]})
    vectors = {"q": (1.0, 0.0), "a": at_cosine(0.9), "b": at_cosine(0.5)}
    bench = workbench(truth, {"m": vectors})
    measures = (Measure.parse("P@1"),)
    asked = [Question("video", "q", "m", ("g",), relevance=rule) for rule in (None, "any")]
    by_default, by_any = (bench.ask(question, measures, k=1) for question in asked)
    assert (by_default.relevant, by_any.relevant) == (1, 2)
    assert by_any.policies.relevance == "any" and by_default.policies.relevance == "all"
    typed = find_typed_clips([TypedClip("b")], truth)
    by_hand = bench.ask(asked[1], measures, k=2, typed=typed)
    assert [one.hit for one in by_hand.results] == [False, True] and by_hand.relevant == 1


def test_first_hits_and_what_is_kept_go_by_the_policy() -> None:
    truth = GroundTruth.from_columns(["q", "a", "b"], {"g": [["x", "y"], ["x"], ["x", "y"]]})
    vectors = {"q": (1.0, 0.0), "a": at_cosine(0.9), "b": at_cosine(0.5)}
    collection = workbench(truth, {"m": vectors}).collection("m")
    from engine.dataset.query_set import build_video_queries

    queries = build_video_queries(truth, truth.words.select(), np.array([0]))
    first = {}
    for rule in ("all", "any", "graded"):
        policies = Policies(relevance=rule)
        found = evaluate(collection, queries, (Measure.parse("P@1"),), k=1, policies=policies)
        assert found.first_hits is not None
        first[rule] = found.first_hits.ranks.tolist(), found.judged.gains.tolist()
    assert first == {
        "all": ([2], [[False]]),
        "any": ([1], [[True]]),
        "graded": ([1], [[0.5]]),
    }


def test_results_say_which_it_was() -> None:
    assert dump_policies(Policies(), "keywords")["relevance"] == "all"
    assert collect_policy_notes(Policies(), "keywords") == []
    notes = collect_policy_notes(Policies(relevance="graded"), "keywords")
    assert notes == ["policy relevance: graded"]
    for evaluation in ("rankings", "labels"):
        assert "relevance" not in dump_policies(Policies(), evaluation)
