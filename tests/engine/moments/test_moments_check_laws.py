"""Laws of the submission check: good ones pass, and a fault is found wherever it is put."""

from __future__ import annotations

import contextlib
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.base.errors import InputError, Place
from engine.moments.check.fault_kinds import QVH_TERMS
from engine.moments.check.known_truth import KnownQuery, KnownTruth, VideoList
from engine.moments.check.predictions import find_repeated_rows
from engine.moments.check.qvh import check_qvh
from engine.moments.check.submission_fault import FaultLog, FaultPlace, SubmissionFault
from engine.moments.check.tvr import CheckReferences, check_tvr
from tests.examples import examples

TASKS = ("VCMR", "SVMR", "VR")
NAN = float("nan")

Case = tuple[dict[str, Any], CheckReferences]


@st.composite
def good_submissions(draw: st.DrawFn) -> Case:
    """A submission without a fault, and the ground truth that it answers."""
    videos = draw(st.lists(st.text(min_size=1, max_size=4), min_size=1, max_size=5, unique=True))
    numbers = draw(st.lists(st.integers(0, 2**24 - 1), min_size=len(videos), max_size=len(videos),
                            unique=True))  # fmt: skip
    index = dict(zip(videos, numbers, strict=True))
    lengths = {name: draw(st.floats(1.0, 500.0)) for name in videos}
    ids = draw(st.lists(st.integers(0, 10**6) | st.text(min_size=1, max_size=5), min_size=1,
                        max_size=4, unique=True))  # fmt: skip
    queries = {
        id_: KnownQuery(line, draw(st.text(max_size=5)), video, lengths[video])
        for line, id_ in enumerate(ids, 1)
        for video in [draw(st.sampled_from(videos))]
    }

    def prediction(task: str, right: str, rank: int) -> list[float]:
        name = right if task == "SVMR" else draw(st.sampled_from(videos))
        start = draw(st.floats(0.0, 0.5)) * lengths[name]
        # A start of its own for each rank: no prediction is there twice.
        start += rank * 1e-3 * lengths[name]
        return [index[name], start, start + draw(st.floats(0.1, 0.4)) * lengths[name], -rank]

    document: dict[str, Any] = {"video2idx": index}
    for task in TASKS:
        document[task] = [
            {
                "desc_id": id_,
                "desc": query.text,
                "predictions": [
                    prediction(task, str(query.video), rank)
                    for rank in range(draw(st.integers(1, 5)))
                ],
            }
            for id_, query in draw(st.permutations(list(queries.items())))
        ]
    known = KnownTruth(Path("gt.jsonl"), queries)
    return document, CheckReferences(known, VideoList(Path("videos.json"), lengths, index))


def check(document: dict[str, Any], against: CheckReferences) -> list[SubmissionFault]:
    notes = FaultLog(limit=0)
    check_tvr(json.dumps(document).encode(), Place(), "val", against, notes)
    return notes.faults


def kinds_of(faults: list[SubmissionFault], *levels: str) -> set[str]:
    return {fault.kind.name for fault in faults if fault.level in levels}


@examples(40)
@given(good_submissions())
def test_a_good_submission_has_no_error(case: Case) -> None:
    assert kinds_of(check(*case), "error") == set()


PREDICTION_FAULTS: list[tuple[str, dict[int, Any]]] = [
    ("start-not-before-end", {1: 0.5, 2: 0.25}),
    ("negative-start", {1: -0.25}),
    ("starts-after-video", {1: 501.0, 2: 502.0}),
    ("ends-after-video", {1: 0.0, 2: 502.0}),
    ("video-unknown", {0: 2**24 + 2}),
    ("unusable", {2: "12"}),
    ("unusable", {0: None}),
    ("not-finite", {1: NAN}),
    ("not-finite", {2: float("inf")}),
    ("score-unusable", {3: [1]}),
]


