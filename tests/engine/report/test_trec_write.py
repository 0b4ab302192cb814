"""A run written as TREC files gives the same numbers here and in trec_eval."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import pytrec_eval

import sample_data
from engine.base.choices import RelevancePolicy
from engine.base.errors import InputError
from engine.dataset.ground_truth import GroundTruth
from engine.dataset.query_set import build_video_queries
from engine.dataset.settings_file import open_dataset
from engine.keywords.evaluate import Evaluation, evaluate
from engine.keywords.run import QuerySource, Run, RunRequest, run_request
from engine.keywords.workbench import Workbench
from engine.metrics import Measure, find_profile
from engine.metrics.policies import Policies
from engine.rankings.formats.registry import read_qrels, read_run
from engine.rankings.score import score_run
from engine.report.run.trec import check_trec_folder, encode_token, write_trec
from engine.text.encoder import SentenceEncoder
from engine.text.opening import open_encoder
from tests.engine.keywords.workbench_by_hand import workbench

PEERS = {
    "P@5": "P_5",
    "R@5": "recall_5",
    "Success@5": "success_5",
    "AP@5": "map_cut_5",
    "nDCG@5": "ndcg_cut_5",
    "RR@5": "recip_rank",  # of a run that is five deep
}
REQUEST = RunRequest(modes="video", ks=(5,), metrics=tuple(PEERS), profile="ir")


@pytest.fixture(scope="module")
def sample_run() -> Run:
    bench = Workbench(open_dataset(sample_data.folder()), open_encoder())
    policies = Policies(ties="docid_desc", min_similarity=0.2)
    return run_request(replace(REQUEST, policies=policies), bench)


def values_by_query(evaluation: Evaluation) -> dict[str, list[float]]:
    kept = ~evaluation.scores.left_out
    names = np.array(evaluation.queries.names)[kept].tolist()
    return dict(zip(names, evaluation.scores.values[kept].tolist(), strict=True))


def test_the_exported_run_scores_as_it_did(sample_run: Run, tmp_path: Path) -> None:
    export = write_trec(sample_run, tmp_path / "trec")

    files = {file.name: file for file in export.files}
    scored = score_run(
        read_qrels(files["video.qrels"]),
        read_run(files["video.run"]),
        [Measure.parse(name) for name in PEERS],
        Policies(ties="docid_desc"),
    )

    assert set(files) == {"video.run", "video.qrels", "video.queries.tsv"}
    expected = values_by_query(sample_run.evaluations[0])
    assert set(scored.queries) == set(expected) and len(expected) > 200
    np.testing.assert_allclose(
        scored.scores.values, [expected[query] for query in scored.queries], rtol=0, atol=1e-12
    )


def test_trec_eval_gives_the_numbers_of_the_run(sample_run: Run, tmp_path: Path) -> None:
    write_trec(sample_run, tmp_path)
    with (tmp_path / "video.qrels").open() as qrels, (tmp_path / "video.run").open() as run:
        judged, answered = pytrec_eval.parse_qrel(qrels), pytrec_eval.parse_run(run)

    theirs = pytrec_eval.RelevanceEvaluator(judged, pytrec_eval.supported_measures).evaluate(
        answered
    )

    expected = values_by_query(sample_run.evaluations[0])
    assert set(theirs) <= set(expected)
    for query in expected:
        found = [theirs[query][name] if query in theirs else 0.0 for name in PEERS.values()]
        assert found == pytest.approx(expected[query], abs=1e-9)


@pytest.mark.parametrize("relevance", ["any", "graded"])
def test_trec_eval_gives_the_numbers_of_any_keyword_and_of_shares(
    relevance: RelevancePolicy, tmp_path: Path
) -> None:
    policies = Policies(ties="docid_desc", relevance=relevance)
    bench = Workbench(open_dataset(sample_data.folder()), open_encoder())
    run = run_request(replace(REQUEST, policies=policies, limit=60), bench)
    write_trec(run, tmp_path)
    with (tmp_path / "video.qrels").open() as qrels, (tmp_path / "video.run").open() as lines:
        judged, answered = pytrec_eval.parse_qrel(qrels), pytrec_eval.parse_run(lines)

    theirs = pytrec_eval.RelevanceEvaluator(judged, pytrec_eval.supported_measures).evaluate(
        answered
    )

    grades = {grade for own in judged.values() for grade in own.values()}
    assert len(grades) > 1 if relevance == "graded" else grades == {1}
    expected = values_by_query(run.evaluations[0])
    assert len(expected) == 60
    for query, values in expected.items():
        found = [theirs[query][name] for name in PEERS.values()]
        assert found == pytest.approx(values, abs=1e-9)


def test_texts_are_called_by_their_place_in_the_query_set(
    encoder: SentenceEncoder, tmp_path: Path
) -> None:
    queries = tmp_path / "queries.txt"
    queries.write_text("cyclist entering ego lane\na purple zeppelin\ntruck   standing still\n")
    bench = Workbench(open_dataset(sample_data.folder()), encoder)
    run = run_request(replace(REQUEST, modes="text", queries=str(queries)), bench)

    write_trec(run, tmp_path)

    assert (tmp_path / "text.queries.tsv").read_text() == (
        "t1\tcyclist entering ego lane\nt3\ttruck standing still\n"
    )
    scored = score_run(
        read_qrels(tmp_path / "text.qrels"),
        read_run(tmp_path / "text.run"),
        [Measure.parse(name) for name in PEERS],
    )
    np.testing.assert_allclose(scored.scores.values, run.evaluations[0].scores.values, atol=1e-12)


CLIPS = GroundTruth.from_columns(
    ["clip 1", "100%", "#3", "d", "alone"],
    {"object_type": [["car"], ["car"], ["car"], ["car", "bus"], ["tram"]]},
)
VECTORS = {
    "clip 1": (1.0, 0.0),
    "100%": (1.0, 0.0),
    "#3": (1.0, 0.0),
    "d": (0.6, 0.8),
    "alone": (0.0, 1.0),
}


def run_by_hand(**policies: object) -> Run:
    bench = workbench(CLIPS, {"my model": VECTORS})
    request = RunRequest(
        modes="video",
        ks=(2,),
        metrics=("P@2", "R@2"),
        profile="ir",
        policies=Policies(**policies),  # type: ignore[arg-type]
    )
    collection = bench.collection("my model")
    language = find_profile("ir")
    selection = collection.truth.words.select()
    evaluation = evaluate(
        collection,
        build_video_queries(collection.truth, selection, np.arange(5)),
        language.measures((2,))[:2],
        k=2,
        policies=request.policies,
    )
    source = {"video": QuerySource("all clips", 5)}
    return Run(
        request,
        bench.dataset,
        collection,
        selection,
        language,
        (evaluation,),
        source,
        {},  # type: ignore[arg-type]
    )


def test_ids_are_tokens_and_their_texts_stand_beside_them(tmp_path: Path) -> None:
    export = write_trec(run_by_hand(), tmp_path)

    assert (tmp_path / "video.queries.tsv").read_text().splitlines() == [
        "clip%201\tclip 1",
        "100%25\t100%",
        "%233\t#3",
        "d\td",
        "alone\talone",
    ]
    first = (tmp_path / "video.run").read_text().splitlines()[:2]
    assert first == ["clip%201 Q0 100%25 1 1.0 my%20model", "clip%201 Q0 %233 2 1.0 my%20model"]
    assert "video: 3 clip ids have spaces or the like, which are percent-encoded" in export.notes
    assert any("results have the same score as the one above" in note for note in export.notes)
    assert len(set(map(encode_token, CLIPS.ids))) == 5


def test_judgements_hold_every_relevant_clip_but_the_query(tmp_path: Path) -> None:
    write_trec(run_by_hand(), tmp_path)

    lines = (tmp_path / "video.qrels").read_text().splitlines()
    assert [line for line in lines if line.startswith("clip%201 ")] == [
        "clip%201 0 100%25 1",
        "clip%201 0 %233 1",
        "clip%201 0 d 1",
    ]
    assert not [line for line in lines if line.startswith("alone ")]


def test_the_query_clip_is_judged_where_it_is_kept(tmp_path: Path) -> None:
    write_trec(run_by_hand(self_clip="keep"), tmp_path)

    assert "alone 0 alone 1" in (tmp_path / "video.qrels").read_text().splitlines()


def test_a_query_that_counts_as_zero_is_judged_so_that_it_does_elsewhere(tmp_path: Path) -> None:
    run = run_by_hand(no_relevant="zero")
    write_trec(run, tmp_path)

    scored = score_run(
        read_qrels(tmp_path / "video.qrels"),
        read_run(tmp_path / "video.run"),
        run.evaluations[0].scores.measures,
        Policies(no_relevant="zero"),
    )

    assert scored.counts.no_relevant == 2 and len(scored) == 5
    np.testing.assert_array_equal(scored.scores.values, run.evaluations[0].scores.values)


def test_a_file_is_replaced_as_a_whole(tmp_path: Path) -> None:
    """Whoever has the old one open, or linked, keeps it."""
    (tmp_path / "video.run").write_text("old")
    (tmp_path / "kept").hardlink_to(tmp_path / "video.run")

    written = write_trec(run_by_hand(), tmp_path)

    assert (tmp_path / "kept").read_text() == "old"
    assert tmp_path / "video.run" in written.files
    assert {*tmp_path.iterdir()} == {tmp_path / "kept", *written.files}


def test_a_folder_that_cannot_be_written_is_refused_before_the_work(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="is a file"):
        check_trec_folder(tmp_path / "file")
    with pytest.raises(InputError, match="does not exist"):
        check_trec_folder(tmp_path / "nowhere" / "trec")
