"""Relevant clips typed by hand: what they decide, by hand and by trec_eval."""

from __future__ import annotations

import math
from math import log2
from pathlib import Path

import numpy as np
import pytest
import pytrec_eval
from hypothesis import given
from hypothesis import strategies as st

from engine.base.errors import InputError
from engine.dataset.ground_truth import GroundTruth
from engine.keywords.inspection import Inspection, pair_metrics
from engine.keywords.judgement import Judgement
from engine.keywords.question import Question
from engine.keywords.typed_relevance import (
    TypedClip,
    TypedRelevance,
    find_typed_clips,
    read_typed_clips,
)
from engine.metrics import Measure, find_profile
from engine.metrics.policies import Policies
from engine.report.search.document import (
    build_search_document,
    collect_search_metrics,
    format_search_csv,
)
from tests.engine.keywords.workbench_by_hand import at_cosine, workbench
from tests.examples import examples

CLIPS = tuple(f"c{rank}" for rank in range(1, 7))
"""Six clips, called by their ranks."""

KEYWORDS = [["x"], ["x"], ["y"], ["x"], ["y"], [], ["x"]]
"""Of the query, and of c1 … c6: by keywords c1, c3 and c6 are relevant."""


def asked(
    typed: TypedRelevance | None,
    *ids: str,
    keywords: tuple[str, ...] | None = None,
    policies: Policies | None = None,
    k: int = 3,
    depth: int | None = 6,
) -> Inspection:
    """The clip `query` asked, whose similarities to c1 … c6 fall from 0.9 to 0.1."""
    truth = GroundTruth.from_columns(["query", *CLIPS], {"g": KEYWORDS})
    near = map(at_cosine, np.linspace(0.9, 0.1, len(CLIPS)).tolist())
    vectors = {"query": (1.0, 0.0), **dict(zip(CLIPS, near, strict=True))}
    bench = workbench(truth, {"m": vectors}, policies or Policies())
    measures = [Measure.parse(name) for name in ids or ("P@3",)]
    question = Question("video", "query", "m", ("g",), (), keywords)
    return bench.ask(question, measures, k=k, depth=depth, typed=typed)


def binary(*clips: str) -> TypedRelevance:
    return TypedRelevance(clips, (1.0,) * len(clips))


def values(found: Inspection) -> dict[str, float]:
    return {row.id: row.mean for row in collect_search_metrics(found, find_profile("ir"))}


def test_typed_clips_decide_hits_and_r_and_every_metric() -> None:
    found = asked(binary("c2", "c5"), "P@3", "R@3", "AP", "RR", "nDCG@3", "TN@3")

    assert found.judged.hits[0].tolist() == [False, True, False, False, True, False]
    assert found.relevant == 2
    assert values(found) == pytest.approx(
        {
            "P@3": 1 / 3,
            "R@3": 1 / 2,
            "AP": (1 / 2 + 2 / 5) / 2,
            "RR": 1 / 2,
            "nDCG@3": (1 / log2(3)) / (1 + 1 / log2(3)),
            "TN@3": 6 - 3 - 1,
        },
        abs=1e-9,
    )
    assert found.missed(3).tolist() == [4]


def test_the_keywords_are_still_shown_beside_the_verdict() -> None:
    found = asked(TypedRelevance(("c2", "c3"), (2.0, 1.0)))

    assert [result.verdict for result in found.results] == [
        "Not typed as relevant · Full match (1/1 keywords)",
        "Typed as relevant, grade 2 · No match (0/1 keywords)",
        "Typed as relevant · Full match (1/1 keywords)",
    ]
    assert [result.hit for result in found.results] == [False, True, True]
    assert found.results[0].groups[0].marks[0][1]


def test_grades_count_in_ndcg() -> None:
    found = asked(TypedRelevance(("c1", "c2", "c6", "c3"), (1.0, 3.0, 2.0, 0.0)), "nDCG@3", "R@3")

    dcg, ideal = 1 + 3 / log2(3), 3 + 2 / log2(3) + 1 / log2(4)
    assert values(found) == pytest.approx({"nDCG@3": dcg / ideal, "R@3": 2 / 3}, abs=1e-9)
    assert found.relevant == 3