@examples(80)
@given(
    good_submissions(), st.sampled_from(PREDICTION_FAULTS), st.sampled_from(TASKS[:2]), st.data()
)
def test_a_fault_in_a_prediction_is_found_there_and_only_there(
    case: Case, fault: tuple[str, dict[int, Any]], task: str, data: st.DataObject
) -> None:
    document, against = case
    kind, values = fault
    entry = data.draw(st.integers(0, len(document[task]) - 1))
    rows = document[task][entry]["predictions"]
    row = data.draw(st.integers(0, len(rows) - 1))
    for column, value in values.items():
        rows[row][column] = value

    faults = check(document, against)

    where = FaultPlace("", task, entry + 1, id=document[task][entry]["desc_id"], prediction=row + 1)
    found = [f for f in faults if f.kind.name == kind]
    assert [(f.part, f.count) for f in found] == [(task, 1)]
    assert [example.where for example in found[0].examples] == [where]
    assert kinds_of(faults, "error") <= {kind}


ENTRY_FAULTS: list[tuple[str, Any]] = [
    ("predictions-empty", lambda entry: entry.update(predictions=[])),
    ("predictions-missing", lambda entry: entry.pop("predictions")),
    ("predictions-not-a-list", lambda entry: entry.update(predictions="none")),
    ("id-extra", lambda entry: entry.update(desc_id=-1)),
    ("text-missing", lambda entry: entry.pop("desc")),
    ("text-differs", lambda entry: entry.update(desc="another text")),
    ("too-many", lambda entry: entry.update(predictions=entry["predictions"][:1] * 101)),
]


@examples(60)
@given(good_submissions(), st.sampled_from(ENTRY_FAULTS), st.sampled_from(TASKS), st.data())
def test_a_fault_in_an_entry_is_found_there(
    case: Case, fault: tuple[str, Any], task: str, data: st.DataObject
) -> None:
    document, against = case
    kind, spoil = fault
    entry = data.draw(st.integers(0, len(document[task]) - 1))
    spoil(document[task][entry])

    found = [f for f in check(document, against) if f.kind.name == kind]

    where = FaultPlace("", task, entry + 1, id=document[task][entry]["desc_id"])
    assert [example.where for f in found for example in f.examples] == [where]


@examples(60)
@given(good_submissions(), st.sampled_from(TASKS), st.data())
def test_a_missing_entry_is_named_by_its_id(case: Case, task: str, data: st.DataObject) -> None:
    document, against = case
    gone = document[task].pop(data.draw(st.integers(0, len(document[task]) - 1)))

    faults = check(document, against)

    if document[task]:
        (found,) = (f for f in faults if f.kind.name == "id-absent")
        assert [example.where for example in found.examples] == [
            FaultPlace("", task, id=gone["desc_id"])
        ]
    else:
        assert "task-empty" in kinds_of(faults, "error")


@given(
    st.lists(st.integers(0, 4), max_size=4).flatmap(
        lambda counts: st.tuples(
            st.just(np.repeat(np.arange(len(counts)), counts)),
            st.lists(
                st.tuples(*[st.sampled_from([0.0, -0.0, 1.0, 2.5, NAN])] * 2),
                min_size=sum(counts),
                max_size=sum(counts),
            ),
        )
    )
)
def test_repeats_are_those_that_a_slow_search_finds(
    case: tuple[Any, list[tuple[float, float]]],
) -> None:
    entries, rows = case
    slow = [
        any(entries[other] == entries[row] and rows[other] == rows[row] for other in range(row))
        and not np.isnan(rows[row]).any()
        for row in range(len(rows))
    ]

    found = find_repeated_rows(entries, np.array(rows, np.float64).reshape(-1, 2))

    assert found.tolist() == slow


