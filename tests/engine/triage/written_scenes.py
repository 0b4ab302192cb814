"""Scenes as datasets in files."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import numpy.typing as npt

from tests.engine.triage.planted import Scene


def write_scene(
    folder: Path,
    scene: Scene,
    models: Mapping[str, npt.NDArray[np.floating]] | None = None,
    **ids: list[str],
) -> Path:
    """A dataset of a scene, with one model of its vectors, and others as they are given."""
    truth = scene.truth
    lines = ["slice_id,video_path,pv_who,pv_way"]
    for row, clip in enumerate(truth.ids):
        who, way = (f"{group}{scene.numbers[group][row]}" for group in ("who", "way"))
        lines.append(f"{clip},v{scene.sources[row]}.mp4,{who},{way}")
    (folder / "clips.csv").write_text("\n".join(lines) + "\n")
    settings = ['schema = "tui-eval/dataset@1"', 'name = "small"', 'annotations = "clips.csv"']
    settings += ['groups = ["who", "way"]', 'queries = "queries.csv"']
    for name, vectors in {"one": scene.vectors, **(models or {})}.items():
        own = ids.get(name, list(truth.ids))
        np.savez(folder / f"{name}.npz", ids=np.array(own), embeddings=vectors.astype(np.float32))
        settings += [f"[models.{name}]", f'embeddings = "{name}.npz"']
    (folder / "dataset.toml").write_text("\n".join(settings) + "\n")
    texts = ["query,keywords", 'who1 in way2,"who1, way2"', 'who0 in way0,"who0, way0"']
    (folder / "queries.csv").write_text("\n".join(texts) + "\n")
    return folder
