"""How each reader is tried: on which sound files, and how it is called."""

from __future__ import annotations

import pkgutil
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeAlias

import numpy as np

import engine
import tui
from engine.files.reader import READERS, FileReader

Call: TypeAlias = Callable[[Path], Any]
"""Reads the one file that may be wrong; others beside it are sound."""


@dataclass(frozen=True, slots=True)
class Sample:
    """A sound file for a reader, by the name that it has in the folder, and how it is read.

    beside    other files that have to lie there
    is_ours   a file that the program keeps for itself: reading it may change it
    is_apart  read with the help of another process, or of what takes long to import: tried in
              batches of its own
    library   what takes long to import: once, before any process is forked
    """

    file: str
    call: Call
    beside: tuple[str, ...] = field(default=())
    is_ours: bool = False
    is_apart: bool = False
    library: str = ""


CORPUS: dict[str, list[Sample]] = {}
"""The samples of every reader, by its name."""

OWN_BOUNDARIES = (
    "engine.media.clip.read_strip",
    "engine.media.clip.read_clip",
    "engine.sessions.store.SessionStore",
    "engine.sessions.repair.repair_store",
    "engine.text.vector_cache.VectorCache",
)
"""What reads files without being marked by `@reads`, and may raise nothing but an InputError."""


TRIED_BY_HAND = {
    "engine.text.sentence_model.open_sentence_model": "a folder that is loaded in a process of its "
    "own, whose memory is watched: tests/engine/text/test_hostile_models.py",
}
"""Readers that are not fuzzed, and why."""


def sample(
    reader: str,
    files: str,
    call: Call,
    beside: str = "",
    *,
    is_ours: bool = False,
    is_apart: bool = False,
    library: str = "",
) -> None:
    """Have a reader try these files, whose names are separated by spaces."""
    own = CORPUS.setdefault(reader, [])
    others = tuple(beside.split())
    own.extend(Sample(file, call, others, is_ours, is_apart, library) for file in files.split())


def find_readers() -> dict[str, FileReader]:
    """Every reader there is: all modules of both packages are imported."""
    for name in _list_modules():
        import_module(name)
    ours = ("engine.", "tui.")  # tests make some too
    return {name: reader for name, reader in READERS.items() if name.startswith(ours)}


def _list_modules() -> Iterator[str]:
    for package in (engine, tui):
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            if not module.name.endswith("__main__"):
                yield module.name


def list_samples() -> Sequence[tuple[str, Sample]]:
    """Every sample with the name of its reader, in a fixed order."""
    return [(name, one) for name in sorted(CORPUS) for one in CORPUS[name]]


def _fill() -> None:
    _fill_dataset()
    _fill_rankings()
    _fill_labels()
    _fill_moments()
    _fill_saved()
    _fill_checkpoints()
    _fill_own_boundaries()


def _fill_dataset() -> None:
    from engine.dataset.annotations.read import read_annotations
    from engine.dataset.embeddings.keys import CLIP_KEYS, read_keys_file
    from engine.dataset.embeddings.read import read_embeddings, read_query_vectors
    from engine.dataset.phrase_tables_file import read_phrase_tables
    from engine.dataset.query_files import read_clip_list, read_queries
    from engine.dataset.settings_file import open_dataset
    from engine.dataset.vocabulary import read_vocabulary
    from engine.keywords.typed_relevance import read_typed_clips
    from engine.keywords.vector_query import read_query_vector
    from tui.keys.keymap import _read as read_keymap
    from tui.opening.config import read_config

    place = "engine.dataset"
    annotations, embeddings = f"{place}.annotations.read", f"{place}.embeddings"
    sample(f"{annotations}.read_annotations", "ann.csv ann.tsv ann.parquet", read_annotations)
    sample(
        f"{annotations}.read_annotations", "ann.csv", lambda p: read_annotations(p, None, "merge")
    )
    keys = "small.ids.txt ids.npy ids.json ids.csv"
    sample(f"{embeddings}.keys.read_keys_file", keys, lambda p: read_keys_file(p, CLIP_KEYS))
    own = f"{embeddings}.read.read_embeddings"
    sample(own, "small.parquet small.npz emb.parquet", read_embeddings)
    sample(own, "small.npy", read_embeddings, "small.ids.txt")
    vectors = "query_vectors.npz query_vectors.parquet"
    sample(f"{embeddings}.read.read_query_vectors", vectors, read_query_vectors)
    sample(f"{place}.query_files.read_clip_list", "clip_list.txt", read_clip_list)
    queries = "queries.csv queries.jsonl queries.txt"
    sample(f"{place}.query_files.read_queries", queries, read_queries)
    sample(
        f"{place}.phrase_tables_file.read_phrase_tables",
        "learned.toml dataset.toml",
        read_phrase_tables,
    )
    sample(f"{place}.settings_file.open_dataset", "dataset.toml", open_dataset)
    sample(f"{place}.vocabulary.read_vocabulary", "vocabulary.json", read_vocabulary)
    sample("engine.keywords.typed_relevance.read_typed_clips", "relevant.txt", read_typed_clips)
    sample("engine.keywords.vector_query.read_query_vector", "vector.npy", read_query_vector)
    sample("tui.keys.keymap._read", "keys.toml", read_keymap)
    sample("tui.opening.config.read_config", "config.toml", read_config)


