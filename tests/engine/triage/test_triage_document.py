"""A triage in its document and back again, and the queries that it shows."""

from __future__ import annotations

import copy
import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.base.errors import InputError
from engine.dataset.settings_file import open_dataset
from engine.keywords.run import RunRequest
from engine.keywords.workbench import Workbench
from engine.report.triage.document import build_triage_document
from engine.report.triage.evidence import MOST_QUERIES, dump_evidence
from engine.text.encoder import SentenceEncoder
from engine.triage.build_study import TriageRequest, open_study
from engine.triage.compare_models import ComparedTriage, triage_models
from engine.triage.finding import Exhibit, Topic
from engine.triage.saved_triage import SavedTriage, read_triage
from engine.triage.settings import TriageSettings
from tests.engine.triage.findings import make_finding
from tests.engine.triage.lossy_index import LossyIndex
from tests.engine.triage.planted import (
    QUICK,
    Plan,
    draw_scene,
    make_study,
    make_texts,
    make_unit,
)
from tests.engine.triage.written_scenes import write_scene
from tests.examples import examples

SETTINGS = TriageSettings(resamples=200, splits=2, least_support=10)


@pytest.fixture(scope="module")
def compared(
    encoder: SentenceEncoder, tmp_path_factory: pytest.TempPathFactory
) -> tuple[ComparedTriage, dict[str, Any]]:
    """A triage with a baseline of a better model, and its document."""
    scene = draw_scene(Plan(80, 384, weights={"way": 0.0}))
    better = draw_scene(Plan(80, 384, weights={"way": 2.0}))
    folder = write_scene(tmp_path_factory.mktemp("scene"), scene, {"two": better.vectors})
    bench = Workbench(open_dataset(folder), encoder)
    request = TriageRequest(RunRequest(model="one"), settings=SETTINGS)
    found = triage_models(request, bench, "two")
    document = build_triage_document(
        found.opened, found.triage, source="scene", baseline="two", changes=found.changes
    )
    bench.close()
    return found, document


def write_document(folder: Path, document: Any) -> Path:
    path = folder / "triage.json"
    path.write_text(json.dumps(document, allow_nan=False), encoding="utf-8")
    return path


@pytest.fixture
def saved(compared: tuple[ComparedTriage, dict[str, Any]], tmp_path: Path) -> SavedTriage:
    return read_triage(write_document(tmp_path, compared[1]))


def same(one: float, other: float) -> bool:
    return one == other or (math.isnan(one) and math.isnan(other))


def test_what_was_found_is_read_again(
    compared: tuple[ComparedTriage, dict[str, Any]], saved: SavedTriage
) -> None:
    found = compared[0].triage
    assert (saved.model, saved.dataset, saved.source, saved.baseline) == (
        "one",
        "small",
        "scene",
        "two",
    )
    assert (saved.measure, saved.level, saved.alpha) == ("P@5", 0.95, 0.05)
    assert saved.analyses == found.tested
    for one, other in zip(found.findings, saved.findings, strict=True):
        assert (one.id, one.analysis, one.mode or "", one.subject.label) == (
            other.id,
            other.analysis,
            other.mode,
            other.label,
        )
        assert (one.outcome, one.sentence, one.unit) == (other.outcome, other.sentence, other.unit)
        for ours, theirs in (
            (one.effect, other.effect),
            (one.interval.low, other.interval.low),
            (one.interval.high, other.interval.high),
            (one.corrected, other.corrected),
            (one.severity, other.severity),
        ):
            assert same(ours, theirs), one.id
        assert (one.support, one.support_of, one.needed) == (
            other.support,
            other.support_of,
            other.needed,
        )
        assert (one.evidence.queries, one.evidence.clips) == (other.queries, other.clips)
        assert (one.remedy, one.notes) == (other.remedy, other.notes)
        assert dict(one.numbers).keys() == dict(other.numbers).keys()
        assert all(same(v, dict(other.numbers)[k]) for k, v in one.numbers)


