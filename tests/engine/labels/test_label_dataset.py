"""Labelled embeddings as a dataset: a direction is a model, a level is a group."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.base.errors import InputError
from engine.base.keyword import Keyword
from engine.dataset.collection import Collection
from engine.dataset.embeddings.read import Alignment
from engine.dataset.ground_truth import GroundTruth
from engine.dataset.model_spec import ModelSpec
from engine.dataset.query_set import build_video_queries
from engine.keywords.evaluate import evaluate
from engine.keywords.inspection import pair_metrics
from engine.keywords.judgement import Judgement
from engine.keywords.question import Question
from engine.keywords.run import RunRequest, run_request
from engine.keywords.typed_relevance import TypedRelevance
from engine.keywords.workbench import Workbench
from engine.labels import compute_label_recall_at_k
from engine.labels.data.file_shapes import have_matching_rows, read_shape
from engine.labels.data.label_files import LabelFiles, LevelFile
from engine.labels.dataset import build_label_dataset
from engine.media.clip import find_media
from engine.metrics import Measure, find_profile
from engine.metrics.policies import Policies
from engine.text.encoder import SentenceEncoder
from engine.text.opening import open_encoder
from tests.engine.labels.label_files_by_hand import ROOMS, label_files, rooms_dataset, vectors
from tests.engine.labels.labels_by_hand import label_score, order_of


def workbench(dataset: object) -> Workbench:
    return Workbench(dataset, open_encoder())  # type: ignore[arg-type]


# Models


def test_every_direction_is_a_model_and_those_across_come_first(tmp_path: Path) -> None:
    dataset = rooms_dataset(tmp_path)

    assert list(dataset.models) == ["text2sensor", "sensor2text", "sensor2sensor", "text2text"]
    assert dataset.model().embeddings.name == "sensor.npy"  # text2sensor searches sensors
    assert dataset.model().files["asked"].name == "text.npy"
    assert "asked" not in dataset.model("text2text").files


def test_one_modality_has_one_direction(tmp_path: Path) -> None:
    files = replace(label_files(tmp_path), b=None, name_a="audio")

    assert list(build_label_dataset(files).models) == ["audio2audio"]


def test_spaces_of_different_dimensions_have_no_direction_between_them(tmp_path: Path) -> None:
    dataset = build_label_dataset(label_files(tmp_path, width_b=7))

    assert list(dataset.models) == ["sensor2sensor", "text2text"]


def test_a_dimension_that_the_head_did_not_tell_is_refused_when_it_is_opened(
    tmp_path: Path,
) -> None:
    files = label_files(tmp_path, width_b=7)
    fine = build_label_dataset(label_files(tmp_path))  # as if the file had been swapped
    np.save(files.b or Path(), vectors(6, 2, 7))

    with pytest.raises(InputError, match="text has 7 dimensions, sensor has 5"):
        fine.collection("text2sensor")


# Groups


def test_every_level_is_a_group_and_the_first_one_counts_by_default(tmp_path: Path) -> None:
    dataset = rooms_dataset(tmp_path)

    assert dataset.truth.words.groups == ("room", "day")
    assert dataset.default_groups == ("room",)
    assert dataset.profile == "label"
    assert dataset.ks == (10, 50, 100)


def test_labels_keep_their_case_and_numbers_their_order(tmp_path: Path) -> None:
    names = [str(keyword) for keyword in rooms_dataset(tmp_path).truth.words.keywords]

    assert names == ["room:Bath", "room:Hall", "room:Kitchen", "day:1", "day:7", "day:10"]


def test_a_label_is_found_as_it_is_spelled_then_in_any_case() -> None:
    truth = rooms_of(["Cook", "cook", "a, b", "12:30", "scene:x"])

    for name in ("Cook", "cook", "a, b", "12:30", "scene:x"):
        assert truth.words.find(name) == Keyword("label", name)
        assert truth.words.find(f"label:{name}") == Keyword("label", name)
        assert truth.words.resolve(Keyword("label", name)).name == name
    assert truth.words.find("A,  B").name == "a, b"
    with pytest.raises(InputError, match="several keywords; write label:Cook or label:cook"):
        truth.words.find("COOK")


def rooms_of(labels: list[str]) -> GroundTruth:
    """Ground truth of labels that are no clean keywords."""
    from engine.dataset.annotations.read import Annotations
    from engine.labels.data.level import LabelLevel
    from engine.labels.dataset import _cells

    ids = tuple(map(str, range(len(labels))))
    cells = _cells(LabelLevel.of("label", labels))
    return GroundTruth.from_annotations(Annotations(Path("l.npy"), ids, (cells,), "", ""))


@pytest.mark.parametrize(
    ("names", "message"),
    [(("l1", "L1"), "called 'l1' and 'L1'"), (("a:b", "l2"), "'a:b' is no name for a level")],
)
def test_levels_that_cannot_be_told_apart_are_refused(
    names: tuple[str, str], message: str, tmp_path: Path
) -> None:
    files = label_files(tmp_path)
    levels = tuple(replace(one, name=new) for one, new in zip(files.levels, names, strict=True))

    with pytest.raises(InputError, match=message):
        build_label_dataset(replace(files, levels=levels))


def test_a_table_gives_ids_and_media_relative_to_its_folder(tmp_path: Path) -> None:
    folder = tmp_path / "tables"
    folder.mkdir()
    np.save(tmp_path / "a.npy", vectors(2, 0))
    table = folder / "labels.csv"
    table.write_text("slice_id,room,video_path,span_start\nx,Hall,x.mp4,1.5\ny,Bath,y.mp4,2\n")
    dataset = build_label_dataset(
        LabelFiles(tmp_path / "a.npy", (LevelFile("room", table, named=True),))
    )

    media = find_media(dataset.annotations, "y")

    assert dataset.truth.ids == ("x", "y")
    assert media.paths == (folder / "y.mp4",)
    assert media.start == 2.0


def test_without_a_table_items_are_known_by_their_rows(tmp_path: Path) -> None:
    assert rooms_dataset(tmp_path).truth.ids == ("0", "1", "2", "3", "4", "5")


# Asking


@pytest.mark.parametrize("direction", ["text2sensor", "sensor2text", "sensor2sensor", "text2text"])
@pytest.mark.parametrize("normalize", [True, False])
def test_neighbours_are_those_of_comparing_every_pair(
    direction: str, normalize: bool, tmp_path: Path
) -> None:
    dataset = build_label_dataset(replace(label_files(tmp_path), normalize=normalize))
    bench = workbench(dataset)
    asked, searched = direction.split("2")
    arrays = {"sensor": vectors(6, 1), "text": vectors(6, 2)}
    expected = order_of(arrays[asked], arrays[searched], cosine=normalize, own=asked == searched)

    for row in range(6):
        question = Question("video", str(row), direction, ("room",))
        found = bench.ask_whole(question, find_profile("label").measures((2,)), 2)
        assert found.rows.tolist() == expected[row].tolist()
        assert found.reachable == expected.shape[1]


def test_across_modalities_the_own_partner_is_a_result_and_within_one_it_is_not(
    tmp_path: Path,
) -> None:
    bench = workbench(rooms_dataset(tmp_path))
    measures = find_profile("label").measures((2,))

    across = bench.ask_whole(Question("video", "3", "text2sensor", ("room",)), measures, 2)
    within = bench.ask_whole(Question("video", "3", "text2text", ("room",)), measures, 2)

    assert across.place_of("3") is not None and across.relevant == 1  # Hall: the partner alone
    assert within.place_of("3") is None and within.relevant == 0
    assert across.policies.self_clip == "keep" and within.policies.self_clip == "remove"


def test_an_own_partner_that_was_typed_stays_relevant_across_modalities(tmp_path: Path) -> None:
    bench = workbench(rooms_dataset(tmp_path))
    typed = TypedRelevance(("3", "1"), (1.0, 1.0))
    measures = (Measure.parse("R@6"),)

    across, within = (
        bench.ask_whole(Question("video", "3", model, ("room",)), measures, 6, typed)
        for model in ("text2sensor", "text2text")
    )

    assert across.relevant == 2 and across.typed == typed
    assert within.relevant == 1 and within.typed is not None and within.typed.left_out == "3"


def test_the_own_partner_can_be_judged_across_modalities_alone(tmp_path: Path) -> None:
    bench = workbench(rooms_dataset(tmp_path))
    said = {"3": Judgement("not relevant")}

    across, within = (
        pair_metrics(
            bench.ask_whole(Question("video", "3", model, ("room",)), (Measure.parse("P@6"),), 6),
            said,
        )[0]
        for model in ("text2sensor", "text2text")
    )

    assert (across.published, across.adjudicated) == (1 / 6, 0.0)
    assert within.published == within.adjudicated  # it is no result there


def test_ranks_in_another_direction_follow_that_direction(tmp_path: Path) -> None:
    bench = workbench(rooms_dataset(tmp_path))
    question = Question("video", "3", "text2sensor", ("room",))

    assert bench.standing(question, "text2text").rank("3") is None  # it is removed there
    assert bench.standing(question, "sensor2text").rank("3") is not None


@pytest.mark.parametrize("direction", ["text2sensor", "sensor2text", "sensor2sensor", "text2text"])
def test_an_evaluation_equals_the_function_and_comparing_every_pair(
    direction: str, tmp_path: Path
) -> None:
    dataset = rooms_dataset(tmp_path, ks=(1, 3, 9))  # 9 is more than there are
    a, b = vectors(6, 1), vectors(6, 2)
    api = compute_label_recall_at_k(a, b, ROOMS, [1, 3, 9], [direction], verbose=False)
    asked, searched = ({"sensor": a, "text": b}[name] for name in direction.split("2"))

    run = run_request(
        RunRequest(
            modes="video",
            ks=dataset.ks,
            model=direction,
            profile=dataset.profile,
            policies=dataset.policies,
        ),
        workbench(dataset),
    )

    (evaluation,) = run.evaluations
    for k in (1, 3, 9):
        mean = evaluation.scores.aggregate(Measure.parse(f"LabelScore@{k}"))
        labels: list[object] = list(ROOMS)
        plain = label_score(asked, searched, labels, labels, k, own=asked is searched)
        assert mean == pytest.approx(plain, abs=1e-12)
        assert mean == pytest.approx(api[direction][k], abs=1e-12)


def test_a_query_whose_label_nobody_else_has_counts_as_zero(tmp_path: Path) -> None:
    dataset = rooms_dataset(tmp_path, ks=(2,))
    request = RunRequest(
        modes="video", ks=(2,), model="text2text", profile="label", policies=dataset.policies
    )

    (evaluation,) = run_request(request, workbench(dataset)).evaluations

    assert evaluation.scores.n == 6
    assert evaluation.scores.values[ROOMS.index("Hall"), 0] == 0.0


def test_a_run_tells_the_policies_as_they_were_applied(tmp_path: Path) -> None:
    bench = workbench(rooms_dataset(tmp_path))

    across = run_request(RunRequest(modes="video", model="text2sensor"), bench)
    within = run_request(RunRequest(modes="video", model="text2text"), bench)

    assert across.request.policies.self_clip == "keep"
    assert within.request.policies.self_clip == "remove"


@given(st.integers(2, 12), st.integers(0, 5), st.booleans())
def test_other_vectors_that_ask_change_what_can_be_found(
    items: int, seed: int, across: bool
) -> None:
    truth = GroundTruth.from_columns(map(str, range(items)), {"g": [["x"]] * items})
    rows = np.arange(items)
    collection = Collection(
        ModelSpec("m", Path("m.npy")),
        truth,
        vectors(items, seed),
        Alignment(rows, rows, (), ()),
        other=vectors(items, seed) if across else None,
    )
    queries = build_video_queries(truth, truth.words.select(), rows)

    found = evaluate(collection, queries, [Measure.parse("P@1")], k=1)

    assert found.judged.collection.tolist() == [items if across else items - 1] * items
    # The vectors are the same: across, every clip finds its partner first.
    assert (found.judged.ranking.indices[:, 0] == rows).all() == across


def test_embeddings_left_on_disk_may_not_change_while_they_are_open(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.files.npy._LEFT_ON_DISK", 0)
    collection = rooms_dataset(tmp_path).collection("text2sensor")
    collection.check_unchanged()

    np.save(tmp_path / "text.npy", vectors(9, 9))

    with pytest.raises(InputError, match=r"text\.npy: has changed since it was opened"):
        collection.check_unchanged()


def test_embeddings_in_memory_stay_as_they_were(tmp_path: Path) -> None:
    collection = rooms_dataset(tmp_path).collection("text2sensor")
    before = collection.vectors.tolist()

    (tmp_path / "sensor.npy").write_bytes(b"")  # as a training run does before it writes again

    collection.check_unchanged()
    assert collection.vectors.tolist() == before


# Texts


def test_texts_in_another_space_are_refused_with_what_to_do(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    bench = Workbench(rooms_dataset(tmp_path), encoder)
    question = Question("text", "kitchen", "text2sensor", ("room",))

    with pytest.raises(InputError, match=r"384 dimensions .* have 5; start with the text encoder"):
        bench.ask_whole(question, find_profile("label").measures((2,)), 2)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Cook, eat", ["room:Cook, eat"]),
        ("COOK,  eat", ["room:Cook, eat"]),
        ("7", ["room:7"]),
        ("12:30", ["room:12:30"]),
        ("going for a walk", ["room:walk"]),
    ],
)
def test_a_text_that_is_a_label_means_it_whatever_it_holds(
    text: str, found: list[str], tmp_path: Path, encoder: SentenceEncoder
) -> None:
    dataset = build_label_dataset(label_files(tmp_path, ["Cook, eat", "7", "12:30", "walk"], None))
    mapper = dataset.mapper(encoder)

    first, second = mapper.map_batch([text, "walk"], [("room",), ("room",)])

    assert [str(item.keyword) for item in first.keywords] == found
    assert [str(item.keyword) for item in second.keywords] == ["room:walk"]


def test_texts_of_metadata_are_the_text_queries_and_their_labels_are_known(tmp_path: Path) -> None:
    from engine.labels.dataset import PrototypeTexts

    metadata = tmp_path / "metadata.json"
    metadata.write_text('{"home": {"label_to_text_x": {"Bath": ["a bath", "a tub"]}}}')
    dataset = rooms_dataset(tmp_path, prototypes=PrototypeTexts(metadata, "home", "x"))

    texts = dataset.texts()

    assert texts is not None
    assert [(one.text, one.keywords) for one in texts] == [
        ("a bath", ("room:Bath",)),
        ("a tub", ("room:Bath",)),
    ]
    metadata.write_text('{"home": {"label_to_text_x": {"7": "the seventh", "10": "the tenth"}}}')
    assert [one.keywords for one in dataset.texts() or ()] == [("day:7",), ("day:10",)]
    assert dataset.first_mode == "text"
    assert rooms_dataset(tmp_path).first_mode == "video"
    assert rooms_dataset(tmp_path).texts() is None


def test_texts_belong_to_the_level_that_knows_most_of_their_labels(tmp_path: Path) -> None:
    from engine.labels.dataset import PrototypeTexts

    metadata = tmp_path / "metadata.json"
    dataset = rooms_dataset(tmp_path, prototypes=PrototypeTexts(metadata, "home", "x"))

    metadata.write_text('{"home": {"label_to_text_x": {"7": "a", "10": "b", "11": "c"}}}')
    assert {one.keywords[0][:4] for one in dataset.texts() or ()} == {"day:"}
    metadata.write_text('{"home": {"label_to_text_x": {"7": "a", "Bath": "b"}}}')
    with pytest.raises(InputError, match="do not tell which level") as reported:
        dataset.texts()
    assert reported.value.hint == "open the level they belong to: one --labels"


def test_directions_that_search_one_modality_share_its_index(tmp_path: Path) -> None:
    dataset = rooms_dataset(tmp_path)
    index = {name: dataset.collection(name).index for name in dataset.models}

    assert index["text2sensor"] is index["sensor2sensor"]
    assert index["sensor2text"] is index["text2text"]
    assert index["text2sensor"] is not index["sensor2text"]


def test_every_file_is_reported_and_hashed(tmp_path: Path) -> None:
    dataset = rooms_dataset(tmp_path)

    assert {file.name for file in dataset.files} == {
        *("sensor.npy", "text.npy", "room.npy", "day.npy")
    }
    run = run_request(RunRequest(modes="video"), Workbench(dataset, open_encoder()))
    assert {role: Path(file.path).name for role, file in run.inputs.items()} == {
        "labels room": "room.npy",
        "labels day": "day.npy",
        "embeddings": "sensor.npy",
        "asked": "text.npy",
    }
    assert dataset.policies == Policies(no_relevant="zero")


# Heads


def test_heads_tell_shapes_without_reading(tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", np.zeros((3, 4)))
    np.savez(tmp_path / "b.npz", one=np.zeros((5, 2)), two=np.zeros(7))
    np.savez(tmp_path / "sole.npz", x=np.zeros((1, 1)))
    np.save(tmp_path / "o.npy", np.array([{}], dtype=object), allow_pickle=True)
    (tmp_path / "text.npy").write_text("no array")

    assert read_shape(tmp_path / "a.npy") == (3, 4)
    assert read_shape(tmp_path / "b.npz", "two") == (7,)
    assert read_shape(tmp_path / "b.npz", preferred="one") == (5, 2)
    assert read_shape(tmp_path / "sole.npz") == (1, 1)
    for unknown in ("b.npz", "o.npy", "text.npy", "none.npy"):
        assert read_shape(tmp_path / unknown) is None


def test_files_that_belong_together_agree_and_others_are_suspicious(tmp_path: Path) -> None:
    files = label_files(tmp_path)
    assert have_matching_rows(files)

    (tmp_path / "bare.csv").write_text("x\ny\nz\nx\ny\nz\n")
    (tmp_path / "short.txt").write_text("x\ny\n")
    bare, short = (LevelFile("l", tmp_path / name) for name in ("bare.csv", "short.txt"))

    assert have_matching_rows(replace(files, levels=(bare,)))
    (tmp_path / "bare.csv").write_text("label\ny\nz\nx\ny\nz\n")  # a header and a label too few
    assert not have_matching_rows(replace(files, levels=(bare,)))
    (tmp_path / "bare.csv").write_text("x\ny\n\nz\nx\ny\nz\n")  # a label is missing
    assert not have_matching_rows(replace(files, levels=(bare,)))
    assert not have_matching_rows(replace(files, levels=(short,)))
    assert not have_matching_rows(replace(files, a_key="k"))
    np.save(tmp_path / "text.npy", vectors(5, 2))
    assert not have_matching_rows(files)


@pytest.mark.parametrize("name", ["pipe.csv", "pipe.npy"])
def test_a_pipe_is_suspicious_and_never_waited_for(tmp_path: Path, name: str) -> None:
    os.mkfifo(tmp_path / name)
    level = LevelFile("l", tmp_path / name)

    assert not have_matching_rows(replace(label_files(tmp_path), levels=(level,)))


@pytest.mark.parametrize("size", [0, 1, 6, 7, 8, 9, 12])
def test_half_a_header_has_no_shape(tmp_path: Path, size: int) -> None:
    np.save(tmp_path / "a.npy", vectors(5, 2))
    (tmp_path / "a.npy").write_bytes((tmp_path / "a.npy").read_bytes()[:size])

    assert read_shape(tmp_path / "a.npy") is None
