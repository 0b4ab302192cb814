"""One clip of each source: by hand, by a plain loop over the whole ranking, and by trec_eval."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import pytrec_eval

from engine.base.choices import RelevancePolicy, TiePolicy
from engine.base.errors import InputError
from engine.dataset.collection import Collection
from engine.dataset.embeddings.read import EmbeddingSet, align_rows
from engine.dataset.ground_truth import GroundTruth
from engine.dataset.model_spec import ModelSpec
from engine.dataset.query_set import QuerySet, build_video_queries
from engine.keywords import searching
from engine.keywords.evaluate import Evaluation, evaluate
from engine.keywords.inspection import pair_metrics
from engine.keywords.judgement import Judgement
from engine.keywords.keyword_precision import measure_keywords
from engine.keywords.question import Question
from engine.keywords.typed_relevance import TypedRelevance
from engine.metrics import Measure
from engine.metrics.policies import Policies
from engine.text.encoder import PrecomputedEncoder
from tests.engine.keywords.workbench_by_hand import MEASURES, at_cosine, workbench

ONE = Policies(one_per="source")
MEASURED = [
    Measure.parse(text)
    for text in "P@1 P@5 R@5 Rcap@5 Success@5 AP AP@5 RR nDCG@5 MedR FN@5".split()
]


def collect(truth: GroundTruth, vectors: np.ndarray) -> Collection:
    embedded = EmbeddingSet("m", truth.ids, np.float32(vectors))
    return Collection(
        ModelSpec("m", Path("m.npy")), truth, embedded.vectors, align_rows(embedded, truth.ids)
    )


def by_hand() -> Collection:
    """a and b are of one drive, c and d of another, e of a third; they rank in this order."""
    keywords = [["y"], ["x"], ["x"], ["x"], ["y"]]
    truth = GroundTruth.from_columns(list("abcde"), {"g": keywords}, ["1", "1", "2", "2", "3"])
    return collect(truth, np.array([at_cosine(s) for s in (0.9, 0.8, 0.7, 0.6, 0.5)]))


def ask_text(collection: Collection, *names: str, policies: Policies = ONE) -> Evaluation:
    words = tuple(collection.truth.words.find(name) for name in names)
    queries = QuerySet.of("text", collection.truth, ["asked"], [words])
    encoder = PrecomputedEncoder(["asked"], np.float32([[1, 0]]), Path("texts.npz"))
    return evaluate(collection, queries, MEASURED, k=5, encoder=encoder, policies=policies)


def numbers(evaluation: Evaluation, query: int = 0) -> dict[str, float]:
    return dict(
        zip(
            map(str, evaluation.scores.measures),
            evaluation.scores.values[query].tolist(),
            strict=True,
        )
    )


def test_a_text_query_by_hand() -> None:
    found = ask_text(by_hand(), "x")

    # a stands for its drive and is no hit, though b, which it pushes out, would be one.
    assert found.judged.ranking.indices.tolist() == [[0, 2, 4]]
    assert found.judged.hits.tolist() == [[False, True, False]]
    assert (found.judged.relevant.tolist(), found.judged.collection.tolist()) == ([2], [3])
    got = numbers(found)
    assert got["P@1"] == 0 and got["P@5"] == pytest.approx(1 / 5)
    assert got["R@5"] == 1 / 2 and got["AP"] == pytest.approx((1 / 2) / 2) and got["RR"] == 1 / 2
    assert got["FN@5"] == 1 and found.complete and found.depth == 3


def test_a_clip_finds_nothing_of_its_own_source() -> None:
    collection = by_hand()
    queries = build_video_queries(
        collection.truth, collection.truth.words.select(), np.array([1, 2])
    )
    found = evaluate(collection, queries, MEASURED, k=5, policies=ONE)

    assert found.judged.ranking.indices.tolist() == [[2, 4], [1, 4]]
    assert found.judged.collection.tolist() == [2, 2]
    assert found.judged.relevant.tolist() == [1, 1]  # of the other drives, not of its own


def test_no_chance_is_given_where_it_is_not_known() -> None:
    found = ask_text(by_hand(), "x")

    assert found.chance is None and found.tested is None
    assert ask_text(by_hand(), "x", policies=Policies()).chance is not None


def test_what_would_be_found_and_missed_at_once_is_not_counted() -> None:
    collection = by_hand()
    queries = build_video_queries(collection.truth, collection.truth.words.select(), np.arange(2))

    with pytest.raises(InputError, match="TN@5 cannot be counted"):
        evaluate(collection, queries, [Measure.parse("TN@5")], k=5, policies=ONE)


def test_ties_are_not_averaged() -> None:
    with pytest.raises(InputError, match="insertion or docid_desc"):
        replace(ONE, ties="expected")


def test_where_all_clips_are_of_one_source_a_clip_cannot_ask() -> None:
    truth = GroundTruth.from_columns(["a", "b"], {"g": [["x"], ["x"]]}, ["1", "1"])
    queries = build_video_queries(truth, truth.words.select(), np.array([0]))

    with pytest.raises(InputError, match="all clips are of one source"):
        evaluate(collect(truth, np.eye(2)), queries, MEASURED, k=1, policies=ONE)


def test_where_each_clip_is_its_own_source_nothing_changes_but_for_chance() -> None:
    collection = random_collection(np.random.default_rng(3), 40, 40)
    collection = collect(replace(collection.truth, sources=None), collection.vectors)
    queries = build_video_queries(collection.truth, collection.truth.words.select(), np.arange(40))
    one, usual = (
        evaluate(collection, queries, MEASURED, k=5, policies=policies)
        for policies in (ONE, Policies())
    )

    assert np.array_equal(one.scores.values, usual.scores.values, equal_nan=True)
    assert np.array_equal(one.judged.ranking.indices, usual.judged.ranking.indices)


def random_collection(rng: np.random.Generator, clips: int, sources: int) -> Collection:
    keywords = [[f"k{n}" for n in range(4) if rng.random() < 0.45] for _ in range(clips)]
    keywords[0] = [f"k{n}" for n in range(4)]
    numbers = rng.integers(sources, size=clips)
    named = ["" if rng.random() < 0.1 else f"s{number}" for number in numbers]
    ids = [f"c{n:03}" for n in rng.permutation(clips)]
    truth = GroundTruth.from_columns(ids, {"g": keywords}, named)
    directions = rng.integers(-2, 3, (clips, 3)) + 0.5  # many ties
    return collect(truth, directions)


def rank_naively(
    collection: Collection, row: int, ties: TiePolicy, *, keep_own: bool = False
) -> list[int]:
    """The whole ranking as it is without sources, and of it the first clip of each other source."""
    every = collection.index.search(collection.vectors[row : row + 1], len(collection))
    pairs = list(zip(every.scores[0].tolist(), every.indices[0].tolist(), strict=True))
    if ties == "docid_desc":
        pairs.sort(key=lambda pair: collection.truth.ids[pair[1]], reverse=True)
        pairs.sort(key=lambda pair: -pair[0])
    of = [source or f"own {number}" for number, source in enumerate(collection.truth.sources or ())]
    seen, kept = set() if keep_own else {of[row]}, []
    for _, item in pairs:
        if of[item] not in seen:
            seen.add(of[item])
            kept.append(item)
    return kept


def find_worth(truth: GroundTruth, asked: Sequence[str], rule: RelevancePolicy) -> list[float]:
    """What each clip is worth to the query, from its keywords as they are written."""
    worth = []
    for row in range(len(truth)):
        has = sum(str(word) in asked for word in truth.keywords_of(row))
        share = has / len(asked)
        worth.append({"all": float(has == len(asked)), "any": float(has > 0)}.get(rule, share))
    return worth


@pytest.mark.parametrize("ties", ["insertion", "docid_desc"])
@pytest.mark.parametrize("rule", ["all", "any", "graded"])
def test_it_equals_a_plain_loop_and_trec_eval(
    ties: TiePolicy, rule: RelevancePolicy, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(searching, "FIRST_QUERIES", 4)
    for seed, (clips, sources) in enumerate([(30, 8), (50, 45), (25, 2)]):
        collection = random_collection(np.random.default_rng(seed), clips, sources)
        truth = collection.truth
        policies = replace(ONE, ties=ties, relevance=rule, no_relevant="zero")
        queries = build_video_queries(truth, truth.words.select(), np.arange(clips))
        found = evaluate(collection, queries, MEASURED, k=clips, policies=policies)

        assert queries.rows is not None
        for place, row in enumerate(queries.rows.tolist()):
            kept = rank_naively(collection, row, ties)
            judged = found.judged
            assert judged.ranking.indices[place].tolist() == kept
            worth = find_worth(truth, [str(word) for word in truth.keywords_of(row)], rule)
            same = truth.source_numbers
            best: dict[int, float] = {}
            for clip in range(clips):
                if same[clip] != same[row] and worth[clip]:
                    best[int(same[clip])] = max(best.get(int(same[clip]), 0.0), worth[clip])
            assert judged.relevant[place] == len(best)
            assert judged.collection[place] == len({*same.tolist()}) - 1
            assert judged.hits[place].tolist() == [worth[clip] > 0 for clip in kept]
            got = numbers(found, place)
            assert got["nDCG@5"] == pytest.approx(compute_ndcg(kept, worth, list(best.values())))
            if rule != "graded" and best:
                hits = {int(same[clip]): clip for clip in kept if worth[clip]}
                judgements = {f"hit {clip}": 1 for clip in hits.values()}
                judgements |= {f"missed {n}": 1 for n in range(len(best) - len(hits))}
                assert_trec_agrees(got, kept, worth, judgements)


def compute_ndcg(kept: list[int], worth: list[float], best: list[float]) -> float:
    def gain(values: Sequence[float]) -> float:
        return sum(value / math.log2(rank + 1) for rank, value in enumerate(values[:5], 1))

    ideal = gain(sorted(best, reverse=True))
    return gain([worth[clip] for clip in kept]) / ideal if ideal else 0.0


def assert_trec_agrees(
    got: dict[str, float], kept: list[int], worth: list[float], judgements: dict[str, int]
) -> None:
    names = [f"hit {clip}" if worth[clip] else f"miss {clip}" for clip in kept]
    run = {name: float(-rank) for rank, name in enumerate(names)}
    ids = {"P@5": "P_5", "R@5": "recall_5", "AP": "map", "AP@5": "map_cut_5", "RR": "recip_rank"}
    judge = pytrec_eval.RelevanceEvaluator({"q": judgements}, {*ids.values()})
    theirs = judge.evaluate({"q": run})["q"]
    assert {one: got[one] for one in ids} == pytest.approx({one: theirs[ids[one]] for one in ids})


def test_the_first_hit_is_searched_below_the_results_that_count() -> None:
    # 130 drives of two clips; only the farthest drive has what is asked for.
    truth = GroundTruth.from_columns(
        [f"c{n}" for n in range(260)],
        {"g": [["x"] if n >= 258 else ["y"] for n in range(260)]},
        [f"s{n // 2}" for n in range(260)],
    )
    collection = collect(truth, np.array([at_cosine(1 - n / 300) for n in range(260)]))
    words = (truth.words.find("x"),)
    queries = QuerySet.of("text", truth, ["asked"], [words])
    encoder = PrecomputedEncoder(["asked"], np.float32([[1, 0]]), Path("texts.npz"))

    found = evaluate(
        collection, queries, [Measure.parse("P@5")], k=5, encoder=encoder, policies=ONE
    )

    assert found.first_hits is not None and found.first_hits.ranks.tolist() == [130]


def test_one_question_is_answered_alike_and_says_so() -> None:
    collection = by_hand()
    vectors = dict(zip(collection.truth.ids, collection.vectors.tolist(), strict=True))
    bench = workbench(collection.truth, {"m": vectors})
    question = Question("video", "a", "m", ("g",), one_per="source")

    found = bench.ask_whole(question, MEASURES, 5)
    usual = bench.ask_whole(replace(question, one_per=None), MEASURES, 5)

    assert [found.clip(place) for place in range(found.depth)] == ["c", "e"]
    assert [usual.clip(place) for place in range(usual.depth)] == ["b", "c", "d", "e"]
    assert (found.relevant, found.reachable, found.one_per_source) == (1, 2, True)
    assert math.isnan(found.find_chance_level(MEASURES[0])) and found.absences == ()
    assert math.isnan(found.find_chance_p(MEASURES[0]))
    ranks = bench.standing(question, "m")
    assert [ranks.rank(clip) for clip in "abcde"] == [None, None, 1, None, 2]


def test_a_relevant_clip_behind_another_of_its_source_is_said_to_be_there() -> None:
    collection = by_hand()
    vectors = dict(zip(collection.truth.ids, collection.vectors.tolist(), strict=True))
    bench = workbench(collection.truth, {"m": vectors})
    question = Question("video", "e", "m", ("g",), keywords=("g:x",), one_per="source")
    found = bench.ask_whole(question, MEASURES, 5)

    # e is nearest to d, then c, b and a: b pushes a out; asked for y, a is behind b.
    asked = bench.ask_whole(replace(question, keywords=("g:y",)), MEASURES, 5)

    assert found.unranked == 0 and found.describe_unranked("below") == ""
    assert asked.relevant == 1 and asked.unranked == 1
    assert asked.describe_unranked("below") == "1 behind another clip of the same source"


@pytest.mark.parametrize("rule", ["all", "any", "graded"])
def test_marks_correct_the_sources_that_are_relevant(rule: RelevancePolicy) -> None:
    """As if the keywords had been other ones: adjudicated equals published on corrected clips."""
    rng = np.random.default_rng(5)
    collection = random_collection(rng, 20, 6)
    truth = collection.truth
    vectors = dict(zip(truth.ids, collection.vectors.tolist(), strict=True))
    asked = tuple(map(str, truth.keywords_of(3)))
    question = Question(
        "video", truth.ids[3], "m", ("g",), keywords=asked, relevance=rule, one_per="source"
    )
    marked = {truth.ids[7]: "relevant", truth.ids[11]: "not relevant", truth.ids[15]: "relevant"}
    found = workbench(truth, {"m": vectors}).ask_whole(question, MEASURES, 5)
    pairs = pair_metrics(found, {clip: Judgement(mark) for clip, mark in marked.items()})  # type: ignore[arg-type]

    words = [[word.name for word in truth.keywords_of(row)] for row in range(20)]
    for clip, mark in marked.items():
        names = [name.partition(":")[2] for name in asked]
        words[truth.row_of(clip)] = names if mark == "relevant" else []
    corrected = GroundTruth.from_columns(truth.ids, {"g": words}, truth.sources)
    expected = workbench(corrected, {"m": vectors}).ask_whole(question, MEASURES, 5)

    assert expected.evaluation is not None
    assert [pair.adjudicated for pair in pairs] == pytest.approx(
        expected.evaluation.scores.values[0].tolist(), nan_ok=True
    )


def test_typed_clips_count_by_source() -> None:
    collection = by_hand()
    vectors = dict(zip(collection.truth.ids, collection.vectors.tolist(), strict=True))
    bench = workbench(collection.truth, {"m": vectors})
    question = Question("video", "e", "m", ("g",), one_per="source")
    typed = TypedRelevance(("a", "b", "d", "e"), (1.0, 3.0, 2.0, 1.0))

    found = bench.ask(question, MEASURES, k=5, typed=typed)

    # d (grade 2), then b (grade 3): one drive each; the best order is b, d.
    assert [found.clip(place) for place in range(found.depth)] == ["d", "b"]
    assert found.relevant == 2 and found.typed is not None and found.typed.left_out == "e"
    assert found.evaluation is not None
    got = dict(zip(map(str, MEASURES), found.evaluation.scores.values[0].tolist(), strict=True))
    assert got["R@5"] == 1
    ideal = 3 + 2 / math.log2(3)
    assert got["nDCG"] == pytest.approx((2 + 3 / math.log2(3)) / ideal)


def test_a_keyword_by_itself_is_there_if_another_source_has_it() -> None:
    collection = by_hand()
    truth = collection.truth
    queries = build_video_queries(truth, truth.words.select(), np.arange(5))
    found = evaluate(collection, queries, MEASURED, k=2, policies=ONE)

    x, y = measure_keywords(truth, found.judged, (2,), own_rows=queries.rows, policies=ONE)

    assert (x.queries, y.queries) == (3, 2) and math.isnan(x.chance[0])


def test_a_keyword_that_no_other_source_has_is_in_no_mean() -> None:
    words = {"g": [["x"], ["x"], ["y"]]}
    truth = GroundTruth.from_columns(["a", "b", "c"], words, ["1", "1", "2"])
    queries = build_video_queries(truth, truth.words.select(), np.arange(2))
    zero = replace(ONE, no_relevant="zero")
    found = evaluate(collect(truth, np.eye(3)), queries, MEASURED, k=1, policies=zero)

    assert measure_keywords(truth, found.judged, (1,), own_rows=queries.rows, policies=ONE) == ()
