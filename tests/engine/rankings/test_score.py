"""Scoring run files: the same numbers as trec_eval, ir_measures and ranx, and every policy."""

from __future__ import annotations

from itertools import permutations
from pathlib import Path

import ir_measures
import numpy as np
import pytest
import pytrec_eval
import ranx

from engine.base.errors import InputError
from engine.metrics import Measure, find_profile
from engine.metrics.policies import Policies
from engine.rankings.formats.registry import read_qrels, read_run
from engine.rankings.formats.run_and_qrels import Qrels, RunFile
from engine.rankings.score import score_run
from engine.results.results import QueryKey

SHARED = {"map": "AP", "Rprec": "Rprec", "recip_rank": "RR", "ndcg": "nDCG"}
for _k in (5, 10, 15, 20, 30, 100, 200, 500, 1000):
    SHARED |= {f"P_{_k}": f"P@{_k}", f"recall_{_k}": f"R@{_k}"}
    SHARED |= {f"ndcg_cut_{_k}": f"nDCG@{_k}", f"map_cut_{_k}": f"AP@{_k}"}
SHARED |= {f"success_{_k}": f"Success@{_k}" for _k in (1, 5, 10)}
"""Every measure that trec_eval and this project both have."""


def measures(*ids: str) -> list[Measure]:
    return [Measure.parse(text) for text in ids]


