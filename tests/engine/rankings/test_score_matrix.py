"""Rankings from score matrices and embeddings: full, exact, and in flat memory."""

from __future__ import annotations

import tracemalloc
from pathlib import Path

import numpy as np
import pytest
import pytrec_eval

from engine.base.errors import InputError
from engine.metrics import Measure, TiePolicy
from engine.metrics.policies import Policies
from engine.rankings.formats.id_table import IdTable
from engine.rankings.formats.run_and_qrels import Qrels, RunFile
from engine.rankings.matrix_files import (
    make_diagonal_qrels,
    open_embeddings,
    open_relevance,
    open_scores,
)
from engine.rankings.rankers import MatrixRanker
from engine.rankings.score import RunScores, score_run

NAMES = ("P@3", "R@3", "AP", "AP@3", "RR", "MedR", "MnR", "MedR(all)", "nDCG@3", "Success@1")
MEASURES = [Measure.parse(name) for name in NAMES]


def saved(path: Path, array: object) -> Path:
    np.save(path, np.asarray(array))
    return path


def as_run(scores: np.ndarray, lower: bool = False) -> RunFile:
    """The same rankings as a run file would hold them."""
    sign = -1 if lower else 1
    return RunFile.of_dict(
        {
            str(q): {str(i): sign * float(s) for i, s in enumerate(row)}
            for q, row in enumerate(scores)
        }
    )


def same(one: RunScores, other: RunScores) -> None:
    np.testing.assert_allclose(one.scores.values, other.scores.values, rtol=0, atol=1e-12)
    np.testing.assert_array_equal(one.scores.pooled, other.scores.pooled)
    assert [r.ids for r in one.ranked()] == [r.ids for r in other.ranked()]


def test_the_ranks_of_partners_by_hand(tmp_path: Path) -> None:
    scores = [[0.9, 0.1, 0.2], [0.8, 0.5, 0.9], [0.1, 0.3, 0.2]]  # partners at ranks 1, 3, 2
    matrix = open_scores(saved(tmp_path / "s.npy", scores))

    scored = score_run(make_diagonal_qrels(matrix.queries, matrix.items), matrix, MEASURES)

    found = dict(zip(NAMES, [scored.scores.aggregate(m) for m in MEASURES], strict=True))
    assert (found["MedR"], found["MnR"], found["MedR(all)"]) == (2.0, 2.0, 2.0)
    assert found["RR"] == found["AP"] == pytest.approx((1 + 1 / 3 + 1 / 2) / 3)
    assert found["Success@1"] == pytest.approx(1 / 3)


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", "i2", "i8", "u1"])
@pytest.mark.parametrize("ties", ["insertion", "docid_desc", "expected"])
@pytest.mark.parametrize("lower", [False, True])
def test_a_matrix_scores_like_the_run_file_of_its_rankings(
    tmp_path: Path, dtype: str, ties: TiePolicy, lower: bool
) -> None:
    rng = np.random.default_rng(1)
    scores = (rng.integers(0, 9, (12, 40)) * (1 if dtype[0] in "iu" else 0.3)).astype(dtype)
    grades = rng.integers(0, 3, scores.shape) * (rng.random(scores.shape) < 0.1)
    matrix = open_scores(saved(tmp_path / "s.npy", scores), lower_is_better=lower)
    qrels = open_relevance(saved(tmp_path / "r.npy", grades), matrix.queries, matrix.items)
    policies = Policies(ties=ties)

    ours = score_run(qrels, matrix, MEASURES, policies)

    same(ours, score_run(qrels, as_run(scores, lower), MEASURES, policies))


def test_doubles_that_single_precision_cannot_tell_apart_keep_their_order(tmp_path: Path) -> None:
    matrix = open_scores(saved(tmp_path / "s.npy", [[0.9, 0.9 + 1e-12]]))

    scored = score_run(
        make_diagonal_qrels(matrix.queries, matrix.items), matrix, [Measure.parse("RR")]
    )

    assert scored.scores.values.tolist() == [[0.5]]


@pytest.mark.parametrize("metric", ["cosine", "ip", "l2"])
@pytest.mark.parametrize("ties", ["insertion", "docid_desc"])
def test_embeddings_score_like_the_matrix_of_their_similarities(
    tmp_path: Path, metric: str, ties: TiePolicy
) -> None:
    rng = np.random.default_rng(2)
    queries, items = rng.normal(size=(20, 8)), rng.normal(size=(50, 8))
    found = open_embeddings(
        saved(tmp_path / "q.npy", queries.astype("f4")),
        saved(tmp_path / "i.npy", items.astype("f4")),
        metric,  # type: ignore[arg-type]
    )
    if metric == "cosine":
        queries /= np.linalg.norm(queries, axis=1, keepdims=True)
        items /= np.linalg.norm(items, axis=1, keepdims=True)
    distances = np.linalg.norm(queries[:, None] - items, axis=2)
    matrix = MatrixRanker(
        -distances if metric == "l2" else queries @ items.T, found.queries, found.items
    )
    qrels = make_diagonal_qrels(found.queries, found.items)

    same(
        score_run(qrels, found, MEASURES, Policies(ties)),
        score_run(qrels, matrix, MEASURES, Policies(ties)),
    )


