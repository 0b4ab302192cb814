"""A run over a query set: how far it is, and how it ends early."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import sample_data
from engine.base.errors import InputError
from engine.base.progress import Step
from engine.dataset.settings_file import open_dataset
from engine.keywords.run import Run, RunRequest, run_request
from engine.keywords.workbench import Workbench
from engine.report.run.document import build_run_document
from engine.text.encoder import SentenceEncoder
from engine.text.model_files import find_model_path
from engine.text.transformer_encoder import TransformerEncoder

TEXTS = (
    "cyclist entering ego lane",
    "person crossing the street at night",
    "a purple zeppelin",
    "truck standing still",
    "bike rider ahead of us",
)


@pytest.fixture
def request_of_texts(tmp_path: Path) -> RunRequest:
    file = tmp_path / "queries.txt"
    file.write_text("\n".join(TEXTS))
    return RunRequest(modes="text", queries=str(file))


@pytest.fixture
def bench(encoder: SentenceEncoder) -> Workbench:
    return Workbench(open_dataset(sample_data.folder()), encoder)


def test_texts_are_mapped_and_then_evaluated_and_both_are_reported(
    bench: Workbench, request_of_texts: RunRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = run_request(request_of_texts, bench)
    monkeypatch.setattr("engine.dataset.query_set.TEXTS_PER_MAPPING", 2)
    monkeypatch.setattr("engine.keywords.searching.TEXTS_PER_ENCODING", 3)
    steps: list[Step] = []

    run = run_request(request_of_texts, bench, steps.append)

    assert [(step.stage, step.done, step.total) for step in steps] == [
        ("mapping", 2, 5),
        ("mapping", 4, 5),
        ("mapping", 5, 5),
        ("evaluating", 3, 4),  # the zeppelin means no keyword
        ("evaluating", 4, 4),
    ]
    same(run, whole)


def same(one: Run, other: Run) -> None:
    (ours,), (theirs,) = one.evaluations, other.evaluations
    assert ours.queries.names == theirs.queries.names
    assert ours.queries.left_out == theirs.queries.left_out
    np.testing.assert_array_equal(ours.scores.values, theirs.scores.values)


def test_a_run_can_be_ended_while_its_texts_are_mapped(
    bench: Workbench, request_of_texts: RunRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.dataset.query_set.TEXTS_PER_MAPPING", 2)
    steps: list[Step] = []

    def report(step: Step) -> None:
        steps.append(step)
        raise InterruptedError

    with pytest.raises(InterruptedError):
        run_request(request_of_texts, bench, report)

    assert steps == [Step("text", "mapping", 2, 5)]


def test_both_kinds_of_queries_report_their_own_progress(bench: Workbench) -> None:
    steps: list[Step] = []

    run_request(RunRequest(modes="both", limit=4), bench, steps.append)

    assert {step.mode for step in steps} == {"text", "video"}
    assert [step.done for step in steps if step.stage == "evaluating"] == [4, 4]


def test_no_encoder_is_started_for_a_model_once_the_workbench_is_closed(
    encoder: SentenceEncoder,
) -> None:
    sample = open_dataset(sample_data.folder())
    own = replace(sample.model("alfa-0.1"), encoder=find_model_path("embedded"))
    bench = Workbench(replace(sample, models={own.name: own}), encoder)
    bench.close()

    with pytest.raises(InputError, match="is closed"):
        bench.encoders.wait_until_ready(own.name)
    status = bench.encoders.status(own.name)
    assert status is not None and status.state == "cold"


@pytest.mark.slow
def test_a_models_own_encoder_is_started_once_for_all_that_is_asked(
    encoder: SentenceEncoder,
) -> None:
    sample = open_dataset(sample_data.folder())
    own = replace(
        sample.model("alfa-0.1"), encoder=find_model_path("embedded")
    )  # under another name
    dataset = replace(sample, models={own.name: own})
    with Workbench(dataset, encoder) as bench:
        text_encoder = bench.text_encoder(own.name)
        assert isinstance(text_encoder, TransformerEncoder)
        text_encoder.wait_until_ready()
        child = text_encoder._child

        run_request(RunRequest(modes="text", limit=1, model=own.name), bench)

        assert text_encoder._child is child and child is not None
        assert Path(f"/proc/{child.pid}").exists()
    assert not Path(f"/proc/{child.pid}").exists(), "the workbench ends what it started"


def test_a_run_records_the_phrases_that_its_texts_were_mapped_by(
    bench: Workbench, tmp_path: Path
) -> None:
    file = tmp_path / "queries.txt"
    file.write_text("a motorbike\na purple zeppelin\n")
    asked = RunRequest(modes="text", queries=str(file))
    before = bench.dataset
    learned = replace(before, synonyms={"bollard": ["zeppelin"]})

    def learn(_: Step) -> None:
        bench.relearn(learned)

    meanwhile = run_request(asked, bench, learn)
    after = run_request(asked, bench)

    assert build_run_document(meanwhile)["queries"]["text"]["synonyms"] == dict(before.synonyms)
    assert meanwhile.evaluations[0].queries.names == ("a motorbike",)
    assert build_run_document(after)["queries"]["text"]["synonyms"] == {"bollard": ["zeppelin"]}
    assert after.evaluations[0].queries.names == ("a motorbike", "a purple zeppelin")
    assert after.dataset.truth is before.truth
    assert after.dataset.annotations is before.annotations
