"""Make the sample dataset again: `python -m sample_data.generate`.

Everything follows from two seeds. Training scenes are rendered, learned from and thrown away; the
shipped clips are embedded from what their MP4 files show.
"""

import argparse
import csv
import os
import shutil
import sys
import time
from collections.abc import Callable, Sequence
from multiprocessing import get_context
from pathlib import Path
from typing import TypeVar

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from sample_data import folder
from sample_data.captions import captions_of
from sample_data.encode import read_mp4, write_mp4, write_webp
from sample_data.features import SEEN, Floats, glance
from sample_data.keywords import GROUPS, keywords_of
from sample_data.labels import MODEL, write_labels
from sample_data.learn import VIEWS, caption_targets, fit
from sample_data.moments import write_moments
from sample_data.queries import QUERIES
from sample_data.render import Frames, render
from sample_data.scenes import VULNERABLE, Scene, shipped_scenes, training_scenes
from sample_data.shipped import SHIPPED_SEED, slice_ids
from sample_data.visible import visible_span

TRAINING_SEED = 1001
TRAINING_SCENES = 4500
COLUMNS = {
    group: group if group.startswith(("ego", "scene")) else f"pv_{group}" for group in GROUPS
}
"""Files in the wild prefix three of the five groups; so does this one."""

Item = TypeVar("Item")
Made = TypeVar("Made")


def say(text: str) -> None:
    """Progress goes to stderr: nothing here is data."""
    print(text, file=sys.stderr, flush=True)


def spread(work: Callable[[Item], Made], items: Sequence[Item], what: str) -> list[Made]:
    """Do the work in as many processes as there are cores; the order stays."""
    made: list[Made] = []
    with get_context("spawn").Pool(os.cpu_count() or 1) as pool:
        for result in pool.imap(work, items, chunksize=16):
            made.append(result)
            if len(made) % 500 == 0 or len(made) == len(items):
                say(f"  {what}: {len(made)} of {len(items)}")
    return made


def glance_at_scene(scene: Scene) -> Frames:
    """What the learner sees of a training scene."""
    return glance(render(scene, SEEN))


def make_clip(job: tuple[Scene, Path]) -> Frames:
    """Write both files of a clip; return what the learner sees of the MP4."""
    scene, stem = job
    frames = render(scene)
    write_mp4(stem.with_suffix(".mp4"), frames)
    write_webp(stem.with_suffix(".webp"), frames)
    return glance(read_mp4(stem.with_suffix(".mp4")))


def category(scene: Scene) -> str:
    """The coarse kind of the main actor."""
    kind = scene.actors[0].kind
    if kind in VULNERABLE:
        return "vulnerable road user"
    return "vehicle" if "vehicle" in kind else "obstacle"


def write_annotations(path: Path, ids: Sequence[str], scenes: Sequence[Scene]) -> None:
    """The ground truth, one line per clip."""
    head = ["slice_id", "video_path", "gif_path", "span_start", "span_end", "category"]
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow([*head, *COLUMNS.values()])
        for slice_id, scene in zip(ids, scenes, strict=True):
            words = keywords_of(scene)
            start, end = visible_span(scene)
            files = [f"clips/{slice_id}.mp4", f"clips/{slice_id}.webp"]
            span = [f"{start:.2f}", f"{end:.2f}", category(scene)]
            writer.writerow([slice_id, *files, *span, *(", ".join(words[g]) for g in GROUPS)])


def write_queries(path: Path) -> None:
    """The text queries and what they are meant to ask for."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["query", "keywords"])
        writer.writerows([query, ", ".join(keywords)] for query, keywords in QUERIES)


def write_embeddings(path: Path, ids: Sequence[str], vectors: Floats) -> None:
    """One row per clip, in the annotations' order."""
    column = pa.array([row.tolist() for row in vectors], type=pa.list_(pa.float32()))
    table = pa.table({"slice_id": pa.array(ids, type=pa.string()), "embedding": column})
    pq.write_table(table, path, compression="zstd", use_dictionary=False)


def dataset_toml(clips: int) -> str:
    """The file that names all the others."""
    return f'''schema = "tui-eval/dataset@1"
name = "sample"
description = "{clips} rendered driving clips with keywords of five groups"
annotations = "unified_annotation.csv"
queries = "queries.csv"
groups = ["object_type", "actor_behavior"]  # evaluated unless others are chosen
default_model = "alfa-0.1"

[models."alfa-0.1"]
embeddings = "embeddings/alfa-0.1.parquet"
metric = "cosine"
description = "sees one frame: colour and layout, no motion"

[models."alfa-0.2"]
embeddings = "embeddings/alfa-0.2.parquet"
metric = "cosine"
description = "sees the same frame and how the frames before and after differ"

[mapper]
learns = false  # what you teach it is kept with your sessions, not in this file
'''


def generate(out: Path, training: int) -> None:
    """Write the whole dataset into `out`."""
    scenes = shipped_scenes(SHIPPED_SEED)
    ids = slice_ids(scenes)
    for name in ("clips", "embeddings"):
        shutil.rmtree(out / name, ignore_errors=True)
        (out / name).mkdir(parents=True)
    write_annotations(out / "unified_annotation.csv", ids, scenes)
    write_queries(out / "queries.csv")
    (out / "dataset.toml").write_text(dataset_toml(len(scenes)), encoding="utf-8")
    jobs = [(scene, out / "clips" / slice_id) for scene, slice_id in zip(scenes, ids, strict=True)]
    shipped = np.stack(spread(make_clip, jobs, "clips written"))
    others = training_scenes(TRAINING_SEED, training)
    seen = np.stack(spread(glance_at_scene, others, "training scenes rendered"))
    say("  encoding the training captions")
    targets = caption_targets([captions_of(scene) for scene in others])
    for name, views in VIEWS.items():
        model = fit(views, seen, targets)
        vectors = model.embed(shipped)
        write_embeddings(out / "embeddings" / f"{name}.parquet", ids, vectors)
        if name == MODEL:
            write_labels(out / "labels", scenes, vectors)
            write_moments(out / "moments", scenes, vectors)
        ridge = model.ridge
        say(f"  {name}: penalty {ridge.penalty}, explains {ridge.explained:.0%} on held-out scenes")


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description="Make the sample dataset again.")
    parser.add_argument("--out", type=Path, default=folder(), help="folder to write to")
    parser.add_argument("--training", type=int, default=TRAINING_SCENES, help="training scenes")
    options = parser.parse_args()
    begun = time.monotonic()
    generate(options.out, options.training)
    say(f"done in {time.monotonic() - begun:.0f} s")


if __name__ == "__main__":
    main()
