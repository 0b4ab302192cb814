"""Embeddings and labels read together: what must agree, and how it is reported if not."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from engine.base.errors import Place
from engine.labels.data.directions import Direction
from engine.labels.data.label_files import LabelFiles, LevelFile
from engine.labels.data.labelled_items import LabelledItems, read_labelled
from engine.labels.data.level import LabelLevel
from tests.engine.labels.label_tables_by_hand import labels_of, refusal, saved, written

TABLE = "slice_id,scene,object\nx1,urban,car\nx2,rural,truck\nx3,urban,car\n"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """Two modalities of three items, and a table of two levels."""
    saved(tmp_path / "sensor.npy", np.eye(3, dtype=np.float32))
    saved(tmp_path / "text.npy", np.eye(3, dtype=np.float32)[::-1])
    written(tmp_path / "labels.csv", TABLE)
    return tmp_path


def files_of(home: Path, *levels: str, **changes: Any) -> LabelFiles:
    usual = {"a": home / "sensor.npy", "b": home / "text.npy"}
    found = tuple(
        LevelFile.parse(f"{name}={home / path}" if name else str(home / path))
        for name, _, path in (level.rpartition("=") for level in levels)
    )
    return LabelFiles(**{**usual, **changes}, levels=found)


def test_two_levels_of_one_table_are_read_with_the_ids(home: Path) -> None:
    data = read_labelled(files_of(home, "scene=labels.csv", "object=labels.csv"))

    assert [level.name for level in data.levels] == ["scene", "object"]
    assert labels_of(data.levels[1]) == ["car", "truck", "car"]
    assert data.ids == ("x1", "x2", "x3")
    assert list(data.vectors) == ["sensor", "text"]
    assert data.metric == "cosine"
    assert len(data) == 3


def test_without_ids_the_rows_numbers_name_the_items(home: Path) -> None:
    written(home / "plain.txt", "a\nb\na\n")

    data = read_labelled(files_of(home, "plain.txt", b=None, name_a="video"))

    assert data.ids == ("0", "1", "2")
    assert list(data.vectors) == ["video"]


def test_everything_may_lie_in_one_archive(home: Path) -> None:
    saved(home / "all.npz", s=np.eye(3), t=np.ones((3, 3)), labels=np.array([1, 2, 1]))
    level = LevelFile("label", home / "all.npz", "labels")

    data = read_labelled(LabelFiles(home / "all.npz", (level,), home / "all.npz", "s", "t"))

    assert data.vectors["text"].tolist() == np.ones((3, 3)).tolist()
    assert labels_of(data.levels[0]) == ["1", "2", "1"]


def test_levels_of_one_name_are_refused(home: Path) -> None:
    error = refusal(lambda: read_labelled(files_of(home, "l1=labels.csv", "l1=labels.csv")))

    assert error.message == "two levels of labels are called 'l1'"
    assert "--labels l1=FILE --labels l2=FILE" in error.hint


def test_no_level_is_refused(home: Path) -> None:
    assert refusal(lambda: read_labelled(files_of(home))).message == "no labels are named"


def test_modalities_of_different_length_are_refused_with_both_files(home: Path) -> None:
    saved(home / "text.npy", np.eye(4))

    error = refusal(lambda: read_labelled(files_of(home, "scene=labels.csv")))

    assert error.message == f"4 rows of text for 3 rows of sensor ({home / 'sensor.npy'})"
    assert error.place == Place(home / "text.npy")


def test_labels_of_different_length_are_refused(home: Path) -> None:
    saved(home / "labels.npy", np.arange(4))

    error = refusal(lambda: read_labelled(files_of(home, "labels.npy")))

    assert error.message == "4 labels for 3 rows of embeddings"
    assert error.place.file == home / "labels.npy"


def test_tables_that_name_different_items_in_a_row_are_refused(home: Path) -> None:
    written(home / "other.csv", "slice_id,l2\nx1,a\nx3,b\nx2,a\n")

    error = refusal(lambda: read_labelled(files_of(home, "scene=labels.csv", "l2=other.csv")))

    assert error.message == (
        f"row 1 (counted from 0) is 'x3', and 'x2' in {home / 'labels.csv'}"
    )  # fmt: skip
    assert error.place == Place(home / "other.csv")


@pytest.mark.parametrize("side", ["sensor", "text"])
@pytest.mark.parametrize(("bad", "message"), [(np.nan, "NaN"), (0.0, "is all zeros")])
def test_vectors_that_have_no_cosine_are_refused_with_their_file(
    home: Path, side: str, bad: float, message: str
) -> None:
    vectors = np.eye(3)
    vectors[1] = bad
    saved(home / f"{side}.npy", vectors)

    error = refusal(lambda: read_labelled(files_of(home, "scene=labels.csv")))

    assert error.message.startswith("row 1 (counted from 0)")
    assert message in error.message
    assert error.place == Place(home / f"{side}.npy")


def test_zero_vectors_are_accepted_where_lengths_count(home: Path) -> None:
    saved(home / "sensor.npy", np.zeros((3, 3)))

    data = read_labelled(files_of(home, "scene=labels.csv", normalize=False))

    assert data.metric == "ip"


def test_keys_of_embeddings_are_asked_for_by_the_option_of_their_side(home: Path) -> None:
    saved(home / "two.npz", x=np.eye(3), y=np.eye(3))

    for side, option in (("a", "--sensor-key"), ("b", "--text-key")):
        files = files_of(home, "scene=labels.csv", **{side: home / "two.npz"})
        assert refusal(lambda files=files: read_labelled(files)).hint == (
            f"say which with {option} NAME"
        )


def test_a_direction_between_spaces_of_different_dimensions_is_refused() -> None:
    level = LabelLevel.of("label", ["a", "b"])
    data = LabelledItems({"sensor": np.ones((2, 3)), "text": np.ones((2, 5))}, (level,), ("0", "1"))

    data.check(Direction("sensor", "sensor"))
    data.check(Direction("prototype", "text"))
    error = refusal(lambda: data.check(Direction("text", "sensor")))

    assert error.message == "text2sensor: text has 5 dimensions, sensor has 3"