def _fill_rankings() -> None:
    from engine.compare.compare_settings import read_clusters
    from engine.rankings.formats.csv_table import read_query_texts
    from engine.rankings.formats.registry import read_qrels, read_run
    from engine.rankings.matrix_files import _matrix, read_ids

    formats = "engine.rankings.formats"
    runs = "run.trec run.trec.gz ranked.json ranked.jsonl ranked.csv ranked.parquet"
    sample(f"{formats}.registry.read_run", runs, read_run)
    qrels = "qrels.txt qrels.parquet ranked.json ranked.jsonl beir/qrels/test.tsv"
    sample(f"{formats}.registry.read_qrels", qrels, read_qrels)
    name = f"{formats}.csv_table.read_query_texts"
    sample(name, "beir/queries.jsonl", lambda path: read_query_texts(path.parent))
    sample("engine.rankings.matrix_files._matrix", "scores.npy relevance.npy", _matrix)
    name = "engine.rankings.matrix_files.read_ids"
    sample(name, "query_ids.txt", lambda path: read_ids(path, 3, "rows", Path("scores.npy")))
    sample("engine.compare.compare_settings.read_clusters", "clusters.csv", read_clusters)


def _fill_labels() -> None:
    from engine.labels.data.array_files import read_array
    from engine.labels.data.file_shapes import have_matching_rows, read_shape
    from engine.labels.data.label_files import LabelFiles, LevelFile
    from engine.labels.data.level_files import read_level
    from engine.labels.prototypes.metadata import _document
    from engine.labels.prototypes.prototypes import _array_names

    place = "engine.labels"
    own = f"{place}.data.array_files.read_array"
    sample(own, "sensor.npy", lambda path: read_array(path, None, "--key", convert="array"))
    sample(own, "text.npz", lambda path: read_array(path, "text", "--key", convert="array"))
    own = f"{place}.data.file_shapes.read_shape"
    sample(own, "sensor.npy labels.npy", read_shape)
    sample(own, "labels.npz", lambda path: read_shape(path, "l1"))
    beside = "sensor.npy"

    def match(path: Path) -> object:
        files = LabelFiles(path.with_name(beside), (LevelFile("label", path),))
        return have_matching_rows(files)

    sample(own, "labels.csv labels.txt labels.npy", match, beside)
    own = f"{place}.data.level_files.read_level"
    files = "labels.npy labels.csv labels.tsv labels.txt"
    sample(own, files, lambda path: read_level(LevelFile("label", path), 6))
    sample(own, "labels.npz", lambda path: read_level(LevelFile("l1", path, "l1"), 6))
    sample(f"{place}.prototypes.metadata._document", "metadata.json", _document)
    sample(f"{place}.prototypes.prototypes._array_names", "prototypes.npz", _array_names)