@st.composite
def good_lines(draw: st.DrawFn) -> tuple[list[dict[str, Any]], KnownTruth]:
    count = draw(st.integers(1, 5))
    lengths = [draw(st.floats(2.0, 150.0)) for _ in range(count)]
    queries = {
        id_: KnownQuery(id_ + 1, f"query {id_}", f"video {id_}", lengths[id_])
        for id_ in range(count)
    }
    records = [
        {
            "qid": id_,
            "query": query.text,
            "vid": query.video,
            "pred_relevant_windows": [
                [length * rank / 20, length * (rank + 1) / 20, -rank]
                for rank in range(draw(st.integers(1, 10)))
            ],
            "pred_saliency_scores": [0.5] * int(length / 2),
        }
        for (id_, query), length in zip(queries.items(), lengths, strict=True)
    ]
    return records, KnownTruth(Path("gt.jsonl"), queries)


WINDOW_FAULTS = [
    ("start-not-before-end", [0.5, 0.25, 0]),
    ("negative-start", [-1.0, 1.0, 0]),
    ("starts-after-video", [151.0, 152.0, 0]),
    ("ends-after-video", [0.0, 152.0, 0]),
    ("unusable", [1.0, 2.0]),
    ("unusable", [1.0, "2", 0]),
    ("not-finite", [1.0, 2.0, NAN]),
]


@examples(60)
@given(good_lines(), st.sampled_from(WINDOW_FAULTS), st.data())
def test_a_fault_in_a_window_is_found_there_and_only_there(
    case: tuple[list[dict[str, Any]], KnownTruth], fault: tuple[str, list[Any]], data: st.DataObject
) -> None:
    records, known = case
    kind, values = fault
    line = data.draw(st.integers(0, len(records) - 1))
    windows = records[line]["pred_relevant_windows"]
    place = data.draw(st.integers(0, len(windows) - 1))
    good = FaultLog(limit=0, words=QVH_TERMS)
    check_qvh("\n".join(map(json.dumps, records)).encode(), Place(), known, good)
    windows[place] = values

    bad = FaultLog(limit=0, words=QVH_TERMS)
    check_qvh("\n".join(map(json.dumps, records)).encode(), Place(), known, bad)

    (found,) = (f for f in bad.faults if f.kind.name == kind)
    where = FaultPlace(number=line + 1, id=line, prediction=place + 1, words=QVH_TERMS)
    assert kinds_of(good.faults, "error", "warning") == set()
    assert [example.where for example in found.examples] == [where]
    assert kinds_of(bad.faults, "error") <= {kind}


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=2), inner),
    max_leaves=8,
)
rows = st.lists(st.lists(anything, max_size=5) | anything, max_size=4) | anything
entries = st.lists(
    st.fixed_dictionaries({}, optional={"desc_id": anything, "desc": anything, "predictions": rows})
    | anything,
    max_size=3,
)
documents = st.fixed_dictionaries(
    {}, optional={"video2idx": st.dictionaries(st.text(max_size=2), anything) | anything,
                  **dict.fromkeys(TASKS, entries | anything)}
)  # fmt: skip
records = st.fixed_dictionaries(
    {}, optional={"qid": anything, "query": anything, "vid": anything,
                  "pred_relevant_windows": rows, "pred_saliency_scores": rows}
)  # fmt: skip


@examples(150)
@given(documents | anything)
def test_whatever_json_it_is_a_check_ends_and_every_count_has_its_examples(document: Any) -> None:
    faults = check(document, CheckReferences())

    assert any(fault.level == "error" for fault in faults)
    assert all(len(f.examples) == (f.count if f.kind.noun else 0) for f in faults)
    assert all(str(example) for f in faults for example in f.examples)


@examples(150)
@given(st.lists(records | anything, min_size=1, max_size=4))
def test_whatever_lines_there_are_a_check_ends_and_every_count_has_its_examples(
    lines: list[Any],
) -> None:
    notes = FaultLog(limit=0, words=QVH_TERMS)
    has_object = any(isinstance(line, dict) for line in lines)

    with contextlib.nullcontext() if has_object else pytest.raises(InputError):
        check_qvh("\n".join(map(json.dumps, lines)).encode(), Place(), None, notes)

    assert all(len(f.examples) == (f.count if f.kind.noun else 0) for f in notes.faults)
