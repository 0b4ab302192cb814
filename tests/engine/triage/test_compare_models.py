"""A model and its baseline: the same questions to both, and draws that belong together."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from engine.dataset.settings_file import open_dataset
from engine.keywords.run import RunRequest
from engine.keywords.workbench import Workbench
from engine.text.encoder import SentenceEncoder
from engine.triage.build_study import TriageRequest, open_study
from engine.triage.compare_models import find_shared_tasks, triage_models
from engine.triage.settings import TriageSettings
from tests.engine.triage.planted import Plan, draw_scene
from tests.engine.triage.written_scenes import write_scene

SETTINGS = TriageSettings(resamples=1000, splits=4, least_support=10)
GOOD = draw_scene(Plan(240, 48, weights={"who": 1.5, "way": 1.5}))
BAD = draw_scene(Plan(240, 48, weights={"who": 1.5, "way": 0.0}))


@pytest.fixture(scope="module")
def bench(
    encoder: SentenceEncoder, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Workbench]:
    folder: Path = tmp_path_factory.mktemp("models")
    some = list(GOOD.truth.ids)[:200]
    models = {"bad": BAD.vectors, "copy": GOOD.vectors, "few": GOOD.vectors[:200]}
    opened = Workbench(open_dataset(write_scene(folder, GOOD, models, few=some)), encoder)
    yield opened
    opened.close()


def ask_for(model: str, *analyses: str) -> TriageRequest:
    run = RunRequest("video", model=model)
    return TriageRequest(run, analyses=analyses or None, settings=SETTINGS)


def test_a_model_that_loses_a_group_is_worse(bench: Workbench) -> None:
    found = triage_models(ask_for("bad", "used", "readable"), bench, "one")
    kinds = {one.id: one for one in found.changes}
    assert kinds["used/way"].kind in ("new", "worse")
    assert kinds["used/way"].is_sure and kinds["used/way"].interval.high < 0
    assert kinds["used/who"].kind in ("same", "better")  # the less there is beside it
    # Also of what the baseline would not list, as it is no finding there.
    assert kinds["readable/way-way0"].is_sure


def test_a_copy_of_a_model_changes_nothing(bench: Workbench) -> None:
    found = triage_models(ask_for("copy"), bench, "one")
    assert {one.kind for one in found.changes} == {"same"}
    # The second model of each is another one; whatever does not ask it is the same.
    for one in found.changes:
        if one.difference == one.difference and not one.id.startswith("doubts"):
            assert one.difference == pytest.approx(0, abs=1e-12), one.id


def test_what_only_one_model_lists_is_asked_of_the_other(bench: Workbench) -> None:
    """Wherever it can be measured there: of results that are all right nothing comes instead."""
    for model, baseline in (("bad", "one"), ("one", "bad")):
        request = ask_for(model, "blame", "slices", "pairs", "readable", "used")
        found = triage_models(request, bench, baseline)
        assert found.before is not None
        ours, theirs = (
            {one.id for one in each.findings if one.subject.kind != "model"}
            for each in (found.triage, found.before)
        )
        assert ours == theirs
        assert len(ours) > 20
        assert "pairs/video/way-way0-way-way1" in ours and "readable/way-way2" in ours


def test_of_other_clips_or_queries_changes_are_not_measured(bench: Workbench) -> None:
    one, same, few = (open_study(ask_for(model), bench).study for model in ("one", "bad", "few"))
    assert find_shared_tasks(one, same) == (None, "video")
    assert find_shared_tasks(one, few) == ()
    assert find_shared_tasks(one, replace(same, asked=())) == (None,)
    (asked,) = same.asked
    other = replace(asked, clusters=asked.clusters // 2)
    assert find_shared_tasks(one, replace(same, asked=(other,))) == (None,)

    found = triage_models(ask_for("few", "used", "hubs"), bench, "one")
    assert found.changes and not any(change.paired for change in found.changes)
    assert {change.kind for change in found.changes} <= {"new", "gone", "same"}
    assert all(math.isnan(one.difference) and not one.is_sure for one in found.changes)
    assert "one has other clips: changes are not measured" in found.opened.notes
    alike = triage_models(ask_for("bad", "used"), bench, "one")
    assert not any("not measured" in note for note in alike.opened.notes)
