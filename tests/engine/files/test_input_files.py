"""A result names the files that it was computed from by the digest of the bytes that were read,
whatever happens to the files while it is computed."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

import numpy as np
import pytest

from engine.base.errors import InputError
from engine.dataset.annotations import read as annotations
from engine.dataset.settings_file import open_dataset_files
from engine.files import input_file
from engine.files.input_file import InputFile, hash_file, reading_inputs
from engine.keywords.run import RunRequest, run_request
from engine.keywords.workbench import Workbench
from engine.labels.request import LabelRequest, PrototypeRequest, run_labels
from engine.moments.moments_source import MomentsRequest
from engine.moments.open_files import open_moments
from engine.rankings import request as rankings
from engine.rankings.request import ScoreRequest, score_all
from engine.report.run.clips import open_run_clips
from engine.results.saved_run import RunFacts
from engine.text.opening import open_encoder
from tests.engine.files_by_hand import write_json, write_json_lines
from tests.engine.labels.label_files_by_hand import ROOMS, label_files, rooms_dataset, vectors
from tests.engine.moments.tvr_by_hand import entry, query, submission

CHANGED = "has changed since it was opened; start again to read it as it is now"


@pytest.fixture(params=["digested at once", "held"])
def size(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Files of either size: digested when they are read, or held until somebody asks."""
    if request.param == "held":
        monkeypatch.setattr(input_file, "_DIGESTED_AT_ONCE", -1)
    return str(request.param)


def digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def replace_file(path: Path, content: bytes = b"something else") -> None:
    """As editors and tools do it: the new file takes the name of the old one."""
    new = path.with_name(f"new {path.name}")
    new.write_bytes(content)
    new.replace(path)


def replacing(files: Iterable[Path]) -> Callable[[object], None]:
    """Replaces all files when it is first called."""
    left = list(files)

    def replace_all(_: object) -> None:
        while left:
            replace_file(left.pop())

    return replace_all


def expected(files: Mapping[str, Path]) -> dict[str, InputFile]:
    return {role: InputFile(str(path), digest(path)) for role, path in files.items()}


# Files


def test_the_digest_is_that_of_the_bytes_that_were_read(tmp_path: Path, size: str) -> None:
    file = tmp_path / "a"
    file.write_text("p")
    with reading_inputs(file) as files:
        file.read_text()
    replace_file(file)

    found = files.named({"it": file})["it"]

    # sha256 of the letter p, from another tool
    assert found.sha256.startswith("148de9c5a7a44d19")
    assert found.path == str(file)


def test_a_file_that_is_gone_was_read_all_the_same(tmp_path: Path, size: str) -> None:
    file = tmp_path / "a"
    file.write_text("p")
    with reading_inputs(file) as files:
        pass
    file.unlink()

    assert files.named({"it": file})["it"].sha256.startswith("148de9c5a7a44d19")


@pytest.mark.parametrize("change", [replace_file, lambda file: file.write_text("new"), os.remove])
def test_a_file_that_changes_while_it_is_read_is_refused(
    tmp_path: Path, size: str, change: Callable[[Path], object]
) -> None:
    file = tmp_path / "a"
    file.write_text("p")

    with pytest.raises(InputError, match=f"a: {CHANGED}"), reading_inputs(file):
        change(file)


def test_what_the_reader_says_of_a_file_comes_first(tmp_path: Path) -> None:
    file = tmp_path / "a"
    file.write_text("p")

    with pytest.raises(InputError, match=r"^no text$"), reading_inputs(file):
        replace_file(file)
        raise InputError("no text")


def test_a_small_file_may_be_edited_in_place_as_soon_as_it_was_read(tmp_path: Path) -> None:
    file = tmp_path / "a"
    file.write_text("p")
    with reading_inputs(file) as files:
        pass
    file.write_text("other")

    assert files.named({"it": file})["it"].sha256.startswith("148de9c5a7a44d19")


