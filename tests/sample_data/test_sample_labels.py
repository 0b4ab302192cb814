"""The label sample: two modalities of the same clips, row by row, with labels that hold."""

import csv
import json
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
from numpy.typing import NDArray

from engine.dataset.annotations.read import Annotations
from engine.media.clip import find_media, read_strip
from sample_data import folder
from sample_data.generate import COLUMNS
from sample_data.keywords import PLACE_KEYWORDS, keywords_of
from sample_data.labels import caption_of, labels_csv, main, metadata_json, read_vectors
from sample_data.scenes import shipped_scenes
from sample_data.shipped import SHIPPED_SEED, slice_ids

HOME = folder() / "labels"
CLIPS = 284
Rows = list[dict[str, str]]


def table(path: Path) -> Rows:
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def words(cell: str) -> list[str]:
    return [word for word in cell.split(", ") if word]


def vectors(name: str) -> NDArray[np.float32]:
    stored: NDArray[np.float32] = np.load(HOME / name, allow_pickle=False)
    return stored


def label_score(
    queries: NDArray[np.float32], targets: NDArray[np.float32], labels: NDArray[np.str_], k: int
) -> float:
    """Same-label share of the k nearest; a query is not its own neighbour, in either modality."""
    similar = queries @ targets.T - 4 * np.eye(len(queries))
    nearest = np.argsort(-similar, axis=1)[:, :k]
    return float((labels[nearest] == labels[:, None]).mean())