def test_a_query_without_keyword_is_judged_by_what_was_typed() -> None:
    found = asked(binary("c1"), keywords=())

    assert found.keywords == () and found.evaluation is not None and found.unjudged is None
    assert values(found) == {"P@3": pytest.approx(1 / 3)}
    assert [result.verdict for result in found.results[:2]] == [
        "Typed as relevant",
        "Not typed as relevant",
    ]


def test_a_query_with_neither_has_similarities_only() -> None:
    found = asked(None, "P@1", "R@3", keywords=())

    assert found.evaluation is None
    assert values(found) == pytest.approx(
        {"AvgSim@1": 0.9, "AvgSim@3": (0.9 + 0.74 + 0.58) / 3}, abs=1e-6
    )
    assert (found.relevant, len(found.missed(3)), found.unranked) == (0, 0, 0)


def test_of_a_query_with_neither_the_asked_similarities_are_reported() -> None:
    found = asked(None, "P@3", "MaxSim@3", "MinSim@2", keywords=())

    assert values(found) == pytest.approx({"MaxSim@3": 0.9, "MinSim@2": 0.74}, abs=1e-6)


def test_a_query_without_ground_truth_is_no_error_under_any_policy() -> None:
    found = asked(None, keywords=(), policies=Policies(no_relevant="error"))

    assert found.unjudged is not None


def test_with_keywords_and_nothing_typed_all_is_as_before() -> None:
    found = asked(None, "P@3")

    assert found.typed is None and found.unjudged is None
    assert values(found) == {"P@3": pytest.approx(2 / 3)}
    assert found.results[0].verdict == "Full match (1/1 keywords)"


def test_the_query_clip_is_no_answer_to_itself() -> None:
    found = asked(binary("query", "c1"), "R@3")

    assert found.typed == TypedRelevance(("c1",), (1.0,), left_out="query")
    assert (found.relevant, values(found)) == (1, {"R@3": 1.0})


def test_the_query_clip_counts_where_it_is_kept() -> None:
    found = asked(binary("query", "c1"), "R@1", policies=Policies(self_clip="keep"), depth=7)

    assert (found.clip(0), found.relevant, values(found)) == ("query", 2, {"R@1": 0.5})


def test_a_typed_clip_below_the_least_similarity_is_missed() -> None:
    found = asked(binary("c1", "c3"), "P@3", policies=Policies(min_similarity=0.7))

    assert values(found) == {"P@3": pytest.approx(1 / 3)}
    assert found.missed(3).tolist() == [2]
    assert not found.results[2].hit and found.results[2].relevant


def test_typed_clips_below_the_cut_of_the_ranking_are_counted() -> None:
    found = asked(binary("c1", "c5", "c6"), "R@3", depth=3)

    assert (found.relevant, found.unranked, found.missed(3).tolist()) == (3, 2, [])


def test_typed_relevance_is_not_adjudicated() -> None:
    assert pair_metrics(asked(binary("c1")), {"c2": Judgement("relevant")}) == ()


def test_a_clip_without_a_vector_cannot_be_found() -> None:
    with pytest.raises(InputError, match='model m has no vector of the clip "c9"'):
        asked(binary("c9"))


TREC = {"P@3": "P_3", "R@3": "recall_3", "AP": "map", "RR": "recip_rank", "nDCG@3": "ndcg_cut_3"}


@given(st.dictionaries(st.sampled_from(CLIPS), st.integers(-1, 3), min_size=1))
@examples(60)
def test_every_metric_equals_trec_evals(grades: dict[str, int]) -> None:
    typed = TypedRelevance(tuple(grades), tuple(map(float, grades.values())))
    found = asked(typed, *TREC)

    run = {clip: float(s) for clip, s in zip(CLIPS, found.similarities, strict=True)}
    names = {"P.3", "recall.3", "map", "recip_rank", "ndcg_cut.3"}
    theirs = pytrec_eval.RelevanceEvaluator({"q": grades}, names).evaluate({"q": run})["q"]
    if any(grade > 0 for grade in grades.values()):
        assert values(found) == pytest.approx(
            {ours: theirs[name] for ours, name in TREC.items()}, abs=1e-9
        )
    else:
        assert all(math.isnan(value) for value in values(found).values())


