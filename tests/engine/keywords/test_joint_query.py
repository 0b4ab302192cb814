"""A text and a clip asked together, and a vector: how they rank, and what they mean."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.base.errors import InputError, Place
from engine.dataset.dataset import Dataset
from engine.dataset.ground_truth import GroundTruth
from engine.dataset.settings_file import open_dataset
from engine.keywords.inspection import pair_metrics
from engine.keywords.joint_query import JointQuery
from engine.keywords.judgement import Judgement
from engine.keywords.query_keywords import list_meant_keywords
from engine.keywords.query_vectors import mix_vectors
from engine.keywords.question import Question
from engine.keywords.searching import encode_texts
from engine.keywords.typed_relevance import TypedRelevance
from engine.keywords.vector_query import VectorQuery, read_query_vector
from engine.keywords.workbench import Workbench
from engine.report.session.document import build_session_document
from engine.sessions import SessionStore
from engine.sessions.build_answer import build_answer, replay_on_workbench
from engine.sessions.document import dump_value, from_text, read_document, read_question, to_text
from engine.text.encoder import SentenceEncoder
from tests.conftest import ROOT
from tests.engine.keywords.workbench_by_hand import MEASURES, at_cosine, workbench

CLIP = "urban_bicyclist_0002"
NIGHT = "at night"
EVERY = ("object_type", "actor_behavior", "spatial_relation", "ego_behavior", "scene_type")


@pytest.fixture(scope="module")
def sample() -> Dataset:
    return open_dataset(ROOT / "sample_data")


@pytest.fixture(scope="module")
def bench(sample: Dataset, encoder: SentenceEncoder) -> Iterator[Workbench]:
    with Workbench(sample, encoder) as used:
        yield used


def ask_joint(alpha: float = 0.5, text: str = NIGHT, model: str = "alfa-0.1") -> Question:
    return Question("joint", str(JointQuery(text, CLIP, alpha)), model, EVERY)


def ask_vector(vector: np.ndarray, model: str = "alfa-0.1") -> Question:
    asked = VectorQuery.of(vector.astype(np.float32), "probe.npy")
    return Question("vector", asked.name, model, EVERY, vector=asked.data)


@given(st.text(), st.text(), st.floats(0, 1))
def test_a_joint_query_can_always_be_read_back(text: str, clip: str, alpha: float) -> None:
    asked = JointQuery(text, clip, alpha)

    assert JointQuery.parse(str(asked)) == asked


@pytest.mark.parametrize(
    "written",
    ["", "at night", '"at night"', '"a" + "b"', '"a" + "b", alpha', '"a" + 3, alpha 0', "[" * 9999],
    ids=range(7),
)
def test_what_is_no_joint_query_is_one_clear_line(written: str) -> None:
    with pytest.raises(InputError, match=re.escape('write "TEXT" + "CLIP", alpha 0.5')) as error:
        Question("joint", written, "m", ())
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("alpha", [-0.1, 1.1, float("nan"), float("inf")])
def test_a_weight_outside_zero_and_one_is_refused(alpha: float) -> None:
    with pytest.raises(InputError, match="from 0 \\(the clip\\) to 1 \\(the text\\)"):
        JointQuery("a", "b", alpha)


def test_lengths_of_vectors_do_not_weigh() -> None:
    text, clip = np.array([1.0, 0.0]), np.array([0.0, 1.0])

    long = mix_vectors(100 * text, clip, 0.25)

    # by hand: (0.25, 0.75) / √(0.0625 + 0.5625)
    assert long == pytest.approx([0.25 / 0.625**0.5, 0.75 / 0.625**0.5])
    assert long == pytest.approx(mix_vectors(text, 7 * clip, 0.25))


def test_vectors_that_cancel_out_or_have_no_direction_are_refused() -> None:
    with pytest.raises(InputError, match="cancel out"):
        mix_vectors(np.array([1.0, 0.0]), np.array([-2.0, 0.0]), 0.5)
    with pytest.raises(InputError, match="the vector of the clip is all zeros"):
        mix_vectors(np.array([1.0, 0.0]), np.zeros(2), 0.5)


@pytest.mark.parametrize("alpha", [0, 0.3, 0.5, 1])
def test_the_ranking_is_that_of_the_mixture_without_the_clip(
    alpha: float, bench: Workbench
) -> None:
    collection = bench.collection("alfa-0.1")
    text = encode_texts(collection, bench.text_encoder("alfa-0.1"), [NIGHT])[0].astype(float)
    vectors = collection.vectors.astype(float)
    units = vectors / np.linalg.norm(vectors, axis=1)[:, None]
    row = collection.truth.row_of(CLIP)
    mixed = alpha * text / np.linalg.norm(text) + (1 - alpha) * units[row]
    scores = units @ (mixed / np.linalg.norm(mixed))
    expected = [place for place in np.argsort(-scores, kind="stable") if place != row]

    found = bench.ask_whole(ask_joint(alpha), MEASURES, 5)

    assert found.rows.tolist() == expected
    assert found.similarities == pytest.approx(scores[expected], abs=1e-5)
    assert found.reachable == len(collection) - 1


def test_at_its_ends_a_joint_query_ranks_as_the_clip_and_as_the_text(bench: Workbench) -> None:
    clip = bench.ask_whole(Question("video", CLIP, "alfa-0.1", EVERY), MEASURES, 5)
    text = bench.ask_whole(Question("text", NIGHT, "alfa-0.1", EVERY), MEASURES, 5)
    own = text.collection.truth.row_of(CLIP)

    assert bench.ask_whole(ask_joint(0), MEASURES, 5).rows.tolist() == clip.rows.tolist()
    assert bench.ask_whole(ask_joint(1), MEASURES, 5).rows.tolist() == [
        row for row in text.rows.tolist() if row != own
    ]


def test_the_text_decides_the_groups_that_it_speaks_of_and_the_clip_all_others(
    bench: Workbench,
) -> None:
    truth = bench.collection("alfa-0.1").truth
    day = truth.ids[int(truth.relevant(["scene_type:daytime"]).indices()[0])]
    asked = Question("joint", str(JointQuery(NIGHT, day)), "alfa-0.1", EVERY)

    clip = bench.ask(Question("video", day, "alfa-0.1", EVERY), MEASURES, k=1)
    joint = bench.ask(asked, MEASURES, k=1)

    kept = {word for word in clip.keywords if word.group != "scene_type"}
    assert kept and kept < set(joint.keywords)
    assert {str(word) for word in set(joint.keywords) - kept} == {"scene_type:nighttime"}


def test_what_the_text_denies_by_its_name_is_not_asked_for(bench: Workbench) -> None:
    truth = GroundTruth.from_columns(["a"], {"object": [["bus"]], "weather": [["fog", "rain"]]})
    mapping = bench.mapping("without rain", EVERY)
    assert mapping.set_aside.denied

    meant = list_meant_keywords(truth, mapping, np.array([0]))

    assert list(map(str, meant)) == ["object:bus", "weather:fog"]


def test_keywords_that_are_edited_or_clips_that_are_typed_decide_in_place_of_both(
    bench: Workbench,
) -> None:
    edited = replace(ask_joint(), keywords=("object_type:pedestrian",))
    typed = TypedRelevance((CLIP, "urban_bicyclist_0034"), (1.0, 1.0))

    assert tuple(map(str, bench.ask(edited, MEASURES, k=1).keywords)) == edited.keywords
    found = bench.ask(ask_joint(), MEASURES, k=5, typed=typed)
    assert found.relevant == 1 and found.typed is not None
    assert found.typed.left_out == CLIP


def test_marks_of_the_query_clip_count_nowhere(bench: Workbench) -> None:
    found = bench.ask_whole(replace(ask_joint(), keywords=("object_type:bicyclist",)), MEASURES, 5)

    same = pair_metrics(found, {CLIP: Judgement("not relevant")})

    assert same
    for pair in same:
        assert pair.adjudicated == pytest.approx(pair.published, nan_ok=True)


def test_another_model_mixes_its_own_vectors(bench: Workbench) -> None:
    found = bench.ask_whole(ask_joint(model="alfa-0.2"), MEASURES, 5)

    standing = bench.standing(ask_joint(), "alfa-0.2")

    ranks = [standing.rank(found.clip(place)) for place in range(found.depth)]
    assert ranks == list(range(1, found.depth + 1))
    assert standing.rank(CLIP) is None


def test_what_is_less_similar_is_not_retrieved(bench: Workbench) -> None:
    found = bench.ask(replace(ask_joint(), min_similarity=0.726), MEASURES, k=5)

    assert found.retrieved.tolist() == [bool(score >= 0.726) for score in found.similarities]


def test_a_vector_ranks_as_what_it_was_made_of_and_means_nothing(bench: Workbench) -> None:
    collection = bench.collection("alfa-0.1")
    row = collection.truth.row_of(CLIP)

    found = bench.ask_whole(ask_vector(collection.vectors[row]), MEASURES, 5)

    assert found.clip(0) == CLIP  # nobody knows that it is its vector
    assert found.depth == len(collection)
    assert found.keywords == () and found.evaluation is None and found.unjudged is not None


def test_keywords_that_are_given_judge_a_vector(bench: Workbench) -> None:
    asked = ask_vector(np.arange(1, 385))

    found = bench.ask(replace(asked, keywords=("object_type:bicyclist",)), MEASURES, k=5)

    assert found.evaluation is not None and found.relevant > 0


def test_a_vector_of_another_space_is_refused_with_both_dimensions(bench: Workbench) -> None:
    with pytest.raises(InputError, match=r"has 3 dimensions, the embeddings of alfa-0\.1 have 384"):
        bench.ask(ask_vector(np.ones(3)), MEASURES, k=1)


def test_a_vector_whose_numbers_are_not_known_or_damaged_is_one_clear_line(
    bench: Workbench,
) -> None:
    asked = ask_vector(np.ones(384))

    for data in ("a", "!!!!", "AAAA", "AADAfw=="):
        with pytest.raises(InputError, match="is damaged"):
            bench.ask(replace(asked, query=data, vector=data), MEASURES, k=1)
    with pytest.raises(InputError, match="--vector FILE"):
        bench.ask(replace(asked, vector=None), MEASURES, k=1)


def test_two_vectors_of_one_name_are_two_questions() -> None:
    truth = GroundTruth.from_columns(["a", "b"], {"g": [["x"], ["y"]]})
    bench = workbench(truth, {"m": {"a": at_cosine(1), "b": at_cosine(0)}})
    first = Question("vector", "v", "m", ("g",), vector=VectorQuery.of(np.float32([1, 0]), "").data)
    second = replace(first, vector=VectorQuery.of(np.float32([0, 1]), "").data)

    assert bench.ask(first, MEASURES, k=1).clip(0) == "a"
    assert bench.ask(second, MEASURES, k=1).clip(0) == "b"


@pytest.mark.parametrize("shape", [(4,), (1, 4)])
def test_a_file_has_one_vector(shape: tuple[int, ...], tmp_path: Path) -> None:
    np.save(tmp_path / "v.npy", np.arange(4.0).reshape(shape))

    found = read_query_vector(tmp_path / "v.npy")

    assert found.vector.tolist() == [0, 1, 2, 3]
    assert found.name.startswith("v.npy ")


@pytest.mark.parametrize(
    ("array", "said"),
    [
        (np.ones((2, 4)), "has 2 vectors, and a search asks with one; save one of them"),
        (np.ones((1, 2, 2)), r"has the shape \(1, 2, 2\), not of a vector"),
        (np.ones(0), r"has the shape \(0,\), not of a vector"),
        (np.float64(3), r"has the shape \(\), not of a vector"),
        (np.array([1.0, np.nan]), r"value 1 \(counted from 0\) is NaN, infinite or too large"),
        (np.array([1e300]), "too large for float32"),
        (np.zeros(4), "is all zeros"),
        (np.array(["a"]), "values of type <U1, not numbers"),
        (np.array([None, 1], object), "pickle"),
    ],
)
def test_a_file_that_has_none_is_refused_in_one_line(
    array: np.ndarray, said: str, tmp_path: Path
) -> None:
    np.save(tmp_path / "v.npy", array, allow_pickle=True)

    with pytest.raises(InputError, match=said) as error:
        read_query_vector(tmp_path / "v.npy")
    assert "v.npy" in str(error.value) and "\n" not in str(error.value)


def test_a_session_keeps_both_and_asks_them_again(bench: Workbench, tmp_path: Path) -> None:
    vector = np.random.default_rng(0).normal(size=384)
    asked = [ask_joint(), ask_vector(vector), replace(ask_joint(), keywords=("scene_type:urban",))]
    with SessionStore(tmp_path / "sessions.db") as store:
        session = store.create("s", "sample")
        for question in asked:
            session.record(build_answer(bench.ask_whole(question, MEASURES, 5), 5))
    with SessionStore(tmp_path / "sessions.db") as store:
        session = store.open(session.id)
        answers = session.answers()
        document = json.loads(json.dumps(build_session_document(session)))
        assert [answer.question for answer in answers] == asked
        assert session.history("joint") == (asked[0].query,)
        assert session.last_question("vector", asked[1].query) == asked[1]

    again = read_document(document, Place("session.json"))

    assert again.answers == answers
    assert {one.status for one in replay_on_workbench(bench, again).questions} == {"same"}


def test_a_question_of_before_is_written_and_read_as_it_was() -> None:
    before = '{"mode":"text","query":"a car","model":"m","groups":[],"left_out":[],"keywords":null}'

    question = read_question(from_text(before, "a question", Place("store")))

    assert question == Question("text", "a car", "m", ())
    assert to_text(dump_value(question)) == before
