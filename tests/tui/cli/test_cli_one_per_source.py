"""`--one-per source` and `--source`, as they are typed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.tui.cli.command_lines import printed_by, refusal_of
from tui.opening.source import dump_source, open_from_options, open_source

SOURCE = ("--source", "^(d[0-9]+)_")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Twelve drives of three clips each; every other drive has a car."""
    rng = np.random.default_rng(0)
    ids = [f"d{n // 3}_{'abc'[n % 3]}" for n in range(36)]
    drives = np.repeat(rng.normal(size=(12, 384)), 3, axis=0)
    vectors = np.float32(drives + 0.6 * rng.normal(size=(36, 384)))
    np.savez(tmp_path / "m.npz", ids=np.array(ids), embeddings=vectors)
    lines = [f"{clip},{'car' if n // 3 % 2 else 'bus'}" for n, clip in enumerate(ids)]
    (tmp_path / "clips.csv").write_text("\n".join(["slice_id,pv_object_type", *lines]) + "\n")
    (tmp_path / "dataset.toml").write_text(
        'annotations="clips.csv"\n[models.m]\nembeddings="m.npz"'
    )
    return tmp_path


def read(capsys: pytest.CaptureFixture[str], *line: object) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(show(capsys, *line, "--json"))
    return found


def show(capsys: pytest.CaptureFixture[str], command: object, *line: object) -> str:
    return printed_by(str(command), capsys)(*map(str, line))


def test_a_run_says_that_sources_count_and_gives_no_chance(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = read(capsys, "run", folder, "--mode", "video", "--one-per", "source", *SOURCE)

    assert found["policies"]["one_per"] == "source"
    assert found["collection"]["clips"] == 36 and found["collection"]["sources"] == 12
    assert {query["relevant"] for query in found["per_query"]} == {5}
    assert all(row["chance"] is None for row in found["metrics"])
    assert any("12 sources" in note and "no chance" in note for note in found["notes"])
    drives = [[clip.split("_")[0] for clip in q["retrieved"]] for q in found["per_query"]]
    for query, own in zip(found["per_query"], drives, strict=True):
        assert len(set(own)) == len(own) == 5 and query["query"].split("_")[0] not in own
    assert {query["video"] for query in found["per_query"]} == {f"d{n}" for n in range(12)}


def test_by_itself_a_clip_finds_its_own_drive(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = read(capsys, "run", folder, "--mode", "video", *SOURCE)

    assert found["policies"]["one_per"] == "clip"
    assert all(query["relevant"] == 17 for query in found["per_query"])
    first = [query["retrieved"][0].split("_")[0] for query in found["per_query"]]
    assert first == [query["query"].split("_")[0] for query in found["per_query"]]


def test_a_search_counts_sources_too(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    line: tuple[object, ...] = (
        "search",
        "--video",
        "d1_a",
        "--dataset",
        folder,
        "--one-per",
        "source",
        *SOURCE,
    )
    found = read(capsys, *line, "--k", "3")

    assert (found["clips"], found["sources"], found["relevant"]) == (36, 11, 5)
    shown = show(capsys, *line, "--k", "3")
    assert "5 relevant of 36 clips in 11 sources" in " ".join(shown.split())
    assert "one per source" in " ".join(shown.split())


def test_trec_files_judge_one_clip_of_each_relevant_source(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    import pytrec_eval

    out = folder / "trec"
    line = ("run", folder, "--mode", "video", "--one-per", "source", *SOURCE, "--profile", "ir")
    found = read(capsys, *line, "--k", "11", "--export-trec", out)

    with (out / "video.run").open() as run_file, (out / "video.qrels").open() as qrels_file:
        ranked, judged = pytrec_eval.parse_run(run_file), pytrec_eval.parse_qrel(qrels_file)
    theirs = pytrec_eval.RelevanceEvaluator(judged, {"map", "P_11", "recall_11"}).evaluate(ranked)
    ours = {row["id"]: row["mean"] for row in found["metrics"]}
    for mine, name in {"P@11": "P_11", "R@11": "recall_11", "AP": "map"}.items():
        assert ours[mine] == pytest.approx(np.mean([one[name] for one in theirs.values()]))


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (("--one-per", "source", "--ties", "expected"), "insertion or docid_desc"),
        (("--one-per", "source", "--confusion"), "TN@5 cannot be counted"),
        (("--source", "("), "--source: '(' is no pattern"),
        (("--source", "driv"), "--source: 'driv' is no column"),
    ],
)
def test_what_cannot_be_is_one_line(
    folder: Path, capsys: pytest.CaptureFixture[str], line: tuple[str, ...], said: str
) -> None:
    assert said in refusal_of("run", capsys)(str(folder), "--mode", "video", *line)


def test_validate_lists_pairs_in_json_alone(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    archive = dict(np.load(folder / "m.npz"))
    archive["embeddings"][35] = archive["embeddings"][0]
    np.savez(folder / "m.npz", **archive)

    found = read(capsys, "validate", folder, *SOURCE)
    (copies,) = (one for one in found["findings"] if "pairs" in one)

    assert copies["found"] == 1 and copies["level"] == "warning"
    assert copies["pairs"] == [
        {"clip": "d0_a", "other": "d11_c", "similarity": pytest.approx(1), "same_source": False}
    ]
    shown = " ".join(show(capsys, "validate", folder, *SOURCE).split())
    assert "12 sources of 36 clips, known from pattern ^(d[0-9]+)_" in shown
    assert "1 pair of clips is nearly the same" in shown and "'d0_a' = 'd11_c'" in shown


def test_a_session_about_single_files_opens_them_with_their_sources(folder: Path) -> None:
    files = {"annotations": folder / "clips.csv", "embeddings": folder / "m.npz"}
    opened = open_from_options(None, **files, source=SOURCE[1])

    again = open_source(dump_source(opened))

    assert again.source_rule == opened.source_rule
    assert again.truth.sources == opened.truth.sources == tuple(f"d{n // 3}" for n in range(36))
