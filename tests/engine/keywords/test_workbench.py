"""The workbench: the numbers of a whole evaluation, one question at a time, and no stale answer."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import engine.keywords.workbench
from engine.base.choices import Mode
from engine.base.errors import InputError
from engine.dataset.dataset import Dataset
from engine.dataset.ground_truth import GroundTruth
from engine.dataset.query_files import TextQuery
from engine.dataset.query_set import build_text_queries, build_video_queries
from engine.dataset.settings_file import open_dataset
from engine.keywords.evaluate import Evaluation, evaluate
from engine.keywords.inspection import Inspection
from engine.keywords.question import Question
from engine.keywords.run import RunRequest, run_request
from engine.keywords.workbench import Workbench, select
from engine.metrics import Measure
from engine.metrics.policies import KEYWORD_POLICIES, Policies
from engine.text.encoder import SentenceEncoder
from tests.conftest import ROOT
from tests.engine.keywords.workbench_by_hand import MEASURES, at_cosine, counted, workbench

GROUPS = ("object_type", "actor_behavior")
TEXTS = (
    "cyclist entering ego lane",
    "pedestrian straight crossing path",
    "a motorbike overtaking",
    "small vehicle oncoming turn across path",
)
CLIPS = ("track_bicyclist_0001", "urban_bicyclist_0002")
MODELS = ("alfa-0.1", "alfa-0.2")
DEPTHS = (None, 5, 6, 40, 283, 284, 5000)


@pytest.fixture(scope="module")
def sample() -> Dataset:
    return open_dataset(ROOT / "sample_data")


@pytest.fixture(scope="module")
def bench(sample: Dataset, encoder: SentenceEncoder) -> Iterator[Workbench]:
    """One workbench for the whole module, as a session at the screen is: its caches fill up."""
    used = Workbench(sample, encoder)
    yield used
    used.close()


def text(query: str, model: str = MODELS[0], groups: tuple[str, ...] = GROUPS) -> Question:
    return Question("text", query, model, groups)


def clip(query: str, model: str = MODELS[0], groups: tuple[str, ...] = GROUPS) -> Question:
    return Question("video", query, model, groups)


def assert_part_of(evaluation: Evaluation, query: int, found: Inspection, k: int = 5) -> None:
    """The answer is that of one query of an evaluation, to the last bit."""
    assert found.evaluation is not None
    own = found.evaluation
    assert own.queries.names == (evaluation.queries.names[query],)
    np.testing.assert_array_equal(own.scores.values[0], evaluation.scores.values[query])
    assert own.scores.measures == evaluation.scores.measures
    assert own.complete == evaluation.complete
    assert own.policies == evaluation.policies == found.policies
    top = own.judged.top(k)
    of_all = evaluation.judged
    np.testing.assert_array_equal(top.ranking.indices[0], of_all.ranking.indices[query])
    np.testing.assert_array_equal(top.ranking.scores[0], of_all.ranking.scores[query])
    np.testing.assert_array_equal(top.hits[0], of_all.hits[query])
    np.testing.assert_array_equal(top.retrieved[0], of_all.retrieved[query])
    np.testing.assert_array_equal(top.query_bits[0], of_all.query_bits[query])
    assert top.relevant[0] == of_all.relevant[query]
    assert top.collection[0] == of_all.collection[query]


def assert_same(one: Inspection, other: Inspection) -> None:
    """Two answers to one question, to the last bit."""
    assert one.question == other.question
    assert one.keywords == other.keywords
    assert one.selection == other.selection
    assert one.mapping == other.mapping
    assert (one.relevant, one.reachable, one.depth) == (
        other.relevant,
        other.reachable,
        other.depth,
    )
    np.testing.assert_array_equal(one.rows, other.rows)
    np.testing.assert_array_equal(one.similarities, other.similarities)
    np.testing.assert_array_equal(one.matched, other.matched)
    np.testing.assert_array_equal(one.judged.hits, other.judged.hits)
    assert one.results == other.results
    assert (one.evaluation is None) == (other.evaluation is None)
    if one.evaluation is not None and other.evaluation is not None:
        np.testing.assert_array_equal(one.evaluation.scores.values, other.evaluation.scores.values)


# The same numbers as a whole evaluation


@pytest.mark.parametrize("depth", DEPTHS)
def test_a_text_gets_the_numbers_of_an_evaluation(
    bench: Workbench, encoder: SentenceEncoder, depth: int | None
) -> None:
    collection = bench.collection(MODELS[0])
    selection = collection.truth.words.select(GROUPS)
    queries = build_text_queries(
        [TextQuery(query) for query in TEXTS],
        collection.truth,
        selection,
        lambda: bench.dataset.mapper(encoder),
    )
    whole = evaluate(collection, queries, MEASURES, k=5, encoder=encoder, depth=depth)

    assert queries.names == TEXTS
    for number, query in enumerate(TEXTS):
        found = bench.ask(text(query), MEASURES, k=5, depth=depth)
        assert_part_of(whole, number, found)
        assert found.depth == whole.depth


@pytest.mark.parametrize("depth", DEPTHS)
@pytest.mark.parametrize("model", MODELS)
def test_a_clip_gets_the_numbers_of_an_evaluation(
    bench: Workbench, depth: int | None, model: str
) -> None:
    collection = bench.collection(model)
    every = build_video_queries(
        collection.truth, collection.truth.words.select(GROUPS), np.arange(0, 284, 13)
    )
    whole = evaluate(collection, every, MEASURES, k=5, depth=depth)

    for number, query in enumerate(every.names):
        found = bench.ask(clip(query, model), MEASURES, k=5, depth=depth)
        assert_part_of(whole, number, found)
        assert found.depth == whole.depth


@pytest.mark.parametrize("depth", [None, 5, 60])
@pytest.mark.parametrize("mode", ["text", "video"])
def test_both_modes_get_the_numbers_of_a_run(
    bench: Workbench, encoder: SentenceEncoder, tmp_path: Path, mode: Mode, depth: int | None
) -> None:
    file = tmp_path / "queries.txt"
    file.write_text("\n".join(TEXTS), encoding="utf-8")
    request = RunRequest(
        modes=mode,
        groups=GROUPS,
        model=MODELS[1],
        queries=str(file),
        videos=CLIPS,
        metrics=tuple(map(str, MEASURES)),
        profile="ir",
        depth=depth,
    )

    (evaluation,) = run_request(request, Workbench(bench.dataset, encoder)).evaluations

    assert evaluation.queries.names == (TEXTS if mode == "text" else CLIPS)
    for number, query in enumerate(evaluation.queries.names):
        question = Question(mode, query, MODELS[1], GROUPS)
        found = bench.ask(question, MEASURES, k=5, depth=depth)
        assert_part_of(evaluation, number, found)


@pytest.mark.parametrize(
    "policies",
    [
        Policies(ties="docid_desc"),
        Policies(ties="expected"),
        Policies(fewer_than_k="adaptive", min_similarity=0.6),
        Policies(self_clip="keep"),
        Policies(no_relevant="zero"),
    ],
    ids=str,
)
def test_the_policies_are_those_of_an_evaluation(
    sample: Dataset, encoder: SentenceEncoder, policies: Policies
) -> None:
    bench = Workbench(sample, encoder, policies)
    collection = bench.collection(MODELS[0])
    every = build_video_queries(
        collection.truth, collection.truth.words.select(GROUPS), np.arange(0, 284, 29)
    )
    whole = evaluate(collection, every, MEASURES, k=5, policies=policies, depth=20)

    for number, query in enumerate(every.names):
        assert_part_of(whole, number, bench.ask(clip(query), MEASURES, k=5, depth=20))


def test_a_depth_is_kept_whatever_is_done_with_ties(
    sample: Dataset, encoder: SentenceEncoder
) -> None:
    bench = Workbench(sample, encoder, Policies(ties="docid_desc"))

    assert bench.ask(clip(CLIPS[0]), MEASURES, k=5, depth=20).depth == 20


def test_a_measure_deeper_than_the_depth_is_ranked_as_deep_as_it_needs(bench: Workbench) -> None:
    measures = [Measure.parse("P@10"), Measure.parse("AP")]

    found = bench.ask(clip(CLIPS[0]), measures, k=5, depth=5)

    assert found.depth == 10


# No stale answer


def variants() -> list[Question]:
    """The same queries in every way that a user can turn them."""
    choices = (GROUPS, ("object_type",), ("scene_type", "ego_behavior"), GROUPS[::-1])
    asked: list[Question] = []
    for start in (text(TEXTS[0]), clip(CLIPS[0])):
        asked += [replace(start, groups=groups) for groups in choices]
        asked += [
            replace(start, keywords=()),
            replace(start, keywords=("object_type:pedestrian",)),
            replace(start, keywords=("object_type:pedestrian", "scene_type:urban")),
            replace(start, left_out=("object_type:bicyclist",)),
            replace(start, left_out=("actor_behavior:stationary",), keywords=None),
            replace(
                start,
                left_out=("object_type:bicyclist",),
                keywords=("object_type:bicyclist", "actor_behavior:stationary"),
            ),
            replace(start, model=MODELS[1]),
            start,
        ]
    return [*asked, text(CLIPS[0]), text(TEXTS[1])]


def test_an_answer_does_not_depend_on_what_was_asked_before(
    sample: Dataset, encoder: SentenceEncoder
) -> None:
    used = Workbench(sample, encoder)
    asked = variants()
    first = [used.ask(question, MEASURES, k=5, depth=284) for question in asked]
    again = [used.ask(question, MEASURES, k=5, depth=284) for question in reversed(asked)]

    for question, one, other in zip(asked, first, reversed(again), strict=True):
        fresh = Workbench(sample, encoder).ask(question, MEASURES, k=5, depth=284)
        assert_same(one, fresh)
        assert_same(other, fresh)


def test_many_threads_get_the_answers_of_one(sample: Dataset, encoder: SentenceEncoder) -> None:
    asked = variants()
    alone = Workbench(sample, encoder)
    expected = [alone.ask(question, MEASURES, k=5, depth=284) for question in asked]
    shared = Workbench(sample, encoder)
    found: dict[tuple[int, int], Inspection] = {}
    together = threading.Barrier(3)

    def work(thread: int) -> None:
        together.wait()
        for step in range(len(asked)):
            number = (step + 7 * thread) % len(asked)
            found[thread, number] = shared.ask(asked[number], MEASURES, k=5, depth=284)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert len(found) == 3 * len(asked)
    for (_, number), answer in found.items():
        assert_same(answer, expected[number])


@pytest.fixture
def small() -> Workbench:
    """Six clips in two groups; model n does not know e, and stands the others on their head."""
    truth = GroundTruth.from_columns(
        "abcdef",
        {
            "g": [["x"], ["x", "y"], ["y"], ["x"], ["z"], []],
            "h": [["p"], [], ["p"], ["q"], ["p", "q"], ["q"]],
        },
    )
    straight = {name: (1.0, number / 10) for number, name in enumerate("abcdef")}
    turned = {name: (1.0, -number / 10) for number, name in enumerate("fdcba")}
    return workbench(truth, {"m": straight, "n": turned})


def test_judging_by_other_keywords_does_not_search_again(small: Workbench) -> None:
    start = Question("video", "a", "m", ("g", "h"))
    small.ask(start, MEASURES, k=5)

    for question in (
        start,
        replace(start, keywords=("g:x",)),
        replace(start, keywords=()),
        replace(start, keywords=("g:y", "h:q")),
        replace(start, groups=("g",)),
        replace(start, left_out=("g:x",)),
    ):
        small.ask(question, MEASURES, k=5)
    small.ask(start, MEASURES[:1], k=5)

    # Five others and the clip itself, which is left out.
    assert counted(small, "m") == [6]


def test_another_query_another_depth_and_another_model_are_searched(small: Workbench) -> None:
    start = Question("video", "a", "m", ("g",))
    few = MEASURES[:1]

    small.ask(start, few, k=2)
    small.ask(start, few, k=3)
    small.ask(replace(start, query="b"), few, k=2)
    small.ask(replace(start, model="n"), few, k=2)

    assert counted(small, "m") == [3, 4, 3]
    assert counted(small, "n") == [3]


def test_a_text_that_reads_like_a_clip_is_not_taken_for_it(
    sample: Dataset, encoder: SentenceEncoder
) -> None:
    bench = Workbench(sample, encoder)

    as_clip = bench.ask(clip(CLIPS[0]), MEASURES, k=5)
    as_text = bench.ask(text(CLIPS[0]), MEASURES, k=5)

    assert as_clip.reachable == 283
    assert as_text.reachable == 284
    assert as_clip.clip(0) != as_text.clip(0)


def test_a_model_is_read_once_and_the_default_has_a_name(bench: Workbench) -> None:
    assert bench.collection() is bench.collection(MODELS[0])
    assert bench.collection(MODELS[1]) is bench.collection(MODELS[1])
    assert bench.collection(MODELS[1]) is not bench.collection(MODELS[0])
    assert bench.mapper is bench.mapper


def test_closing_leaves_the_shared_encoder_running(
    sample: Dataset, encoder: SentenceEncoder
) -> None:
    bench = Workbench(sample, encoder)
    assert bench.text_encoder(MODELS[0]) is encoder

    bench.close()

    assert encoder.encode(["still here"]).shape == (1, 384)


# Where a clip stands in the other model


@pytest.mark.parametrize("question", [text(TEXTS[0]), clip(CLIPS[0]), clip(CLIPS[1])], ids=str)
def test_standing_ranks_are_those_of_the_other_models_own_answer(
    bench: Workbench, question: Question
) -> None:
    standing = bench.standing(question, MODELS[1])

    own = bench.ask(replace(question, model=MODELS[1]), MEASURES, k=5, depth=284)

    assert own.depth == own.reachable
    for name in own.collection.truth.ids:
        place = own.place_of(name)
        assert standing.rank(name) == (None if place is None else place + 1)
    assert standing.model == MODELS[1]


def test_a_clip_that_the_other_model_does_not_know_has_no_rank_there(small: Workbench) -> None:
    question = Question("video", "a", "m", ("g",))

    standing = small.standing(question, "n")

    own = small.ask(replace(question, model="n"), MEASURES, k=4)
    assert [standing.rank(own.clip(place)) for place in range(4)] == [1, 2, 3, 4]
    assert standing.rank("e") is None
    assert standing.rank("no such clip") is None
    assert standing.rank("a") is None  # the query clip itself, which is left out


def test_the_standing_and_the_answer_share_one_search(small: Workbench) -> None:
    question = Question("video", "a", "n", ("g",))
    small.ask(question, MEASURES, k=4)

    small.standing(replace(question, model="m", keywords=()), "n")

    assert len(counted(small, "n")) == 1


def test_a_query_clip_that_the_other_model_does_not_know_is_an_error(small: Workbench) -> None:
    with pytest.raises(InputError, match='the model n has no vector of the clip "e"'):
        small.standing(Question("video", "e", "m", ("g",)), "n")


def test_a_huge_collection_is_ranked_to_a_cut(
    small: Workbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert (small.whole("m"), small.whole("n")) == (6, 5)
    monkeypatch.setattr(engine.keywords.workbench, "FULLY_RANKED_CLIPS", 5)
    monkeypatch.setattr(engine.keywords.workbench, "LARGE_COLLECTION_DEPTH", 2)
    question = Question("video", "b", "n", ("g",))
    everything = small.ask(replace(question, model="m"), MEASURES, k=5)

    standing = small.standing(question, "m")

    assert (small.whole("m"), small.whole("n")) == (2, 5)
    ranks = [standing.rank(everything.clip(place)) for place in range(5)]
    assert ranks == [1, 2, None, None, None]


def test_a_whole_ranking_is_as_deep_as_the_listed_results_where_there_are_so_many(
    small: Workbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    question = Question("video", "b", "m", ("g",))

    assert small.ask_whole(question, MEASURES, 2).depth == 5
    assert small.ask_whole(question, MEASURES, 50).depth == 5  # there are no more
    monkeypatch.setattr(engine.keywords.workbench, "FULLY_RANKED_CLIPS", 5)
    monkeypatch.setattr(engine.keywords.workbench, "LARGE_COLLECTION_DEPTH", 2)
    few = MEASURES[:1]
    assert [small.ask_whole(question, few, k).depth for k in (1, 2, 4)] == [2, 2, 4]


# What counts


@given(
    st.permutations(["g", "h"]).flatmap(lambda groups: st.integers(1, 2).map(lambda n: groups[:n])),
    st.frozensets(st.sampled_from(["g:x", "g:y", "g:z", "h:p", "h:q"])),
)
def test_the_selection_is_what_is_chosen_without_what_is_left_out(
    groups: Sequence[str], left_out: frozenset[str]
) -> None:
    truth = GroundTruth.from_columns("a", {"g": [["x", "y", "z"]], "h": [["p", "q"]]})
    kept = [k for k in truth.words.keywords if k.group in groups and str(k) not in left_out]

    if not kept:
        with pytest.raises(InputError, match="no group is chosen"):
            select(truth, groups, sorted(left_out))
        return
    chosen = select(truth, groups, sorted(left_out))

    assert list(chosen.keywords) == kept
    assert set(chosen.groups) == {keyword.group for keyword in kept}


def test_a_group_may_be_named_as_its_column(small: Workbench) -> None:
    truth = small.collection("m").truth

    assert select(truth, ["pv_g"], ["g:x"]) == select(truth, ["g"], ["g:x"])


def test_keywords_outside_the_selection_do_not_count(small: Workbench) -> None:
    question = Question("video", "a", "m", ("g",), ("g:y",), ("g:x", "g:y", "h:p"))

    found = small.ask(question, MEASURES, k=5)

    assert [str(keyword) for keyword in found.keywords] == ["g:x"]
    assert found.relevant == 2  # b and d, without the query itself


def test_a_clip_is_asked_with_its_own_keywords_of_the_selection(small: Workbench) -> None:
    own = small.ask(Question("video", "b", "m", ("g", "h")), MEASURES, k=5)
    fewer = small.ask(Question("video", "b", "m", ("g", "h"), ("g:y",)), MEASURES, k=5)

    assert [str(keyword) for keyword in own.keywords] == ["g:x", "g:y"]
    assert [str(keyword) for keyword in fewer.keywords] == ["g:x"]
    assert own.mapping is None


def test_a_text_without_keyword_is_ranked_and_not_judged(bench: Workbench) -> None:
    found = bench.ask(text("zzz qqq"), MEASURES, k=5)

    assert found.keywords == ()
    assert found.evaluation is None
    assert len(found.results) == 5
    assert not found.judged.hits.any()


def test_a_text_keeps_its_mapping_when_its_keywords_are_set_by_hand(bench: Workbench) -> None:
    mapped = bench.ask(text(TEXTS[0]), MEASURES, k=5)
    edited = bench.ask(replace(text(TEXTS[0]), keywords=("object_type:pedestrian",)), MEASURES, k=5)

    assert {keyword.name for keyword in mapped.keywords} == {"bicyclist", "entering ego path"}
    assert [keyword.name for keyword in edited.keywords] == ["pedestrian"]
    assert edited.mapping == mapped.mapping


# What a user can do wrong


@pytest.mark.parametrize(
    ("question", "message"),
    [
        (text("  "), "the query text is empty"),
        (text("x" * 5001), "5,001 characters"),
        (text("\ud800"), "not valid Unicode"),
        (clip("nobody"), 'no clip "nobody"'),
        (clip(CLIPS[0], "alfa-9"), "no model 'alfa-9'"),
        (clip(CLIPS[0], groups=("colour",)), 'unknown group "colour"'),
        (clip(CLIPS[0], groups=()), "no group is chosen"),
        (replace(clip(CLIPS[0]), keywords=("object_type:zebra",)), "unknown keyword"),
        (replace(clip(CLIPS[0]), left_out=("object_type:zebra",)), "unknown keyword"),
    ],
)
def test_what_cannot_be_asked_is_refused(
    bench: Workbench, question: Question, message: str
) -> None:
    with pytest.raises(InputError, match=message):
        bench.ask(question, MEASURES, k=5)


def test_a_depth_below_k_is_refused(bench: Workbench) -> None:
    with pytest.raises(InputError, match="depth of 4 is less than K = 5"):
        bench.ask(clip(CLIPS[0]), MEASURES, k=5, depth=4)


def test_a_failed_question_leaves_the_workbench_as_it_was(bench: Workbench) -> None:
    before = bench.ask(clip(CLIPS[0]), MEASURES, k=5)
    with pytest.raises(InputError):
        bench.ask(replace(clip(CLIPS[0]), keywords=("zebra",)), MEASURES, k=5)

    assert_same(bench.ask(clip(CLIPS[0]), MEASURES, k=5), before)
    assert before.policies == KEYWORD_POLICIES


def test_the_least_similarity_of_a_question_goes_before_that_of_the_policies() -> None:
    truth = GroundTruth.from_columns(["query", "near", "far"], {"g": [["a"]] * 3})
    vectors = {"query": (1.0, 0.0), "near": at_cosine(0.9), "far": at_cosine(0.1)}
    bench = workbench(truth, {"m": vectors}, Policies(min_similarity=0.95))
    question = Question("video", "query", "m", ("g",))

    assert bench.ask(question, MEASURES, k=2).retrieved.tolist() == [False, False]
    half = bench.ask(replace(question, min_similarity=0.5), MEASURES, k=2)
    assert half.policies.min_similarity == 0.5
    assert half.retrieved.tolist() == [True, False]
    assert counted(bench, "m") == [3]  # the ranking is the same: searched once, without itself