def test_the_document_says_that_relevance_was_typed() -> None:
    found = asked(TypedRelevance(("c2", "c5"), (2.0, 1.0)), "P@3")

    document = build_search_document(found, found.collection, find_profile("alfa"))

    assert document["relevance"] == "typed"
    assert document["typed"] == [
        {"slice_id": "c2", "grade": 2.0},
        {"slice_id": "c5", "grade": 1.0},
    ]
    assert [result["grade"] for result in document["results"]] == [0, 2, 0]
    assert document["missed"]["slice_ids"] == ["c5"]
    assert format_search_csv(found, found.collection).splitlines()[2].endswith("typed,2.0")


@pytest.mark.parametrize(("keywords", "by"), [(None, "keywords"), ((), "none")])
def test_the_document_says_what_else_decides(keywords: tuple[str, ...] | None, by: str) -> None:
    found = asked(None, keywords=keywords)

    document = build_search_document(found, found.collection, find_profile("alfa"))

    assert (document["relevance"], document["typed"]) == (by, None)
    assert "grade" not in document["results"][0]
    assert format_search_csv(found, found.collection).splitlines()[1].endswith(f"{by},")


TRUTH = GroundTruth.from_columns(["clip_7", "clip_8", "a=3", "a", "x=y"], {"g": [[]] * 5})


@pytest.mark.parametrize(
    ("written", "clips", "grades"),
    [
        (("clip_7",), ("clip_7",), (1,)),
        (("clip_7=2", "clip_8"), ("clip_7", "clip_8"), (2, 1)),
        (("clip_7 = 0.5",), ("clip_7",), (0.5,)),
        (("clip_7", "clip_7", "clip_7=1"), ("clip_7",), (1,)),
        (("a=3", "a=2"), ("a=3", "a"), (1, 2)),  # an id may hold an equals sign
        (("x=y", "x=y=3"), None, None),
        (("a=3=2",), ("a=3",), (2,)),
        (("clip_7=-1",), ("clip_7",), (-1,)),
    ],
)
def test_how_clips_are_written(
    written: tuple[str, ...], clips: tuple[str, ...] | None, grades: tuple[float, ...] | None
) -> None:
    if clips is None or grades is None:
        with pytest.raises(InputError, match="given the grades 1 and 3"):
            find_typed_clips(map(TypedClip, written), TRUTH)
        return
    assert find_typed_clips(map(TypedClip, written), TRUTH) == TypedRelevance(clips, grades)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("clip_9", 'no clip "clip_9" in the annotations; did you mean "clip_8"?'),
        ("zebra", 'no clip "zebra" in the annotations; check the slice_id'),
        ("clip_7=high", 'the grade "high" of the clip "clip_7" is not a number; write clip=2'),
        ("clip_7=nan", 'the grade "nan" of the clip "clip_7" is not a number; '),
        ("clip_7=", 'the grade "" of the clip "clip_7" is not a number; '),
        ("=2", 'no clip "" in the annotations; '),
    ],
)
def test_what_is_wrong_is_reported_in_one_line(text: str, message: str) -> None:
    with pytest.raises(InputError) as error:
        find_typed_clips([TypedClip(text)], TRUTH)

    assert str(error.value).startswith(message)


def test_a_file_names_one_clip_per_line_and_errors_name_the_line(tmp_path: Path) -> None:
    file = tmp_path / "relevant.txt"
    file.write_text("clip_7\r\n\n  clip_8=3  \n")
    assert find_typed_clips(read_typed_clips(file), TRUTH) == TypedRelevance(
        ("clip_7", "clip_8"), (1, 3)
    )

    file.write_text("clip_7\n\nclip_77777\n")
    with pytest.raises(InputError, match=r'relevant.txt, line 3: no clip "clip_77777"'):
        find_typed_clips(read_typed_clips(file), TRUTH)
