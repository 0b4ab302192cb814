"""Datasets in files, with the real engine over them: the shipped sample, and small ones."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np

import sample_data
from engine.dataset.dataset import Dataset
from engine.dataset.settings_file import open_dataset
from engine.keywords.workbench import Workbench
from engine.text.encoder import SentenceEncoder

GROUPS = ("object_type", "actor_behavior")
CYCLIST = "cyclist entering ego lane"

HEADER = "slice_id,video_path,gif_path,pv_object_type,scene_type\n"


@cache
def sample() -> Dataset:
    """The shipped dataset."""
    return open_dataset(sample_data.folder())


@cache
def workbench(encoder: SentenceEncoder) -> Workbench:
    """The engine on the sample, to hold what is shown or kept against."""
    return Workbench(sample(), encoder)


def small_dataset(
    folder: Path,
    clips: str,
    models: str = "one",
    *,
    width: int = 384,
    groups: str = '["object_type"]',
    **files: str,
) -> Dataset:
    """A dataset of lines such as "a,a.mp4,,car,city"; its vectors are the axes of a space."""
    folder.mkdir(exist_ok=True)
    lines = [line.strip() for line in clips.strip().splitlines()]
    (folder / "clips.csv").write_text(HEADER + "\n".join(lines) + "\n")
    ids = [line.partition(",")[0] for line in lines]
    settings = ['schema = "tui-eval/dataset@1"', 'name = "small"', 'annotations = "clips.csv"']
    settings += [f"groups = {groups}"] if groups else []
    for number, model in enumerate(models.split()):
        vectors = np.roll(np.eye(len(ids), width, dtype=np.float32), number, axis=0)
        vectors += 0.1
        np.savez(folder / f"{model}.npz", ids=np.array(ids), embeddings=vectors)
        settings += [f"[models.{model}]", f'embeddings = "{model}.npz"']
    for name, text in files.items():
        (folder / name).write_text(text)
    (folder / "dataset.toml").write_text("\n".join(settings) + "\n")
    return open_dataset(folder)
