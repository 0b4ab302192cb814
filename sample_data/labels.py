"""The label sample: each clip's caption beside its video, with one label per clip at two levels.

Two modalities of the same 284 clips, row by row: what alfa-0.2 sees in the video, and what MiniLM
makes of a caption. `scene` (where) and `object` (who) are the labels; texts written by hand
describe each label, for asking in words that no caption uses.

`python -m sample_data.labels` makes these files alone, from the shipped embeddings: no clip is
rendered or looked at.
"""

import argparse
import csv
import io
import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq

from sample_data import folder
from sample_data.captions import captions_of
from sample_data.features import Floats
from sample_data.keywords import PLACE_KEYWORDS
from sample_data.learn import encode_texts
from sample_data.scenes import Scene, shipped_scenes
from sample_data.shipped import SHIPPED_SEED, slice_ids

MODEL = "alfa-0.2"
"""Whose video embeddings are taken: the model that also sees motion."""

HEADER = ("slice_id", "scene", "object", "caption", "video_path", "gif_path")

SCENE_PLAIN = {
    "urban": "driving on a street in the city",
    "highway": "driving on a motorway",
    "rural": "driving on a road through open countryside",
    "parking lot/depot": "driving slowly through a car park",
    "test track": "driving on a closed proving ground",
}
SCENE_VARIED = {
    "urban": (
        "a city street between buildings and pavements",
        "downtown traffic with shops on both sides",
        "a residential street in town",
    ),
    "highway": (
        "a multi-lane motorway with guard rails",
        "fast traffic on the freeway",
        "an expressway with several lanes each way",
    ),
    "rural": (
        "a narrow road between fields and trees",
        "a lonely country lane",
        "out in the countryside, far from any town",
    ),
    "parking lot/depot": (
        "rows of marked parking bays",
        "a car park outside a supermarket",
        "a depot yard where vehicles are left overnight",
    ),
    "test track": (
        "a closed circuit for trying out cars",
        "a proving ground without any public traffic",
        "an automotive testing facility, nothing but asphalt",
    ),
}
OBJECT_TEXTS = {
    "small vehicle": (
        "a passenger car",
        "a taxi with its roof sign lit",
        "a family in an SUV",
    ),
    "large vehicle": (
        "a heavy lorry with a tall load",
        "a city bus full of passengers",
        "a delivery truck",
    ),
    "bollard": (
        "short posts that keep cars out",
        "a row of pillars planted across the way",
    ),
    "stationary object": (
        "a striped barrier at roadworks",
        "orange cones blocking the lane",
        "a skip left on the road",
    ),
    "pedestrian": (
        "someone walking",
        "a man on foot at the kerb",
        "a woman about to step onto the road",
    ),
    "motorcyclist": (
        "a motorbike and its helmeted rider",
        "somebody on a heavy motorcycle",
    ),
    "bicyclist": (
        "a person pedalling a bike",
        "a bicycle rider in a bright jersey",
    ),
    "other": (
        "a dog running loose",
        "a deer out of the woods",
        "a wild animal on the road",
    ),
}


def scene_label(scene: Scene) -> str:
    """The keyword that names the place; the field has none for a country road: "rural"."""
    return PLACE_KEYWORDS.get(scene.place, scene.place)


def object_label(scene: Scene) -> str:
    """The object type of the main actor, also where a second one is in view."""
    return scene.actors[0].kind


def caption_of(scene: Scene) -> str:
    """The fullest of a scene's captions: what happens, where, and what the ego vehicle does."""
    return captions_of(scene)[1]


def labels_csv(scenes: Sequence[Scene]) -> str:
    """One line per clip, in the annotations' order; paths start at the folder of this file."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(HEADER)
    for slice_id, scene in zip(slice_ids(scenes), scenes, strict=True):
        files = [f"../clips/{slice_id}.{suffix}" for suffix in ("mp4", "webp")]
        writer.writerow(
            [slice_id, scene_label(scene), object_label(scene), caption_of(scene), *files]
        )
    return text.getvalue()


def metadata_json() -> str:
    """What each label means in words, in three styles; `label_to_text_object` is of `object`."""
    styles = {
        "label_to_text_plain": SCENE_PLAIN,
        "label_to_text_varied": SCENE_VARIED,
        "label_to_text_object": OBJECT_TEXTS,
    }
    return json.dumps({"sample": styles}, indent=2) + "\n"


def read_vectors(path: Path, ids: Sequence[str]) -> Floats:
    """The vectors of an embedding file as it ships; its rows must be those of `ids`."""
    table = pq.read_table(path)
    if table["slice_id"].to_pylist() != list(ids):
        raise ValueError(f"{path}: other clips than the shipped ones, or another order")
    return np.array(table["embedding"].to_pylist(), dtype=np.float32)


def write_labels(out: Path, scenes: Sequence[Scene], videos: Floats) -> None:
    """Write the label sample into `out`; `videos` has one row per scene."""
    out.mkdir(parents=True, exist_ok=True)
    (out / "labels.csv").write_text(labels_csv(scenes), encoding="utf-8")
    (out / "metadata.json").write_text(metadata_json(), encoding="utf-8")
    np.save(out / "video_emb.npy", videos.astype(np.float32))
    np.save(out / "text_emb.npy", encode_texts([caption_of(scene) for scene in scenes]))


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description="Make the label sample again, without rendering.")
    parser.add_argument("--out", type=Path, default=folder(), help='folder to write "labels" into')
    options = parser.parse_args()
    scenes = shipped_scenes(SHIPPED_SEED)
    stored = folder() / "embeddings" / f"{MODEL}.parquet"
    write_labels(options.out / "labels", scenes, read_vectors(stored, slice_ids(scenes)))


if __name__ == "__main__":
    main()
