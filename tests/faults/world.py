"""A small world of files, of every kind that a command reads, each in a folder of its own."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq

from sample_data import folder as sample_folder
from tests.engine.sessions.damaged_store import make_store, zero_page

CLIPS = 40
_DAMAGED_PAGE = 9
_SETTINGS = """
annotations = "clips.csv"
queries = "queries.csv"
groups = ["object_type", "actor_behavior"]
default_model = "table"

[models.table]
embeddings = "table.parquet"

[models.archive]
embeddings = "archive.npz"
query_vectors = "texts.npz"

[models.array]
embeddings = "array.npy"
ids = "ids.txt"

[synonyms]
bicyclist = ["pedaller"]
"""
_KEYS = '[keys]\n"app.help" = "f1"\n'
_QUERIES = (
    '{"q": "a zorb", "kw": ["bicyclist"]}\n'
    '{"q": "the zorb stationary", "kw": ["bicyclist", "stationary"]}\n'
    '{"q": "pedestrian stationary", "kw": ["pedestrian", "stationary"]}\n'
)


@dataclass(frozen=True)
class World:
    """Where everything is; a command may read all of it, and writes into `out` alone."""

    folder: Path

    def __str__(self) -> str:
        return str(self.folder)

    def __truediv__(self, name: str) -> Path:
        return self.folder / name

    @property
    def out(self) -> Path:
        return self.folder / "out"

    @property
    def variables(self) -> dict[str, str]:
        """The environment in which nothing lies elsewhere."""
        return {
            "TUI_EVAL_DATA": str(self / "data"),
            "TUI_EVAL_CACHE": str(self / "cache"),
            "TUI_EVAL_KEYS": str(self / "own/keys.toml"),
            "TUI_EVAL_CONFIG": str(self / "own/config.toml"),
            "GITHUB_STEP_SUMMARY": str(self / "out/summary.md"),
            "COLUMNS": "120",
        }

    @contextmanager
    def entered(self) -> Iterator[None]:
        """With that environment, in the folder of the outputs."""
        before, place = os.environ.copy(), Path.cwd()
        os.environ.update(self.variables)
        os.chdir(self.out)
        try:
            yield
        finally:
            os.environ.clear()
            os.environ.update(before)
            os.chdir(place)

    def list_files(self) -> list[Path]:
        """All that may be read."""
        files = (path for path in self.folder.rglob("*") if path.is_file())
        return sorted(path for path in files if self.out not in path.parents)


def build_world(folder: Path) -> World:
    """Make all files; what commands have written before is written by them."""
    world = World(folder)
    for name in ("dataset", "data", "cache", "own", "runs", "rankings", "labels", "moments", "out"):
        (folder / name).mkdir()
    _make_dataset(world / "dataset")
    _make_rankings(world / "rankings")
    _make_labels(world / "labels")
    for file in (sample_folder() / "moments").iterdir():
        if file.suffix in (".json", ".jsonl"):
            shutil.copy(file, world / "moments")
    (world / "own/keys.toml").write_text(_KEYS)
    (world / "own/config.toml").write_text('# mine\ntheme = "dark"  # at night\n')
    (world / "own/other-keys.toml").write_text(_KEYS)
    (world / "own/words.json").write_text('{"object_type": ["bicyclist", "pedestrian"]}')
    (world / "own/few.jsonl").write_text('{"q": "a zorb", "kw": ["bicyclist"]}\n')
    (world / "own/queries.jsonl").write_text(_QUERIES)
    np.save(world / "own/probe.npy", np.ones(384))
    damaged = world / "own/broken.db"
    make_store(damaged)
    damaged.write_bytes(zero_page(damaged.read_bytes(), _DAMAGED_PAGE))
    with world.entered():
        _make_results(world)
    return world


def _make_dataset(folder: Path) -> None:
    sample = sample_folder()
    lines = (sample / "unified_annotation.csv").read_text(encoding="utf-8").splitlines(True)
    kept = lines[: CLIPS + 1]
    (folder / "clips.csv").write_text("".join(kept), encoding="utf-8")
    (folder / "clips").mkdir()
    for line in kept[1:4]:
        shutil.copy(sample / line.split(",")[2], folder / "clips")
    table = pq.read_table(sample / "embeddings" / "alfa-0.1.parquet").slice(0, CLIPS)
    pq.write_table(table, folder / "table.parquet")
    ids = table.column("slice_id").to_pylist()
    vectors = np.array(table.column("embedding").to_pylist(), dtype=np.float32)
    texts = ["bicyclist stationary", "pedestrian stationary", "bicyclist"]
    np.savez(folder / "archive.npz", ids=np.array(ids), embeddings=vectors)
    np.savez(folder / "texts.npz", queries=np.array(texts), embeddings=vectors[:3])
    np.save(folder / "array.npy", vectors)
    (folder / "ids.txt").write_text("\n".join(ids) + "\n")
    (folder / "queries.csv").write_text(
        'query,keywords\nbicyclist stationary,"bicyclist, stationary"\n'
        'pedestrian stationary,"pedestrian, stationary"\n'
    )
    (folder / "listed.txt").write_text("\n".join(ids[:5]) + "\n")
    (folder / "dataset.toml").write_text(_SETTINGS)


def _make_rankings(folder: Path) -> None:
    for name, order in (("bm25", (1, 2, 3)), ("dense", (3, 1, 2))):
        lines = (f"q{q} Q0 d{d} {d} {9 - d} {name}\n" for q in (1, 2, 3) for d in order)
        (folder / f"{name}.run").write_text("".join(lines))
    (folder / "qrels.txt").write_text("".join(f"q{q} 0 d{q} 1\n" for q in (1, 2, 3)))
    (folder / "rows.txt").write_text("q1\nq2\nq3\n")
    (folder / "columns.txt").write_text("d1\nd2\nd3\n")
    np.save(folder / "scores.npy", np.eye(3, dtype=np.float32))
    np.save(folder / "grades.npy", np.eye(3, dtype=np.float32))
    np.save(folder / "asking.npy", np.eye(3, dtype=np.float32))
    np.save(folder / "asked.npy", np.eye(3, dtype=np.float32))


def _make_labels(folder: Path) -> None:
    vectors = np.random.default_rng(0).normal(size=(12, 4)).astype(np.float32)
    np.save(folder / "sensor.npy", vectors)
    np.save(folder / "text.npy", vectors[::-1])
    np.save(folder / "labels.npy", np.array(["cook", "sleep"] * 6))
    np.save(folder / "prototypes.npy", vectors[:2])
    (folder / "prototype-labels.txt").write_text("cook\nsleep\n")
    texts = {"home": {"label_to_text_plain": {"cook": "somebody cooks", "sleep": "asleep"}}}
    (folder / "metadata.json").write_text(json.dumps(texts))


def _make_results(world: World) -> None:
    """Runs, a session, phrases that were learned and vectors that were kept, all as they come."""
    from engine.dataset.learned_file import find_learned_file
    from engine.dataset.settings_file import open_dataset
    from engine.sessions import SessionStore

    for name, model in (("old", "table"), ("new", "array")):
        made = ("--out", f"{world}/runs/{name}.json", "--per-query", f"{world}/runs/{name}.csv")
        _run("run", str(world / "dataset"), "--model", model, *made)
    quick = ("--mode", "video", "--analyses", "hubs", "--resamples", "100")
    _run("triage", str(world / "dataset"), *quick, "--out", f"{world}/runs/triage.json")
    queries = ("bicyclist stationary", "pedestrian stationary")
    rows = "".join(f"{query},{number}\n" for number, query in enumerate(queries))
    (world / "runs/clusters.csv").write_text(f"query,cluster\n{rows}")
    learned = find_learned_file(open_dataset(world / "dataset"))
    learned.parent.mkdir(0o700)
    learned.touch(0o600)
    learned.write_text('[synonyms]\nbicyclist = ["biker"]\n')
    with SessionStore(world / "data/sessions.db") as store:
        store.create("dataset", str(world / "dataset"), "kept")
    _run("sessions", "export", "kept", "--out", str(world / "own/session.json"))


def _run(*arguments: str) -> None:
    from tui.cli.app import run_command_line

    assert run_command_line(arguments) == 0, arguments