def test_a_large_file_that_was_written_in_place_has_no_digest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(input_file, "_DIGESTED_AT_ONCE", 0)
    file = tmp_path / "a"
    file.write_text("p")
    with reading_inputs(file) as files:
        pass
    file.write_text("other")

    with pytest.raises(InputError, match=f"a: {CHANGED}"):
        _ = files.named({"it": file})["it"]


def test_a_file_is_digested_once_whatever_its_roles(
    tmp_path: Path, size: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    digested = []
    really = hashlib.file_digest
    monkeypatch.setattr(
        hashlib, "file_digest", lambda *given: (digested.append(given), really(*given))[1]
    )
    (tmp_path / "a").write_text("p")
    with reading_inputs(tmp_path / "a") as files:
        pass
    named = files.named({"one": tmp_path / "a", "two": tmp_path / "a"})

    assert dict(named) == dict(named)
    assert named["one"] == named["two"]
    assert len(digested) == 1


def test_a_large_file_is_not_digested_until_somebody_asks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(input_file, "_DIGESTED_AT_ONCE", 0)
    monkeypatch.setattr(hashlib, "file_digest", lambda *_: pytest.fail("digested"))
    (tmp_path / "a").write_text("p")

    with reading_inputs(tmp_path / "a") as files:
        pass
    assert list(files.named({"it": tmp_path / "a"})) == ["it"]


def test_a_file_that_was_not_read_has_a_role_all_the_same(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("p")
    with reading_inputs(None) as files:
        pass

    known = {"encoder": InputFile("embedded", "12")}
    named = files.named({"it": tmp_path / "a", "lost": tmp_path / "b"}, known)

    assert list(named) == ["it", "lost", "encoder"]
    assert named["it"].sha256.startswith("148de9c5a7a44d19")
    assert named["encoder"] == InputFile("embedded", "12")
    with pytest.raises(InputError, match="b: cannot be read \\(No such file or directory\\)"):
        _ = named["lost"]


def test_pipes_are_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")

    with pytest.raises(InputError, match="cannot be read \\(not a regular file\\)"):
        hash_file(tmp_path / "pipe")


@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="counts what Linux says is open")
def test_nothing_stays_open_longer_than_it_is_needed(tmp_path: Path, size: str) -> None:
    (tmp_path / "a").write_text("p")
    before = len(os.listdir("/proc/self/fd"))  # noqa: PTH208
    for _ in range(20):
        with reading_inputs(tmp_path / "a", tmp_path) as files:
            pass
    inside = len(os.listdir("/proc/self/fd"))  # noqa: PTH208

    assert inside == before + (size == "held")
    assert files.named({"it": tmp_path / "a"})["it"].sha256
    assert len(os.listdir("/proc/self/fd")) == before  # noqa: PTH208


# Evaluations


def write_clips(folder: Path) -> dict[str, Path]:
    """The files of a run of texts, by their roles."""
    (folder / "clips.csv").write_text("slice_id,pv_object_type\na,car\nb,car\nc,bus\n")
    np.save(folder / "clips.npy", np.float32([[1, 0], [0.9, 0.1], [0, 1]]))
    (folder / "clips.ids.txt").write_text("a\nb\nc\n")
    (folder / "queries.txt").write_text("car\nbus\n")
    np.savez(folder / "texts.npz", queries=["car", "bus"], embeddings=np.eye(2, dtype=np.float32))
    return {
        "annotations": folder / "clips.csv",
        "embeddings": folder / "clips.npy",
        "ids": folder / "clips.ids.txt",
        "query_vectors": folder / "texts.npz",
        "queries": folder / "queries.txt",
    }


def bench_of(files: Mapping[str, Path]) -> Workbench:
    dataset = open_dataset_files(
        files["annotations"],
        files["embeddings"],
        ids=files["ids"],
        query_vectors=files["query_vectors"],
    )
    return Workbench(dataset, open_encoder())


def test_a_run_names_the_files_that_it_read(tmp_path: Path, size: str) -> None:
    files = write_clips(tmp_path)
    before = expected(files)
    request = RunRequest(queries=str(files["queries"]), ks=(1,))

    run = run_request(request, bench_of(files), replacing(files.values()))

    assert digest(files["queries"]) != before["queries"].sha256  # it was replaced
    assert dict(run.inputs) == before


def test_two_runs_of_queries_that_were_edited_between_them_name_their_own(tmp_path: Path) -> None:
    files = write_clips(tmp_path)
    bench, request = bench_of(files), RunRequest("text", queries=str(files["queries"]), ks=(1,))

    first = run_request(request, bench)
    earlier = digest(files["queries"])
    files["queries"].write_text("bus\n")
    second = run_request(request, bench)

    assert first.inputs["queries"].sha256 == earlier
    assert second.inputs["queries"].sha256 == digest(files["queries"])
    assert second.evaluations[0].queries.names == ("bus",)


def test_a_run_of_labels_as_a_dataset_names_the_files_that_it_read(
    tmp_path: Path, size: str
) -> None:
    dataset = rooms_dataset(tmp_path)
    files = {
        "labels room": tmp_path / "room.npy",
        "labels day": tmp_path / "day.npy",
        "embeddings": tmp_path / "sensor.npy",
        "asked": tmp_path / "text.npy",
    }
    before = expected(files)

    run = run_request(
        RunRequest("video", ks=(1,)),
        Workbench(dataset, open_encoder()),
        replacing(files.values()),
    )

    assert digest(tmp_path / "room.npy") != before["labels room"].sha256
    assert dict(run.inputs) == before


def test_a_label_run_names_the_files_that_it_read(tmp_path: Path, size: str) -> None:
    rooms = sorted(set(ROOMS))
    np.save(tmp_path / "prototypes.npy", vectors(len(rooms), 3))
    (tmp_path / "rooms.txt").write_text("\n".join(rooms))
    request = LabelRequest(
        label_files(tmp_path, days=None),
        (1,),
        ("sensor2sensor", "prototype2text"),
        PrototypeRequest(embeddings=tmp_path / "prototypes.npy", labels=tmp_path / "rooms.txt"),
    )
    before = expected(request.inputs)

    run = run_labels(request, report=replacing(request.inputs.values()))

    assert digest(tmp_path / "rooms.txt") != before["prototype labels"].sha256
    assert len(before) == 5
    assert dict(run.inputs) == before


def write_rankings(folder: Path) -> None:
    (folder / "a.run").write_text("q1 Q0 d1 1 0.5 tag\nq1 Q0 d2 2 0.4 tag\n")
    (folder / "b.run").write_text("q1 Q0 d2 1 0.5 tag\n")
    (folder / "qrels").write_text("q1 0 d1 1\n")
    np.save(folder / "scores.npy", np.eye(2))
    np.save(folder / "grades.npy", np.eye(2))
    np.save(folder / "queries.npy", np.eye(2, dtype=np.float32))
    np.save(folder / "items.npy", np.eye(2, dtype=np.float32))
    (folder / "queries.txt").write_text("q1\nq2\n")
    (folder / "items.txt").write_text("d1\nd2\n")


@pytest.mark.parametrize(
    "options",
    [
        {"scores": "scores.npy", "relevance": "grades.npy"},
        {"scores": "scores.npy", "qrels": "qrels", "query_ids": "queries.txt",
         "item_ids": "items.txt"},
        {"query_embeddings": "queries.npy", "item_embeddings": "items.npy", "qrels": "qrels",
         "query_ids": "queries.txt", "item_ids": "items.txt"},
    ],
)  # fmt: skip
def test_scored_matrices_name_the_files_that_were_read(
    tmp_path: Path, size: str, options: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    write_rankings(tmp_path)
    files = {role: tmp_path / name for role, name in options.items()}
    before = expected(files)
    replace_all, really = replacing(files.values()), rankings.score_run

    def score_run(*given: object, **options: object) -> object:
        replace_all(None)
        return really(*given, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(rankings, "score_run", score_run)

    (run,) = score_all(ScoreRequest(**files))  # type: ignore[arg-type]

    assert all(digest(path) != before[role].sha256 for role, path in files.items())
    assert dict(run.inputs) == before


def test_each_scored_run_names_the_files_that_were_read(
    tmp_path: Path, size: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_rankings(tmp_path)
    qrels, runs = tmp_path / "qrels", (tmp_path / "a.run", tmp_path / "b.run")
    before = [expected({"qrels": qrels, "run": run}) for run in runs]
    replacements, really = [replacing([qrels, runs[0]]), replacing([runs[1]])], rankings.score_run

    def score_run(*given: object, **options: object) -> object:
        replacements.pop(0)(None)
        return really(*given, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(rankings, "score_run", score_run)

    found = score_all(ScoreRequest(runs=runs, qrels=qrels))

    assert [dict(run.inputs) for run in found] == before


def test_a_scored_matrix_that_was_rewritten_in_place_has_no_digest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is left on disk: nobody knows which of its numbers were scored."""
    monkeypatch.setattr(input_file, "_DIGESTED_AT_ONCE", 0)
    write_rankings(tmp_path)
    (run,) = score_all(ScoreRequest(scores=tmp_path / "scores.npy", diagonal=True))
    np.save(tmp_path / "scores.npy", np.ones((3, 3)))

    with pytest.raises(InputError, match=f"scores.npy: {CHANGED}"):
        dict(run.inputs)


def test_qrels_of_a_folder_are_named_by_their_file(tmp_path: Path) -> None:
    (tmp_path / "qrels").mkdir()
    (tmp_path / "a.run").write_text("q1 Q0 d1 1 0.5 tag\n")
    file = tmp_path / "qrels" / "test.tsv"
    file.write_text("query-id\tcorpus-id\tscore\nq1\td1\t1\n")

    (run,) = score_all(ScoreRequest(runs=(tmp_path / "a.run",), qrels=tmp_path))

    assert run.inputs["qrels"] == InputFile(str(file), digest(file))


@pytest.mark.parametrize("benchmark", ["tvr", "qvh"])
def test_moments_name_the_files_that_were_read(tmp_path: Path, size: str, benchmark: str) -> None:
    predictions, truth = tmp_path / "predictions", tmp_path / "truth"
    if benchmark == "tvr":
        write_json(predictions, submission(VCMR=[entry(1, (0, 0, 10))]))
        write_json_lines(truth, [query()])
    else:
        own = {"qid": 1, "query": "x", "vid": "v"}
        write_json_lines(predictions, [{**own, "pred_relevant_windows": [[0, 10, 0.5]]}])
        write_json_lines(truth, [{**own, "duration": 150, "relevant_windows": [[0, 10]]}])
    before = expected({"predictions": predictions, "truth": truth})

    source = open_moments(MomentsRequest(predictions, truth))
    for file in (predictions, truth):
        replace_file(file)
    assert source.official()

    assert dict(source.inputs) == before


# Reports


def test_a_report_takes_no_clips_from_annotations_that_are_replaced_under_its_hands(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = write_clips(tmp_path)
    facts = RunFacts(inputs=(("annotations", digest(files["annotations"])),))
    really = annotations.read_annotations

    def read_annotations(*given: object) -> object:
        replace_file(files["annotations"], b"slice_id,pv_object_type\na,tram\n")
        return really(*given)  # type: ignore[arg-type]

    monkeypatch.setattr(annotations, "read_annotations", read_annotations)

    found = open_run_clips(bench_of(files).dataset, facts, asked=False)

    assert found.dataset is None
    assert "has changed since it was opened" in found.problem
