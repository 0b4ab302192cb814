"""From a request to a study: what is searched, and what the clips are held against."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from engine.base.errors import InputError
from engine.base.progress import Step
from engine.dataset.settings_file import open_dataset
from engine.keywords.run import RunRequest
from engine.keywords.workbench import Workbench
from engine.metrics.policies import Policies
from engine.text.encoder import SentenceEncoder
from engine.triage.analyses.index import find_index
from engine.triage.build_study import FRAMES, TriageRequest, open_study
from engine.triage.settings import TriageSettings
from engine.triage.study import Study
from engine.triage.verdicts import measure_verdicts
from tests.engine.triage.planted import (
    Plan,
    Scene,
    ask,
    draw_directions,
    draw_scene,
    make_study,
    make_unit,
)
from tests.engine.triage.written_scenes import write_scene

SETTINGS = TriageSettings(resamples=100, depth=8, hub_depth=5)
VIDEO = TriageRequest(RunRequest("video", model="one"), settings=SETTINGS)
BOTH = replace(VIDEO, run=replace(VIDEO.run, modes="both"))
OpenBench = Callable[[Path], Workbench]
SCENE = draw_scene(Plan(clips=40, dimension=384, per_source=2))


@pytest.fixture
def bench_of(encoder: SentenceEncoder) -> Iterator[OpenBench]:
    opened: list[Workbench] = []

    def open_bench(folder: Path) -> Workbench:
        opened.append(Workbench(open_dataset(folder), encoder))
        return opened[-1]

    yield open_bench
    for bench in opened:
        bench.close()


def test_what_is_studied_is_what_is_in_the_files(tmp_path: Path, bench_of: OpenBench) -> None:
    opened = open_study(VIDEO, bench_of(write_scene(tmp_path, SCENE)))
    study = opened.study
    assert study.vectors == pytest.approx(make_unit(SCENE.vectors), abs=1e-6)
    assert study.groups == ("who", "way")
    assert (study.sources[:, None] == study.sources).tolist() == (
        SCENE.sources[:, None] == SCENE.sources
    ).tolist()
    (asked,) = study.asked
    assert (asked.mode, len(asked)) == ("video", 40)
    # The same as a study that is made by hand.
    by_hand = ask(study.collection, asked.queries, study.vectors, study.sources, SETTINGS)
    assert asked.judged.ranking.indices.tolist() == by_hand.judged.ranking.indices.tolist()
    assert asked.values == pytest.approx(by_hand.values, nan_ok=True)
    assert asked.clusters.tolist() == by_hand.clusters.tolist()
    assert asked.own_rows is not None and asked.own_rows.tolist() == list(range(40))
    assert asked.judged.ranking.indices.shape == (40, 8)
    assert study.texts is None


def test_texts_are_encoded_and_kept_as_they_were_written(
    tmp_path: Path, bench_of: OpenBench, encoder: SentenceEncoder
) -> None:
    study = open_study(BOTH, bench_of(write_scene(tmp_path, SCENE))).study
    texts, videos = study.asked
    assert (texts.mode, videos.mode) == ("text", "video")
    assert texts.queries.names == ("who1 in way2", "who0 in way0")
    assert texts.vectors == pytest.approx(make_unit(encoder.encode(texts.queries.names)), abs=1e-6)
    assert texts.own_rows is None
    scores = texts.vectors.astype(float) @ study.vectors.T.astype(float)
    best = np.argsort(-scores, axis=1, kind="stable")[:, :8]
    assert texts.judged.ranking.indices.tolist() == best.tolist()
    assert study.texts is not None
    assert [one.text for one in study.texts.given] == list(texts.queries.names)
    assert [one.query for one in study.texts.map(("who1",))] == ["who1"]


def test_every_step_is_reported(tmp_path: Path, bench_of: OpenBench) -> None:
    steps: list[Step] = []
    open_study(VIDEO, bench_of(write_scene(tmp_path, SCENE)), steps.append)
    assert Step("video", "evaluating", 40, 40) in steps
    assert any(step.stage == "looks" for step in steps)


def test_without_frames_or_models_nothing_is_held_against(
    tmp_path: Path, bench_of: OpenBench
) -> None:
    bench = bench_of(write_scene(tmp_path, SCENE))
    for visual in (None, FRAMES):
        study = open_study(replace(VIDEO, visual=visual), bench).study
        assert study.visual is None and study.second is None


def draw_other(seed: int = 3) -> npt.NDArray[np.floating]:
    return draw_directions(np.random.default_rng(seed), 40, 24)


def test_another_model_judges_the_labels_but_is_not_how_clips_look(
    tmp_path: Path, bench_of: OpenBench
) -> None:
    bench = bench_of(
        write_scene(tmp_path, SCENE, models={"two": 3 * draw_other(), "six": draw_other(6)})
    )
    study = open_study(VIDEO, bench).study
    assert study.visual is None
    assert study.second is not None and study.second.name == "two"
    assert study.second.vectors == pytest.approx(draw_other(), abs=1e-6)
    assert study.second.known.all()
    # Nor does asking for frames that there are none of take that away.
    again = open_study(replace(VIDEO, visual=FRAMES), bench).study
    assert again.second is not None and again.second.name == "two"


def test_a_named_model_says_how_clips_look(tmp_path: Path, bench_of: OpenBench) -> None:
    bench = bench_of(
        write_scene(tmp_path, SCENE, models={"two": draw_other(), "six": draw_other(6)})
    )
    study = open_study(replace(VIDEO, visual="six"), bench).study
    assert study.visual is study.second
    assert study.visual is not None and study.visual.name == "six"
    assert study.visual.vectors == pytest.approx(draw_other(6), abs=1e-6)


def test_a_model_of_some_clips_is_aligned_by_their_ids(tmp_path: Path, bench_of: OpenBench) -> None:
    some = [39, 5, 20]
    names = [SCENE.truth.ids[row] for row in some]
    bench = bench_of(write_scene(tmp_path, SCENE, models={"two": draw_other()[some]}, two=names))
    study = open_study(replace(VIDEO, visual="two"), bench).study
    assert study.visual is not None
    assert np.flatnonzero(study.visual.known).tolist() == sorted(some)
    assert study.visual.vectors[some] == pytest.approx(draw_other()[some], abs=1e-6)
    assert not study.visual.vectors[~study.visual.known].any()


@pytest.mark.parametrize(
    ("visual", "message"),
    [
        ("tow", "no model 'tow' to look at the clips with; did you mean \"two\"?"),
        ("one", "the model one cannot be held against itself; look at the clips with frames"),
        ("none", "the model none has no clip of one; name a model of the same clips"),
    ],
)
def test_what_cannot_look_is_refused(
    tmp_path: Path, bench_of: OpenBench, visual: str, message: str
) -> None:
    models = {"two": draw_other(), "none": draw_other()[:3]}
    folder = write_scene(tmp_path, SCENE, models, none=["x", "y", "z"])
    with (folder / "clips.csv").open("a") as file:
        file.writelines(f"{clip},{clip}.mp4,who0,way0\n" for clip in "xyz")
    with pytest.raises(InputError) as raised:
        open_study(replace(VIDEO, visual=visual), bench_of(folder))
    assert str(raised.value).startswith(message)


def test_a_second_model_that_cannot_be_read_is_no_error(
    tmp_path: Path, bench_of: OpenBench
) -> None:
    folder = write_scene(tmp_path, SCENE, models={"bad": draw_other(), "two": draw_other()})
    (folder / "bad.npz").write_bytes(b"no vectors")
    opened = open_study(VIDEO, bench_of(folder))
    assert opened.study.second is not None and opened.study.second.name == "two"
    (note,) = [one for one in opened.notes if "labels" in one]
    assert note.startswith("bad cannot judge the labels: ")
    # Who asks for it by name is told.
    with pytest.raises(InputError):
        open_study(replace(VIDEO, visual="bad"), bench_of(folder))


def test_groups_that_no_query_has_are_refused(tmp_path: Path, bench_of: OpenBench) -> None:
    folder = write_scene(tmp_path, SCENE)
    rows = (folder / "clips.csv").read_text().splitlines()
    (folder / "clips.csv").write_text(
        "\n".join([rows[0] + ",pv_odd", *(f"{r}," for r in rows[1:])])
    )
    run = replace(VIDEO.run, groups=("odd",))
    with pytest.raises(InputError):
        open_study(replace(VIDEO, run=run), bench_of(folder))


def test_a_large_study_is_opened_and_measured_in_little_memory() -> None:
    """20,000 clips of 64 dimensions, every one of which asks: no table of clips by clips is made,
    which would be 1.6 GB."""
    import tracemalloc

    scene = draw_scene(Plan(20_000, 64, {"who": 8, "way": 8}))
    tracemalloc.start()
    study = make_large(scene)
    list(find_index(study))
    verdicts = [one.verdict for one in study.once(measure_verdicts)]
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert verdicts == ["fine", "fine"] or set(verdicts) <= {"fine", "used but outvoted"}
    assert peak < 600e6


def make_large(scene: Scene) -> Study:
    return make_study(scene, settings=TriageSettings(resamples=100, splits=2, depth=10))


@pytest.mark.parametrize(
    ("policies", "said"),
    [
        (Policies(min_similarity=0.2), "counts all results"),
        (Policies(relevance="any"), "no relevance any"),
        (Policies(relevance="graded"), "no relevance graded"),
    ],
)
def test_rules_that_no_analysis_knows_are_refused(
    tmp_path: Path, bench_of: OpenBench, policies: Policies, said: str
) -> None:
    request = replace(VIDEO, run=replace(VIDEO.run, policies=policies))
    with pytest.raises(InputError, match=said) as error:
        open_study(request, bench_of(write_scene(tmp_path, SCENE)))
    assert error.value.hint


def test_sources_are_ranked_and_judged(tmp_path: Path, bench_of: OpenBench) -> None:
    scene = draw_scene(Plan(clips=40, dimension=384, per_source=4))
    request = replace(VIDEO, run=replace(VIDEO.run, policies=Policies(one_per="source")))
    study = open_study(request, bench_of(write_scene(tmp_path, scene))).study
    by_hand = make_study(scene, settings=SETTINGS, one_per="source")
    assert study.one_per == "source"
    (asked,), (expected,) = study.asked, by_hand.asked
    assert asked.judged.relevant.tolist() == expected.judged.relevant.tolist()
    assert asked.judged.collection.tolist() == expected.judged.collection.tolist() == [9] * 40
    assert asked.values == pytest.approx(expected.values, nan_ok=True)
