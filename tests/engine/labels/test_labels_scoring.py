"""Label Score@K against comparing every pair, in every direction."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.base.errors import InputError
from engine.base.progress import Step
from engine.labels.data.directions import Direction, Modalities
from engine.labels.data.labelled_items import LabelledItems
from engine.labels.data.level import LabelLevel
from engine.labels.prototypes.prototypes import Pooling, Prototypes, PrototypeSet, pool_prototypes
from engine.labels.scoring.label_run import LabelRun, score_labels
from engine.metrics.policies import Policies
from tests.engine.labels.labels_by_hand import label_score, order_of, plainly
from tests.examples import examples

Floats = npt.NDArray[np.floating]
DIRECTIONS = Modalities().all()[:4]


def made_of(sensor: Any, text: Any, *levels: list[str], metric: Any = "cosine") -> LabelledItems:
    vectors = {"sensor": np.asarray(sensor, float), "text": np.asarray(text, float)}
    named = tuple(LabelLevel.of(f"l{n}", labels) for n, labels in enumerate(levels, start=1))
    return LabelledItems(vectors, named, tuple(map(str, range(len(levels[0])))), metric)


@st.composite
def labelled(draw: st.DrawFn) -> LabelledItems:
    """Items with ties and copies among their vectors; labels of one member, few, or one only."""
    rng = np.random.default_rng(draw(st.integers(0, 2**31)))
    rows, width = draw(st.integers(2, 40)), draw(st.integers(1, 5))
    kind = draw(st.sampled_from(["random", "whole", "copies"]))

    def vectors() -> Floats:
        if kind == "random":
            return rng.normal(size=(rows, width))
        if kind == "copies":
            return rng.normal(size=(3, width))[rng.integers(3, size=rows)]
        whole = rng.integers(-2, 3, (rows, width)).astype(np.float64)
        whole[~whole.any(axis=1), 0] = 1.0
        return whole

    labels = {
        "few": rng.integers(0, 4, rows),
        "one": np.zeros(rows, np.int64),
        "single members": np.arange(rows),
        "one of them single": np.minimum(np.arange(rows), 1),
    }[draw(st.sampled_from(["few", "one", "single members", "one of them single"]))]
    metric = draw(st.sampled_from(["cosine", "ip"]))
    return made_of(vectors(), vectors(), list(map(str, labels)), metric=metric)


@examples(150)
@given(labelled(), st.lists(st.integers(1, 50), min_size=1, max_size=3))
def test_every_direction_equals_comparing_every_pair(data: LabelledItems, ks: list[int]) -> None:
    run = score_labels(data, DIRECTIONS, ks)

    labels = [data.levels[0].names[code] for code in data.levels[0].codes]
    for direction in DIRECTIONS:
        for k in ks:
            expected = label_score(
                data.vectors[direction.queries],
                data.vectors[direction.targets],
                labels,
                labels,
                k,
                cosine=data.metric == "cosine",
                own=direction.is_self,
            )
            assert run.results()[direction.name][k] == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_a_thousand_random_items_agree_with_numpy_to_nine_digits(kind: type) -> None:
    rng = np.random.default_rng(4)
    labels = rng.integers(0, 12, 1000)
    centres = rng.normal(size=(12, 32))
    sensor, text = (
        (centres[labels] + 2 * rng.normal(size=(1000, 32))).astype(kind) for _ in range(2)
    )
    level = LabelLevel.of("label", labels)
    data = LabelledItems({"sensor": sensor, "text": text}, (level,), tuple(map(str, range(1000))))

    run = score_labels(data, DIRECTIONS, [10, 50, 100])

    for direction in DIRECTIONS:
        asked, found = (
            rows.astype(np.float64) / np.linalg.norm(rows.astype(np.float64), axis=1)[:, None]
            for rows in (data.vectors[direction.queries], data.vectors[direction.targets])
        )
        scores = asked @ found.T
        if direction.is_self:
            np.fill_diagonal(scores, -np.inf)
        order = np.argsort(-scores, axis=1, kind="stable")
        for k in (10, 50, 100):
            expected = (labels[order[:, :k]] == labels[:, None]).mean(axis=1).mean()
            assert run.results()[direction.name][k] == pytest.approx(expected, abs=1e-9)


def test_seven_of_ten_neighbours_that_cook_are_a_score_of_seven_tenths() -> None:
    query = [[1.0, 0.0]]
    items = [[1.0, 0.01 * n] for n in range(1, 11)]
    data = made_of([*query, *items], [*query, *items], ["Cooking", *["Cooking"] * 7, *["Eat"] * 3])

    run = score_labels(data, [Direction("sensor", "sensor")], [10])

    assert run.scores[0].values(10)[0] == 0.7


def test_levels_are_judged_in_one_ranking_each_by_its_own_labels() -> None:
    vectors = [[1, 0], [1, 0.1], [0, 1], [0.1, 1]]
    data = made_of(vectors, vectors, ["a", "a", "b", "b"], ["x", "y", "x", "y"])

    run = score_labels(data, [Direction("sensor", "sensor")], [1])

    assert run.levels == ("l1", "l2")
    assert run.results("l1") == {"sensor2sensor": {1: 1.0}}
    assert run.results("l2") == {"sensor2sensor": {1: 0.0}}


def test_across_modalities_the_own_pair_is_a_result_within_one_it_is_not() -> None:
    vectors = [[1, 0], [0, 1]]
    data = made_of(vectors, vectors, ["a", "b"])

    run = score_labels(data, DIRECTIONS, [1])

    results = run.results()
    assert [results[d.name][1] for d in DIRECTIONS] == [1.0, 1.0, 0.0, 0.0]


def test_the_denominator_stays_k_unless_it_is_to_adapt() -> None:
    data = made_of([[1, 0], [1, 0.1], [1, 0.2]], [[1, 0]] * 3, ["a", "a", "a"])
    adaptive = Policies(no_relevant="zero", fewer_than_k="adaptive")

    fixed = score_labels(data, [Direction("sensor", "sensor")], [4])
    adapted = score_labels(data, [Direction("sensor", "sensor")], [4], policies=adaptive)

    assert fixed.results()["sensor2sensor"][4] == 2 / 4
    assert adapted.results()["sensor2sensor"][4] == 1.0


def alone(policy: Any) -> LabelRun:
    data = made_of([[1, 0], [1, 0.1], [0, 1]], [[1, 0]] * 3, ["a", "a", "b"])
    return score_labels(
        data, [Direction("sensor", "sensor")], [1], policies=Policies(no_relevant=policy)
    )


def test_a_label_that_nobody_else_has_scores_0_and_counts() -> None:
    run = alone("zero")

    assert run.results()["sensor2sensor"][1] == pytest.approx(2 / 3)
    assert run.scores[0].without_relevant == 1


def test_a_label_that_nobody_else_has_may_be_left_out_or_refused() -> None:
    assert alone("skip").results()["sensor2sensor"][1] == 1.0
    with pytest.raises(InputError, match="no other item has the label 'b' of '2'"):
        alone("error")


def test_the_confusion_of_every_k_holds_what_was_found() -> None:
    data = made_of([[1, 0], [1, 0.1], [0, 1]], [[1, 0]] * 3, ["a", "b", "b"])

    score = score_labels(data, [Direction("sensor", "sensor")], [1, 2]).scores[0]

    # a finds b (row 1), row 1 finds a, row 2 finds b (row 1).
    assert [score.confusion[0].counts(row).tolist() for row in range(2)] == [[0, 1], [1, 1]]
    assert [score.confusion[1].counts(row).tolist() for row in range(2)] == [[0, 2], [2, 2]]


@examples(60)
@given(labelled(), st.sampled_from(["mean", "max", "each"]), st.data())
def test_prototypes_equal_comparing_every_pair(
    data: LabelledItems, pooling: Pooling, drawn: st.DataObject
) -> None:
    level, width = data.levels[0], data.vectors["sensor"].shape[1]
    rng = np.random.default_rng(drawn.draw(st.integers(0, 2**31)))
    labels = [level.names[n] for n in rng.integers(len(level.names), size=rng.integers(1, 8))]
    rows = np.abs(rng.normal(size=(len(labels), width)))  # means of these never vanish
    made = Prototypes(tuple(labels), rows, None, "by hand")
    cosine, k = data.metric == "cosine", drawn.draw(st.integers(1, 45))
    queries = pool_prototypes(made, pooling, normalize=cosine)
    asked = PrototypeSet(queries, level.name, queries.labels)

    run = score_labels(data, [Direction("prototype", "sensor")], [k], prototypes=asked)

    items, item_labels = data.vectors["sensor"], [level.names[code] for code in level.codes]
    expected = np.mean(
        [
            sum(item_labels[row] == label for row in order[:k]) / k
            for label, order in ranked_by_hand(made, pooling, items, cosine)
        ]
    )
    assert run.results()["prototype2sensor"][k] == pytest.approx(float(expected), abs=1e-9)


def ranked_by_hand(
    made: Prototypes, pooling: Pooling, items: Floats, cosine: bool
) -> list[tuple[str, list[int]]]:
    """Every query's label and its items in order."""
    if pooling == "each":
        orders = order_of(made.vectors, items, cosine=cosine).tolist()
        return list(zip(made.labels, orders, strict=True))
    found = []
    for label in dict.fromkeys(made.labels):
        rows = made.vectors[[row for row, own in enumerate(made.labels) if own == label]]
        if cosine:
            rows = rows / np.linalg.norm(rows, axis=1, keepdims=True)
        if pooling == "mean":
            found.append(
                (label, order_of(rows.mean(axis=0)[None], items, cosine=cosine)[0].tolist())
            )
            continue
        best = [max(plainly(row, item, cosine) for row in rows) for item in items]
        found.append(
            (label, sorted(range(len(items)), key=lambda row: (-round(best[row], 14), row)))
        )
    return found


