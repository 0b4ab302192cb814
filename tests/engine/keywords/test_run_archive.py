"""A run that is kept and read again is the same, bit by bit; another run has another key."""

from __future__ import annotations

import os
import shutil
from dataclasses import fields, is_dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import engine
from engine.base.choices import Mode
from engine.compare.table import CompareTable
from engine.dataset.settings_file import open_dataset
from engine.keywords import run_key
from engine.keywords.evaluated_run import EvaluatedRun
from engine.keywords.run import RunRequest, run_request
from engine.keywords.run_archive import RunArchiveError, dump_run, load_run
from engine.keywords.run_key import find_queries, find_run_key
from engine.keywords.workbench import Workbench
from engine.metrics.policies import Policies
from engine.metrics.profiles import PROFILES
from engine.report.run.document import build_run_document
from engine.text.encoder import SentenceEncoder
from engine.text.model_files import find_model_path
from tests.engine.keywords.sample_workbench import sample, small_dataset, workbench

MADE = datetime(2026, 11, 18, 12, 30, tzinfo=UTC)
CLIPS = "a,a.mp4,,car,city\nb,b.mp4,,car,city\nc,c.mp4,,bus,city\nd,d.mp4,,car,\ne,e.mp4,,,city"

REQUESTS = {
    "texts": RunRequest(modes="text", model="alfa-0.1"),
    "combinations": RunRequest(modes="text", queries="combinations", model="alfa-0.2"),
    "texts, and what none explains": RunRequest(
        modes="text", groups=("scene_type",), model="alfa-0.1", limit=30
    ),
    "clips": RunRequest(modes="video", model="alfa-0.1"),
    "clips drawn": RunRequest(modes="video", sample=20, seed=3, ks=(2, 7), model="alfa-0.2"),
    "clips, few deep": RunRequest(modes="video", depth=30, metrics=("AP", "MedR(all)", "nDCG@5")),
    "other policies": RunRequest(
        modes="video",
        policies=Policies(ties="expected", no_relevant="zero", min_similarity=0.3),
        limit=40,
    ),
    "any keyword": RunRequest(modes="video", policies=Policies(relevance="any"), limit=40),
    "shares of keywords": RunRequest(modes="text", policies=Policies(relevance="graded")),
    **{
        f"the measures of {profile.name}": RunRequest(
            modes="video", limit=9, profile=profile.name, ks=(1, 4)
        )
        for profile in PROFILES
    },
}


def carry_out(request: RunRequest, bench: Workbench) -> EvaluatedRun:
    return EvaluatedRun.of(run_request(request, bench))


def mode_of(request: RunRequest) -> Mode:
    assert request.modes != "both"
    return request.modes


def key_of(request: RunRequest, bench: Workbench) -> str:
    queries = find_queries(request, bench.dataset, mode_of(request))
    key = find_run_key(request, bench, mode_of(request), queries)
    assert key is not None
    return key


def assert_same(one: Any, other: Any, place: str = "") -> int:
    """Every value of two trees of dataclasses, bit by bit; how many arrays there were."""
    assert type(one) is type(other), place
    if isinstance(one, np.ndarray):
        assert one.dtype == other.dtype and one.shape == other.shape, place
        assert one.tobytes() == other.tobytes(), place
        return 1
    if is_dataclass(one):
        return sum(
            assert_same(getattr(one, f.name), getattr(other, f.name), f"{place}.{f.name}")
            for f in fields(one)
        )
    if isinstance(one, tuple):
        assert len(one) == len(other), place
        pairs = enumerate(zip(one, other, strict=True))
        return sum(assert_same(a, b, f"{place}[{n}]") for n, (a, b) in pairs)
    assert repr(one) == repr(other), place  # NaN is NaN
    return 0


