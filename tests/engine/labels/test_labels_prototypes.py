"""Prototypes: encoded by anything that encodes, read from files, pooled into queries."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from engine.base.errors import InputError
from engine.labels.prototypes.prototypes import (
    Pooling,
    Prototypes,
    encode_prototypes,
    encode_text_prototypes,
    pool_prototypes,
    read_prototype_embeddings,
)
from engine.text.encoder import SentenceEncoder

TEXTS = {"Sleep": ["asleep", "in bed"], "Eat": "a meal"}


class Table:
    """An encoder that looks vectors up; the type of what it gives is chosen."""

    name = "table"

    def __init__(self, rows: Any) -> None:
        self.rows = rows

    def encode(self, texts: Sequence[str]) -> Any:
        return self.rows


class Clip:
    """The other interface, beside an `encode` that gives vectors of another space."""

    def __init__(self) -> None:
        self.asked: list[tuple[list[str], object]] = []

    def encode_texts_clip(self, texts: list[str], device: object) -> Any:
        self.asked.append((texts, device))
        return np.float32([[2, 0]] * len(texts))

    def encode(self, texts: list[str]) -> Any:
        raise AssertionError("not the shared space")


class Tensor:
    """What torch gives: it must be detached and moved, and numpy may not know its type."""

    def __init__(self, rows: Any, *, odd: bool = False) -> None:
        self.rows, self.odd, self.steps = rows, odd, [""]

    def detach(self) -> Tensor:
        self.steps.append("detach")
        return self

    def cpu(self) -> Tensor:
        self.steps.append("cpu")
        return self

    def float(self) -> Tensor:
        return Tensor(self.rows)

    def numpy(self) -> Any:
        if self.odd:
            raise TypeError("Got unsupported ScalarType BFloat16")
        return np.float32(self.rows)


def test_several_texts_of_a_label_are_several_rows() -> None:
    vectors, labels = encode_text_prototypes(TEXTS, Table([[3.0, 4.0], [0.0, 2.0], [5.0, 12.0]]))

    assert labels == ["Sleep", "Sleep", "Eat"]
    assert vectors == pytest.approx(np.array([[0.6, 0.8], [0, 1], [5 / 13, 12 / 13]]))


def test_vectors_may_keep_their_lengths() -> None:
    vectors, _ = encode_text_prototypes(TEXTS, Table(np.eye(3) * 7), normalize=False)

    assert vectors.tolist() == (np.eye(3) * 7).tolist()


@pytest.mark.parametrize(("given", "kept"), [("f2", "f4"), ("f4", "f4"), ("f8", "f8")])
def test_the_type_of_the_numbers_is_kept(given: str, kept: str) -> None:
    vectors, _ = encode_text_prototypes(TEXTS, Table(np.eye(3, dtype=given)))

    assert vectors.dtype == kept


def test_texts_and_the_encoders_name_go_with_the_vectors() -> None:
    found = encode_prototypes(TEXTS, Table(np.eye(3)))

    assert found.texts == ("asleep", "in bed", "a meal")
    assert (found.source, len(found)) == ("table", 3)


def test_the_method_of_the_shared_space_is_preferred() -> None:
    encoder = Clip()

    encode_text_prototypes(TEXTS, encoder, device="cuda:1")
    encode_text_prototypes({"Eat": "a meal"}, encoder)

    assert encoder.asked == [(["asleep", "in bed", "a meal"], "cuda:1"), (["a meal"], "cpu")]


@pytest.mark.parametrize("odd", [False, True])
def test_tensors_become_arrays(odd: bool) -> None:
    tensor = Tensor([[1, 0], [0, 1], [1, 0]], odd=odd)

    vectors, _ = encode_text_prototypes(TEXTS, Table(tensor))

    assert vectors.tolist() == [[1, 0], [0, 1], [1, 0]]
    assert tensor.steps[1:] == ["detach", "cpu"]


def test_a_list_of_tensors_becomes_one_array() -> None:
    class Row(Tensor):
        pass

    vectors, _ = encode_text_prototypes(TEXTS, Table([Row([1, 0]), Row([0, 1]), Row([1, 0])]))

    assert vectors.tolist() == [[1, 0], [0, 1], [1, 0]]


def test_torch_is_not_imported_to_encode() -> None:
    script = (
        "import sys, engine.labels.prototypes.prototypes as p, engine.text.checkpoints.encoder\n"
        "class E:\n    def encode(self, texts): return [[1.0]] * len(texts)\n"
        "p.encode_text_prototypes({'a': 'b'}, E())\n"
        "assert not {'torch', 'sentence_transformers', 'faiss'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", script], check=True)


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (np.ones(3), r"gave the shape \(3,\); texts × dimensions is needed"),
        (np.ones((3, 0)), r"gave the shape \(3, 0\)"),
        (np.ones((2, 4)), "gave 2 vectors for 3 texts"),
        ([[1.0], [1.0, 2.0], [1.0]], "have different lengths"),
        (np.full((3, 2), "a"), "gave <U1, not numbers"),
        (np.array([[1], [np.nan], [1]]), r"vector of 'in bed' has .* NaN.* \(1 of 3 texts\)"),
        (np.array([[1], [1], [np.inf]]), "vector of 'a meal' has a value that is NaN, infinite"),
        (np.array([[1], [1], [1e300]]), "too large for float32"),
        (np.array([[1, 1], [0, 0], [1, 1]]), r"row 1 .*prototype of 'Sleep', is a zero vector"),
    ],
)
def test_vectors_that_cannot_be_compared_are_refused(rows: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        encode_text_prototypes(TEXTS, Table(rows))


def test_what_is_no_encoder_is_refused() -> None:
    with pytest.raises(InputError, match="a list is no text encoder"):
        encode_text_prototypes(TEXTS, [1, 2])


@pytest.mark.parametrize("texts", [{}, {"": "a"}, {"Eat": ""}, {"Eat": []}, {"Eat": 3}, {4: "a"}])
def test_texts_are_checked_here_too(texts: Any) -> None:
    with pytest.raises(InputError):
        encode_text_prototypes(texts, Table(np.eye(1)))


@given(arrays(np.float64, (3, 4), elements=st.floats(-1e30, 1e30)))
def test_lengths_become_one_however_small_or_large(rows: Any) -> None:
    rows[:, 0] = np.where((rows == 0).all(axis=1), 1e-310, rows[:, 0])

    vectors, _ = encode_text_prototypes(TEXTS, Table(rows))

    assert np.linalg.norm(vectors, axis=1) == pytest.approx(1, abs=1e-12)
    assert (np.sign(vectors) * np.sign(rows) >= 0).all()


def test_without_an_encoder_the_embedded_model_is_used(encoder: SentenceEncoder) -> None:
    vectors, labels = encode_text_prototypes(TEXTS)

    assert labels == ["Sleep", "Sleep", "Eat"]
    assert vectors == pytest.approx(encoder.encode(["asleep", "in bed", "a meal"]), abs=1e-6)


# Pooling


def prototypes(labels: str, vectors: Any) -> Prototypes:
    return Prototypes(tuple(labels), np.asarray(vectors), None, "here")


def test_the_mean_is_of_unit_rows() -> None:
    """(3, 4) counts as much as (0, 2): mean of (.6, .8) and (0, 1)."""
    queries = pool_prototypes(prototypes("bab", [[3.0, 4.0], [1.0, 0.0], [0.0, 2.0]]), "mean")

    assert queries.labels == ("b", "a")
    assert queries.vectors == pytest.approx(np.array([[0.3, 0.9], [1, 0]]))
    assert queries.starts.tolist() == [0, 1, 2]


def test_the_mean_may_be_of_rows_as_they_are() -> None:
    found = prototypes("bab", [[3.0, 4.0], [1.0, 0.0], [0.0, 2.0]])

    assert pool_prototypes(found, "mean", normalize=False).vectors.tolist() == [
        [1.5, 3.0],
        [1.0, 0.0],
    ]


def test_each_leaves_everything_as_it_is() -> None:
    found = prototypes("bab", [[3.0, 4.0], [1.0, 0.0], [0.0, 2.0]])

    queries = pool_prototypes(found, "each")

    assert queries.labels == ("b", "a", "b")
    assert queries.vectors is found.vectors
    assert queries.starts.tolist() == [0, 1, 2, 3]


def test_max_brings_the_rows_of_a_label_together() -> None:
    queries = pool_prototypes(prototypes("bab", [[3.0, 4.0], [1.0, 0.0], [0.0, 2.0]]), "max")

    assert queries.labels == ("b", "a")
    assert queries.vectors.tolist() == [[3, 4], [0, 2], [1, 0]]
    assert queries.starts.tolist() == [0, 2, 3]


@given(
    st.lists(st.sampled_from("abcd"), min_size=1, max_size=12),
    st.integers(0, 2**32 - 1),
    st.booleans(),
)
def test_pooling_equals_a_loop_over_labels(labels: list[str], seed: int, normalize: bool) -> None:
    vectors = np.random.default_rng(seed).normal(size=(len(labels), 5))
    found = prototypes("".join(labels), vectors)
    first_seen: list[str] = []
    for label in labels:
        if label not in first_seen:
            first_seen.append(label)

    mean, best = pool_prototypes(found, "mean", normalize=normalize), pool_prototypes(found, "max")

    assert mean.labels == best.labels == tuple(first_seen)
    for number, label in enumerate(first_seen):
        rows = [vectors[row] for row in range(len(labels)) if labels[row] == label]
        scaled = [row / sum(x * x for x in row) ** 0.5 if normalize else row for row in rows]
        assert mean.vectors[number] == pytest.approx(sum(scaled) / len(rows))
        mine = best.vectors[best.starts[number] : best.starts[number + 1]]
        assert mine.tolist() == [row.tolist() for row in rows]


def test_texts_that_cancel_out_have_no_mean() -> None:
    third = np.float32([[0.1, 0.7], [-0.3, -2.1], [1, 0]])

    with pytest.raises(InputError, match=r"here: the 2 prototypes of 'a' cancel.*with max"):
        pool_prototypes(prototypes("aab", third), "mean")


def test_a_zero_row_has_no_direction_to_average() -> None:
    with pytest.raises(InputError, match=r"row 1 .* is a zero vector"):
        pool_prototypes(prototypes("ab", [[1.0, 0.0], [0.0, 0.0]]), "mean")


def test_an_unknown_pooling_is_refused() -> None:
    wrong: Any = "median"
    pooling: Pooling = wrong
    with pytest.raises(InputError, match="no pooling 'median'; choose one of mean, max, each"):
        pool_prototypes(prototypes("a", [[1.0]]), pooling)


@pytest.mark.parametrize(
    ("labels", "vectors", "texts", "message"),
    [
        ("ab", [[1.0]], None, "2 labels for 1 rows"),
        ("a", [[1.0]], ("x", "y"), "2 texts for 1 rows"),
        ("a", [1.0], None, r"shape \(1,\)"),
        ("a", [[np.nan]], None, "row 0"),
        ("a", [["x"]], None, "not numbers"),
    ],
)
def test_prototypes_fit_together(labels: str, vectors: Any, texts: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        Prototypes(tuple(labels), np.asarray(vectors), texts, "here")


# Files

ROWS = np.float32([[1, 0], [0, 1], [1, 1]])


def saved(tmp_path: Path, **arrays: Any) -> Path:
    path = tmp_path / "prototypes.npz"
    np.savez(path, **arrays)
    return path


def test_labels_lie_beside_the_vectors_in_an_npz(tmp_path: Path) -> None:
    path = saved(tmp_path, labels=np.array(["b", "a", "b"]), embeddings=ROWS)

    found = read_prototype_embeddings(path)

    assert found.labels == ("b", "a", "b")
    assert found.vectors.tolist() == ROWS.tolist()
    assert (found.texts, found.source) == (None, str(path))


def test_arrays_may_be_named(tmp_path: Path) -> None:
    path = saved(tmp_path, p=ROWS, q=ROWS * 2, who=np.array([7, 8, 7]), labels=np.array(["x"]))

    found = read_prototype_embeddings(path, key="q", labels_key="who")

    assert found.labels == ("7", "8", "7")
    assert found.vectors.tolist() == (ROWS * 2).tolist()


@pytest.mark.parametrize("name", ["labels.txt", "labels.csv", "labels.npy", "labels.npz"])
def test_labels_come_from_a_file(tmp_path: Path, name: str) -> None:
    np.save(tmp_path / "p.npy", ROWS)
    labels = np.array(["b", "a", "b"])
    if name.endswith(".npy"):
        np.save(tmp_path / name, labels)
    elif name.endswith(".npz"):
        np.savez(tmp_path / name, labels)
    else:
        header = "label\n" if name.endswith(".csv") else ""
        (tmp_path / name).write_text(header + "b\na\nb\n")

    found = read_prototype_embeddings(tmp_path / "p.npy", labels_path=tmp_path / name)

    assert found.labels == ("b", "a", "b")


def test_texts_name_the_rows_in_their_order(tmp_path: Path) -> None:
    np.save(tmp_path / "p.npy", ROWS)

    found = read_prototype_embeddings(tmp_path / "p.npy", label_to_text=TEXTS)

    assert found.labels == ("Sleep", "Sleep", "Eat")
    assert found.texts == ("asleep", "in bed", "a meal")


def test_one_row_per_label_is_enough(tmp_path: Path) -> None:
    np.save(tmp_path / "p.npy", ROWS[:2])

    found = read_prototype_embeddings(tmp_path / "p.npy", label_to_text=TEXTS)

    assert (found.labels, found.texts) == (("Sleep", "Eat"), None)


def test_labels_of_other_arrays_give_way_to_the_texts(tmp_path: Path) -> None:
    path = saved(tmp_path, prototypes=ROWS, items=np.ones((5, 2)), labels=np.array(list("abcde")))

    assert read_prototype_embeddings(path, label_to_text=TEXTS).labels == ("Sleep", "Sleep", "Eat")
    with pytest.raises(InputError, match="5 labels for 3 rows"):
        read_prototype_embeddings(path)


def test_without_any_labels_the_three_ways_are_reported(tmp_path: Path) -> None:
    np.save(tmp_path / "p.npy", ROWS)

    with pytest.raises(InputError, match="which labels its 3 rows") as raised:
        read_prototype_embeddings(tmp_path / "p.npy")
    for way in ("--prototype-labels FILE", "an array `labels`", "--metadata"):
        assert way in raised.value.hint


def test_a_number_of_rows_that_fits_nothing_is_reported(tmp_path: Path) -> None:
    np.save(tmp_path / "p.npy", np.ones((4, 2)))

    with pytest.raises(InputError, match="has 4 rows, the metadata 3 texts of 2 labels"):
        read_prototype_embeddings(tmp_path / "p.npy", label_to_text=TEXTS)


def test_an_archive_of_several_arrays_needs_a_key(tmp_path: Path) -> None:
    path = saved(tmp_path, a=ROWS, b=ROWS, labels=np.array(list("abc")))

    with pytest.raises(InputError, match="say which with --prototype-key NAME"):
        read_prototype_embeddings(path)


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (np.array([["a", "b"]] * 3), "not numbers"),
        (np.ones(3), "rows × dimensions is needed"),
        (np.array([[1.0], [np.inf], [1.0]]), r"row 1 \(counted from 0\)"),
        (np.array([{}, {}, {}], dtype=object), "pickled Python objects"),
    ],
)
def test_bad_arrays_are_refused(tmp_path: Path, rows: Any, message: str) -> None:
    np.save(tmp_path / "p.npy", rows, allow_pickle=True)

    with pytest.raises(InputError, match=message):
        read_prototype_embeddings(tmp_path / "p.npy", label_to_text=TEXTS)


def test_other_formats_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"cannot read an array from \.txt"):
        read_prototype_embeddings(tmp_path / "p.txt", label_to_text=TEXTS)