def _fill_moments() -> None:
    from engine.moments.check.known_truth import read_known, read_videos
    from engine.moments.check.submission import CheckRequest, check_submission
    from engine.moments.moments_source import MomentsRequest
    from engine.moments.open_files import find_benchmark, open_moments
    from engine.moments.qvh.entries import read_entries
    from engine.moments.tvr.submission import read_submission
    from engine.moments.tvr.truth import read_tvr_truth

    def check(path: Path) -> object:
        return check_submission(CheckRequest(path))

    def score(path: Path) -> object:
        truth = "qvh_truth.jsonl" if path.name.startswith("qvh") else "tvr_truth.jsonl"
        source = open_moments(MomentsRequest(path, path.with_name(truth), ks=(1, 5)))
        return source.official()

    def read_rows(path: Path) -> object:
        submission = read_submission(path)
        return [submission.rows(submission.entries(task), 4) for task in submission.tasks]

    place = "engine.moments"
    own = f"{place}.check.submission.check_submission"
    sample(own, "tvr.json tvr.json.gz tvr.zip qvh.jsonl qvh.zip", check)
    own = f"{place}.check.known_truth.read_known"
    sample(own, "tvr_truth.jsonl", lambda path: read_known(path, "tvr"))
    sample(own, "qvh_truth.jsonl", lambda path: read_known(path, "qvh"))
    sample(f"{place}.check.known_truth.read_videos", "videos.json", read_videos)
    sample(f"{place}.open_files.find_benchmark", "tvr_truth.jsonl qvh_truth.jsonl", find_benchmark)
    own = f"{place}.open_files.open_moments"
    sample(own, "tvr.json tvr.json.gz qvh.jsonl", score, "tvr_truth.jsonl qvh_truth.jsonl")
    sample(f"{place}.qvh.entries.read_entries", "qvh.jsonl qvh_truth.jsonl", read_entries)
    sample(f"{place}.tvr.submission.read_submission", "tvr.json tvr.json.gz", read_submission)
    sample(f"{place}.tvr.submission.Submission.rows", "tvr.json", read_rows)
    sample(f"{place}.tvr.truth.read_tvr_truth", "tvr_truth.jsonl", read_tvr_truth)


def _fill_saved() -> None:
    from engine.base.errors import Place
    from engine.results.read_results import read_results
    from engine.results.saved_run import read_saved_run
    from engine.sessions import SessionStore
    from engine.triage.saved_triage import read_triage
    from tui.cli.sessions.stores import read_document_file

    def import_session(path: Path) -> object:
        with TemporaryDirectory() as folder, SessionStore(Path(folder) / "sessions.db") as store:
            return store.import_document(read_document_file(path), Place(path)).answers()

    def use_triage(path: Path) -> object:
        found = read_triage(path)
        return found, found.find("1"), found.find_queries(found.findings[0])

    files = "run.json score.json per_query.csv per_query.jsonl per_query.parquet"
    sample("engine.results.read_results.read_results", files, read_results)
    sample("engine.results.saved_run.read_saved_run", "run.json score.json", read_saved_run)
    sample("engine.triage.saved_triage.read_triage", "triage.json", read_triage)
    sample("tui.cli.sessions.stores.read_document_file", "session.json", import_session)
    sample("engine.triage.saved_triage.read_triage", "compared_triage.json", use_triage)


def _fill_checkpoints() -> None:
    from engine.text.checkpoints.model import read_state

    name, files = "engine.text.checkpoints.model.read_state", "weights.pt weights.safetensors"
    sample(name, files, read_state, is_apart=True, library="torch safetensors.torch")


def _fill_own_boundaries() -> None:
    from engine.media.clip import ClipMedia, read_clip, read_strip
    from engine.sessions import SessionStore
    from engine.sessions.repair import repair_store
    from engine.text.vector_cache import VectorCache

    def use_store(path: Path) -> object:
        with SessionStore(path) as store:
            found = [store.open(one.id).answers() for one in store.summaries()]
            store.create("dataset", "source")
            return found

    def use_cache(path: Path) -> object:
        cache = VectorCache(path)
        try:
            found = cache.get(["a car", "a bus"])
            cache.put({"a bus": np.ones(4, np.float32)})
            return found
        finally:
            cache.close()

    def take(path: Path) -> ClipMedia:
        return ClipMedia("clip", (path,), 0.0, 1.0)

    strip, clip, store, repair, cache = OWN_BOUNDARIES
    files = "clip.mp4 clip.webp clip.gif clip.png clip.jpg"
    sample(strip, files, lambda path: read_strip(take(path), 3, 24, 14), is_apart=True)
    sample(clip, files, lambda path: read_clip(take(path), 24, 14), is_apart=True)
    sample(store, "sessions.db", use_store, is_ours=True)
    sample(repair, "sessions.db", repair_store, is_ours=True)
    sample(cache, "vectors.sqlite", use_cache, is_ours=True)


_fill()