@pytest.mark.parametrize("name", REQUESTS)
def test_a_run_that_was_kept_is_the_same_bit_by_bit(name: str, encoder: SentenceEncoder) -> None:
    bench, request = workbench(encoder), REQUESTS[name]
    made = carry_out(request, bench)

    queries = find_queries(request, bench.dataset, mode_of(request))
    kept = load_run(dump_run(made, MADE), request, bench, queries)

    assert kept.made == MADE
    assert made.made is None
    arrays = assert_same(made.evaluation, kept.evaluation)
    of_shares = 3 if request.policies.relevance == "graded" else 0
    assert arrays == (18 if made.mode == "text" else 19) + of_shares
    assert made.run.request == kept.run.request
    assert made.run.selection == kept.run.selection
    assert made.run.collection is kept.run.collection
    assert {m: (s.name, s.available, s.file) for m, s in made.run.sources.items()} == {
        m: (s.name, s.available, s.file) for m, s in kept.run.sources.items()
    }
    assert dict(made.run.inputs) == dict(kept.run.inputs), "the same files, with their digests"
    assert build_run_document(made.run, "x") == build_run_document(kept.run, "x")
    assert made.table.names == kept.table.names
    assert made.table.formulas == kept.table.formulas


def test_a_comparison_of_runs_that_were_kept_is_the_same(encoder: SentenceEncoder) -> None:
    bench = workbench(encoder)
    requests = [replace(REQUESTS["texts"], model=name) for name in ("alfa-0.1", "alfa-0.2")]
    made = [carry_out(request, bench) for request in requests]
    kept = [
        load_run(dump_run(one, MADE), request, bench, find_queries(request, bench.dataset, "text"))
        for one, request in zip(made, requests, strict=True)
    ]

    now, then = CompareTable.of(*made), CompareTable.of(*kept)

    assert now.change.tobytes() == then.change.tobytes()
    assert_same(now.statistics, then.statistics)


