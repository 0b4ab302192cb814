"""Evaluations that are kept: what is damaged is done again, what is a fault is not hidden."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from engine.keywords import run_archive
from engine.keywords.evaluated_run import EvaluatedRun
from engine.keywords.run import RunRequest, run_request
from engine.keywords.run_key import find_queries, find_run_key
from engine.text.encoder import SentenceEncoder
from tests.engine.keywords.sample_workbench import workbench
from tui.work.evaluation_store import EvaluationStore
from tui.work.kept_evaluations import KeptEvaluations

REQUEST = RunRequest(modes="text", model="alfa-0.1")


@pytest.fixture
def store(tmp_path: Path, encoder: SentenceEncoder) -> EvaluationStore:
    """One evaluation of the sample was kept."""
    store, bench = EvaluationStore(tmp_path), workbench(encoder)
    keep = KeptEvaluations(store).begin(REQUEST, bench, "text")
    keep(EvaluatedRun.of(run_request(REQUEST, bench)))
    return store


def test_what_was_kept_is_found(store: EvaluationStore, encoder: SentenceEncoder) -> None:
    assert KeptEvaluations(store).find(REQUEST, workbench(encoder), "text") is not None


@pytest.mark.parametrize("body", [b"", b"no archive", b"PK\x05\x06" + bytes(18)])
def test_what_is_no_evaluation_is_as_if_there_were_none(
    body: bytes, store: EvaluationStore, encoder: SentenceEncoder
) -> None:
    bench = workbench(encoder)
    key = find_run_key(REQUEST, bench, "text", find_queries(REQUEST, bench.dataset, "text"))
    assert key is not None
    store.put(key, body)

    assert KeptEvaluations(store).find(REQUEST, bench, "text") is None


def test_what_is_wrong_with_a_file_is_left_to_the_run_to_say(
    store: EvaluationStore, encoder: SentenceEncoder, tmp_path: Path
) -> None:
    gone = replace(REQUEST, queries=str(tmp_path / "gone.txt"))

    assert KeptEvaluations(store).find(gone, workbench(encoder), "text") is None


def test_a_fault_of_the_program_is_seen(
    store: EvaluationStore, encoder: SentenceEncoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise KeyError("a fault")

    monkeypatch.setattr(run_archive, "_read_scores", fail)

    with pytest.raises(KeyError, match="a fault"):
        KeptEvaluations(store).find(REQUEST, workbench(encoder), "text")
