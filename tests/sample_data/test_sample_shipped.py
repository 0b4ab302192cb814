"""What ships is whole and consistent: ids, files, vocabulary, queries, embeddings."""

import csv
import tomllib

import numpy as np
import pyarrow.parquet as pq
import pytest
from PIL import Image

from sample_data import folder
from sample_data.encode import read_mp4
from sample_data.features import glance
from sample_data.generate import COLUMNS, dataset_toml
from sample_data.keywords import GROUPS, VOCABULARY, keywords_of
from sample_data.queries import QUERIES
from sample_data.render import render
from sample_data.scenes import shipped_scenes
from sample_data.shipped import SHIPPED_SEED, slice_ids

HOME = folder()
MODELS = ("alfa-0.1", "alfa-0.2")


def table(name: str) -> list[dict[str, str]]:
    with (HOME / name).open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def words(cell: str) -> list[str]:
    return [word for word in cell.split(", ") if word]


@pytest.fixture(scope="module")
def annotations() -> list[dict[str, str]]:
    return table("unified_annotation.csv")


def test_ids_are_unique_and_the_same_everywhere(annotations: list[dict[str, str]]) -> None:
    ids = [row["slice_id"] for row in annotations]
    assert len(ids) == len(set(ids)) >= 240
    for model in MODELS:
        stored = pq.read_table(HOME / "embeddings" / f"{model}.parquet")
        assert stored["slice_id"].to_pylist() == ids
    for suffix in ("mp4", "webp"):
        assert {path.stem for path in (HOME / "clips").glob(f"*.{suffix}")} == set(ids)


def test_paths_in_the_annotations_lead_to_files(annotations: list[dict[str, str]]) -> None:
    for row in annotations:
        assert (HOME / row["video_path"]).is_file()
        assert (HOME / row["gif_path"]).is_file()
        assert 0 <= float(row["span_start"]) < float(row["span_end"]) <= 2


def test_columns_are_the_field_s(annotations: list[dict[str, str]]) -> None:
    expected = (
        "slice_id,video_path,gif_path,span_start,span_end,category,pv_object_type,"
        "pv_actor_behavior,pv_spatial_relation,ego_behavior,scene_type"
    )
    assert ",".join(annotations[0]) == expected


def test_annotations_are_what_the_scenes_say(annotations: list[dict[str, str]]) -> None:
    scenes = shipped_scenes(SHIPPED_SEED)
    assert [row["slice_id"] for row in annotations] == slice_ids(scenes)
    for row, scene in zip(annotations, scenes, strict=True):
        found = {group: tuple(words(row[COLUMNS[group]])) for group in GROUPS}
        assert found == keywords_of(scene)


def test_keywords_are_of_the_vocabulary(annotations: list[dict[str, str]]) -> None:
    for group in GROUPS:
        used = {word for row in annotations for word in words(row[COLUMNS[group]])}
        assert used <= set(VOCABULARY[group])
        assert len(used) >= 3


def test_queries_ask_for_keywords_that_occur_and_most_have_an_answer(
    annotations: list[dict[str, str]],
) -> None:
    clips = [{w for g in GROUPS for w in words(row[COLUMNS[g]])} for row in annotations]
    known = set().union(*clips)
    queries = [(row["query"], set(words(row["keywords"]))) for row in table("queries.csv")]
    assert queries == [(query, set(keywords)) for query, keywords in QUERIES]
    assert len(queries) >= 48
    assert len({query for query, _ in queries}) == len(queries)
    answered = [any(asked <= clip for clip in clips) for _, asked in queries]
    assert all(asked <= known for _, asked in queries)
    assert 1 <= answered.count(False) <= 6
    for group in GROUPS:
        assert any(asked & set(VOCABULARY[group]) for _, asked in queries)


def test_most_video_queries_have_several_relevant_clips(annotations: list[dict[str, str]]) -> None:
    pair = ("pv_object_type", "pv_actor_behavior")
    clips = [{w for column in pair for w in words(row[column])} for row in annotations]
    relevant = [sum(mine <= other for other in clips) - 1 for mine in clips]
    assert np.mean([count >= 3 for count in relevant]) > 0.8
    assert min(relevant) == 0


@pytest.mark.parametrize("index", [0, 100, 200])
def test_a_clip_decodes_to_its_scene(annotations: list[dict[str, str]], index: int) -> None:
    frames = read_mp4(HOME / annotations[index]["video_path"])
    drawn = render(shipped_scenes(SHIPPED_SEED)[index], (0, 4, 6, 10))
    assert frames.shape == (12, 90, 160, 3)
    assert np.abs(glance(frames).astype(int) - glance(drawn)).mean() < 6
    with Image.open(HOME / annotations[index]["gif_path"]) as clip:
        assert (clip.n_frames, clip.size) == (12, (160, 90))


@pytest.mark.parametrize("model", MODELS)
def test_embeddings_are_unit_vectors_and_all_different(model: str) -> None:
    stored = pq.read_table(HOME / "embeddings" / f"{model}.parquet")
    vectors = np.array(stored["embedding"].to_pylist(), dtype=np.float32)
    assert vectors.shape[1] == 384
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    similar = vectors @ vectors.T - 2 * np.eye(len(vectors))
    assert similar.max() < 0.9999


def test_neighbours_share_behavior_more_often_when_motion_is_seen(
    annotations: list[dict[str, str]],
) -> None:
    behaviors = [set(words(row["pv_actor_behavior"])) for row in annotations]
    share = {}
    for model in MODELS:
        stored = pq.read_table(HOME / "embeddings" / f"{model}.parquet")
        vectors = np.array(stored["embedding"].to_pylist(), dtype=np.float32)
        nearest = (vectors @ vectors.T - 2 * np.eye(len(vectors))).argmax(axis=1)
        share[model] = np.mean([bool(behaviors[i] & behaviors[j]) for i, j in enumerate(nearest)])
    chance = np.mean([bool(a & b) for a in behaviors for b in behaviors if a is not b])
    assert share["alfa-0.1"] > 1.5 * chance
    assert share["alfa-0.2"] > share["alfa-0.1"] + 0.05


def test_the_dataset_file_names_what_is_there(annotations: list[dict[str, str]]) -> None:
    text = (HOME / "dataset.toml").read_text(encoding="utf-8")
    assert text == dataset_toml(len(annotations))
    dataset = tomllib.loads(text)
    assert dataset["schema"] == "tui-eval/dataset@1"
    assert dataset["default_model"] in dataset["models"]
    for model in dataset["models"].values():
        assert (HOME / model["embeddings"]).is_file()


def test_the_whole_is_small() -> None:
    size = sum(path.stat().st_size for path in HOME.rglob("*") if path.is_file())
    assert size < 12_000_000