def test_a_matrix_with_ids_is_scored_by_trec_eval_alike(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    scores = rng.random((9, 30)).astype("f4")
    queries, items = [f"q{n}" for n in range(9)], [f"v{n:02d}" for n in range(30)]
    (tmp_path / "q.txt").write_text("\n".join(queries) + "\n")
    (tmp_path / "i.txt").write_text("\n".join(items))
    matrix = open_scores(
        saved(tmp_path / "s.npy", scores),
        query_ids=tmp_path / "q.txt",
        item_ids=tmp_path / "i.txt",
    )
    judged = {q: {str(i): 1 for i in rng.choice(items, 3)} for q in [*queries[:7], "unasked"]}
    run = {
        q: dict(zip(items, map(float, row), strict=True))
        for q, row in zip(queries, scores, strict=True)
    }

    theirs = pytrec_eval.RelevanceEvaluator(judged, {"map", "recip_rank"}).evaluate(run)
    asked = [Measure.parse("AP"), Measure.parse("RR")]
    ours = score_run(Qrels.of_dict(judged), matrix, asked)

    assert ours.queries == (*queries[:7], "unasked")
    np.testing.assert_allclose(
        ours.scores.values[:7],
        [[theirs[q]["map"], theirs[q]["recip_rank"]] for q in queries[:7]],
        atol=1e-9,
    )
    assert ours.scores.values[7].tolist() == [0.0, 0.0]
    assert ours.counts.missing == 1 and ours.counts.unjudged_ignored == 2


def test_memory_does_not_grow_with_queries_times_items(tmp_path: Path) -> None:
    queries, items = 3000, 4000  # 48 MB of scores; their rankings would take 96 MB, packed 96 more
    scores = np.lib.format.open_memmap(
        tmp_path / "s.npy", mode="w+", dtype="f4", shape=(queries, items)
    )
    scores[:] = np.random.default_rng(5).random((queries, items), dtype="f4")
    del scores
    matrix = open_scores(tmp_path / "s.npy")

    tracemalloc.start()
    score_run(make_diagonal_qrels(matrix.queries, matrix.items), matrix, [Measure.parse("AP")])
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()

    assert peak < 100 << 20


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_a_score_that_is_no_number_is_named_by_row_and_column(tmp_path: Path, bad: float) -> None:
    scores = np.zeros((4, 5), "f4")
    scores[2, 3] = bad
    matrix = open_scores(saved(tmp_path / "s.npy", scores))

    with pytest.raises(InputError, match=r"s\.npy: the score in row 2, column 3 "):
        score_run(make_diagonal_qrels(matrix.queries, matrix.items), matrix, MEASURES)


def test_matrices_of_the_wrong_kind_are_refused(tmp_path: Path) -> None:
    def refused(words: str, array: object, name: str = "s.npy") -> None:
        with pytest.raises(InputError, match=words):
            open_scores(saved(tmp_path / name, array))

    refused("shape", [1.0, 2.0])
    refused("shape", np.zeros((0, 3)))
    refused("not numbers", [["a"]])
    refused("not numbers", [[1j]])
    np.save(tmp_path / "pickled.npy", np.array([[{}]], dtype=object), allow_pickle=True)
    with pytest.raises(InputError, match="pickled"):
        open_scores(tmp_path / "pickled.npy")
    with pytest.raises(InputError, match="no such file"):
        open_scores(tmp_path / "nowhere.npy")
    with pytest.raises(InputError, match=r"not \.npy"):
        open_scores(tmp_path / "scores.csv")


def test_ids_must_be_distinct_and_as_many_as_rows(tmp_path: Path) -> None:
    scores, ids = saved(tmp_path / "s.npy", np.zeros((2, 3))), tmp_path / "ids.txt"

    ids.write_text("a\nb\nc\n")
    with pytest.raises(InputError, match=r"3 ids for 2 rows of s\.npy"):
        open_scores(scores, query_ids=ids)
    ids.write_text("a\na\n")
    with pytest.raises(InputError, match=r"line 2: the id 'a' occurs more than once \(first in"):
        open_scores(scores, query_ids=ids)
    ids.write_text("a\n\nc\n")
    with pytest.raises(InputError, match="line 2: has no id"):
        open_scores(scores, item_ids=ids)


def test_relevance_must_fit_and_be_finite(tmp_path: Path) -> None:
    queries, items = IdTable.numbers(2), IdTable.numbers(3)
    with pytest.raises(InputError, match="2 queries and 3 items"):
        open_relevance(saved(tmp_path / "r.npy", np.ones((3, 2))), queries, items)
    with pytest.raises(InputError, match="row 1, column 2"):
        open_relevance(saved(tmp_path / "n.npy", [[0, 0, 1], [1, 0, np.nan]]), queries, items)
    with pytest.raises(InputError, match="an item for every query"):
        make_diagonal_qrels(items, queries)


def test_embeddings_of_different_models_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="4 dimensions, the items 5"):
        open_embeddings(
            saved(tmp_path / "q.npy", np.ones((2, 4), "f4")),
            saved(tmp_path / "i.npy", np.ones((2, 5), "f4")),
        )
    with pytest.raises(InputError, match=r"z\.npy.*all zeros"):
        open_embeddings(
            saved(tmp_path / "z.npy", np.zeros((2, 4), "f4")),
            saved(tmp_path / "i.npy", np.ones((2, 4), "f4")),
        )