def test_verdicts_shortfalls_and_changes_are_read_again(
    compared: tuple[ComparedTriage, dict[str, Any]], saved: SavedTriage
) -> None:
    found = compared[0]
    for one, other in zip(found.triage.verdicts, saved.verdicts, strict=True):
        assert (one.group, one.verdict, one.winner, one.sentence, one.label) == (
            other.group,
            other.verdict,
            other.winner,
            other.sentence,
            other.label,
        )
        assert same(one.kept.value, other.kept.value)
        assert same(one.reliance.interval.low, other.reliance.interval.low)
    for shortfall, kept in zip(found.triage.shortfalls, saved.shortfalls, strict=True):
        values = [part.value for _, part in kept.parts]
        assert sum(values) == pytest.approx(1 - kept.mean.value, abs=1e-9)
        assert (shortfall.mode, shortfall.queries) == (kept.mode, kept.queries)
        assert values == [part.value for _, part in shortfall.parts]
    severity = {one.id: one.severity for one in saved.findings}
    assert len(saved.changes) == len(found.changes) > 10
    for change, read in zip(found.changes, saved.changes, strict=True):
        assert (change.id, change.kind) == (read.id, read.kind)
        assert same(change.difference, read.difference)
        assert read.severity == severity.get(read.id, 0.0)
    assert {"used/way"} & {one.id for one in saved.changes if one.kind in ("new", "worse")}


def test_the_queries_of_a_finding_are_shown(saved: SavedTriage) -> None:
    assert len(saved.queries) <= MOST_QUERIES
    for finding in saved.findings[:20]:
        shown = saved.find_queries(finding)
        assert {one.query for one in shown} <= set(finding.queries)
        assert {one.mode for one in shown} <= (
            {finding.mode} if finding.mode else {"text", "video"}
        )
    assert any(saved.find_queries(one) for one in saved.findings)


def spoil(document: Any, path: list[Any], value: Any) -> Any:
    spoiled = copy.deepcopy(document)
    part = spoiled
    for name in path[:-1]:
        part = part[name]
    if value is None:
        del part[path[-1]]
    else:
        part[path[-1]] = value
    return spoiled


@examples(60)
@given(data=st.data())
def test_whatever_is_spoiled_is_read_or_refused(
    compared: tuple[ComparedTriage, dict[str, Any]],
    tmp_path_factory: pytest.TempPathFactory,
    data: st.DataObject,
) -> None:
    document, path = compared[1], []
    part: Any = document
    while isinstance(part, dict | list) and part:
        names = list(part) if isinstance(part, dict) else list(range(min(2, len(part))))
        path.append(data.draw(st.sampled_from(names)))
        part = part[path[-1]]
        if data.draw(st.booleans()):
            break
    value = data.draw(st.sampled_from([None, -1, 0.5, "", "x", [], {}, [[]], True, 10**400]))
    written = tmp_path_factory.mktemp("spoiled") / "triage.json"
    written.write_text(json.dumps(spoil(document, path, value)), encoding="utf-8")
    try:
        read_triage(written)
    except InputError as error:
        assert "triage.json" in str(error)


@pytest.mark.parametrize("videos", [True, False])
def test_evidence_is_that_of_a_loop(videos: bool) -> None:
    scene = draw_scene(Plan(clips=60, groups={"who": 3, "way": 3}, seed=2))
    texts = None if videos else make_texts(scene)
    study = make_study(scene, texts=texts, videos=videos, settings=QUICK)
    (asked,), truth = study.asked, study.truth
    names = asked.queries.names[:7][::-1]
    finding = make_finding(evidence=Exhibit(names), mode=asked.mode)
    shown = dump_evidence(study, [finding, finding])
    assert [one["query"] for one in shown] == list(names)
    for one in shown:
        row = asked.queries.names.index(one["query"])
        wanted = {str(word) for word in truth.words.named(asked.queries.bits[row])}
        assert set(one["keywords"]) == wanted
        scores = study.vectors.astype(float) @ asked.vectors[row].astype(float)
        if videos:
            scores[row] = -np.inf
        order = np.argsort(-scores)[: len(truth) - videos].tolist()
        has = {at: {str(word) for word in truth.keywords_of(at)} for at in order}
        relevant = [at for at in order if wanted <= has[at]]
        assert one["relevant"] == len(relevant)
        assert one["value"] == pytest.approx(len(set(relevant) & set(order[:5])) / 5)
        assert [result["clip"] for result in one["results"]] == [truth.ids[at] for at in order[:5]]
        for result, at in zip(one["results"], order[:5], strict=True):
            assert result["hit"] == (at in relevant)
            assert result["score"] == pytest.approx(scores[at], abs=1e-5)
            lacking = wanted - has[at]
            assert set(result["missing"]) == lacking
            groups = {word.partition(":")[0] for word in lacking}
            instead = {w for w in has[at] - wanted if w.partition(":")[0] in groups}
            assert set(result["instead"]) == instead
        beyond = [at for at in relevant if at in order[5 : study.settings.depth]]
        assert one["missed"] == [truth.ids[at] for at in beyond[:3]]


