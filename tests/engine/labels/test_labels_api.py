"""The functions that scripts call, as the guide of this evaluation shows them."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import engine.labels
from engine.base.errors import InputError
from engine.labels import (
    compute_label_recall_at_k,
    compute_prototype_retrieval_metrics,
    print_results_summary,
)
from tests.engine.labels.labels_by_hand import label_score
from tests.examples import examples


def arrays(seed: int = 0, rows: int = 30) -> tuple[Any, Any, Any]:
    rng = np.random.default_rng(seed)
    return rng.normal(size=(rows, 6)), rng.normal(size=(rows, 6)), rng.integers(0, 4, rows)


@examples(40)
@given(st.integers(0, 10**6), st.booleans(), st.integers(1, 40))
def test_results_are_indexed_by_direction_and_k(seed: int, normalize: bool, k: int) -> None:
    sensor, text, labels = arrays(seed)

    results = compute_label_recall_at_k(
        sensor_embeddings=sensor,
        text_embeddings=text,
        labels=labels,
        k_values=[k],
        directions=["text2sensor", "sensor2text", "text2text", "sensor2sensor"],
        normalize=normalize,
        verbose=False,
    )

    own = list(labels)
    for name, (asked, found) in {
        "text2sensor": (text, sensor),
        "sensor2text": (sensor, text),
        "text2text": (text, text),
        "sensor2sensor": (sensor, sensor),
    }.items():
        by_hand = label_score(asked, found, own, own, k, cosine=normalize, own=asked is found)
        assert results[name][k] == pytest.approx(by_hand, abs=1e-9)


def test_directions_are_across_the_modalities_unless_others_are_named() -> None:
    sensor, text, labels = arrays()

    assert list(compute_label_recall_at_k(sensor, text, labels)) == ["text2sensor", "sensor2text"]
    assert list(compute_label_recall_at_k(sensor, None, labels)) == ["sensor2sensor"]
    assert list(compute_label_recall_at_k(sensor, text, labels)["text2sensor"]) == [10, 50, 100]


@pytest.mark.parametrize("kind", [str, object, int, "S2", np.float64])
def test_labels_may_be_texts_or_numbers(kind: Any) -> None:
    sensor, text, labels = arrays()
    expected = compute_label_recall_at_k(sensor, text, labels, [5])

    assert compute_label_recall_at_k(sensor, text, labels.astype(kind), [5]) == expected
    assert compute_label_recall_at_k(sensor, text, labels.tolist(), [5]) == expected


def test_prototypes_are_one_query_per_label() -> None:
    sensor, text, labels = arrays()
    names = np.array(["a", "b", "c", "d"])
    prototypes = np.random.default_rng(9).normal(size=(4, 6))

    results = compute_prototype_retrieval_metrics(
        prototype_embeddings=prototypes,
        prototype_labels=list(names),
        sensor_embeddings=sensor,
        text_embeddings=text,
        target_labels=names[labels],
        k_values=[10, 50],
        directions=["prototype2sensor", "prototype2text"],
        normalize=True,
        verbose=False,
    )

    for name, items in (("prototype2sensor", sensor), ("prototype2text", text)):
        by_hand = label_score(prototypes, items, list(names), list(names[labels]), 10)
        assert results[name][10] == pytest.approx(by_hand, abs=1e-9)


def test_prototypes_may_ask_texts_alone() -> None:
    _, text, labels = arrays()

    results = compute_prototype_retrieval_metrics(
        np.eye(4, 6), [0, 1, 2, 3], text_embeddings=text, target_labels=labels, k_values=[5]
    )

    assert list(results) == ["prototype2text"]


def test_a_prototype_of_an_unknown_label_is_refused() -> None:
    sensor, _, labels = arrays()

    with pytest.raises(InputError, match="label '7', which no item has"):
        compute_prototype_retrieval_metrics(
            np.eye(2, 6), [0, 7], sensor_embeddings=sensor, target_labels=labels
        )


def test_the_summary_prints_a_line_for_every_k(capsys: pytest.CaptureFixture[str]) -> None:
    print_results_summary({"text2sensor": {10: 0.72341, 100: 0.65}, "prototype2text": {10: 1.0}})

    lines = capsys.readouterr().out.splitlines()
    assert "Text -> Sensor:" in lines
    assert "  K= 10 => Label-Score@K = 0.7234 (72.34 %)" in lines
    assert "  K=100 => Label-Score@K = 0.6500 (65.00 %)" in lines
    assert "Text Prototype -> Text:" in lines
    assert "  K= 10 => Label-Score@K = 1.0000 (100.00 %)" in lines


def test_nothing_is_printed_unless_it_is_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    sensor, text, labels = arrays()

    compute_label_recall_at_k(sensor, text, labels, verbose=False)
    quiet = capsys.readouterr()
    compute_label_recall_at_k(sensor, text, labels, verbose=True)
    reported = capsys.readouterr()

    assert quiet.out == quiet.err == reported.out == ""
    assert reported.err.splitlines() == [
        "30 items, 4 labels",
        "text2sensor: 30 queries",
        "sensor2text: 30 queries",
    ]


def test_results_can_be_saved_as_the_guide_does() -> None:
    sensor, text, labels = arrays()
    results = compute_label_recall_at_k(sensor, text, labels, [10])

    saved = json.dumps({d: {str(k): float(v) for k, v in ks.items()} for d, ks in results.items()})

    assert json.loads(saved)["text2sensor"]["10"] == results["text2sensor"][10]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"labels": [1, 2]}, "30 rows for 2 labels"),
        ({"text_embeddings": np.ones((29, 6))}, "29 rows for 30 labels"),
        ({"text_embeddings": np.full((30, 6), np.nan)}, "row 0 .* NaN"),
        ({"sensor_embeddings": np.zeros((30, 6))}, "row 0 .* all zeros"),
        ({"text_embeddings": np.ones((30, 5))}, "5 dimensions"),
        ({"text_embeddings": np.ones(30)}, "rows × dimensions is needed"),
        ({"text_embeddings": None, "directions": ["text2text"]}, "needs embeddings of text"),
        ({"directions": ["text2sensr"]}, 'did you mean "text2sensor"'),
        ({"directions": ["prototype2sensor"]}, "needs prototypes"),
        ({"k_values": [0]}, "K is 0"),
        ({"labels": [None] * 30}, "row 0 .* has no label"),
        ({"labels": np.ones((30, 2))}, "one label per item"),
    ],
)
def test_what_is_wrong_is_reported_in_one_line(change: dict[str, Any], message: str) -> None:
    sensor, text, labels = arrays()
    given: dict[str, Any] = {
        "sensor_embeddings": sensor,
        "text_embeddings": text,
        "labels": labels,
        **change,
    }

    with pytest.raises(InputError, match=message) as caught:
        compute_label_recall_at_k(**given)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"labels": None}, "labels are given as NoneType"),
        ({"labels": 5}, "labels are given as int"),
        ({"labels": {1, 2}}, "labels are given as set"),
        ({"labels": dict.fromkeys(range(30))}, "labels are given as dict"),
        ({"labels": "walk"}, "labels are given as str"),
        ({"labels": np.ma.masked_equal(np.arange(30), 3)}, "labels are masked in places"),
        ({"k_values": None}, "k_values are given as NoneType"),
        ({"directions": [5]}, "no direction '5'"),
        ({"sensor_embeddings": [[1, 2], [3]]}, "embeddings are no array"),
        ({"sensor_embeddings": 5}, "embeddings are given as int"),
    ],
)
def test_what_is_no_array_is_reported_in_one_line(change: dict[str, Any], message: str) -> None:
    sensor, text, labels = arrays()
    given: dict[str, Any] = {
        "sensor_embeddings": sensor,
        "text_embeddings": text,
        "labels": labels,
        **change,
    }

    with pytest.raises(InputError, match=message):
        compute_label_recall_at_k(**given)


def test_one_k_and_one_direction_may_stand_alone() -> None:
    sensor, text, labels = arrays()

    results = compute_label_recall_at_k(sensor, text, labels, 5, "text2sensor")  # type: ignore[arg-type]

    assert list(results) == ["text2sensor"]
    assert list(results["text2sensor"]) == [5]


def test_columns_of_tables_are_labels_too() -> None:
    sensor, text, labels = arrays()
    expected = compute_label_recall_at_k(sensor, text, labels, [5])

    for column in (pd.Series(labels), pd.Series(labels.astype(str)).astype("category")):
        assert compute_label_recall_at_k(sensor, text, column, [5]) == expected


@pytest.mark.slow
def test_tensors_are_arrays_too() -> None:
    import torch

    sensor, text, labels = arrays()
    expected = compute_label_recall_at_k(sensor, text, labels, [5])
    tensor = torch.tensor(sensor, requires_grad=True)

    assert compute_label_recall_at_k(tensor, text, torch.tensor(labels), [5]) == expected
    with pytest.raises(InputError, match=r"\.float\(\)"):
        compute_label_recall_at_k(tensor.bfloat16(), text, labels, [5])


def test_zero_vectors_are_fine_where_lengths_count() -> None:
    sensor, text, labels = arrays()
    sensor[3] = 0

    assert compute_label_recall_at_k(sensor, text, labels, [5], normalize=False)


def test_the_package_names_what_it_offers() -> None:
    for name in engine.labels.__all__:
        assert callable(getattr(engine.labels, name))
    with pytest.raises(AttributeError):
        engine.labels.compute_nothing  # noqa: B018