@pytest.fixture(scope="module")
def rows() -> Rows:
    return table(HOME / "labels.csv")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What the command writes."""
    out = tmp_path_factory.mktemp("made")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sys.argv", ["labels", "--out", str(out)])
        main()
    return out


@pytest.mark.parametrize("name", ["video_emb.npy", "text_emb.npy"])
def test_vectors_are_finite_unit_float32_one_per_clip(name: str) -> None:
    stored = vectors(name)

    assert stored.shape == (CLIPS, 384)
    assert stored.dtype == np.float32
    assert np.isfinite(stored).all()
    assert np.allclose(np.linalg.norm(stored, axis=1), 1, atol=1e-5)


def test_rows_are_the_annotations_in_their_order(rows: Rows) -> None:
    annotations = table(folder() / "unified_annotation.csv")

    assert ",".join(rows[0]) == "slice_id,scene,object,caption,video_path,gif_path"
    assert [row["slice_id"] for row in rows] == [row["slice_id"] for row in annotations]


def test_every_label_is_a_keyword_of_its_clip_and_rural_means_no_place_keyword(rows: Rows) -> None:
    places = set(PLACE_KEYWORDS.values())

    for row, annotated in zip(rows, table(folder() / "unified_annotation.csv"), strict=True):
        named = places & set(words(annotated[COLUMNS["scene_type"]]))
        assert {row["scene"]} == (named or {"rural"})
        assert row["object"] in words(annotated[COLUMNS["object_type"]])


def test_labels_are_of_the_scene_and_its_main_actor(rows: Rows) -> None:
    scenes = shipped_scenes(SHIPPED_SEED)

    for row, scene in zip(rows, scenes, strict=True):
        assert row["object"] == scene.actors[0].kind
        assert (row["scene"] == "rural") == (scene.place == "rural")
        assert row["scene"] == "rural" or row["scene"] in keywords_of(scene)["scene_type"]
    two = [(row, s) for row, s in zip(rows, scenes, strict=True) if len(s.actors) == 2]
    assert two
    assert all(row["object"] != scene.actors[1].kind for row, scene in two)


def test_there_are_five_scenes_and_eight_objects_some_of_them_rare(rows: Rows) -> None:
    support = {
        level: sorted(np.unique([row[level] for row in rows], return_counts=True)[1].tolist())
        for level in ("scene", "object")
    }

    assert support == {
        "scene": [13, 19, 32, 53, 167],
        "object": [8, 8, 10, 39, 49, 50, 54, 66],
    }


def test_video_vectors_are_those_of_the_better_model(rows: Rows) -> None:
    stored = pq.read_table(folder() / "embeddings" / "alfa-0.2.parquet").to_pydict()

    of_clip = dict(zip(stored["slice_id"], stored["embedding"], strict=True))
    expected = np.array([of_clip[row["slice_id"]] for row in rows], dtype=np.float32)
    assert np.array_equal(vectors("video_emb.npy"), expected)


@pytest.mark.slow
def test_text_vectors_are_the_captions_encoded(made: Path) -> None:
    encoded = np.load(made / "labels" / "text_emb.npy", allow_pickle=False)

    assert encoded.dtype == np.float32
    assert np.abs(encoded - vectors("text_emb.npy")).max() < 1e-4  # processors differ a little


def test_a_caption_tells_what_and_where(rows: Rows) -> None:
    scenes = shipped_scenes(SHIPPED_SEED)

    assert [row["caption"] for row in rows] == [caption_of(scene) for scene in scenes]
    spoken = {"urban": "urban street", "rural": "country road", "parking lot/depot": "parking lot"}
    for row in rows:
        assert f", {spoken.get(row['scene'], row['scene'])}, " in row["caption"]
        assert ", ego " in row["caption"]


def test_descriptions_cover_exactly_the_labels(rows: Rows) -> None:
    styles = json.loads((HOME / "metadata.json").read_text(encoding="utf-8"))["sample"]

    scenes, objects = ({row[level] for row in rows} for level in ("scene", "object"))
    assert list(styles) == ["label_to_text_plain", "label_to_text_varied", "label_to_text_object"]
    assert set(styles["label_to_text_plain"]) == set(styles["label_to_text_varied"]) == scenes
    assert set(styles["label_to_text_object"]) == objects
    assert all(isinstance(text, str) and text for text in styles["label_to_text_plain"].values())
    for name in ("label_to_text_varied", "label_to_text_object"):
        assert all(len(set(texts)) == len(texts) >= 2 for texts in styles[name].values())


def test_no_description_belongs_to_two_labels_or_is_a_caption(rows: Rows) -> None:
    styles = json.loads((HOME / "metadata.json").read_text(encoding="utf-8"))["sample"]

    texts = list(styles["label_to_text_plain"].values())
    for name in ("label_to_text_varied", "label_to_text_object"):
        texts += [text for several in styles[name].values() for text in several]
    assert len(set(texts)) == len(texts)
    assert not set(texts) & {row["caption"] for row in rows}


def test_paths_start_at_the_folder_of_the_file_and_lead_to_files(rows: Rows) -> None:
    for row in rows:
        assert (HOME / row["video_path"]).is_file()
        assert (HOME / row["gif_path"]).is_file()


def test_frames_of_a_clip_are_found_through_its_path(rows: Rows) -> None:
    labels = Annotations(
        HOME / "labels.csv",
        tuple(row["slice_id"] for row in rows),
        (),
        "utf-8",
        ",",
        video_path=tuple(row["video_path"] for row in rows),
        gif_path=tuple(row["gif_path"] for row in rows),
    )

    strip = read_strip(find_media(labels, 0), 3, 40, 30)

    assert len(strip) == 3
    assert strip.path == HOME / rows[0]["video_path"]


def test_the_text_files_are_what_the_generator_writes() -> None:
    written = labels_csv(shipped_scenes(SHIPPED_SEED))

    assert (HOME / "labels.csv").read_bytes() == written.encode()
    assert (HOME / "metadata.json").read_bytes() == metadata_json().encode()


@pytest.mark.slow
def test_the_command_writes_the_same_again_and_renders_nothing(made: Path) -> None:
    files = {path.relative_to(made).as_posix() for path in made.rglob("*") if path.is_file()}

    assert files == {f"labels/{path.name}" for path in HOME.iterdir()}
    for name in ("labels.csv", "metadata.json", "video_emb.npy"):
        assert (made / "labels" / name).read_bytes() == (HOME / name).read_bytes()


def test_embeddings_of_other_clips_are_refused() -> None:
    ids = slice_ids(shipped_scenes(SHIPPED_SEED))

    with pytest.raises(ValueError, match="other clips"):
        read_vectors(folder() / "embeddings" / "alfa-0.2.parquet", ids[::-1])


@pytest.mark.parametrize("level", ["scene", "object"])
def test_every_direction_finds_the_label_more_often_than_chance(rows: Rows, level: str) -> None:
    labels = np.array([row[level] for row in rows])
    video, text = vectors("video_emb.npy"), vectors("text_emb.npy")
    chance = float((labels[:, None] == labels).mean())

    for queries, targets in ((text, video), (video, text), (video, video), (text, text)):
        assert label_score(queries, targets, labels, 10) > chance + 0.1