def test_places_without_a_result_are_not_shown() -> None:
    scene = draw_scene(Plan(clips=200, groups={"who": 4, "way": 5}, noise=1.0))
    units = make_unit(scene.vectors)
    study = make_study(scene, settings=QUICK, index=lambda: LossyIndex(units, 100, 1))
    every = make_finding(evidence=Exhibit(study.asked[0].queries.names), mode="video")
    shown = dump_evidence(study, [every])
    assert len(shown) == MOST_QUERIES
    rows, _ = study.asked[0].top(5)
    assert [len(one["results"]) for one in shown] == (rows >= 0).sum(axis=1).tolist()
    assert min(len(one["results"]) for one in shown) < 5
    json.dumps(shown, allow_nan=False)


def test_a_finding_of_no_mode_shows_its_queries_in_both() -> None:
    scene = draw_scene(Plan(clips=40))
    study = make_study(scene, texts=make_texts(scene), settings=QUICK)
    names = (study.asked[0].queries.names[0], study.asked[1].queries.names[0], "nobody asks this")
    finding = make_finding(evidence=Exhibit(names), mode=None, subject=Topic("model"))
    shown = dump_evidence(study, [finding])
    assert [(one["mode"], one["query"]) for one in shown] == [
        ("text", names[0]),
        ("video", names[1]),
    ]


def test_a_document_says_where_it_is_from(
    compared: tuple[ComparedTriage, dict[str, Any]],
) -> None:
    document = compared[1]
    assert document["schema"] == "tui-eval/triage@1"
    assert document["settings"]["seed"] == 0 and document["settings"]["resamples"] == 200
    assert document["clips"] == 80 and document["groups"] == ["who", "way"]
    assert document["second"] == "two" and document["visual"] is None
    assert set(document["inputs"]) >= {"annotations", "embeddings"}
    assert document["correction"]["analyses"] == compared[0].triage.tested
    assert len(document["analyses"]) == 14


def test_too_few_resamples_are_said(
    compared: tuple[ComparedTriage, dict[str, Any]],
) -> None:
    found, document = compared[0], compared[1]
    assert found.triage.tested > 5
    needed = found.triage.needed_resamples
    assert 4 * found.triage.tested / (needed + 1) <= 0.05 < 4 * found.triage.tested / needed
    assert 200 < needed < 2000  # the default is enough
    (note,) = [one for one in document["notes"] if "resamples" in one]
    assert note.endswith(f"draw at least {needed:,}")
    settings = replace(SETTINGS, resamples=needed)
    enough = replace(found.triage, study=replace(found.triage.study, settings=settings))
    notes = build_triage_document(found.opened, enough)["notes"]
    assert not [one for one in notes if "resamples" in one]


def test_the_document_of_fresh_studies_is_the_same_to_the_byte(
    encoder: SentenceEncoder, tmp_path: Path
) -> None:
    scene = draw_scene(Plan(60, 384))
    folder = write_scene(tmp_path, scene)
    documents = []
    for seed in (0, 0, 1):
        bench = Workbench(open_dataset(folder), encoder)
        settings = replace(SETTINGS, seed=seed)
        request = TriageRequest(RunRequest(model="one"), settings=settings)
        found = triage_models(request, bench)
        documents.append(json.dumps(build_triage_document(found.opened, found.triage)))
        assert open_study(request, bench).study.settings.seed == seed
        bench.close()
    assert documents[0] == documents[1] != documents[2]