def test_progress_is_reported_by_direction_until_all_queries_are_done() -> None:
    data = made_of([[1, 0]] * 3, [[1, 0]] * 3, ["a", "a", "b"])
    reported: list[Step] = []

    score_labels(data, DIRECTIONS[:2], [1], report=reported.append)

    assert [(step.mode, step.done, step.total) for step in reported] == [
        ("text2sensor", 3, 3),
        ("sensor2text", 3, 3),
    ]


@pytest.mark.parametrize("ks", [[0], [-1], [1.5], [True], []])
def test_a_k_that_is_no_whole_number_from_1_is_refused(ks: list[Any]) -> None:
    data = made_of([[1, 0]] * 2, [[1, 0]] * 2, ["a", "a"])

    with pytest.raises(InputError, match=r"K is|no K"):
        score_labels(data, DIRECTIONS, ks)


def test_spaces_of_different_dimensions_have_no_direction_between_them() -> None:
    data = LabelledItems(
        {"sensor": np.ones((2, 3)), "text": np.ones((2, 2))},
        (LabelLevel.of("l", ["a", "b"]),),
        ("0", "1"),
    )

    with pytest.raises(InputError, match="text2sensor: text has 2 dimensions, sensor has 3"):
        score_labels(data, DIRECTIONS, [1])
    assert score_labels(data, [Direction("text", "text")], [1]).results() == {"text2text": {1: 0.0}}


def test_one_item_alone_has_no_other_to_find() -> None:
    data = made_of([[1, 0]], [[1, 0]], ["a"])

    with pytest.raises(InputError, match="no other item"):
        score_labels(data, [Direction("sensor", "sensor")], [1])
