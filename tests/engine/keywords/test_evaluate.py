"""The two algorithms by hand: worked examples, policies, and the numbers behind the marks."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from engine.base.errors import InputError
from engine.base.progress import Step
from engine.dataset.collection import Collection
from engine.dataset.embeddings.read import EmbeddingSet, align_rows
from engine.dataset.ground_truth import GroundTruth
from engine.dataset.model_spec import ModelSpec
from engine.dataset.query_files import TextQuery
from engine.dataset.query_set import QuerySet, build_text_queries, build_video_queries
from engine.keywords.evaluate import evaluate
from engine.keywords.judge import break_down, judge
from engine.keywords.searching import WrongEncoderError
from engine.metrics import Measure
from engine.metrics.policies import Policies
from engine.text.encoder import PrecomputedEncoder

QUERY = "cyclist entering ego lane"


def recall(*ks: int) -> list[Measure]:
    return [Measure.parse(f"P@{k}") for k in ks]


def collection_of(
    similarities: Sequence[float], keywords: Sequence[Sequence[str]], groups: dict[str, str]
) -> Collection:
    """Clips whose cosine with the query vector (1, 0) is as given."""
    ids = [f"clip_{n}" for n in range(len(similarities))]
    truth = GroundTruth.from_columns(
        ids,
        {
            group: [[name for name in own if groups[name] == group] for own in keywords]
            for group in dict.fromkeys(groups.values())
        },
    )
    s = np.array(similarities)
    vectors = np.stack([s, np.sqrt(1 - s**2)], axis=1).astype(np.float32)
    return make_collection(truth, vectors)


def make_collection(truth: GroundTruth, vectors: np.ndarray) -> Collection:
    embedded = EmbeddingSet("m", truth.ids, vectors)
    return Collection(
        ModelSpec("m", Path("m.npy")), truth, embedded.vectors, align_rows(embedded, truth.ids)
    )


@pytest.fixture
def cyclists() -> Collection:
    """The text example: five results, the fifth has the behavior but not the object."""
    both = ["bicyclist", "entering ego path"]
    return collection_of(
        [0.92, 0.88, 0.85, 0.53, 0.12, 0.05],
        [both, both, both, both, ["entering ego path"], both],
        {"bicyclist": "object_type", "entering ego path": "actor_behavior"},
    )


def text_query(collection: Collection, *names: str) -> QuerySet:
    keywords = tuple(collection.truth.words.find(name) for name in names)
    return QuerySet.of("text", collection.truth, [QUERY], [keywords])


ENCODER = PrecomputedEncoder([QUERY], np.float32([[1, 0]]), Path("query.npz"))


def test_the_worked_example_of_a_text_query(cyclists: Collection) -> None:
    result = evaluate(
        cyclists,
        text_query(cyclists, "bicyclist", "entering ego path"),
        recall(1, 3, 5),
        k=5,
        encoder=ENCODER,
        policies=Policies(min_similarity=0.15),
    )

    assert result.judged.ranking.scores[0] == pytest.approx(
        [0.92, 0.88, 0.85, 0.53, 0.12], abs=1e-6
    )
    assert result.scores.values[0] == pytest.approx([1.0, 1.0, 0.8])


def test_the_marks_of_the_worked_example(cyclists: Collection) -> None:
    queries = text_query(cyclists, "bicyclist", "entering ego path")
    ranking = cyclists.index.search(np.float32([[1, 0]]), 5)
    judged = judge(ranking, cyclists.truth, queries.bits, min_similarity=0.15)

    fifth = break_down(judged, cyclists.truth, cyclists.truth.words.select(), 0, 4)

    assert fifth.verdict == "Partial match (1/2 keywords)"
    assert [(m.group, [(k.name, has) for k, has in m.marks]) for m in fifth.groups] == [
        ("object_type", [("bicyclist", False)]),
        ("actor_behavior", [("entering ego path", True)]),
    ]
    assert not fifth.hit
    assert break_down(judged, cyclists.truth, cyclists.truth.words.select(), 0, 0).hit


def test_the_worked_example_of_a_video_query() -> None:
    """Three of the top five reach the threshold: Recall@5 = 0.6, with eight relevant clips."""
    names = ["highway", "lane change", "small vehicle"]
    similarities = [1.0, 0.95, 0.91, 0.32, 0.10, 0.09, 0.05, 0.04, 0.03]
    collection = collection_of(similarities, [names] * 9, dict.fromkeys(names, "keywords"))
    queries = build_video_queries(collection.truth, collection.truth.words.select(), np.array([0]))

    result = evaluate(collection, queries, recall(5), k=5, policies=Policies(min_similarity=0.15))

    top = result.judged.ranking.scores[0]
    assert top == pytest.approx([0.95, 0.91, 0.32, 0.10, 0.09], abs=1e-6)
    assert result.judged.relevant.tolist() == [8]
    assert result.scores.values[0].tolist() == pytest.approx([0.6])


def test_the_query_clip_is_removed_and_k_others_remain() -> None:
    truth = GroundTruth.from_columns(["a", "b", "c", "d"], {"g": [["x"], ["x"], ["x"], ["y"]]})
    vectors = np.float32([[1, 0], [1, 0], [0.9, 0.4], [0, 1]])
    collection = make_collection(truth, vectors)
    queries = build_video_queries(truth, truth.words.select(), np.arange(4))

    result = evaluate(collection, queries, recall(2), k=2)

    assert result.judged.ranking.indices.tolist()[:2] == [[1, 2], [0, 2]]
    assert result.judged.relevant.tolist() == [2, 2, 2, 0]
    assert result.scores.values[:3, 0].tolist() == [1, 1, 1]
    assert result.skipped == {"no_keyword": 0, "no_relevant": 1}


def test_a_collection_of_one_clip_is_refused_with_its_file() -> None:
    alone = collection_of([1.0], [["car"]], {"car": "object_type"})
    queries = build_video_queries(alone.truth, alone.truth.words.select(), np.arange(1))

    with pytest.raises(InputError, match=r"m\.npy: .* to find; add embeddings of more"):
        evaluate(alone, queries, recall(1), k=1)


def test_the_query_clip_can_be_kept() -> None:
    truth = GroundTruth.from_columns(["a", "b"], {"g": [["x"], ["y"]]})
    collection = make_collection(truth, np.float32([[1, 0], [0, 1]]))
    queries = build_video_queries(truth, truth.words.select(), np.arange(2))

    result = evaluate(collection, queries, recall(1), k=1, policies=Policies(self_clip="keep"))

    assert result.judged.ranking.indices.tolist() == [[0], [1]]
    assert result.scores.values[:, 0].tolist() == [1, 1]


def test_true_negatives_do_not_count_the_query_clip() -> None:
    truth = GroundTruth.from_columns(list("abcde"), {"g": [["x"], ["x"], ["x"], ["y"], ["y"]]})
    vectors = np.float32([[1, 0], [0.9, 0.4], [0, 1], [0.8, 0.6], [0.1, 0.99]])
    collection = make_collection(truth, vectors)
    queries = build_video_queries(truth, truth.words.select(), np.array([0]))
    measures = [Measure.parse(name) for name in ("TP@2", "FP@2", "FN@2", "TN@2")]

    result = evaluate(collection, queries, measures, k=2)

    # Four others: b is a hit, d is not; c is missed, e is rightly left.
    assert result.scores.values[0].tolist() == [1, 1, 1, 1]


def test_a_query_without_keyword_is_left_out_and_counted(cyclists: Collection) -> None:
    truth, selection = cyclists.truth, cyclists.truth.words.select(["object_type"])
    texts = [TextQuery(QUERY, ("bicyclist",)), TextQuery("entering", ("entering ego path",))]

    queries = build_text_queries(texts, truth, selection, pytest.fail)

    assert queries.names == (QUERY,)
    assert queries.left_out == ((1, "entering"),)
    with pytest.raises(InputError, match="'entering' has no keyword"):
        build_text_queries(texts, truth, selection, pytest.fail, policy="error")


def test_an_unknown_keyword_of_a_query_is_an_error_with_its_line(cyclists: Collection) -> None:
    from engine.base.errors import Place

    texts = [TextQuery("x", ("bicylist",), place=Place("q.csv", 7))]

    with pytest.raises(InputError, match=r'q\.csv, line 7: unknown keyword "bicylist"'):
        build_text_queries(texts, cyclists.truth, cyclists.truth.words.select(), pytest.fail)


def test_a_full_ranking_is_computed_when_a_measure_needs_it(cyclists: Collection) -> None:
    queries = text_query(cyclists, "bicyclist", "entering ego path")

    result = evaluate(cyclists, queries, [Measure.parse("AP")], k=1, encoder=ENCODER)

    assert (result.depth, result.complete) == (6, True)
    assert result.scores.values[0, 0] == pytest.approx((1 + 1 + 1 + 1 + 5 / 6) / 5)
    assert result.judged.ranking.depth == 1


def test_a_cut_ranking_says_so(cyclists: Collection) -> None:
    queries = text_query(cyclists, "bicyclist", "entering ego path")

    result = evaluate(cyclists, queries, [Measure.parse("AP")], k=1, encoder=ENCODER, depth=3)

    assert not result.complete
    assert any("cut at 3" in note for note in result.scores.notes)


def tied() -> tuple[Collection, QuerySet]:
    """Four clips with one and the same vector; the second and the fourth are relevant."""
    truth = GroundTruth.from_columns(list("abcd"), {"g": [["y"], ["x"], ["y"], ["x"]]})
    collection = make_collection(truth, np.float32([[1, 0]] * 4))
    return collection, text_query(collection, "x")


def test_ties_keep_the_order_of_insertion() -> None:
    collection, queries = tied()

    result = evaluate(collection, queries, recall(1, 2), k=2, encoder=ENCODER)

    assert result.judged.ranking.indices.tolist() == [[0, 1]]
    assert result.scores.values[0].tolist() == [0, 0.5]


def test_ties_can_be_ordered_as_trec_eval_does() -> None:
    collection, queries = tied()
    policies = Policies(ties="docid_desc")

    result = evaluate(collection, queries, recall(1, 2), k=2, encoder=ENCODER, policies=policies)

    assert result.judged.ranking.indices.tolist() == [[3, 2]]
    assert result.scores.values[0].tolist() == [1, 0.5]


def test_ties_can_be_averaged_over_all_orders() -> None:
    collection, queries = tied()
    policies = Policies(ties="expected")

    result = evaluate(collection, queries, recall(1, 2), k=2, encoder=ENCODER, policies=policies)

    assert result.scores.values[0] == pytest.approx([0.5, 0.5])


def test_progress_counts_up_to_all_queries(cyclists: Collection) -> None:
    seen: list[Step] = []
    queries = build_video_queries(cyclists.truth, cyclists.truth.words.select(), np.arange(6))

    evaluate(cyclists, queries, recall(1), k=1, report=seen.append)

    assert seen[-1] == Step("video", "evaluating", 6, 6)


def many_texts(collection: Collection, count: int) -> tuple[QuerySet, PrecomputedEncoder]:
    """Texts about the two keywords, each with a vector of its own."""
    rng = np.random.default_rng(5)
    names = [f"text {number}" for number in range(count)]
    keywords = [collection.truth.words.find("bicyclist")]
    queries = QuerySet.of("text", collection.truth, names, [keywords] * count)
    vectors = rng.standard_normal((count, 2)).astype(np.float32)
    return queries, PrecomputedEncoder(names, vectors, Path("query.npz"))


def test_texts_that_are_encoded_bit_by_bit_score_as_all_at_once(
    cyclists: Collection, monkeypatch: pytest.MonkeyPatch
) -> None:
    queries, encoder = many_texts(cyclists, 25)
    for policies in (Policies(), Policies(ties="docid_desc"), Policies(ties="expected")):
        seen: list[Step] = []
        monkeypatch.setattr("engine.keywords.searching.TEXTS_PER_ENCODING", 1_000)
        whole = evaluate(cyclists, queries, recall(1, 3), k=3, encoder=encoder, policies=policies)
        monkeypatch.setattr("engine.keywords.searching.TEXTS_PER_ENCODING", 7)
        parts = evaluate(
            cyclists,
            queries,
            recall(1, 3),
            k=3,
            encoder=encoder,
            policies=policies,
            report=seen.append,
        )

        np.testing.assert_array_equal(parts.scores.values, whole.scores.values)
        np.testing.assert_array_equal(parts.judged.ranking.indices, whole.judged.ranking.indices)
        assert [step.done for step in seen] == [7, 14, 21, 25]


def test_whoever_is_reported_of_the_progress_can_end_it(
    cyclists: Collection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.keywords.searching.TEXTS_PER_ENCODING", 7)
    queries, encoder = many_texts(cyclists, 25)
    seen: list[Step] = []

    def report(step: Step) -> None:
        seen.append(step)
        raise InterruptedError

    with pytest.raises(InterruptedError):
        evaluate(cyclists, queries, recall(1), k=1, encoder=encoder, report=report)

    assert seen == [Step("text", "evaluating", 7, 25)]


def test_a_text_without_a_vector_is_reported_before_anything_is_searched(
    cyclists: Collection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.keywords.searching.TEXTS_PER_ENCODING", 7)
    queries, _ = many_texts(cyclists, 25)
    encoder = PrecomputedEncoder(queries.names[:20], np.ones((20, 2), np.float32), Path("q.npz"))
    seen: list[Step] = []

    with pytest.raises(InputError, match=r"no vector for 'text 20' \(5 of 25"):
        evaluate(cyclists, queries, recall(1), k=1, encoder=encoder, report=seen.append)

    assert not seen


def test_no_query_left_is_an_error(cyclists: Collection) -> None:
    queries = QuerySet.of("text", cyclists.truth, [], [])

    with pytest.raises(InputError, match="no query is left"):
        evaluate(cyclists, queries, recall(1), k=1, encoder=ENCODER)


def test_hits_and_counts_equal_a_loop_over_sets() -> None:
    rng = np.random.default_rng(3)
    names = [f"k{n}" for n in range(9)]
    own = [set(rng.choice(names, rng.integers(1, 4), replace=False)) for _ in range(80)]
    truth = GroundTruth.from_columns([f"c{n:02d}" for n in range(80)], {"g": own})
    vectors = rng.standard_normal((80, 8)).astype(np.float32)
    collection = make_collection(truth, vectors)
    queries = build_video_queries(truth, truth.words.select(), np.arange(80))

    result = evaluate(collection, queries, recall(5), k=5)

    unit = vectors.astype(float) / np.linalg.norm(vectors.astype(float), axis=1, keepdims=True)
    for query in range(80):
        order = [row for row in np.argsort(-unit @ unit[query]) if row != query][:5]
        hits = sum(own[query] <= own[row] for row in order)
        relevant = sum(own[query] <= other for other in own) - 1
        assert result.judged.relevant[query] == relevant
        if relevant:
            assert result.scores.values[query, 0] == pytest.approx(hits / 5)
        else:
            assert np.isnan(result.scores.values[query, 0])


@pytest.mark.parametrize("seed", range(5))
def test_the_order_of_the_queries_changes_no_query(seed: int) -> None:
    rng = np.random.default_rng(seed)
    own = [set(rng.choice(list("abcde"), 2, replace=False)) for _ in range(30)]
    truth = GroundTruth.from_columns([f"c{n}" for n in range(30)], {"g": own})
    collection = make_collection(truth, rng.standard_normal((30, 6)).astype(np.float32))
    order = rng.permutation(30)

    straight = evaluate(
        collection, build_video_queries(truth, truth.words.select(), np.arange(30)), recall(3), k=3
    )
    shuffled = evaluate(
        collection, build_video_queries(truth, truth.words.select(), order), recall(3), k=3
    )

    assert shuffled.queries.names == tuple(truth.ids[row] for row in order)
    np.testing.assert_array_equal(shuffled.scores.values, straight.scores.values[order])
    np.testing.assert_array_equal(
        shuffled.judged.ranking.indices, straight.judged.ranking.indices[order]
    )


def test_an_encoder_of_other_dimensions_says_what_to_do(cyclists: Collection) -> None:
    queries = text_query(cyclists, "bicyclist")
    encoder = PrecomputedEncoder([QUERY], np.float32([[1, 0, 0]]), Path("query.npz"))

    with pytest.raises(WrongEncoderError, match=r"3 dimensions .* have 2; .*--mode video"):
        evaluate(cyclists, queries, recall(1), k=1, encoder=encoder)


def test_a_depth_below_k_is_refused(cyclists: Collection) -> None:
    queries = text_query(cyclists, "bicyclist")

    with pytest.raises(InputError, match="depth of 2 is less than K = 3"):
        evaluate(cyclists, queries, recall(3), k=3, encoder=ENCODER, depth=2)


@pytest.mark.parametrize("least", [float("nan"), float("inf")])
def test_a_least_similarity_must_be_a_number(least: float) -> None:
    with pytest.raises(InputError, match="finite"):
        Policies(min_similarity=least)


def test_a_querys_own_groups_cut_the_selection_down(cyclists: Collection) -> None:
    texts = [TextQuery("x", ("bicyclist", "entering ego path"), groups=("pv_object_type",))]

    queries = build_text_queries(texts, cyclists.truth, cyclists.truth.words.select(), pytest.fail)

    assert [k.name for k in cyclists.truth.words.named(queries.bits[0])] == ["bicyclist"]
    assert queries.narrowed == 1


def test_a_name_that_two_unchosen_groups_share_is_simply_outside() -> None:
    truth = GroundTruth.from_columns(
        ["a"], {"object": [["other"]], "scene": [["other"]], "ego": [["turning"]]}
    )
    texts = [TextQuery("x", ("other", "turning")), TextQuery("y", ("scene:other",))]

    queries = build_text_queries(texts, truth, truth.words.select(["ego"]), pytest.fail)

    assert queries.names == ("x",)
    assert queries.left_out == ((1, "y"),)
    assert queries.narrowed == 2
