"""The benchmark of moments is fair: its data are what they claim, and its peer keeps the rules."""

import json
import sys
from pathlib import Path

import pytest

from benchmarks.moment_data import write_qvh, write_tvr
from benchmarks.moment_loop import lines, qvh, tvr
from benchmarks.process import measured
from engine.moments.check.fault_kinds import Fault
from engine.moments.check.submission import CheckRequest, check_submission
from engine.moments.moments_source import MomentsRequest
from engine.moments.open_files import open_moments

Files = tuple[Path, Path]


@pytest.fixture(autouse=True)
def _nothing_given(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("TVR_GT", "TVR_VIDEOS"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def tvr_files(tmp_path: Path) -> Files:
    truth, predictions = tmp_path / "truth.jsonl", tmp_path / "predictions.json"
    write_tvr(150, truth, predictions)
    return truth, predictions


@pytest.fixture
def qvh_files(tmp_path: Path) -> Files:
    truth, predictions = tmp_path / "truth.jsonl", tmp_path / "predictions.jsonl"
    write_qvh(120, truth, predictions)
    return truth, predictions


def test_the_loop_and_the_engine_agree_on_tvr(tvr_files: Files) -> None:
    truth, predictions = tvr_files

    looped = tvr(json.loads(predictions.read_text()), lines(truth))

    ours = open_moments(MomentsRequest(predictions, truth)).official()
    assert json.dumps(looped, indent=4) == json.dumps(ours, indent=4)
    assert 0 < looped["VCMR"]["0.5-r1"] < looped["VCMR"]["0.5-r100"]


def test_the_loop_and_the_engine_agree_on_qvhighlights(qvh_files: Files) -> None:
    truth, predictions = qvh_files

    looped = qvh(lines(predictions), lines(truth))

    ours = open_moments(MomentsRequest(predictions, truth)).official()
    assert json.dumps(looped, indent=4) == json.dumps(ours, indent=4)
    assert 0 < looped["brief"]["MR-full-mAP"] < 100


def test_made_up_queries_ask_for_spans_inside_their_videos(tvr_files: Files) -> None:
    truth, predictions = tvr_files
    submission = json.loads(predictions.read_text())

    for query in lines(truth):
        assert query["vid_name"] in submission["video2idx"]
        assert 0 <= query["ts"][0] < query["ts"][1] <= query["duration"]
    for task in ("VCMR", "SVMR", "VR"):
        assert {len(entry["predictions"]) for entry in submission[task]} == {100}


@pytest.mark.parametrize("files", ["tvr_files", "qvh_files"])
def test_a_made_submission_is_valid(files: str, request: pytest.FixtureRequest) -> None:
    truth, predictions = request.getfixturevalue(files)

    checked = check_submission(CheckRequest(predictions, truth=truth))

    # Times are coarse: now and then two predictions are the same.
    faults = {fault.kind for fault in checked.faults if fault.level != "info"}
    assert checked.valid and faults <= {Fault.PREDICTION_REPEATED}


def test_windows_of_highlights_are_the_runs_of_their_clips(qvh_files: Files) -> None:
    for query in lines(qvh_files[0]):
        inside = [c for a, b in query["relevant_windows"] for c in range(a // 2, b // 2)]
        assert query["relevant_clip_ids"] == inside
        assert len(query["saliency_scores"]) == len(inside)
        assert 1 <= len(query["relevant_windows"]) <= 5


def test_the_same_seed_gives_the_same_files(tvr_files: Files, tmp_path: Path) -> None:
    again = tmp_path / "again.jsonl", tmp_path / "again.json"

    write_tvr(150, *again)

    for first, second in zip(tvr_files, again, strict=True):
        assert first.read_bytes() == second.read_bytes()


def test_queries_and_videos_that_are_given_are_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    query = {"desc_id": 7, "desc": "A door.", "vid_name": "b", "ts": [1, 3], "duration": 9.5}
    given, videos = tmp_path / "given.jsonl", tmp_path / "videos.json"
    given.write_text(json.dumps(query | {"type": "v"}) + "\n", encoding="utf-8")
    splits = {"train": {"a": [5.0, 0]}, "val": {"b": [9.5, 40], "c": [8.0, 41]}}
    videos.write_text(json.dumps(splits), encoding="utf-8")
    monkeypatch.setenv("TVR_GT", str(given))
    monkeypatch.setenv("TVR_VIDEOS", str(videos))

    write_tvr(5, tmp_path / "truth.jsonl", tmp_path / "predictions.json")

    submission = json.loads((tmp_path / "predictions.json").read_text())
    assert lines(tmp_path / "truth.jsonl") == [query | {"type": "v"}]
    assert submission["video2idx"] == {"b": 40, "c": 41}
    assert {row[0] for row in submission["SVMR"][0]["predictions"]} == {40}


@pytest.mark.slow
def test_memory_of_the_caller_is_not_counted_as_the_child_s() -> None:
    ballast = bytearray(300_000_000)
    ballast[::4096] = b"x" * len(ballast[::4096])  # touched, so that it is really there

    child = measured([sys.executable, "-S", "-c", "print('done')"])

    assert child.printed == "done\n"
    assert child.megabytes < 100
    assert 0 < child.seconds < 30


@pytest.mark.slow
def test_a_command_that_fails_is_an_error_with_its_words() -> None:
    with pytest.raises(RuntimeError, match="no such thing"):
        measured([sys.executable, "-S", "-c", "raise SystemExit('no such thing')"])