class Collection:
    """Files as they come from a TREC track: ties, unjudged items, grades, queries that only one
    side has, scattered lines, and ranks that disagree with the scores."""

    def __init__(self, folder: Path, seed: int = 20) -> None:
        rng = np.random.default_rng(seed)
        self.run, self.qrels = folder / "made.run", folder / "made.qrels"
        items = [f"{source}-{n:04d}" for source in ("FT9", "LA", "ft9") for n in range(700)]
        judged, retrieved = [], []
        for query in range(301, 331):
            pool = rng.permutation(items)
            grades = rng.choice([-2, 0, 0, 0, 1, 1, 2, 3], 150)
            if query == 305:
                grades[:] = 0  # judged, but nothing is relevant
            if query != 310:  # not judged at all
                judged += [f"{query} 0 {d} {g}" for d, g in zip(pool[:150], grades, strict=True)]
            if query in (303, 317):
                continue  # judged, but not answered
            found = rng.permutation(pool[: int(rng.integers(160, 1200))])
            scores = np.round(rng.normal(size=len(found)), int(rng.integers(1, 9)))
            scores[: len(found) // 5] += 1e-9  # differs in double, not in single precision
            retrieved += [
                f"{query}\tQ0\t{d}\t{rank}\t{s!r}\ttag"
                for rank, (d, s) in enumerate(zip(found, scores.tolist(), strict=True))
            ]
        self.qrels.write_text("\n".join(judged) + "\n")
        self.run.write_text("\n".join(rng.permutation(retrieved)) + "\n")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Collection:
    return Collection(tmp_path_factory.mktemp("trec"))


def test_every_shared_measure_of_every_query_is_that_of_trec_eval(made: Collection) -> None:
    with made.qrels.open() as qrels, made.run.open() as run:
        judged, answered = pytrec_eval.parse_qrel(qrels), pytrec_eval.parse_run(run)
    theirs = pytrec_eval.RelevanceEvaluator(judged, pytrec_eval.supported_measures).evaluate(
        answered
    )

    policies = Policies(ties="docid_desc", missing="skip", no_relevant="zero")
    ours = score_run(
        read_qrels(made.qrels), read_run(made.run), measures(*SHARED.values()), policies
    )

    assert set(ours.queries) == set(theirs) and len(theirs) == 27
    expected = [[theirs[query][name] for name in SHARED] for query in ours.queries]
    np.testing.assert_allclose(ours.scores.values, expected, rtol=0, atol=1e-9)


def test_without_its_rule_for_ties_the_numbers_would_differ(made: Collection) -> None:
    qrels, run = read_qrels(made.qrels), read_run(made.run)

    insertion = score_run(qrels, run, measures("AP")).scores.values
    trec_eval = score_run(qrels, run, measures("AP"), Policies("docid_desc")).scores.values

    assert np.nanmax(np.abs(insertion - trec_eval)) > 1e-4


def test_means_are_those_of_ir_measures(made: Collection) -> None:
    names = ("P@10", "R@100", "AP", "RR", "nDCG@10")
    theirs = ir_measures.pytrec_eval.calc_aggregate(
        [ir_measures.parse_measure(name) for name in names],
        ir_measures.read_trec_qrels(str(made.qrels)),
        ir_measures.read_trec_run(str(made.run)),
    )

    policies = Policies(ties="docid_desc", missing="zero", no_relevant="zero")
    ours = score_run(read_qrels(made.qrels), read_run(made.run), measures(*names), policies)

    assert {str(m): v for m, v in theirs.items()} == pytest.approx(
        {str(m): ours.scores.mean(m) for m in ours.scores.measures}, abs=1e-9
    )


def test_graded_and_burges_ndcg_are_those_of_ranx() -> None:
    rng = np.random.default_rng(4)
    qrels = {
        f"q{n}": {f"d{i}": int(g) for i, g in enumerate(rng.integers(0, 4, 30))} for n in range(9)
    }
    run = {f"q{n}": {f"d{i}": float(s) for i, s in enumerate(rng.random(60))} for n in range(9)}

    theirs = ranx.evaluate(
        ranx.Qrels(qrels), ranx.Run(run), ["ndcg@10", "ndcg_burges@10", "mrr", "map@20"]
    )
    ours = score_run(
        Qrels.of_dict(qrels),
        RunFile.of_dict(run),
        measures("nDCG@10", "nDCG@10(gain=exp)", "RR", "AP@20"),
    )

    assert ours.scores.values.mean(axis=0) == pytest.approx(list(theirs.values()), abs=1e-9)


QRELS = {"a": {"x": 1, "y": 2}, "b": {"x": 1}, "none": {"x": 0, "y": -1}}
RUN = {"a": {"z": 0.9, "y": 0.8}, "none": {"x": 1.0}, "unjudged": {"x": 1.0}}


def values(policies: Policies, *names: str) -> dict[str, list[float]]:
    scored = score_run(Qrels.of_dict(QRELS), RunFile.of_dict(RUN), measures(*names), policies)
    return dict(zip(scored.queries, scored.scores.values.tolist(), strict=True))


def test_by_hand() -> None:
    scored = score_run(
        Qrels.of_dict(QRELS), RunFile.of_dict(RUN), measures("P@2", "R@2", "RR", "nDCG@2"), k=2
    )

    dcg, ideal = 2 / np.log2(3), 2 + 1 / np.log2(3)
    assert scored.scores.values[0].tolist() == [0.5, 0.5, 0.5, pytest.approx(dcg / ideal)]
    assert scored.scores.values[1].tolist() == [0.0] * 4  # judged, not in the run
    assert np.isnan(scored.scores.values[2]).all()  # nothing relevant
    assert scored.scores.mean(Measure.parse("P@2")) == 0.25
    counts = scored.counts
    assert (counts.judged, counts.in_run, counts.missing) == (3, 2, 1)
    assert (counts.unjudged_ignored, counts.no_relevant) == (1, 1)
    assert scored.notes == (
        "judged queries that are not in the run: 1, count 0",
        "queries of the run without judgement: 1, ignored",
        "1 of 3 queries have no relevant item: left out",
    )
    assert scored.collection == 3


def test_missing_queries_may_be_left_out_or_refused() -> None:
    assert list(values(Policies(missing="skip"), "P@1")) == ["a", "none"]
    with pytest.raises(InputError, match="judged query 'b' is not in the run"):
        values(Policies(missing="error"), "P@1")


def test_queries_without_relevant_item_may_count_or_be_refused() -> None:
    assert values(Policies(no_relevant="zero"), "R@1")["none"] == [0.0]
    with pytest.raises(InputError, match="'none' has no relevant item"):
        values(Policies(no_relevant="error"), "R@1")


def test_short_lists_may_have_a_short_denominator() -> None:
    assert values(Policies(), "P@5")["a"] == [0.2]
    assert values(Policies(fewer_than_k="adaptive"), "P@5")["a"] == [0.5]


def test_expected_ties_are_the_mean_over_all_orders() -> None:
    qrels = Qrels.of_dict({"q": {"a": 1, "c": 2, "lost": 1}})
    names = ("P@2", "AP", "RR", "nDCG@3")
    orders = [
        {"q": dict(zip(order, (4.0, 3.0, 2.0, 1.0), strict=True))} for order in permutations("abcd")
    ]

    every = [
        score_run(qrels, RunFile.of_dict(run), measures(*names)).scores.values[0] for run in orders
    ]
    tied = RunFile.of_dict({"q": dict.fromkeys("abcd", 0.5)})
    expected = score_run(qrels, tied, measures(*names), Policies(ties="expected"))

    np.testing.assert_allclose(expected.scores.values[0], np.mean(every, axis=0))


def test_ranks_of_items_that_were_not_found_are_one_below_the_deepest_list() -> None:
    qrels = Qrels.of_dict({"a": {"x": 1}, "b": {"lost": 1}})
    run = RunFile.of_dict({"a": {"x": 3.0, "y": 2.0, "z": 1.0}, "b": {"x": 1.0}})

    scored = score_run(qrels, run, measures("MnR", "MedR", "MedR(all)"))

    assert scored.scores.values[:, 0].tolist() == [1.0, 4.0]
    assert [scored.scores.aggregate(m) for m in scored.scores.measures] == [2.5, 2.5, 2.5]
    assert "MnR: 1 of 2 first relevant items were not found; the value is a lower bound" in (
        scored.notes
    )


def test_chunks_do_not_change_a_number(made: Collection, monkeypatch: pytest.MonkeyPatch) -> None:
    qrels, run = read_qrels(made.qrels), read_run(made.run)
    asked = measures("P@10", "AP", "MnR", "MedR(all)", "nDCG@10(gain=exp)", "TN@5")
    whole = score_run(qrels, run, asked)

    monkeypatch.setattr("engine.rankings.rankers._CELLS", 1)
    pieces = score_run(qrels, run, asked)

    np.testing.assert_array_equal(whole.scores.values, pieces.scores.values)
    np.testing.assert_array_equal(whole.scores.pooled, pieces.scores.pooled)
    np.testing.assert_array_equal(whole.top.indices, pieces.top.indices)


def test_one_deep_list_does_not_widen_all_others() -> None:
    deep = {"deep": {f"d{n}": -n for n in range(100_000)}}
    flat = {f"q{n}": {"d1": 1.0, "d2": 0.5} for n in range(20_000)}
    qrels = Qrels.of_dict({query: {"d2": 1} for query in (*flat, "deep")})

    scored = score_run(qrels, RunFile.of_dict(flat | deep), measures("RR"), k=5)

    # 20,001 × 100,000 places would take minutes and 16 GB.
    assert scored.scores.mean(Measure.parse("RR")) == pytest.approx(0.5 - 1 / 6 / 20_001)
    assert scored.top.depth == 5
    with pytest.raises(InputError, match="the top 100,000 of 20,001 queries are too many to keep"):
        score_run(qrels, RunFile.of_dict(flat | deep), measures("RR"), k=100_000)


@pytest.mark.parametrize("ties", ["insertion", "docid_desc"])
def test_a_cut_list_gives_the_same_as_the_whole(made: Collection, ties: str) -> None:
    qrels, run = read_qrels(made.qrels), read_run(made.run)
    policies = Policies(ties=ties)  # type: ignore[arg-type]

    alone = score_run(qrels, run, measures("nDCG@10"), policies)
    beside = score_run(qrels, run, measures("nDCG@10", "AP"), policies)

    np.testing.assert_array_equal(alone.scores.values[:, 0], beside.scores.values[:, 0])


def test_tn_counts_the_items_that_occur_unless_reported_otherwise() -> None:
    qrels, run = Qrels.of_dict({"q": {"a": 1, "b": 1}}), RunFile.of_dict({"q": {"a": 1, "x": 0}})

    seen = score_run(qrels, run, measures("TN@2"))
    reported = score_run(qrels, run, measures("TN@2"), collection=100)

    assert seen.scores.values.tolist() == [[0.0]]  # a, b, x: one hit, one miss, one not found
    assert reported.scores.values.tolist() == [[97.0]]
    assert "TN: N = 3" in seen.notes[0]
    with pytest.raises(InputError, match="smaller than the 3 items"):
        score_run(qrels, run, measures("TN@2"), collection=2)


def test_ids_that_never_meet_are_reported_with_examples() -> None:
    run = RunFile.of_dict({"Q-a": {"x": 1.0}})
    with pytest.raises(InputError, match=r"judged are 'a', 'b', 'none', the run has 'Q-a'"):
        score_run(Qrels.of_dict(QRELS), run, measures("P@1"))

    scored = score_run(Qrels.of_dict(QRELS), RunFile.of_dict({"a": {"X.mp4": 1}}), measures("P@1"))
    assert any("do the ids agree?" in note for note in scored.notes)


def test_grades_that_two_to_the_power_of_cannot_hold_are_refused() -> None:
    qrels = Qrels.of_dict({"q": {"a": 5000}})
    with pytest.raises(InputError, match="5000"):
        score_run(qrels, RunFile.of_dict({"q": {"a": 1}}), measures("nDCG@5(gain=exp)"))


def test_scores_beyond_single_precision_keep_their_order() -> None:
    run = RunFile.of_dict({"q": {"small": 1e300, "large": 1e301, "least": -1e300}})

    scored = score_run(Qrels.of_dict({"q": {"large": 1}}), run, measures("RR", "AvgSim@3"))

    assert scored.scores.values[0, 0] == 1.0
    assert np.isfinite(scored.scores.values).all()


def test_results_are_ready_to_be_compared(made: Collection) -> None:
    language = find_profile("ir")
    judged, run = read_qrels(made.qrels), read_run(made.run)
    results = score_run(judged, run, language.measures((5,)), k=3).results("made", language, 3)

    assert results.name == "made" and results.modes == ("ranked",)
    assert results.keys[0] == QueryKey("ranked", "301")
    assert {len(ranked) for ranked in results.ranked} == {0, 3}
    first = results.ranked[0]
    assert list(first.scores) == sorted(first.scores, reverse=True)
    hits = sum(gain > 0 for gain in first.gains)
    assert results.column(Measure.parse("P@5"))[0] >= hits / 5
