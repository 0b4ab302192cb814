"""Datasets: opened from a folder or from files, with every mistake reported in one line."""

from __future__ import annotations

import weakref
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from engine.base.errors import InputError
from engine.dataset.collection import Collection
from engine.dataset.dataset import Dataset, open_text_encoder
from engine.dataset.settings_file import open_dataset, open_dataset_files
from engine.dataset.validation import validate
from engine.keywords.question import Question
from engine.keywords.run import RunRequest, run_request
from engine.keywords.workbench import Workbench
from engine.metrics import Measure
from engine.text.encoder import PrecomputedEncoder
from engine.text.opening import open_encoder

CSV = "slice_id,pv_object_type,scene_type\na,car,city\nb,car,rain\nc,bus,city\n"
TOML = """
schema = "tui-eval/dataset@1"
name = "tiny"
annotations = "clips.csv"
queries = "queries.csv"
groups = ["object_type"]
default_model = "two"

[models.one]
embeddings = "one.npz"

[models.two]
embeddings = "one.npz"
metric = "l2"
query_vectors = "vectors.npz"

[synonyms]
car = ["jalopy"]
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "clips.csv").write_text(CSV)
    (tmp_path / "queries.csv").write_text("query,keywords\njalopy,\nbus,bus\n")
    (tmp_path / "dataset.toml").write_text(TOML)
    vectors = np.float32([[1, 0], [0.9, 0.1], [0, 1]])
    np.savez(tmp_path / "one.npz", ids=np.array(["a", "b", "c"]), embeddings=vectors)
    np.savez(
        tmp_path / "vectors.npz",
        queries=np.array(["jalopy", "bus"]),
        embeddings=np.float32([[1, 0], [0, 1]]),
    )
    return tmp_path


def bench_of(dataset: Dataset) -> Workbench:
    return Workbench(dataset, open_encoder())


def test_a_folder_says_what_belongs_together(folder: Path) -> None:
    dataset = open_dataset(folder)

    assert dataset.name == "tiny"
    assert dataset.truth.words.groups == ("object_type", "scene_type")
    assert (dataset.model().name, dataset.model().metric) == ("two", "l2")
    assert open_dataset(folder / "dataset.toml").models.keys() == {"one", "two"}


def test_precomputed_query_vectors_need_no_model(folder: Path) -> None:
    dataset = open_dataset(folder)
    shared = open_encoder()

    assert isinstance(open_text_encoder(dataset.model("two"), shared), PrecomputedEncoder)
    assert open_text_encoder(dataset.model("one"), shared) is shared


def test_a_run_uses_the_datasets_own_synonyms_queries_and_vectors(folder: Path) -> None:
    run = run_request(RunRequest(ks=(1,), metrics=("P@1",)), bench_of(open_dataset(folder)))

    text, video = run.evaluations
    assert text.queries.names == ("jalopy", "bus")
    assert text.scores.values[:, 0].tolist() == [1, 1]
    assert text.queries.mapped == 1
    assert video.skipped == {"no_keyword": 0, "no_relevant": 1}
    assert set(run.inputs) == {"annotations", "embeddings", "query_vectors", "queries"}
    assert run.sources["text"].name == "queries.csv"


def test_keywords_choose_their_groups(folder: Path) -> None:
    request = RunRequest(modes="video", keywords=("city",), ks=(1,))

    run = run_request(request, bench_of(open_dataset(folder)))

    assert run.selection.groups == ("scene_type",)
    assert run.evaluations[0].queries.names == ("a", "c")


def test_combinations_are_the_default_queries(folder: Path) -> None:
    dataset = open_dataset_files(folder / "clips.csv", folder / "one.npz")
    request = RunRequest(modes="video", groups=("object_type",), limit=2, ks=(1,))

    run = run_request(request, bench_of(dataset))

    assert run.evaluations[0].queries.names == ("a", "b")
    with pytest.raises(InputError, match="no model"):
        dataset.model("two")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('name = "tiny"', "name = tiny", "is not valid TOML"),
        ('name = "tiny"', "name = 3", "name must be a text"),
        ('name = "tiny"', 'nam = "tiny"', "unknown setting 'nam'"),
        ("@1", "@9", "schema is 'tui-eval/dataset@9'"),
        ('annotations = "clips.csv"', "", "names no annotation file"),
        ('embeddings = "one.npz"\n\n', "", "names no embeddings file"),
        ('default_model = "two"', 'default_model = "x"', "default_model is 'x'"),
        ('metric = "l2"', 'metric = "l7"', "unknown metric 'l7'"),
        ('["object_type"]', '"object_type"', "groups must be a list"),
        ('["jalopy"]', '"jalopy"', "must be a list of phrases"),
        ("[synonyms]", 'duplicates = "x"\n[synonyms]', "unknown setting 'duplicates'"),
        ("[synonyms]", "[mapper]\nthreshold = 7\n[synonyms]", "threshold must be a number"),
    ],
)
def test_a_mistake_in_the_settings_is_named(folder: Path, old: str, new: str, message: str) -> None:
    settings = folder / "dataset.toml"
    assert old in TOML
    settings.write_text(TOML.replace(old, new, 1))

    with pytest.raises(InputError, match=message) as caught:
        open_dataset(folder)
    assert "\n" not in str(caught.value)
    assert "dataset.toml" in str(caught.value)


def test_a_folder_without_settings_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"no dataset\.toml; write one"):
        open_dataset(tmp_path)
    with pytest.raises(InputError, match="no such file"):
        open_dataset(tmp_path / "nowhere")


def test_a_file_that_is_no_dataset_is_refused(folder: Path) -> None:
    with pytest.raises(InputError, match=r"tui-eval inspect --annotations clips\.csv"):
        open_dataset(folder / "clips.csv")


def test_a_valid_dataset_has_no_error(folder: Path) -> None:
    faults = validate(open_dataset(folder))

    assert {fault.level for fault in faults} <= {"info", "warning"}


def test_validation_holds_the_vectors_of_one_model_at_a_time(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    alive: list[list[bool]] = []
    opened: list[weakref.ref[Any]] = []
    open_collection = Collection.open

    def note(*args: Any) -> Collection:
        alive.append([vectors() is not None for vectors in opened])
        collection = open_collection(*args)
        opened.append(weakref.ref(collection.vectors))
        return collection

    monkeypatch.setattr(Collection, "open", note)
    validate(open_dataset(folder))

    assert alive == [[], [False]]


def test_media_that_cannot_be_there_are_counted_as_missing(folder: Path) -> None:
    (folder / "my clip.mp4").write_text("")
    here = (folder / "my clip.mp4").as_uri()
    lines = [f"a,{'x' * 300},car,city", f"b,{here},car,rain", "c,s3://bucket/c.mp4,bus,city"]
    text = "\n".join(["slice_id,video_path,pv_object_type,scene_type", *lines])
    (folder / "clips.csv").write_text(text)

    (fault,) = (one for one in validate(open_dataset(folder)) if one.part == "video_path")

    assert fault.level == "warning"
    assert fault.message == f"2 of 3 files are missing, first '{'x' * 29}…{'x' * 30}'"


def test_validation_finds_everything_at_once(folder: Path) -> None:
    (folder / "queries.csv").write_text("query,keywords\nx,bicylce\n")
    (folder / "vectors.npz").unlink()
    np.savez(folder / "one.npz", ids=np.array(["a", "z"]), embeddings=np.eye(2, dtype=np.float32))
    faults = validate(open_dataset(folder))

    errors = [fault.message for fault in faults if fault.level == "error"]
    warnings = [fault.message for fault in faults if fault.level == "warning"]
    assert any("unknown keyword" in message for message in errors)
    assert any("vectors.npz: no such file" in message for message in errors)
    assert any("2 clips are annotated but without an embedding" in w for w in warnings)
    assert any("the embedded encoder gives 384" in w for w in warnings)


def test_embeddings_that_are_written_again_while_they_are_in_use_are_an_error(
    folder: Path,
) -> None:
    np.save(folder / "mapped.npy", np.eye(3, dtype=np.float32))
    (folder / "mapped.ids.txt").write_text("a\nb\nc\n")
    dataset = open_dataset_files(folder / "clips.csv", folder / "mapped.npy")
    bench = bench_of(dataset)
    question = Question("video", "a", "mapped", ("object_type",))
    assert bench.ask(question, (Measure.parse("P@1"),), k=1).depth == 1

    np.save(folder / "mapped.npy", np.eye(2, dtype=np.float32))

    with pytest.raises(InputError, match=r"mapped\.npy: has changed since it was opened; start"):
        bench.ask(question, (Measure.parse("P@1"),), k=1)


def test_embeddings_in_memory_stay_as_they_were_whatever_is_written(folder: Path) -> None:
    bench = bench_of(open_dataset_files(folder / "clips.csv", folder / "one.npz"))
    question = Question("video", "a", "one", ("object_type",))
    before = bench.ask(question, (Measure.parse("P@1"),), k=1)

    (folder / "one.npz").write_bytes(b"something else")

    after = bench.ask(question, (Measure.parse("P@1"),), k=1)
    assert after.similarities.tolist() == before.similarities.tolist()


def test_an_empty_file_name_is_refused_with_the_remedy(tmp_path: Path) -> None:
    (tmp_path / "dataset.toml").write_text('annotations = " "\n')

    with pytest.raises(InputError, match="annotations is no file name; name a file, or leave"):
        open_dataset(tmp_path)
