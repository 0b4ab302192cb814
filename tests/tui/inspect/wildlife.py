"""A small dataset of a field that the synonym table does not know, in a folder of its own."""

from __future__ import annotations

from itertools import product
from pathlib import Path

from engine.dataset.dataset import Dataset
from tests.tui.inspector import small_dataset

ANIMALS = ("deer", "red fox", "wild boar", "owl")
SCENES = ("nursing", "feeding", "drinking", "resting", "night")


def wildlife(folder: Path, queries: str = "") -> Dataset:
    """A clip for each animal in each scene; `queries`: the texts of its query set, line by line."""
    clips = "\n".join(
        f"{animal.replace(' ', '_')}_{scene},clip.mp4,,{animal},{scene}"
        for animal, scene in product(ANIMALS, SCENES)
    )
    opened = small_dataset(folder, clips, groups='["object_type", "scene_type"]')
    if not queries:
        return opened
    from engine.dataset.settings_file import open_dataset

    (folder / "queries.csv").write_text("query\n" + queries)
    settings = folder / "dataset.toml"
    text = settings.read_text()
    settings.write_text(text.replace("[models", 'queries = "queries.csv"\n[models', 1))
    return open_dataset(folder)