def test_what_is_no_run_of_these_clips_is_refused(tmp_path: Path, encoder: SentenceEncoder) -> None:
    request = RunRequest(modes="video")
    data = dump_run(carry_out(request, workbench(encoder)), MADE)
    small = small_dataset(tmp_path, CLIPS, groups='["object_type"]')
    with Workbench(small, encoder) as bench:
        for wrong in (data, b"", b"PK\x05\x06" + bytes(18), data[: len(data) // 2]):
            with pytest.raises(RunArchiveError):
                load_run(wrong, request, bench, find_queries(request, small, "video"))


# Keys


@pytest.mark.parametrize(
    ("setting", "value"),
    [
        ("groups", ("scene_type",)),
        ("keywords", ("object_type:bicyclist",)),
        ("ks", (1, 3)),
        ("model", "alfa-0.2"),
        ("queries", "combinations"),
        ("limit", 5),
        ("profile", "ir"),
        ("metrics", ("P@5",)),
        ("depth", 50),
        ("policies", Policies(ties="expected")),
        ("policies", Policies(min_similarity=0.5)),
        ("policies", Policies(no_relevant="zero")),
        ("policies", Policies(relevance="any")),
        ("policies", Policies(relevance="graded")),
    ],
)
def test_another_setting_makes_another_key(
    setting: str, value: object, encoder: SentenceEncoder
) -> None:
    bench, request = workbench(encoder), RunRequest(modes="text", model="alfa-0.1")
    assert key_of(request, bench) == key_of(replace(request), bench)
    assert key_of(replace(request, **{setting: value}), bench) != key_of(request, bench)  # type: ignore[arg-type]


def test_texts_and_clips_have_keys_of_their_own(encoder: SentenceEncoder) -> None:
    bench = workbench(encoder)
    text, video = (RunRequest(modes=mode, model="alfa-0.1") for mode in ("text", "video"))
    assert key_of(text, bench) != key_of(video, bench)


def test_every_file_and_every_word_of_the_settings_counts(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    """A file that is written again as it was is the same; any change makes another key."""
    folder = tmp_path / "data"
    small_dataset(folder, CLIPS, "one two", **{"queries.txt": "a car\na bus\n"})
    settings = folder / "dataset.toml"
    settings.write_text(f'queries = "queries.txt"\n{settings.read_text()}')
    request = RunRequest(modes="text", model="one")

    def key() -> str:
        with Workbench(open_dataset(folder), encoder) as bench:
            return key_of(request, bench)

    first = key()
    for name in ("clips.csv", "queries.txt", "one.npz"):
        data = (folder / name).read_bytes()
        (folder / name).write_bytes(data)
        assert key() == first, f"{name} is as it was"
    (folder / "two.npz").unlink()
    assert key() == first, "another model"

    seen = {first}
    for name, change in {
        "clips.csv": "f,f.mp4,,bus,\n",
        "queries.txt": "a red car\n",
        "dataset.toml": '[synonyms]\n"object_type:car" = ["motor"]\n',
    }.items():
        with (folder / name).open("a") as file:
            file.write(change)
        seen.add(key())
    stored = dict(np.load(folder / "one.npz"))
    stored["embeddings"][0, 0] = np.nextafter(stored["embeddings"][0, 0], 9, dtype=np.float32)
    np.savez(folder / "one.npz", **stored)
    seen.add(key())
    assert len(seen) == 5


def test_what_was_read_counts_and_not_what_lies_there_by_now(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    folder = tmp_path / "data"
    dataset = small_dataset(folder, CLIPS)
    request = RunRequest(modes="video", model="one")
    with Workbench(dataset, encoder) as bench:
        before = key_of(request, bench)
        (folder / "clips.csv").write_text("slice_id,object_type\na,bus\n")
        assert key_of(request, bench) == before
    with Workbench(open_dataset(folder), encoder) as bench:
        assert key_of(request, bench) != before


def test_a_large_file_is_told_by_when_it_was_written(
    tmp_path: Path, encoder: SentenceEncoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.files.input_file._DIGESTED_AT_ONCE", 10)
    folder = tmp_path / "data"
    small_dataset(folder, CLIPS)
    request = RunRequest(modes="video", model="one")
    keys = set()
    for _ in range(2):
        with Workbench(open_dataset(folder), encoder) as bench:
            keys.add(key_of(request, bench))
    assert len(keys) == 1
    data = (folder / "one.npz").read_bytes()
    (folder / "one.npz").write_bytes(data)
    with Workbench(open_dataset(folder), encoder) as bench:
        assert key_of(request, bench) not in keys


ENGINE = Path(engine.__file__).parent
DATA = sorted(
    file.relative_to(ENGINE).as_posix()
    for file in ENGINE.rglob("*")
    if file.is_file() and file.suffix not in (".py", ".pyc", ".typed")
)


def copied_engine(folder: Path) -> Path:
    return shutil.copytree(
        ENGINE, folder, copy_function=os.symlink, ignore=shutil.ignore_patterns("__pycache__")
    )


def test_a_program_that_is_installed_elsewhere_is_the_same(
    tmp_path: Path, encoder: SentenceEncoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench, request = workbench(encoder), REQUESTS["texts"]
    before = key_of(request, bench)

    monkeypatch.setattr(run_key, "_ENGINE", copied_engine(tmp_path / "engine"))

    assert key_of(request, bench) == before


@pytest.mark.parametrize("name", [*DATA, "keywords/judge.py"])
def test_data_and_code_of_the_engine_count_alike(
    name: str, tmp_path: Path, encoder: SentenceEncoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One byte more, and the time of the file as it was."""
    assert {"text/mapping/synonyms.toml", "text/wordnet/wordnet.safetensors"} < set(DATA)
    bench, request = workbench(encoder), REQUESTS["texts"]
    before = key_of(request, bench)
    changed = copied_engine(tmp_path / "engine") / name
    changed.unlink()
    changed.write_bytes((ENGINE / name).read_bytes() + b"\n")
    shutil.copystat(ENGINE / name, changed)

    monkeypatch.setattr(run_key, "_ENGINE", tmp_path / "engine")

    assert key_of(request, bench) != before


@pytest.mark.parametrize("package", ["torch", "sentence-transformers", "transformers"])
def test_what_runs_an_encoder_counts_where_it_is_used(
    package: str, encoder: SentenceEncoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened, folder = sample(), find_model_path("embedded")
    models = {name: replace(model, encoder=folder) for name, model in opened.models.items()}
    real, request = run_key.version, RunRequest(modes="text", model="alfa-0.1")
    with (
        Workbench(replace(opened, models=models), encoder) as other,
        Workbench(opened, encoder) as embedded,
    ):
        before = key_of(request, other), key_of(request, embedded)
        monkeypatch.setattr(run_key, "version", lambda one: "0" if one == package else real(one))

        after = key_of(request, other), key_of(request, embedded)

    assert after[0] != before[0]
    assert after[1] == before[1], "the embedded one needs neither"


def test_a_run_whose_queries_cannot_be_read_has_no_key(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    request = RunRequest(modes="text", queries=str(tmp_path / "gone.txt"), model="alfa-0.1")
    bench = workbench(encoder)
    queries = find_queries(request, bench.dataset, "text")
    assert find_run_key(request, bench, "text", queries) is None
