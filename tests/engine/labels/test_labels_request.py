"""A label run from files, as a command asks for it: the shipped sample, against brute force."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import pytest

from engine.base.errors import InputError
from engine.base.progress import Step
from engine.labels.data.label_files import LabelFiles, LevelFile
from engine.labels.prototypes.metadata import load_text_prototypes_from_metadata
from engine.labels.request import (
    LabelRequest,
    PrototypeRequest,
    collect_settings,
    run_labels,
)
from engine.metrics.policies import Policies
from engine.report.labels.document import collect_label_notes
from engine.text import EMBEDDED
from engine.text.embedded.model import EmbeddedModel
from engine.text.encoder import SentenceEncoder
from sample_data import folder

HOME = folder() / "labels"
SCENE = LevelFile("scene", HOME / "labels.csv", named=True)
OBJECT = LevelFile("object", HOME / "labels.csv", named=True)
FILES = LabelFiles(HOME / "video_emb.npy", (SCENE, OBJECT), HOME / "text_emb.npy", name_a="video")
KS = (1, 10, 50)

Matrix = npt.NDArray[np.float64]


def unit(vectors: npt.ArrayLike) -> Matrix:
    rows = np.asarray(vectors, np.float64)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


@pytest.fixture(scope="module")
def sample() -> dict[str, Matrix]:
    return {name: unit(np.load(HOME / f"{name}_emb.npy")) for name in ("video", "text")}


@pytest.fixture(scope="module")
def table() -> pd.DataFrame:
    return pd.read_csv(HOME / "labels.csv")


def brute_force(
    asked: Matrix, searched: Matrix, wanted: Any, labels: Any, k: int, own: bool = False
) -> float:
    """The whole matrix, sorted; equal similarities stay in the order of the rows."""
    alike = (asked @ searched.T).round(12)
    if own:
        np.fill_diagonal(alike, -np.inf)
    nearest = np.argsort(-alike, axis=1, kind="stable")[:, :k]
    return float((np.asarray(labels)[nearest] == np.asarray(wanted)[:, None]).mean())


def refusal(request: LabelRequest) -> InputError:
    with pytest.raises(InputError) as caught:
        run_labels(request)
    return caught.value


# ── instances ──────────────────────────────────────────────────────────────────────────────


def test_all_directions_of_the_sample_equal_brute_force(
    sample: dict[str, Matrix], table: pd.DataFrame
) -> None:
    names = ("text2video", "video2text", "video2video", "text2text")

    run = run_labels(LabelRequest(FILES, KS, names))

    assert run.levels == ("scene", "object")
    for level in run.levels:
        for name, scores in run.results(level).items():
            asked, searched = name.split("2")
            for k, score in scores.items():
                expected = brute_force(
                    *(sample[asked], sample[searched], table[level], table[level], k),
                    own=asked == searched,
                )
                assert score == pytest.approx(expected, abs=1e-9)


def test_without_directions_both_ways_across_are_scored() -> None:
    run = run_labels(LabelRequest(FILES, (10,)))

    assert list(run.results()) == ["text2video", "video2text"]
    assert run.items == 284


def test_one_modality_alone_asks_itself() -> None:
    run = run_labels(LabelRequest(replace(FILES, b=None), (10,)))

    assert list(run.results()) == ["video2video"]


def test_queries_are_called_as_the_table_calls_them(table: pd.DataFrame) -> None:
    run = run_labels(LabelRequest(FILES, (10,)))

    assert run.scores[0].names == tuple(table["slice_id"])


def test_policies_are_kept(tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", np.eye(3))
    (tmp_path / "labels.txt").write_text("a\na\nb\n")
    files = LabelFiles(tmp_path / "x.npy", (LevelFile("label", tmp_path / "labels.txt"),))
    policies = Policies(no_relevant="skip", fewer_than_k="adaptive")

    run = run_labels(LabelRequest(files, (2, 9), policies=policies))

    # Two queries count; each finds one of its label among the two others, at 2 and at 9.
    assert run.results() == {"sensor2sensor": {2: 0.5, 9: 0.5}}
    assert run.scores[0].policies == policies


def test_progress_is_reported_to_the_end_of_every_direction() -> None:
    steps: list[Step] = []

    run_labels(LabelRequest(FILES, (10,)), report=steps.append)

    ends = [(step.mode, step.total) for step in steps if step.done == step.total]
    assert ends == [("text2video", 284), ("video2text", 284)]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"ks": (10, 0)}, "K is 0"),
        ({"ks": (-1,)}, "K is -1"),
        ({"ks": ()}, "no K is named"),
        ({"directions": ("text2vidoe",)}, "no direction 'text2vidoe'"),
        ({"directions": ()}, "no direction is named"),
        ({"directions": ("prototype2video",)}, "prototype2video needs prototypes"),
    ],
)
def test_a_wrong_request_is_refused_before_any_file_is_read(
    changes: dict[str, Any], message: str
) -> None:
    nowhere = replace(FILES, a=Path("nowhere.npy"))

    assert refusal(replace(LabelRequest(nowhere), **changes)).message == message


def test_a_file_that_is_not_there_is_refused() -> None:
    assert refusal(LabelRequest(replace(FILES, a=Path("nowhere.npy")))).message == "no such file"


# ── prototypes from vectors ────────────────────────────────────────────────────────────────


@pytest.fixture(scope="module")
def means(sample: dict[str, Matrix], table: pd.DataFrame) -> tuple[list[str], Matrix]:
    """The mean caption of every scene, in the order of the metadata."""
    texts = load_text_prototypes_from_metadata(HOME / "metadata.json", "sample", "plain")
    rows = [sample["text"][table["scene"] == label].mean(axis=0) for label in texts]
    return list(texts), np.array(rows)


@pytest.fixture
def vectors(tmp_path: Path, means: tuple[list[str], Matrix]) -> Path:
    path = tmp_path / "prototypes.npz"
    np.savez(path, vectors=means[1], labels=np.array(means[0]))
    return path


def with_prototypes(ks: tuple[int, ...] = KS, **given: Any) -> LabelRequest:
    files = given.pop("files", FILES)
    directions = given.pop("directions", None)
    return LabelRequest(files, ks, directions, PrototypeRequest(**given))


def test_prototypes_ask_both_modalities_of_the_level_that_has_their_labels(
    vectors: Path,
    means: tuple[list[str], Matrix],
    sample: dict[str, Matrix],
    table: pd.DataFrame,
) -> None:
    labels, rows = means

    run = run_labels(with_prototypes(embeddings=vectors))

    assert run.levels == ("scene",)
    assert list(run.results()) == ["prototype2video", "prototype2text"]
    for name, scores in run.results().items():
        for k, score in scores.items():
            searched = sample[name.partition("2")[2]]
            expected = brute_force(unit(rows), searched, labels, table["scene"], k)
            assert score == pytest.approx(expected, abs=1e-9)


def test_vectors_without_labels_are_those_of_the_metadata_in_its_order(
    tmp_path: Path, vectors: Path, means: tuple[list[str], Matrix]
) -> None:
    np.save(tmp_path / "bare.npy", means[1])
    named = {"metadata": HOME / "metadata.json", "dataset_name": "sample", "caption_style": "plain"}

    run = run_labels(with_prototypes(embeddings=tmp_path / "bare.npy", **named))

    assert run.results() == run_labels(with_prototypes(embeddings=vectors)).results()


def test_labels_of_vectors_may_have_a_file_of_their_own(
    tmp_path: Path, vectors: Path, means: tuple[list[str], Matrix]
) -> None:
    np.save(tmp_path / "bare.npy", means[1])
    (tmp_path / "names.txt").write_text("\n".join(means[0]))

    run = run_labels(
        with_prototypes(embeddings=tmp_path / "bare.npy", labels=tmp_path / "names.txt")
    )

    assert run.results() == run_labels(with_prototypes(embeddings=vectors)).results()


def test_prototypes_and_instances_may_be_scored_together(vectors: Path) -> None:
    run = run_labels(
        with_prototypes(embeddings=vectors, directions=("prototype2video", "text2video"))
    )

    assert list(run.results("scene")) == ["prototype2video", "text2video"]
    assert list(run.results("object")) == ["text2video"]


def test_what_a_reader_must_know_of_prototypes_is_noted(
    tmp_path: Path, means: tuple[list[str], Matrix]
) -> None:
    labels = ["moon", *means[0][1:]]  # for urban there is none
    np.savez(tmp_path / "p.npz", vectors=means[1], labels=np.array(labels))
    request = with_prototypes(embeddings=tmp_path / "p.npz")

    assert "the label 'moon', which no item has" in refusal(request).message
    skipping = with_prototypes(embeddings=tmp_path / "p.npz", unknown_labels="skip")
    assert collect_label_notes(run_labels(skipping))[:2] == (
        "prototypes of 1 label that no item has are left out: 'moon'",
        "1 label has no prototype: 'urban'",
    )


def test_prototypes_of_one_space_may_ask_it_beside_another(
    tmp_path: Path, vectors: Path, sample: dict[str, Matrix]
) -> None:
    np.save(tmp_path / "narrow.npy", sample["video"][:, :16])
    files = replace(FILES, a=tmp_path / "narrow.npy")

    one = run_labels(
        with_prototypes(
            embeddings=vectors, files=files, directions=("prototype2text", "video2video")
        )
    )
    error = refusal(with_prototypes(embeddings=vectors, files=files))

    assert list(one.results("scene")) == ["prototype2text", "video2video"]
    assert error.message == f"prototypes have 384 dimensions ({vectors}), video has 16"


def test_prototypes_are_not_read_if_no_direction_asks_with_them() -> None:
    run = run_labels(
        with_prototypes(embeddings=Path("nowhere.npy"), directions=("text2video",), ks=(10,))
    )

    assert list(run.results()) == ["text2video"]
    assert "prototypes are not used: no direction asks with them" in run.notes[0]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({}, "there is nothing to make prototypes of"),
        ({"metadata": HOME / "metadata.json"}, "--metadata needs the name of a data set in it"),
    ],
)
def test_prototypes_need_a_source(given: dict[str, Any], message: str) -> None:
    error = refusal(with_prototypes(**given))

    assert error.message == message
    assert "--dataset-name NAME" in error.hint


def test_settings_say_what_encoded_the_prototypes(vectors: Path) -> None:
    run = run_labels(with_prototypes(embeddings=vectors, ks=(10,)))
    texts = {"metadata": HOME / "metadata.json", "dataset_name": "sample", "caption_style": "plain"}
    checkpoint = with_prototypes(**texts, encoder="folder", checkpoint=Path("text.pt"))

    plain = collect_settings(with_prototypes(**texts), run)["prototypes"]
    loaded = collect_settings(checkpoint, run)["prototypes"]

    assert (plain["level"], plain["encoder"]) == ("scene", EMBEDDED)
    assert "encoder" not in loaded
    assert (loaded["adapter"], loaded["checkpoint_base"]) == ("sentence-transformers", "folder")


def test_every_file_behind_the_numbers_is_hashed(vectors: Path) -> None:
    named = {"metadata": HOME / "metadata.json", "dataset_name": "sample", "caption_style": "plain"}
    request = with_prototypes(embeddings=vectors, **named)

    inputs = run_labels(request).inputs

    assert list(inputs) == [
        "embeddings of video",
        "embeddings of text",
        "labels scene",
        "labels object",
        "metadata",
        "prototype embeddings",
    ]
    for file in inputs.values():
        assert file.sha256 == hashlib.sha256(Path(file.path).read_bytes()).hexdigest()


# ── prototypes from texts ──────────────────────────────────────────────────────────────────


def test_texts_of_the_metadata_are_encoded_by_the_embedded_model(
    encoder: SentenceEncoder,
    sample: dict[str, Matrix],
    table: pd.DataFrame,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    started: list[str] = []
    texts = json.loads((HOME / "metadata.json").read_text())["sample"]["label_to_text_varied"]
    means = {
        label: unit(np.asarray(encoder.encode(several))).mean(axis=0)
        for label, several in texts.items()
    }
    monkeypatch.setenv("TUI_EVAL_CACHE", str(tmp_path))  # where nothing is encoded yet
    request = with_prototypes(
        metadata=HOME / "metadata.json", dataset_name="sample", caption_style="varied"
    )
    encoded: list[str] = []
    encode = EmbeddedModel.encode

    def loading(name: str) -> AbstractContextManager[object]:
        started.append(name)
        return nullcontext()

    def noting(model: EmbeddedModel, texts: Sequence[str], *rest: Any, **more: Any) -> Any:
        encoded.extend(texts)
        return encode(model, texts, *rest, **more)

    monkeypatch.setattr(EmbeddedModel, "encode", noting)

    run = run_labels(request, while_loading=loading)
    first, encoded[:] = list(encoded), []
    again = run_labels(request, while_loading=loading)

    assert sorted(first) == sorted({text for several in texts.values() for text in several})
    assert encoded == []  # the second time the vectors are known
    assert started == []  # nothing takes seconds
    assert again.results() == run.results()
    assert run.scores[0].names == tuple(texts)
    for name, scores in run.results().items():
        searched = sample[name.partition("2")[2]]
        for k, score in scores.items():
            asked = unit(list(means.values()))
            expected = brute_force(asked, searched, list(means), table["scene"], k)
            assert score == pytest.approx(expected, abs=1e-9)
