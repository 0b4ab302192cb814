"""The shipped sample: what was measured beforehand, and the opposite with the models swapped."""

from __future__ import annotations

import json
import re
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

import engine
import sample_data
from engine.dataset.settings_file import open_dataset
from engine.keywords.run import RunRequest
from engine.keywords.workbench import Workbench
from engine.report.triage.document import build_triage_document
from engine.text.encoder import SentenceEncoder
from engine.triage.baseline import FindingChange
from engine.triage.build_study import OpenedStudy, TriageRequest, open_study
from engine.triage.compare_models import ComparedTriage, triage_models
from engine.triage.registry import ANALYSES
from engine.triage.triage import Triage, triage
from engine.triage.workings.reliance import measure_reliance

OLD, NEW = "alfa-0.1", "alfa-0.2"

pytestmark = pytest.mark.slow


def request(model: str) -> TriageRequest:
    return TriageRequest(RunRequest(model=model))


@pytest.fixture(scope="session")
def sample_bench(encoder: SentenceEncoder) -> Iterator[Workbench]:
    bench = Workbench(open_dataset(sample_data.folder()), encoder)
    yield bench
    bench.close()


@pytest.fixture(scope="session")
def compared(sample_bench: Workbench) -> ComparedTriage:
    """The new model against the old one."""
    return triage_models(request(NEW), sample_bench, OLD)


@pytest.fixture(scope="session")
def swapped(sample_bench: Workbench) -> ComparedTriage:
    """The old one against the new one."""
    return triage_models(request(OLD), sample_bench, NEW)


@pytest.fixture(scope="session")
def before(compared: ComparedTriage) -> Triage:
    assert compared.before is not None
    return compared.before


def by_id(found: ComparedTriage) -> dict[str, FindingChange]:
    return {one.id: one for one in found.changes}


def test_the_new_model_relies_more_on_behavior(compared: ComparedTriage, before: Triage) -> None:
    """Measured beforehand with other code: 0.194 ± 0.031 against 0.357 ± 0.036; of the object type
    0.265 ± 0.023 and 0.279 ± 0.036."""
    new, old = (one.study.once(measure_reliance) for one in (compared.triage, before))
    kind, behavior = (old.groups.index(name) for name in ("object_type", "actor_behavior"))
    more = new.effect(behavior, behavior).minus(old.effect(behavior, behavior))
    assert more.interval.low > 0
    assert 0.1 < more.value < 0.25
    assert old.own[behavior] == pytest.approx(0.194, abs=0.04)
    assert new.own[behavior] == pytest.approx(0.357, abs=0.04)
    as_much = new.effect(kind, kind).minus(old.effect(kind, kind))
    assert as_much.interval.low < 0 < as_much.interval.high
    assert [old.own[kind], new.own[kind]] == pytest.approx([0.265, 0.279], abs=0.03)


def test_the_verdicts(compared: ComparedTriage, before: Triage) -> None:
    new, old = ({one.group: one for one in found.verdicts} for found in (compared.triage, before))
    assert {one.verdict for one in new.values()} == {"fine"}
    assert old["object_type"].verdict == "fine"
    outvoted = old["actor_behavior"]
    assert (outvoted.verdict, outvoted.winner) == ("used but outvoted", "object_type")
    assert outvoted.sentence.endswith("Object type wins instead.")


def test_hubs_are_harmless(compared: ComparedTriage, before: Triage) -> None:
    for found in (compared.triage, before):
        video = found.find("hubs/video")
        assert video.outcome == "nothing"
        assert video.sentence.startswith("Hubs cost nothing: ")
        assert "95 % CI −0." in video.sentence
        # Of 52 texts the interval is wider than the margin, either way.
        assert found.find("hubs/text").outcome in ("nothing", "unsure")


def test_the_baseline_shows_the_improvement(compared: ComparedTriage) -> None:
    change = by_id(compared)["used/actor-behavior"]
    assert change.kind == "better"
    assert change.paired and change.is_sure
    assert change.interval.low > 0
    assert 0.1 < change.difference < 0.25


def test_with_the_models_swapped_it_is_the_opposite(
    compared: ComparedTriage, swapped: ComparedTriage
) -> None:
    there, back = by_id(compared), by_id(swapped)
    assert there.keys() == back.keys()
    turned = {"new": "gone", "gone": "new", "better": "worse", "worse": "better", "same": "same"}
    assert back["used/actor-behavior"].kind == "worse"
    for id, change in there.items():
        assert back[id].kind == turned[change.kind], id
        assert back[id].difference == pytest.approx(-change.difference, abs=1e-12, nan_ok=True), id
        assert back[id].interval.low == pytest.approx(
            -change.interval.high, abs=1e-9, nan_ok=True
        ), id
        assert back[id].corrected == pytest.approx(change.corrected, nan_ok=True), id


def test_each_model_is_told_of_as_it_is_alone(
    sample_bench: Workbench, before: Triage, swapped: ComparedTriage
) -> None:
    """A baseline adds findings that only the other model would list, and changes no other."""
    alone = triage(open_study(request(OLD), sample_bench).study, ANALYSES)
    for other in (before, swapped.triage):
        together = {one.id: one for one in other.findings}
        for one in alone.findings:
            same = together[one.id]
            assert (one.sentence, one.outcome) == (same.sentence, same.outcome)
    assert [one.dump() for one in alone.verdicts] == [one.dump() for one in before.verdicts]


def test_the_document_is_the_same_to_the_byte(
    sample_bench: Workbench, encoder: SentenceEncoder, before: Triage
) -> None:
    def write(bench: Workbench) -> str:
        opened: OpenedStudy = open_study(request(OLD), bench)
        start = time.process_time()
        found = triage(opened.study, ANALYSES)
        took = time.process_time() - start
        sys.stdout.write(f"all analyses of {OLD}, both modes: {took:.2f} s of CPU\n")
        return json.dumps(build_triage_document(opened, found), allow_nan=False)

    other = Workbench(open_dataset(sample_data.folder()), encoder)
    one, two = (write(bench) for bench in (sample_bench, other))
    other.close()
    assert one == two


def test_nothing_is_hard_coded() -> None:
    """No code of the triage knows a model or a group of the sample."""
    root = Path(engine.__file__).parent
    files = [*(root / "triage").rglob("*.py"), *(root / "report" / "triage").rglob("*.py")]
    assert len(files) > 40
    for path in files:
        text = path.read_text(encoding="utf-8").lower()
        for word in ("alfa-0", "actor_behavior", "actor behavior", "bicycl", "pedestrian"):
            code = drop_docstrings(text)
            assert word not in code, f"{path}: {word}"


def drop_docstrings(text: str) -> str:
    return re.sub(r'"""(?:.|\n)*?"""', "", text)
